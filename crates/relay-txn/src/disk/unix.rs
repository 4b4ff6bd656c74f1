//! The disk operations on Unix.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use relay_workspace::{Dir, Facts, ReadError, RelPath, Workspace, read_opened};
use rustix::fs::{AtFlags, FileType, Gid, Mode, OFlags, Timespec, Timestamps, UTIME_NOW, Uid};
use rustix::io::Errno;

use super::{Locked, attributes, rename, sync};
use crate::belongings::{Extended, Owner};
use crate::fs::{Attributes, Extras, Found, Fs, Kind, Rename, Stat, Written, parent};
use crate::layout::STAGE;

/// A workspace on the real disk.
pub(crate) struct Disk {
    root: Dir,
    /// The staging folder in use. Thousands of files go through it, and it has one name as long as it lives; folders of
    /// the workspace may be moved by others at any time, so each operation looks them up again.
    stage: Mutex<Option<Arc<Dir>>>,
    /// The folder of the workspace in which a name was just checked. Only the very next operation may use it, as if it had
    /// looked it up a moment earlier.
    looked_at: Mutex<Option<Dir>>,
}

/// A folder to act in.
pub(super) enum Folder<'d> {
    Root(&'d Dir),
    Found(Dir),
    Stage(Arc<Dir>),
}

impl Deref for Folder<'_> {
    type Target = Dir;

    fn deref(&self) -> &Dir {
        match self {
            Self::Root(dir) => dir,
            Self::Found(dir) => dir,
            Self::Stage(dir) => dir,
        }
    }
}

impl Disk {
    /// Takes a handle of its own on the workspace's root.
    pub(crate) fn new(workspace: &Workspace) -> io::Result<Self> {
        let root = workspace.root_dir().try_clone().map_err(io_error)?;
        Ok(Self { root, stage: Mutex::new(None), looked_at: Mutex::new(None) })
    }

    /// Opens a folder for listing, syncing, or as a place to act in.
    pub(super) fn folder(&self, path: &str) -> io::Result<Folder<'_>> {
        if path.is_empty() {
            return Ok(Folder::Root(&self.root));
        }
        if parent(path) != STAGE {
            let looked_at = held(&self.looked_at).take();
            return match looked_at.filter(|folder| folder.path() == path) {
                Some(folder) => Ok(Folder::Found(folder)),
                None => self.find(path).map(Folder::Found),
            };
        }
        let mut known = held(&self.stage);
        match &*known {
            Some(stage) if stage.path() == path => Ok(Folder::Stage(Arc::clone(stage))),
            _ => {
                let stage = Arc::new(self.find(path)?);
                *known = Some(Arc::clone(&stage));
                Ok(Folder::Stage(stage))
            }
        }
    }

    fn find(&self, path: &str) -> io::Result<Dir> {
        self.root.open_dir(path).map_err(io_error)?.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// A folder of this name comes or goes.
    fn forget(&self, path: &str) {
        held(&self.stage).take_if(|stage| stage.path() == path);
    }

    /// The folder a path is in, and the name it has there.
    pub(super) fn locate<'a>(&self, path: &'a str) -> io::Result<(Folder<'_>, &'a str)> {
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        Ok((self.folder(parent(path))?, name))
    }

    /// Opens a regular file.
    pub(super) fn open(&self, path: &str) -> io::Result<File> {
        let opened = self.root.open_file(path).map_err(io_error)?;
        opened.map(|(file, _)| file).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Opens what is at a path, if it is a regular file.
    fn open_found(&self, path: &str) -> io::Result<Result<(File, Facts), Found>> {
        Ok(match self.root.open_file(path) {
            Ok(Some(opened)) => Ok(opened),
            Ok(None) | Err(ReadError::NotADirectory { .. }) => Err(Found::Missing),
            Err(ReadError::Directory { .. }) => Err(Found::Irregular(Kind::Folder)),
            Err(ReadError::NotRegular { .. }) => Err(Found::Irregular(Kind::Special)),
            Err(ReadError::Symlink { path, link }) if path == link => Err(Found::Irregular(Kind::Symlink)),
            Err(error) => return Err(io_error(error)),
        })
    }

    /// Creates a file, and returns it with the attributes to apply.
    fn create(&self, path: &str, bytes: &[u8], attributes: Attributes<'_>) -> io::Result<File> {
        let (folder, name) = self.locate(path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // No other user can look into the state folder, so a file there may have its final mode at once; the mask may
        // take bits away, which are given back. Without a mode, the mask decides.
        let mode = raw_mode(attributes.mode.unwrap_or(0o666) & 0o777);
        let mut file = File::from(rustix::fs::openat(&*folder, name, flags, mode)?);
        let written = file.write_all(bytes).and_then(|()| attributes::give(self, &file, attributes));
        if written.is_err() {
            rustix::fs::unlinkat(&*folder, name, AtFlags::empty())?;
        }
        written.map(|()| file)
    }
}

impl Fs for Disk {
    type Lock = Locked;

    fn permits(&self, path: &str) -> bool {
        RelPath::new(path).is_ok_and(|normal| normal.as_str() == path)
    }

    fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        let (folder, name) = match self.locate(path) {
            Ok(place) => place,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        match rustix::fs::statat(&*folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => {
                if let Folder::Found(folder) = folder {
                    *held(&self.looked_at) = Some(folder);
                }
                Ok(Some(stat_of(&stat)))
            }
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Found> {
        Ok(match self.open_found(path)? {
            Ok((file, facts)) => Found::File(read_opened(&file, &facts, limit)?, Stat::from(&facts)),
            Err(found) => found,
        })
    }

    fn read_with_extras(&self, path: &str, limit: u64) -> io::Result<(Found, Extras)> {
        Ok(match self.open_found(path)? {
            Ok((file, facts)) => {
                let bytes = read_opened(&file, &facts, limit)?;
                (Found::File(bytes, Stat::from(&facts)), attributes::extras(&file)?)
            }
            Err(found) => (found, Extras::default()),
        })
    }

    fn read_end(&self, path: &str, length: u64) -> io::Result<Vec<u8>> {
        let mut file = match self.open(path) {
            Ok(file) => file,
            Err(error) if is_missing(&error) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let size = file.metadata()?.len();
        file.seek(io::SeekFrom::Start(size.saturating_sub(length)))?;
        let mut bytes = Vec::new();
        file.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        match self.folder(folder) {
            Ok(folder) => Ok(folder.entries().map_err(io_error)?.into_iter().map(|(name, _)| name).collect()),
            Err(error) if is_missing(&error) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn list_stats(&self, folder: &str) -> io::Result<Vec<(String, Stat)>> {
        let folder = match self.folder(folder) {
            Ok(folder) => folder,
            Err(error) if is_missing(&error) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut found = Vec::new();
        for (name, _) in folder.entries().map_err(io_error)? {
            match rustix::fs::statat(&*folder, name.as_str(), AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => found.push((name, stat_of(&stat))),
                // Gone since it was listed.
                Err(Errno::NOENT) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(found)
    }

    fn append(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let (folder, name) = self.locate(path)?;
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let mode = Mode::from_raw_mode(0o600);
        let mut file = File::from(rustix::fs::openat(&*folder, name, flags | OFlags::CLOEXEC, mode)?);
        if FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode) != FileType::RegularFile {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        file.write_all(bytes)
    }

    fn write_new(&self, path: &str, bytes: &[u8], attributes: Attributes<'_>) -> io::Result<()> {
        self.create(path, bytes, attributes).map(drop)
    }

    fn write_staged(&self, path: &str, bytes: &[u8], attributes: Attributes<'_>) -> io::Result<Written> {
        let file = self.create(path, bytes, attributes)?;
        let stat = stat_of(&rustix::fs::fstat(&file)?);
        Ok(Written { stat, extended: attributes::extended(&file)? })
    }

    fn read_link(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        self.root.read_link(path).map_err(io_error)
    }

    fn extended(&self, path: &str) -> io::Result<Extended> {
        attributes::extended(&self.open(path)?)
    }

    fn give(&self, path: &str, owner: Owner) -> io::Result<bool> {
        let (folder, name) = self.locate(path)?;
        let (user, group) = (Uid::from_raw(owner.user), Gid::from_raw(owner.group));
        match rustix::fs::chownat(&*folder, name, Some(user), Some(group), AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::PERM) => Ok(false),
            other => Ok(other.map(|()| true)?),
        }
    }

    fn symlink(&self, target: &[u8], path: &str) -> io::Result<()> {
        let (folder, name) = self.locate(path)?;
        Ok(rustix::fs::symlinkat(target, &*folder, name)?)
    }

    fn rename(&self, from: &str, to: &str, how: Rename) -> io::Result<()> {
        let (from_folder, from_name) = self.locate(from)?;
        let (to_folder, to_name) = self.locate(to)?;
        rename::rename((&*from_folder, from_name), (&*to_folder, to_name), how)
    }

    fn unlink(&self, path: &str) -> io::Result<()> {
        let (folder, name) = self.locate(path)?;
        Ok(rustix::fs::unlinkat(&*folder, name, AtFlags::empty())?)
    }

    fn mkdir(&self, path: &str, mode: Option<u32>) -> io::Result<()> {
        let (folder, name) = self.locate(path)?;
        self.forget(path);
        rustix::fs::mkdirat(&*folder, name, raw_mode(mode.unwrap_or(0o777)))?;
        match mode {
            // The mask applies to `mkdirat` too, and a folder that is put back gets exactly what it had.
            Some(mode) => self.set_mode(path, mode),
            None => Ok(()),
        }
    }

    fn rmdir(&self, path: &str) -> io::Result<()> {
        let (folder, name) = self.locate(path)?;
        self.forget(path);
        Ok(rustix::fs::unlinkat(&*folder, name, AtFlags::REMOVEDIR)?)
    }

    fn set_mode(&self, path: &str, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::fchmod(&*self.folder(path)?, raw_mode(mode))?)
    }

    fn touch(&self, path: &str) -> io::Result<()> {
        let (folder, name) = self.locate(path)?;
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        let times = Timestamps { last_access: now, last_modification: now };
        match rustix::fs::utimensat(&*folder, name, &times, AtFlags::SYMLINK_NOFOLLOW) {
            // Only the owner may do this; restoring another user's file with its old time is better than not at all.
            Err(Errno::PERM | Errno::ACCESS) => Ok(()),
            other => Ok(other?),
        }
    }

    fn sync(&self, files: &[String], folders: &[String]) -> io::Result<()> {
        sync::sync(self, files, folders)
    }

    fn try_lock(&self, path: &str, create: bool) -> io::Result<Option<Locked>> {
        let (folder, name) = self.locate(path)?;
        // `NONBLOCK`, so that a planted pipe cannot make it hang.
        let mut flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        flags.set(OFlags::CREATE, create);
        let file = match rustix::fs::openat(&*folder, name, flags, Mode::from_raw_mode(0o600)) {
            Ok(fd) => File::from(fd),
            Err(Errno::LOOP | Errno::ISDIR | Errno::NXIO) => return Err(io::ErrorKind::InvalidInput.into()),
            Err(errno) => return Err(errno.into()),
        };
        if FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode) != FileType::RegularFile {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Locked::try_new(file)
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Nothing can be below something that is not there, or is not a folder.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Keeps the operating system's code where there is one, since its kind decides what is done next.
fn io_error(error: ReadError) -> io::Error {
    match error {
        ReadError::Io { source, .. } => source,
        ReadError::TooLarge { .. } => io::Error::new(io::ErrorKind::FileTooLarge, error),
        ReadError::NotADirectory { .. } => io::Error::new(io::ErrorKind::NotADirectory, error),
        other => io::Error::new(io::ErrorKind::InvalidInput, other),
    }
}

#[allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "the type differs between systems")]
pub(super) fn raw_mode(mode: u32) -> Mode {
    Mode::from_raw_mode((mode & 0o7777) as _)
}

#[allow(clippy::unnecessary_cast, clippy::useless_conversion, reason = "the types differ between systems")]
fn stat_of(stat: &rustix::fs::Stat) -> Stat {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Symlink,
        _ => Kind::Special,
    };
    Stat {
        kind,
        mode: stat.st_mode as u32,
        size: u64::try_from(stat.st_size).unwrap_or(0),
        links: stat.st_nlink as u64,
        owner: Some(Owner { user: stat.st_uid, group: stat.st_gid }),
        inode: Some(stat.st_ino as u64),
        modified: (stat.st_mtime as i64, stat.st_mtime_nsec as u32),
        changed: (stat.st_ctime as i64, stat.st_ctime_nsec as u32),
    }
}

impl From<&Facts> for Stat {
    fn from(facts: &Facts) -> Self {
        Self {
            kind: match facts.kind {
                relay_workspace::Kind::File => Kind::File,
                relay_workspace::Kind::Directory => Kind::Folder,
                relay_workspace::Kind::Symlink => Kind::Symlink,
                relay_workspace::Kind::Special => Kind::Special,
            },
            mode: facts.mode,
            size: facts.size,
            links: facts.links,
            owner: Some(Owner { user: facts.owner, group: facts.group }),
            inode: Some(facts.inode),
            modified: facts.modified,
            changed: facts.changed,
        }
    }
}
