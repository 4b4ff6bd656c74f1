//! What transactions cost, next to what copying and syncing the same files costs.
//!
//! `cargo bench -p relay-txn -- [entries]` prints a table: one to ten thousand files in one transaction, and reading a
//! ledger with `entries` transactions (2,000 otherwise).
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark is run by people who want to see it fail"
)]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use relay_txn::{Draft, FileChange, Header, Image, Ledger, LedgerKey, Target, Verdict};
use relay_workspace::{RelPath, Workspace};
use uuid::Uuid;

fn main() {
    println!("{:>7} {:>12} {:>12} {:>12} {:>7}", "files", "begin", "commit", "copy+sync", "ratio");
    for files in [1, 10, 100, 1_000, 10_000] {
        transaction(files);
    }
    let entries = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(2_000);
    reading(entries);
}

fn content(n: usize, round: usize) -> String {
    format!("// file {n}, round {round}\n{}", "fn body() { let x = 1; }\n".repeat(80))
}

fn path(n: usize) -> String {
    format!("src/folder{}/file{n}.rs", n / 50)
}

/// A workspace in the folder `target` is in, so that it is on a real disk.
fn workspace() -> (tempfile::TempDir, Workspace, Ledger) {
    let folder =
        tempfile::tempdir_in(std::env::var_os("CARGO_TARGET_TMPDIR").unwrap_or_else(|| ".".into())).unwrap();
    let workspace = Workspace::open(folder.path()).unwrap();
    let ledger = Ledger::open(&workspace, LedgerKey::new([4; 32])).unwrap();
    (folder, workspace, ledger)
}

fn draft(changes: impl Iterator<Item = (String, Option<String>, String)>) -> Draft {
    let changes = changes.map(|(path, before, after)| {
        let before = before.map(|text| Image::new(text.into_bytes(), 0o100_644));
        FileChange::new(RelPath::new(&path).unwrap(), before, Some(Target::new(after.into_bytes())))
    });
    let header =
        Header { channel: "bench".to_owned(), reasoning: "To measure.\n".to_owned(), ..Header::default() };
    Draft { uuid: Uuid::new_v4(), header, changes: changes.collect(), ..Draft::default() }
}

fn transaction(files: usize) {
    let (folder, _workspace, ledger) = workspace();
    for n in 0..files {
        let path = folder.path().join(path(n));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content(n, 0)).unwrap();
    }
    rustix::fs::sync();
    let draft = draft((0..files).map(|n| (path(n), Some(content(n, 0)), content(n, 1))));
    let start = Instant::now();
    let pending = ledger.begin(draft).unwrap();
    let begun = start.elapsed();
    pending.commit(Verdict::default()).unwrap();
    let committed = start.elapsed() - begun;
    let copied = copy(folder.path(), files);
    let ratio = (begun + committed).as_secs_f64() / copied.as_secs_f64();
    println!("{files:>7} {begun:>12.2?} {committed:>12.2?} {copied:>12.2?} {ratio:>7.2}");
}

/// Copies the files into a folder beside them and syncs every file and folder.
fn copy(root: &Path, files: usize) -> Duration {
    rustix::fs::sync();
    let start = Instant::now();
    let mut folders = std::collections::BTreeSet::new();
    for n in 0..files {
        let to = root.join("copy").join(path(n));
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(root.join(path(n)), &to).unwrap();
        fs::File::open(&to).unwrap().sync_all().unwrap();
        folders.extend(to.ancestors().skip(1).take_while(|folder| *folder != root).map(Path::to_path_buf));
    }
    for folder in folders {
        fs::File::open(folder).unwrap().sync_all().unwrap();
    }
    start.elapsed()
}

fn reading(entries: usize) {
    let (_folder, _workspace, ledger) = workspace();
    let start = Instant::now();
    let mut before = None;
    for n in 0..entries {
        let after = content(0, n);
        let draft = draft([(path(n % 500), None, after.clone())].into_iter());
        let mut draft = draft;
        if n >= 500 {
            draft.changes.iter_mut().for_each(|change| {
                change.before = Some(Image::new(content(0, n - 500).into_bytes(), 0o100_644));
            });
        }
        before = Some(ledger.begin(draft).unwrap().commit(Verdict::default()).unwrap());
    }
    println!(
        "{entries} transactions of one file: {:.2?} each",
        start.elapsed() / u32::try_from(entries).unwrap()
    );
    let start = Instant::now();
    let read = ledger.entries().unwrap();
    println!("reading {} entries: {:.2?}", read.records.len(), start.elapsed());
    if let Some(record) = before {
        let start = Instant::now();
        ledger.find(record.uuid).unwrap();
        println!("finding one: {:.2?}", start.elapsed());
    }
}
