//! From a planned reply to the draft of a transaction: the exact changes, and the words for the ledger.

use std::collections::BTreeMap;

use relay_edit::{Edit, Operation, Reply};
use relay_txn::{Draft, Header, OperationRecord};

use crate::admit::Admitted;
use crate::engine::Engine;
use crate::planning::{self, Planned};
use crate::submission::{LandOptions, Submission};

/// The transaction a reply asks for.
pub(crate) fn draft(
    engine: &Engine,
    submission: &Submission,
    reply: &Reply,
    admitted: &Admitted<'_>,
    planned: Planned<'_>,
    options: &LandOptions,
) -> Draft {
    let control = reply.control.as_ref();
    Draft {
        uuid: admitted.uuid,
        header: Header {
            project_id: engine.config().project_id.clone(),
            channel: submission.channel.to_owned(),
            model: options.model.clone().or_else(|| control.and_then(|c| c.model.clone())),
            group: options.group.clone(),
            reasoning: reply.reasoning.clone(),
            prompt_summary: control.and_then(|c| c.prompt_summary.clone()),
            git_commit_msg: control.and_then(|c| c.git_commit_msg.clone()),
            submission: Some(admitted.digest()),
            undoes: Vec::new(),
        },
        operations: planned.operations(),
        changes: planned.changes.into_iter().map(planning::whole).collect(),
        prune: Vec::new(),
        make: Vec::new(),
        belongings: BTreeMap::new(),
        break_links: options.break_links,
    }
}

/// What the ledger says about an edit.
pub(crate) fn operation(edit: &Edit, placement: &str) -> OperationRecord {
    OperationRecord {
        operation: match &edit.operation {
            Operation::Write { .. } => "write",
            Operation::Patch { .. } => "patch",
            Operation::Delete => "delete",
            Operation::Rename { .. } => "rename",
            Operation::Mode { .. } => "mode",
        }
        .to_owned(),
        path: edit.path.clone(),
        to: match &edit.operation {
            Operation::Rename { to } => Some(to.clone()),
            _ => None,
        },
        dialect: edit.dialect.name().to_owned(),
        placement: placement.to_owned(),
    }
}
