//! A transaction lands inside a command that is being captured, on a file that the command had changed: the command's own
//! step gets its place before it, or none, whatever fails.

use std::io;

use uuid::Uuid;

use super::explore::PROMISES;
use super::scenario::{change, draft, protocol, verdict};
use super::volume::Volume;
use super::{Dice, Fault, Promise, SimFs};
use crate::capture::Overtaken;
use crate::fs::Fs as _;
use crate::layout::{CAPTURE, STAGE};

const EARLIER: Uuid = Uuid::from_u128(20);
const INNER: Uuid = Uuid::from_u128(21);
const OUTER: Uuid = Uuid::from_u128(22);
const LATER: Uuid = Uuid::from_u128(23);
/// Neither of them fits into a record, so both are blobs.
const ORIGINAL: [u8; 3] = [0, 1, 2];
const RUBBISH: [u8; 3] = [0, 3, 4];

/// A disk on which the command wrote rubbish and the inner transaction landed on it, while a capture was open.
fn landed(promise: Promise) -> (SimFs, Overtaken) {
    let fs = SimFs::new(promise);
    assert!(fs.foreign_write("f", &ORIGINAL));
    let ledger = protocol(fs.clone(), None);
    let open = ledger.begin(&draft(EARLIER, vec![change("g", None, Some(b"g\n"))])).unwrap();
    ledger.commit(open, verdict()).unwrap();
    assert!(fs.foreign_write(&format!("{CAPTURE}/open-1"), b"the journal"));
    assert!(fs.foreign_write("f", &RUBBISH));
    let open = ledger.begin(&draft(INNER, vec![change("f", Some(&RUBBISH), Some(b"new\n"))])).unwrap();
    let inner = ledger.commit(open, verdict()).unwrap();
    fs.settle();
    let changes = vec![change("f", Some(&ORIGINAL), Some(&RUBBISH))];
    (fs, Overtaken { by: INNER, by_sequence: inner.sequence, changes })
}

fn enter(fs: &SimFs, overtaken: &Overtaken) -> Result<(), crate::TxnError> {
    protocol(fs.clone(), None).enter_overtaken(draft(OUTER, Vec::new()), overtaken, "wrap").map(drop)
}

/// What is wrong with a disk, if anything; then the step is entered if it is missing, and everything undone.
fn violation(fs: &SimFs, overtaken: &Overtaken, is_confirmed: bool) -> Option<String> {
    let ledger = protocol(fs.clone(), None);
    if let Err(error) = ledger.recover() {
        return Some(format!("recovery failed: {error}"));
    }
    if fs.tree()["f"].1 != b"new\n" {
        return Some(format!("the file is {:?}", fs.tree()["f"]));
    }
    let is_entered = ledger.find(OUTER).unwrap().is_some();
    if is_confirmed && !is_entered {
        return Some("a confirmed record was lost".to_owned());
    }
    if !is_entered && let Err(error) = enter(fs, overtaken) {
        return Some(format!("it cannot be entered again: {error}"));
    }
    let open = ledger.begin(&draft(LATER, vec![change("g", Some(b"g\n"), None)])).unwrap();
    ledger.commit(open, verdict()).unwrap();
    let entries = ledger.entries().unwrap();
    let order: Vec<Uuid> = entries.records.iter().map(|record| record.uuid).collect();
    if order != [EARLIER, OUTER, INNER, LATER] {
        return Some(format!("the order is {order:?}"));
    }
    if !entries.records.is_sorted_by(|one, next| one.sequence < next.sequence) {
        return Some("a number was given twice".to_owned());
    }
    // Contents that a record needs survive the forgetting of all others.
    ledger.forget(&[EARLIER].into(), false).unwrap();
    let record = ledger.find(OUTER).unwrap().unwrap();
    let before = record.changes[0].before.as_ref().unwrap();
    if ledger.content(before).ok().as_deref() != Some(&ORIGINAL) {
        return Some("the original is out of reach".to_owned());
    }
    let stages = fs.list(STAGE).unwrap();
    (!stages.is_empty()).then(|| format!("left in the stage: {stages:?}"))
}

#[test]
fn a_crash_while_a_step_is_entered_before_another_leaves_it_there_or_not_at_all() {
    for promise in PROMISES {
        let (fs, overtaken) = landed(promise);
        fs.record();
        enter(&fs, &overtaken).unwrap();
        let mut states: Vec<(Volume, bool)> =
            fs.take_snapshots().into_iter().map(|volume| (volume, false)).collect();
        states.push((fs.volume(), true));
        for (n, (volume, is_confirmed)) in states.into_iter().enumerate() {
            for seed in 0..8 {
                let fs = volume.clone().crash(&mut Dice::new(seed));
                let found = violation(&fs, &overtaken, is_confirmed);
                assert_eq!(found, None, "{promise:?} moment {n} seed {seed}");
            }
        }
    }
}

#[test]
fn a_failure_while_a_step_is_entered_before_another_loses_nothing() {
    let faults: [fn(usize) -> Fault; 2] = [|n| Fault::Fail(n, io::ErrorKind::Other), Fault::Full];
    for fault in faults {
        // Until the fault lies beyond the last operation.
        for n in 0.. {
            let (fs, overtaken) = landed(PROMISES[0]);
            fs.set_fault(Some(fault(n)));
            let result = enter(&fs, &overtaken);
            let operations = fs.operations();
            fs.set_fault(None);
            let found = violation(&fs, &overtaken, result.is_ok());
            assert_eq!(found, None, "{:?}: {result:?}", fault(n));
            if n >= operations {
                break;
            }
        }
    }
}
