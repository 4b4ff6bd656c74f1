//! Another program saves a file at the worst moment: it is noticed or comes after, and never lost, not even if the power
//! fails afterwards.

use super::disk::{FOREIGN, How};
use super::scenario::{Scenario, protocol, verdict};
use super::{Dice, Fault, Promise, SimFs};
use crate::error::TxnError;
use crate::protocol::Recovery;

/// Runs the transaction while another program writes `path` before operation `n`. Returns how many operations there
/// were.
fn meddle(scenario: &Scenario, path: &'static str, how: How, n: usize, commits: bool) -> usize {
    let fs = SimFs::from_volume(scenario.fs.volume());
    let ledger = protocol(fs.clone(), None);
    fs.set_fault(Some(Fault::Meddle(n, path, how)));
    let context = format!("{} {path} {how:?} before operation {n}, commits: {commits}", scenario.name);
    let result = ledger.begin(&scenario.draft).map(|open| {
        if commits { ledger.commit(open, verdict()).map(drop) } else { ledger.abandon(open).map(drop) }
    });
    let operations = fs.operations();
    fs.set_fault(None);
    let crashed = fs.take_sample();
    let at_path = fs.tree().get(path).map(|(_, bytes)| bytes.clone());
    assert!(!fs.was_meddled() || fs.holds(FOREIGN), "{context}: lost, {result:?}");
    match result {
        Err(TxnError::Changed { .. } | TxnError::Exists { .. } | TxnError::Occupied { .. }) => {
            assert_eq!(at_path.as_deref(), Some(FOREIGN), "{context}: refused, so it stays where it is");
        }
        Ok(Ok(())) | Err(TxnError::Interfered { .. }) => {}
        // A folder and a file cannot share a name; a person has to sort that out.
        Err(TxnError::NotRegular { .. }) if scenario.name != "usual" => {}
        Ok(Err(TxnError::Interfered { .. })) if how == How::Replacing => {}
        // A folder vanished just after it was put back; the next recovery puts it back again.
        Ok(Err(TxnError::RollbackFailed { .. })) if how == How::Replacing => {
            let recovered = ledger.recover().unwrap();
            assert!(matches!(recovered[0].outcome, Recovery::RolledBack(_)), "{context}: {recovered:?}");
            assert!(fs.holds(FOREIGN), "{context}");
        }
        other => panic!("{context}: {other:?}"),
    }
    assert!(ledger.recover().unwrap().is_empty(), "{context}");
    if let Some(volume) = crashed {
        let fs = volume.crash(&mut Dice::new(n as u64));
        protocol(fs.clone(), None).recover().unwrap();
        assert!(fs.holds(FOREIGN), "{context}: lost in a crash");
    }
    operations
}

#[test]
fn concurrent_writes_are_never_lost() {
    for exchange in [true, false] {
        let promise = Promise { atomic_renames: true, exchange };
        let usual = (Scenario::new(promise), ["src/a.rs", "made/here.txt", "image.bin", "deep/er/new.txt"]);
        let swaps = (Scenario::swaps(promise), ["f", "f/mine", "g", "g/sub/mine"]);
        let more = (Scenario::swaps(promise), ["h", "h/mine", "l/in", "g/x"]);
        let links = (Scenario::links(promise), ["aim", "gone", "to-link", "twin"]);
        for (scenario, paths) in [usual, swaps, more, links] {
            for path in paths {
                for how in [How::InPlace, How::Replacing] {
                    for commits in [true, false] {
                        let last = (0..).find(|n| meddle(&scenario, path, how, *n, commits) <= *n);
                        assert!(last > Some(20), "the meddler got his chances");
                    }
                }
            }
        }
    }
}

#[test]
fn files_deleted_by_others_in_time_stay_deleted() {
    for exchange in [true, false] {
        let scenario = Scenario::new(Promise { atomic_renames: true, exchange });
        // One is changed, the other one is deleted.
        for path in ["src/a.rs", "image.bin"] {
            let mut refused = 0;
            for n in 0.. {
                let fs = SimFs::from_volume(scenario.fs.volume());
                let before = fs.tree();
                let ledger = protocol(fs.clone(), None);
                fs.set_fault(Some(Fault::Meddle(n, path, How::Removing)));
                let result = ledger.begin(&scenario.draft).and_then(|open| ledger.commit(open, verdict()));
                if fs.operations() <= n {
                    break;
                }
                fs.set_fault(None);
                if let Err(error) = result {
                    refused += 1;
                    assert!(matches!(error, TxnError::Changed { path: named } if named == path));
                    let mut expected = before;
                    expected.remove(path);
                    assert_eq!(fs.tree(), expected, "{path} before operation {n}");
                }
            }
            assert!(refused > 0, "{path}: it is noticed");
        }
    }
}

#[test]
fn permissions_that_others_change_meanwhile_stay() {
    for exchange in [true, false] {
        let scenario = Scenario::new(Promise { atomic_renames: true, exchange });
        let mut refused = 0;
        for n in 0.. {
            let fs = SimFs::from_volume(scenario.fs.volume());
            let ledger = protocol(fs.clone(), None);
            fs.set_fault(Some(Fault::Meddle(n, "src/a.rs", How::Permissions)));
            let result = ledger.begin(&scenario.draft).and_then(|open| ledger.commit(open, verdict()));
            if fs.operations() <= n {
                break;
            }
            fs.set_fault(None);
            refused += usize::from(result.is_err());
            let mode = fs.tree().get("src/a.rs").map(|(mode, _)| *mode);
            assert!(
                !fs.was_meddled() || mode == Some(0o100_600),
                "before operation {n}: {mode:?}, {result:?}"
            );
        }
        assert!(refused > 0, "it is noticed");
    }
}
