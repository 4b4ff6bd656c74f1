//! A folder of user data: reading what is sound, and writing so that nothing is half done.
//!
//! Reading needs no lock, since files change in one step. Everything that writes goes through a [`Writer`], which holds
//! the folder's lock; so a half-done file of a killed writer has no owner, and is removed.

mod log;
#[cfg(not(unix))]
mod portable;
#[cfg(not(unix))]
use portable as system;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as system;

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::FILE_LIMIT_BYTES;
use crate::error::StoreError;
use crate::locked::Locked;

/// The file whose lock is held while writing.
pub(crate) const LOCK: &str = "lock";

/// The names of half-written files.
const TEMPORARY: &str = ".tmp-";

/// Others write for milliseconds, or for seconds if many wait for one slow disk; after this long, the other process
/// must be hanging.
const LOCK_LIMIT: Duration = Duration::from_secs(30);

/// A folder of user data, held open.
#[derive(Debug)]
pub struct Folder {
    handle: system::Handle,
    path: PathBuf,
}

impl Folder {
    /// Opens a folder; `None` when it does not exist.
    ///
    /// # Errors
    /// It is not a folder, not the user's, can be changed by others, or the system refuses.
    pub fn open(path: &Path) -> Result<Option<Self>, StoreError> {
        Ok(system::open(path)?.map(|handle| Self { handle, path: path.to_path_buf() }))
    }

    /// Opens a folder, creating it and its parents with private permissions if it is missing.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let folder = match Self::open(path)? {
            Some(folder) => folder,
            None => {
                system::create(path)?;
                Self::open(path)?.ok_or_else(|| StoreError::io(path, std::io::ErrorKind::NotFound))?
            }
        };
        system::make_private(&folder.handle, path)?;
        Ok(folder)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a file; `None` when it does not exist.
    ///
    /// # Errors
    /// It is a link or no file, not the user's, can be changed by others, has more than [`FILE_LIMIT_BYTES`], or the
    /// system refuses.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.read_as(name, Secrecy::Open)
    }

    /// Like [`Folder::read`], but also refuses a file that others can read.
    ///
    /// # Errors
    /// As [`Folder::read`], or others can read it.
    pub fn read_secret(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.read_as(name, Secrecy::Secret)
    }

    fn read_as(&self, name: &str, secrecy: Secrecy) -> Result<Option<Vec<u8>>, StoreError> {
        let place = self.place(name)?;
        let Some(file) = system::open_file(&self.handle, name, &place, secrecy)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.take(FILE_LIMIT_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|source| StoreError::io(&place, source))?;
        if bytes.len() as u64 > FILE_LIMIT_BYTES {
            return Err(StoreError::TooLarge { path: place, limit_bytes: FILE_LIMIT_BYTES });
        }
        Ok(Some(bytes))
    }

    /// Waits for the right to write here.
    ///
    /// # Errors
    /// Another process writes for longer than it should, or the system refuses.
    pub fn lock(&self) -> Result<Writer<'_>, StoreError> {
        let place = self.place(LOCK)?;
        let mut file = system::open_to_write(&self.handle, LOCK, &place)?;
        let started = Instant::now();
        let lock = loop {
            file = match Locked::try_new(file, &place)? {
                Ok(lock) => break lock,
                Err(_) if started.elapsed() > LOCK_LIMIT => return Err(StoreError::Busy { path: place }),
                Err(file) => file,
            };
            std::thread::sleep(Duration::from_millis(2));
        };
        let writer = Writer { folder: self, _lock: lock };
        writer.sweep()?;
        Ok(writer)
    }

    /// The names of all files, in order.
    ///
    /// # Errors
    /// The system refuses.
    pub fn names(&self) -> Result<Vec<String>, StoreError> {
        let mut names = system::names(&self.handle, &self.path)?;
        names.sort();
        Ok(names)
    }

    /// A file to lock, made if it is missing, and its path.
    ///
    /// # Errors
    /// It is not a file of the user, or the system refuses.
    pub(crate) fn lock_file(&self, name: &str) -> Result<(File, PathBuf), StoreError> {
        let place = self.place(name)?;
        Ok((system::open_to_write(&self.handle, name, &place)?, place))
    }

    /// The file's place, for messages, if the name is one: no separators, no dots in front.
    fn place(&self, name: &str) -> Result<PathBuf, StoreError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        if name.is_empty() || name.starts_with('.') || name.len() > 200 || !name.bytes().all(is_plain) {
            return Err(StoreError::BadName { name: name.to_owned() });
        }
        Ok(self.path.join(name))
    }
}

/// What is known about a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// How long it is.
    pub bytes: u64,
    /// When it was last written, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// The file system's number for it; another file at the same place has another one. Zero where there is none.
    pub inode: u64,
}

/// How to open a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Read,
    Append,
}

/// Whether others may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Secrecy {
    Open,
    Secret,
}

/// The right to write to a folder. Others wait until it is dropped.
#[derive(Debug)]
pub struct Writer<'a> {
    folder: &'a Folder,
    _lock: Locked,
}

impl<'a> Writer<'a> {
    /// The same right in another folder, which is not Relay's own and has no lock of its own.
    pub(crate) fn instead_in<'b>(self, folder: &'b Folder) -> Writer<'b> {
        Writer { folder, _lock: self._lock }
    }

    /// Replaces the content of a file, which need not exist. Even after a crash the file is old or new, never mixed,
    /// and once this has returned it is new.
    ///
    /// # Errors
    /// The file is not one that may be read here, or the system refuses; then the file is as it was.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let place = self.folder.place(name)?;
        // A file that cannot be read must not be replaced either: it is not ours.
        drop(system::open_file(&self.folder.handle, name, &place, Secrecy::Open)?);
        self.put(name, &place, bytes)
    }

    /// Writes a file beside `name` and renames it over that.
    fn put(&self, name: &str, place: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let temporary = format!("{TEMPORARY}{name}");
        let written = self.write_temporary(&temporary, bytes);
        let replaced = written.and_then(|()| system::rename(&self.folder.handle, &temporary, name, place));
        if replaced.is_err() {
            // The first error is the one to report; the next writer removes leftovers.
            system::remove(&self.folder.handle, &temporary, place).ok();
            return replaced;
        }
        system::sync(&self.folder.handle, self.folder.path())
    }

    /// Adds a line to a file, which need not exist. A line that was cut off by a power cut stays a line of its own.
    ///
    /// # Errors
    /// The file is not one that may be read here, or the system refuses.
    pub fn append_line(&self, name: &str, line: &[u8]) -> Result<(), StoreError> {
        let place = self.folder.place(name)?;
        let failed = |source| StoreError::io(&place, source);
        let mut file = system::open_to_write(&self.folder.handle, name, &place)?;
        let length = file.seek(SeekFrom::End(0)).map_err(failed)?;
        let mut bytes = Vec::with_capacity(line.len() + 2);
        if length > 0 {
            let mut last = [0];
            file.seek(SeekFrom::Start(length - 1))
                .and_then(|_| file.read_exact(&mut last))
                .map_err(failed)?;
            if last != *b"\n" {
                bytes.push(b'\n');
            }
        }
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
        file.seek(SeekFrom::End(0)).and_then(|_| file.write_all(&bytes)).map_err(failed)?;
        file.sync_data().map_err(failed)?;
        if length == 0 { system::sync(&self.folder.handle, self.folder.path()) } else { Ok(()) }
    }

    /// Removes a file; whether there was one.
    ///
    /// # Errors
    /// The system refuses.
    pub fn remove(&self, name: &str) -> Result<bool, StoreError> {
        let place = self.folder.place(name)?;
        let removed = system::remove(&self.folder.handle, name, &place)?;
        if removed {
            system::sync(&self.folder.handle, self.folder.path())?;
        }
        Ok(removed)
    }

    fn write_temporary(&self, temporary: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let place = self.folder.path().join(temporary);
        // We hold the lock, so one that is already there has no owner.
        system::remove(&self.folder.handle, temporary, &place)?;
        let mut file = system::create_new(&self.folder.handle, temporary, &place)?;
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|source| StoreError::io(&place, source))
    }

    /// Removes leftovers of killed writers. The lock is held, so no living writer uses them.
    fn sweep(&self) -> Result<(), StoreError> {
        for name in system::names(&self.folder.handle, self.folder.path())? {
            if name.starts_with(TEMPORARY) {
                system::remove(&self.folder.handle, &name, &self.folder.path().join(&name))?;
            }
        }
        Ok(())
    }
}
