//! The pipeline: one submission in, one outcome out. Read this file and you have seen the whole flow.
//!
//! ```text
//! parse ─▶ admit ─▶ contain ─▶ trust ─▶ preCommand ─▶ plan ─▶ transaction ─▶ checks ─▶ approval ─▶ commit | rollback
//! ```

use relay_txn::{Draft, FileChange};

use crate::approval::{Approver, Observer, foresee};
use crate::checks::lint::Errors;
use crate::checks::{self, baseline, gate};
use crate::context::{receipt, selection};
use crate::engine::Engine;
use crate::intake::prepared::Prepared;
use crate::intake::ready::Ready;
use crate::intake::submission::{LandOptions, Submission};
use crate::land::drafting::draft;
use crate::land::landing::Landing;
use crate::land::replan;
use crate::land::transact::{Terms, rehearse, unaddressed};
use crate::outcome::stop::Stop;
use crate::outcome::{Outcome, Status, file_reports};
use crate::plan::contain::{allow_sensitive, contain};
use crate::plan::planning::Basis;
use crate::plan::settled::settled;
use crate::project::git;
use crate::repair;

/// Lands a submission, or leaves everything as it was and says why.
pub fn land(
    engine: &Engine,
    submission: &Submission,
    options: &LandOptions,
    approver: &mut dyn Approver,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut outcome = Landing::new(engine, approver, observer).run(|landing| {
        let ready = Ready::read(landing, submission, options)?;
        land_reply(landing, ready)
    });
    if options.repair && options.partial {
        let basis = Basis::new(engine, options, None);
        repair::ask_for_rest(engine, submission, &basis, &mut outcome);
    }
    outcome
}

/// Lands edits that were read already. Diagnostics about the workspace itself are left to the caller, who may land many
/// and reports them once.
pub fn land_prepared(
    engine: &Engine,
    prepared: &Prepared,
    options: &LandOptions,
    approver: &mut dyn Approver,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut landing = Landing::new(engine, approver, observer);
    landing.outcome.diagnostics.clear();
    landing.run(|landing| {
        let ready = Ready::prepared(engine, prepared, options)?;
        land_reply(landing, ready)
    })
}

/// Checks the paths, asks what has to be asked before anything runs, and lands the rest.
fn land_reply(landing: &mut Landing<'_>, mut ready: Ready<'_>) -> Result<Status, Stop> {
    let (engine, options) = (landing.engine, ready.options);
    landing.outcome.dry_run = options.dry_run;
    landing.outcome.uuid = Some(ready.admitted.uuid);
    landing.say(ready.admitted.warnings.iter().cloned());
    let (contained, refused) = contain(engine.workspace(), std::mem::take(&mut ready.reply.edits))?;
    landing.outcome.files.extend(refused.iter().map(file_reports::of_refused));
    let mut flaws = std::mem::take(&mut ready.reply.diagnostics);
    flaws.extend(refused.into_iter().map(|refused| refused.why));
    if !options.repair || options.partial {
        landing.outcome.lose(std::mem::take(&mut flaws), options.partial)?;
    }
    landing.say(selection::not_there(engine, options, &contained.edits));
    if options.dry_run || !flaws.is_empty() {
        landing.say(foresee::questions(engine, options, &contained));
    } else {
        if !options.allow_sensitive {
            allow_sensitive(&contained, landing.approver)?;
        }
        landing.require_trust(options.trust)?;
        gate::pre_command(landing)?;
    }
    (ready.contained, ready.flaws) = (contained, flaws);
    let landed = replan::until_current(landing, |landing| {
        baseline::compared(landing, |landing, before| plan_and_transact(landing, &ready, before))
    })?;
    if landing.outcome.uuid.is_some() && !options.dry_run {
        repair::landed(engine, ready.admitted.uuid);
    }
    Ok(landed)
}

/// Works out the changes on the files as they are now, and carries them out.
fn plan_and_transact(
    landing: &mut Landing<'_>,
    ready: &Ready<'_>,
    before: Option<&Errors>,
) -> Result<Status, Stop> {
    let Ready { options, admitted, .. } = ready;
    let engine = landing.engine;
    let planned = settled(landing, ready)?;
    let whole = !landing.outcome.incomplete && !landing.outcome.has_put_off();
    if planned.changes.is_empty() {
        // The reply's own uuid counts as processed; one that was made up here means nothing to anyone.
        if whole && !options.dry_run && admitted.line.is_some() {
            let draft = draft(engine, ready, planned, &landing.outcome.blocks);
            landing.note_processed(&draft)?;
        }
        return nothing_lands(whole, &mut landing.outcome);
    }
    if options.dry_run {
        let draft = Draft { break_links: options.break_links, ..Draft::default() };
        let has_one_name = |change: &FileChange<_>| !planned.linked.contains(change.path.as_str());
        rehearse(engine, &planned.changes, draft, has_one_name)?;
        landing.outcome.preview = planned.changes;
        landing.say(planned.questions);
        return Ok(if whole { Status::Validated } else { Status::Partial });
    }
    let mut questions = planned.questions.clone();
    questions.extend(options.confirm.then(unaddressed));
    landing.require_approver(&questions)?;
    let written = planned.written.clone();
    let draft = draft(engine, ready, planned, &landing.outcome.blocks);
    let checks = checks::of_project(engine, before, true);
    let landed =
        landing.transact(draft, Terms { checks, questions, allow_sensitive: options.allow_sensitive })?;
    if let Some(receipt) = &ready.basis.receipt {
        receipt::landed(engine, receipt, &written);
    }
    if options.stage.unwrap_or(engine.config().git_stage) {
        let staged = git::stage_changes(engine, &landing.outcome.changes);
        landing.say(staged);
    }
    Ok(if whole { landed } else { Status::Partial })
}

/// No file changes: because all are so already, because the rest was put off, or because nothing fits.
fn nothing_lands(whole: bool, outcome: &mut Outcome) -> Result<Status, Stop> {
    if whole {
        return Ok(Status::Unchanged);
    }
    if outcome.incomplete {
        return Err(Stop::Refused(Vec::new()));
    }
    // No transaction exists, so that the same reply may come again once its files are in view.
    outcome.uuid = None;
    Ok(Status::Partial)
}
