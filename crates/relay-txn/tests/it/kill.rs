//! Real processes that are killed, or that the system refuses an operation: the files are all old or all new.
//!
//! A worker is this test binary itself, started to run one transaction. The simulated disk looks at far more states;
//! this looks at the real disk, the real locks, and the real system calls.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use relay_txn::{Draft, Ledger, Verdict};
use relay_workspace::Workspace;
use uuid::Uuid;

use crate::world::{World, change, draft, key};

/// Passes the workspace to a worker.
const ROOT: &str = "RELAY_TEST_WORKER_ROOT";
const UUID: Uuid = Uuid::from_u128(0x1234_5678);
const FILES: usize = 4;

/// A workspace with four files to change, four to delete, room for four new ones, and a file, a folder and a link that take
/// others' places.
fn world() -> World {
    let files: Vec<(String, String)> =
        (0..2 * FILES).map(|n| (format!("folder{}/old{n}", n % 2), format!("{n}\n"))).collect();
    let mut files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.extend([("opens", "a file\n"), ("closes/deep/in", "in a folder\n")]);
    let world = World::new(&files);
    std::os::unix::fs::symlink("opens", world.at("link")).unwrap();
    world
}

fn operations() -> Draft {
    let mut draft = Draft { uuid: UUID, ..draft(&[]) };
    for n in 0..2 * FILES {
        let (path, before) = (format!("folder{}/old{n}", n % 2), format!("{n}\n"));
        let after = (n < FILES).then(|| format!("new {n}\n"));
        draft.changes.push(change(&path, Some(before.as_bytes()), after.as_deref()));
    }
    for n in 0..FILES {
        draft.changes.push(change(&format!("made{n}/here/new{n}"), None, Some("created\n")));
    }
    draft.changes.push(change("opens", Some(b"a file\n"), None));
    draft.changes.push(change("opens/in", None, Some("in a folder\n")));
    draft.changes.push(change("closes/deep/in", Some(b"in a folder\n"), None));
    draft.changes.push(change("closes", None, Some("a file\n")));
    let mut link = change("link", Some(b"opens"), Some("closes"));
    link.before.as_mut().unwrap().mode = 0o120_777;
    link.after.as_mut().unwrap().mode = Some(0o120_777);
    draft.changes.push(link);
    draft
}

/// Not a test of its own: what a worker process does.
#[test]
#[ignore = "started by the other tests of this file"]
fn worker() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    let workspace = Workspace::open(Path::new(&root)).unwrap();
    let ledger = Ledger::open(&workspace, key()).unwrap();
    ledger.begin(operations()).unwrap().commit(Verdict::default()).unwrap();
}

fn worker_command(world: &World, mut command: Command) -> Command {
    command
        .args(["--exact", "kill::worker", "--ignored", "--test-threads=1"])
        .env(ROOT, world.workspace.root());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// After a worker died or gave up: recovery makes sense of it, and the ledger agrees with the files.
fn check(world: &World, context: &str, status: ExitStatus) {
    let old = self::world().tree();
    world.ledger.recover().unwrap();
    let landed = world.ledger.find(UUID).unwrap().is_some();
    if landed {
        assert_eq!(world.tree().keys().filter(|path| path.contains("/old")).count(), FILES, "{context}");
        assert_eq!(world.tree().keys().filter(|path| path.contains("/new")).count(), FILES, "{context}");
        for n in 0..FILES {
            assert_eq!(world.read(&format!("folder{}/old{n}", n % 2)), format!("new {n}\n"), "{context}");
            assert_eq!(world.read(&format!("made{n}/here/new{n}")), "created\n", "{context}");
        }
        assert_eq!(world.read("opens/in"), "in a folder\n", "{context}");
        // Through the link, which leads there now.
        assert_eq!(world.read("link"), "a file\n", "{context}");
    } else {
        assert_eq!(world.tree(), old, "{context}");
        assert!(!status.success(), "{context}: a confirmed commit was lost");
    }
    assert_eq!(world.leftovers(), [""; 0], "{context}");
    assert_eq!(world.ledger.recover().unwrap().len(), 0, "{context}");
}

#[test]
fn a_process_killed_at_any_time_leaves_all_old_or_all_new() {
    let kills = std::env::var("RELAY_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(24);
    for n in 0..kills {
        let world = world();
        let binary = Command::new(std::env::current_exe().unwrap());
        let mut child = worker_command(&world, binary).spawn().unwrap();
        // Spread over the worker's life: from before it starts its work until after it is done.
        std::thread::sleep(Duration::from_micros(n * 7919 % 40_000));
        child.kill().unwrap();
        let status = child.wait().unwrap();
        check(&world, &format!("kill {n}"), status);
    }
}

/// The system calls that change something.
const CALLS: &str =
    "openat,openat2,write,renameat,renameat2,linkat,unlinkat,mkdirat,fchmod,utimensat,fsync,syncfs,flock";

/// Runs a worker under `strace` with the given injection for call number `n`; returns whether it came to pass.
fn inject(calls: &str, injection: &str, n: usize) -> bool {
    let world = world();
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("inject={calls}:{injection}:when={n}")]);
    strace.arg(std::env::current_exe().unwrap());
    let status = worker_command(&world, strace).status().unwrap();
    check(&world, &format!("{calls} {n} {injection}"), status);
    !status.success() || status.signal().is_some()
}

/// The long run looks at every call, the ordinary one at a sample that moves through all of them.
fn stride() -> usize {
    if crate::world::long() { 1 } else { 11 }
}

#[test]
fn a_process_killed_at_every_system_call_leaves_all_old_or_all_new() {
    let last = (1..).step_by(stride()).find(|n| !inject(CALLS, "signal=KILL", *n)).unwrap();
    assert!(last > 100, "only {last} calls were interrupted");
}

#[test]
fn a_process_refused_any_system_call_leaves_all_old_or_all_new() {
    for (calls, error) in [
        ("write", "ENOSPC"),
        ("mkdirat", "ENOSPC"),
        ("fsync", "EIO"),
        ("renameat2", "EACCES"),
        ("renameat", "EIO"),
        ("unlinkat", "EIO"),
        ("openat2", "EACCES"),
        ("fchmod", "EPERM"),
    ] {
        // A refused call may do no harm, so the end is where refusals have long stopped to matter.
        for n in (1..60).step_by(stride()) {
            inject(calls, &format!("error={error}"), n);
        }
    }
}
