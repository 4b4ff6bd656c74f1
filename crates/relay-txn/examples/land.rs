//! Lands two files together, has a check look at them, and undoes the transaction again: `cargo run -p relay-txn --example
//! land -- DIR` works in a folder of yours, without an argument in a temporary one.

#![allow(clippy::print_stdout, reason = "an example shows what happens")]

use std::path::PathBuf;

use relay_txn::{Draft, FileChange, Ledger, LedgerKey, Target, Verdict};
use relay_workspace::{RelPath, Workspace};
use uuid::Uuid;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let temporary = tempfile::tempdir()?;
    let root = std::env::args_os().nth(1).map_or_else(|| temporary.path().to_path_buf(), PathBuf::from);
    let workspace = Workspace::open(&root)?;
    // A real key is kept among the user's data: records without its MAC are not believed.
    let ledger = Ledger::open(&workspace, LedgerKey::new([7; 32]))?;

    // Exact bytes before and after. Both files appear, or neither does, also through a crash.
    let new = |path: &str, text: &str| -> Result<FileChange, Box<dyn std::error::Error>> {
        Ok(FileChange::new(RelPath::new(path)?, None, Some(Target::new(text.as_bytes()))))
    };
    let changes = vec![new("example/a.txt", "one\n")?, new("example/b.txt", "two\n")?];
    let pending = ledger.begin(Draft { uuid: Uuid::new_v4(), changes, ..Draft::default() })?;

    // The files are there and the decision is open: this is where checks run. Dropping `pending` would roll back.
    let is_good = workspace.read(&RelPath::new("example/a.txt")?)?.is_some_and(|file| file.bytes == b"one\n");
    if !is_good {
        pending.rollback()?;
        return Ok(());
    }
    let record = pending.commit(Verdict { approved_by: "example".to_owned(), ..Verdict::default() })?;
    println!("landed #{}: {}", record.sequence, record.paths().collect::<Vec<_>>().join(", "));

    // The record has what is needed to go back.
    let mut changes = Vec::new();
    for change in &record.changes {
        if let Some(after) = &change.after {
            changes.push(FileChange::new(RelPath::new(&change.path)?, Some(ledger.image(after)?), None));
        }
    }
    let undo = Draft { uuid: Uuid::new_v4(), changes, ..Draft::default() };
    let record = ledger.begin(undo)?.commit(Verdict::default())?;
    println!(
        "undone as #{}; the ledger has {} transactions",
        record.sequence,
        ledger.entries()?.records.len()
    );
    Ok(())
}
