//! Translation: the edits of a reply, or a transaction of the ledger, in another dialect with the same resulting bytes.

use relay_diagnostics::{Code, Diagnostic};
use relay_edit::{Change, Content, Dialect, parse, render, text_of};
use relay_txn::{ChangeRecord, Record, Stored, is_link};

use crate::codes;
use crate::engine::Engine;
use crate::intake::submission::{LandOptions, Submission};
use crate::outcome::stop::{Stop, transaction_failed};
use crate::plan::contain::contain;
use crate::plan::planning::{Basis, is_executable, try_plan};

/// The edits of a reply, as they would land on the files as they are now.
///
/// # Errors
/// The reply would not land, or the dialect cannot express what it does; each reason.
pub fn reply(engine: &Engine, submission: &Submission, to: Dialect) -> Result<String, Vec<Diagnostic>> {
    let reply = parse(&submission.text, submission.dialect);
    let errors: Vec<Diagnostic> = reply.diagnostics.into_iter().filter(Diagnostic::is_error).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let (contained, refused) = contain(engine.workspace(), reply.edits).map_err(reasons)?;
    if !refused.is_empty() {
        return Err(refused.into_iter().map(|refused| refused.why).collect());
    }
    let basis = Basis::new(engine, &LandOptions::default(), None).seeing(engine, &contained.edits);
    let plan = try_plan(engine.workspace(), &contained, &basis);
    let errors: Vec<Diagnostic> = plan.diagnostics.into_iter().filter(Diagnostic::is_error).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    if plan.changes.is_empty() {
        return Err(vec![
            Diagnostic::error(
                codes::NO_EDITS,
                "the reply changes nothing here, so there is nothing to translate",
            )
            .hinted("Translate it in a checkout where the files are as the model saw them."),
        ]);
    }
    let whole = |change: Change<Content>| {
        let Change { path, before, after, renamed_from, executable } = change;
        let after = after.map(|after| after.into_bytes(before.as_deref().unwrap_or_default()));
        Change { path, before, after, renamed_from, executable }
    };
    written(&plan.changes.into_iter().map(whole).collect::<Vec<_>>(), to)
}

/// A transaction of the ledger.
///
/// # Errors
/// Its contents are missing, or the dialect cannot express what it does.
pub fn entry(engine: &Engine, listed: &Record, to: Dialect) -> Result<String, Vec<Diagnostic>> {
    let record = &engine.with_contents(listed).map_err(|error| vec![transaction_failed(&error)])?;
    let content = |stored: &Option<Stored>| {
        let loaded = stored.as_ref().map(|stored| engine.ledger().content(stored)).transpose();
        loaded.map_err(|error| vec![transaction_failed(&error)])
    };
    let mut changes = Vec::with_capacity(record.changes.len());
    for change in &record.changes {
        if [&change.before, &change.after].into_iter().flatten().any(|stored| is_link(stored.mode)) {
            return Err(vec![unsayable(&change.path, "a link")]);
        }
        changes.push(Change {
            path: change.path.clone(),
            before: content(&change.before)?,
            after: content(&change.after)?,
            renamed_from: change.renamed_from.clone(),
            executable: executable(record, change),
        });
    }
    match changes.iter().find(|change| change.after.as_ref().is_some_and(|after| text_of(after).contains(&0)))
    {
        Some(change) => Err(vec![unsayable(&change.path, "bytes that are not text")]),
        None => written(&changes, to),
    }
}

/// No dialect can express what is at this path.
fn unsayable(path: &str, what: &str) -> Diagnostic {
    Diagnostic::error(CANNOT_SAY, format!("no dialect can express the change to `{path}`: it is {what}"))
        .hinted("`relay show` shows the transaction; copy this file separately.")
        .on(path)
}

/// What a change says about whether its file can be run, if it says anything.
fn executable(record: &Record, change: &ChangeRecord) -> Option<bool> {
    let origin = change.renamed_from.as_deref().unwrap_or(&change.path);
    let before = record.changes.iter().find(|other| other.path == origin)?.before.as_ref();
    let can_run = |stored: &Stored| is_executable(stored.mode);
    let after = change.after.as_ref().map(can_run)?;
    (before.is_some_and(can_run) != after).then_some(after)
}

fn written(changes: &[Change], to: Dialect) -> Result<String, Vec<Diagnostic>> {
    render(changes, to).map_err(|error| {
        vec![Diagnostic::error(CANNOT_SAY, error.to_string()).hinted(format!(
            "`{}` cannot express that; try another dialect, such as fenced or unified.",
            to.name()
        ))]
    })
}

/// A dialect cannot express a change.
pub const CANNOT_SAY: Code = Code::new("cannot-say");

fn reasons(stop: Stop) -> Vec<Diagnostic> {
    let mut reasons = Vec::new();
    stop.settle(&mut reasons);
    reasons
}
