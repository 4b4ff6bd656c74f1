//! Tape archives, plain and compressed with gzip.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use relay_diagnostics::Cancel;
use tar::{Archive, EntryType};

use super::{
    ArchiveError, ENTRIES_LIMIT, Entry, EntryKind, INFLATE_LIMIT_BYTES, Index, content, damaged, normal,
};

/// What [`Capped`] says once its limit is reached.
const INFLATES: &str = "inflates beyond the limit";

/// A reader that fails after a limit, so that a bomb ends while it is passed over.
pub(super) struct Capped<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Capped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.left = self.left.saturating_sub(read as u64);
        if self.left == 0 { Err(io::Error::other(INFLATES)) } else { Ok(read) }
    }
}

/// What a compressed archive inflates to, up to the limit.
pub(super) fn inflated(reader: impl Read) -> Capped<impl Read> {
    Capped { inner: MultiGzDecoder::new(reader), left: INFLATE_LIMIT_BYTES }
}

fn failed(error: io::Error) -> ArchiveError {
    if error.to_string().contains(INFLATES) { ArchiveError::Inflates } else { damaged(error) }
}

fn kind(entry_type: EntryType) -> EntryKind {
    match entry_type {
        EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => EntryKind::File,
        EntryType::Directory => EntryKind::Folder,
        _ => EntryKind::Other,
    }
}

/// Calls `visit` with every entry until it has an answer.
fn walk<R: Read, T>(
    reader: R,
    cancel: &Cancel,
    mut visit: impl FnMut(Option<String>, &mut tar::Entry<'_, R>) -> Result<Option<T>, ArchiveError>,
) -> Result<Option<T>, ArchiveError> {
    let mut archive = Archive::new(reader);
    for (number, entry) in archive.entries().map_err(failed)?.enumerate() {
        if number >= ENTRIES_LIMIT {
            return Err(ArchiveError::TooManyEntries);
        }
        if cancel.is_cancelled() {
            return Err(ArchiveError::Cancelled);
        }
        let mut entry = entry.map_err(failed)?;
        let path = normal(&String::from_utf8_lossy(&entry.path_bytes()));
        if let Some(found) = visit(path, &mut entry)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

pub(super) fn index<R: Read>(reader: R, cancel: &Cancel) -> Result<Index, ArchiveError> {
    let mut index = Index::default();
    let note = |path: Option<String>, entry: &mut tar::Entry<'_, R>| {
        match path {
            Some(path) => {
                let kind = kind(entry.header().entry_type());
                index.entries.push(Entry { path, size: entry.size(), kind });
            }
            None => index.unsafe_names += 1,
        }
        Ok(None::<()>)
    };
    walk(reader, cancel, note)?;
    Ok(index)
}

/// The last entry of that path counts, as for `tar` itself; so the archive is read to its end.
pub(super) fn entry<R: Read>(
    reader: R,
    path: &str,
    cancel: &Cancel,
) -> Result<Option<Vec<u8>>, ArchiveError> {
    let mut found = None;
    let look = |here: Option<String>, entry: &mut tar::Entry<'_, R>| {
        if here.as_deref() == Some(path) {
            found = match kind(entry.header().entry_type()) {
                EntryKind::File => Some(content(entry, path, cancel)?),
                EntryKind::Folder => None,
                EntryKind::Other => return Err(ArchiveError::NoContent(path.to_owned())),
            };
        }
        Ok(None::<()>)
    };
    walk(reader, cancel, look)?;
    Ok(found)
}
