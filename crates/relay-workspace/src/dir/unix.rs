//! Directory handles on Unix.
//!
//! On Linux one `openat2` call with `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS` resolves the whole
//! name. Where the call is missing (older kernels, other systems) or forbidden (some containers), or when it fails for
//! a reason that deserves a better message, the name is walked: each component is opened by itself with
//! `O_NOFOLLOW`, so the walk promises the same and also knows *which* component is in the way.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::{Listing, check_name, io_error, read_capped, shown};
use crate::read::{Facts, Kind, ReadError, Snapshot};

/// Opened for listing, syncing and as a starting point; not inherited by other programs.
const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// `NONBLOCK` so that a FIFO cannot hang the opener, `NOCTTY` so that a terminal does not become ours.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// How much of a listing is requested at once.
#[cfg(target_os = "linux")]
const LISTING_BYTES: usize = 32 << 10;

/// A folder of the workspace, held open.
#[derive(Debug)]
pub struct Dir {
    fd: OwnedFd,
    path: String,
}

impl AsFd for Dir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Dir {
    /// Opens a workspace's root, through links if need be: the user chose it.
    pub(crate) fn open_root(root: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::open(root, flags, Mode::empty())?;
        Ok(Self { fd, path: String::new() })
    }

    /// Where the folder was when it was opened, from the root; empty for the root itself.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Another handle on the same folder.
    ///
    /// # Errors
    /// The system has no free handle.
    pub fn try_clone(&self) -> Result<Self, ReadError> {
        let fd = self.fd.try_clone().map_err(|source| io_error(&self.path, source))?;
        Ok(Self { fd, path: self.path.clone() })
    }

    /// Opens a folder below this one; `None` when it or a parent does not exist.
    ///
    /// # Errors
    /// A link or something that is not a folder is in the way, or the system refuses.
    pub fn open_dir(&self, name: &str) -> Result<Option<Self>, ReadError> {
        let path = shown(&self.path, name);
        let opened = self.open(name, DIRECTORY)?;
        Ok(opened.map(|fd| Self { fd, path }))
    }

    /// Opens a regular file below this folder for reading; `None` when it or a parent does not exist.
    ///
    /// # Errors
    /// It is a link, a folder or a device, one of these is in the way, or the system refuses.
    pub fn open_file(&self, name: &str) -> Result<Option<(File, Facts)>, ReadError> {
        let path = || shown(&self.path, name);
        let Some(fd) = self.open(name, FILE)? else { return Ok(None) };
        let facts = facts_of(&rustix::fs::fstat(&fd).map_err(|errno| io_error(&path(), errno))?);
        match facts.kind {
            Kind::File => Ok(Some((File::from(fd), facts))),
            Kind::Directory => Err(ReadError::Directory { path: path() }),
            Kind::Symlink | Kind::Special => Err(ReadError::NotRegular { path: path() }),
        }
    }

    /// Reads a regular file below this folder; `None` when it or a parent does not exist.
    ///
    /// # Errors
    /// As [`Dir::open_file`], or it has more than `limit_bytes`.
    pub fn read(&self, name: &str, limit_bytes: u64) -> Result<Option<Snapshot>, ReadError> {
        let Some((file, facts)) = self.open_file(name)? else { return Ok(None) };
        read_capped(&file, &facts, limit_bytes, || shown(&self.path, name)).map(Some)
    }

    /// What is at a name below this folder, the last component not being followed; `None` when nothing is.
    ///
    /// # Errors
    /// A link or something that is not a folder is in the way, or the system refuses.
    pub fn facts(&self, name: &str) -> Result<Option<Facts>, ReadError> {
        let path = shown(&self.path, name);
        self.at_parent(name, |folder, last| {
            match rustix::fs::statat(folder, last, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => Ok(Some(facts_of(&stat))),
                Err(Errno::NOENT) => Ok(None),
                Err(errno) => Err(io_error(&path, errno)),
            }
        })
    }

    /// Where a symbolic link below this folder points, as it is stored; `None` when nothing is at that name.
    ///
    /// # Errors
    /// It is not a link, something is in the way, or the system refuses.
    pub fn read_link(&self, name: &str) -> Result<Option<Vec<u8>>, ReadError> {
        let path = shown(&self.path, name);
        self.at_parent(name, |folder, last| match rustix::fs::readlinkat(folder, last, Vec::new()) {
            Ok(target) => Ok(Some(target.into_bytes())),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(io_error(&path, errno)),
        })
    }

    /// The names in this folder with what they are, sorted; those that are not UTF-8 are left out. A folder that was
    /// removed since it was opened holds nothing.
    ///
    /// # Errors
    /// The system refuses.
    pub fn entries(&self) -> Result<Vec<(String, Kind)>, ReadError> {
        Ok(self.list()?.iter().map(|(name, kind)| (name.to_owned(), kind)).collect())
    }

    /// The same in one text, for surveys.
    pub(crate) fn list(&self) -> Result<Listing, ReadError> {
        let failed = |errno: Errno| io_error(&self.path, errno);
        let mut found = Listing::default();
        let mut note = |name: &CStr, file_type: FileType| {
            let Ok(name) = name.to_str() else {
                found.push_strange(name.to_bytes());
                return Ok(());
            };
            if matches!(name, "." | "..") {
                return Ok(());
            }
            // Some file systems do not say what an entry is; then it has to be asked for. One that is gone by now is
            // left out, as if the listing had come a moment later.
            let kind = match file_type {
                FileType::Unknown => self.facts(name)?.map(|facts| facts.kind),
                known => Some(kind_of(known)),
            };
            if let Some(kind) = kind {
                found.push(name, kind);
            }
            Ok(())
        };
        #[cfg(target_os = "linux")]
        {
            // A handle has one position in its listing, so this uses a separate one.
            let own = match rustix::fs::openat(&self.fd, ".", DIRECTORY, Mode::empty()) {
                Ok(own) => own,
                Err(Errno::NOENT) => return Ok(found),
                Err(errno) => return Err(failed(errno)),
            };
            let mut buffer = Vec::with_capacity(LISTING_BYTES);
            let mut listing = rustix::fs::RawDir::new(own, buffer.spare_capacity_mut());
            while let Some(entry) = listing.next() {
                match entry {
                    Ok(entry) => note(entry.file_name(), entry.file_type())?,
                    Err(Errno::NOENT) => break,
                    Err(errno) => return Err(failed(errno)),
                }
            }
        }
        #[cfg(not(target_os = "linux"))]
        for entry in rustix::fs::Dir::read_from(&self.fd).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            note(entry.file_name(), entry.file_type())?;
        }
        found.sort();
        Ok(found)
    }

    /// What is at a name that this folder itself was just listed with; `None` when it has gone since. For surveys,
    /// which ask this of every file there is.
    pub(crate) fn facts_of_listed(&self, name: &str) -> Option<Facts> {
        rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW).ok().map(|stat| facts_of(&stat))
    }

    /// The same for a name that need not be UTF-8.
    pub(crate) fn facts_of_bytes(&self, name: &[u8]) -> Option<Facts> {
        rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW).ok().map(|stat| facts_of(&stat))
    }

    /// Opens a folder from this one's last listing. Its name need not be UTF-8; messages use `shown` instead.
    pub(crate) fn open_bytes(&self, name: &[u8], shown: &str) -> Option<Self> {
        let fd = rustix::fs::openat(&self.fd, name, DIRECTORY, Mode::empty()).ok()?;
        Some(Self { fd, path: shown.to_owned() })
    }

    /// Calls `act` with a handle on the last component's folder, if all folders exist.
    fn at_parent<T>(
        &self,
        name: &str,
        act: impl FnOnce(BorrowedFd<'_>, &str) -> Result<Option<T>, ReadError>,
    ) -> Result<Option<T>, ReadError> {
        check_name(&self.path, name)?;
        match name.rsplit_once('/') {
            None => act(self.fd.as_fd(), name),
            Some((parent, last)) => match self.open(parent, DIRECTORY)? {
                None => Ok(None),
                Some(folder) => act(folder.as_fd(), last),
            },
        }
    }

    fn open(&self, name: &str, flags: OFlags) -> Result<Option<OwnedFd>, ReadError> {
        check_name(&self.path, name)?;
        match open_beneath(&self.fd, name, flags) {
            Ok(fd) => Ok(Some(fd)),
            Err(Errno::NOENT) => Ok(None),
            Err(_) => self.walk(&name.split('/').collect::<Vec<_>>(), flags),
        }
    }

    /// Opens one component after the other, for kernels without `openat2` and for error messages: it can name the
    /// component that is in the way.
    fn walk(&self, parts: &[&str], flags: OFlags) -> Result<Option<OwnedFd>, ReadError> {
        let asked = || shown(&self.path, &parts.join("/"));
        let mut folder: Option<OwnedFd> = None;
        let mut reached = self.path.clone();
        for (index, part) in parts.iter().enumerate() {
            let is_last = index + 1 == parts.len();
            let at = folder.as_ref().unwrap_or(&self.fd);
            reached = shown(&reached, part);
            match rustix::fs::openat(at, *part, if is_last { flags } else { DIRECTORY }, Mode::empty()) {
                Ok(opened) => folder = Some(opened),
                Err(Errno::NOENT) => return Ok(None),
                Err(errno) => return Err(obstacle(at, part, reached, asked(), errno)),
            }
        }
        // A name has at least one component, so something was opened.
        Ok(folder)
    }
}

/// Turns a failed open into the reason a person can act on. Systems use different error codes for links, files and
/// devices, so the entry is looked at once more.
fn obstacle(folder: &OwnedFd, name: &str, reached: String, asked: String, errno: Errno) -> ReadError {
    let kind = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map(|stat| facts_of(&stat).kind);
    match kind {
        Ok(Kind::Symlink) => ReadError::Symlink { path: asked, link: reached },
        Ok(Kind::File | Kind::Special) if errno == Errno::NOTDIR => {
            ReadError::NotADirectory { path: asked, parent: reached }
        }
        // A special file on the way to another one fails with NOTDIR, so this one is the last.
        Ok(Kind::Special) => ReadError::NotRegular { path: asked },
        _ => io_error(&asked, errno),
    }
}

#[cfg(target_os = "linux")]
fn open_beneath(folder: &OwnedFd, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(folder, name, flags, Mode::empty(), resolve)
}

#[cfg(not(target_os = "linux"))]
fn open_beneath(_folder: &OwnedFd, _name: &str, _flags: OFlags) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Reads once, into the room that a buffer has left.
pub(super) fn fill(file: &File, bytes: &mut Vec<u8>) -> io::Result<()> {
    let read = || rustix::io::read(file, rustix::buffer::spare_capacity(&mut *bytes));
    rustix::io::retry_on_intr(read).map(drop).map_err(io::Error::from)
}

#[allow(
    clippy::unnecessary_cast,
    clippy::useless_conversion,
    reason = "the fields' types differ between systems"
)]
fn facts_of(stat: &Stat) -> Facts {
    Facts {
        kind: kind_of(FileType::from_raw_mode(stat.st_mode)),
        mode: stat.st_mode as u32,
        size: u64::try_from(stat.st_size).unwrap_or(0),
        links: stat.st_nlink as u64,
        owner: stat.st_uid,
        group: stat.st_gid,
        device: stat.st_dev as u64,
        inode: stat.st_ino as u64,
        modified: (stat.st_mtime as i64, stat.st_mtime_nsec as u32),
        changed: (stat.st_ctime as i64, stat.st_ctime_nsec as u32),
    }
}

fn kind_of(file_type: FileType) -> Kind {
    match file_type {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Symlink,
        _ => Kind::Special,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The walk must promise what the single call promises, on systems and in containers that have only the walk.
    #[test]
    fn the_walk_sees_what_the_single_call_sees() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/file"), "x").unwrap();
        std::os::unix::fs::symlink("/etc", root.join("out")).unwrap();
        std::os::unix::fs::symlink("b", root.join("a/in")).unwrap();
        let dir = Dir::open_root(root).unwrap();
        let seen = |opened: Result<Option<OwnedFd>, ReadError>| match opened {
            Ok(opened) => Ok(opened.map(|fd| facts_of(&rustix::fs::fstat(fd).unwrap()).inode)),
            Err(error) => Err(error.to_string()),
        };
        let names =
            ["a", "a/b/file", "a/b/none", "none/x", "a/b/file/x", "out", "out/passwd", "a/in/file", "a/in"];
        for name in names {
            for flags in [FILE, DIRECTORY] {
                let parts: Vec<&str> = name.split('/').collect();
                assert_eq!(seen(dir.walk(&parts, flags)), seen(dir.open(name, flags)), "{name}");
            }
        }
        assert_eq!(
            seen(dir.walk(&["out", "passwd"], FILE)).unwrap_err(),
            "`out/passwd` leads through the symbolic link `out`"
        );
        assert_eq!(seen(dir.walk(&["a", "in"], DIRECTORY)).unwrap_err(), "`a/in` is a symbolic link");
        assert!(seen(dir.walk(&["a", "b", "file"], FILE)).unwrap().is_some());
    }
}
