//! Ignore rules: which names git, and therefore Relay, leaves alone.
//!
//! Ignore files are read through handles like any other file; one that is a link, a pipe or huge is skipped.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};

use crate::dir::Dir;
use crate::discover;
use crate::read::Kind;
use crate::sieve::Sieve;

/// The largest ignore file that is read.
const IGNORE_FILE_LIMIT_BYTES: u64 = 1 << 20;

/// The name of the ignore file in a folder.
pub(crate) const IGNORE_FILE: &str = ".gitignore";

/// Ignore rules that apply in a folder: its own, and those from further out, which they override.
#[derive(Debug)]
pub(crate) struct Rules {
    own: Gitignore,
    sieve: Sieve,
    /// What the own rules were read from.
    text: Vec<u8>,
    outer: Option<Arc<Rules>>,
}

impl Rules {
    /// The rules that apply to the root because of its location: the user's own, the repository's private ones, and the
    /// ignore files between the repository's top and the root.
    pub(crate) fn above(root: &Path) -> Option<Arc<Self>> {
        let top = discover::git_top_of(root)?;
        // An unreadable global file means no global rules; git says the same and goes on.
        let (global, _unreadable) = Gitignore::global();
        let text = gitconfig_excludes_path().and_then(|path| std::fs::read(path).ok()).unwrap_or_default();
        let mut rules = Self::layer(global, Sieve::open(), text, None);
        let mut between: Vec<PathBuf> = root
            .ancestors()
            .skip(1)
            .take_while(|folder| folder.starts_with(&top))
            .map(Path::to_path_buf)
            .collect();
        between.reverse();
        if let Ok(dir) = Dir::open_root(&top) {
            rules = Self::from_file(&dir, ".git/info/exclude", &top, rules);
        }
        for folder in between {
            if let Ok(dir) = Dir::open_root(&folder) {
                rules = Self::from_file(&dir, IGNORE_FILE, &folder, rules);
            }
        }
        rules
    }

    /// Adds the rules of a file, if it is there, readable and sane; otherwise there is nothing to add.
    pub(crate) fn from_file(
        dir: &Dir,
        name: &str,
        base: &Path,
        outer: Option<Arc<Self>>,
    ) -> Option<Arc<Self>> {
        Self::from_file_or(dir, name, base, outer, None)
    }

    /// The same, but gives back `earlier` if that was made from the same text inside the same rules.
    pub(crate) fn from_file_or(
        dir: &Dir,
        name: &str,
        base: &Path,
        outer: Option<Arc<Self>>,
        earlier: Option<&Arc<Self>>,
    ) -> Option<Arc<Self>> {
        let Ok(Some(file)) = dir.read(name, IGNORE_FILE_LIMIT_BYTES) else { return outer };
        if let Some(earlier) = earlier
            && earlier.text == file.bytes
            && is_same(earlier.outer.as_ref(), outer.as_ref())
        {
            return Some(Arc::clone(earlier));
        }
        let mut builder = GitignoreBuilder::new(base);
        let text = String::from_utf8_lossy(&file.bytes);
        for line in text.lines() {
            // A line that is not a pattern matches nothing, as in git.
            if builder.add_line(None, line).is_err() {
                continue;
            }
        }
        match builder.build() {
            Ok(own) => {
                let sieve = Sieve::of(text.lines());
                Self::layer(own, sieve, file.bytes, outer)
            }
            Err(_) => outer,
        }
    }

    fn layer(own: Gitignore, sieve: Sieve, text: Vec<u8>, outer: Option<Arc<Self>>) -> Option<Arc<Self>> {
        if own.is_empty() { outer } else { Some(Arc::new(Self { own, sieve, text, outer })) }
    }

    /// Whether any rule could apply to a name. A cheap test that may only err by saying yes.
    pub(crate) fn may_match(&self, name: &str, kind: Kind) -> bool {
        self.sieve.passes(name, kind) || self.outer.as_ref().is_some_and(|outer| outer.may_match(name, kind))
    }

    /// The innermost rule that says anything decides.
    pub(crate) fn ignore(&self, place: &Path, kind: Kind) -> bool {
        match self.own.matched(place, kind == Kind::Directory) {
            Match::Ignore(_) => true,
            Match::Whitelist(_) => false,
            Match::None => self.outer.as_ref().is_some_and(|outer| outer.ignore(place, kind)),
        }
    }
}

/// Whether both are one and the same, without comparing what they say.
pub(crate) fn is_same(a: Option<&Arc<Rules>>, b: Option<&Arc<Rules>>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

/// Whether both were made from the same texts, whenever that was.
pub(crate) fn say_the_same(mut a: Option<&Arc<Rules>>, mut b: Option<&Arc<Rules>>) -> bool {
    while let (Some(one), Some(other)) = (a, b) {
        if one.text != other.text || one.own.path() != other.own.path() {
            return false;
        }
        (a, b) = (one.outer.as_ref(), other.outer.as_ref());
    }
    a.is_none() && b.is_none()
}
