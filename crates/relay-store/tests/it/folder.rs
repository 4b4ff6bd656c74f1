//! Reading and writing files of user data.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use relay_store::{Folder, StoreError};

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn folders_and_files_are_for_the_user_alone() {
    let top = tempfile::tempdir().unwrap();
    let place = top.path().join("a/b/relay");
    let folder = Folder::create(&place).unwrap();
    let writer = folder.lock().unwrap();
    writer.replace("one", b"1").unwrap();
    writer.append_line("two", b"2").unwrap();
    for made in ["a", "a/b", "a/b/relay"] {
        assert_eq!(mode(&top.path().join(made)), 0o700, "{made}");
    }
    for made in ["one", "two", "lock"] {
        assert_eq!(mode(&place.join(made)), 0o600, "{made}");
    }
}

#[test]
fn a_folder_that_others_could_look_into_is_closed_when_something_is_stored() {
    let top = tempfile::tempdir().unwrap();
    let place = top.path().join("relay");
    fs::create_dir(&place).unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
    Folder::open(&place).unwrap().unwrap();
    assert_eq!(mode(&place), 0o755, "looking changes nothing");
    Folder::create(&place).unwrap();
    assert_eq!(mode(&place), 0o700);
}

#[test]
fn a_missing_file_is_not_an_error() {
    let top = tempfile::tempdir().unwrap();
    assert!(Folder::open(&top.path().join("none")).unwrap().is_none());
    let folder = Folder::create(&top.path().join("relay")).unwrap();
    assert_eq!(folder.read("none").unwrap(), None);
    assert!(!folder.lock().unwrap().remove("none").unwrap());
}

#[test]
fn files_are_replaced_added_to_and_removed() {
    let top = tempfile::tempdir().unwrap();
    let folder = Folder::create(&top.path().join("relay")).unwrap();
    let writer = folder.lock().unwrap();
    writer.replace("file", b"a long first content").unwrap();
    writer.replace("file", b"short").unwrap();
    assert_eq!(folder.read("file").unwrap().unwrap(), b"short");
    writer.append_line("log", b"one").unwrap();
    writer.append_line("log", b"two").unwrap();
    assert_eq!(folder.read("log").unwrap().unwrap(), b"one\ntwo\n");
    assert!(writer.remove("file").unwrap());
    assert_eq!(folder.read("file").unwrap(), None);
}

#[test]
fn a_line_that_was_cut_off_stays_apart() {
    let top = tempfile::tempdir().unwrap();
    let folder = Folder::create(&top.path().join("relay")).unwrap();
    fs::write(folder.path().join("log"), "whole\ncut o").unwrap();
    folder.lock().unwrap().append_line("log", b"next").unwrap();
    assert_eq!(folder.read("log").unwrap().unwrap(), b"whole\ncut o\nnext\n");
}

#[test]
fn leftovers_of_a_killed_writer_are_removed_by_the_next() {
    let top = tempfile::tempdir().unwrap();
    let folder = Folder::create(&top.path().join("relay")).unwrap();
    fs::write(folder.path().join(".tmp-file"), "half").unwrap();
    fs::write(folder.path().join(".tmp-other"), "half").unwrap();
    folder.lock().unwrap().replace("file", b"whole").unwrap();
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["file", "lock"]);
}

#[test]
fn a_failed_replace_leaves_the_old_content_and_no_litter() {
    let top = tempfile::tempdir().unwrap();
    let folder = Folder::create(&top.path().join("relay")).unwrap();
    fs::create_dir(folder.path().join("taken")).unwrap();
    let writer = folder.lock().unwrap();
    assert!(matches!(writer.replace("taken", b"x"), Err(StoreError::WrongKind { .. })));
    assert!(!folder.path().join(".tmp-taken").exists());
}

#[test]
fn names_cannot_lead_elsewhere() {
    let top = tempfile::tempdir().unwrap();
    let folder = Folder::create(&top.path().join("relay")).unwrap();
    let writer = folder.lock().unwrap();
    for name in ["", ".", "..", "../x", "a/b", "/etc/passwd", ".hidden", "a\0", "é", "a b", &"x".repeat(300)]
    {
        assert!(matches!(folder.read(name), Err(StoreError::BadName { .. })), "{name:?}");
        assert!(matches!(writer.replace(name, b""), Err(StoreError::BadName { .. })), "{name:?}");
        assert!(matches!(writer.append_line(name, b""), Err(StoreError::BadName { .. })), "{name:?}");
        assert!(matches!(writer.remove(name), Err(StoreError::BadName { .. })), "{name:?}");
    }
}

#[test]
fn readers_see_whole_contents_while_others_write() {
    let top = tempfile::tempdir().unwrap();
    let place = top.path().join("relay");
    let folder = Folder::create(&place).unwrap();
    folder.lock().unwrap().replace("file", &[0; 5000]).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..100 {
                folder.lock().unwrap().replace("file", &vec![round; 5000 + usize::from(round)]).unwrap();
            }
        });
        let reader = Folder::open(&place).unwrap().unwrap();
        for _ in 0..500 {
            let bytes = reader.read("file").unwrap().unwrap();
            assert!(
                bytes.iter().all(|byte| *byte == bytes[0]) && bytes.len() == 5000 + usize::from(bytes[0])
            );
        }
    });
}
