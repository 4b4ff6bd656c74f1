//! A cloned repository brings a state folder along: nothing in it is acted upon, and nothing in it can block.

use std::os::unix::fs::symlink;

use relay_txn::{Ledger, LedgerKey, TxnError};
use uuid::Uuid;

use crate::world::{World, draft};

/// A pending record, sealed with another program's key, over a real transaction.
fn foreign_pending(world: &World) -> Uuid {
    let theirs = Ledger::open(&world.workspace, LedgerKey::new([1; 32])).unwrap();
    let pending = theirs.begin(draft(&[("a", Some("a\n"), Some("A\n"))])).unwrap();
    let uuid = pending.uuid();
    // As if the process had died: neither verdict nor rollback.
    std::mem::forget(pending);
    uuid
}

#[test]
fn foreign_records_are_listed_and_ignored() {
    let world = World::new(&[("a", "a\n")]);
    let theirs = Ledger::open(&world.workspace, LedgerKey::new([1; 32])).unwrap();
    let pending = theirs.begin(draft(&[("a", Some("a\n"), Some("A\n"))])).unwrap();
    let uuid = pending.uuid();
    pending.commit(relay_txn::Verdict::default()).unwrap();
    let name = format!("{uuid}.yml");
    let entries = world.ledger.entries().unwrap();
    assert_eq!((entries.records.len(), entries.foreign), (0, vec![name.clone()]));
    assert!(matches!(world.ledger.find(uuid), Err(TxnError::Foreign { .. })));
    let draft = relay_txn::Draft { uuid, ..draft(&[("b", None, Some("b"))]) };
    assert!(matches!(world.ledger.begin(draft), Err(TxnError::Foreign { .. })));
}

#[test]
fn a_foreign_pending_record_is_not_rolled_back_and_blocks_no_one() {
    let world = World::new(&[("a", "a\n"), ("b", "b\n")]);
    let uuid = foreign_pending(&world);
    assert_eq!(world.ledger.recover().unwrap().len(), 0, "its process lives");
    std::fs::remove_file(world.at(&format!(".relaycode/stage/{uuid}/owner"))).unwrap();
    let recovered = world.ledger.recover().unwrap();
    assert!(matches!(&recovered[0].outcome, relay_txn::Recovery::Unverified { .. }), "{recovered:?}");
    assert_eq!(world.read("a"), "A\n", "it is not known who wrote that record");
    assert!(world.at(&format!(".relaycode/stage/{uuid}")).exists(), "it may hold the only copy");
    world.apply(draft(&[("b", Some("b\n"), Some("B\n")), ("a", Some("A\n"), Some("mine\n"))])).unwrap();
    assert!(world.ledger.entries().unwrap().foreign.contains(&format!("{uuid}.pending.yml")));
}

#[test]
fn an_edited_record_is_no_longer_ours() {
    let world = World::new(&[("a", "a\n")]);
    let record = world.apply(draft(&[("a", Some("a\n"), Some("A\n"))])).unwrap();
    let name = format!("{}.yml", record.uuid);
    let text = world.read(&format!(".relaycode/{name}"));
    world.write(&format!(".relaycode/{name}"), &text.replace("path: a\n", "path: b\n"));
    let entries = world.ledger.entries().unwrap();
    assert_eq!((entries.records.len(), entries.foreign.len(), entries.damaged.len()), (0, 0, 1));
    assert_eq!(
        (entries.damaged[0].uuid, entries.damaged[0].sequence),
        (record.uuid, 1),
        "the index knows it"
    );
    // Without the index it cannot be distinguished from a planted one.
    std::fs::remove_file(world.at(".relaycode/index")).unwrap();
    assert_eq!(world.ledger.entries().unwrap().foreign, vec![name.clone()]);
    // The same bytes under another name are not that transaction either.
    let other = format!("{}.yml", Uuid::new_v4());
    world.write(&format!(".relaycode/{other}"), &text);
    assert!(world.ledger.entries().unwrap().foreign.contains(&other));
}

#[test]
fn links_pipes_folders_and_giants_in_place_of_records_are_ignored() {
    let world = World::new(&[("a", "a\n")]);
    let record = world.apply(draft(&[("a", Some("a\n"), Some("A\n"))])).unwrap();
    let names: Vec<String> = (0..4).map(|_| format!("{}.yml", Uuid::new_v4())).collect();
    let state = |name: &str| world.at(&format!(".relaycode/{name}"));
    symlink(format!("{}.yml", record.uuid), state(&names[0])).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, state(&names[1]), mode).unwrap();
    std::fs::create_dir(state(&names[2])).unwrap();
    std::fs::File::create(state(&names[3])).unwrap().set_len(1 << 40).unwrap();
    let entries = world.ledger.entries().unwrap();
    assert_eq!(entries.records.len(), 1);
    let mut expected = names.clone();
    expected.sort();
    assert_eq!(entries.foreign, expected);
    world.apply(draft(&[("b", None, Some("b\n"))])).unwrap();
}

#[test]
fn a_planted_state_folder_lock_or_stage_cannot_mislead() {
    let outside = tempfile::tempdir().unwrap();
    let world = World::new(&[("a", "a\n")]);
    symlink(outside.path(), world.at(".relaycode")).unwrap();
    assert!(world.ledger.begin(draft(&[("a", Some("a\n"), Some("A\n"))])).is_err());
    assert!(world.ledger.entries().is_err());
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    std::fs::remove_file(world.at(".relaycode")).unwrap();

    for name in ["lock", "stage", "blobs"] {
        std::fs::create_dir(world.at(".relaycode")).unwrap();
        symlink(outside.path().join("x"), world.at(".relaycode").join(name)).unwrap();
        let error = world.ledger.begin(draft(&[("a", Some("a\n"), Some("A\n"))])).err().unwrap();
        assert!(matches!(error, TxnError::Foreign { .. }), "{name}: {error}");
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
        std::fs::remove_dir_all(world.at(".relaycode")).unwrap();
    }

    // A pipe as the lock must not hang, a planted stage must not hinder, and a readable folder is closed.
    std::fs::create_dir_all(world.at(".relaycode/stage/00000000-0000-4000-8000-000000000000/folder"))
        .unwrap();
    symlink("/etc/passwd", world.at(".relaycode/stage/00000000-0000-4000-8000-000000000000/owner")).unwrap();
    world.set_mode(".relaycode", 0o755);
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, world.at(".relaycode/lock"), mode).unwrap();
    let change = draft(&[("a", Some("a\n"), Some("A\n"))]);
    assert!(matches!(world.ledger.begin(change.clone()), Err(TxnError::Foreign { .. })));
    std::fs::remove_file(world.at(".relaycode/lock")).unwrap();
    world.apply(change).unwrap();
    assert_eq!(world.mode(".relaycode"), 0o700);
}

#[test]
fn a_planted_blob_is_neither_trusted_nor_kept() {
    let world = World::new(&[]);
    let binary = vec![0, 159, 146, 150];
    std::fs::write(world.at("bin"), &binary).unwrap();
    std::fs::create_dir_all(world.at(".relaycode/blobs")).unwrap();
    let name = blake3::hash(&binary).to_hex().to_string();
    world.write(&format!(".relaycode/blobs/{name}"), "planted");
    let mut change = draft(&[]);
    change.changes.push(crate::world::change("bin", Some(&binary), None));
    let record = world.apply(change).unwrap();
    let before = record.changes[0].before.clone().unwrap();
    assert_eq!(world.ledger.content(&before).unwrap(), binary);
    world.write(&format!(".relaycode/blobs/{name}"), "planted later");
    assert!(matches!(world.ledger.content(&before), Err(TxnError::Content { .. })));
}
