//! A mailbox: the folders through which a session without a network exchanges files with the world.
//!
//! It is in a project's `.relaycode/mail`, or in a folder the user names: on a USB stick, or a synced one. Other
//! programs and other people write there too, so nothing in it is trusted: links below the folder are not followed,
//! only regular files are read, and reads have a limit. Files appear whole, through `{name}.tmp` and a rename. The
//! folder's owner is not checked, because a USB stick often has none; anyone who can write there may answer.

#[cfg(not(unix))]
mod portable;
#[cfg(not(unix))]
use portable as system;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as system;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::error::StoreError;

/// Where a project's own mailbox is.
const OWN: [&str; 2] = [".relaycode", "mail"];

/// How many names in one folder are read at most.
const NAMES_LIMIT: usize = 10_000;

/// A folder of the mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tray {
    /// Outgoing messages: `outbox/`.
    Outbox,
    /// Incoming answers: `inbox/`.
    Inbox,
    /// Answers that were handled: `inbox/processed/`.
    Processed,
    /// Answers that could not be used: `inbox/refused/`.
    Refused,
    /// The state of each session: `sessions/`.
    Sessions,
}

impl Tray {
    const fn names(self) -> &'static [&'static str] {
        match self {
            Tray::Outbox => &["outbox"],
            Tray::Inbox => &["inbox"],
            Tray::Processed => &["inbox", "processed"],
            Tray::Refused => &["inbox", "refused"],
            Tray::Sessions => &["sessions"],
        }
    }
}

/// A file in a tray.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Letter {
    /// When it was last written: seconds and nanoseconds.
    pub modified: (i64, u32),
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
}

/// A mailbox by its path. Creating the value touches nothing on disk.
#[derive(Clone, Debug)]
pub struct Mailbox {
    /// The user chose it, links and all.
    base: PathBuf,
    /// Below it, no link is followed.
    below: &'static [&'static str],
}

impl Mailbox {
    /// The mailbox of a project, in its state folder.
    #[must_use]
    pub fn of_project(root: &Path) -> Self {
        Self { base: root.to_path_buf(), below: &OWN }
    }

    /// The mailbox in a folder the user named.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self { base: folder.to_path_buf(), below: &[] }
    }

    /// The path of a tray, for display.
    #[must_use]
    pub fn place(&self, tray: Tray) -> PathBuf {
        self.below.iter().chain(tray.names()).fold(self.base.clone(), |path, name| path.join(name))
    }

    /// Creates the trays, so that a person finds them.
    ///
    /// # Errors
    /// The folder is missing, a link or something else is in the way, or the system refuses.
    pub fn prepare(&self) -> Result<(), StoreError> {
        [Tray::Outbox, Tray::Inbox, Tray::Sessions].into_iter().try_for_each(|tray| self.make(tray).map(drop))
    }

    /// Writes a file into a tray, replacing one with the same name: first as `{name}.tmp`, then by a rename.
    ///
    /// # Errors
    /// As [`Mailbox::prepare`]; or something other than a file has that name.
    pub fn put(&self, tray: Tray, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let place = self.checked(tray, name)?;
        let folder = self.make(tray)?;
        let temporary = format!("{name}.tmp");
        // A leftover of a killed writer; in any case it has this mailbox's name for unfinished files.
        system::remove(&folder, &temporary, &place)?;
        let written = system::create(&folder, &temporary, bytes, &place)
            .and_then(|()| system::rename(&folder, &temporary, &folder, name, &place));
        if written.is_err() {
            // The first error is the one to report; the next writer removes what is left.
            system::remove(&folder, &temporary, &place).ok();
        }
        written
    }

    /// The content of a file; `None` if there is none with this name.
    ///
    /// # Errors
    /// It is a link or no regular file, is larger than the limit, or the system refuses.
    pub fn read(&self, tray: Tray, name: &str, limit_bytes: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let place = self.checked(tray, name)?;
        let Some(folder) = self.open(tray)? else { return Ok(None) };
        let Some(file) = system::open_file(&folder, name, &place)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.take(limit_bytes.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|source| StoreError::io(&place, source))?;
        if bytes.len() as u64 > limit_bytes {
            return Err(StoreError::TooLarge { path: place, limit_bytes });
        }
        Ok(Some(bytes))
    }

    /// The files of a tray whose names have this ending, oldest first. Links, pipes and other things that are not
    /// files are among them, because reading them reports what is wrong; folders are not.
    ///
    /// # Errors
    /// A link or something else is in the way, or the system refuses.
    pub fn letters(&self, tray: Tray, ending: &str) -> Result<Vec<Letter>, StoreError> {
        let Some(folder) = self.open(tray)? else { return Ok(Vec::new()) };
        let place = self.place(tray);
        let mut letters = Vec::new();
        for name in system::names(&folder, &place, NAMES_LIMIT)? {
            let is_asked_for = name.len() > ending.len() && name.to_ascii_lowercase().ends_with(ending);
            if is_asked_for && !name.starts_with('.') && is_name(&name) {
                letters.extend(system::letter(&folder, &name, &place.join(&name))?);
            }
        }
        letters.sort();
        Ok(letters)
    }

    /// Moves a file from the inbox to another tray, under another name; a number is added if that is taken. Returns the
    /// name, or `None` when the file has gone.
    ///
    /// # Errors
    /// A link or something else is in the way, or the system refuses.
    pub fn set_aside(&self, name: &str, tray: Tray, new_name: &str) -> Result<Option<String>, StoreError> {
        let place = self.checked(Tray::Inbox, name)?;
        self.checked(tray, new_name)?;
        let Some(inbox) = self.open(Tray::Inbox)? else { return Ok(None) };
        let aside = self.make(tray)?;
        let (stem, ending) = new_name.rsplit_once('.').unwrap_or((new_name, "txt"));
        for number in 1..NAMES_LIMIT {
            let free = if number == 1 { new_name.to_owned() } else { format!("{stem}-{number}.{ending}") };
            if system::letter(&aside, &free, &place)?.is_some() {
                continue;
            }
            return match system::rename(&inbox, name, &aside, &free, &place) {
                // Another reader has taken it meanwhile.
                Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                    Ok(None)
                }
                renamed => renamed.map(|()| Some(free)),
            };
        }
        Err(StoreError::io(place, std::io::ErrorKind::AlreadyExists))
    }

    fn checked(&self, tray: Tray, name: &str) -> Result<PathBuf, StoreError> {
        if !is_name(name) {
            return Err(StoreError::BadName { name: name.to_owned() });
        }
        Ok(self.place(tray).join(name))
    }

    fn parts(&self, tray: Tray) -> impl Iterator<Item = &'static str> {
        self.below.iter().chain(tray.names()).copied()
    }

    fn open(&self, tray: Tray) -> Result<Option<system::Handle>, StoreError> {
        system::open(&self.base, self.parts(tray))
    }

    fn make(&self, tray: Tray) -> Result<system::Handle, StoreError> {
        system::make(&self.base, self.parts(tray))
    }
}

/// The place of a folder that the user named, without links.
///
/// # Errors
/// It does not exist, or cannot be reached.
pub fn canonical(folder: &Path) -> Result<PathBuf, StoreError> {
    std::fs::canonicalize(folder).map_err(|source| StoreError::io(folder, source))
}

/// Whether it is a single name that leads nowhere else.
fn is_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && name.len() <= 240 && !name.contains(['/', '\\', '\0'])
}
