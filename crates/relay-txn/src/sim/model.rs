//! Random streams of work against a map of bytes: whatever happens, the files are what the map says.

use std::collections::BTreeMap;

use proptest::prelude::*;
use relay_workspace::RelPath;
use uuid::Uuid;

use super::scenario::{Ending, Entry, draft, effects, protocol, turn, verdict};
use super::steps::{Fate, PATHS, Step, Wish, content, step};
use super::{Dice, Promise, SimFs};
use crate::draft::Draft;
use crate::error::TxnError;
use crate::fs::{ancestors, is_link};
use crate::record::Stored;

type Files = BTreeMap<&'static str, Entry>;

/// Whether one of the paths lies below the other, so that there can be only one of them.
fn exclude(one: &str, other: &str) -> bool {
    ancestors(one).any(|folder| folder == other) || ancestors(other).any(|folder| folder == one)
}

/// Puts something at a path; what cannot be there besides it goes.
fn set(files: &mut Files, path: &'static str, entry: Entry) {
    files.retain(|other, _| !exclude(path, other));
    files.insert(path, entry);
}

/// The disk, and what should be on it.
struct World {
    fs: SimFs,
    files: Files,
    /// The ledger as it should be.
    landed: Vec<Uuid>,
    next: u128,
}

impl World {
    fn uuid(&mut self) -> Uuid {
        self.next += 1;
        Uuid::from_u128(self.next)
    }

    fn wished(&self, wish: &Wish) -> Files {
        let mut after = self.files.clone();
        for (path, n) in wish {
            match n {
                Some(n) => set(&mut after, PATHS[*path], content(*n)),
                None => drop(after.remove(PATHS[*path])),
            }
        }
        after
    }

    /// The draft that makes the wish true, and the files after it; `None` if there is nothing to do.
    fn plan(&mut self, wish: &Wish) -> Option<(Draft, Files)> {
        let after = self.wished(wish);
        let paths = PATHS.iter().filter(|path| self.files.get(*path) != after.get(*path));
        let changes: Vec<_> = paths.map(|path| turn(path, self.files.get(path), after.get(path))).collect();
        (!changes.is_empty()).then(|| (draft(self.uuid(), changes), after))
    }

    fn step(&mut self, step: &Step) {
        let ledger = protocol(self.fs.clone(), None);
        match step {
            Step::Commit(wish) => {
                let Some((draft, after)) = self.plan(wish) else { return };
                let open = ledger.begin(&draft).unwrap();
                ledger.commit(open, verdict()).unwrap();
                self.landed.push(draft.uuid);
                self.files = after;
            }
            Step::Rollback(wish) => {
                let Some((draft, _)) = self.plan(wish) else { return };
                let before = self.fs.tree();
                let open = ledger.begin(&draft).unwrap();
                assert_eq!(ledger.abandon(open).unwrap().rescued, []);
                assert_eq!(self.fs.tree(), before, "with all folders");
            }
            Step::Disturbed(wish, n) => {
                let Some((draft, _)) = self.plan(wish) else { return };
                let open = ledger.begin(&draft).unwrap();
                let entry = content(*n);
                self.foreign_put(draft.changes[0].path.as_str(), &entry);
                ledger.abandon(open).unwrap();
                assert!(is_link(entry.0) || self.fs.holds(&entry.1) || draft_has(&draft, &entry.1));
            }
            Step::Crash(wish, n, seed) => {
                let Some((draft, after)) = self.plan(wish) else { return };
                self.fs.record();
                let open = ledger.begin(&draft).unwrap();
                ledger.commit(open, verdict()).unwrap();
                self.crash(draft.uuid, after, *n, *seed, true);
            }
            Step::Captured(wish, fate) => self.capture(wish, fate),
            Step::ForeignWrite(path, n) => {
                self.foreign_put(PATHS[*path], &content(*n));
                set(&mut self.files, PATHS[*path], content(*n));
            }
            Step::ForeignRemove(path) => {
                if self.files.remove(PATHS[*path]).is_some() {
                    self.fs.foreign_remove(PATHS[*path]);
                }
            }
            Step::Undo(n) => self.undo(*n),
        }
    }

    /// Another program puts something at a path, and removes whatever is in its way.
    fn foreign_put(&self, path: &str, (mode, bytes): &Entry) {
        let is_folder = |path: &str| self.fs.tree().contains_key(&format!("{path}/"));
        for folder in ancestors(path).filter(|folder| !is_folder(folder)) {
            self.fs.foreign_remove(folder);
        }
        self.fs.foreign_remove(path);
        if is_link(*mode) {
            self.fs.foreign_link(path, bytes);
        } else {
            assert!(self.fs.foreign_write(path, bytes));
        }
    }

    /// The power fails at one of the recorded moments. Where it is not `known` what is there without the transaction, the
    /// files may be the old ones or already the new ones.
    fn crash(&mut self, uuid: Uuid, after: Files, n: usize, seed: u64, known: bool) {
        let mut states = self.fs.take_snapshots();
        states.push(self.fs.volume());
        let n = n.min(states.len() - 1);
        let confirmed = n == states.len() - 1;
        self.fs = states.swap_remove(n).crash(&mut Dice::new(seed));
        let ledger = protocol(self.fs.clone(), None);
        ledger.recover().unwrap();
        let landed = ledger.find(uuid).unwrap().is_some();
        assert!(landed || !confirmed, "a confirmed commit was lost");
        if landed {
            self.landed.push(uuid);
        }
        if landed || (!known && self.on_disk() == named(&after)) {
            self.files = after;
        }
    }

    /// A command makes the wish true.
    fn capture(&mut self, wish: &Wish, fate: &Fate) {
        let after = self.wished(wish);
        let before = self.fs.tree();
        for path in PATHS.iter().filter(|path| !after.contains_key(*path) && self.files.contains_key(*path)) {
            self.fs.foreign_remove(path);
        }
        for (path, entry) in after.iter().filter(|(path, entry)| self.files.get(*path) != Some(*entry)) {
            self.foreign_put(path, entry);
        }
        self.fs.settle();
        let effects = effects(&before, &self.fs.tree());
        if effects.changes.is_empty() {
            return;
        }
        let uuid = self.uuid();
        let ledger = protocol(self.fs.clone(), None);
        self.fs.record();
        let (open, _) = ledger.adopt(draft(uuid, Vec::new()), &effects, "command").unwrap();
        match fate {
            Fate::Ends(Ending::Rollback) => {
                assert_eq!(ledger.abandon(open).unwrap().rescued, []);
                assert_eq!(self.fs.tree(), before, "with all folders");
            }
            Fate::Ends(Ending::Commit) => {
                ledger.commit(open, verdict()).unwrap();
                self.landed.push(uuid);
                self.files = after;
            }
            Fate::Crash(n, seed) => {
                ledger.commit(open, verdict()).unwrap();
                self.crash(uuid, after, *n, *seed, false);
            }
        }
    }

    /// Lands exactly if every file is as the transaction left it, and nothing else has taken a place that it needs.
    fn undo(&mut self, n: usize) {
        let Some(uuid) = self.landed.iter().rev().nth(n).copied() else { return };
        let ledger = protocol(self.fs.clone(), None);
        let record = ledger.find(uuid).unwrap().unwrap();
        let entry = |stored: &Option<Stored>| {
            stored.as_ref().map(|stored| (stored.mode, ledger.content(stored).unwrap()))
        };
        let mut after = self.files.clone();
        let mut exact = true;
        let mut changes = Vec::new();
        for change in &record.changes {
            let path = *PATHS.iter().find(|path| **path == change.path).unwrap();
            exact &= self.files.get(path) == entry(&change.after).as_ref();
            match entry(&change.before) {
                Some(before) => after.insert(path, before),
                None => after.remove(path),
            };
            changes.push(turn(path, entry(&change.after).as_ref(), entry(&change.before).as_ref()));
        }
        exact &= !after.keys().any(|one| after.keys().any(|other| exclude(one, other)));
        let prune = record.folders.iter().map(|folder| RelPath::new(folder).unwrap()).collect();
        let make = record.removed_folders.clone();
        let draft = Draft { prune, make, ..draft(self.uuid(), changes) };
        match ledger.begin(&draft) {
            Ok(open) => {
                assert!(exact, "an undo landed on files that had changed");
                ledger.commit(open, verdict()).unwrap();
                self.landed.push(draft.uuid);
                self.files = after;
            }
            Err(
                error @ (TxnError::Changed { .. }
                | TxnError::Exists { .. }
                | TxnError::NotRegular { .. }
                | TxnError::Occupied { .. }),
            ) => assert!(!exact, "{error}"),
            Err(error) => panic!("{error}"),
        }
    }

    /// The files and links, without the folders.
    fn on_disk(&self) -> BTreeMap<String, Entry> {
        self.fs.tree().into_iter().filter(|(path, _)| !path.ends_with('/')).collect()
    }

    fn check(&self) {
        assert_eq!(self.on_disk(), named(&self.files));
        let entries = protocol(self.fs.clone(), None).entries().unwrap();
        let landed: Vec<Uuid> = entries.records.iter().map(|record| record.uuid).collect();
        assert_eq!(landed, self.landed);
        assert!(entries.records.is_sorted_by(|one, next| one.sequence < next.sequence));
    }
}

fn named(files: &Files) -> BTreeMap<String, Entry> {
    files.iter().map(|(path, entry)| ((*path).to_owned(), entry.clone())).collect()
}

/// Whether the foreign bytes happen to be what the transaction itself wrote or restores.
fn draft_has(draft: &Draft, bytes: &[u8]) -> bool {
    let change = &draft.changes[0];
    change.after.as_ref().is_some_and(|target| *target.bytes == *bytes)
        || change.before.as_ref().is_some_and(|image| *image.bytes == *bytes)
}

/// How many streams are tried: more in the long run (`./test --long`).
fn cases() -> u32 {
    if std::env::var_os("RELAY_LONG_TESTS").is_some_and(|value| value == "yes") { 10_000 } else { 64 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_files_are_always_what_the_model_says(
        steps in proptest::collection::vec(step(), 1..20),
        exchange in any::<bool>(),
    ) {
        let promise = Promise { atomic_renames: true, exchange };
        let mut world = World { fs: SimFs::new(promise), files: Files::new(), landed: Vec::new(), next: 0 };
        for step in &steps {
            // What others wrote is on disk by now; only the transaction under way can lose something.
            world.fs.settle();
            world.step(step);
            world.check();
        }
    }
}
