//! Zip archives.

use std::io::{Read, Seek};

use relay_diagnostics::Cancel;
use zip::ZipArchive;

use super::{ArchiveError, ENTRIES_LIMIT, Entry, EntryKind, Index, content, damaged, normal};

fn open<R: Read + Seek>(reader: R) -> Result<ZipArchive<R>, ArchiveError> {
    let archive = ZipArchive::new(reader).map_err(damaged)?;
    if archive.len() > ENTRIES_LIMIT { Err(ArchiveError::TooManyEntries) } else { Ok(archive) }
}

pub(super) fn index<R: Read + Seek>(reader: R, cancel: &Cancel) -> Result<Index, ArchiveError> {
    let mut archive = open(reader)?;
    let mut index = Index::default();
    for number in 0..archive.len() {
        if cancel.is_cancelled() {
            return Err(ArchiveError::Cancelled);
        }
        // What is not inflated needs no password and no known method.
        let entry = archive.by_index_raw(number).map_err(damaged)?;
        let kind = match (entry.is_dir(), entry.is_symlink()) {
            (true, _) => EntryKind::Folder,
            (_, true) => EntryKind::Other,
            _ => EntryKind::File,
        };
        match normal(&entry.name().map_err(damaged)?) {
            Some(path) => index.entries.push(Entry { path, size: entry.size(), kind }),
            None => index.unsafe_names += 1,
        }
    }
    Ok(index)
}

pub(super) fn entry<R: Read + Seek>(
    reader: R,
    path: &str,
    cancel: &Cancel,
) -> Result<Option<Vec<u8>>, ArchiveError> {
    let mut archive = open(reader)?;
    let mut found = None;
    for number in (0..archive.len()).rev() {
        let entry = archive.by_index_raw(number).map_err(damaged)?;
        let is_it = normal(&entry.name().map_err(damaged)?).as_deref() == Some(path);
        if is_it && !entry.is_dir() {
            if entry.is_symlink() {
                return Err(ArchiveError::NoContent(path.to_owned()));
            }
            if entry.encrypted() {
                return Err(ArchiveError::Encrypted(path.to_owned()));
            }
            found = Some(number);
            break;
        }
    }
    found.map(|number| content(archive.by_index(number).map_err(damaged)?, path, cancel)).transpose()
}
