//! The transactions that are interrupted, and what must hold afterwards.

use std::collections::BTreeMap;

use relay_workspace::RelPath;
use uuid::Uuid;

use super::flaws::{Flaw, Flawed};
use super::{Promise, SimFs};
use crate::draft::{Draft, FileChange, Header, Image, Target, Verdict};
use crate::key::LedgerKey;
use crate::protocol::Protocol;

pub(super) type Tree = BTreeMap<String, (u32, Vec<u8>)>;

/// How the transaction ends, if nothing stops it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Commit,
    Rollback,
}

/// A workspace with one transaction in its ledger and another one to come.
pub(super) struct Scenario {
    pub(super) fs: SimFs,
    pub(super) draft: Draft,
    pub(super) old: Tree,
    pub(super) new: Tree,
    /// What may be left besides `old` if the transaction did not land.
    pub(super) also: Option<Tree>,
}

pub(super) const FIRST: Uuid = Uuid::from_u128(1);
pub(super) const SECOND: Uuid = Uuid::from_u128(2);

pub(super) fn protocol(fs: SimFs, flaw: Option<Flaw>) -> Protocol<Flawed> {
    Protocol::new(Flawed::new(fs, flaw), LedgerKey::new([3; 32]))
}

pub(super) fn verdict() -> Verdict {
    Verdict { checks: Vec::new(), approved_by: "simulation".to_owned() }
}

pub(super) fn change(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> FileChange {
    FileChange {
        path: RelPath::new(path).unwrap(),
        before: before.map(|bytes| Image { bytes: bytes.to_vec(), mode: 0o100_644 }),
        after: after.map(|bytes| Target { bytes: bytes.to_vec(), mode: None }),
        renamed_from: None,
        added: 0,
        removed: 0,
    }
}

pub(super) fn draft(uuid: Uuid, changes: Vec<FileChange>) -> Draft {
    let header = Header { channel: "simulation".to_owned(), ..Header::default() };
    Draft { uuid, header, changes, ..Draft::default() }
}

/// The files, one line each.
pub(super) fn shown(fs: &SimFs) -> Vec<String> {
    let line = |(path, (mode, bytes)): (String, (u32, Vec<u8>))| {
        format!("{mode:o} {path} {}", String::from_utf8_lossy(&bytes).escape_debug())
    };
    fs.tree().into_iter().map(line).collect()
}

impl Scenario {
    /// Modifies, creates in new folders, deletes, changes a mode, moves a binary file, prunes a folder.
    pub(super) fn new(promise: Promise) -> Self {
        let fs = SimFs::new(promise);
        fs.foreign_write("src/a.rs", b"old a\n");
        fs.foreign_write("keep.txt", b"kept\n");
        fs.foreign_write("image.bin", &[0, 1, 2, 255]);
        fs.foreign_write("run.sh", b"#!/bin/sh\n");
        fs.settle();
        let first = draft(FIRST, vec![change("made/here.txt", None, Some(b"first\n"))]);
        let ledger = protocol(fs.clone(), None);
        let open = ledger.begin(&first).unwrap();
        ledger.commit(open, verdict()).unwrap();
        fs.settle();

        let mut changes = vec![
            change("src/a.rs", Some(b"old a\n"), Some(b"new a\n")),
            change("deep/er/new.txt", None, Some(b"hello\n")),
            change("made/here.txt", Some(b"first\n"), None),
            change("image.bin", Some(&[0, 1, 2, 255]), None),
            change("moved/image.bin", None, Some(&[0, 1, 2, 255, 0])),
            change("run.sh", Some(b"#!/bin/sh\n"), Some(b"#!/bin/sh\n")),
        ];
        changes[5].after.as_mut().unwrap().mode = Some(0o755);
        let draft = Draft { prune: vec![RelPath::new("made").unwrap()], ..draft(SECOND, changes) };

        let old = fs.tree();
        let mut new = old.clone();
        for gone in ["made/", "made/here.txt", "image.bin"] {
            new.remove(gone);
        }
        for folder in ["deep/", "deep/er/", "moved/"] {
            new.insert(folder.to_owned(), (0o40_755, Vec::new()));
        }
        new.insert("src/a.rs".to_owned(), (0o100_644, b"new a\n".to_vec()));
        new.insert("deep/er/new.txt".to_owned(), (0o100_644, b"hello\n".to_vec()));
        new.insert("moved/image.bin".to_owned(), (0o100_644, vec![0, 1, 2, 255, 0]));
        new.insert("run.sh".to_owned(), (0o100_755, b"#!/bin/sh\n".to_vec()));
        Self { fs, draft, old, new, also: None }
    }

    /// What is wrong with a disk on which recovery has run, if anything. `known` is what the caller was told.
    pub(super) fn violation(&self, fs: &SimFs, known: Option<Ending>) -> Option<String> {
        let ledger = protocol(fs.clone(), None);
        let again = ledger.recover();
        if !matches!(&again, Ok(recovered) if recovered.is_empty()) {
            return Some(format!("a second recovery was not idle: {again:?}"));
        }
        let entries = match ledger.entries() {
            Ok(entries) => entries,
            Err(error) => return Some(format!("the ledger is unreadable: {error}")),
        };
        let uuids: Vec<Uuid> = entries.records.iter().map(|record| record.uuid).collect();
        let (landed, tree) = match uuids.as_slice() {
            [FIRST] => (false, &self.old),
            [FIRST, SECOND] => (true, &self.new),
            other => return Some(format!("the ledger holds {other:?}")),
        };
        match known {
            Some(Ending::Commit) if !landed => return Some("a confirmed commit was lost".to_owned()),
            Some(Ending::Rollback) if landed => return Some("a rollback became a commit".to_owned()),
            _ => {}
        }
        if !entries.foreign.is_empty() {
            return Some(format!("left in the ledger: {:?}", entries.foreign));
        }
        let images = entries.records.iter().flat_map(|record| &record.changes);
        for stored in images.flat_map(|change| [&change.before, &change.after]).flatten() {
            if let Err(error) = ledger.content(stored) {
                return Some(format!("a content of the ledger is lost: {error}"));
            }
        }
        if fs.tree() != *tree && (landed || self.also != Some(fs.tree())) {
            return Some(format!("landed: {landed}, but the files are {:#?}", shown(fs)));
        }
        let stages = crate::fs::Fs::list(fs, crate::layout::STAGE).unwrap();
        (!stages.is_empty()).then(|| format!("left in the stage: {stages:?}"))
    }
}
