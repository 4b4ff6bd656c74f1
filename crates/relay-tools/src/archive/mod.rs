//! Archives: what is in a `.tar`, `.tar.gz`, `.tgz` or `.zip`, one entry at a time.
//!
//! An archive is another program's data. Nothing of it is ever unpacked to the disk; names that lead elsewhere are counted
//! and left out; an entry is inflated only as far as its limit, and a compressed archive is listed only as far as
//! [`INFLATE_LIMIT_BYTES`], whatever sizes its headers claim. Entries come from a reader, so that the archive itself is
//! never in memory as a whole.

mod tar;
mod write;
mod zip;

use std::io::{Read, Seek};

use relay_diagnostics::Cancel;
use relay_diagnostics::display::visible_line;

pub use write::{NewEntry, with_entry};

/// How much of an entry is inflated.
pub const ENTRY_LIMIT_BYTES: u64 = 16 << 20;
/// How much of a compressed archive is inflated while its entries are looked for; tests need not wait for a gigabyte.
pub const INFLATE_LIMIT_BYTES: u64 = if cfg!(test) { 64 << 20 } else { 1 << 30 };
/// How many entries an archive may have.
pub const ENTRIES_LIMIT: usize = 200_000;

/// How an archive is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `.tar`
    Tar,
    /// `.tar.gz` and `.tgz`
    TarGz,
    /// `.zip`
    Zip,
}

impl Format {
    const ENDINGS: [(&'static str, Self); 4] =
        [(".tar.gz", Self::TarGz), (".tgz", Self::TarGz), (".tar", Self::Tar), (".zip", Self::Zip)];

    /// The format of a file, by its name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        Self::ENDINGS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, format)| *format)
    }
}

/// The ways in which a path may name an archive and what is in it, the longest archive name first: `a.zip:b/c.txt` is
/// `c.txt` in `a.zip`, `a.tar.gz` the archive itself.
#[must_use]
pub fn candidates(path: &str) -> Vec<(&str, &str, Format)> {
    let ends = std::iter::once(path.len()).chain(path.rmatch_indices(':').map(|(at, _)| at));
    let named = ends.filter_map(|end| {
        let (archive, rest) = path.split_at_checked(end)?;
        Some((archive, rest.strip_prefix(':').unwrap_or(rest), Format::of_name(archive)?))
    });
    named.collect()
}

/// Something in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its path, without `.` and empty names.
    pub path: String,
    /// Its size as the archive claims it.
    pub size: u64,
    /// What it is.
    pub kind: EntryKind,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A link, a device or a FIFO, which has no content of its own.
    Other,
}

/// What is in an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// The entries, in the archive's order; of two with one path the later one.
    pub entries: Vec<Entry>,
    /// How many were left out because their names lead outside the archive.
    pub unsafe_names: usize,
}

/// Why an archive cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// It is damaged, or not an archive of this kind.
    #[error("the archive is damaged or not of this kind: {0}")]
    Damaged(String),
    /// It has too many entries.
    #[error("the archive has more than {ENTRIES_LIMIT} entries")]
    TooManyEntries,
    /// It inflates to more than is looked at.
    #[error("the archive inflates to more than {} MiB; it is not read further", INFLATE_LIMIT_BYTES >> 20)]
    Inflates,
    /// An entry inflates to more than is read of it.
    #[error("`{}` inflates to more than {} MiB; it is not read", visible_line(.0), ENTRY_LIMIT_BYTES >> 20)]
    EntryTooLarge(String),
    /// A path that leads elsewhere.
    #[error("`{}` leads outside the archive; name an entry without `..`", visible_line(.0))]
    Outside(String),
    /// A link or a device.
    #[error("`{}` is a link or a device inside the archive and has no content", visible_line(.0))]
    NoContent(String),
    /// A folder where a file shall be.
    #[error("`{}` is a folder inside the archive", visible_line(.0))]
    IsFolder(String),
    /// An entry that needs a password.
    #[error("`{}` is encrypted", visible_line(.0))]
    Encrypted(String),
    /// The call was asked to end.
    #[error("reading the archive was interrupted")]
    Cancelled,
}

/// A path inside an archive, without `.` and empty names; nothing if it leads elsewhere.
#[must_use]
pub fn normal(path: &str) -> Option<String> {
    let mut parts = Vec::new();
    let path = path.replace('\\', "/");
    if path.starts_with('/') || path.contains('\0') {
        return None;
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => return None,
            // `C:\x` of another system.
            part if parts.is_empty() && part.len() == 2 && part.ends_with(':') => return None,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The path that a person or a model asks for.
///
/// # Errors
/// It leads outside the archive.
pub fn asked(path: &str) -> Result<String, ArchiveError> {
    normal(path.trim_start_matches('/')).ok_or_else(|| ArchiveError::Outside(path.to_owned()))
}

/// Lists an archive.
///
/// # Errors
/// It is damaged, or it goes beyond a limit.
pub fn index<R: Read + Seek>(format: Format, reader: R, cancel: &Cancel) -> Result<Index, ArchiveError> {
    let mut index = match format {
        Format::Tar => tar::index(reader, cancel),
        Format::TarGz => tar::index(tar::inflated(reader), cancel),
        Format::Zip => zip::index(reader, cancel),
    }?;
    let mut seen = std::collections::HashSet::new();
    index.entries.reverse();
    index.entries.retain(|entry| !entry.path.is_empty() && seen.insert(entry.path.clone()));
    index.entries.reverse();
    Ok(index)
}

/// The content of an entry, by the path that [`index`] gives it; nothing if there is none.
///
/// # Errors
/// The archive is damaged, or the entry goes beyond its limit.
pub fn entry<R: Read + Seek>(
    format: Format,
    reader: R,
    path: &str,
    cancel: &Cancel,
) -> Result<Option<Vec<u8>>, ArchiveError> {
    match format {
        Format::Tar => tar::entry(reader, path, cancel),
        Format::TarGz => tar::entry(tar::inflated(reader), path, cancel),
        Format::Zip => zip::entry(reader, path, cancel),
    }
}

/// Reads an entry as far as its limit.
fn content(mut reader: impl Read, path: &str, cancel: &Cancel) -> Result<Vec<u8>, ArchiveError> {
    let mut bytes = Vec::new();
    loop {
        if cancel.is_cancelled() {
            return Err(ArchiveError::Cancelled);
        }
        let read = reader.by_ref().take(1 << 16).read_to_end(&mut bytes).map_err(damaged)?;
        if bytes.len() as u64 > ENTRY_LIMIT_BYTES {
            return Err(ArchiveError::EntryTooLarge(path.to_owned()));
        }
        if read == 0 {
            return Ok(bytes);
        }
    }
}

fn damaged(error: impl std::fmt::Display) -> ArchiveError {
    ArchiveError::Damaged(visible_line(&error.to_string()).into_owned())
}

#[cfg(test)]
mod tests;
