//! Running checks: `preCommand` before anything is read, the others on the changed files.

use relay_diagnostics::Diagnostic;
use relay_txn::Pending;

use crate::checks::baseline;
use crate::checks::check::{Check, CheckContext, Gate, MustSucceed};
use crate::checks::lint::Errors;
use crate::effects::capture::Watch;
use crate::land::landing::Landing;
use crate::outcome::stop::Stop;

/// Runs `preCommand`. Its effects stay, whatever happens later: it prepares the project, it is not part of the change.
pub(crate) fn pre_command(landing: &mut Landing<'_>) -> Result<(), Stop> {
    let command = landing.engine.config().pre_command.as_str();
    if command.is_empty() {
        return Ok(());
    }
    let check = MustSucceed { key: "preCommand", command };
    match run_one(landing, &check).0 {
        Gate::Pass | Gate::Ask(_) | Gate::Compare => Ok(()),
        Gate::Fail(reason) => Err(Stop::refused(reason)),
        Gate::Interrupted => Err(Stop::interrupted()),
    }
}

/// Runs the checks in order, until one vetoes. Their changes to the workspace, including those of a check that vetoes,
/// become part of the transaction. Returns what needs a person.
pub(crate) fn run_all(
    landing: &mut Landing<'_>,
    pending: &mut Pending,
    checks: &[Box<dyn Check + '_>],
) -> Result<Vec<Diagnostic>, Stop> {
    let engine = landing.engine;
    let mut questions = Vec::new();
    let mut watch = None;
    for check in checks {
        let watch = match &mut watch {
            Some(watch) => watch,
            none => none.insert(Watch::start(engine, pending)?),
        };
        let running = watch.journal(engine, check.line(), pending, &landing.outcome)?;
        let (gate, errors) = run_one(landing, check.as_ref());
        let outcome = &mut landing.outcome;
        let name = outcome.checks.last().map(|record| record.name.clone()).unwrap_or_default();
        let taken_up = watch.take_up(engine, pending, (&name, running), outcome);
        if let Err(stop) = taken_up {
            let veto = if let Gate::Fail(reason) = gate { vec![reason] } else { Vec::new() };
            return Err(stop.and(veto));
        }
        if let Some(errors) = &errors {
            baseline::remember(engine, watch.scan(), errors);
        }
        match gate {
            Gate::Pass => {}
            Gate::Ask(question) => questions.push(question),
            Gate::Compare => return Err(Stop::Compare(Vec::new())),
            Gate::Fail(reason) => return Err(Stop::RolledBack(vec![reason])),
            Gate::Interrupted => return Err(Stop::interrupted()),
        }
    }
    if engine.cancel().is_cancelled() { Err(Stop::interrupted()) } else { Ok(questions) }
}

fn run_one(landing: &mut Landing<'_>, check: &dyn Check) -> (Gate, Option<Errors>) {
    let Landing { engine, observer, outcome, .. } = landing;
    let changes = std::mem::take(&mut outcome.changes);
    let checked = check.run(&mut CheckContext::new(engine, &changes, *observer));
    outcome.changes = changes;
    outcome.checks.push(checked.record);
    outcome.diagnostics.extend(checked.notes);
    (checked.gate, checked.errors)
}
