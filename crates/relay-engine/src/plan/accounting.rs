//! Accounts for every block of a reply on the files as they are, and refuses a reply with an unclear part.

use std::borrow::Cow;
use std::cell::Cell;

use relay_diagnostics::Diagnostic;
use relay_edit::{After, Block, Body, Class, Content, Edit, Files, Reply, account};
use relay_txn::FileChange;
use relay_workspace::{ReadError, Workspace};

use crate::approval::{Approver, Decision};
use crate::codes;
use crate::outcome::Outcome;
use crate::outcome::stop::Stop;
use crate::plan::planning::Planned;

/// How many bytes are read to find what a block quotes.
const READ_LIMIT_BYTES: u64 = 64 << 20;
/// A larger file is not searched for a quotation.
const FILE_LIMIT_BYTES: u64 = 4 << 20;

/// The class of every block. Without a plan, the result of the edits is unknown.
pub(crate) fn blocks(
    workspace: &Workspace,
    reply: &Reply,
    edits: &[Edit],
    planned: Option<&Planned<'_>>,
) -> Vec<Block> {
    if reply.passages.is_empty() {
        return Vec::new();
    }
    let changes = planned.map(|planned| planned.changes.as_slice()).unwrap_or_default();
    let project = Project { workspace, changes, left: Cell::new(READ_LIMIT_BYTES) };
    account(&reply.passages, edits, &project)
}

/// Marks the blocks with these lines as only shown, and takes their edits out of the reply.
pub(crate) fn ignore(reply: &mut Reply, lines: &[usize]) -> Result<(), Diagnostic> {
    for line in lines {
        let passage = reply.passages.iter_mut().find(|passage| passage.holds(*line)).ok_or_else(|| {
            Diagnostic::error(
                codes::NO_SUCH_BLOCK,
                format!("--ignore {line}: no block of the reply has this line"),
            )
            .hinted("`relay apply --explain` lists every block with its lines")
        })?;
        passage.body = Body::Ignored;
        let (first, last) = (passage.first, passage.last);
        reply.edits.retain(|edit| !(first..=last).contains(&edit.line));
        reply.diagnostics.retain(|found| !found.line.is_some_and(|line| (first..=last).contains(&line)));
    }
    Ok(())
}

/// Refuses a reply with unclear blocks, unless a person says that they are only shown or a part was asked for.
pub(crate) fn settle(outcome: &mut Outcome, partial: bool, approver: &mut dyn Approver) -> Result<(), Stop> {
    let unclear = |block: &&mut Block| block.class == Class::Unclear;
    // What is reported already, such as leaked routing, is not reported again.
    let is_known = |block: &Block| {
        let mut errors = outcome.diagnostics.iter().filter(|found| found.is_error());
        errors.any(|found| found.line.is_some_and(|line| (block.first..=block.last).contains(&line)))
    };
    let new = outcome.blocks.iter().filter(|block| block.class == Class::Unclear && !is_known(block));
    let findings: Vec<Diagnostic> = new.map(Block::finding).collect();
    if findings.is_empty() {
        return Ok(());
    }
    if !partial {
        match approver.only_shown(&findings) {
            Decision::Yes => {
                for block in outcome.blocks.iter_mut().filter(unclear) {
                    block.class = Class::Shown;
                    block.reason = format!("{}; a person said that it is only shown", block.reason).into();
                }
                return Ok(());
            }
            Decision::Interrupted => return Err(Stop::interrupted()),
            Decision::No | Decision::NobodyThere => {}
        }
    }
    outcome.lose(findings, partial)
}

/// How to continue a plan that failed because whole content looks like part of a file.
pub(crate) enum Confirmed<'e> {
    /// Nothing: it stays as it is.
    AsIs(Result<Planned<'e>, Stop>),
    /// A person says that it is the whole file: it is to be planned again.
    Whole,
}

/// Asks a person whether content is whole, if nothing else is wrong with the plan.
pub(crate) fn confirm_whole<'e>(
    planned: Result<Planned<'e>, Stop>,
    approver: &mut dyn Approver,
) -> Result<Confirmed<'e>, Stop> {
    match &planned {
        Err(Stop::Refused(findings))
            if !findings.is_empty()
                && findings.iter().all(|found| found.code == relay_edit::codes::PART_OF_FILE) =>
        {
            match approver.whole_files(findings) {
                Decision::Yes => Ok(Confirmed::Whole),
                Decision::Interrupted => Err(Stop::interrupted()),
                Decision::No | Decision::NobodyThere => Ok(Confirmed::AsIs(planned)),
            }
        }
        _ => Ok(Confirmed::AsIs(planned)),
    }
}

/// The files of the workspace, before and after the edits.
struct Project<'p> {
    workspace: &'p Workspace,
    changes: &'p [FileChange<Content>],
    /// How many bytes may still be read.
    left: Cell<u64>,
}

impl Project<'_> {
    fn change(&self, path: &str) -> Option<&FileChange<Content>> {
        self.changes.iter().find(|change| change.path.as_str() == path)
    }
}

impl Files for Project<'_> {
    fn before(&self, path: &str) -> Option<Cow<'_, str>> {
        if let Some(change) = self.change(path) {
            return Some(String::from_utf8_lossy(&change.before.as_ref()?.bytes));
        }
        let file = self.workspace.read(&self.workspace.path(path).ok()?).ok()??;
        Some(String::from_utf8_lossy(&file.bytes).into_owned().into())
    }

    fn after(&self, path: &str) -> Option<Cow<'_, str>> {
        let change = self.change(path)?;
        let before = change.before.as_ref().map(|image| &*image.bytes).unwrap_or_default();
        let after = After::from(&change.after.as_ref()?.bytes).bytes(before);
        Some(String::from_utf8_lossy(&after).into_owned().into())
    }

    fn changed(&self) -> Vec<String> {
        self.changes.iter().map(|change| change.path.as_str().to_owned()).collect()
    }

    fn find(&self, is_wanted: &dyn Fn(&str) -> bool, test: &dyn Fn(&str) -> bool) -> Option<String> {
        self.workspace.walk().filter(|path| is_wanted(path.as_str())).find_map(|path| {
            let facts = self.workspace.facts(&path).ok()??;
            let left = self.left.get().checked_sub(facts.size).filter(|_| facts.size <= FILE_LIMIT_BYTES)?;
            self.left.set(left);
            let file = self.workspace.read(&path).ok()??;
            test(&String::from_utf8_lossy(&file.bytes)).then(|| path.as_str().to_owned())
        })
    }

    fn exists(&self, path: &str) -> bool {
        let found = self.workspace.path(path).map(|path| self.workspace.read(&path));
        matches!(found, Ok(Ok(Some(_)) | Err(ReadError::Directory { .. })))
    }
}
