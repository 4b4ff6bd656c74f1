//! The files of a workspace that are not ignored, in order.
//!
//! Folders are listed through handles and ignore files are read like any other file: no link is followed, no FIFO
//! waited for, no file of unbounded size read. A repository can ship a `.gitignore` that is a link to an endless device;
//! it is skipped, as git skips it. Hidden files are included, `.git` and `.relaycode` never.

use std::sync::Arc;

use crate::WALK_LIMIT_FILES;
use crate::read::Kind;
use crate::rel_path::RelPath;
use crate::rules::{IGNORE_FILE, Rules};
use crate::workspace::Workspace;

/// The files found by [`Workspace::walk`], sorted.
#[derive(Debug)]
pub struct Walk {
    files: std::vec::IntoIter<RelPath>,
    is_complete: bool,
    unreadable: Vec<String>,
}

impl Walk {
    /// Whether all files were found: neither the limit was met nor a folder unreadable.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete && self.unreadable.is_empty()
    }

    /// The folders that could not be listed.
    #[must_use]
    pub fn unreadable(&self) -> &[String] {
        &self.unreadable
    }
}

impl Iterator for Walk {
    type Item = RelPath;

    fn next(&mut self) -> Option<RelPath> {
        self.files.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.files.size_hint()
    }
}

impl ExactSizeIterator for Walk {}

impl Workspace {
    /// The regular files that no ignore rule covers, sorted, [`WALK_LIMIT_FILES`] at most. Files whose names a reply
    /// could not use are left out.
    #[must_use]
    pub fn walk(&self) -> Walk {
        self.walk_up_to(WALK_LIMIT_FILES)
    }

    pub(crate) fn walk_up_to(&self, limit_files: usize) -> Walk {
        let mut walker = Walker { workspace: self, limit_files, files: Vec::new(), unreadable: Vec::new() };
        // Folders still to be listed. They are opened from the root when their turn comes, so that the number of open
        // handles does not grow with the depth of the tree.
        let mut folders = vec![Listing { folder: None, rules: Rules::above(self.root()) }];
        while let Some(next) = folders.pop() {
            // The last pushed is the next popped; reversed, folders come in order and a limit cuts at a stable place.
            folders.extend(walker.list(next).into_iter().rev());
        }
        let Walker { mut files, unreadable, .. } = walker;
        // One more than the limit was looked for, to know whether there is more.
        let is_complete = files.len() <= limit_files;
        files.truncate(limit_files);
        files.sort_unstable();
        Walk { files: files.into_iter(), is_complete, unreadable }
    }
}

/// A folder to be listed (`None` is the root), and the ignore rules that hold around it.
struct Listing {
    folder: Option<RelPath>,
    rules: Option<Arc<Rules>>,
}

struct Walker<'a> {
    workspace: &'a Workspace,
    limit_files: usize,
    files: Vec<RelPath>,
    unreadable: Vec<String>,
}

impl Walker<'_> {
    /// Lists one folder, notes its files, and returns the folders in it.
    fn list(&mut self, Listing { folder, rules: outer }: Listing) -> Vec<Listing> {
        let mut below = Vec::new();
        if self.files.len() > self.limit_files {
            return below;
        }
        let opened = match &folder {
            None => self.workspace.root_dir().try_clone().map(Some),
            Some(folder) => self.workspace.open_dir(folder),
        };
        let listed = opened.and_then(|dir| dir.map(|dir| Ok((dir.entries()?, dir))).transpose());
        let (entries, dir) = match listed {
            Ok(Some(listed)) => listed,
            // It has gone since its parent was listed.
            Ok(None) => return below,
            Err(error) => {
                self.unreadable.push(error.path().to_owned());
                return below;
            }
        };
        let root = self.workspace.root();
        let place = folder.as_ref().map_or_else(|| root.to_path_buf(), |folder| folder.below(root));
        let rules = Rules::from_file(&dir, IGNORE_FILE, &place, outer);
        for (name, kind) in entries {
            let Some(path) = RelPath::listed(folder.as_ref(), &name) else { continue };
            if rules.as_ref().is_some_and(|rules| rules.ignore(&place.join(&name), kind)) {
                continue;
            }
            match kind {
                Kind::Directory => below.push(Listing { folder: Some(path), rules: rules.clone() }),
                Kind::File if self.files.len() <= self.limit_files => self.files.push(path),
                Kind::File | Kind::Symlink | Kind::Special => {}
            }
        }
        below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_kept_and_reported() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("below")).unwrap();
        std::fs::write(folder.path().join("below/d"), "").unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        for (limit, expect, is_complete) in [
            (2, vec!["a", "b"], false),
            (3, vec!["a", "b", "c"], false),
            (4, vec!["a", "b", "below/d", "c"], true),
        ] {
            let walk = workspace.walk_up_to(limit);
            assert_eq!((walk.is_complete(), walk.len()), (is_complete, expect.len()));
            assert_eq!(walk.map(|path| path.to_string()).collect::<Vec<_>>(), expect);
        }
    }

    #[test]
    fn a_folder_that_cannot_be_listed_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let mut walker =
            Walker { workspace: &workspace, limit_files: 9, files: Vec::new(), unreadable: Vec::new() };
        std::fs::write(folder.path().join("swapped"), "").unwrap();
        let listed = walker.list(Listing { folder: RelPath::new("swapped").ok(), rules: None });
        assert!(listed.is_empty() && walker.unreadable == ["swapped"]);
        walker.list(Listing { folder: RelPath::new("gone").ok(), rules: None });
        assert_eq!(walker.unreadable.len(), 1, "a folder that has gone is nothing to tell");
    }
}
