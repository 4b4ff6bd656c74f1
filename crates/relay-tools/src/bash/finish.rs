//! What a model reads about a command that has ended.

use relay_agent::tool::{Landing, Output, is_failure};
use relay_diagnostics::Severity;
use relay_engine::Outcome;
use relay_exec::{End, Ran};
use serde_json::json;

use super::prepare::Prepared;
use crate::sink::Taken;

/// For a command of which not even the end is known.
pub const NOT_STARTED: &str = "Command failed: missing exit status";
/// More warnings than this are not listed.
const MAX_WARNINGS: usize = 10;

/// Everything that is known about a command at its end.
pub struct Finish<'a> {
    pub prepared: &'a Prepared,
    pub ran: Ran,
    /// What it changed that was put back.
    pub restored: Vec<String>,
    pub outcome: Outcome,
    pub taken: Taken,
    /// The filter and what it made of the output.
    pub shortened: Option<(String, String)>,
}

impl Finish<'_> {
    /// The result of the call.
    pub fn output(self) -> Output {
        let mut text = self.shown();
        for notice in self.notices() {
            line(&mut text, &notice);
        }
        let mut is_error = false;
        if is_failure(self.outcome.status) {
            is_error = true;
            line(&mut text, &Landing::report(&self.outcome));
        }
        if let Some(failed) = self.failed() {
            is_error = true;
            line(&mut text, &failed);
        }
        let changed: Vec<&str> = self.outcome.changes.iter().map(|change| change.path.as_str()).collect();
        let code = match self.ran.end {
            End::Exited(code) => Some(code),
            _ => None,
        };
        let details = json!({
            "status": self.outcome.status.name(),
            "changed": changed,
            "exitCode": code,
            "timedOut": matches!(self.ran.end, End::TimedOut),
            "cancelled": matches!(self.ran.end, End::Cancelled),
            "durationMs": u64::try_from(self.ran.duration.as_millis()).unwrap_or(u64::MAX),
            "totalBytes": self.taken.total_bytes,
            "totalLines": self.taken.total_lines,
            "truncated": self.taken.is_cut,
            "artifact": self.taken.artifact,
            "minimized": self.shortened.as_ref().map(|(filter, text)| json!({ "filter": filter, "bytes": text.len() })),
        });
        let transactions = self.outcome.uuid.filter(|_| !changed.is_empty()).into_iter().collect();
        Output { is_error, transactions, ..Output::text(text).with_details(details) }
    }

    /// The output, shortened or cut as it had to be.
    fn shown(&self) -> String {
        let artifact = self.taken.artifact;
        let is_short = |text: &str| text.len() <= 50 << 10;
        if let Some((_, short)) = self.shortened.as_ref().filter(|(_, short)| is_short(short))
            && let Some(id) = artifact
        {
            return format!("{}\n[raw output: artifact://{id}]", short.trim_end());
        }
        let mut text = self.taken.text.trim_end().to_owned();
        if text.is_empty() {
            text = "(no output)".to_owned();
        }
        if self.taken.is_cut {
            let (lines, bytes) = (self.taken.total_lines, self.taken.total_bytes);
            let whole = match (artifact, &self.taken.failure) {
                (Some(id), _) => format!("Full: artifact://{id}"),
                (None, Some(why)) => format!("The whole output could not be kept: {why}"),
                (None, None) => "The whole output was not kept".to_owned(),
            };
            line(&mut text, &format!("[Output cut: {lines} lines, {bytes} bytes. {whole}]"));
        }
        text
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = self.prepared.notices.clone();
        if !self.ran.ended.is_empty() {
            let names = self.ran.ended.join(", ");
            notices
                .push(format!("[Ended with the command: {names}. Use `async` to keep something running.]"));
        }
        notices.extend(self.restored.iter().map(|restored| format!("[{restored}]")));
        if !self.ran.is_kept && matches!(self.ran.end, End::TimedOut | End::Cancelled) {
            notices.push("[The shell was ended with it; the next command starts in a new one.]".to_owned());
        }
        let warnings =
            self.outcome.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Warning);
        if !is_failure(self.outcome.status) {
            notices.extend(warnings.take(MAX_WARNINGS).map(|warning| format!("[{}]", warning.message)));
        }
        notices
    }

    fn failed(&self) -> Option<String> {
        match &self.ran.end {
            End::Exited(0) => None,
            End::Exited(code) => Some(format!("Command exited with code {code}")),
            End::Signalled(_) => Some(NOT_STARTED.to_owned()),
            End::TimedOut => {
                Some(format!("Command timed out after {} seconds", self.prepared.seconds.unwrap_or_default()))
            }
            End::Cancelled => Some("Command cancelled".to_owned()),
            End::NotStarted(error) => Some(format!("Command could not be started: {error}")),
        }
    }
}

fn line(text: &mut String, more: &str) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(more);
}
