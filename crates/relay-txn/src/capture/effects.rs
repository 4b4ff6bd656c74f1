//! From two scans to changes: compares before with after, and reports what it cannot know.

use std::collections::{BTreeMap, BTreeSet};

use relay_workspace::{Facts, Kind, PATH_LIMIT_BYTES, RelPath, Workspace};

use super::attribute::{attribute, mark_renames};
use super::{Belonged, Effects, Held, Obstacle, Scan, Uncaptured, belongings, owner};
use crate::disk::Disk;
use crate::draft::{FileChange, Image, Target};
use crate::error::TxnError;
use crate::fs::ancestors;
use crate::limits::MAX_CAPTURED_BYTES;
use crate::protocol::Protocol;
use crate::record::FolderRecord;

/// Compares two scans, and leaves out what other transactions did meanwhile.
pub(crate) fn effects(
    protocol: &Protocol<Disk>,
    workspace: &Workspace,
    before: &Scan,
    after: &Scan,
) -> Result<Effects, TxnError> {
    let mut comparison = Comparison {
        workspace,
        before,
        after,
        found: Effects::default(),
        blocked: BTreeSet::new(),
        has_lost: false,
        bytes: 0,
    };
    // What is one and the same needs no comparison.
    if !before.is_same_as(after) {
        comparison.run();
    }
    let mut found = comparison.finish();
    if let (Some(before), Some(after)) = (&before.git, &after.git) {
        found.git_programs = before.changes(after);
    }
    let others = protocol.records_of(after.known.difference(&before.known))?;
    attribute(protocol, &others, (workspace, before), &mut found)?;
    found.as_of = Some(after.known.clone());
    mark_renames(&mut found.changes);
    Ok(found)
}

/// A comparison under way.
struct Comparison<'a> {
    workspace: &'a Workspace,
    before: &'a Scan,
    after: &'a Scan,
    found: Effects,
    /// Folders whose place was taken by something that cannot be captured, and the other way round.
    blocked: BTreeSet<String>,
    /// A file is gone and its content cannot be given back, though it may exist under another name.
    has_lost: bool,
    /// The contents of all changes so far.
    bytes: u64,
}

/// One thing in a scan.
#[derive(Clone, Copy)]
struct Side<'a> {
    facts: &'a Facts,
    held: &'a Held,
}

impl Comparison<'_> {
    fn run(&mut self) {
        let (before, after) = (self.before, self.after);
        let mut old = before.survey.entries.iter().zip(before.held.iter()).peekable();
        let mut new = after.survey.entries.iter().zip(after.held.iter()).peekable();
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => break,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some((a, _)), Some((b, _))) => a.path.cmp(&b.path),
            };
            let was = if order.is_le() { old.next() } else { None };
            let is = if order.is_ge() { new.next() } else { None };
            let side = |(entry, held): &(&'_ relay_workspace::Surveyed, &'_ Held)| {
                (entry.path.clone(), entry.facts, (*held).clone())
            };
            // Equal entries are the rule; nothing is cloned for them.
            if let (Some((a, was)), Some((b, is))) = (was, is)
                && was == is
                && a.facts.mode == b.facts.mode
                && owner(&a.facts) == owner(&b.facts)
                && (!matches!(was, Held::Nothing(_)) || is_untouched(&a.facts, &b.facts))
            {
                continue;
            }
            let (was, is) = (was.as_ref().map(side), is.as_ref().map(side));
            let Some(path) = was.as_ref().or(is.as_ref()).map(|(path, ..)| path.clone()) else { continue };
            let was = was.as_ref().map(|(_, facts, held)| Side { facts, held });
            match (was, is.as_ref().map(|(_, facts, held)| Side { facts, held })) {
                (Some(was), None) => self.vanished(&path, was),
                (None, Some(is)) => self.appeared(&path, is),
                (Some(was), Some(is)) => self.compare(&path, was, is),
                (None, None) => {}
            }
        }
    }

    /// Something is no longer in the survey: gone, or only ignored now.
    fn vanished(&mut self, path: &RelPath, was: Side<'_>) {
        let facts = match self.workspace.facts(path) {
            Ok(facts) => facts,
            // A parent is not a folder any more, so there is nothing at this path.
            Err(error) if error.code() != "file-unreadable" => None,
            Err(_) => return self.missed(path.as_str(), Obstacle::Unreadable),
        };
        let Some(facts) = facts else {
            if *was.held == Held::Folder {
                self.removed_folder(path, was);
            } else {
                self.change(path, Some(was), None);
            }
            return;
        };
        if is_untouched(was.facts, &facts) || (facts.kind == Kind::Directory && *was.held == Held::Folder) {
            return;
        }
        // It is ignored from now on, but it was not when the command began.
        let target = match facts.kind {
            Kind::File => self.workspace.read(path).ok().flatten().map(|file| (file.bytes, file.mode)),
            Kind::Symlink => self.workspace.read_link(path).ok().flatten().map(|target| (target, facts.mode)),
            // Relay does not look into ignored folders, so they cannot make room either.
            Kind::Directory => return self.block(path, Obstacle::Swapped),
            Kind::Special => return self.block(path, Obstacle::Special),
        };
        let Some((bytes, mode)) = target else { return self.block(path, Obstacle::Unreadable) };
        let target = Target { bytes: bytes.into(), mode: Some(mode) };
        if *was.held == Held::Folder {
            self.removed_folder(path, was);
            return self.push(path, None, Some(target));
        }
        match self.image(was) {
            Ok(image) if image.bytes == target.bytes && image.mode == mode => {}
            Ok(image) => self.push(path, Some(image), Some(target)),
            Err(obstacle) => self.missed(path.as_str(), obstacle),
        }
    }

    /// Something is in the survey that was not.
    fn appeared(&mut self, path: &RelPath, is: Side<'_>) {
        let unlisted = &self.before.survey.unreadable;
        let was_hidden = |folder: &str| unlisted.iter().any(|unlisted| unlisted == folder);
        if !self.before.survey.is_complete || was_hidden("") || ancestors(path.as_str()).any(was_hidden) {
            self.missed(path.as_str(), Obstacle::Unknown);
        } else if *is.held == Held::Folder {
            self.found.made_folders.push(path.to_string());
        } else {
            self.change(path, None, Some(is));
        }
    }

    fn compare(&mut self, path: &RelPath, was: Side<'_>, is: Side<'_>) {
        match (was.held, is.held) {
            // Permissions of folders are not part of a transaction; only they can differ here.
            (Held::Folder, Held::Folder) => self.missed(path.as_str(), Obstacle::Folder),
            (Held::Folder, Held::Nothing(obstacle)) | (Held::Nothing(obstacle), Held::Folder) => {
                self.block(path, *obstacle);
            }
            (Held::Folder, _) => {
                self.removed_folder(path, was);
                self.change(path, None, Some(is));
            }
            (_, Held::Folder) => {
                self.change(path, Some(was), None);
                self.found.made_folders.push(path.to_string());
            }
            (Held::Nothing(_), Held::Nothing(_)) if is_untouched(was.facts, is.facts) => {}
            (Held::Nothing(obstacle), _) | (_, Held::Nothing(obstacle)) => {
                self.missed(path.as_str(), *obstacle);
            }
            _ => self.change(path, Some(was), Some(is)),
        }
    }

    /// Adds a change with the contents of both sides.
    fn change(&mut self, path: &RelPath, was: Option<Side<'_>>, is: Option<Side<'_>>) {
        let after = is.map(|is| content(&self.after.pack, is)).transpose();
        let before = was.map(|was| content(&self.before.pack, was)).transpose();
        match (before, after) {
            (Ok(before), Ok(after)) => {
                if let Some(was) = was {
                    self.note_belongings(path, was, is);
                }
                let target = after.map(|image| Target { bytes: image.bytes, mode: Some(image.mode) });
                self.push(path, before, target);
            }
            (Err(obstacle), _) | (_, Err(obstacle)) => {
                // What is too large for a transaction under one name is too large under another, and what has no content
                // cannot be a file now.
                self.has_lost |= is.is_none() && !matches!(obstacle, Obstacle::TooLarge | Obstacle::Special);
                self.missed(path.as_str(), obstacle);
            }
        }
    }

    /// What the file had besides content and mode, where that is gone or something else now.
    fn note_belongings(&mut self, path: &RelPath, was: Side<'_>, is: Option<Side<'_>>) {
        let before = belongings(was.facts, was.held);
        let after = is.map(|is| belongings(is.facts, is.held));
        if after.as_ref() != Some(&before) {
            self.found.belongings.insert(path.to_string(), Belonged { before, after });
        }
    }

    fn push(&mut self, path: &RelPath, before: Option<Image>, after: Option<Target>) {
        let size = |bytes: Option<usize>| bytes.unwrap_or(0) as u64;
        self.bytes += size(before.as_ref().map(|image| image.bytes.len()));
        self.bytes += size(after.as_ref().map(|target| target.bytes.len()));
        if self.bytes > MAX_CAPTURED_BYTES {
            self.has_lost |= after.is_none();
            return self.missed(path.as_str(), Obstacle::TooMuch);
        }
        let path = path.clone();
        self.found.changes.push(FileChange { path, before, after, renamed_from: None, added: 0, removed: 0 });
    }

    fn image(&self, was: Side<'_>) -> Result<Image, Obstacle> {
        content(&self.before.pack, was)
    }

    fn removed_folder(&mut self, path: &RelPath, was: Side<'_>) {
        self.found.removed_folders.push(FolderRecord {
            path: path.to_string(),
            mode: was.facts.mode,
            owner: Some(owner(was.facts)),
        });
    }

    /// A folder, or something else, is where the other one was, and what is there cannot be captured.
    fn block(&mut self, path: &RelPath, obstacle: Obstacle) {
        self.blocked.insert(path.to_string());
        self.missed(path.as_str(), obstacle);
    }

    fn missed(&mut self, path: &str, obstacle: Obstacle) {
        self.found.uncaptured.push(Uncaptured { path: path.to_owned(), obstacle });
    }

    /// A repository that came or went with all that git keeps in it. Of a scan that was written down none are known.
    fn compare_repositories(&mut self) {
        if self.before.git.is_none() {
            return;
        }
        let (old, new) = (&self.before.survey.repositories, &self.after.survey.repositories);
        let (old, new) = (old.iter().collect::<BTreeSet<_>>(), new.iter().collect::<BTreeSet<_>>());
        for folder in old.symmetric_difference(&new) {
            let path = if folder.is_empty() { ".git".to_owned() } else { format!("{folder}/.git") };
            self.missed(&path, Obstacle::Git);
        }
    }

    /// Everything below a blocked path stays as it is; protected names are compared last.
    fn finish(mut self) -> Effects {
        let (old, new) = (&self.before.survey.unnameable, &self.after.survey.unnameable);
        let old: BTreeMap<&str, &Facts> = old.iter().map(|(name, facts)| (name.as_str(), facts)).collect();
        let new: BTreeMap<&str, &Facts> = new.iter().map(|(name, facts)| (name.as_str(), facts)).collect();
        let names: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
        for name in names {
            let is_same = match (old.get(name), new.get(name)) {
                (Some(old), Some(new)) => is_untouched(old, new),
                _ => false,
            };
            if !is_same {
                let is_long = name.len() > PATH_LIMIT_BYTES;
                let obstacle = if is_long { Obstacle::LongPath } else { Obstacle::Name };
                self.found.uncaptured.push(Uncaptured { path: name.to_owned(), obstacle });
            }
        }
        self.compare_repositories();
        let Self { mut found, mut blocked, has_lost, .. } = self;
        // A file that exceeds what one capture may hold can be in the place of a folder too.
        let gone: BTreeSet<&str> = found.removed_folders.iter().map(|folder| folder.path.as_str()).collect();
        let missed = found.uncaptured.iter().map(|missed| missed.path.clone());
        blocked.extend(missed.filter(|path| gone.contains(path.as_str())));
        if !blocked.is_empty() {
            // What was below cannot come back while something else has its place, and what is new may be the only copy
            // of it: a folder that was moved away. So neither is taken on, and neither is ever removed.
            let is_below = |path: &str| ancestors(path).any(|folder| blocked.contains(folder));
            let stays = |change: &FileChange| is_below(change.path.as_str()) || change.before.is_none();
            let (left, rest) = found.changes.into_iter().partition(stays);
            found.changes = rest;
            let left: Vec<FileChange> = left;
            found.uncaptured.extend(
                left.into_iter()
                    .map(|change| Uncaptured { path: change.path.to_string(), obstacle: Obstacle::Swapped }),
            );
            found.made_folders.clear();
            found.removed_folders.retain(|folder| !is_below(&folder.path) && !blocked.contains(&folder.path));
        }
        if has_lost {
            // What is new may be all that is left of a file that is gone, so it is never removed.
            let (new, rest): (Vec<_>, Vec<_>) =
                found.changes.into_iter().partition(|change| change.before.is_none());
            found.changes = rest;
            found.made_folders.clear();
            found.uncaptured.extend(
                new.iter()
                    .map(|change| Uncaptured { path: change.path.to_string(), obstacle: Obstacle::OnlyCopy }),
            );
        }
        found.removed_folders.reverse();
        found.uncaptured.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }
}

/// The content and mode of one side.
fn content(pack: &super::Pack, side: Side<'_>) -> Result<Image, Obstacle> {
    let bytes = match side.held {
        Held::File(kept, _) => pack.read(kept).ok_or(Obstacle::Damaged)?,
        Held::Link(target) => target.clone(),
        Held::Folder => return Err(Obstacle::Swapped),
        Held::Nothing(obstacle) => return Err(*obstacle),
    };
    Ok(Image { bytes: bytes.into(), mode: side.facts.mode })
}

/// Whether the disk says that nothing happened to it.
fn is_untouched(was: &Facts, is: &Facts) -> bool {
    (was.kind, was.mode, was.size, was.inode, was.modified, was.changed)
        == (is.kind, is.mode, is.size, is.inode, is.modified, is.changed)
}
