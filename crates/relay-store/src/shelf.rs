//! Shelves: texts kept for a project for a while, under a name each; the oldest ones are dropped when space runs out.
//!
//! Shelves hold the *views*, which are file contents as a model saw them, the receipts of packs, the replies that wait
//! for a repair, and the files selected for the next pack. None of it is essential: a lost shelf costs a question to the
//! model, never a change.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::folder::Folder;
use crate::place::key;
use crate::store::Store;

/// How many texts one shelf holds.
const ITEMS: usize = 400;

/// How many bytes one shelf holds.
const BYTES: usize = 8 << 20;

/// The format that is written.
const VERSION: u64 = 1;

/// The purpose of a shelf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shelf {
    /// Path to the content a model was shown.
    Views,
    /// The uuid of a refused reply to its text, and to the texts that came to repair it.
    Repairs,
    /// The findings of the last review.
    Reviews,
    /// The id of a receipt to what a pack showed, with the secrets it masked.
    Receipts,
    /// The files selected for the next pack.
    Selection,
    /// A linter and a state of the files to the errors it found there.
    Lint,
    /// A file of the project to the exact text of it that the user agreed to.
    Trusted,
}

impl Shelf {
    const fn name(self) -> &'static str {
        match self {
            Shelf::Views => "views",
            Shelf::Repairs => "repairs",
            Shelf::Reviews => "reviews",
            Shelf::Receipts => "receipts",
            Shelf::Selection => "selection",
            Shelf::Lint => "lint",
            Shelf::Trusted => "trusted",
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u64,
    /// The project's path, for people who inspect the file.
    project: String,
    /// Oldest first.
    items: Vec<Item>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    name: String,
    texts: Vec<String>,
}

impl Item {
    /// About what it takes in the file, where some characters are written as two and some as six.
    fn size(&self) -> usize {
        std::iter::once(&self.name).chain(&self.texts).map(|text| written_bytes(text)).sum()
    }
}

fn written_bytes(text: &str) -> usize {
    let more = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 1,
        0..b' ' => 5,
        _ => 0,
    });
    text.len() + more.sum::<usize>() + 3
}

impl Store {
    /// The texts under a name; none when there are none, or when they were dropped.
    ///
    /// # Errors
    /// The project does not exist, or the shelf is not sound.
    pub fn look_up(&self, shelf: Shelf, root: &Path, name: &str) -> Result<Vec<String>, StoreError> {
        let project = key(root)?;
        let Some(folder) = Folder::open(self.state_dir())? else { return Ok(Vec::new()) };
        let file = read(&folder, shelf, project)?;
        Ok(file.items.into_iter().find(|item| item.name == name).map(|item| item.texts).unwrap_or_default())
    }

    /// Everything on a shelf, name by name.
    ///
    /// # Errors
    /// The project does not exist, or the shelf is not sound.
    pub fn look_through(&self, shelf: Shelf, root: &Path) -> Result<Vec<(String, Vec<String>)>, StoreError> {
        let project = key(root)?;
        let Some(folder) = Folder::open(self.state_dir())? else { return Ok(Vec::new()) };
        Ok(read(&folder, shelf, project)?.items.into_iter().map(|item| (item.name, item.texts)).collect())
    }

    /// Stores texts under a name, replacing earlier ones; an empty list removes the name. Texts that are too large
    /// for the shelf are not stored.
    ///
    /// # Errors
    /// The project does not exist, the shelf is not sound, or the system refuses.
    pub fn put(&self, shelf: Shelf, root: &Path, name: &str, texts: Vec<String>) -> Result<(), StoreError> {
        self.put_all(shelf, root, vec![(name.to_owned(), texts)])
    }

    /// The same for several names, written at once.
    ///
    /// # Errors
    /// The project does not exist, the shelf is not sound, or the system refuses.
    pub fn put_all(
        &self,
        shelf: Shelf,
        root: &Path,
        named: Vec<(String, Vec<String>)>,
    ) -> Result<(), StoreError> {
        let project = key(root)?;
        let folder = Folder::create(self.state_dir())?;
        let writer = folder.lock()?;
        let mut file = read(&folder, shelf, project.clone())?;
        for (name, texts) in named {
            file.items.retain(|item| item.name != name);
            if !texts.is_empty() {
                file.items.push(Item { name, texts });
            }
        }
        make_room(&mut file.items);
        let mut bytes = serde_json::to_vec(&file).map_err(|error| StoreError::Corrupt {
            path: folder.path().join(file_name(shelf, &project)),
            reason: error.to_string(),
        })?;
        bytes.push(b'\n');
        writer.replace(&file_name(shelf, &project), &bytes)
    }
}

/// Drops the oldest until the rest fits.
fn make_room(items: &mut Vec<Item>) {
    let mut bytes: usize = items.iter().map(Item::size).sum();
    let mut dropped = 0;
    for item in items.iter() {
        if items.len() - dropped <= ITEMS && bytes <= BYTES {
            break;
        }
        bytes -= item.size();
        dropped += 1;
    }
    items.drain(..dropped);
}

fn file_name(shelf: Shelf, project: &str) -> String {
    let place: String = blake3::hash(project.as_bytes()).to_hex().chars().take(32).collect();
    format!("{}-{place}.json", shelf.name())
}

fn read(folder: &Folder, shelf: Shelf, project: String) -> Result<File, StoreError> {
    let name = file_name(shelf, &project);
    // Secrets that a pack masked must stay private.
    let bytes = if shelf == Shelf::Receipts { folder.read_secret(&name)? } else { folder.read(&name)? };
    let Some(bytes) = bytes else {
        return Ok(File { version: VERSION, project, items: Vec::new() });
    };
    let path = folder.path().join(name);
    let file: File = serde_json::from_slice(&bytes)
        .map_err(|error| StoreError::Corrupt { path: path.clone(), reason: error.to_string() })?;
    if file.version > VERSION {
        return Err(StoreError::Newer { path, found: file.version, known: VERSION });
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_texts_are_found_until_removed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(&folder.path().join("user"));
        let find = |name: &str| store.look_up(Shelf::Views, folder.path(), name).unwrap();
        assert_eq!(find("a"), Vec::<String>::new(), "looking makes nothing and finds nothing");
        store.put(Shelf::Views, folder.path(), "a", vec!["one".into()]).unwrap();
        store.put(Shelf::Views, folder.path(), "b", vec!["x".into(), "y".into()]).unwrap();
        store.put(Shelf::Views, folder.path(), "a", vec!["two".into()]).unwrap();
        assert_eq!((find("a"), find("b")), (vec!["two".to_owned()], vec!["x".to_owned(), "y".to_owned()]));
        assert!(store.look_up(Shelf::Repairs, folder.path(), "a").unwrap().is_empty(), "shelves are apart");
        store.put(Shelf::Views, folder.path(), "a", Vec::new()).unwrap();
        assert!(find("a").is_empty());
        assert_eq!(store.look_through(Shelf::Views, folder.path()).unwrap().len(), 1);
    }

    #[test]
    fn sizes_are_counted_as_encoded() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(&folder.path().join("user"));
        for name in ["a", "b"] {
            store.put(Shelf::Receipts, folder.path(), name, vec!["\u{1}".repeat(BYTES / 8)]).unwrap();
        }
        let kept = store.look_through(Shelf::Receipts, folder.path()).expect("a shelf that can be read back");
        assert_eq!(kept.len(), 1);
    }

    #[test]
    fn the_oldest_make_room_for_the_newest() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(&folder.path().join("user"));
        let large = "x".repeat(BYTES / 3);
        for name in ["a", "b", "c", "d"] {
            store.put(Shelf::Views, folder.path(), name, vec![large.clone()]).unwrap();
        }
        let kept: Vec<String> = store
            .look_through(Shelf::Views, folder.path())
            .unwrap()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(kept, ["c", "d"]);
    }
}
