//! The cache of contents: one growing file (the pack) and an index, so that scanning again reads only what changed.
//!
//! Everything here can be lost without harm: a missing or foreign cache means reading all files once more. A content
//! taken from it is compared with its hash, so a torn pack cannot put anything wrong into a record.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use relay_workspace::Workspace;

use super::folder::{CaptureFolder, Open};
use super::index::{Index, Kept, Key};
use super::{Attached, Held, Obstacle, journal};
use crate::disk::Locked;
use crate::error::{At, TxnError};
use crate::key::LedgerKey;
use crate::layout::CAPTURE;
use crate::limits::{LOCK_WAIT_MS, MAX_CAPTURE_CACHE_BYTES, MAX_FILE_BYTES, MAX_INDEX_BYTES};

/// A pack is made anew when it holds more than this and mostly contents that no file has any more.
const MIN_STALE_BYTES: u64 = 64 << 20;
/// How many times the living contents a pack may hold.
const MAX_STALE_FACTOR: u64 = 3;

const LOCK: &str = "lock";
const INDEX: &str = "index";
const NEW_INDEX: &str = "index.new";

/// The pack, held open: its contents stay readable when its name is gone.
#[derive(Debug)]
pub(super) struct Pack {
    /// Its number, by which it is named.
    pub(super) number: u64,
    file: File,
}

impl Pack {
    /// Opens a pack, which must exist.
    pub(super) fn open(place: &CaptureFolder, number: u64) -> io::Result<Self> {
        Ok(Self { number, file: place.open(&pack_name(number), Open::Read)? })
    }

    /// Whether it can still be found by its name.
    pub(super) fn is_in(&self, place: &CaptureFolder) -> bool {
        place.holds(&pack_name(self.number), &self.file)
    }

    /// The bytes of a content; `None` if they are not what was kept.
    pub(super) fn read(&self, kept: &Kept) -> Option<Vec<u8>> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(kept.offset)).ok()?;
        let mut bytes = Vec::with_capacity(usize::try_from(kept.size).ok()?);
        file.take(kept.size).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 == kept.size && *blake3::hash(&bytes).as_bytes() == kept.hash).then_some(bytes)
    }
}

/// The cache, locked, while one scan uses it.
pub(super) struct Cache {
    place: CaptureFolder,
    key: LedgerKey,
    index: Index,
    pack: Arc<Pack>,
    writer: BufWriter<File>,
    /// Where this scan began to write.
    start: u64,
    /// Where the next content goes.
    end: u64,
    /// Contents by hash, once one had to be looked up.
    by_hash: Option<HashMap<[u8; 32], Kept>>,
    /// Whether the index on disk is no longer right.
    is_stale: bool,
    /// Whether the index on disk was read, and may be replaced.
    has_index: bool,
    /// Held until the scan is done.
    _lock: Locked,
}

impl Cache {
    /// Opens the cache, whatever state it is in.
    pub(super) fn open(workspace: &Workspace, key: &LedgerKey) -> Result<Self, TxnError> {
        let place = CaptureFolder::new(workspace).at("open", CAPTURE)?;
        let lock = lock(&place)?;
        let known = read_index(&place, key).at("read", CAPTURE)?;
        let known = match known {
            Some((index, pack, length)) if is_worth_keeping(&index, length) => Some((index, pack, length)),
            _ => None,
        };
        let is_stale = known.is_none();
        let (index, file, end) = match known {
            Some(known) => known,
            None => fresh(&place).at("write", CAPTURE)?,
        };
        let pack = Arc::new(Pack::open(&place, index.pack).at("open", CAPTURE)?);
        Ok(Self {
            place,
            key: key.clone(),
            index,
            pack,
            writer: BufWriter::with_capacity(1 << 20, file),
            start: end,
            end,
            by_hash: None,
            is_stale,
            has_index: true,
            _lock: lock,
        })
    }

    /// Opens it to add a few contents to a pack that an earlier scan of this process used; `None` if that pack is no longer
    /// the right one. The index on disk stays as it is: what it lacks is read once more by the next process. Nothing is
    /// promised that way, so nothing has to be synced.
    pub(super) fn reopen(workspace: &Workspace, key: &LedgerKey, pack: &Arc<Pack>) -> Option<Self> {
        let place = CaptureFolder::new(workspace).ok()?;
        let lock = lock(&place).ok()?;
        if !pack.is_in(&place) {
            return None;
        }
        let file = place.open(&pack_name(pack.number), Open::Append).ok()?;
        let end = file.metadata().ok().map(|about| about.len()).filter(|end| *end < MIN_STALE_BYTES)?;
        Some(Self {
            place,
            key: key.clone(),
            index: Index::empty(pack.number),
            pack: Arc::clone(pack),
            writer: BufWriter::with_capacity(1 << 16, file),
            start: end,
            end,
            by_hash: Some(HashMap::new()),
            is_stale: false,
            has_index: false,
            _lock: lock,
        })
    }

    /// Has a content used again that is in the pack already.
    pub(super) fn remember(&mut self, kept: Kept) {
        if let Some(by_hash) = &mut self.by_hash {
            by_hash.insert(kept.hash, kept);
        }
    }

    /// The kept content of a file that is as it was last seen. Paths must be asked for in order.
    pub(super) fn find(&mut self, path: &str, key: &Key) -> Option<(Kept, Attached)> {
        let found = self.index.find(path).filter(|found| found.key == *key);
        let found = found.map(|found| (found.kept, found.attached.map(Into::into)));
        self.is_stale |= found.is_none();
        found
    }

    /// Keeps the content of a file.
    pub(super) fn keep(&mut self, file: File) -> Result<Held, TxnError> {
        let attached = attached(&file);
        let mut bytes = Vec::new();
        if file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).is_err() {
            return Ok(Held::Nothing(Obstacle::Unreadable));
        }
        let size = bytes.len() as u64;
        if size > MAX_FILE_BYTES {
            return Ok(Held::Nothing(Obstacle::TooLarge));
        }
        let hash = *blake3::hash(&bytes).as_bytes();
        let index = &self.index;
        let by_hash =
            self.by_hash.get_or_insert_with(|| index.contents().map(|kept| (kept.hash, kept)).collect());
        // A content from an earlier scan is used again only if it is still there, whole.
        if let Some(kept) = by_hash.get(&hash)
            && (kept.offset >= self.start || self.pack.read(kept).is_some())
        {
            return Ok(Held::File(*kept, attached));
        }
        if self.end + size > MAX_CAPTURE_CACHE_BYTES {
            return Ok(Held::Nothing(Obstacle::TooMuch));
        }
        let kept = Kept { hash, offset: self.end, size };
        self.writer.write_all(&bytes).at("write", CAPTURE)?;
        by_hash.insert(hash, kept);
        self.end += size;
        Ok(Held::File(kept, attached))
    }

    /// Writes down what was found, and hands out the pack. The pack is on the disk before the index that promises it.
    pub(super) fn close<'a>(
        mut self,
        files: impl Iterator<Item = (&'a str, Key, Kept, Option<&'a str>)>,
    ) -> Result<Arc<Pack>, TxnError> {
        self.writer.flush().at("write", CAPTURE)?;
        if self.is_stale && self.has_index {
            if self.end > self.start {
                self.writer.get_ref().sync_data().at("sync", CAPTURE)?;
            }
            let bytes = Index::write(self.index.pack, files, &self.key);
            self.save(&bytes).at("write", CAPTURE)?;
        }
        Ok(self.pack)
    }

    fn save(&self, bytes: &[u8]) -> io::Result<()> {
        self.place.open(NEW_INDEX, Open::Empty)?.write_all(bytes)?;
        self.place.rename(NEW_INDEX, INDEX)?;
        let own = pack_name(self.index.pack);
        let names = self.place.names()?;
        // The journal of a capture that is under way, was interrupted or will refer to an earlier one may speak of any pack.
        if names.iter().any(|name| name.starts_with(journal::PREFIX) || name.starts_with(journal::BASE)) {
            return Ok(());
        }
        for name in names {
            if name.starts_with("pack-") && name != own {
                self.place.remove(&name)?;
            }
        }
        Ok(())
    }
}

/// The extended attributes of a file. Those that cannot be read are not there for this user either.
#[cfg(unix)]
fn attached(file: &File) -> Attached {
    let extended = crate::disk::extended(file).ok().filter(|extended| !extended.is_empty())?;
    serde_json::to_string(&extended).ok().map(Into::into)
}

#[cfg(not(unix))]
fn attached(_file: &File) -> Attached {
    None
}

fn pack_name(number: u64) -> String {
    format!("pack-{number}")
}

/// Waits until no other process scans.
pub(super) fn lock(place: &CaptureFolder) -> Result<Locked, TxnError> {
    let start = Instant::now();
    loop {
        let file = place.open(LOCK, Open::Append).at("lock", CAPTURE)?;
        if let Some(locked) = Locked::try_new(file).at("lock", CAPTURE)? {
            return Ok(locked);
        }
        let waited_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        if waited_ms > LOCK_WAIT_MS {
            return Err(TxnError::Busy { waited_ms });
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The index with its pack and the pack's length, if they are ours and fit together.
fn read_index(place: &CaptureFolder, key: &LedgerKey) -> io::Result<Option<(Index, File, u64)>> {
    let file = match place.open(INDEX, Open::Read) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let size = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    if size as u64 > MAX_INDEX_BYTES {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(size + 1);
    file.take(MAX_INDEX_BYTES).read_to_end(&mut bytes)?;
    let Some(index) = Index::read(bytes, key) else { return Ok(None) };
    // Missing packs are made by opening them; then they are too short and the index is of no use.
    let pack = place.open(&pack_name(index.pack), Open::Append)?;
    let length = pack.metadata()?.len();
    Ok(Some((index, pack, length)))
}

/// Whether the pack holds all that the index promises, and is not mostly unused.
fn is_worth_keeping(index: &Index, length: u64) -> bool {
    let mut living = 0;
    let mut end = 0;
    for kept in index.contents() {
        living += kept.size;
        end = end.max(kept.offset + kept.size);
    }
    end <= length && (length < MIN_STALE_BYTES || length < living * MAX_STALE_FACTOR)
}

/// An empty pack under a number that was not used before.
fn fresh(place: &CaptureFolder) -> io::Result<(Index, File, u64)> {
    let number = |name: &String| name.strip_prefix("pack-").and_then(|number| number.parse::<u64>().ok());
    let last = place.names()?.iter().filter_map(number).max().unwrap_or(0);
    let index = Index::empty(last.wrapping_add(1));
    let file = place.open(&pack_name(index.pack), Open::Append)?;
    let end = file.metadata()?.len();
    Ok((index, file, end))
}
