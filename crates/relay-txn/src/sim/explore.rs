//! Crashes and failures at every operation, with every kind of survival.
//!
//! `RELAY_SIM_STATES` sets the number of crash states to look at (10,000 otherwise), `RELAY_SIM_SEED` where to start.

use std::io;

use super::flaws::Flaw;
use super::scenario::{Ending, Scenario, protocol, shown, verdict};
use super::volume::Volume;
use super::{Dice, Fault, Promise};
use crate::error::TxnError;

pub(super) const PROMISES: [Promise; 4] = [
    Promise { atomic_renames: true, exchange: true },
    Promise { atomic_renames: true, exchange: false },
    Promise { atomic_renames: false, exchange: true },
    Promise { atomic_renames: false, exchange: false },
];

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// A disk just before an operation, and what the caller knew by then.
pub(super) struct Moment {
    pub(super) volume: Volume,
    pub(super) known: Option<Ending>,
}

/// Runs the transaction once and keeps every moment of it.
fn moments(scenario: &Scenario, ending: Ending, flaw: Option<Flaw>) -> Vec<Moment> {
    let fs = super::SimFs::from_volume(scenario.fs.volume());
    fs.record();
    let ledger = protocol(fs.clone(), flaw);
    let open = ledger.begin(&scenario.draft).unwrap();
    match ending {
        Ending::Commit => drop(ledger.commit(open, verdict()).unwrap()),
        Ending::Rollback => drop(ledger.abandon(open).unwrap()),
    }
    let during = fs.take_snapshots().into_iter().map(|volume| Moment { volume, known: None });
    during.chain([Moment { volume: fs.volume(), known: Some(ending) }]).collect()
}

/// Crashes at a moment, recovers, now and then crashes during the recovery too, and looks at what is left.
pub(super) fn crash_and_recover(
    scenario: &Scenario,
    moment: &Moment,
    flaw: Option<Flaw>,
    seed: u64,
) -> Option<String> {
    let mut dice = Dice::new(seed);
    let mut fs = moment.volume.clone().crash(&mut dice);
    for _ in 0..dice.below(3) {
        fs.sample(&mut dice);
        if let Err(error) = protocol(fs.clone(), flaw).recover() {
            return Some(format!("recovery failed: {error}"));
        }
        let Some(volume) = fs.take_sample() else { break };
        fs = volume.crash(&mut dice);
    }
    match protocol(fs.clone(), flaw).recover() {
        Ok(_) => scenario.violation(&fs, moment.known),
        Err(error) => Some(format!("recovery failed: {error}")),
    }
}

/// Every kind of transaction on every kind of disk.
fn everywhere() -> impl Iterator<Item = (Promise, Scenario)> {
    let with = |promise| Scenario::all(promise).into_iter().map(move |scenario| (promise, scenario));
    PROMISES.into_iter().flat_map(with)
}

/// Looks at `states` crash states; returns the first violation with the seed that shows it again.
fn explore(states: u64, flaw: Option<Flaw>) -> Option<(u64, String)> {
    let mut seed = setting("RELAY_SIM_SEED", 0);
    let runs: Vec<(Scenario, Vec<Moment>)> = [Ending::Commit, Ending::Rollback]
        .into_iter()
        .flat_map(|ending| everywhere().map(move |(_, scenario)| (scenario, ending)))
        .map(|(scenario, ending)| {
            let moments = moments(&scenario, ending, flaw);
            (scenario, moments)
        })
        .collect();
    let last = seed + states;
    while seed < last {
        // Every moment of every run gets its turn before any gets a second one.
        for (scenario, moments) in &runs {
            for moment in moments {
                if let Some(violation) = crash_and_recover(scenario, moment, flaw, seed) {
                    return Some((seed, format!("{}: {violation}", scenario.name)));
                }
                seed += 1;
            }
        }
    }
    None
}

#[test]
fn every_crash_leaves_all_old_or_all_new() {
    let states = setting("RELAY_SIM_STATES", 10_000);
    if let Some((seed, violation)) = explore(states, None) {
        panic!("seed {seed}: {violation}");
    }
}

#[test]
fn broken_protocols_are_caught() {
    for flaw in Flaw::ALL {
        assert!(explore(10_000, Some(flaw)).is_some(), "{flaw:?} was not noticed");
    }
}

/// One run with a fault; afterwards the disk works again, or crashes, and recovery must make sense of it.
fn fail_and_recover(scenario: &Scenario, ending: Ending, fault: Fault) -> (usize, Option<String>) {
    let fs = super::SimFs::from_volume(scenario.fs.volume());
    let ledger = protocol(fs.clone(), None);
    fs.set_fault(Some(fault));
    let result = ledger.begin(&scenario.draft).and_then(|open| match ending {
        Ending::Commit => ledger.commit(open, verdict()).map(|_| ()),
        Ending::Rollback => ledger.abandon(open).map(|_| ()),
    });
    let operations = fs.operations();
    fs.set_fault(None);
    let known = match &result {
        Ok(()) => Some(ending),
        Err(TxnError::NotDurable { .. } | TxnError::RollbackFailed { .. }) => None,
        Err(error) => {
            if fs.tree() != scenario.old {
                return (operations, Some(format!("refused ({error}), but the files are {:#?}", shown(&fs))));
            }
            Some(Ending::Rollback)
        }
    };
    let crashed = fs.volume();
    let mut violation = match ledger.recover() {
        Ok(_) => scenario.violation(&fs, known),
        Err(error) => Some(format!("recovery failed: {error}")),
    };
    for seed in 0..2 {
        let moment = Moment { volume: crashed.clone(), known };
        violation = violation.or_else(|| crash_and_recover(scenario, &moment, None, seed));
    }
    (operations, violation.map(|violation| format!("{result:?}: {violation}")))
}

#[test]
fn every_failure_leaves_all_old_or_all_new() {
    let faults: [fn(usize) -> Fault; 2] = [|n| Fault::Fail(n, io::ErrorKind::Other), Fault::Full];
    for (promise, scenario) in everywhere() {
        for ending in [Ending::Commit, Ending::Rollback] {
            for fault in faults {
                // Until the fault lies beyond the last operation.
                for n in 0.. {
                    let (operations, violation) = fail_and_recover(&scenario, ending, fault(n));
                    if let Some(violation) = violation {
                        panic!("{promise:?} {} {ending:?} {:?}: {violation}", scenario.name, fault(n));
                    }
                    if n >= operations {
                        break;
                    }
                }
            }
        }
    }
}

#[test]
fn a_full_disk_cannot_stop_a_rollback() {
    for (_, scenario) in everywhere() {
        let ledger = protocol(scenario.fs.clone(), None);
        let open = ledger.begin(&scenario.draft).unwrap();
        assert_eq!(scenario.fs.tree(), scenario.new);
        scenario.fs.set_fault(Some(Fault::Full(0)));
        assert_eq!(ledger.abandon(open).unwrap().rescued, []);
        assert_eq!(scenario.violation(&scenario.fs, Some(Ending::Rollback)), None);
    }
}
