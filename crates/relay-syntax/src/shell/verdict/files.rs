//! The questions about files that judging a command raises, and how paths are joined.

use super::super::tree::Word;

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Present {
    /// Nothing.
    Missing,
    /// A file, or anything else that can be overwritten.
    File,
    /// A folder.
    Folder,
    /// It is not known.
    Unknown,
}

/// What the caller knows about the disk.
pub trait Files {
    /// What is at `path`, which is relative to the folder in which the script starts, or absolute.
    fn present(&self, path: &str) -> Present;

    /// Whether the command may write at `path`. The path has no `.` or `..` left except at its beginning.
    fn is_inside(&self, path: &str) -> bool {
        !path.starts_with('/') && !path.starts_with('~') && path != ".." && !path.starts_with("../")
    }
}

/// Knows nothing, so that every path counts as one that may exist.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unseen;

impl Files for Unseen {
    fn present(&self, _path: &str) -> Present {
        Present::Unknown
    }
}

/// The folder a command runs in, seen from where the script starts; `None` once it is only known at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder(pub(super) Option<String>);

impl Folder {
    pub(super) fn start() -> Self {
        Self(Some(String::new()))
    }

    /// The path a word means, if it is certain.
    pub(super) fn path(&self, word: &Word) -> Option<String> {
        if word.expands || word.globs || word.braces {
            return None;
        }
        if word.home || word.text.starts_with('/') {
            return Some(normalise(&word.text));
        }
        let folder = self.0.as_deref()?;
        if folder.is_empty() {
            return Some(normalise(&word.text));
        }
        Some(normalise(&format!("{folder}/{}", word.text)))
    }

    /// Goes where `cd word` goes.
    pub(super) fn enter(&mut self, word: Option<&Word>) {
        self.0 = match word {
            None => Some("~".to_owned()),
            Some(word) if word.text == "-" || word.text.is_empty() => None,
            Some(word) => self.path(word),
        };
    }
}

/// Removes `.` and `a/..`; keeps `..` at the beginning.
pub(super) fn normalise(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != ".." && *last != "~") => {
                parts.pop();
            }
            ".." if is_absolute => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if is_absolute { format!("/{joined}") } else { joined }
}
