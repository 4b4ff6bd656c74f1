//! Reading: what is there, what is not, and what is refused.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;

use relay_workspace::{FILE_LIMIT_BYTES, Kind, OwnPath, ReadError, Workspace};
use tempfile::TempDir;

fn workspace() -> (TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(folder.path()).unwrap();
    (folder, workspace)
}

#[track_caller]
fn check(workspace: &Workspace, path: &str, expect: Result<Option<&[u8]>, &str>) {
    let got = workspace.read(&workspace.path(path).unwrap());
    let got =
        got.as_ref().map(|found| found.as_ref().map(|found| found.bytes.as_slice())).map_err(ReadError::code);
    assert_eq!(got, expect, "{path}");
}

#[test]
fn bytes_and_mode_are_read_as_they_are() {
    let (folder, workspace) = workspace();
    fs::create_dir_all(folder.path().join("a/b")).unwrap();
    fs::write(folder.path().join("a/b/c"), b"\0\xff\r\n").unwrap();
    fs::set_permissions(folder.path().join("a/b/c"), fs::Permissions::from_mode(0o750)).unwrap();
    let snapshot = workspace.read(&workspace.path("a/b/c").unwrap()).unwrap().unwrap();
    assert_eq!((snapshot.bytes.as_slice(), snapshot.mode), (&b"\0\xff\r\n"[..], 0o100_750));
}

#[test]
fn a_missing_file_is_not_an_error() {
    let (folder, workspace) = workspace();
    fs::create_dir(folder.path().join("a")).unwrap();
    for path in ["x", "a/x", "x/y/z"] {
        check(&workspace, path, Ok(None));
        let path = workspace.path(path).unwrap();
        assert_eq!(workspace.facts(&path).unwrap(), None);
        assert_eq!(workspace.read_link(&path).unwrap(), None);
    }
    assert!(workspace.parent_dir(&workspace.path("x/y").unwrap()).unwrap().is_none());
    assert!(workspace.state_dir().unwrap().is_none());
}

#[test]
fn a_folder_removed_while_it_is_open_holds_nothing() {
    let (folder, workspace) = workspace();
    let gone = folder.path().join("gone");
    std::fs::create_dir(&gone).unwrap();
    let opened = workspace.open_dir(&workspace.path("gone").unwrap()).unwrap().unwrap();
    std::fs::remove_dir(&gone).unwrap();
    assert_eq!(opened.entries().unwrap(), []);
}

#[test]
fn folders_and_files_in_the_place_of_folders_are_distinguished() {
    let (folder, workspace) = workspace();
    fs::create_dir(folder.path().join("a")).unwrap();
    fs::write(folder.path().join("f"), "x").unwrap();
    check(&workspace, "a", Err("file-is-folder"));
    check(&workspace, "f/x", Err("file-parent-not-folder"));
    check(&workspace, "f/x/y", Err("file-parent-not-folder"));
    let error = workspace.read(&workspace.path("f/x/y").unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "`f/x/y` cannot be reached: `f` is not a folder");
}

#[test]
fn special_files_neither_block_nor_pass() {
    let (folder, workspace) = workspace();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        folder.path().join("fifo"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let _listener = UnixListener::bind(folder.path().join("socket")).unwrap();
    for name in ["fifo", "socket"] {
        check(&workspace, name, Err("file-not-regular"));
        check(&workspace, &format!("{name}/x"), Err("file-parent-not-folder"));
        assert_eq!(workspace.facts(&workspace.path(name).unwrap()).unwrap().unwrap().kind, Kind::Special);
    }
}

#[test]
fn size_is_limited_by_what_is_there_and_by_what_is_read() {
    let (folder, workspace) = workspace();
    let sparse = fs::File::create(folder.path().join("sparse")).unwrap();
    sparse.set_len(FILE_LIMIT_BYTES + 1).unwrap();
    check(&workspace, "sparse", Err("file-too-large"));
    fs::write(folder.path().join("five"), "12345").unwrap();
    assert!(workspace.root_dir().read("five", 5).unwrap().is_some());
    assert_eq!(workspace.root_dir().read("five", 4).unwrap_err().code(), "file-too-large");
}

/// Files of `/proc` claim to be empty, so only counting while reading keeps the limit.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_lies_about_its_size_is_limited_too() {
    let process = Workspace::open(std::path::Path::new("/proc/self")).unwrap();
    assert_eq!(process.root_dir().read("status", 16).unwrap_err().code(), "file-too-large");
    assert!(process.root_dir().read("status", 1 << 20).unwrap().is_some_and(|read| read.bytes.len() > 16));
}

#[test]
fn relays_own_files_are_read_by_their_own_names() {
    let (folder, workspace) = workspace();
    fs::write(folder.path().join("relaycode.config.json"), "{}").unwrap();
    fs::create_dir_all(folder.path().join(".relaycode/blobs")).unwrap();
    fs::write(folder.path().join(".relaycode/blobs/1"), "blob").unwrap();
    assert_eq!(workspace.read(&OwnPath::config()).unwrap().unwrap().bytes, b"{}");
    assert_eq!(workspace.read(&OwnPath::state("blobs/1").unwrap()).unwrap().unwrap().bytes, b"blob");
    let state = workspace.state_dir().unwrap().unwrap();
    assert_eq!(state.entries().unwrap(), [("blobs".to_owned(), Kind::Directory)]);
    assert_eq!(state.read("blobs/1", 10).unwrap().unwrap().bytes, b"blob");
}

#[test]
fn a_file_is_known_by_its_identity_not_by_its_name() {
    let (folder, workspace) = workspace();
    fs::write(folder.path().join("a"), "x").unwrap();
    fs::hard_link(folder.path().join("a"), folder.path().join("b")).unwrap();
    fs::write(folder.path().join("c"), "x").unwrap();
    let path = |name| workspace.path(name).unwrap();
    assert!(workspace.same_file(&path("a"), &path("b")).unwrap());
    assert!(!workspace.same_file(&path("a"), &path("c")).unwrap());
    assert!(!workspace.same_file(&path("a"), &path("missing")).unwrap());
    assert_eq!(workspace.facts(&path("a")).unwrap().unwrap().links, 2);
}

#[test]
fn links_can_be_inspected_but_not_followed() {
    let (folder, workspace) = workspace();
    symlink("../elsewhere", folder.path().join("link")).unwrap();
    let path = workspace.path("link").unwrap();
    assert_eq!(workspace.facts(&path).unwrap().unwrap().kind, Kind::Symlink);
    assert_eq!(workspace.read_link(&path).unwrap().unwrap(), b"../elsewhere");
    check(&workspace, "link", Err("file-symlink"));
}
