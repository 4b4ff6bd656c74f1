//! Somebody else saves a file at the worst moment: it is noticed or comes after, and never lost.

use super::disk::{FOREIGN, How};
use super::scenario::{Scenario, protocol, verdict};
use super::{Fault, Promise, SimFs};
use crate::error::TxnError;

/// Runs the transaction while somebody writes `path` before operation `n`. Returns how many operations there were.
fn meddle(scenario: &Scenario, path: &'static str, how: How, n: usize, commits: bool) -> usize {
    let fs = SimFs::from_state(scenario.fs.state());
    let ledger = protocol(fs.clone(), None);
    fs.set_fault(Some(Fault::Meddle(n, path, how)));
    let context = format!("{path} {how:?} before operation {n}, commits: {commits}");
    let result = ledger.begin(&scenario.draft).map(|open| {
        if commits { ledger.commit(open, verdict()).map(drop) } else { ledger.abandon(open).map(drop) }
    });
    let operations = fs.operations();
    fs.set_fault(None);
    let happened = operations > n;
    assert!(!happened || fs.holds(FOREIGN), "{context}: lost, {result:?}");
    let at_path = fs.tree().get(path).map(|(_, bytes)| bytes.clone());
    match result {
        Err(TxnError::Changed { .. } | TxnError::Exists { .. }) => {
            assert_eq!(at_path.as_deref(), Some(FOREIGN), "{context}: refused, so it stays where it is");
        }
        Ok(Ok(())) | Err(TxnError::Interfered { .. }) => {}
        other => panic!("{context}: {other:?}"),
    }
    assert!(ledger.recover().unwrap().is_empty(), "{context}");
    operations
}

#[test]
fn what_others_write_meanwhile_is_never_lost() {
    for exchange in [true, false] {
        let scenario = Scenario::new(Promise { atomic_renames: true, exchange });
        for path in ["src/a.rs", "made/here.txt", "image.bin", "deep/er/new.txt"] {
            for how in [How::InPlace, How::Replacing] {
                for commits in [true, false] {
                    let last = (0..).find(|n| meddle(&scenario, path, how, *n, commits) <= *n);
                    assert!(last > Some(20), "the meddler got his chances");
                }
            }
        }
    }
}
