//! Writes Relay's own files into a project: the configuration and a line in `.gitignore`.
//!
//! One file at a time, outside the ledger: `relay init` is not something to undo by transaction. Each write is atomic
//! and durable, replaces nothing it did not read, and leaves no temporary file in the project.

use std::io;

use relay_workspace::{InWorkspace, Workspace};
use uuid::Uuid;

use crate::disk::Disk;
use crate::error::{At, TxnError};
use crate::fs::{Attributes, Found, Fs, Like, Rename, parent};
use crate::layout;
use crate::limits::MAX_FILE_BYTES;
use crate::state_folder;

/// Makes `.relaycode/`, private and ignored by git.
///
/// # Errors
/// Something else has that name, or the disk refuses.
pub fn ensure_state_dir(workspace: &Workspace) -> Result<(), TxnError> {
    state_folder::ensure(&open(workspace)?)
}

/// Creates a file that does not exist yet; its folder must.
///
/// # Errors
/// [`TxnError::Exists`] if it does; nothing is replaced.
pub fn create_file(workspace: &Workspace, path: &impl InWorkspace, bytes: &[u8]) -> Result<(), TxnError> {
    let disk = open(workspace)?;
    let path = path.as_str();
    with_staged(&disk, |staged| create(&disk, staged, path, bytes))
}

/// Replaces a file that still has the content its caller read, and keeps its mode.
///
/// # Errors
/// [`TxnError::Changed`] if the content is another one by now; [`TxnError::NotRegular`] for a link or a folder.
pub fn replace_file(
    workspace: &Workspace,
    path: &impl InWorkspace,
    expected: &[u8],
    bytes: &[u8],
) -> Result<(), TxnError> {
    let disk = open(workspace)?;
    let path = path.as_str();
    match disk.read(path, MAX_FILE_BYTES).at("read", path)? {
        Found::Irregular(kind) => Err(TxnError::NotRegular { path: path.to_owned(), kind: kind.words() }),
        Found::File(found, stat) if found == expected => with_staged(&disk, |staged| {
            stage_like(&disk, staged, path, stat.mode, bytes)?;
            replace(&disk, staged, path, expected)
        }),
        Found::Missing | Found::File(..) => Err(TxnError::Changed { path: path.to_owned() }),
    }
}

/// Appends a line to a list of ignored names, unless a line already says the same. Creates the file if need be, keeps
/// its line endings and its mode, and returns whether it was changed.
///
/// # Errors
/// The file is a link or a folder, is too large, or another program changed it at this very moment.
pub fn append_line_once(
    workspace: &Workspace,
    path: &impl InWorkspace,
    line: &str,
) -> Result<bool, TxnError> {
    let disk = open(workspace)?;
    let path = path.as_str();
    let before = match disk.read(path, MAX_FILE_BYTES).at("read", path)? {
        Found::Irregular(kind) => {
            return Err(TxnError::NotRegular { path: path.to_owned(), kind: kind.words() });
        }
        Found::Missing => None,
        Found::File(bytes, _) if contains_line(&bytes, line) => return Ok(false),
        Found::File(bytes, stat) => Some((bytes, stat)),
    };
    with_staged(&disk, |staged| match &before {
        None => create(&disk, staged, path, format!("{line}\n").as_bytes()),
        Some((bytes, stat)) => {
            stage_like(&disk, staged, path, stat.mode, &appended(bytes, line))?;
            replace(&disk, staged, path, bytes)
        }
    })?;
    Ok(true)
}

fn open(workspace: &Workspace) -> Result<Disk, TxnError> {
    Disk::new(workspace).at("open", "the workspace")
}

/// Runs `act` with a name in a staging folder of its own. Recovery removes the folder if this process dies.
fn with_staged(disk: &Disk, act: impl FnOnce(&str) -> Result<(), TxnError>) -> Result<(), TxnError> {
    state_folder::ensure(disk)?;
    // Recovery runs under the lock, so holding it keeps the stage safe.
    let _lock = state_folder::lock(disk, || {})?;
    let uuid = Uuid::new_v4();
    let (stage, staged) = (layout::stage(uuid), layout::slot(uuid, 0));
    disk.mkdir(&stage, Some(0o700)).at("create", &stage)?;
    let result = act(&staged);
    state_folder::unlink_if_there(disk, &staged)?;
    disk.rmdir(&stage).at("remove", &stage)?;
    result
}

fn create(disk: &Disk, staged: &str, path: &str, bytes: &[u8]) -> Result<(), TxnError> {
    let attributes = Attributes { folder: Some(parent(path)), ..Attributes::default() };
    disk.write_new(staged, bytes, attributes).at("write", path)?;
    disk.sync(&[staged.to_owned()], &[]).at("sync", path)?;
    match disk.rename(staged, path, Rename::NoReplace) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(TxnError::Exists { path: path.to_owned() })
        }
        other => other.at("write", path),
    }?;
    disk.sync(&[], &[parent(path).to_owned()]).at("sync", path)
}

/// Writes the staged file with the mode and the attributes of the one it will replace.
fn stage_like(disk: &Disk, staged: &str, path: &str, mode: u32, bytes: &[u8]) -> Result<(), TxnError> {
    let attributes = Attributes {
        mode: Some(mode & 0o7777),
        like: Some(Like { path, bare: None }),
        ..Attributes::default()
    };
    disk.write_new(staged, bytes, attributes).at("write", path)?;
    disk.sync(&[staged.to_owned()], &[]).at("sync", path)
}

/// Puts the staged file in place of one that still has the expected content.
fn replace(disk: &Disk, staged: &str, path: &str, expected: &[u8]) -> Result<(), TxnError> {
    let is_expected = |name: &str| -> Result<bool, TxnError> {
        let found = disk.read(name, MAX_FILE_BYTES).at("read", name)?;
        Ok(matches!(found, Found::File(bytes, _) if bytes == expected))
    };
    let changed = || TxnError::Changed { path: path.to_owned() };
    match disk.rename(staged, path, Rename::Exchange) {
        Ok(()) if is_expected(staged)? => {}
        Ok(()) => {
            disk.rename(staged, path, Rename::Exchange).at("restore", path)?;
            return Err(changed());
        }
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            if !is_expected(path)? {
                return Err(changed());
            }
            disk.rename(staged, path, Rename::Replace).at("write", path)?;
        }
        Err(error) => return Err(TxnError::io("write", path, error)),
    }
    disk.sync(&[], &[parent(path).to_owned()]).at("sync", path)
}

/// Whether a line means the same folder or file: with or without the slashes around it.
fn contains_line(bytes: &[u8], line: &str) -> bool {
    let plain = |text: &[u8]| -> Vec<u8> {
        let text = text.trim_ascii();
        let text = text.strip_prefix(b"**/").unwrap_or(text);
        let text = text.strip_prefix(b"/").unwrap_or(text);
        let text =
            ["/**", "/*", "/"].iter().find_map(|end| text.strip_suffix(end.as_bytes())).unwrap_or(text);
        text.to_vec()
    };
    let wanted = plain(line.as_bytes());
    bytes.split(|byte| *byte == b'\n').any(|existing| plain(existing) == wanted)
}

/// The content with the line at its end, on a line of its own.
fn appended(bytes: &[u8], line: &str) -> Vec<u8> {
    let first_end = bytes.iter().position(|byte| *byte == b'\n');
    let is_crlf = first_end.and_then(|end| bytes.get(end.checked_sub(1)?)) == Some(&b'\r');
    let ending: &[u8] = if is_crlf { b"\r\n" } else { b"\n" };
    let mut content = bytes.to_vec();
    if !content.is_empty() && !content.ends_with(b"\n") {
        content.extend_from_slice(ending);
    }
    content.extend_from_slice(line.as_bytes());
    content.extend_from_slice(ending);
    content
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, expected: Option<&str>) {
        let line = "/.relaycode/";
        let after = (!contains_line(before.as_bytes(), line)).then(|| appended(before.as_bytes(), line));
        assert_eq!(after.as_deref(), expected.map(str::as_bytes), "{before:?}");
    }

    #[test]
    fn a_line_is_appended_on_its_own_line() {
        check("", Some("/.relaycode/\n"));
        check("a\n", Some("a\n/.relaycode/\n"));
        check("a", Some("a\n/.relaycode/\n"));
        check("a\r\nb", Some("a\r\nb\r\n/.relaycode/\r\n"));
        check("# .relaycode\n", Some("# .relaycode\n/.relaycode/\n"));
        check(".relaycode2\n", Some(".relaycode2\n/.relaycode/\n"));
        check("!.relaycode\n", Some("!.relaycode\n/.relaycode/\n"));
    }

    #[test]
    fn a_line_in_any_usual_spelling_is_not_doubled() {
        for spelling in [
            "/.relaycode/",
            ".relaycode/",
            ".relaycode",
            "/.relaycode",
            "**/.relaycode/",
            ".relaycode/*",
            ".relaycode/**",
        ] {
            check(&format!("a\n{spelling}\nb\n"), None);
            check(&format!("a\r\n{spelling} \r\n"), None);
            check(spelling, None);
        }
    }
}
