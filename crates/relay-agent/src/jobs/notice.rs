//! What the model reads when jobs have ended.

use serde_json::json;

use super::{Snapshot, Status};
use crate::session::Body;
use crate::session::message::CustomMessage;
use crate::tool::Bounds;
use crate::turn::Prompt;

/// The kind of the message in the session's log.
pub const KIND: &str = "async-result";

/// How much of the results reaches the model in one notice.
const BYTES: usize = 50 << 10;

/// The notice about jobs that have ended.
pub(super) fn notice(jobs: &[Snapshot]) -> Prompt {
    let bounds = Bounds { bytes: BYTES / jobs.len().max(1), ..Bounds::default() };
    let text = |job: &Snapshot| {
        let text = result(job);
        bounds.cut(&text).unwrap_or(text)
    };
    let body = match jobs {
        [job] => format!(
            "Background job {} has {}. Resume your work with its result below.\n\n{}",
            job.id,
            ended(job.status),
            text(job)
        ),
        jobs => {
            let mut all = format!(
                "{} background jobs have completed. Resume your work with their results below.",
                jobs.len()
            );
            for job in jobs {
                all.push_str(&format!("\n\n── Job {} ({}) ──\n{}", job.id, job.label, text(job)));
            }
            all
        }
    };
    let text = format!("<system-notice>\n{body}\n</system-notice>");
    let list: Vec<_> = jobs
        .iter()
        .map(|job| {
            json!({ "jobId": job.id, "type": job.kind, "status": job.status, "label": job.label, "durationMs": job.duration_ms })
        })
        .collect();
    let message = CustomMessage {
        custom_type: KIND.to_owned(),
        content: text.as_str().into(),
        display: true,
        details: Some(json!({ "jobs": list })),
        attribution: Some("agent".to_owned()),
        ..CustomMessage::default()
    };
    Prompt { bodies: vec![Body::CustomMessage(Box::new(message))], text }
}

fn ended(status: Status) -> &'static str {
    match status {
        Status::Failed => "failed",
        _ => "completed",
    }
}

fn result(job: &Snapshot) -> String {
    let parts: Vec<&str> =
        [&job.result_text, &job.error_text].into_iter().flatten().map(|text| text.trim_end()).collect();
    let text = parts.join("\n");
    if text.is_empty() { "(no output)".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;

    fn job(id: &str, status: Status, text: &str) -> Snapshot {
        Snapshot {
            id: id.to_owned(),
            kind: Kind::Bash,
            status,
            label: format!("run {id}"),
            duration_ms: 1,
            result_text: Some(text.to_owned()),
            error_text: None,
            metadata: None,
        }
    }

    #[test]
    fn one_job_has_no_heading() {
        let text = notice(&[job("bg_1", Status::Failed, "boom\n")]).text;
        assert_eq!(
            text,
            "<system-notice>\nBackground job bg_1 has failed. Resume your work with its result below.\n\nboom\n</system-notice>"
        );
    }

    #[test]
    fn several_jobs_have_headings_and_share_the_room() {
        let long = "x\n".repeat(100_000);
        let text = notice(&[job("a", Status::Completed, &long), job("b", Status::Completed, "")]).text;
        assert!(text.starts_with("<system-notice>\n2 background jobs have completed."), "{text}");
        assert!(
            text.contains("\n\n── Job a (run a) ──\nx\n")
                && text.contains("── Job b (run b) ──\n(no output)")
        );
        assert!(text.len() < 40 << 10, "{}", text.len());
    }
}
