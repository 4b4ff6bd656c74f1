//! Landing a change from a tool: questions are answered by policy and the person, outcomes are worded for a model.

use relay_diagnostics::{Cancel, Diagnostic, Severity};
use relay_engine::config::ConfiguredCommand;
use relay_engine::{Approver, Decision, Outcome, Proposal, Status};
use relay_workspace::{RelPath, Sensitive};

use super::{Form, Question, Services, UiAnswer};
use crate::policy::Level;

/// Answers the engine's questions for an agent. Policy has decided about the call already; what only the engine can
/// see (a file that other programs execute, content that seems to be a part of a file) is a question for the person.
pub struct Landing<'a> {
    level: Level,
    services: &'a Services,
    cancel: Cancel,
}

impl<'a> Landing<'a> {
    /// Answers for a call.
    #[must_use]
    pub fn new(level: Level, services: &'a Services) -> Self {
        Self { level, services, cancel: services.engine.cancel().clone() }
    }

    /// What a model reads about an outcome.
    #[must_use]
    pub fn report(outcome: &Outcome) -> String {
        let mut lines = Vec::new();
        for file in &outcome.files {
            let (added, removed) = (file.added, file.removed);
            lines.push(format!("{} {} (+{added} -{removed})", file.operation.name(), file.path));
        }
        let is_bad = is_failure(outcome.status);
        for diagnostic in &outcome.diagnostics {
            if is_bad || diagnostic.severity == Severity::Warning {
                lines.push(worded(diagnostic));
            }
        }
        let head = match outcome.status {
            Status::Committed => "Landed.",
            Status::Unchanged | Status::AlreadyProcessed => {
                "Nothing changed: the files already have this content."
            }
            Status::Partial => "Landed in part; what did not land is listed.",
            Status::Interrupted => "Interrupted; no file was changed.",
            _ => "Refused; no file was changed.",
        };
        std::iter::once(head.to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
    }

    fn confirm(&self, message: String) -> Decision {
        if self.level == Level::Full {
            return Decision::Yes;
        }
        let question = Question {
            title: "Approval".to_owned(),
            message,
            form: Form::Confirm,
            timeout_ms: None,
            details: None,
        };
        match self.services.ui.ask(&question, &self.cancel) {
            UiAnswer::Confirmed(true) => Decision::Yes,
            UiAnswer::Unattended => Decision::NobodyThere,
            _ if self.cancel.is_cancelled() => Decision::Interrupted,
            _ => Decision::No,
        }
    }
}

/// Whether nothing, or not everything, landed.
#[must_use]
pub fn is_failure(status: Status) -> bool {
    !matches!(
        status,
        Status::Committed
            | Status::Unchanged
            | Status::AlreadyProcessed
            | Status::Validated
            | Status::Explained
    )
}

fn worded(diagnostic: &Diagnostic) -> String {
    match &diagnostic.hint {
        Some(hint) => format!("{}\n  {hint}", diagnostic.message),
        None => diagnostic.message.clone(),
    }
}

impl Approver for Landing<'_> {
    fn can_approve(&self) -> bool {
        true
    }

    fn approved_by(&self) -> &str {
        "policy"
    }

    fn approve(&mut self, proposal: &Proposal<'_>) -> Decision {
        self.confirm(proposal.reason.message.clone())
    }

    fn trust(&mut self, _: &[ConfiguredCommand<'_>], _: bool) -> Decision {
        Decision::No
    }

    fn allow_sensitive(&mut self, paths: &[(RelPath, Sensitive)]) -> Decision {
        let names: Vec<String> = paths.iter().map(|(path, _)| path.to_string()).collect();
        self.confirm(format!("change {}: other programs execute what is in it", names.join(", ")))
    }

    fn whole_files(&mut self, _: &[Diagnostic]) -> Decision {
        // The model is asked to send the whole file or an edit; a person is not asked to vouch for it.
        Decision::NobodyThere
    }
}
