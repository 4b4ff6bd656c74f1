//! A survey: every file, link and folder that no ignore rule covers, with what the disk says about each.
//!
//! Two surveys, before and after somebody worked in the tree, tell what may have changed without reading a file. The
//! later one is made with the rules of the earlier one as well: a file that was ignored then must not look new because
//! the ignore file has gone. Folders are listed by several threads at once, because this is asked for before and after
//! every command. Nothing is read here but ignore files, and nothing is decided.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::read::{Facts, Kind};
use crate::refusal::PathRefusal;
use crate::rel_path::RelPath;
use crate::rules::{IGNORE_FILE, Rules, is_same};
use crate::workspace::Workspace;
use crate::{SURVEY_LIMIT_ENTRIES, dir::Dir};

/// How many threads list folders. More than there are processors: on a cold or distant disk they mostly wait.
const THREADS: usize = 8;

/// One thing a survey found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// Where it is.
    pub path: RelPath,
    /// What the disk says about it.
    pub facts: Facts,
}

/// What [`Workspace::survey`] found.
#[derive(Debug, Default)]
pub struct Survey {
    /// Files, links, folders and special files, sorted by path.
    pub entries: Vec<Surveyed>,
    /// Files whose names no transaction may use, sorted: Relay's configuration, disguised names.
    pub unnameable: Vec<(String, Facts)>,
    /// Folders that could not be listed.
    pub unreadable: Vec<String>,
    /// Whether the limit on the number of entries was kept.
    pub is_complete: bool,
    above: Option<Arc<Rules>>,
    /// The rules of every folder that has an ignore file, by the folder's path. A later survey keeps those of the
    /// first: they say what was not looked at then.
    rules: Arc<HashMap<String, Arc<Rules>>>,
}

impl Survey {
    /// What was found at a path.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&Surveyed> {
        let at = self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        self.entries.get(at)
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
        let first = Listing { folder: None, now: above.clone(), then: above.clone() };
        let work = Work {
            queue: Mutex::new(Queue { listings: vec![first], busy: 0, found: 0 }),
            more: Condvar::new(),
        };
        let mut survey = Survey { above, is_complete: true, ..Survey::default() };
        let parts: Vec<Part> = std::thread::scope(|scope| {
            let workers: Vec<_> = (1..THREADS).map(|_| scope.spawn(|| work.run(self, earlier))).collect();
            let own = work.run(self, earlier);
            // A worker that panicked has lost its part, which then shows as unreadable.
            let others = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| Part::lost()));
            std::iter::once(own).chain(others).collect()
        });
        let mut rules = HashMap::new();
        let mut folders = Vec::new();
        for part in parts {
            folders.extend(part.folders);
            survey.unnameable.extend(part.unnameable);
            survey.unreadable.extend(part.unreadable);
            rules.extend(part.rules);
        }
        survey.rules = earlier.map_or_else(|| Arc::new(rules), |earlier| Arc::clone(&earlier.rules));
        // Folder by folder in order, each in order itself: almost sorted, which the stable sort makes use of.
        folders.sort_unstable_by(|a: &Vec<Surveyed>, b| {
            a.first().map(|e| &e.path).cmp(&b.first().map(|e| &e.path))
        });
        survey.entries = folders.into_iter().flatten().collect();
        survey.entries.sort_by(|a, b| a.path.cmp(&b.path));
        survey.is_complete = survey.entries.len() <= SURVEY_LIMIT_ENTRIES;
        survey.entries.truncate(SURVEY_LIMIT_ENTRIES);
        survey.unnameable.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        survey.unreadable.sort_unstable();
        survey
    }
}

/// A folder to be listed (`None` is the root), and the rules that hold around it now and held then.
struct Listing {
    folder: Option<RelPath>,
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

/// Says that a thread is done with its folder, also when it panics: the others must not wait for ever.
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
        Listing { folder, now, then }: Listing,
    ) -> Vec<Listing> {
        let name = folder.as_ref().map_or("", RelPath::as_str);
        let opened = match &folder {
            None => workspace.root_dir().try_clone().map(Some),
            Some(folder) => workspace.open_dir(folder),
        };
        let listed = opened.and_then(|dir| dir.map(|dir| Ok((dir.entries()?, dir))).transpose());
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
        let mut place = folder.as_ref().map_or_else(|| root.to_path_buf(), |folder| folder.below(root));
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
        let mut below = Vec::new();
        self.entries.reserve_exact(names.len());
        for (name, kind) in names {
            place.push(&name);
            let ignore =
                |rules: &Option<Arc<Rules>>| rules.as_ref().is_some_and(|rules| rules.ignore(&place, kind));
            let is_ignored = ignore(&now) || (!is_settled && ignore(&then));
            place.pop();
            if !is_ignored {
                below.extend(self.note(&dir, folder.as_ref(), &name));
            }
        }
        let listing = |folder| Listing { folder: Some(folder), now: now.clone(), then: then.clone() };
        below.into_iter().map(listing).collect()
    }

    /// Notes one entry; returns it if it is a folder to go on with.
    fn note(&mut self, dir: &Dir, folder: Option<&RelPath>, name: &str) -> Option<RelPath> {
        // What is gone by now is left out, as if the listing had come a moment later.
        let facts = dir.facts_of_listed(name)?;
        let Some(path) = RelPath::listed(folder, name) else {
            let shown = folder.map_or_else(|| name.to_owned(), |folder| format!("{folder}/{name}"));
            let is_private =
                matches!(RelPath::new(name), Err(PathRefusal::Git { .. } | PathRefusal::RelayState { .. }));
            if facts.kind != Kind::Directory && !is_private {
                self.unnameable.push((shown, facts));
            }
            return None;
        };
        self.entries.push(Surveyed { path: path.clone(), facts });
        (facts.kind == Kind::Directory).then_some(path)
    }
}
