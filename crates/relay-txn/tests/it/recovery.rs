//! A process dies in the middle: the next one finishes its work.

use relay_txn::{Recovery, TxnError};

use crate::world::{World, draft};

/// Leaves a transaction as a killed process would: nothing is undone, but its locks are gone.
fn die(world: &World, draft: relay_txn::Draft) {
    let pending = world.ledger.begin(draft).unwrap();
    let stage = world.at(&format!(".relaycode/stage/{}", pending.uuid()));
    std::mem::forget(pending);
    // The lock lives as long as this process; a new file in its place has no holder.
    std::fs::remove_file(stage.join("owner")).unwrap();
    std::fs::write(stage.join("owner"), "").unwrap();
}

#[test]
fn recovery_rolls_back_what_a_dead_process_left() {
    let world = World::new(&[("a", "a\n"), ("gone", "g\n")]);
    let before = world.tree();
    die(
        &world,
        draft(&[("a", Some("a\n"), Some("A\n")), ("gone", Some("g\n"), None), ("d/n", None, Some("n"))]),
    );
    assert_ne!(world.tree(), before);
    let recovered = world.ledger.recover().unwrap();
    assert_eq!(recovered.len(), 1);
    assert_eq!(recovered[0].paths, ["a", "gone", "d/n"]);
    assert!(matches!(&recovered[0].outcome, Recovery::RolledBack(done) if done.rescued.is_empty()));
    assert_eq!(world.tree(), before);
    assert_eq!(world.leftovers(), [""; 0]);
    assert_eq!(world.ledger.recover().unwrap().len(), 0);
}

#[test]
fn the_next_transaction_recovers_automatically() {
    let world = World::new(&[("a", "a\n")]);
    die(&world, draft(&[("a", Some("a\n"), Some("A\n"))]));
    world.apply(draft(&[("a", Some("a\n"), Some("new\n"))])).unwrap();
    assert_eq!(world.read("a"), "new\n");
    assert_eq!(world.leftovers(), [""; 0]);
}

#[test]
fn recovery_does_without_the_staging_folder() {
    let world = World::new(&[("a", "a\n")]);
    world.set_mode("a", 0o640);
    let before = world.tree();
    die(&world, draft(&[("a", Some("a\n"), Some("A\n"))]));
    std::fs::remove_dir_all(world.at(".relaycode/stage")).unwrap();
    assert_eq!(world.ledger.recover().unwrap().len(), 1);
    assert_eq!(world.tree(), before, "from the contents kept in the record");
}

#[test]
fn a_living_transaction_is_left_alone_and_its_paths_are_reserved() {
    let world = World::new(&[("a/b", "b\n"), ("c", "c\n")]);
    let pending = world.ledger.begin(draft(&[("a/b", Some("b\n"), Some("B\n"))])).unwrap();
    assert_eq!(world.ledger.recover().unwrap().len(), 0);
    for (path, before) in [("a/b", Some("B\n")), ("a", None), ("a/b/c", None)] {
        let error = world.ledger.begin(draft(&[(path, before, Some("x"))])).err().unwrap();
        assert!(matches!(error, TxnError::Leased { uuid, .. } if uuid == pending.uuid()), "{path}: {error}");
    }
    let same = relay_txn::Draft { uuid: pending.uuid(), ..draft(&[("new", None, Some("x"))]) };
    assert!(matches!(world.ledger.begin(same), Err(TxnError::InProgress { .. })));
    world.apply(draft(&[("c", Some("c\n"), Some("C\n"))])).unwrap();
    pending.commit(relay_txn::Verdict::default()).unwrap();
    assert_eq!((world.read("a/b"), world.read("c")), ("B\n".to_owned(), "C\n".to_owned()));
    let order: Vec<u64> =
        world.ledger.entries().unwrap().records.iter().map(|record| record.sequence).collect();
    assert_eq!(order, [1, 2]);
}

#[test]
fn a_transaction_that_cannot_be_rolled_back_blocks_only_its_own_paths() {
    let world = World::new(&[("folder/a", "a\n"), ("b", "b\n")]);
    die(&world, draft(&[("folder/a", Some("a\n"), Some("A\n"))]));
    std::fs::rename(world.at("folder"), world.at("moved")).unwrap();
    std::os::unix::fs::symlink("moved", world.at("folder")).unwrap();
    let recovered = world.ledger.recover().unwrap();
    assert!(matches!(recovered[0].outcome, Recovery::Stuck { .. }));
    assert_eq!(world.read("moved/a"), "A\n", "nothing is written through a link");
    world.apply(draft(&[("b", Some("b\n"), Some("B\n"))])).unwrap();
    std::fs::remove_file(world.at("folder")).unwrap();
    std::fs::rename(world.at("moved"), world.at("folder")).unwrap();
    assert!(matches!(world.ledger.recover().unwrap()[0].outcome, Recovery::RolledBack(_)));
    assert_eq!(world.read("folder/a"), "a\n");
}
