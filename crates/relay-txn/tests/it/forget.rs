//! Forgetting old transactions, and the contents that only they needed.

use std::collections::BTreeSet;

use relay_txn::Forgotten;

use crate::world::{World, draft};

/// Large enough to become a blob.
fn large(letter: &str) -> String {
    letter.repeat(100_000)
}

fn blobs(world: &World) -> usize {
    std::fs::read_dir(world.at(".relaycode/blobs")).map_or(0, Iterator::count)
}

#[test]
fn forgetting_removes_records_and_only_unneeded_contents() {
    let world = World::new(&[]);
    let land =
        |before: Option<&str>, after: &str| world.apply(draft(&[("a.txt", before, Some(after))])).unwrap();
    let first = land(None, &large("a"));
    let second = land(Some(&large("a")), &large("b"));
    let third = land(Some(&large("b")), "small\n");
    assert_eq!(blobs(&world), 2);

    let planned = world.ledger.forget(&BTreeSet::from([first.uuid]), true).unwrap();
    assert_eq!((planned.records, planned.blobs), (1, 0), "the second still needs what the first left");
    assert_eq!(world.ledger.entries().unwrap().records.len(), 3, "a dry run removes nothing");

    let gone = world.ledger.forget(&BTreeSet::from([first.uuid, second.uuid]), false).unwrap();
    assert_eq!((gone.records, gone.blobs, gone.busy), (2, 1, false));
    assert!(gone.bytes > 100_000);
    assert_eq!(blobs(&world), 1, "the third can still be undone");
    let left = world.ledger.entries().unwrap();
    assert_eq!(left.records.iter().map(|record| record.uuid).collect::<Vec<_>>(), [third.uuid]);
    let before = left.records[0].changes[0].before.as_ref().unwrap();
    assert_eq!(world.ledger.content(before).unwrap(), large("b").as_bytes());
    assert_eq!(land(Some("small\n"), "next\n").sequence, 4, "numbers go on");
}

#[test]
fn orphaned_contents_are_removed_and_unknown_names_stay() {
    let world = World::new(&[]);
    let pending = world.ledger.begin(draft(&[("a.txt", None, Some(&large("a")))])).unwrap();
    pending.rollback().unwrap();
    world.write(".relaycode/blobs/README", "mine");
    assert_eq!(blobs(&world), 2);
    assert_eq!(world.ledger.forget(&BTreeSet::new(), false).unwrap().blobs, 1);
    assert_eq!(world.read(".relaycode/blobs/README"), "mine");
}

#[test]
fn contents_of_a_transaction_under_way_are_left_alone() {
    let world = World::new(&[]);
    let pending = world.ledger.begin(draft(&[("a.txt", None, Some(&large("a")))])).unwrap();
    let gone = world.ledger.forget(&BTreeSet::new(), false).unwrap();
    assert_eq!(gone, Forgotten { busy: true, ..Forgotten::default() });
    assert_eq!(blobs(&world), 1);
    drop(pending);
}

#[test]
fn nothing_is_made_where_nothing_has_landed() {
    let world = World::new(&[]);
    assert_eq!(world.ledger.forget(&BTreeSet::new(), false).unwrap(), Forgotten::default());
    assert!(!world.at(".relaycode").exists());
}

#[test]
fn no_number_is_given_twice_when_the_index_lacks_a_record() {
    let world = World::new(&[]);
    let land =
        |before: Option<&str>, after: &str| world.apply(draft(&[("a.txt", before, Some(after))])).unwrap();
    let first = land(None, "1\n");
    land(Some("1\n"), "2\n");
    let index = world.read(".relaycode/index");
    land(Some("2\n"), "3\n");
    // Its line in the index was lost; as many records as the last line counts remain after the first is forgotten.
    world.write(".relaycode/index", &index);
    world.ledger.forget(&BTreeSet::from([first.uuid]), false).unwrap();
    assert_eq!(land(Some("3\n"), "4\n").sequence, 4);
}
