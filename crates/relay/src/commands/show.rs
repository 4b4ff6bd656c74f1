//! `relay show`: one transaction: its reason and its exact changes.

use std::path::Path;

use relay_diagnostics::Diagnostic;
use relay_engine::{Engine, Entry, EntryStatus, codes, report};
use relay_txn::{FileChange, Image, Record, Target};

use crate::cli::ShowArgs;
use crate::failure::Failure;
use crate::open;
use crate::terminal::report::{checks, line};
use crate::terminal::style::{FAINT, STRONG, paint};
use crate::terminal::{self, diff, visible};

pub fn run(root: Option<&Path>, args: &ShowArgs) -> Result<u8, Failure> {
    let engine = open::engine_told(root)?;
    let history = engine.history()?;
    let entry = match &args.transaction {
        Some(selector) => history.find(selector).map_err(Failure::general)?,
        None => history.entries.first().ok_or_else(|| {
            Failure::general(
                Diagnostic::error(codes::NO_SUCH_TRANSACTION, "nothing has landed here yet")
                    .hinted("`relay apply reply.md` lands a reply."),
            )
        })?,
    };
    if entry.status == EntryStatus::Damaged {
        return Err(Failure::general(relay_engine::damaged::record(entry)));
    }
    let changes = changes(&engine, &entry.record)?;
    if args.json {
        let document = report::entry_in_full(entry, &diff::unified(&changes));
        return Ok(terminal::print_document(&document));
    }
    let head = text(entry, &changes, args.stat);
    let (prose, diff) = match args.stat {
        true => (head + &super::log::stat(&entry.record), String::new()),
        false => (head + "\n", diff::changes(&changes)),
    };
    Ok(terminal::pager::show(&prose, &diff, args.no_pager))
}

fn text(entry: &Entry, changes: &[FileChange], stat: bool) -> String {
    let record = &entry.record;
    let mut text = String::new();
    match stat {
        true => super::log::headline(&mut text, entry),
        false => super::log::one(&mut text, entry),
    }
    let mut field = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
            let value = visible(value.trim()).replace('\n', "\n              ");
            line(&mut text, format_args!("  {} {value}", paint(FAINT, format_args!("{name:<11}"))));
        }
    };
    field("uuid", Some(record.uuid.to_string()));
    for undoes in &record.header.undoes {
        let only = if undoes.files.is_empty() {
            String::new()
        } else {
            format!(", only {}", undoes.files.join(", "))
        };
        field("undoes", Some(format!("{}{only}", undoes.uuid)));
    }
    if entry.status == EntryStatus::PartlyUndone {
        field("undone in", Some(entry.undone.iter().cloned().collect::<Vec<_>>().join(", ")));
    }
    field("approved by", record.approved_by.clone());
    field("commit msg", record.header.git_commit_msg.clone());
    field("reasoning", Some(record.header.reasoning.clone()));
    text.push_str(&checks(&record.checks));
    text.push_str(&evidence(record));
    text.push_str(&blocks(record));
    if changes.is_empty() {
        line(&mut text, format_args!("  {}", paint(STRONG, "no files")));
    }
    text
}

/// How each edit was written and where it was placed.
fn evidence(record: &Record) -> String {
    let mut text = String::new();
    for operation in &record.operations {
        let to = operation.to.as_deref().map(|to| format!(" → {}", visible(to))).unwrap_or_default();
        let how = format!("{} ({})", visible(&operation.placement), visible(&operation.dialect));
        line(
            &mut text,
            format_args!(
                "  {} {}{to}: {how}",
                paint(FAINT, format_args!("{:<11}", visible(&operation.operation))),
                visible(&operation.path)
            ),
        );
    }
    for change in &record.changes {
        if let Some(by) = &change.by {
            let what = paint(FAINT, format!("{:<11}", change.operation.to_string()));
            line(&mut text, format_args!("  {what} {}: by {}", visible(&change.path), visible(by)));
        }
    }
    text
}

/// All blocks of the reply, if any of them did not become an edit.
fn blocks(record: &Record) -> String {
    let mut text = String::new();
    if record.header.blocks.iter().all(|block| block.class == "edit") {
        return text;
    }
    for block in &record.header.blocks {
        let (first, last) = block.lines;
        let path = block.path.as_deref().map(|path| format!("{}  ", visible(path))).unwrap_or_default();
        let class = paint(FAINT, format!("{:<11}", visible(&block.class)));
        line(
            &mut text,
            format_args!("  {class} reply lines {first}–{last}: {path}{}", visible(&block.reason)),
        );
    }
    text
}

/// The record's changes with their bytes.
pub fn changes(engine: &Engine, listed: &Record) -> Result<Vec<FileChange>, Failure> {
    let record = engine.with_contents(listed).map_err(|error| Failure::environment(&error))?;
    let mut changes = Vec::with_capacity(record.changes.len());
    for change in &record.changes {
        let content = |stored| engine.ledger().content(stored).map_err(|error| Failure::environment(&error));
        let path =
            |name: &str| engine.workspace().path(name).map_err(|refusal| Failure::environment(&refusal));
        changes.push(FileChange {
            path: path(&change.path)?,
            before: match &change.before {
                Some(stored) => Some(Image::new(content(stored)?, stored.mode)),
                None => None,
            },
            after: match &change.after {
                Some(stored) => Some(Target::new(content(stored)?).with_mode(stored.mode)),
                None => None,
            },
            renamed_from: change.renamed_from.as_deref().map(path).transpose()?,
            added: change.added,
            removed: change.removed,
        });
    }
    Ok(changes)
}
