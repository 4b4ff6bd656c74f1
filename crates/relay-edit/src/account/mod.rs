//! Accounts for every block of a reply: each is an edit, only shown, or unclear.
//!
//! One rule carries it: once anything of a reply is to land, every other block must be explained as an edit, a quotation, a
//! command, output or an example. What is not explained is unclear, and refuses the reply.

mod judge;
mod looks;
mod piece;
mod quoted;
mod versions;

use std::borrow::Cow;
use std::collections::HashSet;

use crate::lead::{Intent, Lead};
use crate::passage::{Body, Passage};
use crate::{Diagnostic, Dialect, Edit, Operation, codes};
use judge::Judge;

/// One block of a reply with its class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its first line in the reply, counted from 1.
    pub first: usize,
    /// Its last line.
    pub last: usize,
    /// Which of the three it is.
    pub class: Class,
    /// Why, in a few words.
    pub reason: Cow<'static, str>,
    /// The file it is about, where that is known.
    pub path: Option<String>,
    /// The written form of an edit.
    pub dialect: Option<Dialect>,
    /// What to write instead, for one that is unclear.
    hint: &'static str,
}

/// What becomes of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It lands, or refuses the reply.
    Edit,
    /// It is there to be looked at.
    Shown,
    /// It may be an edit, so the reply is refused.
    Unclear,
}

impl Class {
    /// The name in JSON and in the ledger.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Class::Edit => "edit",
            Class::Shown => "shown",
            Class::Unclear => "unclear",
        }
    }
}

impl Block {
    /// Why an unclear block refuses the reply, and what to write instead.
    #[must_use]
    pub fn finding(&self) -> Diagnostic {
        let message = format!("this block is unclear: {}", self.reason);
        let finding = Diagnostic::error(codes::UNCLEAR_BLOCK, message).hinted(self.hint).at(self.first);
        match &self.path {
            Some(path) => finding.on(path),
            None => finding,
        }
    }
}

/// What is known about the files of the project.
pub trait Files {
    /// What a file holds before the edits.
    fn before(&self, path: &str) -> Option<Cow<'_, str>>;

    /// What it holds after them; `None` when they do not change it.
    fn after(&self, path: &str) -> Option<Cow<'_, str>>;

    /// The files that the edits change.
    fn changed(&self) -> Vec<String>;

    /// A file of the project whose path and content pass both tests, where looking for one is not too much work.
    fn find(&self, is_wanted: &dyn Fn(&str) -> bool, test: &dyn Fn(&str) -> bool) -> Option<String>;

    /// Whether a path is a file or a folder of the project.
    fn exists(&self, path: &str) -> bool;
}

/// Why commands are shown.
const COMMANDS: &str = "commands to type";

const NO_FILE: &str = "put the file's path on the line above the block, or send it as a diff or a SEARCH/REPLACE section; \
    if it is only to be looked at, pass --ignore with a line of it";
const ONE_VERSION: &str =
    "send only the version that is to land, or pass --ignore with a line of the other one";
const NO_EDIT: &str =
    "send the deletion or the new name as an edit; if you do it yourself, pass --ignore with this line";
const OTHER_TOOL: &str =
    "write the edit as a diff or a SEARCH/REPLACE section; `relay prompt` prints what to tell the model";

/// The class of every block. `edits` are those of the reply, in its order.
#[must_use]
pub fn account(passages: &[Passage], edits: &[Edit], files: &dyn Files) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::with_capacity(passages.len());
    // Edits that were joined from two replies are not in the order of their lines.
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| edit.line);
    let mut edited: HashSet<&str> = HashSet::new();
    for passage in passages {
        let first = edits.partition_point(|edit| edit.line < passage.first);
        let own = edits.get(first..).unwrap_or_default().iter().take_while(|edit| edit.line <= passage.last);
        let own: Vec<&Edit> = own.copied().collect();
        let is_moot =
            matches!(&passage.body, Body::Asked(path) if !files.exists(path) || is_gone(&edits, path));
        if is_moot {
            continue;
        }
        let mut block = block(passage, &own, blocks.last(), &edits, files);
        let above: Vec<&Edit> = match own.first() {
            Some(own) if block.class == Class::Edit && edited.contains(own.path.as_str()) => {
                edits.iter().take(first).filter(|above| above.path == own.path).copied().collect()
            }
            _ => Vec::new(),
        };
        let is_second = || {
            let before = block.path.as_deref().and_then(|path| files.before(path));
            before.is_some_and(|before| versions::is_second(&own, &above, &before))
        };
        if !above.is_empty() && (Lead::new(&passage.lead).revises() || is_second()) {
            (block.class, block.reason, block.hint) =
                (Class::Unclear, "it is another version of an edit above".into(), ONE_VERSION);
        }
        blocks.push(block);
        edited.extend(own.iter().map(|edit| edit.path.as_str()));
    }
    blocks
}

/// Whether an edit deletes or renames a file.
fn is_gone(edits: &[&Edit], path: &str) -> bool {
    let removes = |edit: &Edit| matches!(edit.operation, Operation::Delete | Operation::Rename { .. });
    edits.iter().any(|edit| edit.path == path && removes(edit))
}

/// The class of one block, whose own edits these are, below the one above.
fn block(
    passage: &Passage,
    own: &[&Edit],
    above: Option<&Block>,
    edits: &[&Edit],
    files: &dyn Files,
) -> Block {
    let has_edits = edits.first().is_some_and(|first| first.line < passage.first);
    let path = own.first().map(|edit| edit.path.clone()).filter(|path| !path.is_empty());
    let of = |class, reason: Cow<'static, str>, hint| Block {
        first: passage.first,
        last: passage.last,
        class,
        reason,
        path: path.clone(),
        dialect: own.first().map(|edit| edit.dialect),
        hint,
    };
    match &passage.body {
        Body::Read if own.is_empty() => of(Class::Shown, "it holds no edit".into(), ""),
        Body::Read if has_edits => match Lead::new(&passage.lead).intent() {
            Intent::Alternative => {
                of(Class::Unclear, "it is an alternative to an edit above".into(), ONE_VERSION)
            }
            Intent::Correction => of(Class::Unclear, "it corrects an edit above".into(), ONE_VERSION),
            _ => of(Class::Edit, form(own).into(), ""),
        },
        Body::Read => of(Class::Edit, form(own).into(), ""),
        Body::Control => of(Class::Edit, "the reply's control block".into(), ""),
        Body::Ignored => of(Class::Shown, "marked with --ignore".into(), ""),
        Body::Unplaced(reason) => of(Class::Unclear, reason.clone().into(), NO_FILE),
        Body::Asked(path) => Block {
            path: Some(path.clone()),
            ..of(
                Class::Unclear,
                format!("it asks for `{path}` to be deleted or renamed, and no edit does that").into(),
                NO_EDIT,
            )
        },
        Body::HarmlessCall(name) => {
            of(Class::Shown, format!("a call of `{name}`, which changes no file").into(), "")
        }
        Body::UnknownCall(name) => of(
            Class::Unclear,
            format!("it calls {}, which Relay cannot read", quoted_name(name)).into(),
            OTHER_TOOL,
        ),
        Body::Code(snippet) => {
            let is_below_commands = above.is_some_and(|above| above.reason == COMMANDS);
            let judged = Judge { passage, snippet, edits, files, is_below_commands }.judge();
            Block {
                path: judged.path.or(snippet.path.clone()),
                ..of(judged.class, judged.reason, judged.hint)
            }
        }
    }
}

fn quoted_name(name: &str) -> String {
    if name.contains(' ') { name.to_owned() } else { format!("`{name}`") }
}

fn form(own: &[&Edit]) -> &'static str {
    match own.first().map(|edit| &edit.operation) {
        Some(Operation::Write { .. }) => "whole file",
        Some(Operation::Patch { .. }) => "changed lines",
        Some(Operation::Delete) => "deletes a file",
        Some(Operation::Rename { .. }) => "renames a file",
        Some(Operation::Mode { .. }) => "changes a mode",
        None => "",
    }
}

#[cfg(test)]
mod tests;
