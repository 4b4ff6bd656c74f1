//! Names of folders and files of sessions.

use std::path::{Path, PathBuf};

use crate::error::StoreError;

/// The longest name that every file system takes, with room for temporary names.
const NAME_LIMIT_BYTES: usize = 200;

/// The folder of a project's sessions: its place without the leading slash, separators as `-`, between `--`.
///
/// Two places may share a folder (`/a/b` and `/a-b`); every session names its own place, which distinguishes them. A
/// name that would be too long, or is not text, ends in a digest.
pub(super) fn folder_name(cwd: &Path) -> String {
    let text = cwd.to_string_lossy();
    let name: String = text
        .strip_prefix(['/', '\\'])
        .unwrap_or(&text)
        .chars()
        .map(|c| if matches!(c, '/' | '\\' | ':') || c.is_control() { '-' } else { c })
        .collect();
    if name.len() <= NAME_LIMIT_BYTES && cwd.to_str().is_some() {
        return format!("--{name}--");
    }
    let digest: String = blake3::hash(cwd.as_os_str().as_encoded_bytes()).to_hex().chars().take(16).collect();
    let mut end = name.len().min(NAME_LIMIT_BYTES - digest.len());
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("--{}-{digest}--", name.get(..end).unwrap_or_default())
}

/// A session's folder and name.
pub(super) fn split(path: &Path) -> Result<(PathBuf, String), StoreError> {
    let name = path.file_name().and_then(|name| name.to_str());
    let folder =
        path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    match (folder, name) {
        (Some(folder), Some(name)) => Ok((folder.to_path_buf(), name.to_owned())),
        _ => Err(StoreError::BadName { name: path.display().to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_named_after_the_projects_place() {
        assert_eq!(folder_name(Path::new("/home/me/pi")), "--home-me-pi--");
        assert_eq!(folder_name(Path::new("C:\\work\\x")), "--C--work-x--");
        assert_eq!(folder_name(Path::new("/")), "----");
        assert_eq!(folder_name(Path::new("/a b/é\n")), "--a b-é---");
    }

    #[test]
    fn a_long_name_ends_in_a_digest_and_stays_unique() {
        let long = |end: &str| folder_name(Path::new(&format!("/{}/{end}", "é/".repeat(200))));
        assert_ne!(long("a"), long("b"));
        assert!(long("a").len() < 230, "{}", long("a").len());
    }
}
