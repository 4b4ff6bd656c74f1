//! A project's name in the store: its path.

use std::path::Path;

use crate::error::StoreError;

/// A project by its path, with symbolic links resolved. Paths that are not text are written as their bytes; those begin
/// with a NUL, which no path has, so the two cannot be confused.
pub(crate) fn key(root: &Path) -> Result<String, StoreError> {
    let canonical = std::fs::canonicalize(root).map_err(|source| StoreError::io(root, source))?;
    Ok(match canonical.to_str() {
        Some(text) => text.to_owned(),
        None => canonical
            .as_os_str()
            .as_encoded_bytes()
            .iter()
            .fold("\0".to_owned(), |key, byte| key + &format!("{byte:02x}")),
    })
}

/// A project's path as a file name.
pub(crate) fn digest(root: &Path) -> Result<String, StoreError> {
    Ok(blake3::hash(key(root)?.as_bytes()).to_hex().chars().take(32).collect())
}
