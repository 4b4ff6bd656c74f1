//! A command runs while the transaction is pending, and what it did becomes part of it.

use super::SimFs;
use super::explore::{Moment, PROMISES, crash_and_recover};
use super::scenario::{Ending, Scenario, change, protocol, verdict};
use crate::capture::Effects;

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

/// The moments before, during and after the command's effects are taken up. Crashes in the first two may leave what the
/// command did outside the transaction; later ones may not.
fn moments(scenario: &mut Scenario, ending: Ending) -> (Vec<Moment>, Vec<Moment>) {
    let fs = SimFs::from_state(scenario.fs.state());
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
    let unknown = |state| Moment { state, known: None };
    let early = fs.take_snapshots().into_iter().map(unknown).collect();
    let taken_up = fs.state();
    match ending {
        Ending::Commit => drop(ledger.commit(open, verdict()).unwrap()),
        Ending::Rollback => drop(ledger.abandon(open).unwrap()),
    }
    let mut late: Vec<Moment> = [taken_up].into_iter().chain(fs.take_snapshots()).map(unknown).collect();
    late.push(Moment { state: fs.state(), known: Some(ending) });
    (early, late)
}

#[test]
fn what_a_command_did_lands_or_goes_with_the_transaction() {
    for promise in PROMISES {
        for ending in [Ending::Commit, Ending::Rollback] {
            let mut scenario = Scenario::new(promise);
            let (early, late) = moments(&mut scenario, ending);
            let search = |scenario: &Scenario, moments: &[Moment], rounds: u64| {
                for (n, moment) in moments.iter().enumerate() {
                    for seed in 0..rounds {
                        if let Some(violation) = crash_and_recover(scenario, moment, None, seed) {
                            panic!(
                                "{promise:?} {ending:?} moment {n} of {} seed {seed}: {violation}",
                                moments.len()
                            );
                        }
                    }
                }
            };
            search(&scenario, &early, 3);
            scenario.also = None;
            search(&scenario, &late, 3);
        }
    }
}
