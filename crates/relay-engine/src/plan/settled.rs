//! The plan of a reply with nothing left open: every edit has its place, and every block is explained.

use relay_diagnostics::Diagnostic;

use super::accounting::{self, Confirmed};
use super::planning::{Planned, plan_on_disk};
use super::summary;
use crate::context::selection;
use crate::intake::admit;
use crate::intake::ready::Ready;
use crate::land::landing::Landing;
use crate::land::replan;
use crate::outcome::stop::Stop;
use crate::repair;

/// Places every edit on the files as they are now, and accounts for every block; refuses what is left open.
pub(crate) fn settled<'r>(landing: &mut Landing<'_>, ready: &'r Ready<'_>) -> Result<Planned<'r>, Stop> {
    let Ready { options, reply, admitted, contained, flaws, .. } = ready;
    let engine = landing.engine;
    let basis = match ready.prepared {
        // Who prepared the edits has made sure that they name no line that was not shown.
        Some(prepared) => ready.basis.with_views(prepared.views.clone()),
        None => ready.basis.seeing(engine, &contained.edits),
    };
    let planned = plan_on_disk(engine.workspace(), contained, &basis, &mut landing.outcome);
    let planned = match accounting::confirm_whole(planned, landing.approver)? {
        Confirmed::AsIs(planned) => planned,
        Confirmed::Whole => {
            plan_on_disk(engine.workspace(), contained, &basis.shrinking(), &mut landing.outcome)
        }
    };
    landing.outcome.blocks =
        accounting::blocks(engine.workspace(), reply, &contained.edits, planned.as_ref().ok());
    if planned.as_ref().map_or(true, |planned| planned.changes.is_empty()) {
        // The same reply may have just been landed, which leaves nothing to do, or no place for its edits.
        replan::wait_for_twin(engine, admitted.uuid)?;
        admit::still_new(engine, admitted)?;
    }
    if matches!(planned, Err(Stop::Refused(_))) {
        replan::wait_for_others(
            engine,
            contained.edits.iter().map(|edit| edit.path.as_str()),
            landing.observer,
        )?;
    }
    let accounted = refuse_flawed(planned, flaws).and_then(|planned| {
        accounting::settle(&mut landing.outcome, options.partial, landing.approver)?;
        Ok(planned)
    });
    let planned = accounted.map_err(|stop| repair::ask(engine, ready, &mut landing.outcome, stop))?;
    if !options.dry_run {
        landing.say(selection::add_put_off(engine, &landing.outcome.files));
    }
    if let Some(control) = &reply.control {
        landing.say(summary::compare(control, &landing.outcome.files));
    }
    Ok(planned)
}

/// A reply that is wrong in itself is refused, together with what else does not fit.
fn refuse_flawed<'e>(planned: Result<Planned<'e>, Stop>, flaws: &[Diagnostic]) -> Result<Planned<'e>, Stop> {
    match planned {
        Err(Stop::Refused(more)) => Err(Stop::Refused(flaws.iter().cloned().chain(more).collect())),
        Ok(_) if !flaws.is_empty() => Err(Stop::Refused(flaws.to_vec())),
        other => other,
    }
}
