//! A process that is killed at any of its system calls leaves a session that opens with everything it had acknowledged.
//!
//! The worker is this test binary, started once more under `strace`, which kills it at the n-th call that changes
//! something. It acknowledges each entry by writing its id to a file after the append returned.
#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use relay_agent::session::{Document, Entry, Message, SessionLog, TitleSource};
use relay_store::Store;

use super::support::{answer, is_long};

/// Tells a worker where to work.
const ROOT: &str = "RELAY_TEST_SESSION_ROOT";
/// The system calls that change something. `strace` counts each of them by itself.
const CALLS: [&str; 9] =
    ["write", "fdatasync", "fsync", "renameat", "unlinkat", "mkdirat", "ftruncate", "flock", "openat"];

/// Not a test of its own: what a worker process does.
#[test]
#[ignore = "started by the other tests of this file"]
fn worker() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    work(Path::new(&root));
}

fn work(root: &Path) {
    let store = Store::at(&root.join("user"));
    let mut acknowledged = std::fs::File::create(root.join("acknowledged")).unwrap();
    let mut log = SessionLog::create(&store, &root.join("project"));
    let mut waiting = Vec::new();
    for n in 0..6 {
        waiting.push(log.append(Message::user(&format!("question {n}"))).unwrap());
        waiting.push(log.append(answer(&format!("answer {n}"))).unwrap());
        let lines: String = waiting.drain(..).map(|id| format!("{id}\n")).collect();
        acknowledged.write_all(lines.as_bytes()).unwrap();
        if n == 3 {
            log.set_name("named", TitleSource::User).unwrap();
        }
    }
}

/// Runs a worker that is killed, or refused, at call `n`; whether that came to pass.
fn inject(calls: &str, injection: &str, n: usize) -> bool {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("project")).unwrap();
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("inject={calls}:{injection}:when={n}")]);
    strace.arg(std::env::current_exe().unwrap());
    strace.args(["--exact", "session::kill::worker", "--ignored", "--test-threads=1"]).env(ROOT, home.path());
    let status = strace.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    check(home.path(), &format!("{calls} {injection} {n}"));
    !status.success()
}

/// Everything that was acknowledged is there, and nothing is damaged but perhaps a last line.
fn check(root: &Path, context: &str) {
    let store = Store::at(&root.join("user"));
    let sessions = store.sessions();
    let acknowledged = std::fs::read_to_string(root.join("acknowledged")).unwrap_or_default();
    let folder = sessions.folder_of(&root.join("project"));
    let found = sessions.files_in(&folder).unwrap();
    let Some(session) = found.first() else {
        assert_eq!(acknowledged, "", "{context}: acknowledged and lost");
        return;
    };
    let before = std::fs::read(&session.path).unwrap();
    let document = Document::parse(before).unwrap();
    let ids: Vec<&str> = document.entries.iter().map(Entry::id).collect();
    for id in acknowledged.lines().filter(|line| line.len() == 8) {
        assert!(ids.contains(&id), "{context}: {id} was acknowledged and lost");
    }
    assert!(document.damage.len() <= 1, "{context}: {:?}", document.damage);
    let mut log =
        SessionLog::open(&store, &session.path).unwrap_or_else(|error| panic!("{context}: {error}"));
    log.append(Message::user("goes on")).unwrap();
    log.set_name("again", TitleSource::User).unwrap();
    let left = std::fs::read_dir(&folder).unwrap().filter(|file| {
        let name = file.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with(".tmp-")
    });
    assert_eq!(left.count(), 0, "{context}: half-written files remain");
}

/// The long run looks at every call, the ordinary one at a sample.
fn stride() -> usize {
    if is_long() { 1 } else { 3 }
}

#[test]
fn a_process_killed_at_every_system_call_loses_nothing_it_acknowledged() {
    let killed = |call: &str| (1..).step_by(stride()).take_while(|n| inject(call, "signal=KILL", *n)).count();
    let kills: Vec<(&str, usize)> = CALLS.iter().map(|call| (*call, killed(call))).collect();
    // Twelve entries in two writes and ten appends, and one rewrite for the name. Appends are synced by threads of their
    // own, and `strace` counts the calls of each thread by itself: only the first sync can be named.
    for (call, least) in [("write", 15), ("fdatasync", 1), ("fsync", 4), ("renameat", 2)] {
        let found = kills.iter().find(|(known, _)| *known == call).map_or(0, |(_, count)| *count);
        assert!(found >= (least / stride()).max(1), "{call} was interrupted {found} times: {kills:?}");
    }
}

#[test]
fn a_process_refused_a_write_loses_nothing_it_acknowledged() {
    for (calls, error) in
        [("write", "ENOSPC"), ("fdatasync", "EIO"), ("fsync", "EIO"), ("renameat", "EACCES")]
    {
        for n in (1..40).step_by(stride()) {
            inject(calls, &format!("error={error}"), n);
        }
    }
}
