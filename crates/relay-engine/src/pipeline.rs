//! The pipeline: one submission in, one outcome out. Read this file and you have seen the whole flow.
//!
//! ```text
//! parse ─▶ admit ─▶ contain ─▶ trust ─▶ preCommand ─▶ plan ─▶ transaction ─▶ checks ─▶ approval ─▶ commit | rollback
//! ```

use std::collections::BTreeMap;

use relay_diagnostics::Diagnostic;
use relay_edit::{Edit, Options as PlanOptions, Reply};
use relay_txn::{Draft, FileChange};
use uuid::Uuid;

use crate::approval::{Approver, Observer};
use crate::approval::{foresee, trust};
use crate::checks::check::{Check, Linter, MustSucceed};
use crate::checks::lint::Errors;
use crate::checks::{baseline, gate};
use crate::context::views::Views;
use crate::context::{receipt, selection};
use crate::engine::Engine;
use crate::intake::admit::{self, Admitted, admit};
use crate::intake::reading::read;
use crate::intake::submission::{LandOptions, Submission};
use crate::land::drafting::draft;
use crate::land::replan;
use crate::land::transact::{
    Terms, Transaction, note_processed, rehearse, require_approver, transact, unaddressed,
};
use crate::outcome::file_reports;
use crate::outcome::stop::Stop;
use crate::outcome::{Outcome, Status};
use crate::plan::accounting::{self, Confirmed};
use crate::plan::contain::{allow_sensitive, contain_telling};
use crate::plan::planning::{Basis, Planned, plan_on_disk};
use crate::plan::summary;
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
    let outcome = Outcome::rejected(engine.warnings().to_vec());
    land_as(engine, submission, None, options, approver, observer, outcome)
}

/// Edits that a channel has read itself, under the name it gives the transaction.
#[derive(Debug)]
pub struct Prepared {
    /// The same for the same submission, so that it lands once however often it is handed over.
    pub uuid: Uuid,
    /// The edits; the submission's text is what they were read from.
    pub edits: Vec<Edit>,
    /// Why, for the ledger.
    pub reasoning: String,
    /// What their author saw of the files.
    pub views: BTreeMap<String, Vec<u8>>,
}

/// Lands edits that were read already. What is to be said about the workspace itself is not said here: whoever lands
/// many of them says it once.
pub fn land_prepared(
    engine: &Engine,
    submission: &Submission,
    prepared: &Prepared,
    options: &LandOptions,
    approver: &mut dyn Approver,
    observer: &mut dyn Observer,
) -> Outcome {
    let outcome = Outcome::rejected(Vec::new());
    land_as(engine, submission, Some(prepared), options, approver, observer, outcome)
}

fn land_as(
    engine: &Engine,
    submission: &Submission,
    prepared: Option<&Prepared>,
    options: &LandOptions,
    approver: &mut dyn Approver,
    observer: &mut dyn Observer,
    mut outcome: Outcome,
) -> Outcome {
    outcome.dry_run = options.dry_run;
    let ended = run(engine, submission, prepared, options, approver, observer, &mut outcome);
    let status = ended.unwrap_or_else(|stop| stop.settle(&mut outcome.diagnostics));
    outcome.settle(status);
    if options.repair && options.partial && prepared.is_none() {
        repair::ask_for_rest(engine, submission, plan_options(engine, options), &mut outcome);
    }
    outcome
}

fn run(
    engine: &Engine,
    submission: &Submission,
    prepared: Option<&Prepared>,
    options: &LandOptions,
    approver: &mut dyn Approver,
    observer: &mut dyn Observer,
    outcome: &mut Outcome,
) -> Result<Status, Stop> {
    let (mut reply, admitted, receipt) = match prepared {
        Some(ready) => {
            let reply =
                Reply { reasoning: ready.reasoning.clone(), edits: ready.edits.clone(), ..Reply::default() };
            (reply, admit::under(engine, ready.uuid, &submission.text)?, None)
        }
        None => {
            let reply = read(engine, submission, options, outcome)?;
            let answers = repair::answers(engine, submission, reply);
            let receipt = receipt::of_replies(engine, options, &answers, &mut outcome.diagnostics)?;
            let basis = Basis { options: plan_options(engine, options), receipt };
            let reply = repair::join(engine, answers, &basis)?;
            outcome.diagnostics.extend(repair::unanswered(engine, &reply));
            let admitted = admit(engine, &reply, &submission.text)?;
            (reply, admitted, basis.receipt)
        }
    };
    outcome.uuid = Some(admitted.uuid);
    outcome.diagnostics.extend(admitted.warnings.iter().cloned());
    let (edits, refused) = contain_telling(engine.workspace(), std::mem::take(&mut reply.edits))?;
    let mut flaws = std::mem::take(&mut reply.diagnostics);
    for (edit, why) in refused {
        outcome.files.push(file_reports::of_refused(&edit, why.path.as_deref().unwrap_or_default()));
        flaws.push(why);
    }
    if !options.repair || options.partial {
        outcome.lose(std::mem::take(&mut flaws), options.partial)?;
    }

    outcome.diagnostics.extend(selection::not_there(engine, options, &edits));
    if options.dry_run || !flaws.is_empty() {
        outcome.diagnostics.extend(foresee::questions(engine, options, &edits));
    } else {
        allow_sensitive(engine.workspace(), &edits, options.allow_sensitive, approver)?;
        trust::require(engine.store(), engine.workspace(), engine.config(), options.trust, approver)
            .map_err(|refusal| refusal.map_or_else(Stop::interrupted, Stop::refused))?;
        gate::pre_command(engine, observer, outcome)?;
    }

    let basis = Basis { options: plan_options(engine, options), receipt };
    let ready =
        Ready { submission, prepared, options, reply: &reply, admitted: &admitted, basis, edits, flaws };
    let landed = replan::until_current(engine, outcome, |outcome| {
        baseline::compared(engine, observer, outcome, |before, observer, outcome| {
            plan_and_transact(engine, &ready, before, approver, observer, outcome)
        })
    })?;
    if outcome.uuid.is_some() && !options.dry_run {
        repair::landed(engine, admitted.uuid);
    }
    Ok(landed)
}

/// A reply that was read, admitted and contained.
pub(crate) struct Ready<'a> {
    pub submission: &'a Submission,
    prepared: Option<&'a Prepared>,
    pub options: &'a LandOptions,
    pub reply: &'a Reply,
    pub admitted: &'a Admitted<'a>,
    basis: Basis,
    edits: Vec<Edit>,
    /// What is wrong with the reply itself, where the model is to mend it together with what does not fit.
    flaws: Vec<Diagnostic>,
}

/// Works out the changes on the files as they are now, and carries them out.
fn plan_and_transact(
    engine: &Engine,
    ready: &Ready<'_>,
    before: Option<&Errors>,
    approver: &mut dyn Approver,
    observer: &mut dyn Observer,
    outcome: &mut Outcome,
) -> Result<Status, Stop> {
    let Ready { prepared, options, reply, admitted, basis, edits, flaws, .. } = ready;
    let basis = match prepared {
        // Who prepared the edits has made sure that they name no line that was not shown.
        Some(prepared) => basis.with_views(Views { contents: prepared.views.clone(), ..Views::default() }),
        None => basis.seeing(engine, edits),
    };
    let planned = plan_on_disk(engine.workspace(), edits, &basis, outcome);
    let planned = match accounting::confirm_whole(planned, approver)? {
        Confirmed::AsIs(planned) => planned,
        Confirmed::Whole => plan_on_disk(engine.workspace(), edits, &basis.shrinking(), outcome),
    };
    outcome.blocks = accounting::blocks(engine.workspace(), reply, edits, planned.as_ref().ok());
    if planned.as_ref().map_or(true, |planned| planned.changes.is_empty()) {
        // The same reply may have just been landed, which leaves nothing to do, or no place for its edits.
        replan::wait_for_twin(engine, admitted.uuid)?;
        admit::still_new(engine, admitted)?;
    }
    if matches!(planned, Err(Stop::Refused(_))) {
        replan::wait_for_others(engine, edits.iter().map(|edit| edit.path.as_str()), observer)?;
    }
    let planned =
        refuse_flawed(planned, flaws).map_err(|stop| ask_for_repair(engine, ready, outcome, stop))?;
    accounting::settle(outcome, options.partial, approver)
        .map_err(|stop| ask_for_repair(engine, ready, outcome, stop))?;
    if !options.dry_run {
        outcome.diagnostics.extend(selection::add_put_off(engine, &outcome.files));
    }
    if let Some(control) = &reply.control {
        outcome.diagnostics.extend(summary::compare(control, &outcome.files));
    }
    let whole = !outcome.incomplete && !outcome.has_put_off();
    if planned.changes.is_empty() {
        // The reply's own uuid counts as processed; one that was made up here means nothing to anybody.
        if whole && !options.dry_run && admitted.line.is_some() {
            let draft = draft(engine, ready, planned, &outcome.blocks);
            note_processed(engine, &draft, observer, outcome)?;
        }
        return nothing_lands(whole, outcome);
    }
    if options.dry_run {
        let draft = Draft { break_links: options.break_links, ..Draft::default() };
        let has_one_name = |change: &FileChange<_>| !planned.linked.contains(change.path.as_str());
        rehearse(engine, &planned.changes, draft, has_one_name)?;
        outcome.preview = planned.changes;
        outcome.diagnostics.extend(planned.questions);
        return Ok(if whole { Status::Validated } else { Status::Partial });
    }
    let mut questions = planned.questions.clone();
    questions.extend(options.confirm.then(unaddressed));
    let written = planned.written.clone();
    require_approver(engine, approver, &questions)?;

    let draft = draft(engine, ready, planned, &outcome.blocks);
    let terms =
        Terms { checks: checks(engine, before, true), questions, allow_sensitive: options.allow_sensitive };
    let transaction = Transaction { draft, terms };
    let landed = transact(engine, transaction, approver, observer, outcome)?;
    if let Some(receipt) = &basis.receipt {
        receipt::landed(engine, receipt, &written);
    }
    if options.stage.unwrap_or(engine.config().git_stage) {
        outcome.diagnostics.extend(git::stage_changes(engine, &outcome.changes));
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
    // There is no transaction, so that the same reply may come again once its files are in view.
    outcome.uuid = None;
    Ok(Status::Partial)
}

/// A reply that is wrong in itself is refused, together with what else does not fit.
fn refuse_flawed<'e>(planned: Result<Planned<'e>, Stop>, flaws: &[Diagnostic]) -> Result<Planned<'e>, Stop> {
    match planned {
        Err(Stop::Refused(more)) => Err(Stop::Refused(flaws.iter().cloned().chain(more).collect())),
        Ok(_) if !flaws.is_empty() => Err(Stop::Refused(flaws.to_vec())),
        other => other,
    }
}

/// Edits could not be read or placed: where it is wanted, the reply waits, and a message asks the model for those parts.
fn ask_for_repair(engine: &Engine, ready: &Ready<'_>, outcome: &mut Outcome, stop: Stop) -> Stop {
    let uuid = ready.admitted.uuid;
    if let (true, Stop::Refused(findings)) = (ready.options.repair, &stop) {
        let Ready { basis, edits, .. } = ready;
        let failed = repair::Failed { basis, edits, findings, uuid, has_landed: false };
        outcome.repair_prompt = Some(repair::message(engine, &failed));
        outcome.diagnostics.extend(repair::wait_for_repair(engine, uuid, &ready.submission.text));
    }
    stop
}

/// How edits are placed: the command line decides, else the config.
fn plan_options(engine: &Engine, options: &LandOptions) -> PlanOptions {
    PlanOptions {
        strictness: options.strictness.unwrap_or(engine.config().strictness),
        allow_shrink: options.allow_shrink,
        partial: options.partial,
        context: selection::in_view(engine, options),
        ..PlanOptions::default()
    }
}

/// What must pass once the files hold the new content: first what may veto, then what is counted, last what the user
/// himself wants. The linter is compared with what it said before the change, or asks for that where it `can_compare`.
pub(crate) fn checks<'e>(
    engine: &'e Engine,
    before: Option<&'e Errors>,
    can_compare: bool,
) -> Vec<Box<dyn Check + 'e>> {
    let config = engine.config();
    let mut checks: Vec<Box<dyn Check>> = Vec::new();
    if !config.post_command.is_empty() {
        checks.push(Box::new(MustSucceed { key: "postCommand", command: &config.post_command }));
    }
    if !config.linter.is_empty() {
        checks.push(Box::new(Linter {
            command: &config.linter,
            allowed_errors: config.approval_on_error_count,
            before,
            can_compare: can_compare && baseline::is_wanted(engine),
        }));
    }
    checks.extend(engine.user_checks().map(|check| Box::new(check) as Box<dyn Check>));
    checks
}
