//! What one block of a reply asks for lands together or not at all, also where only a part of the reply lands.
//!
//! A diff that renames a file and changes its lines comes to two edits. A file that was only renamed is nothing that
//! anybody asked for. Nothing is placed here.

use super::virtual_files::Remembered;
use super::{EditOutcome, Planner};
use crate::{Edit, Operation};

/// The edits at the beginning that are one block of the reply; always one at least.
pub(super) fn first(edits: &[Edit]) -> &[Edit] {
    let pairs = edits.iter().zip(edits.iter().skip(1));
    let more = pairs.take_while(|(one, next)| is_one_block(one, next)).count();
    edits.get(..=more).unwrap_or(edits)
}

/// `rename from a.ts`, `rename to b.ts` and the hunks below them.
fn is_one_block(one: &Edit, next: &Edit) -> bool {
    let path = match (&one.operation, &next.operation) {
        (Operation::Rename { to }, Operation::Patch { .. } | Operation::Mode { .. }) => to,
        (Operation::Patch { .. } | Operation::Write { .. }, Operation::Delete | Operation::Mode { .. }) => {
            &one.path
        }
        _ => return false,
    };
    (path, one.line, one.dialect) == (&next.path, next.line, next.dialect)
}

/// What a block may change, as it was before.
#[derive(Debug)]
pub(super) struct Before {
    files: Vec<Remembered>,
    written: Vec<String>,
}

impl Planner<'_> {
    /// Keeps in mind what is there before a block, where some blocks may land without others. One edit alone changes
    /// nothing if it fails.
    pub(super) fn before_block(&self, block: &[Edit]) -> Option<Before> {
        if block.len() < 2 || !self.options.partial {
            return None;
        }
        let paths: Vec<&str> = block.iter().flat_map(Edit::paths).collect();
        let written = paths.iter().filter(|path| self.written.contains(**path));
        let written = written.map(|path| (*path).to_owned()).collect();
        Some(Before { files: paths.iter().map(|path| self.files.remember(path)).collect(), written })
    }

    /// Takes back what a block did of which something failed.
    pub(super) fn after_block(&mut self, before: Option<Before>, outcomes: &mut [EditOutcome]) {
        let failed = |outcome: &EditOutcome| outcome.status.is_failure();
        let Some(before) = before.filter(|_| outcomes.iter().any(failed)) else { return };
        before.files.into_iter().for_each(|file| self.files.restore(file));
        self.written.extend(before.written);
        for outcome in outcomes.iter_mut().filter(|outcome| !failed(outcome)) {
            *outcome = EditOutcome::failed();
        }
    }
}
