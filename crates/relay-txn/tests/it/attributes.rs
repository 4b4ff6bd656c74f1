//! What a file has besides its content stays, whatever is done to the content.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};

use relay_txn::capture::Effects;
use relay_txn::{Belongings, Draft, Extended, Owner, Verdict};
use rustix::fs::{XattrFlags, getxattr, setxattr};

use crate::world::{World, draft};

#[test]
fn owner_group_mode_and_extended_attributes_survive() {
    let world = World::new(&[("a", "a\n")]);
    world.set_mode("a", 0o4750);
    setxattr(world.at("a"), "user.relay", b"kept", XattrFlags::empty()).unwrap();
    if rustix::process::geteuid().is_root() {
        chown(world.at("a"), Some(1234), Some(2345)).unwrap();
        world.set_mode("a", 0o4750);
    }
    let facts = || {
        let mut value = [0; 4];
        let length = getxattr(world.at("a"), "user.relay", &mut value[..]).unwrap();
        let metadata = std::fs::metadata(world.at("a")).unwrap();
        (metadata.uid(), metadata.gid(), metadata.mode(), value, length)
    };
    let before = facts();

    let record = world.apply(draft(&[("a", Some("a\n"), Some("A\n"))])).unwrap();
    assert_eq!(facts(), before, "after a change");
    world.apply(world.inverse(&record)).unwrap();
    assert_eq!(facts(), before, "after its inverse");
    world.ledger.begin(draft(&[("a", Some("a\n"), Some("A\n"))])).unwrap().rollback().unwrap();
    assert_eq!(facts(), before, "after a rollback");
}

#[test]
fn a_renamed_file_keeps_what_it_had() {
    let world = World::new(&[("a", "a\n")]);
    setxattr(world.at("a"), "user.relay", b"kept", XattrFlags::empty()).unwrap();
    if rustix::process::geteuid().is_root() {
        chown(world.at("a"), Some(1234), Some(2345)).unwrap();
    }
    let facts = |path: &str| {
        let mut value = [0; 4];
        let length = getxattr(world.at(path), "user.relay", &mut value[..]).unwrap();
        let metadata = std::fs::metadata(world.at(path)).unwrap();
        (metadata.uid(), metadata.gid(), metadata.mode(), value, length)
    };
    let before = facts("a");
    let mut rename = draft(&[("a", Some("a\n"), None), ("b", None, Some("a\n"))]);
    let [gone, made] = rename.changes.as_mut_slice() else { panic!("two changes") };
    made.renamed_from = Some(gone.path.clone());
    let record = world.apply(rename).unwrap();
    assert_eq!(facts("b"), before, "after a rename");
    let mut back = world.inverse(&record);
    let [made, gone] = back.changes.as_mut_slice() else { panic!("two changes") };
    made.renamed_from = Some(gone.path.clone());
    world.apply(back).unwrap();
    assert_eq!(facts("a"), before, "after its inverse");
}

#[test]
fn a_new_file_takes_the_group_of_a_folder_that_hands_it_on() {
    if !rustix::process::geteuid().is_root() {
        // Giving a folder a group one is not in needs privileges.
        return;
    }
    let world = World::new(&[("shared/there", "x\n")]);
    chown(world.at("shared"), None, Some(2345)).unwrap();
    std::fs::set_permissions(world.at("shared"), std::fs::Permissions::from_mode(0o2775)).unwrap();
    world.apply(draft(&[("shared/new", None, Some("n\n")), ("plain", None, Some("p\n"))])).unwrap();
    assert_eq!(std::fs::metadata(world.at("shared/new")).unwrap().gid(), 2345);
    assert_ne!(std::fs::metadata(world.at("plain")).unwrap().gid(), 2345);
}

/// A file with an owner, a group, a mode and attributes of its own, a link and a folder, the latter two of another user.
fn owned() -> World {
    let world = World::new(&[("in/a", "a\n")]);
    std::os::unix::fs::symlink("a", world.at("in/link")).unwrap();
    setxattr(world.at("in/a"), "user.relay", b"kept\0", XattrFlags::empty()).unwrap();
    if rustix::process::geteuid().is_root() {
        chown(world.at("in/a"), Some(1234), Some(2345)).unwrap();
        std::os::unix::fs::lchown(world.at("in/link"), Some(1234), Some(2345)).unwrap();
        chown(world.at("in"), Some(1234), Some(2345)).unwrap();
    }
    world.set_mode("in/a", 0o6750);
    world
}

/// Everything of [`owned`] that has to come back.
fn facts(world: &World) -> Vec<(u32, u32, u32, Vec<u8>)> {
    let one = |path: &str| {
        let metadata = std::fs::symlink_metadata(world.at(path)).unwrap();
        let mut value = [0; 16];
        let length =
            if path == "in/a" { getxattr(world.at(path), "user.relay", &mut value[..]).unwrap() } else { 0 };
        (metadata.uid(), metadata.gid(), metadata.mode(), value[..length].to_vec())
    };
    ["in/a", "in/link", "in"].map(one).to_vec()
}

fn capture(world: &World, command: impl FnOnce()) -> Effects {
    let before = world.ledger.scan(&world.workspace, None).unwrap();
    command();
    let after = world.ledger.scan(&world.workspace, Some(&before)).unwrap();
    world.ledger.effects(&world.workspace, &before, &after).unwrap()
}

#[test]
fn a_file_that_was_deleted_comes_back_with_all_it_had() {
    let world = owned();
    let before = facts(&world);
    let record = world.apply(draft(&[("in/a", Some("a\n"), None)])).unwrap();
    world.apply(world.inverse(&record)).unwrap();
    assert_eq!(facts(&world), before);
    let listed = world.ledger.entries().unwrap().records;
    assert!(listed[0].changes[0].before.as_ref().unwrap().belongings.is_some(), "the index knows it too");
}

#[test]
fn removed_and_chowned_files_come_back_with_their_attributes() {
    let commands: [fn(&World); 3] = [
        |world| std::fs::remove_dir_all(world.at("in")).unwrap(),
        // Another file in its place, with the same content and mode.
        |world| {
            world.write("in/new", "a\n");
            world.set_mode("in/new", 0o6750);
            std::fs::rename(world.at("in/new"), world.at("in/a")).unwrap();
        },
        |world| setxattr(world.at("in/a"), "user.relay", b"other", XattrFlags::empty()).unwrap(),
    ];
    for command in commands {
        let world = owned();
        let before = facts(&world);
        let words = || Draft { uuid: uuid::Uuid::new_v4(), ..draft(&[]) };
        let effects = capture(&world, || command(&world));
        let (pending, _) = world.ledger.adopt(words(), &effects, "test").unwrap();
        let done = pending.rollback().unwrap();
        assert!(done.rescued.is_empty() && done.disowned.is_empty());
        assert_eq!(facts(&world), before, "after a rollback");

        let effects = capture(&world, || command(&world));
        let (pending, _) = world.ledger.adopt(words(), &effects, "test").unwrap();
        let record = pending.commit(Verdict::default()).unwrap();
        world.apply(world.inverse(&record)).unwrap();
        assert_eq!(facts(&world), before, "after an undo");
    }
}

#[test]
fn attributes_that_cannot_be_restored_are_named_and_grant_no_rights() {
    let world = World::new(&[]);
    let mut made = draft(&[("a", None, Some("a\n"))]);
    made.changes[0].after.as_mut().unwrap().mode = Some(0o104_755);
    // No user, not even root, may use this number.
    let owner = Owner { user: u32::MAX - 1, group: rustix::process::getegid().as_raw() };
    made.belongings.insert("a".to_owned(), Belongings { owner, extended: Extended::default() });
    let pending = world.ledger.begin(made).unwrap();
    if rustix::process::geteuid().is_root() {
        assert!(pending.disowned().is_empty());
    } else {
        assert_eq!(pending.disowned(), ["a"]);
        assert_eq!(std::fs::metadata(world.at("a")).unwrap().mode() & 0o7777, 0o755);
    }
}
