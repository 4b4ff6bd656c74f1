//! A command runs while the transaction is pending, and what it did becomes part of it.

use super::explore::{Moment, PROMISES, crash_and_recover};
use super::scenario::{Ending, SECOND, Scenario, change, effects, protocol, verdict};
use super::{Fault, SimFs};
use crate::capture::Effects;
use crate::draft::Draft;
use crate::error::TxnError;
use crate::protocol::Recovery;

/// What a formatter might do: to a file of the transaction, to another one, and with files of its own.
fn run_command(fs: &SimFs) -> Effects {
    fs.foreign_write("src/a.rs", b"formatted a\n");
    fs.foreign_write("keep.txt", b"formatted\n");
    fs.foreign_write("out/made.txt", b"made\n");
    fs.foreign_remove("deep/er/new.txt");
    // The command wrote with care; whether it did is not what is looked at here.
    fs.settle();
    Effects {
        changes: vec![
            change("src/a.rs", Some(b"new a\n"), Some(b"formatted a\n")),
            change("keep.txt", Some(b"kept\n"), Some(b"formatted\n")),
            change("out/made.txt", None, Some(b"made\n")),
            change("deep/er/new.txt", Some(b"hello\n"), None),
        ],
        made_folders: vec!["out".to_owned()],
        ..Effects::default()
    }
}

/// The moments in which the effect of a command becomes a transaction of its own, and those after. Crashes in the first may
/// leave what the command did; later ones may not.
fn adoption(scenario: &mut Scenario, ending: Ending) -> (Vec<Moment>, Vec<Moment>) {
    let fs = SimFs::from_volume(scenario.fs.volume());
    fs.foreign_become(&scenario.new);
    scenario.also = Some(scenario.new.clone());
    let ledger = protocol(fs.clone(), None);
    fs.record();
    let draft = Draft { changes: Vec::new(), ..scenario.draft.clone() };
    let (open, others) = ledger.adopt(draft, &effects(&scenario.old, &scenario.new), "wrap").unwrap();
    assert!(others.is_empty());
    endings(&fs, ending, || match ending {
        Ending::Commit => drop(ledger.commit(open, verdict()).unwrap()),
        Ending::Rollback => assert_eq!(ledger.abandon(open).unwrap().rescued, []),
    })
}

/// The moments recorded so far, and those of the transaction's end.
fn endings(fs: &SimFs, ending: Ending, end: impl FnOnce()) -> (Vec<Moment>, Vec<Moment>) {
    let unknown = |volume| Moment { volume, known: None };
    let early = fs.take_snapshots().into_iter().map(unknown).collect();
    let taken_up = fs.volume();
    end();
    let mut late: Vec<Moment> = [taken_up].into_iter().chain(fs.take_snapshots()).map(unknown).collect();
    late.push(Moment { volume: fs.volume(), known: Some(ending) });
    (early, late)
}

/// The moments before, during and after the command's effects are taken up. Crashes in the first two may leave what the
/// command did outside the transaction; later ones may not.
fn moments(scenario: &mut Scenario, ending: Ending) -> (Vec<Moment>, Vec<Moment>) {
    let fs = SimFs::from_volume(scenario.fs.volume());
    let ledger = protocol(fs.clone(), None);
    let mut open = ledger.begin(&scenario.draft).unwrap();
    let effects = run_command(&fs);
    scenario.new = fs.tree();
    let mut also = scenario.old.clone();
    for path in ["keep.txt", "out/", "out/made.txt"] {
        also.insert(path.to_owned(), scenario.new[path].clone());
    }
    scenario.also = Some(also);

    fs.record();
    assert!(ledger.extend(&mut open, &effects, "formatter").unwrap().is_empty());
    endings(&fs, ending, || match ending {
        Ending::Commit => drop(ledger.commit(open, verdict()).unwrap()),
        Ending::Rollback => drop(ledger.abandon(open).unwrap()),
    })
}

/// Crashes at every moment, a few times.
fn search(scenario: &Scenario, moments: &[Moment], rounds: u64) {
    for (n, moment) in moments.iter().enumerate() {
        for seed in 0..rounds {
            if let Some(violation) = crash_and_recover(scenario, moment, None, seed) {
                panic!("{} moment {n} of {} seed {seed}: {violation}", scenario.name, moments.len());
            }
        }
    }
}

#[test]
fn a_commands_changes_land_or_roll_back_with_the_transaction() {
    for promise in PROMISES {
        for ending in [Ending::Commit, Ending::Rollback] {
            let mut scenario = Scenario::new(promise);
            let (early, late) = moments(&mut scenario, ending);
            search(&scenario, &early, 3);
            scenario.also = None;
            search(&scenario, &late, 3);
        }
    }
}

#[test]
fn a_command_may_do_anything_with_files_links_and_folders() {
    for promise in PROMISES {
        for ending in [Ending::Commit, Ending::Rollback] {
            for mut scenario in Scenario::all(promise) {
                let (early, late) = adoption(&mut scenario, ending);
                search(&scenario, &early, 1);
                scenario.also = None;
                search(&scenario, &late, 3);
            }
        }
    }
}

#[test]
fn a_full_disk_delays_the_rollback_of_a_command() {
    for promise in PROMISES {
        for scenario in Scenario::all(promise) {
            let fs = scenario.fs.clone();
            fs.foreign_become(&scenario.new);
            let ledger = protocol(fs.clone(), None);
            let draft = Draft { changes: Vec::new(), ..scenario.draft.clone() };
            let (open, _) = ledger.adopt(draft, &effects(&scenario.old, &scenario.new), "wrap").unwrap();
            fs.set_fault(Some(Fault::Full(0)));
            let error = ledger.abandon(open).unwrap_err();
            assert!(matches!(error, TxnError::RollbackFailed { uuid: SECOND, .. }), "{error}");
            let recovered = ledger.recover().unwrap();
            assert!(matches!(recovered[0].outcome, Recovery::Stuck { .. }), "still full: {recovered:?}");
            fs.set_fault(None);
            let recovered = ledger.recover().unwrap();
            assert!(matches!(&recovered[0].outcome, Recovery::RolledBack(done) if done.rescued.is_empty()));
            assert_eq!(scenario.violation(&fs, Some(Ending::Rollback)), None);
        }
    }
}
