//! Another program, or the disk, writes into the stage: what is not the original never comes back as if it were.

use super::explore::PROMISES;
use super::scenario::{Ending, SECOND, Scenario, protocol};
use super::{Dice, SimFs};
use crate::error::TxnError;
use crate::fs::{Fs as _, Kind};
use crate::layout::{self, BLOBS};
use crate::protocol::{Recovery, RolledBack};

/// Every file in a folder, except those that only say who lives.
fn files(fs: &SimFs, folder: &str) -> Vec<String> {
    let listed = fs.list_stats(folder).unwrap();
    let files = listed.into_iter().filter(|(name, stat)| stat.kind == Kind::File && name != "owner");
    files.map(|(name, _)| format!("{folder}/{name}")).collect()
}

/// Flips a bit, or cuts the file off.
fn damage(fs: &SimFs, path: &str, dice: &mut Dice) -> Vec<u8> {
    let mut bytes = match fs.read(path, u64::MAX).unwrap() {
        crate::fs::Found::File(bytes, _) => bytes,
        other => panic!("{path}: {other:?}"),
    };
    if bytes.is_empty() || dice.coin() {
        bytes.push(b'!');
    } else {
        let at = dice.below(bytes.len());
        bytes[at] ^= 1 << dice.below(8);
    }
    assert!(fs.foreign_write(path, &bytes));
    fs.settle();
    bytes
}

/// Begins the transaction, damages one staged file, and rolls back: at once, or after a crash.
fn roll_back(scenario: &Scenario, n: usize, dies: bool) -> Option<(SimFs, Vec<u8>, RolledBack)> {
    let fs = SimFs::from_volume(scenario.fs.volume());
    let ledger = protocol(fs.clone(), None);
    let open = ledger.begin(&scenario.draft).unwrap();
    let mut dice = Dice::new(n as u64);
    let victim = files(&fs, &layout::stage(SECOND)).get(n)?.clone();
    if !dies {
        let bytes = damage(&fs, &victim, &mut dice);
        return Some((fs, bytes, ledger.abandon(open).unwrap()));
    }
    fs.settle();
    let fs = fs.volume().crash(&mut dice);
    let bytes = damage(&fs, &victim, &mut dice);
    let mut recovered = protocol(fs.clone(), None).recover().unwrap();
    match recovered.remove(0).outcome {
        Recovery::RolledBack(done) => Some((fs, bytes, done)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_damaged_staged_original_is_kept_aside_and_the_file_comes_back_from_the_record() {
    for promise in PROMISES {
        for scenario in Scenario::all(promise) {
            for dies in [false, true] {
                let mut damaged = 0;
                for n in 0.. {
                    let Some((fs, bytes, done)) = roll_back(&scenario, n, dies) else { break };
                    assert_eq!(
                        scenario.violation(&fs, Some(Ending::Rollback)),
                        None,
                        "{} {n}",
                        scenario.name
                    );
                    damaged += done.damaged.len();
                    for kept in &done.damaged {
                        assert!(fs.holds(&bytes), "{} {n}: {kept:?}", scenario.name);
                    }
                }
                assert!(damaged > 0 || scenario.name == "links", "{}: nothing was damaged", scenario.name);
            }
        }
    }
}

#[test]
fn an_original_that_is_damaged_in_both_places_stops_the_rollback_and_stays() {
    let scenario = Scenario::new(PROMISES[0]);
    let fs = scenario.fs.clone();
    let ledger = protocol(fs.clone(), None);
    let open = ledger.begin(&scenario.draft).unwrap();
    let mut dice = Dice::new(1);
    let staged = files(&fs, &layout::stage(SECOND));
    let kept: Vec<Vec<u8>> =
        staged.iter().chain(&files(&fs, BLOBS)).map(|path| damage(&fs, path, &mut dice)).collect();
    let error = ledger.abandon(open).unwrap_err();
    assert!(matches!(error, TxnError::RollbackFailed { .. }), "{error}");
    for bytes in kept {
        assert!(fs.holds(&bytes), "nothing is thrown away");
    }
    let recovered = ledger.recover().unwrap();
    assert!(
        matches!(recovered[0].outcome, Recovery::Stuck { .. }),
        "it is not called recovered: {recovered:?}"
    );
}
