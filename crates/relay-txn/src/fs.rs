//! The few disk operations the protocol is made of.
//!
//! The whole protocol is written against this trait and against nothing else, so that the simulated disk of the
//! tests can crash, tear and fail it at every single operation. Paths are relative to the workspace, with `/` between
//! components. An implementation never follows a symbolic link, at no component.

use std::io;

use crate::belongings::{Belongings, Extended, Owner};

/// The kind of thing a name refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, never followed.
    Symlink,
    /// A pipe, socket or device.
    Special,
}

impl Kind {
    /// The words a message uses for it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::File => "a regular file",
            Self::Folder => "a folder",
            Self::Symlink => "a symbolic link",
            Self::Special => "a pipe, socket or device",
        }
    }
}

/// Whether a mode is a symbolic link's.
#[must_use]
pub const fn is_link(mode: u32) -> bool {
    mode & 0o170_000 == 0o120_000
}

/// What the disk knows about a name. Two equal values mean: untouched, as far as the disk can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    /// What it is.
    pub(crate) kind: Kind,
    /// Type and permission bits.
    pub(crate) mode: u32,
    /// Length in bytes.
    pub(crate) size: u64,
    /// How many names the file has.
    pub(crate) links: u64,
    /// Whom it belongs to, where the system reports it.
    pub(crate) owner: Option<Owner>,
    /// The file's identity, whatever its name, where the system reports it.
    pub(crate) inode: Option<u64>,
    /// When the content was last changed: seconds and nanoseconds.
    pub(crate) modified: (i64, u32),
    /// When anything about the file was last changed.
    pub(crate) changed: (i64, u32),
}

/// What reading a name gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// There is nothing.
    Missing,
    /// There is something that has no content of its own.
    Irregular(Kind),
    /// A regular file.
    File(Vec<u8>, Stat),
}

/// The extended attributes of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Extras {
    /// Those that are worth keeping when the file is gone.
    pub(crate) kept: Extended,
    /// Whether the file has others, or others could not be ruled out.
    pub(crate) has_others: bool,
}

/// A file whose owner, group and extended attributes a new one takes over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Like<'a> {
    /// The file.
    pub(crate) path: &'a str,
    /// Whom it belongs to, where it is known that it has no extended attributes: then it need not be opened again.
    pub(crate) bare: Option<Owner>,
}

/// What a new file turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    /// What the disk says about it.
    pub(crate) stat: Stat,
    /// The extended attributes it got.
    pub(crate) extended: Extended,
}

impl Written {
    /// What it has besides its content, where the system reports it.
    pub(crate) fn belongings(&self) -> Option<Belongings> {
        Some(Belongings { owner: self.stat.owner?, extended: self.extended.clone() })
    }

    /// Whether that is what was wanted.
    pub(crate) fn has(&self, wanted: &Belongings) -> bool {
        self.belongings().as_ref() == Some(wanted)
    }
}

/// What a new file is given besides its content.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Attributes<'a> {
    /// The permission bits; `None` leaves them to the user's file mode mask.
    pub(crate) mode: Option<u32>,
    /// The file whose owner, group and extended attributes are taken over.
    pub(crate) like: Option<Like<'a>>,
    /// Whom it shall belong to, and its extended attributes, as far as this process may give them. Goes before `like`.
    pub(crate) belongings: Option<&'a Belongings>,
    /// The folder whose group is inherited, if the folder says so.
    pub(crate) folder: Option<&'a str>,
}

impl Attributes<'_> {
    /// Readable by the user only: the state folder's own files.
    pub(crate) const PRIVATE: Attributes<'static> =
        Attributes { mode: Some(0o600), like: None, belongings: None, folder: None };
}

/// How a rename treats what is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rename {
    /// Fail with [`io::ErrorKind::AlreadyExists`].
    NoReplace,
    /// Replace it.
    Replace,
    /// Swap the two names. Where the disk cannot, fail with [`io::ErrorKind::Unsupported`].
    Exchange,
}

/// A disk, real or simulated.
pub(crate) trait Fs {
    /// A held lock; dropping it, or dying, releases it.
    type Lock;

    /// Whether a transaction may touch this name at all.
    fn permits(&self, path: &str) -> bool;
    /// Looks at a name without opening it.
    fn stat(&self, path: &str) -> io::Result<Option<Stat>>;
    /// Reads a regular file of at most `limit` bytes; a larger one is an [`io::ErrorKind::FileTooLarge`].
    fn read(&self, path: &str, limit: u64) -> io::Result<Found>;
    /// The same, with the extended attributes of a regular file.
    fn read_with_extras(&self, path: &str, limit: u64) -> io::Result<(Found, Extras)> {
        let found = self.read(path, limit)?;
        let kept = if matches!(found, Found::File(..)) { self.extended(path)? } else { Extended::default() };
        Ok((found, Extras { kept, has_others: true }))
    }
    /// The last bytes of a regular file, at most `length`; nothing where there is none.
    fn read_end(&self, path: &str, length: u64) -> io::Result<Vec<u8>> {
        match self.read(path, u64::MAX)? {
            Found::File(mut bytes, _) => {
                let skipped = bytes.len().saturating_sub(usize::try_from(length).unwrap_or(usize::MAX));
                Ok(bytes.split_off(skipped))
            }
            Found::Missing | Found::Irregular(_) => Ok(Vec::new()),
        }
    }
    /// The names inside a folder, in no order; nothing when the folder does not exist.
    fn list(&self, folder: &str) -> io::Result<Vec<String>>;
    /// The names inside a folder with what is known about each, in no order.
    fn list_stats(&self, folder: &str) -> io::Result<Vec<(String, Stat)>>;
    /// Appends to a private file, which is made if need be. For what may be lost: nothing is synced.
    fn append(&self, path: &str, bytes: &[u8]) -> io::Result<()>;
    /// Writes a file that must not exist yet. Not durable before [`Fs::sync`].
    fn write_new(&self, path: &str, bytes: &[u8], attributes: Attributes<'_>) -> io::Result<()>;
    /// The same, and says what the new file turned out to be.
    fn write_staged(&self, path: &str, bytes: &[u8], attributes: Attributes<'_>) -> io::Result<Written> {
        self.write_new(path, bytes, attributes)?;
        let stat = self.stat(path)?.ok_or(io::ErrorKind::NotFound)?;
        Ok(Written { stat, extended: self.extended(path)? })
    }
    /// Where a symbolic link points, as it is stored; `None` if there is none. [`io::ErrorKind::Unsupported`] where
    /// links are not kept.
    fn read_link(&self, _path: &str) -> io::Result<Option<Vec<u8>>> {
        Err(io::ErrorKind::Unsupported.into())
    }
    /// The extended attributes of a regular file that are worth keeping; none where the disk has none.
    fn extended(&self, _path: &str) -> io::Result<Extended> {
        Ok(Extended::default())
    }
    /// Changes the owner of a link or folder; returns whether this process may.
    fn give(&self, _path: &str, _owner: Owner) -> io::Result<bool> {
        Ok(true)
    }
    /// Makes a symbolic link under a name that must be free. It is never followed here, wherever it points.
    fn symlink(&self, _target: &[u8], _path: &str) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Moves a name. Both folders have to be synced.
    fn rename(&self, from: &str, to: &str, how: Rename) -> io::Result<()>;
    /// Removes a name that is not a folder.
    fn unlink(&self, path: &str) -> io::Result<()>;
    /// Makes a folder; without a mode it gets what the user's file mode mask leaves.
    fn mkdir(&self, path: &str, mode: Option<u32>) -> io::Result<()>;
    /// Removes an empty folder.
    fn rmdir(&self, path: &str) -> io::Result<()>;
    /// Sets the permission bits of a folder.
    fn set_mode(&self, path: &str, mode: u32) -> io::Result<()>;
    /// Gives a file the current time, so that build tools notice that it is not what they saw last.
    fn touch(&self, path: &str) -> io::Result<()>;
    /// Makes contents (`files`) and names (`folders`, the root being `""`) durable. A failure is never retried: the
    /// disk may have forgotten what it failed to write.
    fn sync(&self, files: &[String], folders: &[String]) -> io::Result<()>;
    /// Takes the lock of a file if it is free; `None` if it is held. With `create` the file is made.
    fn try_lock(&self, path: &str, create: bool) -> io::Result<Option<Self::Lock>>;
}

/// The folder a path is in; the root is `""`.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// All folders a path is in, nearest first, without the root.
pub(crate) fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(parent(path)), |folder| Some(parent(folder)))
        .take_while(|folder| !folder.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_a_path() {
        assert_eq!(ancestors("a/b/c").collect::<Vec<_>>(), ["a/b", "a"]);
        assert_eq!(ancestors("a").count(), 0);
        assert_eq!(parent("a"), "");
    }
}
