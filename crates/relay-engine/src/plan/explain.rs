//! Explains every block of a reply without landing any of it.

use relay_diagnostics::Diagnostic;
use relay_edit::parse;

use crate::context::views;
use crate::engine::Engine;
use crate::intake::address;
use crate::intake::submission::{LandOptions, Submission};
use crate::outcome::{Outcome, Status};
use crate::plan::accounting;
use crate::plan::contain::contain;
use crate::plan::planning::{Basis, plan_on_disk};

/// Lists the blocks of a reply with their classes. Nothing is asked, run or written.
pub fn explain(engine: &Engine, submission: &Submission, options: &LandOptions) -> Outcome {
    let mut outcome = Outcome::rejected(engine.warnings().to_vec());
    match account(engine, submission, options, &mut outcome) {
        Ok(()) => outcome.settle(Status::Explained),
        Err(finding) => {
            outcome.diagnostics.push(finding);
            outcome.settle(Status::Rejected);
        }
    }
    outcome
}

fn account(
    engine: &Engine,
    submission: &Submission,
    options: &LandOptions,
    outcome: &mut Outcome,
) -> Result<(), Diagnostic> {
    let workspace = engine.workspace();
    let mut reply = parse(&submission.text, submission.dialect);
    accounting::ignore(&mut reply, &options.ignore)?;
    address::resolve(workspace, submission.dialect, &mut reply);
    outcome.diagnostics.append(&mut reply.diagnostics);
    // A path that may not be touched is a finding; the table is about all blocks.
    let all = reply.edits.clone();
    let contained = contain(workspace, std::mem::take(&mut reply.edits));
    let (contained, refused) = contained.unwrap_or_default();
    outcome.diagnostics.extend(refused.into_iter().map(|refused| refused.why));
    let basis = Basis::default().with_views(views::of(engine, &contained.edits));
    let planned = plan_on_disk(workspace, &contained, &basis, outcome);
    let blocks = accounting::blocks(workspace, &reply, &all, planned.as_ref().ok());
    if let Err(stop) = planned {
        stop.settle(&mut outcome.diagnostics);
    }
    outcome.files.clear();
    outcome.blocks = blocks;
    Ok(())
}
