//! From a planned reply to the draft of a transaction: the exact changes, and the description for the ledger.

use relay_edit::{Block, Class, Edit, Operation};
use relay_txn::{BlockRecord, Draft, Header, OperationRecord};

use crate::engine::Engine;
use crate::intake::ready::Ready;
use crate::plan::planning::{self, Planned};

/// The transaction a reply asks for.
pub(crate) fn draft(engine: &Engine, ready: &Ready<'_>, planned: Planned<'_>, blocks: &[Block]) -> Draft {
    let Ready { submission, options, reply, admitted, .. } = ready;
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
            blocks: accounted(blocks),
        },
        operations: planned.operations(),
        changes: planned.changes.into_iter().map(planning::whole).collect(),
        break_links: options.break_links,
        ..Draft::default()
    }
}

/// How many blocks of a reply the ledger keeps.
const BLOCKS: usize = 200;

/// The account of a reply's blocks. If all of them are edits, the operations already say so.
fn accounted(blocks: &[Block]) -> Vec<BlockRecord> {
    if blocks.iter().all(|block| block.class == Class::Edit) {
        return Vec::new();
    }
    blocks.iter().take(BLOCKS).map(block).collect()
}

/// What the ledger says about a block of the reply.
fn block(block: &Block) -> BlockRecord {
    BlockRecord {
        lines: (block.first, block.last),
        class: block.class.name().to_owned(),
        reason: block.reason.clone().into_owned(),
        path: block.path.clone(),
        dialect: block.dialect.map(|dialect| dialect.name().to_owned()),
    }
}

/// What the ledger says about an edit.
pub(crate) fn operation(edit: &Edit, placement: &str) -> OperationRecord {
    let (operation, to) = match &edit.operation {
        Operation::Write { .. } => ("write", None),
        Operation::Patch { .. } => ("patch", None),
        Operation::Delete => ("delete", None),
        Operation::Rename { to } => ("rename", Some(to.clone())),
        Operation::Mode { .. } => ("mode", None),
    };
    OperationRecord { to, ..OperationRecord::new(operation, &edit.path, edit.dialect.name(), placement) }
}
