//! Finding files and folders by glob.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use relay_diagnostics::Cancel;

use super::cache::Entry;
use super::crawl::{self, Visitor};
use super::{Scope, SearchError};
use crate::dir::Dir;
use crate::read::{Facts, Kind};
use crate::workspace::Workspace;

/// The kinds to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wanted {
    /// Files, and links.
    #[default]
    Files,
    /// Folders.
    Folders,
    /// Both.
    All,
}

/// What is looked for.
#[derive(Debug, Clone)]
pub struct FindQuery {
    /// Globs, files and folders. `*.ts` means in any folder, `src/*.ts` in `src` alone, `src` everything in it; none means
    /// everything.
    pub patterns: Vec<String>,
    /// Files, folders or both.
    pub wanted: Wanted,
    /// Which files are skipped by default; its paths and globs are not used.
    pub scope: Scope,
    /// How many are kept.
    pub limit: usize,
    /// Newest first; otherwise by path.
    pub newest_first: bool,
    /// Whether to use a listing less than a second old, and to keep a new one. Types and depth are then ignored.
    pub cached: bool,
    /// Called with the number found so far.
    pub counter: Arc<AtomicUsize>,
}

impl Default for FindQuery {
    fn default() -> Self {
        Self {
            patterns: Vec::new(),
            wanted: Wanted::Files,
            scope: Scope::default(),
            limit: 1_000,
            newest_first: true,
            cached: false,
            counter: Arc::default(),
        }
    }
}

/// One file or folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPath {
    /// From the root.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// When its content was last changed: seconds and nanoseconds since 1970. Zero unless sorting by time: a `stat` of
    /// every file takes longer than finding it.
    pub modified: (i64, u32),
    /// Its size in bytes; zero unless the newest come first.
    pub size: u64,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundPaths {
    /// The first ones, in order.
    pub paths: Vec<FoundPath>,
    /// The total number, including those that were not kept.
    pub total: usize,
    /// Named paths that do not exist.
    pub missing: Vec<String>,
    /// Folders that could not be read.
    pub unreadable: Vec<String>,
    /// Whether it was ended before everything was looked at.
    pub is_cancelled: bool,
}

/// Globs, each from the folder in which it begins.
struct Globs {
    starts: Vec<String>,
    set: GlobSet,
    /// Folders of which everything is wanted.
    folders: Vec<String>,
}

impl Globs {
    fn want(&self, path: &str) -> bool {
        let is_below = |folder: &String| {
            folder.is_empty() || path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        self.set.is_match(path) || self.folders.iter().any(is_below)
    }
}

struct Finder<'a> {
    globs: &'a Globs,
    counter: &'a AtomicUsize,
    wanted: Wanted,
    has_facts: bool,
    found: Vec<FoundPath>,
}

impl Finder<'_> {
    fn note(&mut self, dir: &Dir, path: &str, name: &str, kind: Kind) {
        if !self.globs.want(path) {
            return;
        }
        let facts = if self.has_facts { dir.facts_of_listed(name) } else { None };
        if let Some(found) = found(path, kind, facts, self.has_facts) {
            self.counter.fetch_add(1, Ordering::Relaxed);
            self.found.push(found);
        }
    }
}

/// The entry at a path; `None` if it had to be inspected and has gone.
fn found(path: &str, kind: Kind, facts: Option<Facts>, has_facts: bool) -> Option<FoundPath> {
    let path = path.to_owned();
    match facts {
        Some(facts) => Some(FoundPath { path, kind: facts.kind, modified: facts.modified, size: facts.size }),
        None if has_facts => None,
        None => Some(FoundPath { path, kind, modified: (0, 0), size: 0 }),
    }
}

impl Visitor for Finder<'_> {
    fn file(&mut self, dir: &Dir, path: &str, name: &str) {
        if self.wanted != Wanted::Folders {
            self.note(dir, path, name, Kind::File);
        }
    }

    fn folder(&mut self, dir: &Dir, path: &str, name: &str) {
        if self.wanted != Wanted::Files {
            self.note(dir, path, name, Kind::Directory);
        }
    }

    fn link(&mut self, dir: &Dir, path: &str, name: &str) {
        if self.wanted != Wanted::Folders {
            self.note(dir, path, name, Kind::Symlink);
        }
    }
}

pub(super) fn find(
    workspace: &Workspace,
    query: &FindQuery,
    cancel: &Cancel,
) -> Result<FoundPaths, SearchError> {
    let mut found = FoundPaths::default();
    let globs = globs(workspace, query, &mut found)?;
    if globs.starts.is_empty() && found.paths.is_empty() {
        return Err(SearchError::Missing(found.missing));
    }
    if query.cached {
        found.paths.extend(from_listings(workspace, query, &globs, cancel)?);
    } else if !globs.starts.is_empty() {
        let scope = Scope { paths: globs.starts.clone(), globs: Vec::new(), ..query.scope.clone() };
        let plan = scope.plan(workspace)?;
        let make = || Finder {
            globs: &globs,
            counter: &query.counter,
            wanted: query.wanted,
            has_facts: query.newest_first,
            found: Vec::new(),
        };
        let (finders, crawled) = crawl::crawl(workspace, &plan, cancel, make);
        found.paths.extend(finders.into_iter().flat_map(|finder| finder.found));
        found.unreadable = crawled.unreadable;
    }
    found.paths.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    found.paths.dedup_by(|a, b| a.path == b.path);
    if query.newest_first {
        // The sort is stable, so files of the same moment stay in the order of their paths.
        found.paths.sort_by_key(|path| std::cmp::Reverse(path.modified));
    }
    found.total = found.paths.len();
    found.paths.truncate(query.limit);
    found.is_cancelled = cancel.is_cancelled();
    Ok(found)
}

/// The same from listings that are possibly cached. Only the matches are inspected on disk.
fn from_listings(
    workspace: &Workspace,
    query: &FindQuery,
    globs: &Globs,
    cancel: &Cancel,
) -> Result<Vec<FoundPath>, SearchError> {
    let is_wanted = |kind: Kind| match query.wanted {
        Wanted::Files => kind != Kind::Directory,
        Wanted::Folders => kind == Kind::Directory,
        Wanted::All => true,
    };
    let mut found = Vec::new();
    for start in &globs.starts {
        let paths = if start.is_empty() { Vec::new() } else { vec![start.clone()] };
        let scope = Scope { paths, globs: Vec::new(), ..query.scope.clone() };
        let answer = |entries: &[Entry]| {
            let wanted = entries.iter().filter(|entry| is_wanted(entry.kind) && globs.want(&entry.path));
            let mut folders = Folders { workspace, last: None };
            let here = wanted.filter_map(|entry| {
                let facts = if query.newest_first { folders.facts(&entry.path) } else { None };
                self::found(&entry.path, entry.kind, facts, query.newest_first)
            });
            here.collect()
        };
        let seen = (cancel, &*query.counter);
        found.extend(workspace.scans().ask_counting(workspace, &scope, Instant::now(), seen, answer)?);
    }
    Ok(found)
}

/// Inspects files of a sorted listing, opening each folder only once.
struct Folders<'w> {
    workspace: &'w Workspace,
    last: Option<(String, Dir)>,
}

impl Folders<'_> {
    fn facts(&mut self, path: &str) -> Option<Facts> {
        let Some((folder, name)) = path.rsplit_once('/') else {
            return self.workspace.root_dir().facts_of_listed(path);
        };
        if self.last.as_ref().is_none_or(|(last, _)| last != folder) {
            self.last = Some((folder.to_owned(), self.workspace.root_dir().open_dir(folder).ok()??));
        }
        self.last.as_ref().and_then(|(_, dir)| dir.facts_of_listed(name))
    }
}

fn globs(workspace: &Workspace, query: &FindQuery, found: &mut FoundPaths) -> Result<Globs, SearchError> {
    let mut builder = GlobSetBuilder::new();
    let mut globs = Globs { starts: Vec::new(), set: GlobSet::empty(), folders: Vec::new() };
    if query.patterns.is_empty() {
        globs.starts.push(String::new());
        globs.folders.push(String::new());
    }
    for written in &query.patterns {
        let pattern = repaired(workspace, written);
        if !is_glob(&pattern) {
            named(workspace, written, &pattern, &mut globs, found)?;
            continue;
        }
        // `/*.ts` is from the root alone, as in ignore files.
        let (pattern, is_anchored) = match pattern.strip_prefix('/') {
            Some(below) => (below.to_owned(), true),
            None => (pattern, false),
        };
        let (start, _) = literal_start(&pattern);
        if !start.is_empty() && !is_there(workspace, start)? {
            found.missing.push(written.clone());
            continue;
        }
        let full =
            if is_anchored || pattern.contains('/') { pattern.clone() } else { format!("**/{pattern}") };
        let glob = GlobBuilder::new(&full).literal_separator(true).build();
        builder.add(glob.map_err(|error| SearchError::Glob {
            glob: written.clone(),
            message: error.kind().to_string(),
        })?);
        globs.starts.push(start.to_owned());
    }
    let failed = |error: globset::Error| SearchError::Glob {
        glob: query.patterns.join(" "),
        message: error.to_string(),
    };
    globs.set = builder.build().map_err(failed)?;
    globs.starts.sort_unstable();
    globs.starts.dedup();
    // A folder inside another one is walked with it.
    let all = globs.starts.clone();
    let is_inside = |start: &String| {
        all.iter().any(|outer| {
            outer != start
                && (outer.is_empty()
                    || start.strip_prefix(outer.as_str()).is_some_and(|rest| rest.starts_with('/')))
        })
    };
    globs.starts.retain(|start| !is_inside(start));
    Ok(globs)
}

/// A path that is not a glob: a file is found itself, a folder with everything in it.
fn named(
    workspace: &Workspace,
    written: &str,
    path: &str,
    globs: &mut Globs,
    found: &mut FoundPaths,
) -> Result<(), SearchError> {
    if matches!(path, "" | ".") {
        globs.starts.push(String::new());
        globs.folders.push(String::new());
        return Ok(());
    }
    let path = workspace.path(path)?;
    match workspace.facts(&path) {
        Ok(Some(facts)) if facts.kind == Kind::Directory => {
            globs.starts.push(path.as_str().to_owned());
            globs.folders.push(path.as_str().to_owned());
        }
        Ok(Some(facts)) => {
            found.paths.push(FoundPath {
                path: path.as_str().to_owned(),
                kind: facts.kind,
                modified: facts.modified,
                size: facts.size,
            });
        }
        _ => found.missing.push(written.to_owned()),
    }
    Ok(())
}

fn is_there(workspace: &Workspace, folder: &str) -> Result<bool, SearchError> {
    let path = workspace.path(folder)?;
    Ok(matches!(workspace.facts(&path), Ok(Some(_))))
}

/// The pattern from the root, with `/`, and with its braces closed.
fn repaired(workspace: &Workspace, written: &str) -> String {
    let root = workspace.root().to_string_lossy().into_owned();
    let pattern = written.replace('\\', "/");
    let inside = pattern.strip_prefix(&root).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let pattern = inside.map_or(pattern.as_str(), |rest| rest.trim_start_matches('/'));
    let mut pattern = pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/').to_owned();
    let (open, closed) = (pattern.matches('{').count(), pattern.matches('}').count());
    pattern.extend(std::iter::repeat_n('}', open.saturating_sub(closed)));
    pattern
}

fn is_glob(pattern: &str) -> bool {
    pattern.contains(['*', '?', '[', '{'])
}

/// The folders in front of the first part with a wildcard, and the rest.
fn literal_start(pattern: &str) -> (&str, &str) {
    let wildcard = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    let end = pattern.get(..wildcard).and_then(|literal| literal.rfind('/')).unwrap_or(0);
    pattern.split_at(end)
}
