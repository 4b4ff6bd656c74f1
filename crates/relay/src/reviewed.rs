//! A review as a check of the pipeline: another agent reviews a change before Relay asks the user about it.

use std::time::Instant;

use relay_backends::backend::Link;
use relay_backends::configured::Wanted;
use relay_backends::review::{BeforeLanding, Judgement};
use relay_diagnostics::{Code, Diagnostic};
use relay_edit::{Change, Dialect, render};
use relay_engine::Engine;
use relay_engine::check::{Check, CheckContext, Checked, Gate};
use relay_llm::Budget;
use relay_txn::{CheckRecord, FileChange};

use crate::failure::Failure;
use crate::{terminal, user};

/// The code for a review that rejects a change, or that Relay cannot understand.
const REVIEW: Code = Code::new("review");

/// Adds the review that the command line or the user's settings ask for. A reviewer that cannot be called is reported
/// now, not once the change is in the files.
pub fn add(engine: &mut Engine, flag: Option<&str>, offline: bool) -> Result<(), Failure> {
    // Most people have no such setting, and `relay apply` must stay quick for them.
    if flag.is_none() && !relay_settings::exists(engine.store()) {
        return Ok(());
    }
    let settings = user::settings(engine.store())?;
    let sources = user::sources(engine.store(), &settings);
    let wanted = Wanted { offline, ..Wanted::default() };
    let Some(reviewer) = BeforeLanding::chosen(flag, &sources, wanted)? else { return Ok(()) };
    reviewer.check(engine.workspace().root())?;
    engine.add_check(Box::new(Reviewer(reviewer)));
    Ok(())
}

struct Reviewer(BeforeLanding);

impl Check for Reviewer {
    fn run(&self, context: &mut CheckContext<'_>) -> Checked {
        let started = Instant::now();
        context.observer.command_started("review", self.0.name());
        let (gate, status, said) = self.gate(self.judge(context));
        let record = CheckRecord {
            name: "review".to_owned(),
            command: self.0.name().to_owned(),
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
    fn judge(&self, context: &mut CheckContext<'_>) -> Judgement {
        let changes: Vec<Change> = context.changes.iter().map(change).collect();
        let diff = match render(&changes, Dialect::Unified) {
            Ok(diff) => diff,
            Err(error) => {
                let reason = format!("the change cannot be shown: {error}");
                return Judgement::Doubt { reason, said: String::new() };
            }
        };
        let observer = &mut *context.observer;
        let mut on_text = |piece: &str| observer.command_output(piece.as_bytes());
        // Each change has its own budget: `relay watch` may go on for days.
        let budget = Budget::new(self.0.terms().limit);
        let mut link = Link {
            cancel: context.cancel,
            budget: &budget,
            is_final: false,
            on_text: &mut on_text,
            on_note: &mut |text| terminal::note(text),
        };
        self.0.judge(context.root, &diff, &user::depth(), &mut link)
    }

    /// The consequence of the review, its name, and what the reviewer said.
    fn gate(&self, judgement: Judgement) -> (Gate, &'static str, String) {
        let (reason, said) = match judgement {
            Judgement::Pass(said) => return (Gate::Pass, "passed", said),
            Judgement::Interrupted => return (Gate::Interrupted, "interrupted", String::new()),
            Judgement::Doubt { reason, said } => (reason, said),
        };
        let message = format!("the review by {}: {reason}", self.0.name());
        let hint = "Approve the change anyway, or answer no to roll it back.";
        (Gate::Ask(Diagnostic::error(REVIEW, message).hinted(hint)), "failed", said)
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
