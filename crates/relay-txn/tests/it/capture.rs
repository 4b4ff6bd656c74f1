//! Capturing what commands do, and taking it up into transactions.

use relay_txn::capture::{Effects, Obstacle};
use relay_txn::{Draft, TxnError, Verdict};
use uuid::Uuid;

use crate::world::{World, draft, header};

fn verdict() -> Verdict {
    Verdict { checks: Vec::new(), approved_by: "test".to_owned() }
}

/// What `command` does to the world.
fn capture(world: &World, command: impl FnOnce()) -> Effects {
    let before = world.ledger.scan(&world.workspace, None).unwrap();
    command();
    let after = world.ledger.scan(&world.workspace, Some(&before)).unwrap();
    world.ledger.effects(&world.workspace, &before, &after).unwrap()
}

fn words() -> Draft {
    Draft { uuid: Uuid::new_v4(), header: header(), ..Draft::default() }
}

fn paths(effects: &Effects) -> Vec<&str> {
    effects.changes.iter().map(|change| change.path.as_str()).collect()
}

fn messy(world: &World) {
    world.write("a.txt", "changed\n");
    std::fs::remove_dir_all(world.at("gone")).unwrap();
    std::fs::create_dir_all(world.at("new/deep")).unwrap();
    std::fs::write(world.at("new/deep/bin"), [0, 255, 1]).unwrap();
    world.set_mode("run.sh", 0o700);
    std::fs::remove_file(world.at("link")).unwrap();
    std::os::unix::fs::symlink("run.sh", world.at("link")).unwrap();
}

fn world() -> World {
    let world =
        World::new(&[("a.txt", "a\n"), ("gone/b.txt", "b\n"), ("gone/c/d", "\0d"), ("run.sh", "#!\n")]);
    std::os::unix::fs::symlink("a.txt", world.at("link")).unwrap();
    std::fs::create_dir(world.at("gone/empty")).unwrap();
    world
}

#[test]
fn everything_a_command_did_is_captured_rolled_back_committed_and_inverted() {
    let world = world();
    let before = world.tree();
    let effects = capture(&world, || messy(&world));
    assert_eq!(paths(&effects), ["a.txt", "gone/b.txt", "gone/c/d", "link", "new/deep/bin", "run.sh"]);
    assert_eq!(effects.made_folders, ["new", "new/deep"]);
    let removed: Vec<&str> = effects.removed_folders.iter().map(|folder| folder.path.as_str()).collect();
    assert_eq!(removed, ["gone/empty", "gone/c", "gone"]);
    assert!(effects.uncaptured.is_empty() && effects.unattributed.is_empty());

    let (pending, others) = world.ledger.adopt(words(), &effects, "test").unwrap();
    assert!(others.is_empty());
    assert_ne!(world.tree(), before, "taking it up touches nothing");
    let done = pending.rollback().unwrap();
    assert!(done.rescued.is_empty() && done.disowned.is_empty());
    assert_eq!(world.tree(), before);

    let effects = capture(&world, || messy(&world));
    let after = world.tree();
    let (pending, _) = world.ledger.adopt(words(), &effects, "test").unwrap();
    let record = pending.commit(verdict()).unwrap();
    assert_eq!(world.tree(), after);
    world.apply(world.inverse(&record)).unwrap();
    assert_eq!(world.tree(), before);
}

#[test]
fn nothing_is_an_effect_when_nothing_happened() {
    let world = world();
    assert!(capture(&world, || {}).is_empty());
    let effects = capture(&world, || {
        let text = world.read("a.txt");
        std::fs::remove_file(world.at("a.txt")).unwrap();
        world.write("a.txt", &text);
    });
    assert!(effects.is_empty(), "the same content in another file is not a change");
}

#[test]
fn changes_by_commands_belong_to_the_pending_transaction() {
    let world = world();
    let before = world.tree();
    let run = |changes: &[(&str, Option<&str>, Option<&str>)]| {
        let mut pending = world.ledger.begin(draft(changes)).unwrap();
        let effects = capture(&world, || {
            messy(&world);
            world.write("made.txt", "formatted\n");
        });
        assert!(pending.extend(&effects, "formatter").unwrap().is_empty());
        // A second command, on top of the first.
        let effects = capture(&world, || std::fs::remove_file(world.at("made.txt")).unwrap());
        assert!(pending.extend(&effects, "second").unwrap().is_empty());
        pending
    };
    let changes = [("a.txt", Some("a\n"), Some("planned\n")), ("made.txt", None, Some("made\n"))];
    assert!(run(&changes).rollback().unwrap().rescued.is_empty());
    assert_eq!(world.tree(), before);
    drop(run(&changes));
    assert_eq!(world.tree(), before);

    let record = run(&changes).commit(verdict()).unwrap();
    let change = record.changes.iter().find(|change| change.path == "a.txt").unwrap();
    assert_eq!(world.ledger.content(change.before.as_ref().unwrap()).unwrap(), b"a\n");
    assert_eq!(world.ledger.content(change.after.as_ref().unwrap()).unwrap(), b"changed\n");
    assert_eq!(change.by.as_deref(), Some("formatter"));
    assert!(record.changes.iter().all(|change| change.path != "made.txt"), "it never was");
}

#[test]
fn changes_by_other_transactions_stay_theirs() {
    let world = world();
    let effects = capture(&world, || {
        world
            .apply(draft(&[("a.txt", Some("a\n"), Some("theirs\n")), ("new.txt", None, Some("new\n"))]))
            .unwrap();
        world.write("a.txt", "theirs and ours\n");
        world.write("run.sh", "ours\n");
    });
    assert_eq!(paths(&effects), ["a.txt", "run.sh"]);
    assert_eq!(*effects.changes[0].before.as_ref().unwrap().bytes, *b"theirs\n");
    let others: Vec<&str> = effects.unattributed.iter().map(|other| other.path.as_str()).collect();
    assert_eq!(others, ["a.txt", "new.txt"]);

    // One that is not decided yet holds its paths.
    let held = world.ledger.begin(draft(&[("gone/b.txt", Some("b\n"), Some("held\n"))])).unwrap();
    let effects = capture(&world, || {
        world.write("gone/b.txt", "over it\n");
        world.write("run.sh", "again\n");
    });
    let (pending, others) = world.ledger.adopt(words(), &effects, "test").unwrap();
    assert_eq!((others.len(), others[0].uuid), (1, held.uuid()));
    pending.rollback().unwrap();
    assert_eq!((world.read("gone/b.txt").as_str(), world.read("run.sh").as_str()), ("over it\n", "ours\n"));
    assert_eq!(held.rollback().unwrap().rescued.len(), 1);
}

/// Files, links and folders take each other's places.
fn swapping(world: &World) {
    std::fs::remove_file(world.at("a.txt")).unwrap();
    std::fs::create_dir(world.at("a.txt")).unwrap();
    world.write("a.txt/inside", "x");
    std::os::unix::fs::symlink("../run.sh", world.at("a.txt/aim")).unwrap();
    std::fs::remove_dir_all(world.at("gone")).unwrap();
    world.write("gone", "a file now\n");
    std::fs::remove_file(world.at("link")).unwrap();
    std::fs::create_dir(world.at("link")).unwrap();
    world.write("link/inside", "y");
    std::fs::remove_dir_all(world.at("full")).unwrap();
    std::os::unix::fs::symlink("run.sh", world.at("full")).unwrap();
    world.write("run.sh", "ours\n");
}

#[test]
fn files_links_and_folders_that_change_places_are_captured_like_anything_else() {
    let world = world();
    std::fs::create_dir(world.at("full")).unwrap();
    world.write("full/of", "things\n");
    world.set_mode("gone", 0o750);
    let before = world.tree();
    let effects = capture(&world, || swapping(&world));
    let expected = [
        "a.txt",
        "a.txt/aim",
        "a.txt/inside",
        "full",
        "full/of",
        "gone",
        "gone/b.txt",
        "gone/c/d",
        "link",
        "link/inside",
        "run.sh",
    ];
    assert_eq!(paths(&effects), expected);
    assert_eq!(effects.made_folders, ["a.txt", "link"]);
    assert!(effects.uncaptured.is_empty(), "{:?}", effects.uncaptured);

    let (pending, _) = world.ledger.adopt(words(), &effects, "test").unwrap();
    let done = pending.rollback().unwrap();
    assert!(done.rescued.is_empty() && done.disowned.is_empty());
    assert_eq!(world.tree(), before);
    assert_eq!(world.mode("gone"), 0o750);

    let effects = capture(&world, || swapping(&world));
    let after = world.tree();
    let (pending, _) = world.ledger.adopt(words(), &effects, "test").unwrap();
    let record = pending.commit(verdict()).unwrap();
    assert_eq!(world.tree(), after);
    let undone = world.apply(world.inverse(&record)).unwrap();
    assert_eq!(world.tree(), before);
    assert_eq!(world.mode("gone"), 0o750);
    world.apply(world.inverse(&undone)).unwrap();
    assert_eq!(world.tree(), after);
    let is_kept = |name: &&String| name.starts_with("capture") || name.starts_with("rescued");
    assert_eq!(world.leftovers().iter().filter(|name| !is_kept(name)).count(), 0);
}

#[test]
fn two_commands_may_swap_a_path_there_and_back() {
    let world = world();
    let before = world.tree();
    let run = || {
        let changes = [("a.txt", Some("a\n"), Some("planned\n")), ("made/new", None, Some("made\n"))];
        let mut pending = world.ledger.begin(draft(&changes)).unwrap();
        let effects = capture(&world, || {
            std::fs::remove_dir_all(world.at("made")).unwrap();
            world.write("made", "a file now\n");
            swap_to_folder(&world, "a.txt");
        });
        assert!(pending.extend(&effects, "first").unwrap().is_empty());
        let effects = capture(&world, || {
            swap_to_folder(&world, "made");
            std::fs::remove_dir_all(world.at("a.txt")).unwrap();
            world.write("a.txt", "a file again\n");
        });
        assert!(pending.extend(&effects, "second").unwrap().is_empty());
        pending
    };
    assert!(run().rollback().unwrap().rescued.is_empty());
    assert_eq!(world.tree(), before);
    let record = run().commit(verdict()).unwrap();
    let changed: Vec<&str> = record.paths().collect();
    assert_eq!(changed, ["a.txt", "made/inside"]);
    world.apply(world.inverse(&record)).unwrap();
    assert_eq!(world.tree(), before);
}

fn swap_to_folder(world: &World, path: &str) {
    std::fs::remove_file(world.at(path)).unwrap();
    std::fs::create_dir(world.at(path)).unwrap();
    world.write(&format!("{path}/inside"), "x");
}

#[test]
fn files_added_to_a_swapped_folder_are_never_lost() {
    let world = world();
    let before = world.tree();
    let effects = capture(&world, || swap_to_folder(&world, "a.txt"));
    let (pending, _) = world.ledger.adopt(words(), &effects, "test").unwrap();
    world.write("a.txt/mine", "mine\n");
    let rescued = pending.rollback().unwrap().rescued;
    assert_eq!(world.tree(), before);
    assert_eq!(rescued.len(), 1);
    assert_eq!(world.read(&format!("{}/mine", rescued[0].kept_as)), "mine\n");

    let effects = capture(&world, || swap_to_folder(&world, "a.txt"));
    let (pending, _) = world.ledger.adopt(words(), &effects, "test").unwrap();
    let record = pending.commit(verdict()).unwrap();
    world.write("a.txt/mine", "mine\n");
    let after = world.tree();
    let refused = world.apply(world.inverse(&record)).unwrap_err();
    assert!(matches!(&refused, TxnError::Occupied { inside, .. } if inside == "a.txt/mine"), "{refused}");
    assert_eq!(world.tree(), after);
}

#[test]
fn a_folder_that_becomes_a_pipe_is_reported_and_left() {
    let world = world();
    let effects = capture(&world, || {
        std::fs::rename(world.at("gone"), world.at("moved")).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, world.at("gone"), mode).unwrap();
        world.write("run.sh", "ours\n");
    });
    assert_eq!(paths(&effects), ["run.sh"]);
    let missed: Vec<(&str, Obstacle)> =
        effects.uncaptured.iter().map(|missed| (missed.path.as_str(), missed.obstacle)).collect();
    let swapped =
        ["gone/b.txt", "gone/c/d", "moved/b.txt", "moved/c/d"].map(|path| (path, Obstacle::Swapped));
    assert_eq!(missed[0], ("gone", Obstacle::Special));
    assert_eq!(missed[1..], swapped, "what was moved away may be the only copy");
    assert!(effects.made_folders.is_empty() && effects.removed_folders.is_empty());
}

/// Beyond what one capture may hold a file that is gone cannot be given back; then nothing new is taken away either.
#[test]
fn a_file_that_was_moved_beyond_the_limit_is_never_removed() {
    const SIZE: usize = 60 << 20;
    if !crate::world::long() {
        return;
    }
    let world = World::new(&[]);
    for at in 0..9_u8 {
        std::fs::write(world.at(&format!("z{at}")), vec![at; SIZE]).unwrap();
    }
    let effects = capture(&world, || {
        std::fs::rename(world.at("z8"), world.at("a")).unwrap();
        for at in 0..8_u8 {
            std::fs::write(world.at(&format!("z{at}")), vec![at + 100; SIZE]).unwrap();
        }
    });
    let why = |path: &str| {
        effects.uncaptured.iter().find(|missed| missed.path == path).map(|missed| missed.obstacle)
    };
    assert_eq!((why("z8"), why("a")), (Some(Obstacle::TooMuch), Some(Obstacle::OnlyCopy)));
    let (pending, _) = world.ledger.adopt(words(), &effects, "test").unwrap();
    pending.rollback().unwrap();
    assert_eq!(std::fs::read(world.at("a")).unwrap(), vec![8; SIZE]);
    assert_eq!(std::fs::read(world.at("z0")).unwrap(), vec![0; SIZE], "what fits is undone");
}

#[test]
fn renames_are_recognised_by_their_content() {
    let world = world();
    let effects = capture(&world, || std::fs::rename(world.at("a.txt"), world.at("z.txt")).unwrap());
    assert_eq!(paths(&effects), ["a.txt", "z.txt"]);
    assert_eq!(effects.changes[1].renamed_from.as_ref().map(relay_workspace::RelPath::as_str), Some("a.txt"));
}

#[test]
fn contents_outlive_the_state_folder() {
    let world = world();
    let before = world.tree();
    let effects = capture(&world, || {
        for name in [".relaycode", "gone"] {
            std::fs::remove_dir_all(world.at(name)).unwrap();
        }
        std::fs::remove_file(world.at("a.txt")).unwrap();
    });
    let (pending, _) = world.ledger.adopt(words(), &effects, "test").unwrap();
    pending.rollback().unwrap();
    assert_eq!(world.tree(), before);
}

#[test]
fn planted_caches_are_made_anew_and_links_in_their_place_are_refused() {
    let world = world();
    capture(&world, || {});
    let pack = world.at(".relaycode/capture").read_dir().unwrap().map(|entry| entry.unwrap().path());
    for file in pack.filter(|path| !path.ends_with("lock")) {
        std::fs::write(file, "planted").unwrap();
    }
    let effects = capture(&world, || world.write("a.txt", "changed\n"));
    assert_eq!(*effects.changes[0].before.as_ref().unwrap().bytes, *b"a\n");

    let outside = tempfile::tempdir().unwrap();
    std::fs::remove_dir_all(world.at(".relaycode/capture")).unwrap();
    std::os::unix::fs::symlink(outside.path(), world.at(".relaycode/capture")).unwrap();
    assert!(world.ledger.scan(&world.workspace, None).is_err());
    assert_eq!(outside.path().read_dir().unwrap().count(), 0);
}

#[test]
fn files_without_usable_names_are_reported_when_they_change() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new(&[("in/a", "a\n"), (".gitignore", "*.tmp\n")]);
    let at = |name: &[u8]| world.at("in").join(OsStr::from_bytes(name));
    std::fs::write(at(b"stays\xff"), "x").unwrap();
    std::fs::write(at(b"changes\xff"), "x").unwrap();
    std::fs::write(at(b"goes\xfe"), "x").unwrap();
    std::fs::create_dir_all(at(b"folder\xff/inner")).unwrap();
    std::fs::write(at(b"folder\xff/inner/file"), "x").unwrap();
    std::fs::create_dir(at("hidden\u{202e}folder".as_bytes())).unwrap();
    let effects = capture(&world, || {
        std::fs::write(at(b"comes\xff"), "x").unwrap();
        std::fs::write(at(b"ignored\xff.tmp"), "x").unwrap();
        std::fs::write(at(b"changes\xff"), "xy").unwrap();
        std::fs::remove_file(at(b"goes\xfe")).unwrap();
        std::fs::write(at(b"folder\xff/inner/file"), "xy").unwrap();
        std::fs::write(at("hidden\u{202e}folder/new".as_bytes()), "x").unwrap();
        world.write("in/a", "b\n");
    });
    let reported: Vec<_> =
        effects.uncaptured.iter().map(|missed| (missed.path.as_str(), missed.obstacle)).collect();
    let expected = [
        "in/changes\\xff",
        "in/comes\\xff",
        "in/folder\\xff/inner/file",
        "in/goes\\xfe",
        "in/hidden\u{202e}folder/new",
    ];
    assert_eq!(reported, expected.map(|path| (path, Obstacle::Name)));
    assert_eq!(paths(&effects), ["in/a"]);
}

#[test]
fn a_created_or_removed_repository_is_reported() {
    let world = World::new(&[
        ("kept/.git/HEAD", "x\n"),
        ("gone/.git/HEAD", "x\n"),
        ("gone/a", "a\n"),
        ("sub/.git", "gitdir: x\n"),
    ]);
    let effects = capture(&world, || {
        std::fs::remove_dir_all(world.at("gone")).unwrap();
        std::fs::remove_file(world.at("sub/.git")).unwrap();
        std::fs::create_dir_all(world.at("new/.git")).unwrap();
        world.write("kept/.git/index", "changes all the time\n");
    });
    let reported: Vec<_> =
        effects.uncaptured.iter().map(|missed| (missed.path.as_str(), missed.obstacle)).collect();
    assert_eq!(reported, ["gone/.git", "new/.git", "sub/.git"].map(|path| (path, Obstacle::Git)));
    assert_eq!(paths(&effects), ["gone/a"]);
}

#[test]
fn a_removed_pipe_does_not_prevent_other_captures() {
    let world = World::new(&[]);
    rustix::fs::mkfifoat(rustix::fs::CWD, world.at("pipe"), rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    let effects = capture(&world, || {
        std::fs::remove_file(world.at("pipe")).unwrap();
        world.write("new", "n\n");
    });
    assert_eq!(paths(&effects), ["new"]);
    assert!(matches!(effects.uncaptured.as_slice(), [missed] if missed.obstacle == Obstacle::Special));
}

#[test]
fn changed_permissions_of_a_folder_are_reported() {
    let world = World::new(&[("in/a", "a\n")]);
    let effects = capture(&world, || world.set_mode("in", 0o700));
    assert!(paths(&effects).is_empty());
    assert!(matches!(effects.uncaptured.as_slice(), [missed] if missed.obstacle == Obstacle::Folder));
}

#[test]
fn concurrent_writes_are_kept_when_a_command_is_rolled_back() {
    let world = World::new(&[("a", "a\n")]);
    for round in 0..12 {
        let effects = capture(&world, || {
            world.write("a", &format!("saved meanwhile {round}\n"));
            world.write("mine", "mine\n");
        });
        let (pending, _) = world.ledger.adopt(words(), &effects, "test").unwrap();
        let kept = pending.rollback().unwrap().kept.unwrap();
        assert_eq!(world.read("a"), "a\n");
        assert!(!world.at("mine").exists());
        let record = world.read(&kept);
        assert!(
            record.contains(&format!("saved meanwhile {round}\n")) && record.contains("mine\n"),
            "{record}"
        );
    }
    assert_eq!(std::fs::read_dir(world.at(".relaycode/rescued")).unwrap().count(), 10, "only the last ones");
}
