//! Landing what a finding of the last review suggests, like any reply.

use relay_backends::review::Finding;
use relay_diagnostics::{Code, Diagnostic};
use relay_engine::{Engine, LandOptions, Submission, land};
use relay_store::Shelf;

use crate::cli::ReviewArgs;
use crate::commands::apply::finish;
use crate::failure::Failure;
use crate::terminal::{ask::Person, progress::Progress};

/// The finding does not exist, or has no fix.
const NO_FIX: Code = Code::new("no-fix");

/// Where the findings of the last review are stored.
const LAST: &str = "last";

/// Stores the findings, so that their fixes can be landed later.
pub fn remember(engine: &Engine, findings: &[Finding]) -> Result<(), Failure> {
    let text = serde_json::to_string(findings).map_err(|error| Failure::environment(&error))?;
    let root = engine.workspace().root();
    engine.store().put(Shelf::Reviews, root, LAST, vec![text]).map_err(|error| Failure::environment(&error))
}

/// Lands the fix that finding `number` of the last review suggests.
pub fn land_fix(engine: &Engine, number: usize, args: &ReviewArgs) -> Result<u8, Failure> {
    let root = engine.workspace().root();
    let kept =
        engine.store().look_up(Shelf::Reviews, root, LAST).map_err(|error| Failure::environment(&error))?;
    let no_fix = |message: String| {
        Failure::general(Diagnostic::error(NO_FIX, message).hinted("`relay review` starts a new review."))
    };
    let Some(text) = kept.first() else {
        return Err(no_fix("no review to take a fix from".to_owned()));
    };
    let findings: Vec<Finding> = serde_json::from_str(text).map_err(|error| Failure::environment(&error))?;
    let finding = number.checked_sub(1).and_then(|index| findings.get(index)).ok_or_else(|| {
        no_fix(format!("the last review has no finding {number}; it has {}", findings.len()))
    })?;
    let fix = finding.fix.clone().ok_or_else(|| no_fix(format!("finding {number} suggests no fix")))?;
    let submission = Submission { channel: "review", text: fix, dialect: None };
    let options = LandOptions { model: finding.by.first().cloned(), ..LandOptions::default() };
    let mut person = Person::new(engine.cancel().clone(), args.call.yes, false);
    let outcome = land(engine, &submission, &options, &mut person, &mut Progress::default());
    Ok(finish(&outcome, args.json))
}
