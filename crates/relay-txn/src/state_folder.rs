//! The state folder: made on the first write, private, and refused when a clone planted something else in its place.

use std::io;
use std::time::{Duration, Instant};

use crate::error::{At, TxnError};
use crate::fs::{Attributes, Fs, Kind, parent};
use crate::layout::{BLOBS, GITIGNORE, LOCK, STAGE, STATE};
use crate::limits::{LOCK_PATIENCE_MS, LOCK_WAIT_MS};

/// Makes git ignore the folder from inside, also where the project's own `.gitignore` does not mention it.
const GITIGNORE_TEXT: &[u8] = b"*\n";

/// Makes `.relaycode/` and what belongs into it. Called by writers only: reading creates nothing.
pub(crate) fn ensure<F: Fs>(fs: &F) -> Result<(), TxnError> {
    let mut made = Vec::new();
    for folder in [STATE, BLOBS, STAGE] {
        if ensure_private_folder(fs, folder)? {
            made.push(parent(folder).to_owned());
        }
    }
    let written = match fs.stat(GITIGNORE).at("look at", GITIGNORE)? {
        // A crash may have left the file without its content, or another program is just writing it: the line may be
        // there twice, but the file must not go away.
        Some(stat) if stat.kind == Kind::File && stat.size == 0 => {
            fs.append(GITIGNORE, GITIGNORE_TEXT).at("write", GITIGNORE)?;
            true
        }
        Some(_) => false,
        None => write_gitignore(fs)?,
    };
    if written {
        made.push(STATE.to_owned());
    }
    if made.is_empty() {
        return Ok(());
    }
    let files = if written { vec![GITIGNORE.to_owned()] } else { Vec::new() };
    made.dedup();
    fs.sync(&files, &made).at("sync", STATE)
}

fn write_gitignore<F: Fs>(fs: &F) -> Result<bool, TxnError> {
    match fs.write_new(GITIGNORE, GITIGNORE_TEXT, Attributes::PRIVATE) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        other => other.at("write", GITIGNORE).map(|()| true),
    }
}

/// Returns whether the folder was made just now.
pub(crate) fn ensure_private_folder<F: Fs>(fs: &F, folder: &str) -> Result<bool, TxnError> {
    match fs.stat(folder).at("look at", folder)? {
        None => match fs.mkdir(folder, Some(0o700)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            other => other.at("create", folder).map(|()| true),
        },
        Some(stat) if stat.kind != Kind::Folder => Err(TxnError::Foreign { name: folder.to_owned() }),
        Some(stat) => {
            // Others could read what the ledger holds, or plant names in it.
            if stat.mode & 0o077 != 0 {
                fs.set_mode(folder, 0o700).at("protect", folder)?;
            }
            Ok(false)
        }
    }
}

/// Waits for the ledger's lock. A holder that dies releases it, so only living ones are waited for. It is held for
/// milliseconds; when it takes longer, `waits` is called once.
pub(crate) fn lock<F: Fs>(fs: &F, waits: impl FnOnce()) -> Result<F::Lock, TxnError> {
    let start = Instant::now();
    let mut waits = Some(waits);
    let mut pause = Duration::from_micros(200);
    loop {
        match fs.try_lock(LOCK, true) {
            Ok(Some(lock)) => return Ok(lock),
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                return Err(TxnError::Foreign { name: LOCK.to_owned() });
            }
            Err(error) => return Err(TxnError::io("lock", LOCK, error)),
        }
        let waited_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        if waited_ms > LOCK_WAIT_MS {
            return Err(TxnError::Busy { waited_ms });
        }
        if waited_ms > LOCK_PATIENCE_MS
            && let Some(waits) = waits.take()
        {
            waits();
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

/// Removes a name of which it does not matter whether it is still there.
pub(crate) fn unlink_if_there<F: Fs>(fs: &F, path: &str) -> Result<(), TxnError> {
    match fs.unlink(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.at("remove", path),
    }
}
