//! Which transaction wrote each line of a file.
//!
//! The ledger has the file before and after each of its changes. Replayed from the oldest on, every line that a
//! transaction adds belongs to it, and stays so through later edits, renames and unrecorded changes. Lines that an undo
//! restores belong to their first author.

use std::collections::{HashMap, HashSet};

use relay_diagnostics::Diagnostic;
use relay_edit::{carried, line_texts};
use relay_txn::{Ledger, Record, Stored, TxnError};
use relay_workspace::RelPath;
use uuid::Uuid;

use crate::codes;
use crate::engine::Engine;
use crate::ledger::damaged;
use crate::ledger::history::{Entry, EntryStatus, History};
use crate::outcome::stop::transaction_failed;
use crate::plan::contain::{did_you_mean, unreadable};

/// A file with the transactions that wrote its lines.
#[derive(Debug)]
pub struct Blame<'h> {
    /// The file.
    pub path: String,
    /// Its lines, or the requested ones.
    pub lines: Vec<BlamedLine<'h>>,
}

/// One line and who wrote it.
#[derive(Debug)]
pub struct BlamedLine<'h> {
    /// Its number, counted from 1.
    pub number: usize,
    /// Its text without the line ending.
    pub text: String,
    /// The transaction that wrote it; `None` for a line that is not from the ledger.
    pub entry: Option<&'h Entry>,
}

/// Who wrote each line of a version of the file.
type Owners = Vec<Option<Uuid>>;

/// One change of the file, under whatever name it had then.
struct Event<'h> {
    record: &'h Record,
    before: Option<&'h Stored>,
    after: Option<&'h Stored>,
}

/// Says who wrote the lines of a file; `lines` (from and to, counted from 1) limits it to some of them.
///
/// # Errors
/// The file or the lines do not exist, the file is not text, or the ledger cannot be read.
pub fn blame<'h>(
    engine: &Engine,
    history: &'h History,
    path: &RelPath,
    lines: Option<(usize, usize)>,
) -> Result<Blame<'h>, Diagnostic> {
    let file = engine.workspace().read(path).map_err(|error| unreadable(&error))?;
    let Some(file) = file else { return Err(missing(engine, history, path)) };
    let Some(texts) = line_texts(&file.bytes) else {
        return Err(Diagnostic::error(
            codes::NO_SUCH_LINE,
            format!("{path} is not text, so it has no lines"),
        )
        .on(path.as_str())
        .hinted(format!("`relay log --path {path}` lists the transactions that changed it.")));
    };
    let (from, to) = range(path, texts.len(), lines)?;
    let events = events(history, path.as_str())?;
    let owners = replay(engine.ledger(), &events, &file.bytes).map_err(|error| transaction_failed(&error))?;
    let by_uuid: HashMap<Uuid, &Entry> =
        history.entries.iter().map(|entry| (entry.record.uuid, entry)).collect();
    let lines = texts
        .into_iter()
        .zip(owners)
        .enumerate()
        .map(|(at, (text, owner))| BlamedLine {
            number: at + 1,
            text,
            entry: owner.and_then(|uuid| by_uuid.get(&uuid).copied()),
        })
        .filter(|line| (from..=to).contains(&line.number))
        .collect();
    Ok(Blame { path: path.as_str().to_owned(), lines })
}

/// The changes of a file, oldest first. Going back in time, a renamed file continues under its old name.
fn events<'h>(history: &'h History, path: &str) -> Result<Vec<Event<'h>>, Diagnostic> {
    let mut events = Vec::new();
    let mut name = path;
    for entry in &history.entries {
        let record = &entry.record;
        let Some(change) = record.changes.iter().find(|change| change.path == name) else { continue };
        if entry.status == EntryStatus::Damaged {
            return Err(damaged::record(entry));
        }
        let source = change.renamed_from.as_deref().filter(|_| change.before.is_none());
        let before = match source {
            Some(old) => record.changes.iter().find(|c| c.path == old).and_then(|c| c.before.as_ref()),
            None => change.before.as_ref(),
        };
        events.push(Event { record, before, after: change.after.as_ref() });
        name = source.unwrap_or(name);
    }
    events.reverse();
    Ok(events)
}

/// Replays the changes and ends at what is on disk; returns who wrote each line there.
fn replay(ledger: &Ledger, events: &[Event<'_>], disk: &[u8]) -> Result<Owners, TxnError> {
    let undone: HashSet<Uuid> =
        events.iter().flat_map(|event| &event.record.header.undoes).map(|target| target.uuid).collect();
    let mut kept: HashMap<Uuid, (Vec<u8>, Owners)> = HashMap::new();
    let mut text: Vec<u8> = Vec::new();
    let mut owners: Owners = Vec::new();
    for event in events {
        // The record in the list lacks its contents; reading it once is cheaper than looking each of them up.
        let record = ledger.find(event.record.uuid)?;
        let content = |stored: Option<&Stored>| match stored {
            None => Ok(Vec::new()),
            Some(stored) => ledger.content(held(record.as_ref(), stored)),
        };
        let before = content(event.before)?;
        let after = content(event.after)?;
        // Changes between two transactions belong to no transaction.
        let owners_before = if before == text { owners } else { pass_on(&text, &owners, &before, None) };
        let mut next = pass_on(&before, &owners_before, &after, Some(event.record.uuid));
        for target in event.record.header.undoes.iter().rev() {
            if let Some((earlier, their)) = kept.get(&target.uuid) {
                give_back(&mut next, event.record.uuid, earlier, their, &after);
            }
        }
        if undone.contains(&event.record.uuid) {
            kept.insert(event.record.uuid, (before, owners_before));
        }
        (text, owners) = (after, next);
    }
    Ok(if text == disk { owners } else { pass_on(&text, &owners, disk, None) })
}

/// The same content in the record itself, where it need not be looked up.
fn held<'r>(record: Option<&'r Record>, stored: &'r Stored) -> &'r Stored {
    let images = record.into_iter().flat_map(|record| &record.changes).flat_map(|c| [&c.before, &c.after]);
    images.flatten().find(|image| image.hash == stored.hash).unwrap_or(stored)
}

/// Lines that stay keep their owner, new ones get `writer`.
fn pass_on(before: &[u8], owners: &[Option<Uuid>], after: &[u8], writer: Option<Uuid>) -> Owners {
    let owner = |line: Option<usize>| match line {
        Some(line) => owners.get(line).copied().flatten(),
        None => writer,
    };
    carried(before, after).into_iter().map(owner).collect()
}

/// Lines that an undo restored belong to their first author.
fn give_back(owners: &mut Owners, undo: Uuid, earlier: &[u8], their: &[Option<Uuid>], after: &[u8]) {
    for (owner, line) in owners.iter_mut().zip(carried(earlier, after)) {
        if let (true, Some(line)) = (*owner == Some(undo), line) {
            *owner = their.get(line).copied().flatten();
        }
    }
}

fn range(path: &RelPath, count: usize, lines: Option<(usize, usize)>) -> Result<(usize, usize), Diagnostic> {
    let Some((from, to)) = lines else { return Ok((1, count)) };
    if from == 0 || from > to || to > count {
        let asked = if from == to { format!("no line {from}") } else { format!("no lines {from}-{to}") };
        return Err(Diagnostic::error(codes::NO_SUCH_LINE, format!("{path} has {asked}"))
            .on(path.as_str())
            .hinted(match count {
                1 => format!("It has 1 line; write {path}:1."),
                _ => format!("It has {count} lines, counted from 1; write {path}:LINE or {path}:FROM-TO."),
            }));
    }
    Ok((from, to))
}

fn missing(engine: &Engine, history: &History, path: &RelPath) -> Diagnostic {
    let known = history.entries.iter().any(|entry| entry.record.paths().any(|p| p == path.as_str()));
    let hint = if known {
        format!("`relay log --path {path}` lists the transactions that changed it while it existed.")
    } else {
        did_you_mean(engine.workspace(), path).unwrap_or_else(|| {
            "Write the path from the project's root or from the current folder.".to_owned()
        })
    };
    Diagnostic::error(codes::NO_SUCH_LINE, format!("{path} does not exist")).on(path.as_str()).hinted(hint)
}
