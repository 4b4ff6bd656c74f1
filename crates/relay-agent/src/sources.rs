//! Where instructions, rules, skills and templates come from: files of the repository and of the user.
//!
//! Files are read through [`relay_workspace::Dir`]: no link is followed, sizes are capped, devices are refused. What
//! cannot be used (a link, something that is not text) is skipped and reported, never an error: a repository must not
//! be able to keep a session from starting.

use std::io::Read as _;

use relay_workspace::{Dir, Kind, ReadError};

/// The most bytes of one file that reach a prompt.
pub const FILE_LIMIT_BYTES: u64 = 32 << 10;
/// The most names of a folder that are looked at.
const FOLDER_LIMIT: usize = 500;
/// How deep folders of rules are looked through.
const DEPTH_LIMIT: usize = 4;

/// Who wrote a file. What a repository brings is data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// The user, in their own folders.
    User,
    /// The authors of the repository.
    Project,
}

/// A folder to read from.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The folder.
    pub dir: &'a Dir,
    /// Who owns it.
    pub owner: Owner,
    /// What goes before names in reports; empty for the root of the repository.
    pub shown: &'a str,
}

impl<'a> Place<'a> {
    /// A folder of the repository.
    #[must_use]
    pub fn project(dir: &'a Dir) -> Self {
        Self { dir, owner: Owner::Project, shown: "" }
    }

    /// A folder of the user.
    #[must_use]
    pub fn user(dir: &'a Dir, shown: &'a str) -> Self {
        Self { dir, owner: Owner::User, shown }
    }

    fn path(&self, name: &str) -> String {
        if self.shown.is_empty() { name.to_owned() } else { format!("{}/{name}", self.shown) }
    }
}

/// A text that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Where it is, for reports and prompts.
    pub path: String,
    /// Who wrote it.
    pub owner: Owner,
    /// What it says, as far as it was read.
    pub text: String,
    /// How many bytes it has in all.
    pub bytes: u64,
    /// Whether it has more than was read.
    pub is_cut: bool,
}

/// A file that was not used, and why.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Skipped {
    /// Where it is.
    pub path: String,
    /// Why it was not used.
    pub reason: String,
}

impl Skipped {
    /// A file that was not used.
    pub fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into() }
    }
}

/// Reads files, and remembers what it skipped.
#[derive(Debug, Default)]
pub struct Reader {
    /// What was skipped.
    pub skipped: Vec<Skipped>,
}

impl Reader {
    /// Reads the beginning of a text; none if it does not exist or was skipped.
    pub fn text(&mut self, place: Place<'_>, name: &str, limit_bytes: u64) -> Option<Text> {
        let path = place.path(name);
        let (file, facts) = match place.dir.open_file(name) {
            Ok(opened) => opened?,
            // A part of the path is a file or a link: what is asked for is not there.
            Err(ReadError::NotADirectory { .. }) => return None,
            Err(error) => return self.skip(path, reason(&error)),
        };
        let mut bytes = Vec::new();
        if let Err(error) = file.take(limit_bytes.saturating_add(1)).read_to_end(&mut bytes) {
            return self.skip(path, error.to_string());
        }
        let is_cut = bytes.len() as u64 > limit_bytes;
        bytes.truncate(usize::try_from(limit_bytes).unwrap_or(usize::MAX));
        if bytes.contains(&0) {
            return self.skip(path, "it is not text".to_owned());
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            // Only the cut may have gone through a character.
            Err(error) if is_cut && error.utf8_error().error_len().is_none() => {
                let valid = error.utf8_error().valid_up_to();
                let mut bytes = error.into_bytes();
                bytes.truncate(valid);
                String::from_utf8(bytes).unwrap_or_default()
            }
            Err(_) => return self.skip(path, "it is not UTF-8 text".to_owned()),
        };
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        let bytes = facts.size.max(text.len() as u64);
        Some(Text { path, owner: place.owner, text, bytes, is_cut })
    }

    /// The names of files below a folder that are wanted, in order, also in its folders.
    pub fn names(&mut self, place: Place<'_>, folder: &str, wanted: fn(&str) -> bool) -> Vec<String> {
        let mut names = Vec::new();
        self.collect(place, folder, wanted, 0, &mut names);
        names
    }

    fn collect(
        &mut self,
        place: Place<'_>,
        folder: &str,
        wanted: fn(&str) -> bool,
        depth: usize,
        names: &mut Vec<String>,
    ) {
        for (name, kind) in self.entries(place, folder) {
            let path = format!("{folder}/{name}");
            match kind {
                Kind::File if wanted(&name) => names.push(path),
                Kind::Directory if depth < DEPTH_LIMIT && names.len() < FOLDER_LIMIT => {
                    self.collect(place, &path, wanted, depth + 1, names);
                }
                Kind::Symlink if wanted(&name) => {
                    self.skipped.push(Skipped::new(place.path(&path), "it is a symbolic link"));
                }
                _ => {}
            }
        }
    }

    /// The names in a folder with what they are; none if there is no such folder.
    pub fn entries(&mut self, place: Place<'_>, folder: &str) -> Vec<(String, Kind)> {
        let opened = match place.dir.open_dir(folder) {
            Ok(Some(opened)) => opened,
            Ok(None) | Err(ReadError::NotADirectory { .. }) => return Vec::new(),
            Err(error) => {
                self.skipped.push(Skipped::new(place.path(folder), reason(&error)));
                return Vec::new();
            }
        };
        let mut entries = opened.entries().unwrap_or_default();
        if entries.len() > FOLDER_LIMIT {
            let left = entries.len() - FOLDER_LIMIT;
            self.skipped
                .push(Skipped::new(place.path(folder), format!("{left} more names were not looked at")));
            entries.truncate(FOLDER_LIMIT);
        }
        entries
    }

    fn skip(&mut self, path: String, reason: String) -> Option<Text> {
        self.skipped.push(Skipped { path, reason });
        None
    }
}

fn reason(error: &ReadError) -> String {
    match error {
        ReadError::Symlink { path, link } if path == link => "it is a symbolic link".to_owned(),
        ReadError::Symlink { link, .. } => format!("`{link}` is a symbolic link"),
        ReadError::Directory { .. } => "it is a folder".to_owned(),
        ReadError::NotRegular { .. } => "it is not a regular file".to_owned(),
        ReadError::Io { source, .. } => source.to_string(),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use relay_workspace::Workspace;

    use super::*;

    #[test]
    fn hostile_files_are_skipped_and_reported() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("plain.md"), "\u{feff}hi").unwrap();
        std::fs::write(at("binary.md"), b"a\0b").unwrap();
        std::fs::write(at("latin.md"), b"caf\xe9").unwrap();
        std::fs::write(at("huge.md"), "ä".repeat(100_000)).unwrap();
        std::fs::create_dir(at("folder.md")).unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let place = Place::project(workspace.root_dir());
        let mut reader = Reader::default();
        let mut read =
            |name: &str| reader.text(place, name, 1_001).map(|text| (text.text, text.bytes, text.is_cut));
        assert_eq!(read("plain.md"), Some(("hi".to_owned(), 5, false)));
        assert_eq!(read("missing.md"), None);
        assert_eq!(read("plain.md/x"), None);
        assert_eq!(read("huge.md"), Some(("ä".repeat(500), 200_000, true)));
        for name in ["binary.md", "latin.md", "folder.md"] {
            assert_eq!(read(name), None, "{name}");
        }
        assert_eq!(reader.skipped.len(), 3, "{:?}", reader.skipped);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret.md"), "secret").unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret.md"), folder.path().join("AGENTS.md"))
            .unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("rules")).unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let place = Place::project(workspace.root_dir());
        let mut reader = Reader::default();
        assert_eq!(reader.text(place, "AGENTS.md", 100), None);
        assert!(reader.names(place, "rules", |_| true).is_empty());
        assert_eq!(reader.text(place, "rules/secret.md", 100), None);
        assert_eq!(reader.skipped.len(), 3, "{:?}", reader.skipped);
    }
}
