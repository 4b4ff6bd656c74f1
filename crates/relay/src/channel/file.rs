//! A file that is read again whenever it changes, or a named pipe that gets one text from each writer.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use relay_engine::{Arrival, CHANNEL_LIMIT_BYTES, Channel, ChannelError};

/// A file is read once it has not changed for this long: its writer may not be done.
const SETTLED: Duration = Duration::from_millis(100);

/// The file, and its state when it was last read.
pub struct WatchedFile {
    path: PathBuf,
    place: String,
    seen: Option<Facts>,
    is_fresh: bool,
}

/// Distinguishes one state of a file from another without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Facts {
    modified: Option<SystemTime>,
    size: u64,
    inode: u64,
}

impl WatchedFile {
    /// Watches the file at this path; it need not exist yet.
    pub fn new(path: PathBuf) -> Self {
        let place = path.display().to_string();
        Self { path, place, seen: None, is_fresh: true }
    }

    fn broken(&self, source: std::io::Error) -> ChannelError {
        ChannelError { place: self.place.clone(), source: source.into() }
    }

    /// Waits for a writer on the pipe, and reads everything it writes as one text.
    fn next_from_pipe(&self) -> Result<Arrival, ChannelError> {
        let mut pipe = File::open(&self.path).map_err(|error| self.broken(error))?;
        let arrival = read(&mut pipe).map_err(|error| self.broken(error))?;
        // A writer that sends more than is accepted must not hang or see a broken pipe.
        std::io::copy(&mut pipe, &mut std::io::sink()).map_err(|error| self.broken(error))?;
        Ok(arrival)
    }

    /// Reads the file if it has changed and is not being written right now.
    fn look(&mut self) -> Result<Arrival, ChannelError> {
        let Some(found) = self.facts()? else { return Ok(Arrival::Nothing) };
        if self.seen == Some(found) {
            return Ok(Arrival::Nothing);
        }
        if !self.is_fresh {
            std::thread::sleep(SETTLED);
            if self.facts()? != Some(found) {
                return Ok(Arrival::Nothing);
            }
        }
        self.seen = Some(found);
        match File::open(&self.path).and_then(|mut file| read(&mut file)) {
            Ok(arrival) => Ok(arrival),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Arrival::Nothing),
            Err(error) => Ok(Arrival::PassedOver(format!("{} cannot be read: {error}", self.place))),
        }
    }

    /// `None` while there is no such file.
    fn facts(&self) -> Result<Option<Facts>, ChannelError> {
        match std::fs::metadata(&self.path) {
            Ok(found) if found.is_dir() => Err(self.broken(ErrorKind::IsADirectory.into())),
            Ok(found) => {
                Ok(Some(Facts { modified: found.modified().ok(), size: found.len(), inode: inode(&found) }))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.broken(error)),
        }
    }
}

impl Channel for WatchedFile {
    fn place(&self) -> &str {
        &self.place
    }

    fn next(&mut self, patience: Duration) -> Result<Arrival, ChannelError> {
        if is_pipe(&self.path) {
            // Nothing in a pipe is old: opening it waits for the first writer.
            let was_fresh = std::mem::take(&mut self.is_fresh);
            return if was_fresh { Ok(Arrival::Nothing) } else { self.next_from_pipe() };
        }
        let deadline = Instant::now() + patience;
        let arrival = self.look();
        if std::mem::take(&mut self.is_fresh) {
            return match arrival? {
                Arrival::Text(text) => Ok(Arrival::Present(text)),
                other => Ok(other),
            };
        }
        let arrival = arrival?;
        if arrival == Arrival::Nothing {
            std::thread::sleep(deadline.saturating_duration_since(Instant::now()));
        }
        Ok(arrival)
    }
}

/// One byte beyond the limit is enough to detect that it is too long.
fn read(source: &mut File) -> std::io::Result<Arrival> {
    let mut bytes = Vec::new();
    source.take(CHANNEL_LIMIT_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(match bytes.len() {
        0..=CHANNEL_LIMIT_BYTES if bytes.iter().all(u8::is_ascii_whitespace) => Arrival::Nothing,
        0..=CHANNEL_LIMIT_BYTES => super::sent(bytes),
        _ => super::too_large(),
    })
}

#[cfg(unix)]
fn inode(found: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(found)
}

/// Systems without inode numbers have only time and size.
#[cfg(not(unix))]
fn inode(_found: &Metadata) -> u64 {
    0
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    std::fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_path: &Path) -> bool {
    false
}
