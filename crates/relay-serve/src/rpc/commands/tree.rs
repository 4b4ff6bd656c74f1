//! `navigate_tree`: continues from another entry of this session, with or without a summary of the abandoned branch.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use relay_agent::compact::branch::{self, BranchPlan};
use relay_agent::driver::{Agent, Aside, Remote, SideJob};
use relay_agent::session::Selection;
use relay_diagnostics::Cancel;
use serde_json::{Value, json};

use super::{Answer, Session, flag, needed, respond, text};
use crate::rpc::with_agent;

/// Facts gathered before anything moves.
struct Prepared {
    selection: Selection,
    summary: Option<(BranchPlan, Aside)>,
}

impl Session {
    /// A summary is slow, so this runs on a separate thread; `abort_branch_summary` ends it and nothing moves.
    pub(super) fn navigate(&self, command: &Value) {
        let cancel = Cancel::new();
        *self.summary.lock().unwrap_or_else(PoisonError::into_inner) = Some(cancel.clone());
        let (remote, outlet, slot) = (self.remote.clone(), self.outlet.clone(), Arc::clone(&self.summary));
        if let Err(why) = self.is_idle() {
            return respond(&outlet, command, "navigate_tree", Err(why));
        }
        let settings = self.host.branch_settings();
        let command = command.clone();
        let started = thread::Builder::new().name("navigate".to_owned()).spawn(move || {
            let answer = navigate(&remote, &command, settings, &cancel);
            forget(&slot);
            respond(&outlet, &command, "navigate_tree", answer);
        });
        if started.is_err() {
            self.not_understood("too many threads");
        }
    }
}

fn forget(slot: &Mutex<Option<Cancel>>) {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take();
}

fn navigate(
    remote: &Remote,
    command: &Value,
    settings: relay_agent::compact::BranchSettings,
    cancel: &Cancel,
) -> Answer {
    let target = text(command, "targetId").map_or_else(|| needed(command, "entryId"), Ok)?.to_owned();
    let wants_summary = flag(command, "summarize").unwrap_or_default();
    let focus = text(command, "customInstructions").map(str::to_owned);
    let stop = cancel.clone();
    let prepared = with_agent(remote, move |agent: &mut Agent| -> Result<Option<Prepared>, String> {
        let selection = agent.log().select(&target).map_err(|error| error.to_string())?;
        let Some(selection) = selection else { return Ok(None) };
        let left = agent.log().abandoned_by(selection.leaf.as_deref());
        let window = agent.asker().model().limits.context;
        let plan = wants_summary.then(|| branch::plan(&left, &settings, window, focus.as_deref())).flatten();
        let summary = plan.map(|plan| (plan, agent.aside(SideJob::Summary, stop)));
        Ok(Some(Prepared { selection, summary }))
    })??;
    let Some(Prepared { selection, summary }) = prepared else {
        return Ok(Some(json!({ "cancelled": false, "moved": false, "message": "Already at this point" })));
    };
    let leaf = selection.leaf.as_deref().map(str::to_owned);
    let summary = match summary {
        None => None,
        Some((plan, mut aside)) => match aside.branch_summary(&plan, leaf.as_deref()) {
            Ok(summary) => Some(summary),
            Err(_) if cancel.is_cancelled() => {
                return Ok(Some(json!({ "cancelled": true, "aborted": true, "moved": false })));
            }
            Err(error) => return Err(error.to_string()),
        },
    };
    let entry = with_agent(remote, move |agent| {
        if agent.is_busy() {
            return Err("the agent started working meanwhile, so nothing was moved".to_owned());
        }
        agent.move_to(leaf.as_deref(), summary).map_err(|error| error.to_string())
    })??;
    Ok(Some(json!({
        "cancelled": false, "moved": true, "editorText": selection.editor_text, "summaryEntryId": entry,
    })))
}
