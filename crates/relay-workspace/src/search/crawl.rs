//! Walks the tree with several threads.
//!
//! Work is a stack of folders and of batches of files: a folder with ten thousand files is shared out as well. Threads take from one
//! stack; a folder's handle lives as long as the batches that are opened through it.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use ignore::overrides::Override;
use ignore::types::Types;
use relay_diagnostics::Cancel;

use crate::dir::Dir;
use crate::read::Kind;
use crate::rules::{IGNORE_FILE, Rules};
use crate::workspace::Workspace;
use crate::{PATH_LIMIT_BYTES, STATE_FOLDER};

/// Files of one folder that a thread takes at once.
const BATCH_FILES: usize = 128;

/// What to walk.
pub(super) struct Plan {
    pub(super) starts: Vec<Start>,
    pub(super) missing: Vec<String>,
    pub(super) globs: Override,
    pub(super) types: Types,
    pub(super) hidden: bool,
    pub(super) gitignore: bool,
    pub(super) node_modules: bool,
    pub(super) depth: Option<usize>,
}

/// Where a walk begins.
pub(super) enum Start {
    /// A file that was named, so ignore rules do not apply.
    File {
        /// From the root.
        path: String,
    },
    /// A folder.
    Folder {
        /// From the root; empty for the root itself.
        path: String,
        /// The rules that hold around it.
        rules: Option<Arc<Rules>>,
    },
}

/// What a thread does with what is found.
pub(super) trait Visitor: Send {
    /// A regular file: its folder's handle, its path from the root, its name.
    fn file(&mut self, dir: &Dir, path: &str, name: &str);

    /// A folder.
    fn folder(&mut self, _dir: &Dir, _path: &str, _name: &str) {}

    /// A link, which is not followed.
    fn link(&mut self, _dir: &Dir, _path: &str, _name: &str) {}
}

/// The result of a walk.
#[derive(Debug, Default)]
pub(super) struct Crawled {
    pub(super) unreadable: Vec<String>,
}

enum Work {
    Folder { path: String, rules: Option<Arc<Rules>>, depth: usize },
    Files { dir: Arc<Dir>, folder: Arc<str>, names: Vec<String> },
}

struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    waiting: Vec<Work>,
    busy: usize,
}

impl Queue {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next piece of work; nothing once all threads are idle.
    fn next(&self, cancel: &Cancel) -> Option<Work> {
        let mut state = self.lock();
        loop {
            if cancel.is_cancelled() {
                state.waiting.clear();
            }
            if let Some(work) = state.waiting.pop() {
                state.busy += 1;
                return Some(work);
            }
            if state.busy == 0 {
                self.changed.notify_all();
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn push(&self, work: Vec<Work>) {
        if work.is_empty() {
            return;
        }
        self.lock().waiting.extend(work);
        self.changed.notify_all();
    }

    fn done(&self) {
        let mut state = self.lock();
        state.busy -= 1;
        if state.busy == 0 && state.waiting.is_empty() {
            self.changed.notify_all();
        }
    }
}

/// Walks everything in the plan, with one visitor for each thread.
pub(super) fn crawl<V: Visitor>(
    workspace: &Workspace,
    plan: &Plan,
    cancel: &Cancel,
    make: impl Fn() -> V + Sync,
) -> (Vec<V>, Crawled) {
    let waiting: Vec<Work> = plan.starts.iter().filter_map(|start| first_work(workspace, start)).collect();
    let queue = Queue { state: Mutex::new(State { waiting, busy: 0 }), changed: Condvar::new() };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(12);
    let run = || {
        let mut thread =
            Thread { workspace, plan, cancel, queue: &queue, visitor: make(), unreadable: Vec::new() };
        while let Some(work) = queue.next(cancel) {
            thread.perform(work);
            queue.done();
        }
        (thread.visitor, thread.unreadable)
    };
    let finished: Vec<(V, Vec<String>)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut finished = vec![run()];
        finished.extend(others.into_iter().filter_map(|thread| thread.join().ok()));
        finished
    });
    let mut crawled = Crawled::default();
    let mut visitors = Vec::new();
    for (visitor, unreadable) in finished {
        visitors.push(visitor);
        crawled.unreadable.extend(unreadable);
    }
    (visitors, crawled)
}

fn first_work(workspace: &Workspace, start: &Start) -> Option<Work> {
    match start {
        Start::Folder { path, rules } => {
            Some(Work::Folder { path: path.clone(), rules: rules.clone(), depth: 0 })
        }
        Start::File { path } => {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let dir = if folder.is_empty() {
                workspace.root_dir().try_clone().ok()
            } else {
                workspace.root_dir().open_dir(folder).ok().flatten()
            };
            dir.map(|dir| Work::Files {
                dir: Arc::new(dir),
                folder: folder.into(),
                names: vec![name.to_owned()],
            })
        }
    }
}

struct Thread<'a, V> {
    workspace: &'a Workspace,
    plan: &'a Plan,
    cancel: &'a Cancel,
    queue: &'a Queue,
    visitor: V,
    unreadable: Vec<String>,
}

impl<V: Visitor> Thread<'_, V> {
    fn perform(&mut self, work: Work) {
        match work {
            Work::Files { dir, folder, names } => self.files(&dir, &folder, &names),
            Work::Folder { path, rules, depth } => {
                let root = self.workspace.root_dir();
                let opened = if path.is_empty() { root.try_clone().map(Some) } else { root.open_dir(&path) };
                match opened {
                    Ok(Some(dir)) => self.folder(dir, &path, rules, depth),
                    // It has gone since its parent was listed.
                    Ok(None) => {}
                    Err(error) => self.unreadable.push(error.path().to_owned()),
                }
            }
        }
    }

    fn files(&mut self, dir: &Dir, folder: &str, names: &[String]) {
        let mut path = String::with_capacity(folder.len() + 64);
        for name in names {
            if self.cancel.is_cancelled() {
                return;
            }
            join_into(&mut path, folder, name);
            self.visitor.file(dir, &path, name);
        }
    }

    fn folder(&mut self, dir: Dir, folder: &str, outer: Option<Arc<Rules>>, depth: usize) {
        let listing = match dir.list() {
            Ok(listing) => listing,
            Err(error) => {
                self.unreadable.push(error.path().to_owned());
                return;
            }
        };
        let place = self.workspace.root().join(folder);
        let mut rules = outer;
        if self.plan.gitignore {
            for file in [IGNORE_FILE, ".ignore", ".rgignore"] {
                if listing.iter().any(|(name, _)| name == file) {
                    rules = Rules::from_file(&dir, file, &place, rules);
                }
            }
        }
        let mut files = Vec::new();
        let mut below = Vec::new();
        let mut path = String::with_capacity(folder.len() + 64);
        for (name, kind) in listing.iter() {
            if matches!(name, ".git" | STATE_FOLDER) || (name.starts_with('.') && !self.plan.hidden) {
                continue;
            }
            join_into(&mut path, folder, name);
            let is_folder = kind == Kind::Directory;
            if path.len() > PATH_LIMIT_BYTES || !self.is_wanted(&path, name, kind, rules.as_ref()) {
                continue;
            }
            match kind {
                Kind::Directory if name == "node_modules" && !self.plan.node_modules => {}
                Kind::Directory => {
                    self.visitor.folder(&dir, &path, name);
                    below.push(Work::Folder { path: path.clone(), rules: rules.clone(), depth: depth + 1 });
                }
                Kind::File => files.push(name.to_owned()),
                Kind::Symlink => self.visitor.link(&dir, &path, name),
                Kind::Special => {}
            }
            debug_assert!(is_folder == (kind == Kind::Directory), "a kind does not change");
        }
        if self.plan.depth.is_none_or(|most| depth + 1 < most) {
            self.queue.push(below);
        }
        self.share(dir, folder, files);
    }

    /// Reads the first batch here and leaves the others to idle threads.
    fn share(&mut self, dir: Dir, folder: &str, mut files: Vec<String>) {
        if files.len() <= BATCH_FILES {
            self.files(&dir, folder, &files);
            return;
        }
        let (dir, name): (Arc<Dir>, Arc<str>) = (Arc::new(dir), folder.into());
        let mut batches = Vec::new();
        while files.len() > BATCH_FILES {
            let names = files.split_off(files.len() - BATCH_FILES);
            batches.push(Work::Files { dir: Arc::clone(&dir), folder: Arc::clone(&name), names });
        }
        self.queue.push(batches);
        self.files(&dir, folder, &files);
    }

    fn is_wanted(&self, path: &str, name: &str, kind: Kind, rules: Option<&Arc<Rules>>) -> bool {
        let is_folder = kind == Kind::Directory;
        let chosen = if self.plan.globs.is_empty() {
            ignore::Match::None
        } else {
            self.plan.globs.matched(path, is_folder)
        };
        if chosen.is_ignore() {
            return false;
        }
        // A glob that names a file wins over ignore rules, as it does for ripgrep.
        if chosen.is_none() {
            let is_ignored = rules.is_some_and(|rules| {
                rules.may_match(name, kind) && rules.ignore(&self.workspace.root().join(path), kind)
            });
            if is_ignored {
                return false;
            }
        }
        is_folder || self.plan.types.is_empty() || !self.plan.types.matched(path, false).is_ignore()
    }
}

fn join_into(path: &mut String, folder: &str, name: &str) {
    path.clear();
    if !folder.is_empty() {
        path.push_str(folder);
        path.push('/');
    }
    path.push_str(name);
}
