//! A session's file, open for one process: lines are added to it and made durable, or it is replaced as a whole.
//!
//! A failure to write is final. After a failed sync the system may have dropped what it could not write, so trying again
//! would report success for nothing; every later call fails with the first reason, until the session is opened anew.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use super::lock::SessionLock;
use super::place::split;
use crate::LOG_LIMIT_BYTES;
use crate::error::StoreError;
use crate::folder::Folder;

/// A session's file, which no other process has open.
#[derive(Debug)]
pub struct SessionFile {
    folder: Folder,
    name: String,
    path: PathBuf,
    file: File,
    /// How long the file is; anything else means that another program wrote to it.
    length: u64,
    /// How much of it survives a power cut.
    durable: u64,
    /// Whether the last byte ends a line.
    is_ended: bool,
    /// Why nothing is written any more.
    failed: Option<String>,
    /// Data being synced on other threads.
    under_way: Vec<JoinHandle<std::io::Result<()>>>,
    _lock: SessionLock,
}

impl SessionFile {
    pub(super) fn open(path: &Path, locks: &Path) -> Result<Option<(Self, Vec<u8>)>, StoreError> {
        let (folder, name) = split(path)?;
        let Some(folder) = Folder::open(&folder)? else { return Ok(None) };
        if folder.facts(&name)?.is_none() {
            // This also reports something that exists but is not a file.
            return folder.open_log(&name).map(|_| None);
        }
        let lock = SessionLock::take(path, locks)?;
        let Some(mut file) = folder.open_log(&name)? else { return Ok(None) };
        let mut bytes = Vec::new();
        let length = folder.facts_of_open(&file, &name)?.map_or(0, |facts| facts.bytes);
        bytes.reserve(usize::try_from(length).unwrap_or_default());
        let read = (&mut file).take(LOG_LIMIT_BYTES).read_to_end(&mut bytes);
        read.map_err(|source| StoreError::io(path, source))?;
        let opened = Self {
            folder,
            name,
            path: path.to_path_buf(),
            file,
            length: bytes.len() as u64,
            durable: bytes.len() as u64,
            is_ended: bytes.last().is_none_or(|byte| *byte == b'\n'),
            failed: None,
            under_way: Vec::new(),
            _lock: lock,
        };
        Ok(Some((opened, bytes)))
    }

    pub(super) fn create(path: &Path, locks: &Path, bytes: &[u8]) -> Result<Self, StoreError> {
        let (folder, name) = split(path)?;
        let folder = Folder::create(&folder)?;
        let lock = SessionLock::take(path, locks)?;
        let writer = folder.lock()?;
        if folder.facts(&name)?.is_some() {
            return Err(StoreError::Exists { path: path.to_path_buf() });
        }
        writer.replace_log(&name, bytes)?;
        drop(writer);
        let file = folder.open_log(&name)?.ok_or_else(|| gone(path))?;
        Ok(Self {
            folder,
            name,
            path: path.to_path_buf(),
            file,
            length: bytes.len() as u64,
            durable: bytes.len() as u64,
            is_ended: bytes.last().is_none_or(|byte| *byte == b'\n'),
            failed: None,
            under_way: Vec::new(),
            _lock: lock,
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds lines, each without its newline. They survive a power cut once this has returned. A last line that was cut off
    /// stays a line of its own.
    ///
    /// # Errors
    /// Another program changed the file, the system refuses, or an earlier write failed.
    pub fn append(&mut self, lines: &[&[u8]]) -> Result<(), StoreError> {
        self.append_soon(lines)?;
        self.settle()
    }

    /// Adds lines as [`SessionFile::append`] does, and makes them durable on another thread. They survive the end of this
    /// process at once, and a power cut once [`SessionFile::settle`] has returned.
    ///
    /// # Errors
    /// As [`SessionFile::append`].
    pub fn append_soon(&mut self, lines: &[&[u8]]) -> Result<(), StoreError> {
        self.check()?;
        let room: usize = lines.iter().map(|line| line.len() + 1).sum();
        let mut bytes = Vec::with_capacity(room + 1);
        if !self.is_ended {
            bytes.push(b'\n');
        }
        for line in lines {
            bytes.extend_from_slice(line);
            bytes.push(b'\n');
        }
        if let Err(source) = self.file.write_all(&bytes) {
            // A partial line must not remain in front of what is written after a restart; if removing it fails, reading
            // copes.
            self.file.set_len(self.length).ok();
            return Err(self.fail(source));
        }
        self.length += bytes.len() as u64;
        self.is_ended = true;
        let begun = self
            .file
            .try_clone()
            .and_then(|file| thread::Builder::new().name("sync".to_owned()).spawn(move || file.sync_data()));
        match begun {
            Ok(thread) => self.under_way.push(thread),
            // Without another thread it is done on this one.
            Err(_) => {
                let synced = self.file.sync_data();
                synced.map_err(|source| self.fail(source))?;
            }
        }
        Ok(())
    }

    /// Waits until everything that was added survives a power cut.
    ///
    /// # Errors
    /// The system could not make it durable; nothing is written any more then.
    pub fn settle(&mut self) -> Result<(), StoreError> {
        for thread in std::mem::take(&mut self.under_way) {
            let ended = thread.join().unwrap_or_else(|_| Err(std::io::Error::other("the thread failed")));
            if let Err(source) = ended {
                // Data that may be lost must not appear to be stored; if removing it fails, reading copes.
                self.file.set_len(self.durable).ok();
                return Err(self.fail(source));
            }
        }
        self.durable = self.length;
        Ok(())
    }

    /// Replaces the file's content in one step.
    ///
    /// # Errors
    /// As [`SessionFile::append`]; then the file is as it was.
    pub fn rewrite(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.settle()?;
        self.check()?;
        let writer = self.folder.lock()?;
        writer.replace_log(&self.name, bytes)?;
        drop(writer);
        self.file = self.folder.open_log(&self.name)?.ok_or_else(|| gone(&self.path))?;
        self.length = bytes.len() as u64;
        self.durable = self.length;
        self.is_ended = bytes.last().is_none_or(|byte| *byte == b'\n');
        Ok(())
    }

    /// Copies the file as it is beside itself, under its name and `.old`, before it is brought up to date. A copy that is
    /// there already is older, and stays.
    ///
    /// # Errors
    /// The system refuses.
    pub fn keep_old(&mut self) -> Result<(), StoreError> {
        self.check()?;
        let copy = format!("{}{}", self.name, super::OLD_SUFFIX);
        if self.folder.facts(&copy)?.is_some() {
            return Ok(());
        }
        let bytes = self.folder.read_log(&self.name, LOG_LIMIT_BYTES)?.ok_or_else(|| gone(&self.path))?;
        self.folder.lock()?.replace_log(&copy, &bytes)
    }

    /// Refuses to write after a failure, and over what another program wrote.
    fn check(&mut self) -> Result<(), StoreError> {
        if let Some(reason) = &self.failed {
            return Err(StoreError::io(&self.path, std::io::Error::other(reason.clone())));
        }
        let opened = self.folder.facts_of_open(&self.file, &self.name)?;
        let is_same = |now: crate::folder::Facts| {
            now.bytes == self.length && opened.is_some_and(|opened| opened.inode == now.inode)
        };
        match self.folder.facts(&self.name)? {
            Some(now) if is_same(now) => Ok(()),
            _ => Err(StoreError::ChangedElsewhere { path: self.path.clone() }),
        }
    }

    fn fail(&mut self, source: std::io::Error) -> StoreError {
        self.failed = Some(format!("an earlier write failed: {source}"));
        StoreError::io(&self.path, source)
    }
}

impl Drop for SessionFile {
    fn drop(&mut self) {
        // A caller that needs to know whether it worked has called `settle` before.
        self.settle().ok();
    }
}

fn gone(path: &Path) -> StoreError {
    StoreError::io(path, std::io::ErrorKind::NotFound)
}
