//! No link leads out, whatever it points to and whenever it is planted.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use relay_workspace::{OwnPath, ReadError, Workspace};
use rustix::io::Errno;

/// A workspace beside a folder with a secret in it.
fn beside_a_secret() -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("root")).unwrap();
    fs::create_dir(folder.path().join("outside")).unwrap();
    fs::write(folder.path().join("outside/secret"), "secret").unwrap();
    let workspace = Workspace::open(&folder.path().join("root")).unwrap();
    (folder, workspace)
}

#[track_caller]
fn check_link(workspace: &Workspace, path: &str, link: &str) {
    let path = workspace.path(path).unwrap();
    let seen = [
        workspace.read(&path).map(drop),
        workspace.open_file(&path).map(drop),
        workspace.open_dir(&path).map(drop),
    ];
    for result in seen {
        match result {
            Err(ReadError::Symlink { link: named, .. }) => assert_eq!(named, link, "{path}"),
            other => panic!("{path}: {other:?}"),
        }
    }
}

#[test]
fn going_up_is_followed_inside_and_refused_outside_and_after_links() {
    let (folder, workspace) = beside_a_secret();
    let root = folder.path().join("root");
    fs::create_dir_all(root.join("src/deep")).unwrap();
    symlink("../outside", root.join("link")).unwrap();
    symlink("deep", root.join("src/shortcut")).unwrap();
    for (raw, path) in [
        ("src/../src/x", "src/x"),
        ("src/deep/../../x", "x"),
        ("./src/./../new/x", "new/x"),
        ("missing/../x", "x"),
        ("src//../x", "x"),
    ] {
        assert_eq!(workspace.path(raw).map(|path| path.to_string()), Ok(path.to_owned()), "{raw}");
    }
    for (raw, code) in [
        ("../x", "path-parent-folder"),
        ("src/../../outside/secret", "path-parent-folder"),
        ("src/../..", "path-parent-folder"),
        ("src/..", "path-folder"),
        ("src/deep/..", "path-folder"),
        ("src/../", "path-folder"),
        ("src/../src/", "path-folder"),
        ("/etc/../etc/passwd", "path-absolute"),
        ("~/../x", "path-home"),
        (".git/../x", "path-git"),
        ("src/../.git/config", "path-git"),
        ("src/../.relaycode/lock", "path-relay-state"),
        ("src/．．/x", "path-parent-folder"),
        ("link/../x", "path-parent-of-link"),
        ("src/shortcut/../x", "path-parent-of-link"),
        ("link/sub/../x", "path-parent-of-link"),
    ] {
        assert_eq!(workspace.path(raw).map_err(|refusal| refusal.code()), Err(code), "{raw}");
    }
}

#[test]
fn links_are_named_at_every_depth_and_wherever_they_point() {
    let (folder, workspace) = beside_a_secret();
    let root = folder.path().join("root");
    let outside = folder.path().join("outside");
    fs::create_dir_all(root.join("a/real")).unwrap();
    fs::write(root.join("a/real/file"), "x").unwrap();
    for (name, target) in [
        ("absolute", outside.as_path()),
        ("relative", Path::new("../outside")),
        ("inside", Path::new("a/real")),
        ("dangling", Path::new("nowhere")),
        ("itself", Path::new("itself")),
        ("magic", Path::new("/proc/self/root")),
        ("a/deep", outside.as_path()),
    ] {
        symlink(target, root.join(name)).unwrap();
        check_link(&workspace, name, name);
        for below in ["secret", "file", "x/y"] {
            check_link(&workspace, &format!("{name}/{below}"), name);
        }
        let below = workspace.path(&format!("{name}/x")).unwrap();
        assert!(matches!(workspace.facts(&below), Err(ReadError::Symlink { .. })), "{name}");
        assert!(matches!(workspace.parent_dir(&below), Err(ReadError::Symlink { .. })), "{name}");
    }
}

#[test]
fn a_planted_state_folder_or_config_is_not_followed() {
    let (folder, workspace) = beside_a_secret();
    let root = folder.path().join("root");
    symlink("../outside", root.join(".relaycode")).unwrap();
    symlink("../outside/secret", root.join("relaycode.config.json")).unwrap();
    assert!(matches!(workspace.state_dir(), Err(ReadError::Symlink { .. })));
    assert!(matches!(workspace.read(&OwnPath::config()), Err(ReadError::Symlink { .. })));
    assert!(matches!(workspace.read(&OwnPath::state("secret").unwrap()), Err(ReadError::Symlink { .. })));
}

#[test]
fn handles_refuse_names_that_lead_elsewhere() {
    let (_folder, workspace) = beside_a_secret();
    for name in ["..", "../outside/secret", "/etc/passwd", "a/../../outside", "", ".", "a//b", "a/", "a\0b"] {
        let error = workspace.root_dir().read(name, 10).unwrap_err();
        assert_eq!(error.code(), "file-bad-name", "{name:?}");
        assert_eq!(workspace.root_dir().open_dir(name).unwrap_err().code(), "file-bad-name", "{name:?}");
        assert_eq!(workspace.root_dir().facts(name).unwrap_err().code(), "file-bad-name", "{name:?}");
        assert_eq!(workspace.root_dir().read_link(name).unwrap_err().code(), "file-bad-name", "{name:?}");
    }
}

#[test]
fn the_root_may_be_reached_through_a_link_and_stays_the_same_folder_when_it_is_renamed() {
    let (folder, _) = beside_a_secret();
    fs::write(folder.path().join("root/file"), "x").unwrap();
    symlink("root", folder.path().join("alias")).unwrap();
    let workspace = Workspace::open(&folder.path().join("alias")).unwrap();
    assert_eq!(workspace.root(), fs::canonicalize(folder.path().join("root")).unwrap());
    fs::rename(folder.path().join("root"), folder.path().join("moved")).unwrap();
    symlink("outside", folder.path().join("root")).unwrap();
    assert!(workspace.read(&workspace.path("file").unwrap()).unwrap().is_some());
    assert!(workspace.read(&workspace.path("secret").unwrap()).unwrap().is_none());
}

/// A folder is swapped for a link and back while it is read from. Whatever the timing, the bytes are ours or the link is
/// named; the secret is never read.
#[test]
fn a_folder_swapped_for_a_link_while_reading_gives_nothing_away() {
    let (folder, workspace) = beside_a_secret();
    let root = folder.path().join("root");
    fs::create_dir(root.join("a")).unwrap();
    fs::write(root.join("a/secret"), "public").unwrap();
    symlink("../outside", root.join("link")).unwrap();
    let done = AtomicBool::new(false);
    let path = workspace.path("a/secret").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                fs::rename(root.join("a"), root.join("kept")).unwrap();
                fs::rename(root.join("link"), root.join("a")).unwrap();
                fs::rename(root.join("a"), root.join("link")).unwrap();
                fs::rename(root.join("kept"), root.join("a")).unwrap();
            }
        });
        let (mut seen_public, mut seen_link) = (0, 0);
        // On a busy machine the other thread may be stopped for long while the link is there.
        for round in 0..5_000_000 {
            if round >= 20_000 && seen_public > 0 {
                break;
            }
            match workspace.read(&path) {
                Ok(Some(read)) => {
                    assert_eq!(read.bytes, b"public");
                    seen_public += 1;
                }
                Err(ReadError::Symlink { .. }) => seen_link += 1,
                Ok(None) => {}
                // Between the refusal and the second look the link has gone again: still nothing was read.
                Err(ReadError::Io { source, .. }) => {
                    let errno = Errno::from_io_error(&source);
                    assert!(matches!(errno, Some(Errno::LOOP | Errno::NOTDIR)), "{source}");
                }
                Err(other) => panic!("{other:?}"),
            }
        }
        done.store(true, Ordering::Relaxed);
        assert!(seen_public > 0, "public {seen_public}, link {seen_link}");
    });
}
