//! What this process was started with, and what the programs it starts will find: for callers that may not look themselves.

use std::io;
use std::path::Path;

/// A variable of the environment, if it is text.
#[must_use]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The permission bits of a file that a program will read; `None` if it is not a file.
///
/// # Errors
/// It cannot be looked at.
pub fn file_mode(path: &Path) -> io::Result<Option<u32>> {
    let facts = std::fs::metadata(path)?;
    Ok(facts.is_file().then(|| mode(&facts)))
}

#[cfg(unix)]
fn mode(facts: &std::fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&facts.permissions()) & 0o7777
}

/// Other systems keep others out in other ways, which the program checks itself.
#[cfg(not(unix))]
fn mode(_: &std::fs::Metadata) -> u32 {
    0o600
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_have_no_mode_and_missing_files_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        assert!(file_mode(&file).is_err());
        std::fs::write(&file, "x").unwrap();
        assert!(file_mode(&file).unwrap().is_some());
        assert_eq!(file_mode(folder.path()).unwrap(), None);
    }
}
