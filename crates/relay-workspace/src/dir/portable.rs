//! Directory handles where the system has none that this crate can use (Windows).
//!
//! The same rules by looking at every component before opening. This is weaker than the real thing: between look and
//! open a component can be replaced. It keeps replies and clones inside the workspace; it does not stop another program
//! of the same user that races on purpose.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{Listing, check_name, io_error, read_capped, shown};
use crate::read::{Facts, Kind, ReadError, Snapshot};

/// A folder of the workspace.
#[derive(Debug)]
pub struct Dir {
    place: PathBuf,
    path: String,
}

impl Dir {
    /// Opens a workspace's root.
    pub(crate) fn open_root(root: &Path) -> io::Result<Self> {
        if !std::fs::metadata(root)?.is_dir() {
            return Err(io::Error::from(ErrorKind::NotADirectory));
        }
        Ok(Self { place: root.to_path_buf(), path: String::new() })
    }

    /// Where the folder was when it was opened, from the root; empty for the root itself.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Another handle on the same folder.
    ///
    /// # Errors
    /// Never here.
    pub fn try_clone(&self) -> Result<Self, ReadError> {
        Ok(Self { place: self.place.clone(), path: self.path.clone() })
    }

    /// Opens a folder below this one; `None` when it or a parent does not exist.
    ///
    /// # Errors
    /// A link or something that is not a folder is in the way, or the system refuses.
    pub fn open_dir(&self, name: &str) -> Result<Option<Self>, ReadError> {
        let path = shown(&self.path, name);
        let Some((place, metadata)) = self.look(name)? else { return Ok(None) };
        match kind_of(&metadata) {
            Kind::Directory => Ok(Some(Self { place, path })),
            Kind::Symlink => Err(ReadError::Symlink { link: path.clone(), path }),
            Kind::File | Kind::Special => Err(ReadError::NotADirectory { parent: path.clone(), path }),
        }
    }

    /// Opens a regular file below this folder for reading; `None` when it or a parent does not exist.
    ///
    /// # Errors
    /// It is a link, a folder or a device, one of these is in the way, or the system refuses.
    pub fn open_file(&self, name: &str) -> Result<Option<(File, Facts)>, ReadError> {
        let path = shown(&self.path, name);
        let Some((place, metadata)) = self.look(name)? else { return Ok(None) };
        match kind_of(&metadata) {
            Kind::File => {
                let file = File::open(place).map_err(|source| io_error(&path, source))?;
                Ok(Some((file, facts_of(&metadata))))
            }
            Kind::Directory => Err(ReadError::Directory { path }),
            Kind::Symlink => Err(ReadError::Symlink { link: path.clone(), path }),
            Kind::Special => Err(ReadError::NotRegular { path }),
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
        Ok(self.look(name)?.map(|(_, metadata)| facts_of(&metadata)))
    }

    /// What is at a name that this folder itself was just listed with; `None` when it has gone since.
    pub(crate) fn facts_of_listed(&self, name: &str) -> Option<Facts> {
        self.facts(name).ok().flatten()
    }

    /// The same for a name as bytes.
    pub(crate) fn facts_of_bytes(&self, name: &[u8]) -> Option<Facts> {
        self.facts_of_listed(std::str::from_utf8(name).ok()?)
    }

    /// Opens a folder that this one was just listed with; it is shown under its own name here.
    pub(crate) fn open_bytes(&self, name: &[u8], _shown: &str) -> Option<Self> {
        self.open_dir(std::str::from_utf8(name).ok()?).ok().flatten()
    }

    /// Where a symbolic link below this folder points; `None` when nothing is at that name.
    ///
    /// # Errors
    /// It is not a link, something is in the way, or the system refuses.
    pub fn read_link(&self, name: &str) -> Result<Option<Vec<u8>>, ReadError> {
        let path = shown(&self.path, name);
        let Some((place, _)) = self.look(name)? else { return Ok(None) };
        let target = std::fs::read_link(place).map_err(|source| io_error(&path, source))?;
        Ok(Some(target.into_os_string().into_encoded_bytes()))
    }

    /// The names in this folder with what they are, sorted; those that are not Unicode are left out.
    ///
    /// # Errors
    /// The system refuses.
    pub fn entries(&self) -> Result<Vec<(String, Kind)>, ReadError> {
        let failed = |source: io::Error| io_error(&self.path, source);
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&self.place).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            found.push((name, kind_of(&entry.metadata().map_err(failed)?)));
        }
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(found)
    }

    /// The same in one text, for surveys.
    pub(crate) fn list(&self) -> Result<Listing, ReadError> {
        let mut found = Listing::default();
        for (name, kind) in self.entries()? {
            found.push(&name, kind);
        }
        Ok(found)
    }

    fn look(&self, name: &str) -> Result<Option<(PathBuf, Metadata)>, ReadError> {
        let asked = shown(&self.path, name);
        let mut place = self.place.clone();
        let mut reached = self.path.clone();
        let mut found = None;
        check_name(&self.path, name)?;
        for part in name.split('/') {
            match found.as_ref().map(kind_of) {
                None | Some(Kind::Directory) => {}
                Some(Kind::Symlink) => return Err(ReadError::Symlink { path: asked, link: reached }),
                Some(_) => return Err(ReadError::NotADirectory { path: asked, parent: reached }),
            }
            place.push(part);
            reached = shown(&reached, part);
            match std::fs::symlink_metadata(&place) {
                Ok(metadata) => found = Some(metadata),
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
                Err(source) => return Err(io_error(&asked, source)),
            }
        }
        Ok(found.map(|metadata| (place, metadata)))
    }
}

/// Reads once, into the room that a buffer has left.
pub(super) fn fill(mut file: &File, bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.resize(bytes.capacity(), 0);
    let read = file.read(bytes)?;
    bytes.truncate(read);
    Ok(())
}

/// Identity and owner are not available here; zero makes every comparison say "the same", which refuses more.
fn facts_of(metadata: &Metadata) -> Facts {
    let kind = kind_of(metadata);
    let mode = match kind {
        Kind::Directory => 0o040_755,
        Kind::Symlink => 0o120_777,
        Kind::File | Kind::Special if metadata.permissions().readonly() => 0o100_444,
        Kind::File | Kind::Special => 0o100_644,
    };
    // The system has only one of the two times; it serves for both.
    let since_epoch =
        metadata.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    let time = since_epoch
        .map_or((0, 0), |time| (i64::try_from(time.as_secs()).unwrap_or(i64::MAX), time.subsec_nanos()));
    Facts {
        kind,
        mode,
        size: metadata.len(),
        links: 1,
        owner: 0,
        group: 0,
        device: 0,
        inode: 0,
        modified: time,
        changed: time,
    }
}

fn kind_of(metadata: &Metadata) -> Kind {
    let file_type = metadata.file_type();
    if file_type.is_symlink() {
        Kind::Symlink
    } else if file_type.is_dir() {
        Kind::Directory
    } else if file_type.is_file() {
        Kind::File
    } else {
        Kind::Special
    }
}
