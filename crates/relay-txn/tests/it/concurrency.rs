//! Many writers on one workspace.

use std::collections::BTreeSet;

use relay_txn::TxnError;

use crate::world::{World, draft};

#[test]
fn parallel_writers_lose_nothing_and_the_ledger_is_linear() {
    // Eight writers with 250 transactions each in the long run.
    let (writers, each) = if crate::world::long() { (8, 250) } else { (4, 12) };
    let world = World::new(&[]);
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let world = &world;
            scope.spawn(move || {
                let path = format!("writer{writer}");
                let mut before: Option<String> = None;
                for n in 0..each {
                    let after = format!("{n}\n");
                    world.apply(draft(&[(&path, before.as_deref(), Some(&after))])).unwrap();
                    before = Some(after);
                }
            });
        }
    });
    let entries = world.ledger.entries().unwrap();
    let numbers: Vec<u64> = entries.records.iter().map(|record| record.sequence).collect();
    assert_eq!(numbers, (1..=writers * each).collect::<Vec<_>>());
    for writer in 0..writers {
        assert_eq!(world.read(&format!("writer{writer}")), format!("{}\n", each - 1));
    }
    assert_eq!(world.leftovers(), [""; 0]);
}

#[test]
fn of_many_that_want_the_same_file_one_wins() {
    let world = World::new(&[("a", "0\n")]);
    let same = draft(&[("a", Some("0\n"), Some("same\n"))]);
    let outcomes: Vec<Result<_, TxnError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6)
            .map(|n| {
                let (world, same) = (&world, same.clone());
                // Half of them are the very same transaction, half are rivals.
                let rival = draft(&[("a", Some("0\n"), Some(&format!("{n}\n")))]);
                scope.spawn(move || world.apply(if n % 2 == 0 { same } else { rival }))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let landed: BTreeSet<_> =
        outcomes.iter().filter_map(|outcome| outcome.as_ref().ok()).map(|r| r.uuid).collect();
    assert_eq!(landed.len(), 1);
    for refusal in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        assert!(
            matches!(
                refusal,
                TxnError::Changed { .. }
                    | TxnError::Leased { .. }
                    | TxnError::InProgress { .. }
                    | TxnError::AlreadyProcessed { .. }
            ),
            "{refusal}"
        );
    }
    assert_eq!(world.ledger.entries().unwrap().records.len(), 1);
    assert_eq!(world.leftovers(), [""; 0]);
}

#[test]
fn a_reserved_path_can_be_waited_for() {
    let world = World::new(&[("a", "0\n")]);
    let first = world.ledger.begin(draft(&[("a", Some("0\n"), Some("1\n"))])).unwrap();
    let second = draft(&[("a", Some("1\n"), Some("2\n"))]);
    let refused = world.ledger.begin_when_free(&second, |_| false).err().unwrap();
    assert!(matches!(refused, TxnError::Leased { uuid, .. } if uuid == first.uuid()));

    let mut first = Some(first);
    let pending = world
        .ledger
        .begin_when_free(&second, |reason| {
            assert!(matches!(reason, TxnError::Leased { .. }), "{reason}");
            // What another process would do meanwhile.
            first.take().unwrap().commit(relay_txn::Verdict::default()).unwrap();
            true
        })
        .unwrap();
    pending.commit(relay_txn::Verdict::default()).unwrap();
    assert_eq!(world.read("a"), "2\n");
}
