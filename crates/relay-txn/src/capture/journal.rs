//! The journal of a capture under way: what the first scan saw, written down before the command runs.
//!
//! A command's effect is known only when the second scan has been made. If Relay is killed before that, the journal lets
//! the next start make it: the files as they were are compared with the files as they are. Nothing is reverted for
//! that; the difference is entered into the ledger, where a person can look at it and undo it. A living capture
//! holds the lock of its journal. A journal that is no longer needed can become a base: while the same process sees nothing
//! change, its next journals only name it and say what is different. One that does not carry this user's MAC, or that was damaged, is left and reported.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::sync::Arc;
use std::time::SystemTime;

use relay_workspace::{Facts, Ignored, Included, Kind, Mounts, RelPath, Survey, Surveyed, Workspace};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::cache::{self, Pack};
use super::folder::{CaptureFolder, Open};
use super::index::{Index, Kept, Key};
use super::{Effects, Held, Memory, Obstacle, Scan, Uncaptured};
use crate::belongings::Owner;
use crate::disk::{Disk, Locked};
use crate::error::{At, TxnError};
use crate::key::LedgerKey;
use crate::layout::CAPTURE;
use crate::limits::MAX_INDEX_BYTES;
use crate::protocol::Protocol;

/// Journals are named so, and then their number.
pub(crate) const PREFIX: &str = "open-";
/// What journals refer to is named so.
pub(crate) const BASE: &str = "scan-";
/// A journal while it is being written; only the holder of the lock writes one.
const UNFINISHED: &str = "journal.new";
/// Keeps the header's MAC from being mistaken for one of another kind of document; also the version of the format.
const CONTEXT: &[u8] = b"relay capture journal v4\n";

/// What is known of a command before it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// Who its changes are by: `wrap`, `postCommand`, …
    pub by: String,
    /// The command as one line.
    pub line: String,
    /// Identifies the command's processes, should they outlive Relay; for the crate that runs commands.
    pub runs: String,
    /// The transaction under way that it checks.
    #[serde(default)]
    pub within: Option<Uuid>,
    /// Files that this transaction has changed, and undoes by itself unless it lands.
    pub leased: Vec<String>,
}

impl Command {
    /// A command that is not a part of a transaction under way.
    #[must_use]
    pub fn new(by: &str, line: &str) -> Self {
        Self { by: by.to_owned(), line: line.to_owned(), ..Self::default() }
    }
}

/// The first line of a journal.
#[derive(Serialize, Deserialize)]
struct Header {
    command: Command,
    known: BTreeSet<Uuid>,
    folders: Vec<(String, u32, Owner)>,
    links: Vec<(String, u32, Owner, Vec<u8>)>,
    /// What was there and could not be held.
    unheld: Vec<String>,
    /// Files whose names no transaction may use.
    unnameable: Vec<(String, Key)>,
    /// Where all that is, with the files, if not here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base: Option<Reference>,
}

/// Names a base, and says which one it must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Reference {
    name: String,
    /// The MACs of its two parts.
    header: String,
    index: String,
}

/// A journal that is over, and stays as long as its process may refer to it.
#[derive(Debug)]
pub(super) struct Base {
    place: CaptureFolder,
    reference: Reference,
    /// What it is the scan of.
    scan: Scan,
    /// Locked while this process lives.
    file: Locked,
}

impl Base {
    /// Whether it is what was written down of this scan.
    pub(super) fn is_of(&self, scan: &Scan) -> bool {
        self.scan.is_same_as(scan) && self.scan.pack.number == scan.pack.number
    }

    /// Whether its file is still there, and with it what it speaks of.
    pub(super) fn is_in(&self, place: &CaptureFolder) -> bool {
        place.holds(&self.reference.name, self.file.file()) && self.scan.pack.is_in(place)
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        // One that stays goes when the next process looks for captures that died.
        if let Err(_stays) = self.place.remove(&self.reference.name) {}
    }
}

/// A capture under way. Dropping it says that its effect is recorded, or that there is nothing to record.
#[must_use = "dropping it ends the capture"]
#[derive(Debug)]
pub struct Running {
    place: CaptureFolder,
    name: String,
    /// Locked while this process lives; `None` once it is over.
    file: Option<Locked>,
    /// The effect is not recorded, so the journal is still needed.
    stays: bool,
    /// Makes it a base when it is over.
    successor: Option<Successor>,
}

/// What a journal that is over may become.
#[derive(Debug)]
struct Successor {
    memory: Arc<Memory>,
    /// Another handle on the folder.
    place: CaptureFolder,
    scan: Scan,
    header: String,
    index: String,
}

impl Running {
    /// Leaves the journal where it is: the effect could not be recorded now, and the next start tries again.
    pub fn leave(mut self) {
        self.stays = true;
    }

    /// Keeps what was written down for the journals to come, under another name; false if there is no use for it.
    fn become_base(&mut self) -> bool {
        let Some(Successor { memory, place, scan, header, index }) = self.successor.take() else {
            return false;
        };
        let name = format!("{BASE}{}", Uuid::new_v4());
        if !memory.wants_base() || self.place.rename(&self.name, &name).is_err() {
            return false;
        }
        let Some(file) = self.file.take() else { return false };
        let reference = Reference { name, header, index };
        memory.keep_base(Base { place, reference, scan, file });
        true
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.stays || self.become_base() {
            return;
        }
        // A journal that stays is compared once more at the next start, which then finds nothing or says what it finds.
        if let Err(_stays) = self.place.remove(&self.name) {}
    }
}

/// A capture whose process died before its effect was recorded.
#[derive(Debug)]
pub struct Interrupted {
    /// The command.
    pub command: Command,
    /// The workspace before it ran.
    before: Scan,
    unheld: BTreeSet<String>,
    /// Ends with this: then the effect is recorded.
    running: Running,
}

/// The journals of captures whose processes died.
#[derive(Debug, Default)]
pub struct Journals {
    /// Those that can be read.
    pub interrupted: Vec<Interrupted>,
    /// The others, by name: damaged, or not written by this user.
    pub unusable: Vec<String>,
}

/// Writes down a scan before a command runs.
pub(crate) fn begin(
    key: &LedgerKey,
    workspace: &Workspace,
    scan: &Scan,
    command: Command,
    memory: &Arc<Memory>,
) -> Result<Running, TxnError> {
    let place = CaptureFolder::new(workspace).at("open", CAPTURE)?;
    let base = memory.base_of(scan, &place);
    let (header, index) = match &base {
        Some(base) => (Header::referring(scan, command, base), None),
        None => {
            let (header, files) = Header::whole(scan, command);
            (header, Some(Index::write(scan.pack.number, files.into_iter(), key)))
        }
    };
    let text = serde_json::to_string(&header).map_err(io::Error::other).at("write", CAPTURE)?;
    let _lock = cache::lock(&place)?;
    let name = format!("{PREFIX}{}", Uuid::new_v4());
    let file = place.open(UNFINISHED, Open::Empty).at("write", CAPTURE)?;
    let Some(file) = Locked::try_new(file).at("lock", CAPTURE)? else {
        return Err(TxnError::io("lock", CAPTURE, io::ErrorKind::WouldBlock.into()));
    };
    let mac = key.mac(CONTEXT, text.as_bytes()).to_hex();
    let mut writer = file.file();
    writer
        .write_all(format!("{mac} {text}\n").as_bytes())
        .and_then(|()| index.as_ref().map_or(Ok(()), |index| writer.write_all(index)))
        // It gets its name when it is whole: one that cannot be read was damaged, not interrupted.
        .and_then(|()| place.rename(UNFINISHED, &name))
        .at("write", CAPTURE)?;
    let index = index.filter(|_| memory.wants_base()).as_deref().and_then(Index::mac);
    let successor = match (index, CaptureFolder::new(workspace)) {
        (Some(index), Ok(place)) => {
            let (memory, scan, header) = (Arc::clone(memory), scan.clone(), mac.to_string());
            Some(Successor { memory, place, scan, header, index })
        }
        _ => None,
    };
    Ok(Running { place, name, file: Some(file), stays: false, successor })
}

/// A file as the index has it.
type FileEntry<'a> = (&'a str, Key, Kept, Option<&'a str>);

impl Header {
    fn of(scan: &Scan, command: Command) -> Self {
        let unnameable = scan.survey.unnameable.iter();
        Self {
            command,
            known: scan.known.clone(),
            folders: Vec::new(),
            links: Vec::new(),
            unheld: Vec::new(),
            unnameable: unnameable.map(|(name, facts)| (name.clone(), Key::of(facts))).collect(),
            base: None,
        }
    }

    /// For a scan that is written down already.
    fn referring(scan: &Scan, command: Command, base: &Base) -> Self {
        Self { base: Some(base.reference.clone()), ..Self::of(scan, command) }
    }

    /// With everything but the files, which are returned.
    fn whole(scan: &Scan, command: Command) -> (Self, Vec<FileEntry<'_>>) {
        let mut header = Self::of(scan, command);
        let mut files = Vec::new();
        for (entry, held) in scan.survey.entries.iter().zip(scan.held.iter()) {
            let (path, mode, owner) = (entry.path.as_str(), entry.facts.mode, super::owner(&entry.facts));
            match held {
                Held::File(kept, attached) => {
                    files.push((path, Key::of(&entry.facts), *kept, attached.as_deref()));
                }
                Held::Link(target) => header.links.push((path.to_owned(), mode, owner, target.clone())),
                Held::Folder => header.folders.push((path.to_owned(), mode, owner)),
                Held::Nothing(_) => header.unheld.push(path.to_owned()),
            }
        }
        (header, files)
    }
}

/// The captures that died.
pub(crate) fn interrupted(key: &LedgerKey, workspace: &Workspace) -> Result<Journals, TxnError> {
    let Ok(place) = CaptureFolder::new(workspace) else { return Ok(Journals::default()) };
    let names = place.names().at("list", CAPTURE)?;
    let bases: Vec<&String> = names.iter().filter(|name| name.starts_with(BASE)).collect();
    let names: Vec<&String> = names.iter().filter(|name| name.starts_with(PREFIX)).collect();
    if names.is_empty() && bases.is_empty() {
        return Ok(Journals::default());
    }
    let _lock = match cache::lock(&place) {
        // Something planted in its place does not prevent reading; only writing fails.
        Err(TxnError::Foreign { .. }) => return Ok(Journals::default()),
        lock => lock?,
    };
    if names.is_empty() {
        remove_bases(&place, &bases);
        return Ok(Journals::default());
    }
    let mut found = Journals::default();
    for name in names {
        // Gone by now, or nothing that Relay makes.
        let Ok(file) = place.open(name, Open::Read) else { continue };
        let Some(file) = of_the_dead(&place, name, file) else { continue };
        let place = CaptureFolder::new(workspace).at("open", CAPTURE)?;
        let mut running =
            Running { place, name: name.clone(), file: Some(file), stays: true, successor: None };
        match read(&running, key) {
            Some((command, before, unheld)) => {
                running.stays = false;
                found.interrupted.push(Interrupted { command, before, unheld, running });
            }
            // It may be all that leads to what was there before a command, so it stays.
            None => found.unusable.push(format!("{CAPTURE}/{name}")),
        }
    }
    Ok(found)
}

/// Removes what processes that died left for journals to come. No journal refers to it any more.
fn remove_bases(place: &CaptureFolder, names: &[&String]) {
    for name in names {
        let Ok(file) = place.open(name, Open::Read) else { continue };
        let Some(_dead) = of_the_dead(place, name, file) else { continue };
        // The next start tries again.
        if let Err(_stays) = place.remove(name) {}
    }
}

/// The commands of all journals, and whether each is still running. Changes nothing.
pub(crate) fn unfinished(key: &LedgerKey, workspace: &Workspace) -> Result<Vec<(Command, bool)>, TxnError> {
    let Ok(place) = CaptureFolder::new(workspace) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for name in place.names().at("list", CAPTURE)?.iter().filter(|name| name.starts_with(PREFIX)) {
        let Ok(file) = place.open(name, Open::Read) else { continue };
        let mut bytes = Vec::new();
        if (&file).take(MAX_INDEX_BYTES).read_to_end(&mut bytes).is_err() {
            continue;
        }
        let Some((header, _)) = header(&bytes, key) else { continue };
        found.push((header.command, of_the_dead(&place, name, file).is_none()));
    }
    Ok(found)
}

/// The header of a journal, if this user's Relay wrote it, and where it ends.
fn header(bytes: &[u8], key: &LedgerKey) -> Option<(Header, usize)> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let (mac, text) = std::str::from_utf8(bytes.get(..end)?).ok()?.split_once(' ')?;
    if blake3::Hash::from_hex(mac).ok()? != key.mac(CONTEXT, text.as_bytes()) {
        return None;
    }
    Some((serde_json::from_str(text).ok()?, end))
}

/// The lock of a journal left by a dead process. A capture that ends removes its journal before it releases the lock,
/// so a missing journal was not interrupted. No second journal gets the name.
fn of_the_dead(place: &CaptureFolder, name: &str, file: File) -> Option<Locked> {
    let locked = Locked::try_new(file).ok()??;
    place.open(name, Open::Read).ok().map(|_is_there| locked)
}

/// The header of a journal or of the base it refers to, and the index with it, if they are ours and whole.
fn read_whole(running: &Running, key: &LedgerKey) -> Option<(Header, Index)> {
    let read = |mut file: &File| {
        let mut bytes = Vec::new();
        (&mut file).take(MAX_INDEX_BYTES).read_to_end(&mut bytes).ok()?;
        let (header, end) = header(&bytes, key)?;
        Some((header, bytes, end))
    };
    let (own, mut bytes, end) = read(running.file.as_ref()?.file())?;
    let Some(base) = own.base else {
        let index = Index::read(bytes.split_off(end + 1), key)?;
        return Some((own, index));
    };
    let (theirs, mut bytes, end) = read(&running.place.open(&base.name, Open::Read).ok()?)?;
    let index = bytes.split_off(end + 1);
    // Any base is ours, but only one is the right one.
    let is_right = bytes.starts_with(base.header.as_bytes()) && Index::mac(&index)? == base.index;
    let whole = Header { command: own.command, known: own.known, unnameable: own.unnameable, ..theirs };
    is_right.then_some(())?;
    Some((whole, Index::read(index, key)?))
}

/// The first scan of a journal, if it is ours and whole, and the contents it speaks of are still there.
fn read(running: &Running, key: &LedgerKey) -> Option<(Command, Scan, BTreeSet<String>)> {
    let (header, index) = read_whole(running, key)?;
    let pack = Pack::open(&running.place, index.pack).ok()?;
    let mut entries: Vec<(Surveyed, Held)> = Vec::new();
    let surveyed = |path: &str, facts: Facts| Some(Surveyed { path: RelPath::new(path).ok()?, facts });
    for found in index.entries() {
        let path = std::str::from_utf8(found.path).ok()?;
        let held = Held::File(found.kept, found.attached.map(Into::into));
        entries.push((surveyed(path, found.key.facts(Kind::File))?, held));
    }
    for (path, mode, owner, target) in header.links {
        entries.push((surveyed(&path, Key::unknown(mode, owner).facts(Kind::Symlink))?, Held::Link(target)));
    }
    for (path, mode, owner) in header.folders {
        entries.push((surveyed(&path, Key::unknown(mode, owner).facts(Kind::Directory))?, Held::Folder));
    }
    entries.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    let (entries, held): (Vec<Surveyed>, Vec<Held>) = entries.into_iter().unzip();
    let mut survey = Survey::remembered(entries, SystemTime::UNIX_EPOCH);
    survey.unnameable =
        header.unnameable.into_iter().map(|(name, key)| (name, key.facts(key.kind()))).collect();
    let before = Scan {
        survey: Arc::new(survey),
        held: Arc::new(held),
        pack: Arc::new(pack),
        known: header.known,
        git: None,
        mounts: Mounts::default(),
        included: Included::default(),
        is_reused: false,
    };
    let unheld = header.unheld.into_iter().collect();
    Some((header.command, before, unheld))
}

impl Interrupted {
    /// Leaves the journal where it is: the effect could not be recorded now either.
    pub fn leave(self) {
        self.running.leave();
    }

    /// What differs from before the command. Since the command was interrupted, it is unknown who made each change.
    pub(crate) fn effects(
        &self,
        protocol: &Protocol<Disk>,
        workspace: &Workspace,
    ) -> Result<Effects, TxnError> {
        let after = super::scan(protocol, workspace, None, &Ignored::Not, None)?;
        let mut effects = super::effects(protocol, workspace, &self.before, &after)?;
        let has_landed = match self.command.within {
            Some(uuid) => protocol.find(uuid)?.is_some(),
            None => false,
        };
        let is_leased = |path: &str| !has_landed && self.command.leased.iter().any(|leased| leased == path);
        effects.changes.retain(|change| !is_leased(change.path.as_str()));
        effects.uncaptured.retain(|missed| !self.unheld.contains(&missed.path) && !is_leased(&missed.path));
        // Where ignore rules changed, what looks new may only have been ignored before.
        if effects.changes.iter().any(|change| change.path.file_name() == ".gitignore") {
            let (new, rest) = effects.changes.into_iter().partition(|change| change.before.is_none());
            effects.changes = rest;
            let new: Vec<crate::FileChange> = new;
            effects.uncaptured.extend(
                new.into_iter()
                    .map(|change| Uncaptured { path: change.path.to_string(), obstacle: Obstacle::Unknown }),
            );
            effects.made_folders.clear();
        }
        Ok(effects)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_that_ends_just_now_was_not_interrupted() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join(CAPTURE)).unwrap();
        let place = CaptureFolder::new(&Workspace::open(folder.path()).unwrap()).unwrap();
        let name = format!("{PREFIX}1");
        let file = Locked::try_new(place.open(&name, Open::Append).unwrap()).unwrap().unwrap();
        let running = Running { place, name, file: Some(file), stays: false, successor: None };
        // Another process has found the journal, and opened it.
        let seen = running.place.open(&running.name, Open::Read).unwrap();
        assert!(of_the_dead(&running.place, &running.name, seen.try_clone().unwrap()).is_none(), "it lives");
        let place = CaptureFolder::new(&Workspace::open(folder.path()).unwrap()).unwrap();
        let name = running.name.clone();
        running.leave();
        assert!(of_the_dead(&place, &name, place.open(&name, Open::Read).unwrap()).is_some(), "it died");
        place.remove(&name).unwrap();
        assert!(of_the_dead(&place, &name, seen).is_none(), "it has ended");
    }
}
