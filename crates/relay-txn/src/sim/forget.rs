//! Old records are forgotten while the power may fail: what stays is whole and says the same, the rest goes next time.

use std::collections::BTreeSet;
use std::io;

use uuid::Uuid;

use super::explore::PROMISES;
use super::scenario::{Tree, change, draft, protocol, verdict};
use super::volume::Volume;
use super::{Dice, Fault, Promise, SimFs};
use crate::draft::{Draft, FileChange};
use crate::fs::Fs;
use crate::layout::BLOBS;
use crate::record::Record;
use crate::undoes::Undoes;

/// The transactions of the ledger, oldest first; all but the last two are forgotten.
const ALL: [Uuid; 6] = [uuid(1), uuid(2), uuid(3), uuid(4), uuid(5), uuid(6)];
const KEPT: [Uuid; 2] = [uuid(5), uuid(6)];
/// Undoes the second one, and is undone itself by the fourth.
const UNDO: Uuid = uuid(3);
/// What is made after the crash.
const LATER: Uuid = uuid(7);

const fn uuid(n: u128) -> Uuid {
    Uuid::from_u128(n)
}

/// A ledger of which a beginning is to be forgotten.
struct Aging {
    fs: SimFs,
    tree: Tree,
    doomed: BTreeSet<Uuid>,
}

/// Not text, so that it is kept outside the record; neighbours in the ledger share it.
fn picture(version: u8) -> Vec<u8> {
    vec![0, 255, version]
}

fn redraw(version: u8) -> FileChange {
    let before = (version > 1).then(|| picture(version - 1));
    change("image.bin", before.as_deref(), Some(&picture(version)))
}

fn aging(promise: Promise) -> Aging {
    let fs = SimFs::new(promise);
    let ledger = protocol(fs.clone(), None);
    for (uuid, version) in ALL.into_iter().zip(1..) {
        let mut draft = draft(uuid, vec![redraw(version)]);
        if uuid == UNDO || uuid == ALL[3] {
            draft.header.undoes = vec![Undoes::whole(ALL[usize::from(version) - 2])];
        }
        let open = ledger.begin(&draft).unwrap();
        ledger.commit(open, verdict()).unwrap();
    }
    fs.settle();
    let doomed = ALL.into_iter().filter(|uuid| !KEPT.contains(uuid)).collect();
    Aging { tree: fs.tree(), fs, doomed }
}

impl Aging {
    /// The disk just before each operation of forgetting, and after the last one.
    fn moments(&self) -> Vec<Volume> {
        let fs = SimFs::from_volume(self.fs.volume());
        fs.record();
        let forgotten = protocol(fs.clone(), None).forget(&self.doomed, false).unwrap();
        // The last picture of the doomed ones is the first that the others need.
        assert_eq!((forgotten.records, forgotten.blobs), (4, 3));
        fs.take_snapshots().into_iter().chain([fs.volume()]).collect()
    }

    /// Crashes, forgets once more with further crashes now and then, and says what is wrong with what is left.
    fn crash_and_forget(&self, volume: Volume, seed: u64) -> Option<String> {
        let mut dice = Dice::new(seed);
        let mut fs = volume.crash(&mut dice);
        for _ in 0..dice.below(3) {
            if let Some(violation) = self.left_whole(&fs) {
                return Some(violation);
            }
            fs.sample(&mut dice);
            if let Err(error) = protocol(fs.clone(), None).forget(&self.doomed, false) {
                return Some(format!("forgetting again failed: {error}"));
            }
            let Some(volume) = fs.take_sample() else { break };
            fs = volume.crash(&mut dice);
        }
        self.left_whole(&fs).or_else(|| self.goes_on(&fs, dice.coin()))
    }

    /// Whatever was forgotten so far, the rest is as it was.
    fn left_whole(&self, fs: &SimFs) -> Option<String> {
        let ledger = protocol(fs.clone(), None);
        let entries = match ledger.entries() {
            Ok(entries) => entries,
            Err(error) => return Some(format!("the ledger is unreadable: {error}")),
        };
        if !entries.foreign.is_empty() {
            return Some(format!("left in the ledger: {:?}", entries.foreign));
        }
        let left: Vec<Uuid> = entries.records.iter().map(|record| record.uuid).collect();
        if !left.ends_with(&KEPT) {
            return Some(format!("something else was forgotten: {left:?} are left"));
        }
        for (target, taker) in [(ALL[1], UNDO), (UNDO, ALL[3])] {
            if left.contains(&target) && !left.contains(&taker) {
                return Some(format!("what took {target} back is gone before it: {left:?} are left"));
            }
        }
        let images = entries.records.iter().flat_map(|record| &record.changes);
        for stored in images.flat_map(|change| [&change.before, &change.after]).flatten() {
            if let Err(error) = ledger.content(stored) {
                return Some(format!("a content of the ledger is lost: {error}"));
            }
        }
        (fs.tree() != self.tree).then(|| "forgetting changed the workspace".to_owned())
    }

    /// The newest transaction can be undone, and forgetting comes to its end, in either order.
    fn goes_on(&self, fs: &SimFs, undo_first: bool) -> Option<String> {
        if undo_first {
            take_back_newest(fs);
        }
        if let Err(error) = protocol(fs.clone(), None).forget(&self.doomed, false) {
            return Some(format!("forgetting again failed: {error}"));
        }
        if !undo_first {
            take_back_newest(fs);
        }
        let records = protocol(fs.clone(), None).entries().unwrap().records;
        let left: Vec<Uuid> = records.iter().map(|record| record.uuid).collect();
        if left != [KEPT[0], KEPT[1], LATER] {
            return Some(format!("forgotten to the end, but {left:?} are left"));
        }
        if !records.is_sorted_by(|one, next| one.sequence < next.sequence) {
            return Some("a number was given twice".to_owned());
        }
        let blobs: BTreeSet<String> = fs.list(BLOBS).unwrap().into_iter().collect();
        (blobs != needed(&records)).then(|| format!("the contents {blobs:?} are left"))
    }
}

/// What `relay undo` would do: the last picture becomes the one before.
fn take_back_newest(fs: &SimFs) {
    let ledger = protocol(fs.clone(), None);
    let back = change("image.bin", Some(&picture(6)), Some(&picture(5)));
    let undo: Draft = draft(LATER, vec![back]);
    let open = ledger.begin(&undo).unwrap();
    ledger.commit(open, verdict()).unwrap();
}

fn needed(records: &[Record]) -> BTreeSet<String> {
    let images = records.iter().flat_map(|record| &record.changes).flat_map(|c| [&c.before, &c.after]);
    images.flatten().map(|stored| stored.hash.clone()).collect()
}

#[test]
fn a_crash_while_forgetting_harms_nothing_that_is_left() {
    for promise in PROMISES {
        let aging = aging(promise);
        for (n, moment) in aging.moments().into_iter().enumerate() {
            for round in 0..4 {
                let seed = 4 * n as u64 + round;
                if let Some(violation) = aging.crash_and_forget(moment.clone(), seed) {
                    panic!("{promise:?} moment {n} seed {seed}: {violation}");
                }
            }
        }
    }
}

#[test]
fn a_failure_while_forgetting_harms_nothing_that_is_left() {
    let faults: [fn(usize) -> Fault; 2] = [|n| Fault::Fail(n, io::ErrorKind::Other), Fault::Full];
    let aging = aging(PROMISES[0]);
    for fault in faults {
        // Until the fault lies beyond the last operation.
        for n in 0.. {
            let fs = SimFs::from_volume(aging.fs.volume());
            fs.set_fault(Some(fault(n)));
            let result = protocol(fs.clone(), None).forget(&aging.doomed, false);
            let operations = fs.operations();
            fs.set_fault(None);
            let crashed = aging.crash_and_forget(fs.volume(), n as u64);
            let violation = aging.left_whole(&fs).or_else(|| aging.goes_on(&fs, n % 2 == 0)).or(crashed);
            assert_eq!(violation, None, "{:?}: {result:?}", fault(n));
            if n >= operations {
                break;
            }
        }
    }
}
