//! Running checks: `preCommand` before anything is read, the others on the changed files.

use relay_diagnostics::Diagnostic;
use relay_txn::Pending;

use crate::approval::Observer;
use crate::checks::baseline;
use crate::checks::check::{Check, CheckContext, Gate, MustSucceed};
use crate::checks::lint::Errors;
use crate::effects::capture::Watch;
use crate::engine::Engine;
use crate::outcome::Outcome;
use crate::outcome::stop::Stop;

/// Runs `preCommand`. Its effects stay, whatever happens later: it prepares the project, it is not part of the change.
pub(crate) fn pre_command(
    engine: &Engine,
    observer: &mut dyn Observer,
    outcome: &mut Outcome,
) -> Result<(), Stop> {
    let command = engine.config().pre_command.as_str();
    if command.is_empty() {
        return Ok(());
    }
    let check = MustSucceed { key: "preCommand", command };
    match run_one(engine, &check, observer, outcome).0 {
        Gate::Pass | Gate::Ask(_) | Gate::Compare => Ok(()),
        Gate::Fail(reason) => Err(Stop::refused(reason)),
        Gate::Interrupted => Err(Stop::interrupted()),
    }
}

/// Runs the checks in order, until one vetoes. What they do to the workspace, also the one that vetoes, becomes part of
/// the transaction. Returns what needs a person.
pub(crate) fn run_all(
    engine: &Engine,
    pending: &mut Pending,
    checks: &[Box<dyn Check + '_>],
    observer: &mut dyn Observer,
    outcome: &mut Outcome,
) -> Result<Vec<Diagnostic>, Stop> {
    let mut questions = Vec::new();
    let mut watch = None;
    for check in checks {
        let watch = match &mut watch {
            Some(watch) => watch,
            none => none.insert(Watch::start(engine, pending)?),
        };
        let running = watch.journal(engine, check.line(), pending, outcome)?;
        let (gate, errors) = run_one(engine, check.as_ref(), observer, outcome);
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

fn run_one(
    engine: &Engine,
    check: &dyn Check,
    observer: &mut dyn Observer,
    outcome: &mut Outcome,
) -> (Gate, Option<Errors>) {
    let changes = std::mem::take(&mut outcome.changes);
    let mut context = CheckContext {
        changes: &changes,
        root: engine.workspace().root(),
        timeout: std::time::Duration::from_millis(engine.config().command_timeout_ms),
        cancel: engine.cancel(),
        observer,
    };
    let checked = check.run(&mut context);
    outcome.changes = changes;
    outcome.checks.push(checked.record);
    outcome.diagnostics.extend(checked.notes);
    (checked.gate, checked.errors)
}
