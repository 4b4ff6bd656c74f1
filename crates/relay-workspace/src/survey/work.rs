//! The work of a survey: folders in a queue, listed by several threads.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{Survey, Surveyed};
use crate::SURVEY_LIMIT_ENTRIES;
use crate::dir::Dir;
use crate::lookout::Lookout;
use crate::read::{Facts, Kind};
use crate::rel_path::RelPath;
use crate::rules::{IGNORE_FILE, Rules, is_same};
use crate::unnameable::Unnameable;
use crate::workspace::Workspace;

/// How many threads list folders. Beyond the processors there are, more of them only get into each other's way.
const MAX_THREADS: usize = 8;
/// So many folders are listed before other threads are asked to help.
const FEW_FOLDERS: usize = 8;

/// A folder to be listed (`None` is the root), and the rules that hold around it now and held then.
struct Listing {
    folder: Option<RelPath>,
    /// What the disk says about it, taken before it is listed.
    facts: Option<Facts>,
    now: Option<Arc<Rules>>,
    then: Option<Arc<Rules>>,
}

/// What one thread found.
#[derive(Default)]
pub(super) struct Part {
    /// What is in each folder that was looked at.
    pub(super) folders: Vec<Found>,
    pub(super) unnameable: Vec<(String, Facts)>,
    pub(super) unreadable: Vec<String>,
    pub(super) repositories: Vec<String>,
    pub(super) rules: HashMap<String, Arc<Rules>>,
    /// Somewhere other rules hold than held then.
    pub(super) is_unsettled: bool,
    /// Some folder is not covered by the lookout.
    pub(super) is_uncovered: bool,
}

/// What is in one folder.
pub(super) enum Found {
    /// These entries of the earlier survey, with all that is said about them.
    Same(Range<usize>),
    /// Something else.
    Other(Vec<Surveyed>),
}

impl Found {
    fn len(&self) -> usize {
        match self {
            Self::Same(range) => range.len(),
            Self::Other(entries) => entries.len(),
        }
    }

    /// The path of the first, for their order.
    fn first<'a>(&'a self, earlier: &'a [Surveyed]) -> Option<&'a RelPath> {
        let first = match self {
            Self::Same(range) => earlier.get(range.start),
            Self::Other(entries) => entries.first(),
        };
        first.map(|entry| &entry.path)
    }
}

impl Part {
    fn lost() -> Self {
        Self { unreadable: vec![String::new()], ..Self::default() }
    }

    /// Adds what another thread found.
    pub(super) fn join(&mut self, other: Self) {
        self.folders.extend(other.folders);
        self.unnameable.extend(other.unnameable);
        self.unreadable.extend(other.unreadable);
        self.repositories.extend(other.repositories);
        self.rules.extend(other.rules);
        self.is_unsettled |= other.is_unsettled;
        self.is_uncovered |= other.is_uncovered;
    }
}

/// Puts the entries of all folders in order; says whether the limit was kept.
pub(super) fn entries(mut folders: Vec<Found>, earlier: Option<&Survey>) -> (Arc<Vec<Surveyed>>, bool) {
    if let Some(earlier) = earlier
        && is_all(&folders, earlier)
    {
        return (Arc::clone(&earlier.entries), true);
    }
    let known = earlier.map_or(&[] as &[Surveyed], |earlier| &earlier.entries);
    // Folder by folder in order, each in order itself: almost sorted, which the stable sort makes use of.
    folders.sort_unstable_by(|a, b| a.first(known).cmp(&b.first(known)));
    let mut entries = Vec::with_capacity(folders.iter().map(Found::len).sum());
    for folder in folders {
        match folder {
            Found::Same(range) => entries.extend_from_slice(known.get(range).unwrap_or_default()),
            Found::Other(mut own) => entries.append(&mut own),
        }
    }
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let is_complete = entries.len() <= SURVEY_LIMIT_ENTRIES;
    entries.truncate(SURVEY_LIMIT_ENTRIES);
    (Arc::new(entries), is_complete)
}

/// Whether the folders hold exactly what they held at an earlier survey. No path is found twice, so it is enough that
/// there are as many and that each was there.
fn is_all(folders: &[Found], earlier: &Survey) -> bool {
    let was_there = |entry: &Surveyed| earlier.get(entry.path.as_str()) == Some(entry);
    earlier.is_complete
        && folders.iter().map(Found::len).sum::<usize>() == earlier.entries.len()
        && folders.iter().all(|folder| match folder {
            Found::Same(_) => true,
            Found::Other(entries) => entries.iter().all(was_there),
        })
}

/// What all threads find. A few folders are not worth a second thread.
pub(super) fn parts(
    workspace: &Workspace,
    earlier: Option<&Survey>,
    lookout: Option<&Lookout>,
    above: Option<&Arc<Rules>>,
) -> Vec<Part> {
    let first = Listing { folder: None, facts: None, now: above.cloned(), then: above.cloned() };
    let queue = Queue { listings: vec![first], busy: 0, found: 0 };
    let work = Work { workspace, earlier, lookout, queue: Mutex::new(queue), more: Condvar::new() };
    let mut own = Part::default();
    work.run(&mut own, FEW_FOLDERS);
    if work.lock().listings.is_empty() {
        return vec![own];
    }
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(2, NonZeroUsize::get).clamp(2, MAX_THREADS);
        let run = || {
            let mut part = Part::default();
            work.run(&mut part, usize::MAX);
            part
        };
        let workers: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        work.run(&mut own, usize::MAX);
        // A worker that panicked has lost its part, which then shows as unreadable.
        let others = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| Part::lost()));
        std::iter::once(own).chain(others).collect()
    })
}

/// The folders still to be listed, shared by the threads.
struct Work<'a> {
    workspace: &'a Workspace,
    earlier: Option<&'a Survey>,
    lookout: Option<&'a Lookout>,
    queue: Mutex<Queue>,
    more: Condvar,
}

struct Queue {
    listings: Vec<Listing>,
    /// How many threads are listing a folder, and may bring more.
    busy: usize,
    found: usize,
}

impl Work<'_> {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // The queue is whole at every unlock, also when a thread panicked elsewhere.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists folders until there are none left, or so many are listed.
    fn run(&self, part: &mut Part, most: usize) {
        for _ in 0..most {
            let Some(listing) = self.next() else { return };
            let done = Busy { work: self };
            let (below, found) = part.list(self, listing);
            if !below.is_empty() || found > 0 {
                let mut queue = self.lock();
                queue.found += found;
                if queue.found <= SURVEY_LIMIT_ENTRIES {
                    queue.listings.extend(below);
                }
            }
            drop(done);
        }
    }

    fn next(&self) -> Option<Listing> {
        let mut queue = self.lock();
        loop {
            if let Some(listing) = queue.listings.pop() {
                queue.busy += 1;
                return Some(listing);
            }
            if queue.busy == 0 {
                return None;
            }
            queue = self.more.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Says that a thread is done with its folder, also when it panics: the others must not wait for ever.
struct Busy<'a> {
    work: &'a Work<'a>,
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        let mut queue = self.work.lock();
        queue.busy -= 1;
        // Those that wait do so for more folders, or for the end.
        if !queue.listings.is_empty() || queue.busy == 0 {
            self.work.more.notify_all();
        }
    }
}

impl Part {
    /// Lists one folder, notes what is in it, and returns the folders to go on with and how much was found.
    fn list(
        &mut self,
        &Work { workspace, earlier, lookout, .. }: &Work<'_>,
        Listing { folder, facts, now, then }: Listing,
    ) -> (Vec<Listing>, usize) {
        let none = (Vec::new(), 0);
        let name = folder.as_ref().map_or("", RelPath::as_str);
        let opened = match &folder {
            None => workspace.root_dir().try_clone().map(Some),
            Some(folder) => workspace.open_dir(folder),
        };
        let known = match (earlier, &folder, facts) {
            // Nothing came or went, and the rules are the same: only the files themselves can have changed.
            (Some(earlier), Some(folder), Some(facts)) if is_same(now.as_ref(), then.as_ref()) => {
                earlier.unchanged_leaf(folder, &facts)
            }
            _ => None,
        };
        if let (Some(lookout), Ok(Some(dir))) = (lookout, &opened) {
            self.is_uncovered |= !lookout.cover(dir);
        }
        if let (Some(known), Some(earlier), Ok(Some(dir))) = (known, earlier, &opened) {
            let found = look_again(dir, &earlier.entries, known);
            let count = found.len();
            self.folders.push(found);
            return (Vec::new(), count);
        }
        let listed = opened.and_then(|dir| dir.map(|dir| Ok((dir.list()?, dir))).transpose());
        let (names, dir) = match listed {
            Ok(Some(listed)) => listed,
            // It has gone since its parent was listed.
            Ok(None) => return none,
            Err(_) => {
                self.unreadable.push(name.to_owned());
                return none;
            }
        };
        let root = workspace.root();
        let place = folder.as_ref().map_or_else(|| root.to_path_buf(), |folder| folder.below(root));
        let was = earlier.and_then(|earlier| earlier.rules.get(name));
        let then = was.cloned().or(then);
        let outer = now.clone();
        let now = if names.iter().any(|(name, _)| name == IGNORE_FILE) {
            Rules::from_file_or(&dir, IGNORE_FILE, &place, now, was)
        } else {
            now
        };
        if let Some(own) = now.as_ref().filter(|own| !is_same(Some(own), outer.as_ref())) {
            self.rules.insert(name.to_owned(), Arc::clone(own));
        }
        let is_settled = earlier.is_none() || is_same(then.as_ref(), now.as_ref());
        self.is_unsettled |= !is_settled;
        let around = Around { dir: &dir, folder: folder.as_ref(), now: &now, then: &then, is_settled };
        let (below, entries) = self.note_all(&names, &around, place);
        let listing = |(folder, facts)| Listing {
            folder: Some(folder),
            facts: Some(facts),
            now: now.clone(),
            then: then.clone(),
        };
        let count = entries.len();
        self.folders.push(Found::Other(entries));
        (below.into_iter().map(listing).collect(), count)
    }

    /// Notes the entries of a folder that no rule covers, and returns the folders among them.
    fn note_all(
        &mut self,
        names: &crate::dir::Listing,
        around: &Around<'_>,
        mut place: PathBuf,
    ) -> (Vec<(RelPath, Facts)>, Vec<Surveyed>) {
        let Around { dir, folder, now, then, is_settled } = *around;
        let (mut below, mut unnameable) = (Vec::new(), Vec::new());
        let mut entries = Vec::with_capacity(names.len());
        for (name, kind) in names.iter() {
            let mut ignore = |rules: &Option<Arc<Rules>>| {
                let Some(rules) = rules.as_ref().filter(|rules| rules.may_match(name, kind)) else {
                    return false;
                };
                place.push(name);
                let is_ignored = rules.ignore(&place, kind);
                place.pop();
                is_ignored
            };
            if !ignore(now) && (is_settled || !ignore(then)) {
                match note(dir, folder, name, &mut entries) {
                    Noted::Folder(found, facts) => below.push((found, facts)),
                    Noted::Unnameable => unnameable.push(name.as_bytes()),
                    Noted::Other => {}
                }
            }
        }
        let rules = [now.as_ref(), then.as_ref().filter(|_| !is_settled)];
        let mut walk = Unnameable {
            rules,
            found: &mut self.unnameable,
            unreadable: &mut self.unreadable,
            repositories: &mut self.repositories,
            has_looked_inside: &mut self.is_uncovered,
        };
        for name in unnameable.into_iter().chain(names.strange()) {
            walk.note(dir, name, &mut place);
        }
        (below, entries)
    }
}

/// Looks at the files of a folder in which no name came or went.
fn look_again(dir: &Dir, earlier: &[Surveyed], known: Range<usize>) -> Found {
    let entries = earlier.get(known.clone()).unwrap_or_default();
    let mut other: Option<Vec<Surveyed>> = None;
    for (at, entry) in entries.iter().enumerate() {
        let facts = dir.facts_of_listed(entry.path.file_name());
        if other.is_none() && facts == Some(entry.facts) {
            continue;
        }
        let other = other.get_or_insert_with(|| entries.get(..at).unwrap_or_default().to_vec());
        other.extend(facts.map(|facts| Surveyed { path: entry.path.clone(), facts }));
    }
    other.map_or(Found::Same(known), Found::Other)
}

/// Notes one entry.
fn note(dir: &Dir, folder: Option<&RelPath>, name: &str, entries: &mut Vec<Surveyed>) -> Noted {
    let Some(path) = RelPath::listed(folder, name) else { return Noted::Unnameable };
    // What is gone by now is left out, as if the listing had come a moment later.
    let Some(facts) = dir.facts_of_listed(name) else { return Noted::Other };
    let noted = if facts.kind == Kind::Directory { Noted::Folder(path.clone(), facts) } else { Noted::Other };
    entries.push(Surveyed { path, facts });
    noted
}

/// A folder being listed, and the rules that hold in it now and held then.
#[derive(Clone, Copy)]
struct Around<'a> {
    dir: &'a Dir,
    folder: Option<&'a RelPath>,
    now: &'a Option<Arc<Rules>>,
    then: &'a Option<Arc<Rules>>,
    /// Whether both sets of rules are the same.
    is_settled: bool,
}

/// What an entry of a folder turned out to be.
enum Noted {
    /// A folder to go on with.
    Folder(RelPath, Facts),
    /// Something whose name no transaction may use; not noted yet.
    Unnameable,
    /// Anything else, or nothing any more.
    Other,
}
