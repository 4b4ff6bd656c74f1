//! Opening the cache's own files, inside the state folder and never through a link.

use std::fs::File;
use std::io;

use relay_workspace::Workspace;

/// How a file of the cache is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    /// For reading; it must exist.
    Read,
    /// For appending, made if need be.
    Append,
    /// Empty, for writing.
    Empty,
}

/// The folder of the cache.
#[derive(Debug)]
pub(super) struct CaptureFolder {
    #[cfg(unix)]
    folder: relay_workspace::Dir,
    #[cfg(not(unix))]
    folder: std::path::PathBuf,
}

#[cfg(unix)]
impl CaptureFolder {
    /// Opens the folder, which must exist.
    pub(super) fn new(workspace: &Workspace) -> io::Result<Self> {
        let opened = workspace.root_dir().open_dir(crate::layout::CAPTURE).map_err(io::Error::other)?;
        Ok(Self { folder: opened.ok_or(io::ErrorKind::NotFound)? })
    }

    /// Opens a file; accepts only a regular one, and does not hang on a planted pipe.
    pub(super) fn open(&self, name: &str, how: Open) -> io::Result<File> {
        use rustix::fs::{FileType, Mode, OFlags};
        use rustix::io::Errno;
        let flags = match how {
            Open::Read => OFlags::RDONLY,
            Open::Append => OFlags::RDWR | OFlags::CREATE | OFlags::APPEND,
            Open::Empty => OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC,
        };
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(&self.folder, name, flags, Mode::from_raw_mode(0o600));
        let file = match opened {
            Err(Errno::LOOP | Errno::ISDIR | Errno::NXIO) => return Err(io::ErrorKind::InvalidInput.into()),
            opened => File::from(opened?),
        };
        match FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode) {
            FileType::RegularFile => Ok(file),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    /// Whether the file of this name is the one that is open here: another process may have replaced it, or a command
    /// removed it.
    pub(super) fn holds(&self, name: &str, file: &File) -> bool {
        let identity = |file: &File| rustix::fs::fstat(file).map(|stat| (stat.st_dev, stat.st_ino)).ok();
        let there = self.open(name, Open::Read).ok().and_then(|file| identity(&file));
        there.is_some() && there == identity(file)
    }

    /// Renames within the folder, replacing.
    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.folder, from, &self.folder, to)?)
    }

    /// Removes a file, if it is there.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        match rustix::fs::unlinkat(&self.folder, name, rustix::fs::AtFlags::empty()) {
            Err(rustix::io::Errno::NOENT) => Ok(()),
            other => Ok(other?),
        }
    }

    /// The names in the folder.
    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let entries = self.folder.entries().map_err(io::Error::other)?;
        Ok(entries.into_iter().map(|(name, _)| name).collect())
    }
}

/// By path, on systems without directory handles; as strong as the portable disk is.
#[cfg(not(unix))]
impl CaptureFolder {
    pub(super) fn new(workspace: &Workspace) -> io::Result<Self> {
        let folder = crate::layout::CAPTURE.split('/').fold(workspace.root().to_path_buf(), |p, n| p.join(n));
        if !std::fs::symlink_metadata(&folder)?.is_dir() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(Self { folder })
    }

    pub(super) fn open(&self, name: &str, how: Open) -> io::Result<File> {
        let mut options = File::options();
        match how {
            Open::Read => options.read(true),
            Open::Append => options.read(true).append(true).create(true),
            Open::Empty => options.write(true).create(true).truncate(true),
        };
        options.open(self.folder.join(name))
    }

    /// Not known without inodes.
    pub(super) fn holds(&self, _name: &str, _file: &File) -> bool {
        false
    }

    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        std::fs::rename(self.folder.join(from), self.folder.join(to))
    }

    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        match std::fs::remove_file(self.folder.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.folder)? {
            names.extend(entry?.file_name().into_string().ok());
        }
        Ok(names)
    }
}
