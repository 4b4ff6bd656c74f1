//! Determines the folders that a draft creates and removes, before anything is touched.
//!
//! A folder may come where a file or link goes, and a file where a folder goes; the folder then has to be left empty by
//! the draft itself. What others keep in it is never removed for that: the draft is refused.

use std::collections::{BTreeSet, HashSet};

use super::Protocol;
use crate::draft::Draft;
use crate::error::{At, TxnError};
use crate::fs::{Fs, Kind, ancestors, parent};
use crate::layout;
use crate::limits::MAX_CHANGES;
use crate::record::{FolderRecord, Record};

/// The names a draft frees: files and links that are there before and not after.
pub(super) struct Freed<'d>(HashSet<&'d str>);

impl<'d> Freed<'d> {
    pub(super) fn by(draft: &'d Draft) -> Self {
        let gone = draft.changes.iter().filter(|change| change.after.is_none());
        Self(gone.map(|change| change.path.as_str()).collect())
    }

    /// Whether the path lies in a folder that comes where a file or link goes, so that nothing can be there yet.
    pub(super) fn holds_folder_of(&self, path: &str) -> bool {
        !self.0.is_empty() && ancestors(path).any(|folder| self.0.contains(folder))
    }

    fn has(&self, path: &str) -> bool {
        self.0.contains(path)
    }
}

/// The permission bits with which a folder is made that files are going to be put into, whatever it may allow later.
pub(super) fn open_mode(mode: u32) -> u32 {
    mode & 0o7777 | 0o700
}

/// Folders to create and remove.
pub(super) struct Folders {
    /// Those to be made, outermost first.
    pub(super) made: BTreeSet<String>,
    /// Those to be removed, innermost first.
    pub(super) removed: Vec<FolderRecord>,
}

impl<F: Fs> Protocol<F> {
    /// Which folders have to be created and removed for a draft. `replaced` are folders that a file or link replaces.
    pub(super) fn folders(
        &self,
        draft: &Draft,
        freed: &Freed<'_>,
        replaced: &[&str],
    ) -> Result<Folders, TxnError> {
        let made = self.missing_folders(draft, freed)?;
        let mut removed = Vec::new();
        for folder in replaced {
            self.empty_folders(folder, freed, &mut removed)?;
        }
        self.folders_to_prune(draft, freed, &mut removed)?;
        removed.sort_by(|a, b| b.path.cmp(&a.path));
        Ok(Folders { made, removed })
    }

    /// Makes a spare of every folder that goes, so that a rollback needs no disk space to bring it back.
    pub(super) fn keep_spares(&self, record: &Record) -> Result<(), TxnError> {
        for (k, folder) in record.removed_folders.iter().enumerate() {
            let spare = layout::spare(record.uuid, k);
            self.fs.mkdir(&spare, Some(open_mode(folder.mode))).at("create", &spare)?;
        }
        Ok(())
    }

    /// Restores a folder's owner; returns whether this process may do that.
    pub(super) fn give_folder(&self, folder: &FolderRecord) -> Result<bool, TxnError> {
        match folder.owner {
            Some(owner) => self.fs.give(&folder.path, owner).at("restore", &folder.path),
            None => Ok(true),
        }
    }

    /// Gives a folder its permission bits, now that everything is in it.
    pub(super) fn close_folder(&self, folder: &str, mode: u32) -> Result<(), TxnError> {
        if open_mode(mode) == mode & 0o7777 {
            return Ok(());
        }
        match self.look(folder)? {
            Some(stat) if stat.kind == Kind::Folder => {
                self.fs.set_mode(folder, mode & 0o7777).at("protect", folder)
            }
            _ => Ok(()),
        }
    }

    /// The folders that have to be made. A folder sorts before what is in it.
    fn missing_folders(&self, draft: &Draft, freed: &Freed<'_>) -> Result<BTreeSet<String>, TxnError> {
        let mut missing = BTreeSet::new();
        let mut there = HashSet::new();
        for change in draft.changes.iter().filter(|change| change.before.is_none()) {
            let nearest = parent(change.path.as_str());
            if nearest.is_empty() || there.contains(nearest) || missing.contains(nearest) {
                continue;
            }
            for folder in ancestors(change.path.as_str()).collect::<Vec<_>>().into_iter().rev() {
                if freed.has(folder) || missing.contains(parent(folder)) {
                    missing.insert(folder.to_owned());
                    continue;
                }
                match self.fs.stat(folder).at("look at", folder)? {
                    None => missing.insert(folder.to_owned()),
                    Some(stat) if stat.kind == Kind::Folder => there.insert(folder.to_owned()),
                    Some(stat) => {
                        return Err(TxnError::NotRegular {
                            path: change.path.to_string(),
                            kind: if stat.kind == Kind::File { "below a file" } else { "below a link" },
                        });
                    }
                };
            }
        }
        if !draft.make.is_empty() {
            let kept = draft.changes.iter().filter(|change| change.after.is_some());
            let kept: HashSet<&str> = kept.map(|change| change.path.as_str()).collect();
            for folder in &draft.make {
                missing.extend(self.folders_to_make(&folder.path, &kept, freed)?);
            }
        }
        Ok(missing)
    }

    /// An empty folder with its missing parents. If something else is at its path, now or because a file is `kept`, it
    /// is not made.
    fn folders_to_make(
        &self,
        folder: &str,
        kept: &HashSet<&str>,
        freed: &Freed<'_>,
    ) -> Result<Vec<String>, TxnError> {
        let mut wanted: Vec<&str> = std::iter::once(folder).chain(ancestors(folder)).collect();
        wanted.reverse();
        if !self.fs.permits(folder) || wanted.iter().any(|folder| kept.contains(folder)) {
            return Ok(Vec::new());
        }
        let mut missing = Vec::new();
        for folder in wanted {
            let is_missing = !missing.is_empty() || freed.has(folder);
            let found = if is_missing { None } else { self.fs.stat(folder).at("look at", folder)? };
            match found {
                None => missing.push(folder.to_owned()),
                Some(stat) if stat.kind == Kind::Folder => {}
                Some(_) => return Ok(Vec::new()),
            }
        }
        Ok(missing)
    }

    /// A folder and all in it, if nothing but empty folders is left there by the draft.
    fn empty_folders(
        &self,
        path: &str,
        freed: &Freed<'_>,
        removed: &mut Vec<FolderRecord>,
    ) -> Result<(), TxnError> {
        let stat = self.fs.stat(path).at("look at", path)?;
        let (mode, owner) = stat.map_or((0o755, None), |stat| (stat.mode, stat.owner));
        let mut waiting = vec![FolderRecord { path: path.to_owned(), mode, owner }];
        while let Some(folder) = waiting.pop() {
            for (name, stat) in self.fs.list_stats(&folder.path).at("list", &folder.path)? {
                let inside = format!("{}/{name}", folder.path);
                if stat.kind == Kind::Folder && self.fs.permits(&inside) {
                    waiting.push(FolderRecord { path: inside, mode: stat.mode, owner: stat.owner });
                } else if !freed.has(&inside) {
                    return Err(TxnError::Occupied { path: path.to_owned(), inside });
                }
            }
            removed.push(folder);
            if removed.len() > MAX_CHANGES {
                let (what, limit) = (format!("the folder {path}"), MAX_CHANGES as u64);
                return Err(TxnError::TooLarge { what, size: removed.len() as u64, limit });
            }
        }
        Ok(())
    }

    /// Those of the folders to prune that the draft leaves empty.
    fn folders_to_prune(
        &self,
        draft: &Draft,
        freed: &Freed<'_>,
        removed: &mut Vec<FolderRecord>,
    ) -> Result<(), TxnError> {
        let filled: BTreeSet<&str> = draft
            .changes
            .iter()
            .filter(|change| change.after.is_some())
            .flat_map(|change| ancestors(change.path.as_str()))
            .collect();
        let mut gone: BTreeSet<String> = removed.iter().map(|folder| folder.path.clone()).collect();
        let candidates: BTreeSet<&str> = draft.prune.iter().map(relay_workspace::RelPath::as_str).collect();
        for folder in candidates.into_iter().rev() {
            if filled.contains(folder) || gone.contains(folder) {
                continue;
            }
            let Some(stat) = self.look(folder)? else { continue };
            if stat.kind != Kind::Folder {
                continue;
            }
            let names = self.fs.list(folder).at("list", folder)?;
            let mut inside = names.iter().map(|name| format!("{folder}/{name}"));
            if inside.all(|name| freed.has(&name) || gone.contains(&name)) {
                gone.insert(folder.to_owned());
                removed.push(FolderRecord { path: folder.to_owned(), mode: stat.mode, owner: stat.owner });
            }
        }
        Ok(())
    }
}
