//! A listing of the workspace that lives for a second.
//!
//! A person who types into a file picker asks about the same tree ten times a second. Whatever Relay itself writes, removes or renames
//! invalidates the listing; changes by others show once it has expired. An empty answer is checked again if the listing is older than a
//! moment.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;

use super::crawl::{self, Visitor};
use super::{Scope, SearchError};
use crate::dir::Dir;
use crate::read::Kind;
use crate::workspace::Workspace;

/// How long a listing is valid.
pub const CACHE_LIFE: Duration = Duration::from_millis(1_000);
/// How old a listing may be for an empty answer to count.
pub const EMPTY_RECHECK: Duration = Duration::from_millis(200);
/// How many listings are kept; the oldest goes first.
pub const CACHE_ENTRIES: usize = 16;

/// A file, folder or link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// From the root.
    pub path: String,
    /// What it is.
    pub kind: Kind,
}

/// What a listing depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanKey {
    /// The folder that is listed: the workspace's root, or one below it.
    pub root: PathBuf,
    /// See [`Scope::hidden`].
    pub hidden: bool,
    /// See [`Scope::gitignore`].
    pub gitignore: bool,
    /// See [`Scope::node_modules`].
    pub node_modules: bool,
}

struct Kept {
    key: ScanKey,
    taken: Instant,
    entries: Arc<[Entry]>,
}

/// Listings, shared by all callers.
#[derive(Default)]
pub struct ScanCache {
    kept: Mutex<Vec<Kept>>,
}

impl std::fmt::Debug for ScanCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScanCache").field("listings", &self.lock().len()).finish()
    }
}

struct Lister<'c> {
    entries: Vec<Entry>,
    seen: &'c AtomicUsize,
}

impl Lister<'_> {
    fn push(&mut self, path: &str, kind: Kind) {
        self.seen.fetch_add(1, Ordering::Relaxed);
        self.entries.push(Entry { path: path.to_owned(), kind });
    }
}

impl Visitor for Lister<'_> {
    fn file(&mut self, _dir: &Dir, path: &str, _name: &str) {
        self.push(path, Kind::File);
    }

    fn folder(&mut self, _dir: &Dir, path: &str, _name: &str) {
        self.push(path, Kind::Directory);
    }

    fn link(&mut self, _dir: &Dir, path: &str, _name: &str) {
        self.push(path, Kind::Symlink);
    }
}

impl ScanCache {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything in the workspace that `answer` needs, from a listing that is young enough at `now`. If the answer is empty and the
    /// listing is not fresh, the tree is listed once more. A scope with one path asks about that folder alone.
    ///
    /// # Errors
    /// The workspace cannot be listed.
    pub fn ask<T>(
        &self,
        workspace: &Workspace,
        scope: &Scope,
        now: Instant,
        cancel: &Cancel,
        answer: impl Fn(&[Entry]) -> Vec<T>,
    ) -> Result<Vec<T>, SearchError> {
        self.ask_counting(workspace, scope, now, (cancel, &AtomicUsize::new(0)), answer)
    }

    /// The same; `seen` is called with the number of entries listed so far.
    ///
    /// # Errors
    /// The workspace cannot be listed.
    pub fn ask_counting<T>(
        &self,
        workspace: &Workspace,
        scope: &Scope,
        now: Instant,
        (cancel, seen): (&Cancel, &AtomicUsize),
        answer: impl Fn(&[Entry]) -> Vec<T>,
    ) -> Result<Vec<T>, SearchError> {
        let key = key(workspace, scope);
        if let Some((entries, age)) = self.young(&key, now) {
            let found = answer(&entries);
            if !found.is_empty() || age <= EMPTY_RECHECK {
                return Ok(found);
            }
        }
        let entries = list(workspace, scope, cancel, seen)?;
        if !cancel.is_cancelled() {
            self.keep(key, now, Arc::clone(&entries));
        }
        Ok(answer(&entries))
    }

    fn young(&self, key: &ScanKey, now: Instant) -> Option<(Arc<[Entry]>, Duration)> {
        let kept = self.lock();
        let found = kept.iter().find(|kept| kept.key == *key)?;
        let age = now.saturating_duration_since(found.taken);
        (age < CACHE_LIFE).then(|| (Arc::clone(&found.entries), age))
    }

    fn keep(&self, key: ScanKey, now: Instant, entries: Arc<[Entry]>) {
        let mut kept = self.lock();
        kept.retain(|kept| kept.key != key);
        if kept.len() >= CACHE_ENTRIES
            && let Some(oldest) = (0..kept.len()).min_by_key(|index| kept.get(*index).map(|kept| kept.taken))
        {
            kept.remove(oldest);
        }
        kept.push(Kept { key, taken: now, entries });
    }

    /// Forgets listings of every root that `path` is in; both sides of a rename are to be given.
    pub fn invalidate(&self, path: &Path) {
        self.lock().retain(|kept| !path.starts_with(&kept.key.root) && !kept.key.root.starts_with(path));
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// How many listings are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether none is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn key(workspace: &Workspace, scope: &Scope) -> ScanKey {
    let root = match scope.paths.as_slice() {
        [folder] => workspace.root().join(folder),
        _ => workspace.root().to_path_buf(),
    };
    ScanKey { root, hidden: scope.hidden, gitignore: scope.gitignore, node_modules: scope.node_modules }
}

/// Everything in the workspace or the folder, sorted by path; nothing of it is kept.
fn list(
    workspace: &Workspace,
    scope: &Scope,
    cancel: &Cancel,
    seen: &AtomicUsize,
) -> Result<Arc<[Entry]>, SearchError> {
    let plain = Scope {
        paths: if scope.paths.len() == 1 { scope.paths.clone() } else { Vec::new() },
        globs: Vec::new(),
        types: Vec::new(),
        types_not: Vec::new(),
        ..scope.clone()
    };
    let plan = plain.plan(workspace)?;
    let (listers, _) = crawl::crawl(workspace, &plan, cancel, || Lister { entries: Vec::new(), seen });
    let mut entries: Vec<Entry> = listers.into_iter().flat_map(|lister| lister.entries).collect();
    entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(entries.into())
}
