//! Everything that can be done before a file is touched, and without the lock: compare, stage, make durable.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

use super::begin::check;
use super::folders::{Folders, Freed};
use super::{Protocol, Seen};
use crate::belongings::{Belongings, Extended};
use crate::draft::{Draft, FileChange, Target};
use crate::error::{At, TxnError};
use crate::fs::{Attributes, Extras, Found, Fs, Kind, Like, Rename, Stat, Written, is_link, parent};
use crate::layout::{self, BLOBS, STAGE};
use crate::limits::{MAX_FILE_BYTES, MAX_INLINE_BYTES, MAX_INLINE_TOTAL_BYTES};
use crate::record::{
    ChangeRecord, Content, FolderRecord, Operation, RECORD_VERSION, Record, Stored, content_hash,
};

/// A transaction that is durable on disk, except that its record has no name yet.
pub(super) struct Staged {
    pub(super) record: Record,
    /// Where the record is staged.
    pub(super) staged_record: String,
    /// What the disk said about each file when its content was compared.
    pub(super) observed: Vec<Option<Observed>>,
    /// Folders that were there once, with what they had.
    pub(super) known_folders: HashMap<String, FolderRecord>,
    /// The changes of files that nothing was done to yet.
    pub(super) unreached: BTreeSet<usize>,
    /// Files that could not be given all that they were to have besides their content.
    pub(super) disowned: Vec<String>,
}

/// What is where a change is to be made.
enum Occupant {
    /// Nothing.
    Free,
    /// A folder, where a file or link is to come.
    Folder,
    /// The file or link that the change was planned against.
    Held(Observed),
}

/// A file or link as it was when its content was compared.
pub(super) struct Observed {
    pub(super) stat: Stat,
    extras: Extras,
}

impl Observed {
    /// What it has besides its content, where the system reports it.
    fn belongings(&self) -> Option<Belongings> {
        Some(Belongings { owner: self.stat.owner?, extended: self.extras.kept.clone() })
    }
}

/// Collects contents for the record, deciding which of them become blobs.
pub(super) struct Contents {
    uuid: Uuid,
    inline_bytes: usize,
    /// Blobs written or found, by their path.
    pub(super) blobs: BTreeSet<String>,
}

impl Contents {
    /// Nothing is collected yet.
    pub(super) fn new(uuid: Uuid) -> Self {
        Self { uuid, inline_bytes: 0, blobs: BTreeSet::new() }
    }
}

impl<F: Fs> Protocol<F> {
    /// Compares every file with what the draft was planned against, and stages what it is to become.
    pub(super) fn prepare(&self, draft: &Draft) -> Result<Staged, TxnError> {
        let (observed, folders) =
            self.observe(draft, |change, freed| self.compare(change, freed, draft.break_links))?;
        let mut contents = Contents::new(draft.uuid);
        let mut changes = Vec::with_capacity(draft.changes.len());
        let mut disowned = Vec::new();
        for (n, (change, observed)) in draft.changes.iter().zip(&observed).enumerate() {
            let folder = Some(parent(change.path.as_str())).filter(|folder| !folders.made.contains(*folder));
            let wanted = draft.belongings.get(change.path.as_str());
            let observed = observed.as_ref();
            let written = match &change.after {
                Some(target) => {
                    let slot = layout::slot(draft.uuid, n);
                    Some(self.write_slot(&slot, change, target, observed, (folder, wanted))?)
                }
                None => None,
            };
            if wanted.is_some_and(|wanted| written.as_ref().is_some_and(|written| !written.has(wanted))) {
                disowned.push(change.path.to_string());
            }
            changes.push(self.record_change(change, observed, written.as_ref(), &mut contents)?);
        }
        let record = Record {
            folders: folders.made.into_iter().collect(),
            removed_folders: folders.removed,
            ..pending_record(draft, changes)
        };
        self.keep_spares(&record)?;
        let staged_record = format!("{}/record", layout::stage(draft.uuid));
        let text = crate::document::write(&record, &self.key)?;
        self.fs
            .write_new(&staged_record, text.as_bytes(), Attributes::PRIVATE)
            .at("write", &staged_record)?;
        self.sync_stage(&record, &staged_record, &contents)?;
        let known_folders = draft.make.iter().map(|folder| (folder.path.clone(), folder.clone())).collect();
        let unreached = (0..observed.len()).collect();
        Ok(Staged { record, staged_record, observed, known_folders, unreached, disowned })
    }

    /// What the disk says about every file that is to change, and which folders have to come and go. Refuses what does not
    /// fit; nothing is written.
    fn observe<'d>(
        &self,
        draft: &'d Draft,
        look: impl Fn(&FileChange, &Freed<'d>) -> Result<Occupant, TxnError>,
    ) -> Result<(Vec<Option<Observed>>, Folders), TxnError> {
        let freed = Freed::by(draft);
        let mut observed = Vec::with_capacity(draft.changes.len());
        let mut replaced = Vec::new();
        for change in &draft.changes {
            observed.push(match look(change, &freed)? {
                Occupant::Free => None,
                Occupant::Folder => {
                    replaced.push(change.path.as_str());
                    None
                }
                Occupant::Held(observed) => Some(observed),
            });
        }
        let folders = self.folders(draft, &freed, &replaced)?;
        Ok((observed, folders))
    }

    /// Refuses a draft for every reason that can be seen without writing, and without reading contents: the caller has
    /// just read them.
    pub(crate) fn rehearse(&self, draft: &Draft) -> Result<(), TxnError> {
        check(draft)?;
        self.observe(draft, |change, freed| self.foresee(change, freed, draft.break_links)).map(drop)
    }

    /// What is where a change is to be made, going by what the disk says about it.
    fn foresee(
        &self,
        change: &FileChange,
        freed: &Freed<'_>,
        break_links: bool,
    ) -> Result<Occupant, TxnError> {
        let path = change.path.to_string();
        if !self.fs.permits(&path) {
            return Err(TxnError::Refused { path });
        }
        if change.before.is_none() && freed.holds_folder_of(&path) {
            return Ok(Occupant::Free);
        }
        match (&change.before, self.look(&path)?) {
            // What is there was reached without a link.
            (_, None) if self.is_below_link(&path) => {
                Err(TxnError::NotRegular { path, kind: "below a link" })
            }
            (None, None) => Ok(Occupant::Free),
            (Some(_), None) => Err(TxnError::Changed { path }),
            (None, Some(stat)) if stat.kind == Kind::Folder => Ok(Occupant::Folder),
            (None, Some(stat)) if stat.kind == Kind::File => Err(TxnError::Exists { path }),
            (Some(_), Some(stat)) if stat.kind == Kind::File && stat.links > 1 && !break_links => {
                Err(TxnError::HardLinked { path, links: stat.links })
            }
            (Some(_), Some(stat)) if stat.kind == Kind::File => {
                Ok(Occupant::Held(Observed { stat, extras: Extras::default() }))
            }
            (Some(image), Some(stat)) if stat.kind == Kind::Symlink && is_link(image.mode) => {
                Ok(Occupant::Held(Observed { stat, extras: Extras::default() }))
            }
            (_, Some(stat)) => Err(TxnError::NotRegular { path, kind: stat.kind.words() }),
        }
    }

    /// One batch makes the staged contents, the blobs, the record and their names durable.
    fn sync_stage(&self, record: &Record, staged_record: &str, contents: &Contents) -> Result<(), TxnError> {
        let stage = layout::stage(record.uuid);
        // A link has no content of its own to sync; its name goes with the folder.
        let has_content =
            |change: &ChangeRecord| change.after.as_ref().is_some_and(|after| !is_link(after.mode));
        let staged = record.changes.iter().enumerate().filter(|(_, change)| has_content(change));
        let mut files: Vec<String> = staged.map(|(n, _)| layout::slot(record.uuid, n)).collect();
        files.extend(contents.blobs.iter().cloned());
        files.push(staged_record.to_owned());
        let mut folders = vec![stage.clone(), STAGE.to_owned()];
        if !contents.blobs.is_empty() {
            folders.push(BLOBS.to_owned());
        }
        self.fs.sync(&files, &folders).at("sync", &stage)
    }

    /// The file must be exactly what the change was planned against.
    fn compare(
        &self,
        change: &FileChange,
        freed: &Freed<'_>,
        break_links: bool,
    ) -> Result<Occupant, TxnError> {
        let path = change.path.as_str();
        if !self.fs.permits(path) {
            return Err(TxnError::Refused { path: path.to_owned() });
        }
        if change.before.is_none() && freed.holds_folder_of(path) {
            return Ok(Occupant::Free);
        }
        let (found, extras) = match self.fs.read_with_extras(path, MAX_FILE_BYTES) {
            Err(_) if self.is_below_link(path) => {
                return Err(TxnError::NotRegular { path: path.to_owned(), kind: "below a link" });
            }
            other => other.at("read", path)?,
        };
        match (&change.before, found) {
            (Some(image), Found::Irregular(Kind::Symlink)) if is_link(image.mode) => {
                let is_same = self.fs.read_link(path).at("read", path)?.as_deref() == Some(&image.bytes);
                let stat = self.fs.stat(path).at("look at", path)?.filter(|_| is_same);
                let held = stat.map(|stat| Occupant::Held(Observed { stat, extras }));
                held.ok_or_else(|| TxnError::Changed { path: path.to_owned() })
            }
            (None, Found::Irregular(Kind::Folder)) => Ok(Occupant::Folder),
            (_, Found::Irregular(kind)) => {
                Err(TxnError::NotRegular { path: path.to_owned(), kind: kind.words() })
            }
            (None, Found::Missing) => Ok(Occupant::Free),
            (None, Found::File(..)) => Err(TxnError::Exists { path: path.to_owned() }),
            (Some(image), Found::File(bytes, stat)) if *bytes == *image.bytes && !is_link(image.mode) => {
                if stat.links > 1 && !break_links {
                    return Err(TxnError::HardLinked { path: path.to_owned(), links: stat.links });
                }
                Ok(Occupant::Held(Observed { stat, extras }))
            }
            (Some(_), Found::File(..) | Found::Missing) => Err(TxnError::Changed { path: path.to_owned() }),
        }
    }

    /// Writes the new content of a file or link into its slot. `folder` is the one it goes to, if that is there; `wanted` what
    /// it is to have besides.
    fn write_slot(
        &self,
        slot: &str,
        change: &FileChange,
        target: &Target,
        observed: Option<&Observed>,
        (folder, wanted): (Option<&str>, Option<&Belongings>),
    ) -> Result<Written, TxnError> {
        let stat = observed.map(|observed| observed.stat);
        // One that is to keep its permissions keeps those it has by now.
        let keeps_mode = change.before.as_ref().map(|image| image.mode) == target.mode;
        let mode = target.mode.filter(|_| !keeps_mode || stat.is_none());
        let mode = mode.or(stat.map(|stat| stat.mode));
        let like = if wanted.is_none() { self.predecessor(change, observed)? } else { None };
        let written = if mode.is_some_and(is_link) {
            self.link_slot(slot, target, wanted)
        } else {
            let attributes = Attributes {
                mode: mode.map(|mode| mode & 0o7777),
                like,
                belongings: wanted,
                folder: folder.filter(|_| like.is_none()),
            };
            self.fs.write_staged(slot, &target.bytes, attributes)
        };
        written.map_err(|error| match (error.kind(), like) {
            (io::ErrorKind::PermissionDenied, Some(like)) => {
                TxnError::ForeignOwner { path: like.path.to_owned(), source: error }
            }
            _ => TxnError::io("write", change.path.as_str(), error),
        })
    }

    fn link_slot(&self, slot: &str, target: &Target, wanted: Option<&Belongings>) -> io::Result<Written> {
        self.fs.symlink(&target.bytes, slot)?;
        // Who may not give it away learns that from what it has afterwards.
        wanted.map_or(Ok(true), |wanted| self.fs.give(slot, wanted.owner))?;
        let stat = self.fs.stat(slot)?.ok_or(io::ErrorKind::NotFound)?;
        Ok(Written { stat, extended: Extended::default() })
    }

    /// A change as the record has it: with its contents, and with what the file had besides where that goes with it or
    /// becomes something else.
    fn record_change(
        &self,
        change: &FileChange,
        observed: Option<&Observed>,
        written: Option<&Written>,
        contents: &mut Contents,
    ) -> Result<ChangeRecord, TxnError> {
        let mut before = match change.before.as_ref().zip(observed) {
            Some((image, observed)) => Some(self.store(&image.bytes, observed.stat.mode, contents)?),
            None => None,
        };
        let mut after = match change.after.as_ref().zip(written) {
            Some((target, written)) => Some(self.store(&target.bytes, written.stat.mode, contents)?),
            None => None,
        };
        let (had, has) = (observed.and_then(Observed::belongings), written.and_then(Written::belongings));
        if let Some(before) = &mut before
            && had != has
        {
            before.belongings = had;
            if let Some(after) = &mut after {
                after.belongings = has;
            }
        }
        Ok(ChangeRecord {
            path: change.path.to_string(),
            operation: match (&before, &after) {
                (None, _) => Operation::Create,
                (Some(_), Some(_)) => Operation::Modify,
                (Some(_), None) => Operation::Delete,
            },
            renamed_from: change.renamed_from.as_ref().map(ToString::to_string),
            added: change.added,
            removed: change.removed,
            before,
            after,
            by: None,
        })
    }

    /// What a file or link has besides its content.
    pub(super) fn belongings(&self, path: &str, stat: Stat) -> Result<Option<Belongings>, TxnError> {
        let Some(owner) = stat.owner else { return Ok(None) };
        let extended = match stat.kind {
            Kind::File => self.fs.extended(path).at("read", path)?,
            _ => crate::belongings::Extended::default(),
        };
        Ok(Some(Belongings { owner, extended }))
    }

    /// The file whose owner, group and attributes the new one takes over: the one it replaces, or the one it was before
    /// it was renamed.
    fn predecessor<'a>(
        &self,
        change: &'a FileChange,
        observed: Option<&Observed>,
    ) -> Result<Option<Like<'a>>, TxnError> {
        if let (Some(from), None) = (&change.renamed_from, observed) {
            let is_file = self.look(from.as_str())?.is_some_and(|stat| stat.kind == Kind::File);
            return Ok(is_file.then_some(Like { path: from.as_str(), bare: None }));
        }
        let observed = observed.filter(|observed| observed.stat.kind == Kind::File);
        Ok(observed.map(|observed| Like {
            path: change.path.as_str(),
            bare: observed.stat.owner.filter(|_| !observed.extras.has_others),
        }))
    }

    /// Keeps a content: inside the record if a person can read it there, otherwise as a blob.
    pub(super) fn store(
        &self,
        bytes: &Arc<[u8]>,
        mode: u32,
        contents: &mut Contents,
    ) -> Result<Stored, TxnError> {
        let mut stored = Stored {
            hash: content_hash(bytes),
            size: bytes.len() as u64,
            mode,
            belongings: None,
            content: Content::Blob,
        };
        let fits =
            bytes.len() <= MAX_INLINE_BYTES && contents.inline_bytes + bytes.len() <= MAX_INLINE_TOTAL_BYTES;
        if fits && is_readable(bytes) {
            contents.inline_bytes += bytes.len();
            stored.content = Content::Inline(Arc::clone(bytes));
        } else {
            self.store_blob(&stored.hash, bytes, contents)?;
        }
        Ok(stored)
    }

    fn store_blob(&self, hash: &str, bytes: &[u8], contents: &mut Contents) -> Result<(), TxnError> {
        let blob = layout::blob(hash);
        if contents.blobs.contains(&blob) {
            return Ok(());
        }
        // A blob that is already there may be torn by an earlier crash, or planted: only its content counts.
        let existing = self.see(&blob)?;
        if !matches!(&existing, Seen::File(found, _) if found == hash) {
            if matches!(existing, Seen::Other(_)) {
                return Err(TxnError::Foreign { name: blob });
            }
            let staged = format!("{}/blob", layout::stage(contents.uuid));
            self.fs.write_new(&staged, bytes, Attributes::PRIVATE).at("write", &staged)?;
            self.fs.rename(&staged, &blob, Rename::Replace).at("write", &blob)?;
        }
        contents.blobs.insert(blob);
        Ok(())
    }
}

/// Whether a content is text that a record can show without hiding anything: no control characters but the usual three.
fn is_readable(bytes: &[u8]) -> bool {
    // Nearly all texts are plain, and this looks at many bytes together.
    let is_odd = |byte: u8| {
        let is_space = (byte == b'\n') | (byte == b'\r') | (byte == b'\t');
        (byte < b' ') & !is_space | (byte > b'~')
    };
    let is_plain = bytes.chunks(4096).all(|part| !part.iter().fold(false, |odd, byte| odd | is_odd(*byte)));
    let is_usual = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    is_plain || std::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(is_usual))
}

pub(super) fn pending_record(draft: &Draft, changes: Vec<ChangeRecord>) -> Record {
    Record {
        version: RECORD_VERSION,
        uuid: draft.uuid,
        sequence: 0,
        created_at: Timestamp::now(),
        header: draft.header.clone(),
        operations: draft.operations.clone(),
        changes,
        folders: Vec::new(),
        removed_folders: Vec::new(),
        checks: Vec::new(),
        approved: false,
        approved_by: None,
    }
}
