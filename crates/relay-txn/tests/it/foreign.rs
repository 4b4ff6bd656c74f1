//! Another program works on the same files: it is noticed, refused, and nothing of theirs is lost.

use std::os::unix::fs::symlink;

use relay_txn::{Draft, TxnError};

use crate::world::{World, draft};

/// Begins `changes`, which must be refused with the tree untouched.
fn refused(world: &World, draft: Draft) -> TxnError {
    let before = world.tree();
    let error = world.ledger.begin(draft).err().expect("refused");
    assert_eq!(world.tree(), before);
    assert_eq!(world.leftovers(), [""; 0]);
    error
}

#[test]
fn a_file_that_differs_from_the_plan_is_refused() {
    let world = World::new(&[("a", "edited\n"), ("b", "b\n")]);
    let changed = [("b", Some("b\n"), Some("B\n")), ("a", Some("a\n"), Some("A\n"))];
    assert!(matches!(refused(&world, draft(&changed)), TxnError::Changed { path } if path == "a"));
    let missing = [("b", Some("b\n"), Some("B\n")), ("none", Some("a\n"), None)];
    assert!(matches!(refused(&world, draft(&missing)), TxnError::Changed { path } if path == "none"));
    let exists = [("b", Some("b\n"), Some("B\n")), ("a", None, Some("A\n"))];
    assert!(matches!(refused(&world, draft(&exists)), TxnError::Exists { path } if path == "a"));
}

#[test]
fn links_folders_and_pipes_are_refused() {
    let world = World::new(&[("real", "x\n"), ("folder/file", "y\n")]);
    symlink("real", world.at("link")).unwrap();
    symlink("folder", world.at("linked")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, world.at("pipe"), rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    for (path, expected) in
        [("link", "a symbolic link"), ("folder", "a folder"), ("pipe", "a pipe, socket or device")]
    {
        let error = refused(&world, draft(&[(path, Some("x\n"), Some("z"))]));
        assert!(matches!(error, TxnError::NotRegular { kind, .. } if kind == expected), "{path}");
        refused(&world, draft(&[(path, None, Some("z"))]));
    }
    refused(&world, draft(&[("linked/file", Some("y\n"), Some("z"))]));
    refused(&world, draft(&[("linked/new", None, Some("z"))]));
    refused(&world, draft(&[("real/below", None, Some("z"))]));
}

#[test]
fn hard_links_are_parted_only_when_asked() {
    let world = World::new(&[("a", "x\n")]);
    std::fs::hard_link(world.at("a"), world.at("b")).unwrap();
    let change = draft(&[("a", Some("x\n"), Some("y\n"))]);
    assert!(matches!(refused(&world, change.clone()), TxnError::HardLinked { links: 2, .. }));
    world.apply(Draft { break_links: true, ..change }).unwrap();
    assert_eq!((world.read("a"), world.read("b")), ("y\n".to_owned(), "x\n".to_owned()));
}

#[test]
fn contradicting_changes_are_refused() {
    let world = World::new(&[("a", "x\n")]);
    assert!(matches!(refused_early(&world, draft(&[])), TxnError::Empty));
    let twice = [("a", Some("x\n"), Some("y\n")), ("a", Some("x\n"), None)];
    assert!(matches!(refused_early(&world, draft(&twice)), TxnError::Conflicting { .. }));
    let nested = [("n", None, Some("y\n")), ("n/m", None, Some("y\n"))];
    assert!(matches!(refused_early(&world, draft(&nested)), TxnError::Conflicting { .. }));
    let nothing = [("n", None, None)];
    assert!(matches!(refused_early(&world, draft(&nothing)), TxnError::Conflicting { .. }));
}

/// Refused before the state folder is even made.
fn refused_early(world: &World, draft: Draft) -> TxnError {
    let error = world.ledger.begin(draft).err().expect("refused");
    assert!(!world.at(".relaycode").exists());
    error
}

#[test]
fn a_rollback_keeps_what_others_wrote_meanwhile() {
    let world = World::new(&[("edited", "old\n"), ("deleted", "bye\n"), ("untouched", "u\n")]);
    let before = world.tree();
    let pending = world
        .ledger
        .begin(draft(&[
            ("edited", Some("old\n"), Some("new\n")),
            ("deleted", Some("bye\n"), None),
            ("created", None, Some("c\n")),
            ("untouched", Some("u\n"), Some("U\n")),
        ]))
        .unwrap();
    let uuid = pending.uuid();
    world.write("edited", "new, formatted\n");
    world.write("deleted", "made again\n");
    world.write("created", "c, formatted\n");
    let rescued = pending.rollback().unwrap().rescued;
    assert_eq!(world.tree(), before);
    let kept: Vec<_> =
        rescued.iter().map(|rescued| (rescued.path.as_str(), world.read(&rescued.kept_as))).collect();
    assert_eq!(
        kept,
        [
            ("created", "c, formatted\n".to_owned()),
            ("edited", "new, formatted\n".to_owned()),
            ("deleted", "made again\n".to_owned()),
        ]
    );
    assert!(
        rescued.iter().all(|rescued| rescued.kept_as.starts_with(&format!(".relaycode/rescued/{uuid}/")))
    );
}

#[test]
fn a_rollback_copes_with_files_and_folders_that_went_away() {
    let world = World::new(&[("folder/a", "a\n"), ("b", "b\n")]);
    let before = world.tree();
    let pending = world
        .ledger
        .begin(draft(&[
            ("folder/a", Some("a\n"), Some("A\n")),
            ("b", Some("b\n"), Some("B\n")),
            ("c", None, Some("C\n")),
        ]))
        .unwrap();
    std::fs::remove_dir_all(world.at("folder")).unwrap();
    std::fs::remove_file(world.at("b")).unwrap();
    std::fs::create_dir(world.at("b")).unwrap();
    world.write("b/mine", "mine\n");
    std::fs::remove_file(world.at("c")).unwrap();
    let rescued = pending.rollback().unwrap().rescued;
    assert_eq!(world.tree(), before);
    assert_eq!(rescued.len(), 1, "the folder that was at b");
    assert_eq!(world.read(&format!("{}/mine", rescued[0].kept_as)), "mine\n");
}

#[test]
fn a_folder_with_foreign_files_is_not_removed() {
    let world = World::new(&[]);
    let pending = world.ledger.begin(draft(&[("made/new", None, Some("x\n"))])).unwrap();
    world.write("made/other", "mine\n");
    pending.rollback().unwrap();
    assert_eq!(world.read("made/other"), "mine\n");
    assert!(!world.at("made/new").exists());
}

#[test]
fn a_made_folder_that_became_a_file_does_not_stop_a_rollback() {
    let world = World::new(&[("a", "a\n")]);
    let changes = [("made/new", None, Some("x\n")), ("a", Some("a\n"), Some("A\n"))];
    let pending = world.ledger.begin(draft(&changes)).unwrap();
    std::fs::remove_dir_all(world.at("made")).unwrap();
    world.write("made", "a file now\n");
    pending.rollback().unwrap();
    assert_eq!((world.read("made"), world.read("a")), ("a file now\n".to_owned(), "a\n".to_owned()));
}
