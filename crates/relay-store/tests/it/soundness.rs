//! What another user may have put into the user's data is refused, reported, and left alone.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::Path;

use relay_store::{FILE_LIMIT_BYTES, Store, StoreError};

/// A store with a key in it, and the key's place.
fn with_key() -> (tempfile::TempDir, Store, std::path::PathBuf) {
    let top = tempfile::tempdir().unwrap();
    let store = Store::at(top.path());
    store.ledger_key().unwrap();
    let place = store.data_dir().join("ledger.key");
    (top, store, place)
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_link_is_refused_whatever_it_points_to() {
    let (_top, store, place) = with_key();
    let moved = store.data_dir().join("moved");
    fs::rename(&place, &moved).unwrap();
    for target in [moved.as_path(), Path::new("/dev/zero"), Path::new("nowhere")] {
        symlink(target, &place).unwrap();
        assert!(matches!(store.ledger_key(), Err(StoreError::Symlink { .. })));
        fs::remove_file(&place).unwrap();
    }
    // Neither the lock nor the trust file is followed.
    for name in ["lock", "trust.json"] {
        let here = store.data_dir().join(name);
        fs::remove_file(&here).ok();
        symlink("planted", &here).unwrap();
        assert!(matches!(store.trust(Path::new("/"), "d", &[]), Err(StoreError::Symlink { .. })), "{name}");
        assert!(!store.data_dir().join("planted").exists());
        fs::remove_file(&here).unwrap();
    }
}

#[test]
fn files_that_others_can_change_or_read_are_refused() {
    let (_top, store, place) = with_key();
    for mode in [0o620, 0o602, 0o666] {
        set_mode(&place, mode);
        assert!(matches!(store.ledger_key(), Err(StoreError::WritableByOthers { .. })), "{mode:o}");
    }
    for mode in [0o640, 0o604] {
        set_mode(&place, mode);
        let error = store.ledger_key().unwrap_err();
        assert!(matches!(error, StoreError::ReadableByOthers { .. }), "{mode:o}");
        assert!(error.hint().unwrap().contains("chmod 600"));
    }
    set_mode(&place, 0o600);
    set_mode(store.data_dir(), 0o777);
    assert!(matches!(store.ledger_key(), Err(StoreError::WritableByOthers { .. })));
    assert!(matches!(store.trusts(Path::new("/"), "d"), Err(StoreError::WritableByOthers { .. })));
    set_mode(store.data_dir(), 0o700);
    store.ledger_key().unwrap();
}

/// Needs to change a file's owner, which only root can.
#[test]
fn files_of_another_user_are_refused() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let (_top, store, place) = with_key();
    chown(&place, Some(12_345), None).unwrap();
    assert!(matches!(store.ledger_key(), Err(StoreError::ForeignOwner { owner: 12_345, .. })));
    chown(&place, Some(0), None).unwrap();
    chown(store.data_dir(), Some(12_345), None).unwrap();
    assert!(matches!(store.ledger_key(), Err(StoreError::ForeignOwner { owner: 12_345, .. })));
}

#[test]
fn a_fifo_a_folder_or_a_giant_in_place_of_a_file_neither_blocks_nor_passes() {
    let (_top, store, place) = with_key();
    fs::remove_file(&place).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    for name in ["ledger.key", "trust.json", "lock"] {
        let here = store.data_dir().join(name);
        fs::remove_file(&here).ok();
        rustix::fs::mknodat(rustix::fs::CWD, &here, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let result = match name {
            "ledger.key" => store.ledger_key().map(drop),
            _ => store.trust(Path::new("/"), "d", &[]),
        };
        assert!(matches!(result, Err(StoreError::WrongKind { .. })), "{name}: {result:?}");
        fs::remove_file(&here).unwrap();
    }
    fs::create_dir(&place).unwrap();
    assert!(matches!(store.ledger_key(), Err(StoreError::WrongKind { .. })));
    fs::remove_dir(&place).unwrap();
    let giant = fs::File::create(&place).unwrap();
    set_mode(&place, 0o600);
    giant.set_len(FILE_LIMIT_BYTES + 1).unwrap();
    assert!(matches!(store.ledger_key(), Err(StoreError::TooLarge { .. })));
}
