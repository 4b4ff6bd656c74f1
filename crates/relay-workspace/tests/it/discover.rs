//! Which folder is the root.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use relay_workspace::Workspace;

/// Makes the entries (folders end in a slash) and says which root is found from `start`.
#[track_caller]
fn check(entries: &[&str], start: &str, root: &str) {
    let top = tempfile::tempdir().unwrap();
    // An outer mark, so that nothing above the temporary folder can decide.
    fs::create_dir_all(top.path().join(start)).unwrap();
    for entry in entries {
        let place = top.path().join(entry);
        if entry.ends_with('/') {
            fs::create_dir_all(place).unwrap();
        } else {
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, "").unwrap();
        }
    }
    let found = Workspace::discover(&top.path().join(start)).unwrap();
    assert_eq!(found.root(), fs::canonicalize(top.path().join(root)).unwrap());
}

#[test]
fn the_nearest_config_or_state_folder_wins_over_git() {
    check(&["p/relaycode.config.json", "p/a/.git/"], "p/a/b", "p");
    check(&["p/.relaycode/", "p/a/.git/"], "p/a/b", "p");
    check(&["p/relaycode.config.json", "p/a/.relaycode/"], "p/a/b", "p/a");
}

#[test]
fn else_the_nearest_git_folder_or_file() {
    check(&["p/.git/", "p/a/x"], "p/a", "p");
    check(&["p/.git/", "p/sub/.git"], "p/sub/a", "p/sub");
}

#[test]
fn else_the_folder_itself() {
    check(&["p/a/x"], "p/a", "p/a");
}

#[test]
fn git_is_seen_from_below_its_top() {
    let top = tempfile::tempdir().unwrap();
    fs::create_dir_all(top.path().join("a")).unwrap();
    assert!(!Workspace::open(&top.path().join("a")).unwrap().is_git());
    fs::create_dir(top.path().join(".git")).unwrap();
    assert!(Workspace::open(&top.path().join("a")).unwrap().is_git());
}

#[test]
fn a_start_that_is_not_a_folder_is_an_error_with_its_path() {
    let top = tempfile::tempdir().unwrap();
    fs::write(top.path().join("file"), "").unwrap();
    for start in ["missing", "file"] {
        let place = top.path().join(start);
        for opened in [Workspace::discover(&place), Workspace::open(&place)] {
            assert!(opened.unwrap_err().to_string().contains(start), "{start}");
        }
    }
}

/// A sandbox of another program may put an empty `.git` there while it runs.
#[test]
fn a_mark_in_a_shared_folder_counts_only_for_that_folder() {
    for mark in [".git", ".relaycode", "relaycode.config.json"] {
        let top = tempfile::tempdir().unwrap();
        let start = top.path().join("mine/a");
        fs::create_dir_all(&start).unwrap();
        fs::create_dir(top.path().join(mark)).unwrap();
        let root_from = |start: &Path| Workspace::discover(start).unwrap().root().to_path_buf();
        for (mode, root) in [(0o1777, start.as_path()), (0o777, top.path()), (0o1755, top.path())] {
            fs::set_permissions(top.path(), fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(root_from(&start), fs::canonicalize(root).unwrap(), "{mark}, {mode:o}");
            assert_eq!(root_from(top.path()), fs::canonicalize(top.path()).unwrap(), "{mark}, {mode:o}");
        }
    }
}

/// Needs to change a file's owner, which only root can.
#[test]
fn a_mark_of_another_user_above_does_not_count() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let top = tempfile::tempdir().unwrap();
    let start = top.path().join("mine");
    fs::create_dir_all(&start).unwrap();
    let mark = top.path().join(".relaycode");
    fs::create_dir(&mark).unwrap();
    let root_from = |start: &Path| Workspace::discover(start).unwrap().root().to_path_buf();
    assert_eq!(root_from(&start), fs::canonicalize(top.path()).unwrap());
    std::os::unix::fs::chown(&mark, Some(12_345), None).unwrap();
    assert_eq!(root_from(&start), fs::canonicalize(&start).unwrap());
    std::os::unix::fs::chown(&start, Some(12_345), None).unwrap();
    assert_eq!(root_from(&start), fs::canonicalize(top.path()).unwrap(), "as in a container");
}
