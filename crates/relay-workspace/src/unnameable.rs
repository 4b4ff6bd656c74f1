//! What a survey finds under names that are not allowed in a transaction: not UTF-8, hidden or control characters, Relay's
//! own config.
//!
//! Records, replies and reports are UTF-8 and read by people, so they cannot carry such names. Files with these names
//! are therefore never captured, but Relay looks at them to report changes. It also looks through folders with such
//! names, because everything in them is out of reach too. Names are made visible here and are no longer usable as
//! paths.

use std::path::PathBuf;
use std::sync::Arc;

use crate::dir::Dir;
use crate::read::{Facts, Kind};
use crate::refusal::PathRefusal;
use crate::rel_path::RelPath;
use crate::rules::Rules;

/// Folders deeper than this inside one that has no usable name are not looked into.
const MAX_DEPTH: usize = 32;
/// How many entries are inspected at most; changes to the rest go unnoticed.
const MAX_FOUND: usize = 10_000;

/// A search through entries without usable names.
pub(crate) struct Unnameable<'a> {
    /// The ignore rules that hold, now and earlier: what any of them covers is left out.
    pub(crate) rules: [Option<&'a Arc<Rules>>; 2],
    /// What was found.
    pub(crate) found: &'a mut Vec<(String, Facts)>,
    /// Folders that could not be listed.
    pub(crate) unreadable: &'a mut Vec<String>,
    /// Folders in which git keeps a repository, or says where it is.
    pub(crate) repositories: &'a mut Vec<String>,
    /// Becomes true when a folder was looked into: no lookout covers it.
    pub(crate) has_looked_inside: &'a mut bool,
}

impl Unnameable<'_> {
    /// Notes what has this name in a folder, and if it is a folder, all in it. `place` is the folder's path on the disk.
    pub(crate) fn note(&mut self, dir: &Dir, name: &[u8], place: &mut PathBuf) {
        if is_private(name) {
            if name == b".git" {
                self.repositories.push(dir.path().to_owned());
            }
            return;
        }
        let shown = match dir.path() {
            "" => escaped(name),
            folder => format!("{folder}/{}", escaped(name)),
        };
        self.look(dir, name, shown, place, MAX_DEPTH);
    }

    fn look(&mut self, dir: &Dir, name: &[u8], shown: String, place: &mut PathBuf, depth: usize) {
        let Some(facts) = dir.facts_of_bytes(name) else { return };
        place.push(os_name(name));
        let is_ignored = self.rules.iter().flatten().any(|rules| rules.ignore(place, facts.kind));
        if !is_ignored && self.found.len() < MAX_FOUND {
            if facts.kind == Kind::Directory {
                self.look_inside(dir, name, shown, place, depth);
            } else {
                self.found.push((shown, facts));
            }
        }
        place.pop();
    }

    fn look_inside(&mut self, dir: &Dir, name: &[u8], shown: String, place: &mut PathBuf, depth: usize) {
        *self.has_looked_inside = true;
        let opened = dir.open_bytes(name, &shown).filter(|_| depth > 0);
        let Some((listing, inner)) = opened.and_then(|inner| Some((inner.list().ok()?, inner))) else {
            return self.unreadable.push(shown);
        };
        let names = listing.iter().map(|(name, _)| name.as_bytes()).chain(listing.strange());
        for name in names {
            self.look(&inner, name, format!("{shown}/{}", escaped(name)), place, depth - 1);
        }
    }
}

/// Whether the name belongs to git or to Relay's own state.
fn is_private(name: &[u8]) -> bool {
    let name = std::str::from_utf8(name).map(RelPath::new);
    matches!(name, Ok(Err(PathRefusal::Git { .. } | PathRefusal::RelayState { .. })))
}

/// A name with the bytes that are not UTF-8 as `\xff`.
fn escaped(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

#[cfg(unix)]
fn os_name(name: &[u8]) -> &std::ffi::OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(name)
}

#[cfg(not(unix))]
fn os_name(name: &[u8]) -> &str {
    std::str::from_utf8(name).unwrap_or("?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_utf8_are_shown() {
        assert_eq!(escaped(b"a\xff\xfeb\xc3\xa9"), "a\\xff\\xfeb\u{e9}");
    }
}
