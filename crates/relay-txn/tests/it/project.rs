//! The files of its own that Relay writes into a project.

use relay_txn::{TxnError, project};
use relay_workspace::{OwnPath, RelPath};

use crate::world::World;

#[test]
fn the_configuration_is_created_once_and_never_replaced() {
    let world = World::new(&[]);
    project::create_file(&world.workspace, &OwnPath::config(), b"{}\n").unwrap();
    let again = project::create_file(&world.workspace, &OwnPath::config(), b"other");
    assert!(matches!(again, Err(TxnError::Exists { .. })));
    assert_eq!(world.read("relaycode.config.json"), "{}\n");
    assert_eq!(world.leftovers(), [""; 0]);
}

#[test]
fn a_line_is_appended_once_and_the_file_keeps_its_ways() {
    let path = RelPath::new(".gitignore").unwrap();
    let world = World::new(&[]);
    assert!(project::append_line_once(&world.workspace, &path, "/.relaycode/").unwrap());
    assert!(!project::append_line_once(&world.workspace, &path, "/.relaycode/").unwrap());
    assert_eq!(world.read(".gitignore"), "/.relaycode/\n");

    let world = World::new(&[(".gitignore", "target\r\nnode_modules")]);
    world.set_mode(".gitignore", 0o600);
    assert!(project::append_line_once(&world.workspace, &path, "/.relaycode/").unwrap());
    assert_eq!(world.read(".gitignore"), "target\r\nnode_modules\r\n/.relaycode/\r\n");
    assert_eq!(world.mode(".gitignore"), 0o600);
    assert_eq!(world.leftovers(), [""; 0]);

    let world = World::new(&[("elsewhere", "x\n")]);
    std::os::unix::fs::symlink("elsewhere", world.at(".gitignore")).unwrap();
    let linked = project::append_line_once(&world.workspace, &path, "/.relaycode/");
    assert!(matches!(linked, Err(TxnError::NotRegular { .. })));
    assert_eq!(world.read("elsewhere"), "x\n");
}

#[test]
fn the_state_folder_is_private() {
    let world = World::new(&[]);
    project::ensure_state_dir(&world.workspace).unwrap();
    project::ensure_state_dir(&world.workspace).unwrap();
    assert_eq!((world.mode(".relaycode"), world.read(".relaycode/.gitignore")), (0o700, "*\n".to_owned()));
}
