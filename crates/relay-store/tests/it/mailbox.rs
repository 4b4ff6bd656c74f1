//! The mailbox: whole files out, hostile files in.

use std::os::unix::fs::symlink;
use std::path::Path;

use relay_store::{Mailbox, StoreError, Tray};

fn names(mailbox: &Mailbox, tray: Tray) -> Vec<String> {
    mailbox.letters(tray, ".txt").unwrap().into_iter().map(|letter| letter.name).collect()
}

fn write(path: &Path, text: &str, age_seconds: u64) {
    std::fs::write(path, text).unwrap();
    let when = std::time::SystemTime::now() - std::time::Duration::from_secs(age_seconds);
    std::fs::File::options().write(true).open(path).unwrap().set_modified(when).unwrap();
}

#[test]
fn files_appear_whole_and_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let mailbox = Mailbox::at(folder.path());
    assert_eq!(mailbox.read(Tray::Outbox, "a.txt", 9).unwrap(), None, "looking makes nothing");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    // Leftovers of a killed writer do not get in the way.
    std::fs::create_dir(folder.path().join("outbox")).unwrap();
    std::fs::write(folder.path().join("outbox/a.txt.tmp"), "half").unwrap();
    mailbox.put(Tray::Outbox, "a.txt", b"one").unwrap();
    mailbox.put(Tray::Outbox, "a.txt", b"two").unwrap();
    assert_eq!(mailbox.read(Tray::Outbox, "a.txt", 9).unwrap().unwrap(), b"two");
    assert_eq!(std::fs::read_dir(folder.path().join("outbox")).unwrap().count(), 1, "no .tmp is left");
    mailbox.prepare().unwrap();
    assert!(folder.path().join("inbox").is_dir() && folder.path().join("sessions").is_dir());
}

#[test]
fn files_are_listed_oldest_first_and_only_with_the_given_ending() {
    let folder = tempfile::tempdir().unwrap();
    let mailbox = Mailbox::at(folder.path());
    mailbox.prepare().unwrap();
    let inbox = folder.path().join("inbox");
    for (name, age) in [("new.txt", 1), ("old.TXT", 300), ("b.txt", 60), ("note.md", 5), (".hidden.txt", 5)] {
        write(&inbox.join(name), "x", age);
    }
    std::fs::create_dir(inbox.join("folder.txt")).unwrap();
    assert_eq!(names(&mailbox, Tray::Inbox), ["old.TXT", "b.txt", "new.txt"]);
}

#[test]
fn handled_files_are_moved_aside_and_replace_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mailbox = Mailbox::at(folder.path());
    mailbox.prepare().unwrap();
    // A disk may give the same time to files written within one tick.
    for (text, age) in [("one", 20), ("two", 10)] {
        write(&folder.path().join("inbox/a.txt"), text, age);
        mailbox.set_aside("a.txt", Tray::Processed, "s_a.txt").unwrap().unwrap();
    }
    assert_eq!(mailbox.set_aside("a.txt", Tray::Processed, "s_a.txt").unwrap(), None, "it has gone");
    assert_eq!(names(&mailbox, Tray::Processed), ["s_a.txt", "s_a-2.txt"]);
    assert_eq!(mailbox.read(Tray::Processed, "s_a-2.txt", 9).unwrap().unwrap(), b"two");
    assert!(names(&mailbox, Tray::Inbox).is_empty());
}

#[test]
fn links_pipes_and_floods_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mailbox = Mailbox::at(folder.path());
    mailbox.prepare().unwrap();
    let inbox = folder.path().join("inbox");
    std::fs::write(folder.path().join("secret"), "secret").unwrap();
    symlink(folder.path().join("secret"), inbox.join("link.txt")).unwrap();
    std::fs::write(inbox.join("large.txt"), "0123456789").unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    let pipe = inbox.join("pipe.txt");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let read = |name: &str| mailbox.read(Tray::Inbox, name, 9).unwrap_err();
    assert!(matches!(read("link.txt"), StoreError::Symlink { .. }));
    assert!(matches!(read("pipe.txt"), StoreError::WrongKind { .. }));
    assert!(matches!(read("large.txt"), StoreError::TooLarge { limit_bytes: 9, .. }));
    for name in ["", "..", "../secret", "a/b", "a\\b"] {
        assert!(matches!(read(name), StoreError::BadName { .. }), "{name}");
    }
    mailbox.set_aside("link.txt", Tray::Refused, "link.txt").unwrap().unwrap();
    assert!(inbox.join("refused/link.txt").is_symlink(), "the link itself is moved");
}

#[test]
fn no_link_below_the_folder_is_followed_and_a_missing_folder_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), folder.path().join("outbox")).unwrap();
    let mailbox = Mailbox::at(folder.path());
    let refused = mailbox.put(Tray::Outbox, "a.txt", b"x").unwrap_err();
    assert!(matches!(refused, StoreError::Symlink { .. }), "{refused}");
    symlink(elsewhere.path(), folder.path().join(".relaycode")).unwrap();
    let planted = Mailbox::of_project(folder.path()).prepare().unwrap_err();
    assert!(matches!(planted, StoreError::Symlink { .. }), "{planted}");
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    let gone = folder.path().join("no-stick");
    assert!(Mailbox::at(&gone).prepare().is_err() && !gone.exists());
    assert!(Mailbox::at(&gone).letters(Tray::Inbox, ".txt").unwrap().is_empty());
}
