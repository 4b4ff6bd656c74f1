//! A review as a check: another agent looks at a change before the user is asked about it.

use std::time::Instant;

use relay_backends::ask::{AskError, check_target};
use relay_backends::backend::{BackendError, Backends, Link};
use relay_backends::configured::{self, Wanted};
use relay_backends::review::{Diff, Review, Verdict, review};
use relay_diagnostics::{Code, Diagnostic};
use relay_edit::{Change, Dialect, render};
use relay_engine::Engine;
use relay_engine::check::{Check, CheckContext, Checked, Gate};
use relay_llm::Budget;
use relay_settings::Settings;
use relay_txn::{CheckRecord, FileChange};

use crate::agents;
use crate::asking::failure;
use crate::failure::Failure;
use crate::terminal;

/// A review says that a change should not land as it is, or says nothing that can be understood.
const REVIEW: Code = Code::new("review");

/// What turns a review off that the settings ask for.
const NONE: &str = "none";

/// Adds the review that the command line or the user's settings ask for. A reviewer that cannot be called is a fault
/// now, not when the change is in the files.
pub fn add(engine: &mut Engine, flag: Option<&str>, offline: bool) -> Result<(), Failure> {
    // Most people have no such setting, and `relay apply` must stay quick for them.
    if flag == Some(NONE) || (flag.is_none() && !agents::has_settings(engine.store())) {
        return Ok(());
    }
    let settings = agents::settings(engine.store())?;
    let Some(name) = flag.map(str::to_owned).or_else(|| settings.text("review")) else { return Ok(()) };
    let backends = agents::backends_for(
        engine.store(),
        &settings,
        std::slice::from_ref(&name),
        Wanted { offline, ..Wanted::default() },
    )?;
    let timeout = configured::timeout(&settings);
    check_target(
        &name,
        engine.workspace().root(),
        configured::sandbox(&settings),
        timeout,
        &settings.limit(),
        &backends,
    )
    .map_err(|error| failure(&error))?;
    engine.add_check(Box::new(Reviewer { name, backends, settings }));
    Ok(())
}

struct Reviewer {
    name: String,
    backends: Backends,
    settings: Settings,
}

impl Check for Reviewer {
    fn run(&self, context: &mut CheckContext<'_>) -> Checked {
        let started = Instant::now();
        context.observer.command_started("review", &self.name);
        let (gate, status, said) = self.judge(context);
        let record = CheckRecord {
            name: "review".to_owned(),
            command: self.name.clone(),
            status: status.to_owned(),
            exit_code: None,
            errors: None,
            new_errors: None,
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            output_tail: said,
        };
        context.observer.command_finished(&record);
        Checked { record, gate, errors: None, notes: Vec::new() }
    }
}

impl Reviewer {
    /// What follows from the review, the word for it, and what it found.
    fn judge(&self, context: &mut CheckContext<'_>) -> (Gate, &'static str, String) {
        let changes: Vec<Change> = context.changes.iter().map(change).collect();
        let diff = match render(&changes, Dialect::Unified) {
            Ok(diff) => diff,
            Err(error) => {
                return (self.ask(format!("the change cannot be shown: {error}")), "failed", String::new());
            }
        };
        let model = configured::model(&self.settings, &self.name);
        let wanted = Review {
            backend: &self.name,
            repo: context.root,
            diff: Diff::Text(&diff),
            scope: None,
            prompt: None,
            model: model.as_deref(),
            timeout: configured::timeout(&self.settings),
            sandbox: configured::sandbox(&self.settings),
        };
        let observer = &mut *context.observer;
        let mut on_text = |piece: &str| observer.command_output(piece.as_bytes());
        // Each change has its own budget: `relay watch` may go on for days.
        let budget = Budget::new(self.settings.limit());
        let mut link = Link {
            cancel: context.cancel,
            budget: &budget,
            is_final: false,
            on_text: &mut on_text,
            on_note: &mut |text| terminal::note(text),
        };
        let reviewed = match review(&wanted, &self.backends, &agents::depth(), &mut link) {
            Ok(reviewed) => reviewed,
            Err(AskError::Backend(BackendError::Cancelled { .. })) => {
                return (Gate::Interrupted, "interrupted", String::new());
            }
            Err(error) => return (self.ask(error.to_string()), "failed", String::new()),
        };
        let findings = &reviewed.reading.findings;
        let said: Vec<String> = findings
            .iter()
            .map(|found| {
                format!("{}:{} {}: {}", found.file, found.line, found.severity.name(), found.message)
            })
            .collect();
        let said = said.join("\n");
        match Verdict::of(findings, reviewed.reading.was_understood) {
            Verdict::Ship => (Gate::Pass, "passed", said),
            Verdict::Iterate => (self.ask(format!("it says iterate:\n{said}")), "failed", said),
            Verdict::Abstain => {
                (self.ask("its answer cannot be understood".to_owned()), "failed", reviewed.text)
            }
        }
    }

    fn ask(&self, what: String) -> Gate {
        let message = format!("the review by {}: {what}", self.name);
        Gate::Ask(
            Diagnostic::error(REVIEW, message)
                .hinted("Approve the change anyway, or answer no to roll it back."),
        )
    }
}

fn change(change: &FileChange) -> Change {
    Change {
        path: change.path.to_string(),
        before: change.before.as_ref().map(|image| image.bytes.to_vec()),
        after: change.after.as_ref().map(|target| target.bytes.to_vec()),
        renamed_from: change.renamed_from.as_ref().map(ToString::to_string),
        executable: None,
    }
}
