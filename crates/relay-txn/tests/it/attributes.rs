//! What a file has besides its content stays, whatever is done to the content.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};

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
