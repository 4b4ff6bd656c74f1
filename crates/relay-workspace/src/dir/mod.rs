//! Directory handles: the only way from a name to a file.
//!
//! A [`Dir`] stays the same folder whatever happens to its name. Names are resolved from it component by component
//! (in one call where the kernel can promise the same), and no symbolic link is ever followed. Nothing is cached:
//! every call that needs a check makes it again.

mod listing;
#[cfg(not(unix))]
mod portable;
#[cfg(not(unix))]
pub use portable::Dir;
#[cfg(not(unix))]
use portable::fill;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub use unix::Dir;
#[cfg(unix)]
use unix::fill;

pub(crate) use listing::Listing;

use std::fs::File;
use std::io::{self, Read as _};

use crate::read::{Facts, ReadError, Snapshot};

/// Reads an opened file to its end. `path` is called only if an error has to name it.
fn read_capped(
    file: &File,
    facts: &Facts,
    limit_bytes: u64,
    path: impl Fn() -> String,
) -> Result<Snapshot, ReadError> {
    match read_opened(file, facts, limit_bytes) {
        Ok(bytes) => Ok(Snapshot { bytes, mode: facts.mode, links: facts.links }),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            Err(ReadError::TooLarge { path: path(), limit_bytes })
        }
        Err(source) => Err(io_error(&path(), source)),
    }
}

/// All bytes of a file that [`Dir::open_file`] opened, in one system call where its size has not changed since.
///
/// # Errors
/// [`io::ErrorKind::FileTooLarge`] when it has more than `limit_bytes`, whatever size it reported; or the system refuses.
pub fn read_opened(file: &File, facts: &Facts, limit_bytes: u64) -> io::Result<Vec<u8>> {
    if facts.size > limit_bytes {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let expected = usize::try_from(facts.size).unwrap_or(0);
    // One byte more than its size: if that stays unused, the file has ended, and no second call is needed.
    let mut bytes = Vec::with_capacity(expected.saturating_add(1));
    fill(file, &mut bytes)?;
    if bytes.len() != expected || expected == 0 {
        let rest = limit_bytes.saturating_add(1).saturating_sub(bytes.len() as u64);
        file.take(rest).read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 > limit_bytes {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

fn io_error(path: &str, source: impl Into<io::Error>) -> ReadError {
    ReadError::Io { path: path.to_owned(), source: source.into() }
}

/// Refuses a name given to a handle that could lead elsewhere. [`crate::RelPath`] and [`crate::OwnPath`] always pass; this
/// is for names that come from a directory listing or are put together.
fn check_name(folder: &str, name: &str) -> Result<(), ReadError> {
    let leads_elsewhere = |part: &[u8]| matches!(part, b"" | b"." | b"..");
    if name.as_bytes().split(|byte| *byte == b'/').any(leads_elsewhere)
        || name.as_bytes().contains(&b'\0')
        || (cfg!(windows) && name.contains(['\\', ':']))
    {
        return Err(ReadError::BadName { path: shown(folder, name) });
    }
    Ok(())
}

/// The name below a folder, for messages: both from the root.
fn shown(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
