//! A folder and what is in it, a few levels deep, for a listing.

use crate::STATE_FOLDER;
use crate::dir::Dir;
use crate::read::{Facts, Kind, ReadError};

/// How many entries of one folder are looked at; a folder with more is counted, not sorted.
const LOOKED_AT: usize = 10_000;

/// How much is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth {
    /// How many levels.
    pub levels: usize,
    /// How many entries of a folder below the first; the first has no limit.
    pub per_folder: usize,
    /// How many entries in all.
    pub entries: usize,
}

/// Something in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// What is known about it.
    pub facts: Facts,
    /// What is in it, newest first, if it is a folder that was entered.
    pub below: Option<Below>,
}

/// What is in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Below {
    /// The newest entries.
    pub entries: Vec<Listed>,
    /// How many there are besides.
    pub more: usize,
}

/// Lists a folder, newest first. Links are not followed, `.git` and Relay's own folder are left out.
///
/// # Errors
/// The folder itself cannot be listed. Those below it that cannot are listed without content.
pub fn list(dir: &Dir, depth: Depth) -> Result<Below, ReadError> {
    let mut left = depth.entries;
    level(dir, depth, 1, &mut left)
}

fn level(dir: &Dir, depth: Depth, at: usize, left: &mut usize) -> Result<Below, ReadError> {
    let listing = dir.list()?;
    let wanted = |name: &str| !matches!(name, ".git" | STATE_FOLDER);
    let mut entries: Vec<Listed> = Vec::new();
    let mut more = 0;
    for (name, _) in listing.iter().filter(|(name, _)| wanted(name)) {
        match dir.facts_of_listed(name).filter(|_| entries.len() < LOOKED_AT) {
            Some(facts) => entries.push(Listed { name: name.to_owned(), facts, below: None }),
            None => more += 1,
        }
    }
    // Stable, so that entries of one moment stay sorted by name.
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.facts.modified));
    let most = if at == 1 { *left } else { depth.per_folder.min(*left) };
    more += entries.len().saturating_sub(most);
    entries.truncate(most);
    *left -= entries.len();
    if at < depth.levels {
        for entry in entries.iter_mut().filter(|entry| entry.facts.kind == Kind::Directory) {
            if let Ok(Some(inner)) = dir.open_dir(&entry.name) {
                entry.below = level(&inner, depth, at + 1, left).ok();
            }
        }
    }
    Ok(Below { entries, more })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_entries_are_limited_and_the_rest_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("a/b/c")).unwrap();
        std::fs::create_dir_all(folder.path().join(".git")).unwrap();
        for n in 0..20 {
            std::fs::write(folder.path().join(format!("a/{n:02}")), "x").unwrap();
        }
        let dir = Dir::open_root(folder.path()).unwrap();
        let depth = Depth { levels: 2, per_folder: 12, entries: 1_000 };
        let listed = list(&dir, depth).unwrap();
        assert_eq!((listed.entries.len(), listed.more), (1, 0));
        let below = listed.entries[0].below.as_ref().unwrap();
        assert_eq!((below.entries.len(), below.more), (12, 9));
        assert!(below.entries.iter().all(|entry| entry.below.is_none()));
        let few = list(&dir, Depth { entries: 3, ..depth }).unwrap();
        assert_eq!(few.entries[0].below.as_ref().unwrap().entries.len(), 2);
    }
}
