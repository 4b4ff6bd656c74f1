//! Random streams of work against a map of bytes: whatever happens, the files are what the map says.

use std::collections::BTreeMap;

use proptest::prelude::*;
use relay_workspace::RelPath;
use uuid::Uuid;

use super::scenario::{change, draft, protocol, verdict};
use super::{Dice, Promise, SimFs};
use crate::draft::{Draft, FileChange, Image, Target};
use crate::error::TxnError;
use crate::record::Stored;

/// Few paths and contents, so that steps meet each other.
const PATHS: [&str; 5] = ["a", "b/c", "b/d", "e/f/g", "e/h"];
const CONTENTS: [&[u8]; 4] = [b"one\n", b"two\r\n", b"", &[0, 255, 10]];

type Files = BTreeMap<&'static str, Vec<u8>>;

/// What one step asks for: for each chosen path a content, or none.
type Wish = Vec<(usize, Option<usize>)>;

#[derive(Debug, Clone)]
enum Step {
    Commit(Wish),
    Rollback(Wish),
    /// Begins, lets somebody else write one of the paths, then rolls back.
    Disturbed(Wish, usize),
    /// Dies before some operation, with some of it surviving; then recovers.
    Crash(Wish, usize, u64),
    ForeignWrite(usize, usize),
    ForeignRemove(usize),
    /// Takes back the n-th transaction, counted from the newest.
    Undo(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let wish = || proptest::collection::vec((0..PATHS.len(), proptest::option::of(0..CONTENTS.len())), 1..4);
    prop_oneof![
        4 => wish().prop_map(Step::Commit),
        2 => wish().prop_map(Step::Rollback),
        2 => (wish(), 0..CONTENTS.len()).prop_map(|(wish, content)| Step::Disturbed(wish, content)),
        3 => (wish(), 0..80_usize, any::<u64>()).prop_map(|(wish, n, seed)| Step::Crash(wish, n, seed)),
        2 => (0..PATHS.len(), 0..CONTENTS.len()).prop_map(|(path, content)| Step::ForeignWrite(path, content)),
        1 => (0..PATHS.len()).prop_map(Step::ForeignRemove),
        3 => (0..3_usize).prop_map(Step::Undo),
    ]
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

    /// The draft that makes the wish true, and the files after it; `None` if there is nothing to do.
    fn plan(&mut self, wish: &Wish) -> Option<(Draft, Files)> {
        let mut after = self.files.clone();
        for (path, content) in wish {
            match content {
                Some(content) => after.insert(PATHS[*path], CONTENTS[*content].to_vec()),
                None => after.remove(PATHS[*path]),
            };
        }
        let changes: Vec<FileChange> = PATHS
            .iter()
            .map(|path| (path, self.files.get(path), after.get(path)))
            .filter(|(_, before, after)| before != after)
            .map(|(path, before, after)| change(path, before.map(Vec::as_slice), after.map(Vec::as_slice)))
            .collect();
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
                let open = ledger.begin(&draft).unwrap();
                assert_eq!(ledger.abandon(open).unwrap(), []);
            }
            Step::Disturbed(wish, content) => {
                let Some((draft, _)) = self.plan(wish) else { return };
                let open = ledger.begin(&draft).unwrap();
                let path = draft.changes[0].path.as_str();
                self.fs.foreign_write(path, CONTENTS[*content]);
                ledger.abandon(open).unwrap();
                assert!(self.fs.holds(CONTENTS[*content]) || draft_has(&draft, CONTENTS[*content]));
            }
            Step::Crash(wish, n, seed) => {
                let Some((draft, after)) = self.plan(wish) else { return };
                self.fs.record();
                let open = ledger.begin(&draft).unwrap();
                ledger.commit(open, verdict()).unwrap();
                let mut states = self.fs.take_snapshots();
                states.push(self.fs.state());
                let n = (*n).min(states.len() - 1);
                let confirmed = n == states.len() - 1;
                self.fs = states.swap_remove(n).crash(&mut Dice::new(*seed));
                let ledger = protocol(self.fs.clone(), None);
                ledger.recover().unwrap();
                let landed = ledger.find(draft.uuid).unwrap().is_some();
                assert!(landed || !confirmed, "a confirmed commit was lost");
                if landed {
                    self.landed.push(draft.uuid);
                    self.files = after;
                }
            }
            Step::ForeignWrite(path, content) => {
                self.fs.foreign_write(PATHS[*path], CONTENTS[*content]);
                self.files.insert(PATHS[*path], CONTENTS[*content].to_vec());
            }
            Step::ForeignRemove(path) => {
                if self.files.remove(PATHS[*path]).is_some() {
                    self.fs.foreign_remove(PATHS[*path]);
                }
            }
            Step::Undo(n) => self.undo(*n),
        }
    }

    /// Lands exactly if every file is as the transaction left it.
    fn undo(&mut self, n: usize) {
        let Some(uuid) = self.landed.iter().rev().nth(n).copied() else { return };
        let ledger = protocol(self.fs.clone(), None);
        let records = ledger.entries().unwrap().records;
        let record = records.iter().find(|record| record.uuid == uuid).unwrap();
        let bytes = |stored: &Option<Stored>| stored.as_ref().map(|stored| ledger.content(stored).unwrap());
        let mut after = self.files.clone();
        let mut exact = true;
        let mut changes = Vec::new();
        for change in &record.changes {
            let path = *PATHS.iter().find(|path| **path == change.path).unwrap();
            exact &= self.files.get(path) == bytes(&change.after).as_ref();
            match bytes(&change.before) {
                Some(before) => after.insert(path, before),
                None => after.remove(path),
            };
            changes.push(FileChange {
                path: RelPath::new(path).unwrap(),
                before: bytes(&change.after).map(|bytes| Image { bytes, mode: 0o100_644 }),
                after: bytes(&change.before).map(|bytes| Target { bytes, mode: None }),
                renamed_from: None,
                added: 0,
                removed: 0,
            });
        }
        let prune = record.folders.iter().map(|folder| RelPath::new(folder).unwrap()).collect();
        let draft = Draft { prune, ..draft(self.uuid(), changes) };
        match ledger.begin(&draft) {
            Ok(open) => {
                assert!(exact, "an undo landed on files that had changed");
                ledger.commit(open, verdict()).unwrap();
                self.landed.push(draft.uuid);
                self.files = after;
            }
            Err(TxnError::Changed { .. } | TxnError::Exists { .. }) => assert!(!exact),
            Err(error) => panic!("{error}"),
        }
    }

    fn check(&self) {
        let on_disk: BTreeMap<String, Vec<u8>> = self
            .fs
            .tree()
            .into_iter()
            .filter(|(path, _)| !path.ends_with('/'))
            .map(|(path, (_, bytes))| (path, bytes))
            .collect();
        let expected = self.files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.clone())).collect();
        assert_eq!(on_disk, expected);
        let entries = protocol(self.fs.clone(), None).entries().unwrap();
        let landed: Vec<Uuid> = entries.records.iter().map(|record| record.uuid).collect();
        assert_eq!(landed, self.landed);
        assert!(entries.records.is_sorted_by(|one, next| one.sequence < next.sequence));
    }
}

/// Whether the foreign bytes happen to be what the transaction itself wrote or restores.
fn draft_has(draft: &Draft, bytes: &[u8]) -> bool {
    let change = &draft.changes[0];
    change.after.as_ref().is_some_and(|target| target.bytes == bytes)
        || change.before.as_ref().is_some_and(|image| image.bytes == bytes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

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
