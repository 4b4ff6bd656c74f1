//! Transactions that land, and ones that are undone.

use std::time::{Duration, SystemTime};

use relay_txn::{CheckRecord, Draft, Header, Operation, Target, TxnError, Undoes, Verdict};
use uuid::Uuid;

use crate::world::{World, change, draft};

fn three_files() -> World {
    let world = World::new(&[("src/a.rs", "old a\n"), ("gone.txt", "bye\n"), ("run.sh", "#!/bin/sh\n")]);
    world.set_mode("run.sh", 0o755);
    world.set_mode("gone.txt", 0o640);
    world
}

fn every_operation() -> Draft {
    draft(&[
        ("src/a.rs", Some("old a\n"), Some("new a\n")),
        ("gone.txt", Some("bye\n"), None),
        ("run.sh", Some("#!/bin/sh\n"), Some("#!/bin/sh\necho\n")),
        ("deep/er/new.txt", None, Some("hello\n")),
    ])
}

#[test]
fn every_operation_lands_and_is_recorded() {
    let world = three_files();
    let record = world.apply(every_operation()).unwrap();
    assert_eq!(world.read("src/a.rs"), "new a\n");
    assert_eq!(world.read("run.sh"), "#!/bin/sh\necho\n");
    assert_eq!(world.mode("run.sh"), 0o755);
    assert_eq!(world.read("deep/er/new.txt"), "hello\n");
    assert!(!world.at("gone.txt").exists());
    assert_eq!(world.leftovers(), [""; 0]);

    let entries = world.ledger.entries().unwrap();
    assert_eq!(entries.records, std::slice::from_ref(&record));
    assert_eq!(entries.foreign, [""; 0]);
    assert_eq!(world.ledger.find(record.uuid).unwrap(), Some(record.clone()));
    assert!(!world.ledger.pending(record.uuid).unwrap());
    assert_eq!((record.sequence, record.approved, record.approved_by.as_deref()), (1, true, Some("test")));
    assert_eq!(record.folders, ["deep", "deep/er"]);
    let operations: Vec<_> = record.changes.iter().map(|change| change.operation).collect();
    assert_eq!(operations, [Operation::Modify, Operation::Delete, Operation::Modify, Operation::Create]);
    let before = record.changes[1].before.as_ref().unwrap();
    assert_eq!((world.ledger.content(before).unwrap(), before.mode), (b"bye\n".to_vec(), 0o100_640));
}

#[test]
fn rollback_and_drop_bring_everything_back() {
    for drops in [false, true] {
        let world = three_files();
        let before = world.tree();
        let pending = world.ledger.begin(every_operation()).unwrap();
        assert!(world.ledger.pending(pending.uuid()).unwrap());
        assert_ne!(world.tree(), before);
        if drops {
            drop(pending);
        } else {
            assert_eq!(pending.rollback().unwrap().rescued, []);
        }
        assert_eq!(world.tree(), before);
        assert_eq!(world.leftovers(), [""; 0]);
        assert_eq!(world.ledger.entries().unwrap().records, []);
    }
}

#[test]
fn an_inverse_restores_bytes_modes_and_folders() {
    let world = three_files();
    let before = world.tree();
    let record = world.apply(every_operation()).unwrap();
    let after = world.tree();
    let undo = world.apply(world.inverse(&record)).unwrap();
    assert_eq!(world.tree(), before);
    assert_eq!((undo.sequence, undo.header.undoes.as_slice()), (2, &[Undoes::whole(record.uuid)][..]));
    assert_eq!(undo.removed_folders.len(), 2);
    world.apply(world.inverse(&undo)).unwrap();
    assert_eq!(world.tree(), after);

    let pending = world.ledger.begin(world.inverse(&record)).unwrap();
    assert_eq!(world.tree(), before);
    pending.rollback().unwrap();
    assert_eq!(world.tree(), after, "removed folders come back");
}

#[test]
fn binary_and_large_contents_survive_as_blobs() {
    let world = World::new(&[]);
    let binary: Vec<u8> = (0..=255).cycle().take(200_000).collect();
    std::fs::write(world.at("image.bin"), &binary).unwrap();
    std::fs::write(world.at("large.txt"), "line\n".repeat(40_000)).unwrap();
    let before = world.tree();
    let large = "line\n".repeat(40_000);
    let mut draft = draft(&[("large.txt", Some(&large), Some("small\n"))]);
    draft.changes.push(change("image.bin", Some(&binary), None));
    let record = world.apply(draft).unwrap();
    assert_eq!(world.ledger.content(record.changes[1].before.as_ref().unwrap()).unwrap(), binary);
    world.apply(world.inverse(&record)).unwrap();
    assert_eq!(world.tree(), before);
}

#[test]
fn restored_files_are_newer_than_what_a_build_saw() {
    let world = three_files();
    let long_ago = SystemTime::now() - Duration::from_secs(1_000_000);
    std::fs::File::options().write(true).open(world.at("src/a.rs")).unwrap().set_modified(long_ago).unwrap();
    let pending = world.ledger.begin(every_operation()).unwrap();
    let seen_by_build = std::fs::metadata(world.at("src/a.rs")).unwrap().modified().unwrap();
    pending.rollback().unwrap();
    assert!(std::fs::metadata(world.at("src/a.rs")).unwrap().modified().unwrap() >= seen_by_build);
}

#[test]
fn modes_can_be_set_and_new_files_follow_the_mask() {
    let world = World::new(&[("plain", "x")]);
    let mut draft =
        draft(&[("plain", Some("x"), Some("y")), ("script", None, Some("#!")), ("new", None, Some("n"))]);
    draft.changes[0].after = Some(Target::new(*b"x").with_mode(0o100_755));
    draft.changes[1].after = Some(Target::new(*b"#!").with_mode(0o755));
    let before = world.tree();
    std::fs::write(world.at("probe"), "").unwrap();
    let usual = world.mode("probe");
    std::fs::remove_file(world.at("probe")).unwrap();

    let pending = world.ledger.begin(draft.clone()).unwrap();
    assert_eq!((world.mode("plain"), world.mode("script"), world.mode("new")), (0o755, 0o755, usual));
    pending.rollback().unwrap();
    assert_eq!(world.tree(), before, "a change of the mode alone is undone too");

    let record = world.apply(draft).unwrap();
    world.apply(world.inverse(&record)).unwrap();
    assert_eq!(world.tree(), before);
}

#[test]
fn the_state_is_private_and_ignores_itself() {
    let world = three_files();
    let record = world.apply(every_operation()).unwrap();
    assert_eq!(world.read(".relaycode/.gitignore"), "*\n");
    for folder in [".relaycode", ".relaycode/blobs", ".relaycode/stage"] {
        assert_eq!(world.mode(folder), 0o700, "{folder}");
    }
    for file in [".relaycode/lock".to_owned(), format!(".relaycode/{}.yml", record.uuid)] {
        assert_eq!(world.mode(&file), 0o600, "{file}");
    }
}

#[test]
fn reading_creates_nothing() {
    let world = World::new(&[("a", "a")]);
    let before = world.tree();
    assert_eq!(world.ledger.entries().unwrap().records, []);
    assert_eq!(world.ledger.recover().unwrap().len(), 0);
    assert!(!world.ledger.pending(uuid::Uuid::nil()).unwrap());
    assert_eq!(world.ledger.find(uuid::Uuid::nil()).unwrap(), None);
    assert!(!world.at(".relaycode").exists());
    assert_eq!(world.tree(), before);
}

#[test]
fn a_uuid_lands_once_but_may_be_tried_again_after_a_rollback() {
    let world = three_files();
    let draft = every_operation();
    world.ledger.begin(draft.clone()).unwrap().rollback().unwrap();
    world.apply(draft.clone()).unwrap();
    let again = Draft { uuid: draft.uuid, ..crate::world::draft(&[("other", None, Some("x"))]) };
    assert!(matches!(world.apply(again), Err(TxnError::AlreadyProcessed { uuid }) if uuid == draft.uuid));
    assert!(!world.at("other").exists());
}

#[test]
fn the_record_is_yaml_a_person_can_read() {
    let world = three_files();
    let check = CheckRecord {
        name: "linter".to_owned(),
        command: "cargo check".to_owned(),
        status: "passed".to_owned(),
        exit_code: Some(0),
        errors: Some(0),
        new_errors: None,
        duration_ms: 12,
        output_tail: "line one\nline two\n".to_owned(),
    };
    let pending = world.ledger.begin(every_operation()).unwrap();
    let uuid = pending.uuid();
    pending.commit(Verdict { checks: vec![check], approved_by: "auto".to_owned() }).unwrap();
    let text = world.read(&format!(".relaycode/{uuid}.yml"));
    for expected in [
        format!("uuid: {uuid}\n"),
        "sequence: 1\n".to_owned(),
        "reasoning: |\n  Because.\n".to_owned(),
        "  src/a.rs: |\n    old a\n".to_owned(),
        "  deep/er/new.txt: null\n".to_owned(),
        "  outputTail: |\n    line one\n    line two\n".to_owned(),
        "approved: true\napprovedBy: auto\n".to_owned(),
    ] {
        assert!(text.contains(&expected), "{expected:?} is missing in\n{text}");
    }
    assert!(text.lines().last().unwrap().starts_with("mac: "));
}

#[test]
fn a_folder_that_may_not_be_written_comes_back_with_all_that_was_in_it() {
    let world = World::new(&[("closed/in", "in\n"), ("a", "a\n")]);
    world.set_mode("closed", 0o555);
    let before = world.tree();
    let scan = world.ledger.scan(&world.workspace, None).unwrap();
    world.set_mode("closed", 0o755);
    std::fs::remove_dir_all(world.at("closed")).unwrap();
    let after = world.ledger.scan(&world.workspace, Some(&scan)).unwrap();
    let effects = world.ledger.effects(&world.workspace, &scan, &after).unwrap();
    let adopt = || world.ledger.adopt(draft(&[]), &effects, "test").unwrap().0;
    adopt().rollback().unwrap();
    assert_eq!((world.tree(), world.mode("closed")), (before.clone(), 0o555));
    world.set_mode("closed", 0o755);
    std::fs::remove_dir_all(world.at("closed")).unwrap();
    let record = adopt().commit(Verdict::default()).unwrap();
    world.apply(world.inverse(&record)).unwrap();
    assert_eq!((world.tree(), world.mode("closed")), (before, 0o555));
    world.set_mode("closed", 0o755);
}

#[test]
fn a_reply_that_changes_no_file_is_on_the_ledger_and_its_uuid_is_taken() {
    let world = World::new(&[("a", "x\n")]);
    let header = Header { submission: Some("digest".to_owned()), ..Header::default() };
    let empty = Draft { uuid: Uuid::new_v4(), header, ..Draft::default() };
    let record = world.apply(empty.clone()).unwrap();
    assert_eq!((record.uuid, record.changes.len()), (empty.uuid, 0));
    assert_eq!(world.ledger.entries().unwrap().records.len(), 1);
    assert!(matches!(world.ledger.begin(empty), Err(TxnError::AlreadyProcessed { .. })));
    let abandoned = Draft {
        uuid: Uuid::new_v4(),
        header: Header { submission: Some("other".to_owned()), ..Header::default() },
        ..Draft::default()
    };
    let uuid = abandoned.uuid;
    world.ledger.begin(abandoned).unwrap().rollback().unwrap();
    assert!(world.ledger.find(uuid).unwrap().is_none(), "until it is committed nothing is processed");
    assert_eq!(world.read("a"), "x\n");
}
