//! A survey: every file, link and folder that no ignore rule covers, with what the disk says about each.
//!
//! Two surveys, before and after a program worked in the tree, show what may have changed without reading a file. The
//! later one is made with the rules of the earlier one as well: a file that was ignored then must not look new because
//! the ignore file has gone. Folders are listed by several threads at once, because this is asked for before and after
//! every command. Nothing is read here but ignore files, and nothing is decided.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use crate::read::{Facts, Kind};
use crate::rel_path::RelPath;
use crate::rules::{IGNORE_FILE, Rules, is_same};
use crate::unnameable::Unnameable;
use crate::workspace::Workspace;
use crate::{SURVEY_LIMIT_ENTRIES, dir::Dir};

/// How many threads list folders. More threads than processors would only get in each other's way.
const MAX_THREADS: usize = 8;

/// One thing a survey found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// Where it is.
    pub path: RelPath,
    /// What the disk says about it.
    pub facts: Facts,
}

/// What [`Workspace::survey`] found.
#[derive(Debug)]
pub struct Survey {
    /// Files, links, folders and special files, sorted by path.
    pub entries: Vec<Surveyed>,
    /// Files whose names are not allowed in a transaction, sorted: Relay's configuration, disguised names, names that are
    /// not UTF-8. What is in a folder of such a name is among them. The names are only for people.
    pub unnameable: Vec<(String, Facts)>,
    /// Folders that could not be listed.
    pub unreadable: Vec<String>,
    /// Folders with a `.git`, sorted; the root is empty. What is in them does not matter here, only that they exist.
    pub repositories: Vec<String>,
    /// When it started.
    pub started: SystemTime,
    /// Whether the limit on the number of entries was kept.
    pub is_complete: bool,
    is_remembered: bool,
    above: Option<Arc<Rules>>,
    /// The rules of every folder that has an ignore file, by the folder's path. A later survey keeps those of the
    /// first: they say what was not looked at then.
    rules: Arc<HashMap<String, Arc<Rules>>>,
}

impl Survey {
    /// A survey restored from a record: these entries, sorted by path. Its ignore rules are unknown.
    #[must_use]
    pub fn remembered(entries: Vec<Surveyed>, started: SystemTime) -> Self {
        Self {
            entries,
            unnameable: Vec::new(),
            unreadable: Vec::new(),
            repositories: Vec::new(),
            started,
            is_complete: true,
            is_remembered: true,
            above: None,
            rules: Arc::default(),
        }
    }

    /// What was found at a path.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Surveyed> {
        let at = self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        self.entries.get(at)
    }

    /// Whether a file at this path, had it been there, would have been found: no ignore rule covers it, and every folder
    /// it would be in could be listed. `root` is the workspace's.
    #[must_use]
    pub fn would_hold(&self, root: &Path, path: &str) -> bool {
        // The ignore rules of a restored survey are unknown.
        if !self.is_complete || self.is_remembered || self.unreadable.iter().any(String::is_empty) {
            return false;
        }
        let (mut rules, mut place) = (self.above.as_ref(), root.to_path_buf());
        let mut folder = String::new();
        let mut names = path.split('/').peekable();
        while let Some(name) = names.next() {
            rules = self.rules.get(&folder).or(rules);
            place.push(name);
            let kind = if names.peek().is_some() { Kind::Directory } else { Kind::File };
            if rules.is_some_and(|rules| rules.ignore(&place, kind)) {
                return false;
            }
            if !folder.is_empty() {
                folder.push('/');
            }
            folder.push_str(name);
            if self.unreadable.contains(&folder) {
                return false;
            }
        }
        true
    }

    /// What was in a folder, if it had no folders and no ignore file in it and no name came or went since. A folder's
    /// time of change moves with every name in it, and cannot be set back.
    fn unchanged_leaf(&self, folder: &RelPath, facts: &Facts) -> Option<&[Surveyed]> {
        let was = self.get(folder.as_str())?.facts;
        let is_same =
            was.is_same_file(facts) && (was.modified, was.changed) == (facts.modified, facts.changed);
        if !cfg!(unix)
            || !is_same
            || was.is_fresh_at(self.started)
            || self.rules.contains_key(folder.as_str())
        {
            return None;
        }
        let is_below =
            |name: &str| name.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
        if self.unreadable.iter().any(|name| name == folder.as_str())
            || self.repositories.iter().any(|name| name == folder.as_str())
            || self.unnameable.iter().any(|(name, _)| is_below(name))
        {
            return None;
        }
        let prefix = format!("{folder}/");
        let start = self.entries.partition_point(|entry| entry.path.as_str() < prefix.as_str());
        let rest = self.entries.get(start..)?;
        let inside = rest.get(..rest.partition_point(|entry| entry.path.as_str().starts_with(&prefix)))?;
        let is_plain =
            |entry: &Surveyed| entry.facts.kind != Kind::Directory && entry.path.file_name() != IGNORE_FILE;
        (self.is_complete && inside.iter().all(is_plain)).then_some(inside)
    }
}

impl Workspace {
    /// Looks at everything that is not ignored, at [`SURVEY_LIMIT_ENTRIES`] things at most. With an `earlier` survey,
    /// what was ignored then counts as ignored now.
    #[must_use]
    pub fn survey(&self, earlier: Option<&Survey>) -> Survey {
        let above = match earlier {
            Some(earlier) => earlier.above.clone(),
            None => Rules::above(self.root()),
        };
        let started = SystemTime::now();
        let first = Listing { folder: None, facts: None, now: above.clone(), then: above.clone() };
        let work = Work {
            queue: Mutex::new(Queue { listings: vec![first], busy: 0, found: 0 }),
            more: Condvar::new(),
        };
        let parts: Vec<Part> = std::thread::scope(|scope| {
            let threads =
                std::thread::available_parallelism().map_or(2, NonZeroUsize::get).clamp(2, MAX_THREADS);
            let workers: Vec<_> = (1..threads).map(|_| scope.spawn(|| work.run(self, earlier))).collect();
            let own = work.run(self, earlier);
            // If a worker panicked, its part counts as unreadable.
            let others = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| Part::lost()));
            std::iter::once(own).chain(others).collect()
        });
        let mut rules = HashMap::new();
        let (mut folders, mut unnameable, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
        let mut repositories = Vec::new();
        for part in parts {
            folders.extend(part.folders);
            unnameable.extend(part.unnameable);
            unreadable.extend(part.unreadable);
            repositories.extend(part.repositories);
            rules.extend(part.rules);
        }
        let rules = earlier.map_or_else(|| Arc::new(rules), |earlier| Arc::clone(&earlier.rules));
        // Folder by folder, each sorted: almost sorted, which makes the stable sort fast.
        folders.sort_unstable_by(|a: &Vec<Surveyed>, b| {
            a.first().map(|e| &e.path).cmp(&b.first().map(|e| &e.path))
        });
        let mut entries = Vec::with_capacity(folders.iter().map(Vec::len).sum());
        for mut folder in folders {
            entries.append(&mut folder);
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let is_complete = entries.len() <= SURVEY_LIMIT_ENTRIES;
        entries.truncate(SURVEY_LIMIT_ENTRIES);
        unnameable.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        unreadable.sort_unstable();
        repositories.sort_unstable();
        let is_remembered = false;
        Survey {
            entries,
            unnameable,
            unreadable,
            repositories,
            started,
            is_complete,
            is_remembered,
            above,
            rules,
        }
    }
}

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
struct Part {
    /// The entries of the folder being listed.
    entries: Vec<Surveyed>,
    /// Those of the folders that have been.
    folders: Vec<Vec<Surveyed>>,
    unnameable: Vec<(String, Facts)>,
    unreadable: Vec<String>,
    repositories: Vec<String>,
    rules: HashMap<String, Arc<Rules>>,
}

impl Part {
    fn lost() -> Self {
        Self { unreadable: vec![String::new()], ..Self::default() }
    }
}

/// The folders still to be listed, shared by the threads.
struct Work {
    queue: Mutex<Queue>,
    more: Condvar,
}

struct Queue {
    listings: Vec<Listing>,
    /// How many threads are listing a folder, and may bring more.
    busy: usize,
    found: usize,
}

impl Work {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // The queue is whole at every unlock, also when a thread panicked elsewhere.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists folders until there are none left.
    fn run(&self, workspace: &Workspace, earlier: Option<&Survey>) -> Part {
        let mut part = Part::default();
        while let Some(listing) = self.next() {
            let done = Busy { work: self };
            let below = part.list(workspace, earlier, listing);
            let entries = std::mem::take(&mut part.entries);
            let mut queue = self.lock();
            queue.found += entries.len();
            part.folders.push(entries);
            if queue.found <= SURVEY_LIMIT_ENTRIES {
                queue.listings.extend(below);
            }
            drop(queue);
            drop(done);
        }
        part
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

/// Marks a thread as done with its folder, even if it panics, so that the others do not wait forever.
struct Busy<'a> {
    work: &'a Work,
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.work.lock().busy -= 1;
        self.work.more.notify_all();
    }
}

impl Part {
    /// Lists one folder, notes what is in it, and returns the folders to go on with.
    fn list(
        &mut self,
        workspace: &Workspace,
        earlier: Option<&Survey>,
        Listing { folder, facts, now, then }: Listing,
    ) -> Vec<Listing> {
        let name = folder.as_ref().map_or("", RelPath::as_str);
        let opened = match &folder {
            None => workspace.root_dir().try_clone().map(Some),
            Some(folder) => workspace.open_dir(folder),
        };
        let known = match (earlier, &folder, facts) {
            // No entry was added or removed, and the rules are the same: only the files themselves can have changed.
            (Some(earlier), Some(folder), Some(facts)) if is_same(now.as_ref(), then.as_ref()) => {
                earlier.unchanged_leaf(folder, &facts)
            }
            _ => None,
        };
        if let (Some(known), Ok(Some(dir))) = (known, &opened) {
            self.look_again(dir, known);
            return Vec::new();
        }
        let listed = opened.and_then(|dir| dir.map(|dir| Ok((dir.list()?, dir))).transpose());
        let (names, dir) = match listed {
            Ok(Some(listed)) => listed,
            // It has gone since its parent was listed.
            Ok(None) => return Vec::new(),
            Err(_) => {
                self.unreadable.push(name.to_owned());
                return Vec::new();
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
        let around = Around { dir: &dir, folder: folder.as_ref(), now: &now, then: &then, is_settled };
        let below = self.note_all(&names, &around, place);
        let listing = |(folder, facts)| Listing {
            folder: Some(folder),
            facts: Some(facts),
            now: now.clone(),
            then: then.clone(),
        };
        below.into_iter().map(listing).collect()
    }

    /// Notes the entries of a folder that no rule covers, and returns the folders among them.
    fn note_all(
        &mut self,
        names: &crate::dir::Listing,
        around: &Around<'_>,
        mut place: PathBuf,
    ) -> Vec<(RelPath, Facts)> {
        let Around { dir, folder, now, then, is_settled } = *around;
        let (mut below, mut unnameable) = (Vec::new(), Vec::new());
        self.entries.reserve_exact(names.len());
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
                match self.note(dir, folder, name) {
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
        };
        for name in unnameable.into_iter().chain(names.strange()) {
            walk.note(dir, name, &mut place);
        }
        below
    }

    /// Notes the files of a folder in which no name came or went.
    fn look_again(&mut self, dir: &Dir, known: &[Surveyed]) {
        self.entries.reserve_exact(known.len());
        for entry in known {
            if let Some(facts) = dir.facts_of_listed(entry.path.file_name()) {
                self.entries.push(Surveyed { path: entry.path.clone(), facts });
            }
        }
    }

    /// Notes one entry.
    fn note(&mut self, dir: &Dir, folder: Option<&RelPath>, name: &str) -> Noted {
        let Some(path) = RelPath::listed(folder, name) else { return Noted::Unnameable };
        // Entries that have gone are left out, as if the listing had been made a moment later.
        let Some(facts) = dir.facts_of_listed(name) else { return Noted::Other };
        let noted =
            if facts.kind == Kind::Directory { Noted::Folder(path.clone(), facts) } else { Noted::Other };
        self.entries.push(Surveyed { path, facts });
        noted
    }
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

/// The result of inspecting an entry.
enum Noted {
    /// A folder to list next.
    Folder(RelPath, Facts),
    /// Something whose name no transaction may use; not noted yet.
    Unnameable,
    /// Anything else, or nothing any more.
    Other,
}
