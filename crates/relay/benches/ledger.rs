//! What the ledger's commands cost when it is long: `cargo bench --bench ledger -- [entries]` prints a table.
//!
//! The entries (10,000 otherwise) are made through the ledger itself, which takes a while; then the real binary runs.

#![allow(missing_docs, reason = "a program, not a library")]
#![allow(
    clippy::disallowed_methods,
    reason = "a benchmark prepares its own folders and starts what it measures"
)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run should say so loudly"
)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use relay_txn::{Draft, FileChange, Header, Image, Ledger, LedgerKey, Target, Verdict};
use relay_workspace::{RelPath, Workspace};
use testkit::measure::children_cpu;
use uuid::Uuid;

const RELAY: &str = env!("CARGO_BIN_EXE_relay");

/// How many files the transactions go round.
const FILES: usize = 100;

/// How many lines each file has; every transaction changes one.
const LINES: usize = 100;

/// How many files the widest transaction has.
const WIDE: usize = 800;

fn main() {
    let entries = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(10_000);
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    std::fs::create_dir_all(root.join("src")).unwrap();
    // The first command makes the user's key, with which the entries are sealed.
    assert!(relay(&root, &["log"]).stderr(Stdio::null()).status().unwrap().success());
    let start = Instant::now();
    fill(&root, &key(folder.path()), entries);
    println!("{entries} transactions made in {:.1} s\n", start.elapsed().as_secs_f64());
    println!("{:<46} {:>10} {:>10} {:>14}", "", "median", "slowest", "user + system");
    let (first, middle, last) = ("1".to_owned(), (entries / 2).to_string(), entries.to_string());
    row("relay log", 20, || relay(&root, &["log"]));
    row("relay log --path src/file7.rs", 20, || relay(&root, &["log", "--path", "src/file7.rs"]));
    row("relay log --status undone --since 1d", 20, || {
        relay(&root, &["log", "--status", "undone", "--since", "1d"])
    });
    row("relay log -n 0 --json (everything)", 5, || relay(&root, &["log", "-n", "0", "--json"]));
    row("relay show, the newest", 20, || relay(&root, &["show", &last]));
    row("relay show, the oldest", 20, || relay(&root, &["show", &first]));
    row("relay blame, one file", 10, || relay(&root, &["blame", "src/file7.rs"]));
    row("relay undo --dry-run, from the middle, merged", 20, || {
        relay(&root, &["undo", &middle, "--dry-run"])
    });
    row("relay undo, the last one", 20, || relay(&root, &["undo"]));
    fill_wide(&root, &key(folder.path()), WIDE);
    row("relay show, one transaction of 800 files", 5, || relay(&root, &["show"]));
    row("relay show --json, the same", 5, || relay(&root, &["show", "--json"]));
    row("relay gc --dry-run", 5, || relay(&root, &["gc", "--dry-run"]));
}

fn row(name: &str, runs: usize, mut make: impl FnMut() -> Command) {
    let before = children_cpu();
    let mut walls: Vec<Duration> = (0..runs)
        .map(|_| {
            let mut command = make();
            command.stdout(Stdio::null()).stderr(Stdio::null());
            let start = Instant::now();
            assert!(command.status().unwrap().success(), "{name} failed");
            start.elapsed()
        })
        .collect();
    walls.sort();
    let ms = |wall: Option<&Duration>| wall.map_or(0.0, |wall| wall.as_secs_f64() * 1000.0);
    let cpu_ms = (children_cpu() - before).as_secs_f64() * 1000.0 / runs as f64;
    println!("{name:<46} {:>7.1} ms {:>7.1} ms {cpu_ms:>11.1} ms", ms(walls.get(runs / 2)), ms(walls.last()));
}

fn relay(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(RELAY);
    command.args(arguments).current_dir(root).env("HOME", root.parent().unwrap());
    for variable in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env_remove(variable);
    }
    command
}

fn key(home: &Path) -> LedgerKey {
    let text = std::fs::read_to_string(home.join(".local/share/relay/ledger.key")).unwrap();
    let digit = |at: usize| u8::from_str_radix(text.get(at..at + 2).unwrap(), 16).unwrap();
    LedgerKey::new(std::array::from_fn(|byte| digit(2 * byte)))
}

fn content(round: usize) -> String {
    (0..LINES)
        .map(|line| {
            let changed = if line < round { format!(" // changed in round {line}") } else { String::new() };
            format!("let value_{line} = {line};{changed}\n")
        })
        .collect()
}

/// One transaction that makes many files.
fn fill_wide(root: &Path, key: &LedgerKey, files: usize) {
    let ledger = Ledger::open(&Workspace::open(root).unwrap(), key.clone()).unwrap();
    let change = |file| FileChange {
        path: RelPath::new(&format!("wide/file{file}.rs")).unwrap(),
        before: None,
        after: Some(Target::new(content(0).into_bytes())),
        renamed_from: None,
        added: LINES,
        removed: 0,
    };
    let header = Header { channel: "apply".to_owned(), ..Header::default() };
    let changes = (0..files).map(change).collect();
    let draft = Draft { uuid: Uuid::new_v4(), header, changes, ..Draft::default() };
    ledger.begin(draft).unwrap().commit(Verdict::default()).unwrap();
}

fn fill(root: &Path, key: &LedgerKey, entries: usize) {
    let ledger = Ledger::open(&Workspace::open(root).unwrap(), key.clone()).unwrap();
    for entry in 0..entries {
        let (file, round) = (entry % FILES, entry / FILES);
        let before = (round > 0).then(|| Image::new(content(round - 1).into_bytes(), 0o100_644));
        let change = FileChange {
            path: RelPath::new(&format!("src/file{file}.rs")).unwrap(),
            before,
            after: Some(Target::new(content(round).into_bytes())),
            renamed_from: None,
            added: 1,
            removed: 1,
        };
        let header = Header {
            channel: "apply".to_owned(),
            reasoning: "The value has to be said in the comment too, because the generator reads it.\n"
                .to_owned(),
            prompt_summary: Some(format!("change file {file} in round {round}")),
            ..Header::default()
        };
        let draft = Draft { uuid: Uuid::new_v4(), header, changes: vec![change], ..Draft::default() };
        ledger.begin(draft).unwrap().commit(Verdict::default()).unwrap();
    }
}
