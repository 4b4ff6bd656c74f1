//! Jobs as the model reads them, and as front ends show them.

use relay_agent::jobs::{Cancelled, Snapshot, Status};
use serde_json::{Value, json};

/// The sections: what was cancelled, what has ended, what still runs.
pub fn text(jobs: &[Snapshot], outcomes: &[(String, Cancelled)]) -> String {
    let mut text = String::new();
    if !outcomes.is_empty() {
        text.push_str(&format!("## Cancelled ({})\n\n", outcomes.len()));
        for (id, outcome) in outcomes {
            text.push_str(&format!("- {}\n", outcome_line(id, *outcome)));
        }
        text.push('\n');
    }
    let (running, ended): (Vec<_>, Vec<_>) = jobs.iter().partition(|job| job.status == Status::Running);
    if !ended.is_empty() {
        text.push_str(&format!("## Completed ({})\n\n", ended.len()));
        for job in ended {
            push_ended(&mut text, job);
        }
    }
    if !running.is_empty() {
        text.push_str(&format!("## Still Running ({})\n\n", running.len()));
        for job in running {
            let (id, kind, label) = (&job.id, job.kind.name(), &job.label);
            text.push_str(&format!("- `{id}` [{kind}] — {label} (up {})\n", duration(job.duration_ms)));
        }
    }
    if text.is_empty() {
        return "No background jobs.".to_owned();
    }
    text.trim_end().to_owned()
}

fn push_ended(text: &mut String, job: &Snapshot) {
    let (id, kind, status) = (&job.id, job.kind.name(), job.status.name());
    text.push_str(&format!("### {id} [{kind}] — {status}\nLabel: {}\n", job.label));
    if let Some(result) = &job.result_text {
        text.push_str(&format!("```\n{}\n```\n", result.trim_end_matches('\n')));
    }
    if let Some(error) = &job.error_text {
        text.push_str(&format!("Error: {error}\n"));
    }
    text.push('\n');
}

fn outcome_line(id: &str, outcome: Cancelled) -> String {
    match outcome {
        Cancelled::Cancelled => format!("Cancelled background job {id}."),
        Cancelled::NotFound => format!("Background job not found: {id}"),
        Cancelled::AlreadyCompleted => format!("Background job {id} is already completed."),
    }
}

/// The same for front ends.
pub fn details(jobs: &[Snapshot], outcomes: &[(String, Cancelled)]) -> Value {
    let mut details = json!({ "jobs": jobs });
    if !outcomes.is_empty() {
        let cancelled: Vec<Value> =
            outcomes.iter().map(|(id, outcome)| json!({ "id": id, "status": outcome.name() })).collect();
        if let Some(fields) = details.as_object_mut() {
            fields.insert("cancelled".to_owned(), cancelled.into());
        }
    }
    details
}

/// A duration in words: `3.2s`, `4m12s`, `2h5m`.
fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms}ms"),
        1_000..60_000 => format!("{}.{}s", ms / 1_000, ms % 1_000 / 100),
        60_000..3_600_000 => format!("{}m{}s", ms / 60_000, ms % 60_000 / 1_000),
        _ => format!("{}h{}m", ms / 3_600_000, ms % 3_600_000 / 60_000),
    }
}

#[cfg(test)]
mod tests {
    use relay_agent::jobs::Kind;

    use super::*;

    fn job(id: &str, status: Status, result: Option<&str>, error: Option<&str>) -> Snapshot {
        Snapshot {
            id: id.to_owned(),
            kind: Kind::Bash,
            status,
            label: format!("make {id}"),
            duration_ms: 72_500,
            result_text: result.map(str::to_owned),
            error_text: error.map(str::to_owned),
            metadata: None,
        }
    }

    #[test]
    fn the_three_sections() {
        let jobs = [
            job("bg_1", Status::Completed, Some("built\n"), None),
            job("bg_2", Status::Running, None, None),
            job("bg_3", Status::Failed, None, Some("exit 2")),
        ];
        let outcomes = [("bg_9".to_owned(), Cancelled::NotFound), ("bg_8".to_owned(), Cancelled::Cancelled)];
        assert_eq!(
            text(&jobs, &outcomes),
            "## Cancelled (2)\n\n- Background job not found: bg_9\n- Cancelled background job bg_8.\n\n\
             ## Completed (2)\n\n### bg_1 [bash] — completed\nLabel: make bg_1\n```\nbuilt\n```\n\n\
             ### bg_3 [bash] — failed\nLabel: make bg_3\nError: exit 2\n\n\
             ## Still Running (1)\n\n- `bg_2` [bash] — make bg_2 (up 1m12s)"
        );
        let details = details(&jobs, &outcomes);
        assert_eq!(details["cancelled"][0], json!({ "id": "bg_9", "status": "not_found" }));
        assert_eq!(
            details["jobs"][0],
            json!({ "id": "bg_1", "type": "bash", "status": "completed", "label": "make bg_1",
                "durationMs": 72_500, "resultText": "built\n" })
        );
        assert_eq!(text(&[], &[]), "No background jobs.");
    }

    #[test]
    fn durations_are_short() {
        let all = [7, 1_290, 61_000, 3_600_000 * 2 + 60_000 * 5].map(duration);
        assert_eq!(all, ["7ms", "1.2s", "1m1s", "2h5m"]);
    }
}
