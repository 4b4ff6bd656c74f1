//! Names inside a workspace: those a reply may touch, and Relay's own.
//!
//! The two are different types, so that no code path can confuse them: what comes from outside becomes a [`RelPath`] or
//! a refusal; Relay's configuration and state are named by [`OwnPath`], which is never made from a reply's path.

use std::borrow::Borrow;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::names::{self, Names};
use crate::refusal::PathRefusal;
use crate::{CONFIG_FILE, PATH_LIMIT_BYTES, STATE_FOLDER};

/// A name inside the workspace: relative, normalised, with `/` between its components, never empty.
///
/// Implemented by [`RelPath`] and [`OwnPath`] only.
pub trait InWorkspace: sealed::Sealed {
    /// The name relative to the root.
    fn as_str(&self) -> &str;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::RelPath {}
    impl Sealed for super::OwnPath {}
    impl<T: Sealed + ?Sized> Sealed for &T {}
}

impl<T: InWorkspace + ?Sized> InWorkspace for &T {
    fn as_str(&self) -> &str {
        (**self).as_str()
    }
}

/// A file or folder that may be touched: inside the root, not git's, not Relay's, not disguised.
///
/// It says nothing about what exists; that is found out when it is opened.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(Box<str>);

impl RelPath {
    /// Normalises a path as it was written, or says why it is refused. Looks at the name only, never at the disk.
    ///
    /// # Errors
    /// The rule it breaks.
    pub fn new(raw: &str) -> Result<Self, PathRefusal> {
        names::normalise(raw, Names::Reply).map(|path| Self(path.into()))
    }

    /// An entry of a listed folder (`None` is the root); `None` when a reply could not name it. The folder has been
    /// checked before, so only the new name is.
    pub(crate) fn listed(folder: Option<&Self>, name: &str) -> Option<Self> {
        let Some(folder) = folder else { return Self::new(name).ok() };
        let path = [folder.as_str(), name].join("/");
        let is_allowed = || names::check_name(&path, name, Names::Reply).is_ok() && !name.contains('\\');
        let fits = path.len() <= PATH_LIMIT_BYTES && (names::is_plain(name.as_bytes()) || is_allowed());
        fits.then(|| Self(path.into()))
    }

    /// The path, with `/` between its components.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last component.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, name)| name)
    }

    /// The folder it is in; `None` when that is the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(parent, _)| Self(parent.into()))
    }

    /// The folders it is in, nearest first, without the root.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), Self::parent)
    }

    /// Its components, from the root.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The path below a folder given by its place on the disk. For showing and for other programs; opening goes through
    /// [`crate::Workspace`].
    #[must_use]
    pub fn below(&self, folder: &Path) -> PathBuf {
        self.components().fold(folder.to_path_buf(), |path, name| path.join(name))
    }
}

impl InWorkspace for RelPath {
    fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Borrow<str> for RelPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for RelPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// The name of one of Relay's own files in a workspace, which no reply can name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnPath(Box<str>);

impl OwnPath {
    /// `relaycode.config.json`.
    #[must_use]
    pub fn config() -> Self {
        Self(CONFIG_FILE.into())
    }

    /// The folder `.relaycode`.
    #[must_use]
    pub fn state_folder() -> Self {
        Self(STATE_FOLDER.into())
    }

    /// A file or folder inside `.relaycode`, by its name there: `lock`, `blobs/0f3c`.
    ///
    /// # Errors
    /// The name breaks one of the rules that hold for every path.
    pub fn state(name: &str) -> Result<Self, PathRefusal> {
        names::normalise(name, Names::State).map(|name| Self(format!("{STATE_FOLDER}/{name}").into()))
    }

    /// The path from the root, with `/` between its components.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl InWorkspace for OwnPath {
    fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OwnPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for OwnPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_path() {
        let path = RelPath::new("a/b/c.rs").unwrap();
        assert_eq!(path.file_name(), "c.rs");
        assert_eq!(path.ancestors().map(|a| a.to_string()).collect::<Vec<_>>(), ["a/b", "a"]);
        assert_eq!(path.components().collect::<Vec<_>>(), ["a", "b", "c.rs"]);
        assert_eq!(path.below(Path::new("root")), Path::new("root").join("a").join("b").join("c.rs"));
        let top = RelPath::new("c.rs").unwrap();
        assert_eq!((top.file_name(), top.parent()), ("c.rs", None));
    }

    #[test]
    fn listed_entries_obey_the_same_rules() {
        let folder = RelPath::new("a/b").unwrap();
        for name in [
            "c.rs",
            "c-1_2.x",
            "-c",
            "Git~1",
            "com1.txt",
            "RELAYC~1",
            "relaycode.config.json",
            ".git",
            "x\\y",
            "a\u{202e}",
            "~x",
            "C:x",
            "nul",
            "end.",
            &"n".repeat(256),
        ] {
            assert_eq!(
                RelPath::listed(Some(&folder), name),
                RelPath::new(&format!("a/b/{name}")).ok(),
                "{name}"
            );
            assert_eq!(RelPath::listed(None, name), RelPath::new(name).ok(), "{name}");
        }
    }

    #[test]
    fn own_paths_lie_in_the_state_folder_and_nowhere_else() {
        assert_eq!(OwnPath::state("blobs/0f").unwrap().as_str(), ".relaycode/blobs/0f");
        for bad in ["", "..", "../x", "a/../../x", "/etc/passwd", "a\\b", "a/"] {
            assert!(OwnPath::state(bad).is_err(), "{bad}");
        }
    }
}
