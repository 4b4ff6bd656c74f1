//! The transactions that are interrupted, and what must hold afterwards.

use std::collections::{BTreeMap, BTreeSet};

use relay_workspace::RelPath;
use uuid::Uuid;

use super::flaws::{Flaw, Flawed};
use super::volume::LINK_MODE;
use super::{Promise, SimFs};
use crate::capture::Effects;
use crate::draft::{Draft, FileChange, Header, Image, Target, Verdict};
use crate::fs::ancestors;
use crate::key::LedgerKey;
use crate::protocol::Protocol;
use crate::record::FolderRecord;

pub(super) type Tree = BTreeMap<String, (u32, Vec<u8>)>;

/// How the transaction ends, if nothing stops it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Commit,
    Rollback,
}

/// A workspace with one transaction in its ledger and another one to come.
pub(super) struct Scenario {
    /// What it is about, for messages.
    pub(super) name: &'static str,
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
    let before = before.map(|bytes| Image::new(bytes, 0o100_644));
    FileChange::new(RelPath::new(path).unwrap(), before, after.map(Target::new))
}

/// What is at a path: type and permission bits, and the bytes of the file or the target of the link.
pub(super) type Entry = (u32, Vec<u8>);

pub(super) fn file(bytes: &[u8]) -> Entry {
    (0o100_644, bytes.to_vec())
}

pub(super) fn link(target: &str) -> Entry {
    (LINK_MODE, target.as_bytes().to_vec())
}

/// The change from one thing to another, which may be of another kind.
pub(super) fn turn(path: &str, before: Option<&Entry>, after: Option<&Entry>) -> FileChange {
    FileChange {
        before: before.map(|(mode, bytes)| Image::new(bytes.as_slice(), *mode)),
        after: after.map(|(mode, bytes)| Target::new(bytes.as_slice()).with_mode(*mode)),
        ..change(path, None, None)
    }
}

/// What a command did that turned one tree into the other.
pub(super) fn effects(old: &Tree, new: &Tree) -> Effects {
    let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let mut effects = Effects::default();
    for path in paths.into_iter().filter(|path| old.get(*path) != new.get(*path)) {
        match (path.strip_suffix('/'), old.get(path)) {
            (None, before) => effects.changes.push(turn(path, before, new.get(path))),
            (Some(folder), None) => effects.made_folders.push(folder.to_owned()),
            (Some(folder), Some((mode, _))) => {
                effects
                    .removed_folders
                    .insert(0, FolderRecord { path: folder.to_owned(), mode: *mode, owner: None });
            }
        }
    }
    effects
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
    /// All kinds of transactions.
    pub(super) fn all(promise: Promise) -> [Self; 3] {
        [Self::new(promise), Self::swaps(promise), Self::links(promise)]
    }

    /// Modifies, creates in new folders, deletes, changes a mode, moves a binary file, prunes a folder.
    pub(super) fn new(promise: Promise) -> Self {
        let old = [
            ("src/a.rs", file(b"old a\n")),
            ("image.bin", file(&[0, 1, 2, 255])),
            ("run.sh", file(b"#!/bin/sh\n")),
        ];
        let new = [
            ("src/a.rs", Some(file(b"new a\n"))),
            ("deep/er/new.txt", Some(file(b"hello\n"))),
            ("made/here.txt", None),
            ("image.bin", None),
            ("moved/image.bin", Some(file(&[0, 1, 2, 255, 0]))),
            ("run.sh", Some((0o100_755, b"#!/bin/sh\n".to_vec()))),
        ];
        let mut scenario = Self::from("usual", promise, &old, &new);
        scenario.draft.prune = vec![RelPath::new("made").unwrap()];
        scenario.new.remove("made/");
        scenario
    }

    /// Files, links and folders take each other's places, in every direction.
    pub(super) fn swaps(promise: Promise) -> Self {
        let old = [
            ("f", file(b"was a file\n")),
            ("g/x", file(b"x\n")),
            ("g/sub/y", file(&[0, 255])),
            ("g/empty/", (0o40_755, Vec::new())),
            ("h/", (0o40_555, Vec::new())),
            ("h/z", file(b"z\n")),
            ("l", link("keep.txt")),
            ("top/m", file(b"m\n")),
        ];
        let new = [
            ("f", None),
            ("f/a", Some(file(b"in a folder\n"))),
            ("f/deep/b", Some(link("../a"))),
            ("g", Some(file(b"is a file\n"))),
            ("g/sub/y", None),
            ("g/x", None),
            ("h", Some(link("keep.txt"))),
            ("h/z", None),
            ("keep.txt", Some(file(b"kept, and changed\n"))),
            ("l", None),
            ("l/in", Some(file(b"in\n"))),
            // The name of a folder, one level up, in what was a file.
            ("top/m", None),
            ("top/m/m", Some(file(b"m\n"))),
        ];
        let mut scenario = Self::from("swaps", promise, &old, &new);
        for gone in ["g/", "g/sub/", "g/empty/", "h/"] {
            scenario.new.remove(gone);
        }
        scenario
    }

    /// Links come, go, aim elsewhere, move, and take turns with files, also with one that holds the link's very target.
    pub(super) fn links(promise: Promise) -> Self {
        let old = [
            ("aim", link("keep.txt")),
            ("from", link("nowhere/at/all")),
            ("gone", link("keep.txt")),
            ("to-file", link("keep.txt")),
            ("to-link", file(b"content\n")),
            ("twin", file(b"keep.txt")),
            ("untwin", link("keep.txt")),
        ];
        let new = [
            ("aim", Some(link("made"))),
            ("from", None),
            ("gone", None),
            ("new/link", Some(link("../keep.txt"))),
            ("to", Some(link("nowhere/at/all"))),
            ("to-file", Some(file(b"content\n"))),
            ("to-link", Some(link("keep.txt"))),
            ("twin", Some(link("keep.txt"))),
            ("untwin", Some(file(b"keep.txt"))),
        ];
        Self::from("links", promise, &old, &new)
    }

    /// A workspace with these things in it besides `keep.txt` and `made/here.txt`, which is the work of the first
    /// transaction, and the second one, which makes them those. Folders that go are for the caller to take out of `new`.
    fn from(
        name: &'static str,
        promise: Promise,
        before: &[(&str, Entry)],
        after: &[(&str, Option<Entry>)],
    ) -> Self {
        let fs = SimFs::new(promise);
        let before = before.iter().map(|(path, entry)| ((*path).to_owned(), entry.clone()));
        let mut old: Tree = before.chain([("keep.txt".to_owned(), file(b"kept\n"))]).collect();
        add_folders(&mut old);
        fs.foreign_become(&old);
        let first = draft(FIRST, vec![change("made/here.txt", None, Some(b"first\n"))]);
        let ledger = protocol(fs.clone(), None);
        let open = ledger.begin(&first).unwrap();
        ledger.commit(open, verdict()).unwrap();
        fs.settle();

        let old = fs.tree();
        let mut new = old.clone();
        let mut changes = Vec::new();
        for (path, entry) in after {
            changes.push(turn(path, old.get(*path), entry.as_ref()));
            match entry {
                Some(entry) => new.insert((*path).to_owned(), entry.clone()),
                None => new.remove(*path),
            };
        }
        add_folders(&mut new);
        Self { name, fs, draft: draft(SECOND, changes), old, new, also: None }
    }

    /// What is wrong with a disk on which recovery has run, if anything. `known` is the result the caller saw.
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

/// Adds the folders that the files and links of a tree are in.
fn add_folders(tree: &mut Tree) {
    let paths: Vec<String> = tree.keys().cloned().collect();
    for folder in paths.iter().flat_map(|path| ancestors(path.trim_end_matches('/'))) {
        tree.entry(format!("{folder}/")).or_insert((0o40_755, Vec::new()));
    }
}
