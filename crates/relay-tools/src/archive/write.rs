//! Writing one entry: the archive is put together anew in memory, with every other entry as it was.
//!
//! Other entries are copied as they are stored, so nothing about them changes: compression, times, owners, links. Names that
//! lead outside an archive are copied too, because leaving them out would change what no one asked to change.

use std::io::{Cursor, Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use relay_diagnostics::Cancel;
use tar::{Archive, Builder, EntryType, Header};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::tar::inflated;
use super::{ArchiveError, ENTRIES_LIMIT, Format, damaged, normal};

/// How large an archive may be, inflated, to be written again.
pub const WRITE_LIMIT_BYTES: u64 = 256 << 20;

/// An entry to write.
#[derive(Clone, Copy, Debug)]
pub struct NewEntry<'a> {
    /// Its path inside the archive, without `.` and empty names.
    pub path: &'a str,
    /// Its content.
    pub content: &'a [u8],
    /// When it was written, in seconds since 1970.
    pub modified: u64,
}

/// The archive with one entry replaced or added; `None` means an archive that does not exist yet.
///
/// # Errors
/// It is damaged, goes beyond a limit, or has a folder where the entry would be.
pub fn with_entry(
    format: Format,
    archive: Option<&[u8]>,
    entry: NewEntry<'_>,
    cancel: &Cancel,
) -> Result<Vec<u8>, ArchiveError> {
    match format {
        Format::Zip => zip(archive, entry, cancel),
        Format::Tar => tar(archive.unwrap_or_default(), entry, cancel),
        Format::TarGz => {
            let mut plain = Vec::new();
            if let Some(archive) = archive {
                inflated(archive).take(WRITE_LIMIT_BYTES + 1).read_to_end(&mut plain).map_err(damaged)?;
            }
            if plain.len() as u64 > WRITE_LIMIT_BYTES {
                return Err(ArchiveError::Inflates);
            }
            let written = tar(&plain, entry, cancel)?;
            let mut gz = GzEncoder::new(Vec::new(), Compression::default());
            gz.write_all(&written).map_err(damaged)?;
            gz.finish().map_err(damaged)
        }
    }
}

/// Raw entries of a tape archive that belong together: long names and attributes come before what they are about.
#[derive(Default)]
struct Group {
    parts: Vec<(Header, Vec<u8>)>,
    path: Option<String>,
}

impl Group {
    /// Takes a part; whether it is what the parts before were about.
    fn take(&mut self, header: Header, data: Vec<u8>) -> bool {
        let kind = header.entry_type();
        let is_about = match kind {
            EntryType::GNULongName => {
                let name = data.split(|byte| *byte == 0).next().unwrap_or_default();
                self.path = Some(String::from_utf8_lossy(name).into_owned());
                true
            }
            EntryType::XHeader => {
                self.path = pax_path(&data).or(self.path.take());
                true
            }
            EntryType::GNULongLink | EntryType::XGlobalHeader => true,
            _ => {
                let own = || String::from_utf8_lossy(&header.path_bytes()).into_owned();
                self.path.get_or_insert_with(own);
                false
            }
        };
        self.parts.push((header, data));
        !is_about
    }
}

/// The path in extended attributes: lines of `LENGTH path=VALUE`.
fn pax_path(data: &[u8]) -> Option<String> {
    let mut rest = data;
    while !rest.is_empty() {
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let length: usize = std::str::from_utf8(rest.get(..space)?).ok()?.parse().ok()?;
        let record = rest.get(space + 1..length)?;
        if let Some(path) = record.strip_prefix(b"path=") {
            return Some(String::from_utf8_lossy(path.strip_suffix(b"\n").unwrap_or(path)).into_owned());
        }
        rest = rest.get(length..)?;
    }
    None
}

fn tar(archive: &[u8], entry: NewEntry<'_>, cancel: &Cancel) -> Result<Vec<u8>, ArchiveError> {
    let mut builder = Builder::new(Vec::with_capacity(archive.len() + entry.content.len() + 2048));
    let (mut group, mut is_written) = (Group::default(), false);
    let mut source = Archive::new(archive);
    for (number, raw) in source.entries().map_err(damaged)?.raw(true).enumerate() {
        if number >= ENTRIES_LIMIT {
            return Err(ArchiveError::TooManyEntries);
        }
        if cancel.is_cancelled() {
            return Err(ArchiveError::Cancelled);
        }
        let mut raw = raw.map_err(damaged)?;
        let header = raw.header().clone();
        if header.entry_type() == EntryType::GNUSparse {
            return Err(damaged("it has sparse files, which are not written again"));
        }
        let mut data = Vec::new();
        raw.read_to_end(&mut data).map_err(damaged)?;
        if !group.take(header, data) {
            continue;
        }
        let Group { parts, path } = std::mem::take(&mut group);
        let is_it = path.as_deref().and_then(normal).as_deref() == Some(entry.path);
        let old = parts.last().map(|(header, _)| header);
        if !is_it {
            for (header, data) in &parts {
                builder.append(header, data.as_slice()).map_err(damaged)?;
            }
        } else if old.is_some_and(|old| old.entry_type() == EntryType::Directory) {
            return Err(ArchiveError::IsFolder(entry.path.to_owned()));
        } else if !is_written {
            is_written = true;
            add(&mut builder, entry, old)?;
        }
    }
    if !is_written {
        add(&mut builder, entry, None)?;
    }
    builder.into_inner().map_err(damaged)
}

/// Adds the entry, with the mode and owner of the one it replaces.
fn add(
    builder: &mut Builder<Vec<u8>>,
    entry: NewEntry<'_>,
    old: Option<&Header>,
) -> Result<(), ArchiveError> {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(entry.content.len() as u64);
    header.set_mode(old.and_then(|old| old.mode().ok()).unwrap_or(0o644));
    header.set_uid(old.and_then(|old| old.uid().ok()).unwrap_or_default());
    header.set_gid(old.and_then(|old| old.gid().ok()).unwrap_or_default());
    header.set_mtime(entry.modified);
    builder.append_data(&mut header, entry.path, entry.content).map_err(damaged)
}

fn zip(archive: Option<&[u8]>, entry: NewEntry<'_>, cancel: &Cancel) -> Result<Vec<u8>, ArchiveError> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut is_written = false;
    let write = |writer: &mut ZipWriter<Cursor<Vec<u8>>>| {
        writer.start_file(entry.path, SimpleFileOptions::default()).map_err(damaged)?;
        writer.write_all(entry.content).map_err(damaged)
    };
    if let Some(archive) = archive {
        let mut source = ZipArchive::new(Cursor::new(archive)).map_err(damaged)?;
        if source.len() > ENTRIES_LIMIT {
            return Err(ArchiveError::TooManyEntries);
        }
        for number in 0..source.len() {
            if cancel.is_cancelled() {
                return Err(ArchiveError::Cancelled);
            }
            let old = source.by_index_raw(number).map_err(damaged)?;
            let is_it = normal(&old.name().map_err(damaged)?).as_deref() == Some(entry.path);
            if !is_it {
                writer.raw_copy_file(old).map_err(damaged)?;
            } else if old.is_dir() {
                return Err(ArchiveError::IsFolder(entry.path.to_owned()));
            } else if !is_written {
                is_written = true;
                write(&mut writer)?;
            }
        }
    }
    if !is_written {
        write(&mut writer)?;
    }
    Ok(writer.finish().map_err(damaged)?.into_inner())
}
