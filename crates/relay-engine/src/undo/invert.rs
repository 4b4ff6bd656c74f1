//! Inverts transactions: exactly if a file is as they left it, merged if other lines have changed since.
//!
//! Several transactions are undone one after the other, newest first, in memory; what comes out is one change per
//! file from what is on disk to what it becomes.

use std::collections::{BTreeSet, HashMap, HashSet};

use relay_diagnostics::Diagnostic;
use relay_edit::merge;
use relay_txn::{ChangeRecord, Image, Record, Stored, is_link};

use super::conflict::{Conflicts, Since};
use super::files::{Files, How, Inversion};
use super::select::{Selection, Step, not_in};
use crate::engine::Engine;
use crate::ledger::history::{EntryStatus, History};
use crate::outcome::stop::Stop;

/// An undo under construction.
struct Restoring<'a> {
    engine: &'a Engine,
    history: &'a History,
    forced: &'a [String],
    files: Files<'a>,
    conflicts: Conflicts<'a>,
}

/// Undoes the selected transactions, or lists everything that prevents it.
pub(super) fn invert(
    engine: &Engine,
    history: &History,
    selection: &Selection<'_>,
    forced: &[String],
) -> Result<Inversion, Stop> {
    let strangers: Vec<Diagnostic> = forced
        .iter()
        .filter(|file| !selection.steps.iter().any(|step| step.paths.contains(*file)))
        .map(|file| {
            let paths: BTreeSet<&str> =
                selection.steps.iter().flat_map(|step| step.paths.iter().map(String::as_str)).collect();
            not_in(file, "what is undone", paths.into_iter())
        })
        .collect();
    if !strangers.is_empty() {
        return Err(Stop::Refused(strangers));
    }
    let files = Files::new(engine, &selection.steps);
    let conflicts = Conflicts::new(engine, history, selection);
    let mut restoring = Restoring { engine, history, forced, files, conflicts };
    for step in &selection.steps {
        restoring.take_back(step)?;
    }
    restoring.conflicts.settle().map_err(Stop::Refused)?;
    restoring.files.finish()
}

impl Restoring<'_> {
    fn take_back(&mut self, step: &Step<'_>) -> Result<(), Stop> {
        let record = self.engine.with_contents(&step.entry.record)?;
        let renames = renames(&record);
        let given_up: HashSet<&str> = renames.values().map(|old| old.path.as_str()).collect();
        for change in record.changes.iter().filter(|change| step.paths.contains(&change.path)) {
            match renames.get(change.path.as_str()) {
                Some(old) => self.rename_back(old, change)?,
                // The other half of the rename handles this.
                None if given_up.contains(change.path.as_str()) => {}
                None => self.restore(change, &record)?,
            }
        }
        Ok(())
    }

    /// Restores one file to its state before the change.
    fn restore(&mut self, change: &ChangeRecord, record: &Record) -> Result<(), Stop> {
        let before = self.image(change.before.as_ref())?;
        if self.is_forced(&[&change.path]) {
            return self.files.set(&change.path, before, How::Forced);
        }
        let path = self.present_name(change, record)?;
        let now = self.files.now(&path)?.cloned();
        let restored = match (&change.after, now, before) {
            // It is already gone, or back.
            (_, None, None) => None,
            (None, Some(now), Some(before)) if now.bytes == before.bytes => None,
            (None, None, before) => Some((before, How::Exact)),
            (None, Some(_), _) => self.conflicts.whole(&path, "exists again"),
            (Some(_), None, _) => self.conflicts.whole(&path, "has been deleted since"),
            (Some(after), Some(now), None) if after.holds(&now.bytes) => Some((None, How::Exact)),
            (Some(after), Some(now), None) => {
                let left = self.engine.ledger().content(after)?;
                self.conflicts.created(&path, &left, &now.bytes)
            }
            (Some(after), Some(now), Some(before)) => {
                self.merged(&path, after, &now, before)?.map(|(image, how)| (Some(image), how))
            }
        };
        // A command may have changed only the file's owner.
        let was_given_away = change.before.as_ref().is_some_and(|before| before.belongings.is_some());
        if restored.is_some() && was_given_away && change.after.is_some() {
            self.files.give_back(&path);
        }
        match restored {
            Some((image, how)) => self.files.set(&path, image, how),
            None => Ok(()),
        }
    }

    /// Restores a renamed file's old name and content.
    fn rename_back(&mut self, old: &ChangeRecord, new: &ChangeRecord) -> Result<(), Stop> {
        let before = self.image(old.before.as_ref())?;
        let (Some(after), Some(before)) = (&new.after, before) else { return Ok(()) };
        let there = self.files.now(&old.path)?.cloned();
        let now = self.files.now(&new.path)?.cloned();
        let restored = match (there, now) {
            _ if self.is_forced(&[&old.path, &new.path]) => Some((before, How::Forced)),
            (Some(there), None) if there.bytes == before.bytes => None,
            (Some(_), _) => self.conflicts.whole(&old.path, "exists again"),
            (None, None) => self.conflicts.whole(&new.path, "has been deleted since"),
            (None, Some(now)) => self.merged(&new.path, after, &now, before)?,
        };
        let Some((image, how)) = restored else { return Ok(()) };
        self.files.set(&old.path, Some(image), how)?;
        self.files.rename(&new.path, &old.path)
    }

    /// What a file becomes: exactly what it was, or that with later changes kept. `None` after a conflict.
    fn merged(
        &mut self,
        path: &str,
        after: &Stored,
        now: &Image,
        before: Image,
    ) -> Result<Option<(Image, How)>, Stop> {
        // A link is exchanged whole or not at all; it has no lines.
        let is_text = ![after.mode, now.mode, before.mode].into_iter().any(is_link);
        if is_link(now.mode) != is_link(after.mode) || !(is_text || after.holds(&now.bytes)) {
            return Ok(self.conflicts.whole(path, "has become something else since"));
        }
        let Some(mode) = merged_mode(after.mode, now.mode, before.mode) else {
            return Ok(self.conflicts.whole(path, "has had its permissions changed since"));
        };
        if after.holds(&now.bytes) {
            return Ok(Some((Image { bytes: before.bytes, mode }, How::Exact)));
        }
        let left = self.engine.ledger().content(after)?;
        match merge(&left, &now.bytes, &before.bytes) {
            Ok(bytes) => Ok(Some((Image::new(bytes, mode), How::Merged))),
            Err(found) => {
                let since = Since { path, now: &now.bytes, before: &before.bytes };
                Ok(self.conflicts.lines(&since, &found))
            }
        }
    }

    /// The file's current name, if later transactions that are still in effect renamed it.
    fn present_name(&mut self, change: &ChangeRecord, record: &Record) -> Result<String, Stop> {
        if change.after.is_none() || self.files.now(&change.path)?.is_some() {
            return Ok(change.path.clone());
        }
        let mut name = change.path.clone();
        let later =
            self.history.entries.iter().rev().filter(|entry| {
                entry.record.sequence > record.sequence && entry.status != EntryStatus::Undone
            });
        for entry in later {
            let next = entry.record.changes.iter().find(|next| {
                next.renamed_from.as_deref() == Some(name.as_str()) && !entry.undone.contains(&next.path)
            });
            if let Some(next) = next {
                name.clone_from(&next.path);
            }
        }
        // Suggesting a name that leads nowhere would not help; the record's own name is the one to mention.
        if name == change.path || self.files.now(&name)?.is_none() {
            return Ok(change.path.clone());
        }
        self.files.forget(&change.path);
        Ok(name)
    }

    fn is_forced(&self, paths: &[&str]) -> bool {
        self.forced.iter().any(|file| paths.contains(&file.as_str()))
    }

    fn image(&self, stored: Option<&Stored>) -> Result<Option<Image>, Stop> {
        Ok(stored.map(|stored| self.engine.ledger().image(stored)).transpose()?)
    }
}

/// The renames of a transaction: the new name, and what happened to the old one. A file that replaced another one is
/// not a rename: both are restored separately.
fn renames(record: &Record) -> HashMap<&str, &ChangeRecord> {
    let gone: HashMap<&str, &ChangeRecord> = record
        .changes
        .iter()
        .filter(|change| change.after.is_none())
        .map(|change| (change.path.as_str(), change))
        .collect();
    let new = record.changes.iter().filter(|change| change.before.is_none());
    new.filter_map(|change| Some((change.path.as_str(), *gone.get(change.renamed_from.as_deref()?)?)))
        .collect()
}

/// The permission bits: those from before, unless they were changed since and not by the transaction.
fn merged_mode(after: u32, now: u32, before: u32) -> Option<u32> {
    if now == after || now == before {
        Some(if now == after { before } else { now })
    } else {
        // A link in place of a file, or the other way round, is not a question of permissions.
        (after == before && (now ^ after) & 0o170_000 == 0).then_some(now)
    }
}
