//! One command after the other in one process: what was seen last is used again only if nothing happened since.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command as Program, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use relay_txn::capture::{Command, Effects, Running, Scan};
use relay_txn::{Draft, Ledger, Verdict};
use relay_workspace::{Ignored, Workspace};
use uuid::Uuid;

use crate::world::{World, header, key};

/// Passes the workspace to a worker, and what it shall do.
const ROOT: &str = "RELAY_TEST_SESSION_ROOT";
const TASK: &str = "RELAY_TEST_SESSION_TASK";

/// Captures a command as the engine does: a look, a journal, the command, a look.
fn run(world: &World, command: impl FnOnce()) -> (Scan, Effects) {
    let (before, running) = begin(world, "a command");
    command();
    let (effects, _) = world.ledger.effects_since(&world.workspace, &before).unwrap();
    drop(running);
    (before, effects)
}

fn begin(world: &World, line: &str) -> (Scan, Running) {
    let before = world.ledger.scan_before(&world.workspace, &Ignored::Not).unwrap();
    let running = world.ledger.journal(&world.workspace, &before, Command::new("test", line)).unwrap();
    (before, running)
}

/// A world in which two commands have run, so that the next look may be spared.
fn settled(files: &[(&str, &str)]) -> World {
    let world = World::new(files);
    // Files that changed a moment ago are always read again.
    std::thread::sleep(Duration::from_millis(150));
    run(&world, || {});
    run(&world, || {});
    assert!(run(&world, || {}).0.is_reused());
    world
}

const FILES: [(&str, &str); 7] = [
    ("a.txt", "a\n"),
    ("src/main.rs", "fn main() {}\n"),
    ("src/deep/er/x", "x\n"),
    ("src/deep/y", "y\n"),
    ("other/z", "z\n"),
    (".gitignore", "target/\n*.log\n"),
    ("target/out", "out\n"),
];

/// Something happens between two commands: the look before the second one sees it, so it is not that command's.
fn check_noticed(what: &str, happens: impl FnOnce(&World)) {
    let world = settled(&FILES);
    happens(&world);
    check_next(&world, what);
}

fn check_next(world: &World, what: &str) {
    let (before, effects) = run(world, || world.write("a.txt", &Uuid::new_v4().to_string()));
    assert!(!before.is_reused(), "{what} went unnoticed");
    let paths: Vec<&str> = effects.changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(paths, ["a.txt"], "{what} is none of the command's");
    assert!(effects.uncaptured.is_empty() && effects.made_folders.is_empty(), "{what}: {effects:?}");
}

#[test]
fn nothing_happened_so_what_was_seen_is_what_there_is() {
    let world = settled(&FILES);
    let (before, effects) = run(&world, || {
        world.write("src/main.rs", "changed\n");
        std::fs::remove_file(world.at("other/z")).unwrap();
    });
    assert!(before.is_reused());
    let paths: Vec<&str> = effects.changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(paths, ["other/z", "src/main.rs"]);
    assert_eq!(*effects.changes[1].before.as_ref().unwrap().bytes, *b"fn main() {}\n");
    // The look after that command is the one before the next.
    let (before, effects) = run(&world, || world.write("src/main.rs", "changed again\n"));
    assert!(before.is_reused());
    assert_eq!(*effects.changes[0].before.as_ref().unwrap().bytes, *b"changed\n");
}

#[test]
fn reading_and_writing_where_relay_does_not_look_is_nothing() {
    let world = settled(&FILES);
    for (path, _) in FILES {
        world.read(path);
        std::fs::read_dir(world.at("src/deep")).unwrap().count();
    }
    world.write("target/out", "more\n");
    world.write("target/made", "more\n");
    assert!(run(&world, || {}).0.is_reused());
}

#[test]
fn whatever_happens_to_a_file_is_noticed() {
    check_noticed("writing", |world| world.write("src/main.rs", "longer than before\n"));
    check_noticed("truncating", |world| drop(std::fs::File::create(world.at("other/z")).unwrap()));
    check_noticed("a mode", |world| world.set_mode("src/deep/er/x", 0o600));
    check_noticed("creating", |world| world.write("src/deep/new", "n\n"));
    check_noticed("deleting", |world| std::fs::remove_file(world.at("src/deep/y")).unwrap());
    check_noticed("a link", |world| std::os::unix::fs::symlink("z", world.at("other/link")).unwrap());
    check_noticed("renaming", |world| std::fs::rename(world.at("other/z"), world.at("src/z")).unwrap());
    check_noticed("replacing", |world| {
        world.write("target/out", "by rename\n");
        std::fs::rename(world.at("target/out"), world.at("src/main.rs")).unwrap();
    });
    check_noticed("an ignore file", |world| world.write("other/.gitignore", "z\n"));
    check_noticed("less ignored", |world| {
        world.write(".gitignore", "*.log\n");
        world.write(".gitignore", "target/\n*.log\n");
    });
    check_noticed("a second name", |world| {
        std::fs::hard_link(world.at("src/main.rs"), world.at("other/b")).unwrap();
    });
}

#[test]
fn a_program_in_another_mount_namespace_is_noticed() {
    let world = settled(&FILES);
    let mut program = Program::new("unshare");
    program.args(["-Urm", "sh", "-c", "echo elsewhere > other/z"]).current_dir(world.workspace.root());
    if program.stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        check_next(&world, "a program in another mount namespace");
    }
}

#[test]
fn a_memory_map_is_noticed_once_its_program_has_ended() {
    let world = settled(&FILES);
    let script = "import mmap, os\n\
        handle = os.open('other/z', os.O_RDWR)\n\
        pages = mmap.mmap(handle, 2)\n\
        os.close(handle)\n\
        pages[0:1] = b'm'\n";
    let write = || {
        let mut program = Program::new("python3");
        program
            .args(["-c", script])
            .current_dir(world.workspace.root())
            .status()
            .is_ok_and(|done| done.success())
    };
    if write() {
        check_next(&world, "a memory map");
        world.write("other/z", "z\n");
        run(&world, || {});
        // By a command it is captured like anything else: nothing that a command did is left to be noticed.
        let (before, effects) = run(&world, || assert!(write()));
        assert!(before.is_reused());
        assert!(
            matches!(effects.changes.as_slice(), [change] if change.path.as_str() == "other/z"),
            "{effects:?}"
        );
    }
}

#[test]
fn attributes_are_noticed_where_files_have_them() {
    let world = settled(&FILES);
    let flags = rustix::fs::XattrFlags::empty();
    if rustix::fs::setxattr(world.at("other/z"), "user.x", b"1", flags).is_ok() {
        check_next(&world, "an attribute");
    }
}

#[test]
fn a_folder_is_watched_wherever_it_goes() {
    check_noticed("moving a folder", |world| {
        std::fs::rename(world.at("src/deep"), world.at("other/deep")).unwrap();
    });
    // One that a command made, and one that it moved.
    let world = settled(&FILES);
    run(&world, || {
        std::fs::create_dir_all(world.at("made/by/it")).unwrap();
        std::fs::rename(world.at("src/deep"), world.at("made/deep")).unwrap();
    });
    assert!(run(&world, || {}).0.is_reused());
    world.write("made/by/it/x", "x\n");
    check_next(&world, "writing into a new folder");
    world.write("made/deep/er/x", "more\n");
    check_next(&world, "writing into a moved folder");
    // A new folder may get the number of one that is gone.
    for round in 0..5 {
        run(&world, || {
            std::fs::remove_dir_all(world.at("made/by")).unwrap();
            std::fs::create_dir_all(world.at("made/by/it")).unwrap();
        });
        run(&world, || {});
        world.write("made/by/it/x", &format!("{round}\n"));
        check_next(&world, "writing into a folder made anew");
    }
}

#[test]
fn writing_under_another_name_is_noticed() {
    let world = World::new(&FILES);
    let outside = tempfile::tempdir_in(world.at("target")).unwrap();
    std::fs::hard_link(world.at("other/z"), outside.path().join("z")).unwrap();
    std::thread::sleep(Duration::from_millis(150));
    run(&world, || {});
    run(&world, || {});
    assert!(run(&world, || {}).0.is_reused());
    std::fs::write(outside.path().join("z"), "through the other name\n").unwrap();
    check_next(&world, "writing under another name");
}

#[test]
fn rules_from_outside_the_workspace_count() {
    let world = World::new(&[("top/.git/HEAD", "x\n"), ("top/in/a.txt", "a\n"), ("top/in/b.tmp", "b\n")]);
    std::thread::sleep(Duration::from_millis(150));
    let workspace = Workspace::open(&world.at("top/in")).unwrap();
    let ledger = Ledger::open(&workspace, key()).unwrap();
    let run = |command: &dyn Fn()| {
        let before = ledger.scan_before(&workspace, &Ignored::Not).unwrap();
        command();
        let (effects, _) = ledger.effects_since(&workspace, &before).unwrap();
        (before, effects)
    };
    for _ in 0..2 {
        run(&|| {});
    }
    assert!(run(&|| {}).0.is_reused());
    for (path, text) in [("top/.gitignore", "*.tmp\n"), ("top/.git/info/exclude", "a.txt\n")] {
        std::fs::create_dir_all(world.at(path).parent().unwrap()).unwrap();
        world.write(path, text);
        assert!(!run(&|| {}).0.is_reused(), "{path}");
        assert!(run(&|| {}).0.is_reused(), "{path}");
    }
    let (_, effects) = run(&|| {
        world.write("top/in/b.tmp", "ignored\n");
        world.write("top/in/a.txt", "ignored\n");
    });
    assert!(effects.changes.is_empty() && effects.uncaptured.is_empty(), "{effects:?}");
}

#[test]
fn while_another_command_runs_everything_is_looked_at() {
    let world = settled(&FILES);
    let (long, running) = begin(&world, "in the background");
    assert!(long.is_reused());
    assert!(!run(&world, || {}).0.is_reused());
    drop(running);
    assert!(run(&world, || {}).0.is_reused());
}

#[test]
fn more_events_than_the_system_keeps_are_one_more_reason_to_look() {
    let world = settled(&FILES);
    let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    let limit: usize = limit.trim().parse().unwrap();
    for round in 0..limit.min(40_000) / 2 + 10 {
        // Never twice the same, which would count as one.
        world.write(if round % 2 == 0 { "other/z" } else { "src/deep/y" }, "again\n");
    }
    std::fs::remove_dir_all(world.at("src/deep")).unwrap();
    world.write("src/deep", "a file now\n");
    check_next(&world, "a flood");
    // Everything is watched again.
    assert!(run(&world, || {}).0.is_reused());
    world.write("src/main.rs", "once more\n");
    check_next(&world, "writing after a flood");
}

#[test]
fn what_was_kept_must_still_be_there() {
    for gone in ["", "pack-1", "index"] {
        let world = settled(&FILES);
        let place = world.at(".relaycode/capture").join(gone);
        if gone.is_empty() {
            std::fs::remove_dir_all(place).unwrap();
        } else {
            std::fs::remove_file(place).unwrap();
        }
        let (before, effects) = run(&world, || world.write("a.txt", "changed\n"));
        assert_eq!(before.is_reused(), gone == "index", "{gone}");
        assert_eq!(*effects.changes[0].before.as_ref().unwrap().bytes, *b"a\n");
    }
}

#[test]
fn other_transactions_between_commands_are_known() {
    let world = settled(&FILES);
    world.apply(crate::world::draft(&[("a.txt", Some("a\n"), Some("landed\n"))])).unwrap();
    let (before, effects) = run(&world, || world.write("other/z", "by the command\n"));
    assert!(!before.is_reused());
    assert!(effects.changes.len() == 1 && effects.unattributed.is_empty(), "{effects:?}");
    // What the command did lands, and that is known too.
    let draft = Draft { uuid: Uuid::new_v4(), header: header(), ..Draft::default() };
    let (pending, _) = world.ledger.adopt(draft, &effects, "test").unwrap();
    pending.commit(Verdict { checks: Vec::new(), approved_by: "test".to_owned() }).unwrap();
    let (before, effects) = run(&world, || {});
    assert!(before.is_reused());
    assert!(effects.is_empty() && effects.unattributed.is_empty(), "{effects:?}");
}

/// The journals and bases in the state folder, with their sizes.
fn written(root: &Path) -> Vec<(String, u64)> {
    let names = std::fs::read_dir(root.join(".relaycode/capture")).unwrap().map(|entry| entry.unwrap());
    let mut found: Vec<_> = names
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len()))
        .filter(|(name, _)| name.starts_with("open-") || name.starts_with("scan-"))
        .collect();
    found.sort();
    found
}

#[test]
fn a_journal_names_what_is_written_down_already() {
    let files: Vec<(String, String)> =
        (0..300).map(|n| (format!("d{}/{n}", n % 7), format!("{n}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = settled(&files);
    let root = world.workspace.root().to_owned();
    let (_, running) = begin(&world, "third");
    let found = written(&root);
    assert!(
        matches!(found.as_slice(), [(_, open), (_, scan)] if *open < 2_000 && *scan > 30_000),
        "{found:?}"
    );
    // A base that is gone is written anew.
    std::fs::remove_file(root.join(".relaycode/capture").join(&found[1].0)).unwrap();
    drop(running);
    let (_, running) = begin(&world, "fourth");
    assert!(matches!(written(&root).as_slice(), [(_, open)] if *open > 30_000), "{:?}", written(&root));
    drop(running);
    assert_eq!(written(&root).len(), 1);
    assert!(world.ledger.interrupted(&world.workspace).unwrap().interrupted.is_empty());
    assert_eq!(written(&root).len(), 1, "a living process needs it");
}

/// Not a test of its own: what a worker process does.
#[test]
#[ignore = "started by the other tests of this file"]
fn worker() {
    let (Some(root), Ok(task)) = (std::env::var_os(ROOT), std::env::var(TASK)) else { return };
    let world = World::at_root(Path::new(&root));
    match task.as_str() {
        // The kernel gives no more watches than this.
        "limit" => {
            for _ in 0..4 {
                let (before, effects) = run(&world, || world.write("a.txt", &Uuid::new_v4().to_string()));
                assert!(!before.is_reused() && effects.changes.len() == 1);
            }
        }
        // Another folder is mounted over one of the workspace, which makes no event.
        "mount" => {
            run(&world, || {});
            run(&world, || {});
            assert!(run(&world, || {}).0.is_reused());
            let mount =
                Program::new("mount").arg("--bind").args([world.at("other"), world.at("src/deep")]).status();
            assert!(mount.unwrap().success());
            assert!(!run(&world, || {}).0.is_reused());
        }
        // It is killed while a command runs.
        "die" => {
            for line in ["first", "second", "third"] {
                let (_, running) = begin(&world, line);
                if line == "third" {
                    world.write("a.txt", "half done\n");
                    std::fs::remove_file(world.at("other/z")).unwrap();
                    std::mem::forget(running);
                    std::process::abort();
                }
            }
        }
        other => panic!("{other}"),
    }
}

/// Runs a worker after some shell commands, in namespaces of its own. `None` where the system has none to give.
fn in_namespace(world: &World, task: &str, first: &str) -> Option<bool> {
    let is_there = Program::new("unshare").args(["-Urm", "true"]).stderr(Stdio::null()).status();
    if !is_there.is_ok_and(|status| status.success()) {
        return None;
    }
    let script = format!("{first} && exec \"$0\" --exact session::worker --ignored --test-threads=1");
    let mut program = Program::new("unshare");
    program.args(["-Urm", "sh", "-c", &script]).arg(std::env::current_exe().unwrap());
    program.env(ROOT, world.workspace.root()).env(TASK, task).stdin(Stdio::null());
    let done = program.output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{task}: {text}");
    Some(text.contains("1 passed"))
}

#[test]
fn without_watches_everything_is_looked_at() {
    let world = World::new(&FILES);
    let limits = "echo 3 > /proc/sys/user/max_inotify_watches";
    assert_ne!(in_namespace(&world, "limit", limits), Some(false));
    let limits = "echo 0 > /proc/sys/user/max_inotify_instances";
    assert_ne!(in_namespace(&world, "limit", limits), Some(false));
}

#[test]
fn a_mount_is_noticed() {
    let world = World::new(&FILES);
    std::thread::sleep(Duration::from_millis(150));
    assert_ne!(in_namespace(&world, "mount", "true"), Some(false));
}

#[test]
fn what_a_command_did_is_found_though_its_journal_only_named_the_rest() {
    let world = World::new(&FILES);
    let mut program = Program::new(std::env::current_exe().unwrap());
    program.args(["--exact", "session::worker", "--ignored", "--test-threads=1"]);
    program.env(ROOT, world.workspace.root()).env(TASK, "die");
    let status = program.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert!(!status.success());
    let root = world.workspace.root().to_owned();
    let found = written(&root);
    assert!(matches!(found.as_slice(), [(_, open), (_, scan)] if open < scan), "{found:?}");
    let journals = world.ledger.interrupted(&world.workspace).unwrap();
    assert!(journals.unusable.is_empty());
    let [interrupted] = journals.interrupted.as_slice() else { panic!("{:?}", journals.interrupted) };
    assert_eq!(interrupted.command.line, "third");
    let effects = world.ledger.effects_of(&world.workspace, interrupted).unwrap();
    let befores: Vec<_> = effects
        .changes
        .iter()
        .map(|change| (change.path.as_str(), change.before.as_ref().unwrap().bytes.to_vec()))
        .collect();
    assert_eq!(befores, [("a.txt", b"a\n".to_vec()), ("other/z", b"z\n".to_vec())]);
    drop(journals);
    assert_eq!(written(&root).len(), 1);
    assert!(world.ledger.interrupted(&world.workspace).unwrap().interrupted.is_empty());
    assert_eq!(written(&root).len(), 0, "no journal needs it any more");
}

#[test]
fn a_journal_that_names_the_wrong_one_is_not_believed() {
    let world = World::new(&FILES);
    let mut program = Program::new(std::env::current_exe().unwrap());
    program.args(["--exact", "session::worker", "--ignored", "--test-threads=1"]);
    program.env(ROOT, world.workspace.root()).env(TASK, "die");
    program.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    let place = world.at(".relaycode/capture").join(&written(world.workspace.root())[1].0);
    let right = std::fs::read(&place).unwrap();
    // Another one of the same user, and a damaged one.
    let other = settled(&[("b", "b\n")]);
    let wrong = other.at(".relaycode/capture").join(&written(other.workspace.root())[0].0);
    let mut damaged = right.clone();
    *damaged.last_mut().unwrap() ^= 1;
    for content in [std::fs::read(wrong).unwrap(), damaged] {
        std::fs::write(&place, content).unwrap();
        let journals = world.ledger.interrupted(&world.workspace).unwrap();
        assert!(journals.interrupted.is_empty() && journals.unusable.len() == 1);
    }
    std::fs::write(&place, right).unwrap();
    assert_eq!(world.ledger.interrupted(&world.workspace).unwrap().interrupted.len(), 1);
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// One thing that a program may do to a tree; what cannot be done now is left.
fn meddle(root: &Path, dice: &mut Dice) {
    const PLACES: [&str; 10] =
        ["a", "b.log", "d", "d/a", "d/e", "d/e/f", "x", "x/y", ".gitignore", "d/.gitignore"];
    let mut place = || root.join(PLACES[dice.roll(PLACES.len())]);
    let (one, other) = (place(), place());
    let text = format!("{}\n", dice.roll(3));
    let done = match dice.roll(11) {
        0 => std::fs::write(&one, text),
        1 => std::fs::create_dir(&one),
        2 => std::fs::remove_file(&one),
        3 => std::fs::remove_dir_all(&one),
        4 => std::fs::rename(&one, &other),
        5 => std::fs::hard_link(&one, &other),
        6 => std::os::unix::fs::symlink("a", &one),
        7 => std::fs::set_permissions(&one, std::fs::Permissions::from_mode([0o755, 0o700][dice.roll(2)])),
        8 => std::fs::File::options().append(true).open(&one).map(drop),
        9 => std::fs::write(root.join("x/.gitignore"), ["*.log\n", "y\n", ""][dice.roll(3)]),
        _ => std::fs::File::options().write(true).open(&one).and_then(|file| file.set_len(1)),
    };
    drop(done);
}

/// Whatever the short way says must be what a full look says.
fn check_same(world: &World, before: &Scan, context: &str) {
    let fresh = world.ledger.scan(&world.workspace, None).unwrap();
    let effects = world.ledger.effects(&world.workspace, before, &fresh).unwrap();
    let is_same = effects.is_empty() && effects.uncaptured.is_empty();
    assert!(is_same, "{context}, reused {}: {effects:?}", before.is_reused());
    assert_eq!(before.fingerprint(), fresh.fingerprint(), "{context}");
}

#[test]
fn the_short_way_and_the_long_way_see_the_same() {
    let rounds = if crate::world::long() { 3_000 } else { 250 };
    let world = World::new(&[("a", "a\n"), ("d/e/f", "f\n"), ("x/y", "y\n")]);
    let mut dice = Dice(42);
    let mut reused = 0;
    for round in 0..rounds {
        for _ in 0..dice.roll(3) {
            meddle(world.workspace.root(), &mut dice);
        }
        let (before, running) = begin(&world, "a command");
        reused += usize::from(before.is_reused());
        check_same(&world, &before, &format!("round {round}"));
        for _ in 0..dice.roll(3) {
            meddle(world.workspace.root(), &mut dice);
        }
        let (effects, after) = world.ledger.effects_since(&world.workspace, &before).unwrap();
        drop(running);
        let paths = |effects: &Effects| -> Vec<String> {
            effects
                .changes
                .iter()
                .map(|change| format!("{:?}", (&change.path, &change.before, &change.after)))
                .collect()
        };
        let full = world.ledger.scan(&world.workspace, Some(&before)).unwrap();
        let expected = world.ledger.effects(&world.workspace, &before, &full).unwrap();
        assert_eq!(paths(&effects), paths(&expected), "round {round}");
        assert_eq!(after.fingerprint(), full.fingerprint(), "round {round}");
    }
    assert!(reused > rounds / 8, "only {reused} of {rounds} were short");
}

#[test]
fn what_happens_during_a_look_is_not_lost() {
    let rounds = if crate::world::long() { 1_000 } else { 100 };
    let world = World::new(&[("a", "a\n"), ("d/e/f", "f\n"), ("x/y", "y\n")]);
    let (over, root) = (AtomicBool::new(false), world.workspace.root());
    let is_over = &over;
    std::thread::scope(|scope| {
        for round in 0..rounds {
            is_over.store(false, Ordering::SeqCst);
            // Another program works while Relay looks, and ends before it looks again.
            let other = scope.spawn(move || {
                let mut dice = Dice(round);
                while !is_over.load(Ordering::SeqCst) {
                    meddle(root, &mut dice);
                }
            });
            run(&world, || {});
            is_over.store(true, Ordering::SeqCst);
            other.join().unwrap();
            let before = world.ledger.scan_before(&world.workspace, &Ignored::Not).unwrap();
            check_same(&world, &before, &format!("round {round}"));
        }
    });
}
