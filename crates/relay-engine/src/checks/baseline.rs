//! The linter's errors from before a change: only new ones count against it.
//!
//! Most replies need no baseline, because the linter finds too few errors to matter. If it finds more, Relay rolls the
//! change back, runs the linter on the files as they were, and makes the change again to compare. The linter's result
//! for a state of the files is cached, so this costs nothing until something else changes them.

use relay_exec::End;
use relay_store::Shelf;
use relay_txn::capture::{Command, Scan};
use relay_txn::{Draft, Header};
use uuid::Uuid;

use crate::checks::check::{CheckContext, record, run_command};
use crate::checks::lint::{Errors, read_errors};
use crate::effects::adopt::{Ran, record_effects};
use crate::engine::Engine;
use crate::land::landing::Landing;
use crate::outcome::stop::Stop;
use crate::outcome::{Outcome, Status};

/// The author of changes that happen while the linter runs on the original files.
const BY: &str = "linter";

/// Whether errors from before a change are subtracted.
pub(crate) fn is_wanted(engine: &Engine) -> bool {
    engine.config().linter_baseline && !engine.config().linter.is_empty()
}

/// Makes an attempt, and repeats it with the errors from before if it turns out to need them.
pub(crate) fn compared(
    landing: &mut Landing<'_>,
    mut attempt: impl FnMut(&mut Landing<'_>, Option<&Errors>) -> Result<Status, Stop>,
) -> Result<Status, Stop> {
    let (said, checked) = (landing.outcome.diagnostics.len(), landing.outcome.checks.len());
    let known = known(landing.engine);
    match attempt(landing, known.as_ref()) {
        Err(Stop::Compare(remarks)) => {
            let outcome = &mut landing.outcome;
            outcome.diagnostics.truncate(said);
            outcome.diagnostics.extend(remarks);
            outcome.checks.truncate(checked);
            (outcome.incomplete, outcome.changes) = (false, Vec::new());
            let measured = measure(landing)?;
            attempt(landing, Some(&measured))
        }
        ended => ended,
    }
}

/// The cached linter result for the current files, if any.
fn known(engine: &Engine) -> Option<Errors> {
    let root = engine.workspace().root();
    let has_any = || engine.store().look_through(Shelf::Lint, root).is_ok_and(|entries| !entries.is_empty());
    if !is_wanted(engine) || !has_any() {
        return None;
    }
    // If the workspace cannot be scanned, the checks will report it.
    engine.ledger().scan(engine.workspace(), None).ok().and_then(|scan| known_of(engine, &scan))
}

/// The cached linter result for the files of a scan, if any.
pub(crate) fn known_of(engine: &Engine, scan: &Scan) -> Option<Errors> {
    if !is_wanted(engine) {
        return None;
    }
    let texts = engine.store().look_up(Shelf::Lint, engine.workspace().root(), &name(engine, scan)).ok()?;
    Errors::from_texts(&texts)
}

/// Caches the linter's result for the files of a scan. If that fails, it just runs again.
pub(crate) fn remember(engine: &Engine, scan: &Scan, errors: &Errors) {
    if is_wanted(engine) {
        let root = engine.workspace().root();
        drop(engine.store().put(Shelf::Lint, root, &name(engine, scan), errors.to_texts()));
    }
}

/// A key made from the command and the state of the files.
fn name(engine: &Engine, scan: &Scan) -> String {
    let both = format!("{}\n{}", scan.fingerprint(), engine.config().linter);
    blake3::hash(both.as_bytes()).to_hex().chars().take(32).collect()
}

/// Runs the linter on the current files. Its changes stay and go on the ledger, because another program may have made
/// them.
fn measure(landing: &mut Landing<'_>) -> Result<Errors, Stop> {
    let Landing { engine, observer, outcome, .. } = landing;
    let linter = engine.config().linter.as_str();
    let scan = engine.ledger().scan(engine.workspace(), None)?;
    if let Some(known) = known_of(engine, &scan) {
        return Ok(known);
    }
    let running = engine.journal(&scan, Command::new(BY, linter))?;
    let mut context = CheckContext::new(engine, &[], *observer);
    let run = run_command("linter, before the change:", linter, &mut context);
    observer.command_finished(&record("linter", linter, &run, None));
    let header = Header { prompt_summary: None, ..engine.header(BY, linter) };
    let draft = Draft { uuid: Uuid::new_v4(), header, ..Draft::default() };
    let ran = Ran { draft, by: BY, running, allow_sensitive: true, questions: Vec::new() };
    let mut recorded = Outcome::rejected(Vec::new());
    record_effects(engine, &scan, ran, &mut recorded)?;
    outcome.diagnostics.append(&mut recorded.diagnostics);
    match run.end {
        End::Cancelled => Err(Stop::interrupted()),
        End::Exited(code) if !run.could_not_start() => {
            let errors = read_errors(&run.output.text(), code);
            if recorded.changes.is_empty() {
                remember(engine, &scan, &errors);
            }
            Ok(errors)
        }
        _ => Ok(Errors::default()),
    }
}
