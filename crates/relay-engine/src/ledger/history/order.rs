//! What the next undo and the next redo do: the ledger read as an editor's history.
//!
//! Every landing and every redo is a step forward, every undo a step back. `undo` undoes the newest step forward that
//! is still in effect, wherever the transaction itself is in the list; so after `relay redo 1`, #1 is undone first.
//! `redo` undoes the newest step back, as long as nothing landed after it: a landing starts a new line of work, and
//! what was undone before it can be reapplied only by name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Entry, EntryKind, History};

/// What a plain `undo` or `redo` acts on.
#[derive(Clone, Debug)]
pub struct Next<'h> {
    /// The step: a landing, a redo or an undo.
    pub step: &'h Entry,
    /// The transactions to undo or reapply, newest first, each with its files.
    pub changes: Vec<(&'h Entry, BTreeSet<String>)>,
    /// What landed after the step. A redo needs a name then.
    pub landed_since: Option<&'h Entry>,
}

impl Next<'_> {
    /// The number to give to `relay redo`: the transaction's own, or the undo's if that undid several.
    #[must_use]
    pub fn redo_name(&self) -> u64 {
        match self.changes.as_slice() {
            [(entry, _)] => entry.record.sequence,
            _ => self.step.record.sequence,
        }
    }
}

/// The steps that decided about files, newest last, each with the files of the transactions it decided about.
type Steps<'h> = BTreeMap<u64, Vec<(&'h Entry, BTreeSet<String>)>>;

impl History {
    /// What `relay undo` undoes.
    #[must_use]
    pub fn next_undo(&self) -> Option<Next<'_>> {
        self.newest(self.steps(EntryKind::Redo))
    }

    /// What `relay redo` reapplies, or would if nothing had landed since.
    #[must_use]
    pub fn next_redo(&self) -> Option<Next<'_>> {
        let mut next = self.newest(self.steps(EntryKind::Undo))?;
        let landed = self.changes().find(|entry| !entry.record.changes.is_empty());
        next.landed_since = landed.filter(|landed| landed.record.sequence > next.step.record.sequence);
        Some(next)
    }

    fn changes(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.kind() == EntryKind::Change)
    }

    /// The steps of a kind. A landing counts as the step for files that no redo reapplied.
    fn steps(&self, kind: EntryKind) -> Steps<'_> {
        let kinds: HashMap<u64, EntryKind> =
            self.entries.iter().map(|entry| (entry.record.sequence, entry.kind())).collect();
        let mut steps = Steps::new();
        for entry in self.changes() {
            let mut files: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
            for path in entry.record.paths() {
                let decided = entry.settled_by.get(path).copied();
                let decided = decided.filter(|number| kinds.get(number) == Some(&kind));
                let step = match (kind, entry.undone.contains(path)) {
                    (EntryKind::Undo, true) => decided,
                    (EntryKind::Redo, false) => decided.or(Some(entry.record.sequence)),
                    _ => None,
                };
                if let Some(step) = step {
                    files.entry(step).or_default().insert(path.to_owned());
                }
            }
            for (step, files) in files {
                steps.entry(step).or_default().push((entry, files));
            }
        }
        steps
    }

    /// The newest step that can still be undone.
    fn newest<'h>(&'h self, steps: Steps<'h>) -> Option<Next<'h>> {
        let mut newest = steps.into_iter().rev().filter_map(|(number, changes)| {
            let step = self.entries.iter().find(|entry| entry.record.sequence == number)?;
            (!step.is_undone()).then_some(Next { step, changes, landed_since: None })
        });
        newest.next()
    }
}
