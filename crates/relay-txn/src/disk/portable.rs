//! The disk operations on systems without directory handles (Windows), by path and with the standard library.
//!
//! Weaker than directory handles: every folder on the way is checked before each operation, so a link is not
//! followed, but one planted between look and operation would be. Names cannot be exchanged, so a changed file is
//! missing for a moment. Folders cannot be synced; the file system's own journal has to keep their names.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use relay_workspace::{RelPath, Workspace};

use super::Locked;
use crate::fs::{Attributes, Found, Fs, Kind, Rename, Stat, ancestors};

/// The mode of everything where the system has none: what git gives a file and a folder.
const FILE_MODE: u32 = 0o100_644;
const FOLDER_MODE: u32 = 0o40_755;

/// A workspace, by its path.
pub(crate) struct Disk {
    root: PathBuf,
}

impl Disk {
    /// Remembers where the workspace is.
    pub(crate) fn new(workspace: &Workspace) -> io::Result<Self> {
        Ok(Self { root: workspace.root().to_path_buf() })
    }

    /// The place of a name, if no folder on the way to it is a link.
    fn place(&self, path: &str) -> io::Result<PathBuf> {
        let join = |path: &str| {
            path.split('/').filter(|name| !name.is_empty()).fold(self.root.clone(), |p, n| p.join(n))
        };
        for folder in ancestors(path) {
            match fs::symlink_metadata(join(folder)) {
                Ok(found) if found.is_dir() => {}
                Ok(found) if found.is_symlink() => return Err(io::ErrorKind::InvalidInput.into()),
                Ok(_) => return Err(io::ErrorKind::NotADirectory.into()),
                // A missing name is harmless; the operation will report it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(join(path))
    }

    fn look(&self, path: &str) -> io::Result<Option<Metadata>> {
        match self.place(path).and_then(fs::symlink_metadata) {
            Ok(found) => Ok(Some(found)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Fs for Disk {
    type Lock = Locked;

    fn permits(&self, path: &str) -> bool {
        RelPath::new(path).is_ok_and(|normal| normal.as_str() == path)
    }

    fn stat(&self, path: &str) -> io::Result<Option<Stat>> {
        Ok(self.look(path)?.map(|found| stat_of(&found)))
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Found> {
        let Some(found) = self.look(path)? else { return Ok(Found::Missing) };
        let stat = stat_of(&found);
        if stat.kind != Kind::File {
            return Ok(Found::Irregular(stat.kind));
        }
        let mut bytes = Vec::new();
        File::open(self.place(path)?)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(Found::File(bytes, stat))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let entries = match self.place(folder).and_then(fs::read_dir) {
            Ok(entries) => entries,
            Err(error) if is_missing(&error) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names = Vec::new();
        for entry in entries {
            names.extend(entry?.file_name().into_string().ok());
        }
        Ok(names)
    }

    fn list_stats(&self, folder: &str) -> io::Result<Vec<(String, Stat)>> {
        let mut found = Vec::new();
        for name in self.list(folder)? {
            found.extend(self.stat(&format!("{folder}/{name}"))?.map(|stat| (name, stat)));
        }
        Ok(found)
    }

    fn append(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        OpenOptions::new().append(true).create(true).open(self.place(path)?)?.write_all(bytes)
    }

    fn write_new(&self, path: &str, bytes: &[u8], _attributes: Attributes<'_>) -> io::Result<()> {
        let place = self.place(path)?;
        let mut file = OpenOptions::new().write(true).create_new(true).open(&place)?;
        let written = file.write_all(bytes);
        if written.is_err() {
            fs::remove_file(place)?;
        }
        written
    }

    fn rename(&self, from: &str, to: &str, how: Rename) -> io::Result<()> {
        let (from, to) = (self.place(from)?, self.place(to)?);
        match how {
            Rename::Exchange => Err(io::ErrorKind::Unsupported.into()),
            Rename::Replace => fs::rename(from, to),
            // A folder cannot be linked; a rename of one never replaces a file, nor a folder with something in it.
            Rename::NoReplace if from.is_dir() && !from.is_symlink() => match fs::symlink_metadata(&to) {
                Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                Err(_) => fs::rename(from, to),
            },
            // A link never replaces anything.
            Rename::NoReplace => fs::hard_link(&from, to).and_then(|()| fs::remove_file(from)),
        }
    }

    fn unlink(&self, path: &str) -> io::Result<()> {
        fs::remove_file(self.place(path)?)
    }

    fn mkdir(&self, path: &str, _mode: Option<u32>) -> io::Result<()> {
        fs::create_dir(self.place(path)?)
    }

    fn rmdir(&self, path: &str) -> io::Result<()> {
        fs::remove_dir(self.place(path)?)
    }

    fn set_mode(&self, _path: &str, _mode: u32) -> io::Result<()> {
        Ok(())
    }

    fn touch(&self, path: &str) -> io::Result<()> {
        OpenOptions::new().write(true).open(self.place(path)?)?.set_modified(SystemTime::now())
    }

    fn sync(&self, files: &[String], _folders: &[String]) -> io::Result<()> {
        for file in files {
            OpenOptions::new().write(true).open(self.place(file)?)?.sync_all()?;
        }
        Ok(())
    }

    fn try_lock(&self, path: &str, create: bool) -> io::Result<Option<Locked>> {
        if self.look(path)?.is_some_and(|found| !found.is_file()) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(create)
            .truncate(false)
            .open(self.place(path)?)?;
        Locked::try_new(file)
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn stat_of(found: &Metadata) -> Stat {
    let (kind, mode) = match found {
        found if found.is_dir() => (Kind::Folder, FOLDER_MODE),
        found if found.is_symlink() => (Kind::Symlink, FILE_MODE),
        found if found.is_file() => (Kind::File, FILE_MODE),
        _ => (Kind::Special, FILE_MODE),
    };
    let since =
        found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let modified = (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos());
    Stat { kind, mode, size: found.len(), links: 1, owner: None, inode: None, modified, changed: modified }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::{Draft, FileChange, Image, Target, Verdict};
    use crate::key::LedgerKey;
    use crate::protocol::Protocol;

    fn change(path: &str, before: Option<&str>, after: Option<&str>) -> FileChange {
        let before = before.map(|text| Image::new(text.as_bytes(), FILE_MODE));
        let after = after.map(|text| Target::new(text.as_bytes()));
        FileChange::new(RelPath::new(path).unwrap(), before, after)
    }

    #[test]
    fn the_protocol_works_without_handles_too() {
        let folder = tempfile::tempdir().unwrap();
        let read = |path: &str| fs::read_to_string(folder.path().join(path)).ok();
        fs::write(folder.path().join("a"), "old\n").unwrap();
        fs::write(folder.path().join("b"), "bye\n").unwrap();
        let disk = Disk::new(&Workspace::open(folder.path()).unwrap()).unwrap();
        let ledger = Protocol::new(disk, LedgerKey::new([2; 32]));
        let changes = vec![
            change("a", Some("old\n"), Some("new\n")),
            change("b", Some("bye\n"), None),
            change("c/d", None, Some("made\n")),
        ];
        let draft = Draft { uuid: uuid::Uuid::from_u128(1), changes, ..Draft::default() };

        let open = ledger.begin(&draft).unwrap();
        assert_eq!((read("a"), read("b"), read("c/d")), (Some("new\n".into()), None, Some("made\n".into())));
        ledger.abandon(open).unwrap();
        assert_eq!((read("a"), read("b")), (Some("old\n".into()), Some("bye\n".into())));
        assert!(!folder.path().join("c").exists());

        let open = ledger.begin(&draft).unwrap();
        ledger.commit(open, Verdict::default()).unwrap();
        assert_eq!((read("a"), read("b"), read("c/d")), (Some("new\n".into()), None, Some("made\n".into())));
        assert_eq!(ledger.entries().unwrap().records.len(), 1);

        // A file and a folder take each other's places, and go back.
        let swaps = vec![
            change("a", Some("new\n"), None),
            change("a/in", None, Some("in\n")),
            change("c/d", Some("made\n"), None),
            change("c", None, Some("file\n")),
        ];
        let draft = Draft { uuid: uuid::Uuid::from_u128(2), changes: swaps, ..Draft::default() };
        let open = ledger.begin(&draft).unwrap();
        assert_eq!((read("a/in"), read("c")), (Some("in\n".into()), Some("file\n".into())));
        ledger.abandon(open).unwrap();
        assert_eq!((read("a"), read("c/d")), (Some("new\n".into()), Some("made\n".into())));
    }
}
