//! Deliberate mistakes, for the test of the test: a simulation that does not catch these proves nothing.
//!
//! A disk that leaves out or delays certain operations makes the protocol above it as wrong as if it had never asked
//! for them, without any trace of the mistakes in the protocol itself.

use std::cell::RefCell;
use std::io;

use super::SimFs;
use super::disk::SimLock;
use crate::fs::{Attributes, Found, Fs, Rename, Stat};
use crate::layout::STATE;

/// One way to get the protocol wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Nothing is ever synced.
    NoSync,
    /// Staged contents and blobs are renamed into place without being synced.
    LooseContents,
    /// The pending record gets its name after the files were changed.
    LateJournal,
    /// Names in the state folder are not synced, so a record may come after what it describes.
    LooseJournal,
    /// The folders of changed and restored files are not synced.
    LooseFolders,
    /// Records are renamed into place without being synced.
    LooseRecord,
}

impl Flaw {
    pub(super) const ALL: [Self; 6] = [
        Self::NoSync,
        Self::LooseContents,
        Self::LateJournal,
        Self::LooseJournal,
        Self::LooseFolders,
        Self::LooseRecord,
    ];

    fn skips_file(self, file: &str) -> bool {
        let is_record = file.ends_with("/record") || file.ends_with("/final");
        match self {
            Self::NoSync => true,
            Self::LooseContents => !is_record,
            Self::LooseRecord => is_record,
            Self::LateJournal | Self::LooseJournal | Self::LooseFolders => false,
        }
    }

    fn skips_folder(self, folder: &str) -> bool {
        match self {
            Self::NoSync => true,
            Self::LooseJournal => folder == STATE,
            Self::LooseFolders => !folder.starts_with(STATE),
            Self::LooseContents | Self::LateJournal | Self::LooseRecord => false,
        }
    }
}

/// A simulated disk that makes one mistake, or none.
pub(crate) struct Flawed {
    fs: SimFs,
    flaw: Option<Flaw>,
    /// The rename that [`Flaw::LateJournal`] puts off.
    late: RefCell<Option<(String, String)>>,
}

impl Flawed {
    pub(super) fn new(fs: SimFs, flaw: Option<Flaw>) -> Self {
        Self { fs, flaw, late: RefCell::new(None) }
    }

    /// The files are changed by now.
    fn catch_up(&self) -> io::Result<()> {
        match self.late.take() {
            Some((from, to)) => self.fs.rename(&from, &to, Rename::NoReplace),
            None => Ok(()),
        }
    }
}

impl Fs for Flawed {
    type Lock = SimLock;

    fn rename(&self, from: &str, to: &str, how: Rename) -> io::Result<()> {
        if self.flaw == Some(Flaw::LateJournal) && to.ends_with(".pending.yml") {
            self.late.replace(Some((from.to_owned(), to.to_owned())));
            return Ok(());
        }
        self.fs.rename(from, to, how)
    }

    fn sync(&self, files: &[String], folders: &[String]) -> io::Result<()> {
        if folders != [STATE] {
            self.catch_up()?;
        }
        let Some(flaw) = self.flaw else { return self.fs.sync(files, folders) };
        let files: Vec<String> = files.iter().filter(|file| !flaw.skips_file(file)).cloned().collect();
        let folders: Vec<String> =
            folders.iter().filter(|folder| !flaw.skips_folder(folder)).cloned().collect();
        self.fs.sync(&files, &folders)
    }

    fn touch(&self, path: &str) -> io::Result<()> {
        self.catch_up()?;
        self.fs.touch(path)
    }

    fn permits(&self, path: &str) -> bool {
        self.fs.permits(path)
    }
    fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        self.fs.stat(path)
    }
    fn read(&self, path: &str, limit: u64) -> io::Result<Found> {
        self.fs.read(path, limit)
    }
    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        self.fs.list(folder)
    }
    fn list_stats(&self, folder: &str) -> io::Result<Vec<(String, Stat)>> {
        self.fs.list_stats(folder)
    }
    fn append(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.fs.append(path, bytes)
    }
    fn write_new(&self, path: &str, bytes: &[u8], attributes: Attributes<'_>) -> io::Result<()> {
        self.fs.write_new(path, bytes, attributes)
    }
    fn read_link(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        self.fs.read_link(path)
    }
    fn symlink(&self, target: &[u8], path: &str) -> io::Result<()> {
        self.fs.symlink(target, path)
    }
    fn unlink(&self, path: &str) -> io::Result<()> {
        self.fs.unlink(path)
    }
    fn mkdir(&self, path: &str, mode: Option<u32>) -> io::Result<()> {
        self.fs.mkdir(path, mode)
    }
    fn rmdir(&self, path: &str) -> io::Result<()> {
        self.fs.rmdir(path)
    }
    fn set_mode(&self, path: &str, mode: u32) -> io::Result<()> {
        self.fs.set_mode(path, mode)
    }
    fn try_lock(&self, path: &str, create: bool) -> io::Result<Option<SimLock>> {
        self.fs.try_lock(path, create)
    }
}
