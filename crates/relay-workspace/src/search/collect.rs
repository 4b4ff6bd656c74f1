//! Matches, collected from several threads at once so that the same ones are kept every time.
//!
//! Which matches are kept goes by the order of paths, not by which thread was faster: a file that comes after enough others is
//! still counted, but its lines are not kept.

use std::collections::BTreeMap;
use std::io;
use std::sync::Mutex;

use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};
use relay_diagnostics::Cancel;

use super::crawl::{self, Visitor};
use super::{FileMatches, Found, Limits, Line, Query, Scope, SearchError, text};
use crate::dir::Dir;
use crate::workspace::Workspace;

/// Collects the lines of one file.
pub(super) struct Collector {
    take: usize,
    columns: usize,
    wants_lines: bool,
    lines: Vec<Line>,
    count: usize,
    is_binary: bool,
}

impl Collector {
    pub(super) fn new(take: usize, columns: usize, wants_lines: bool) -> Self {
        Self { take, columns, wants_lines, lines: Vec::new(), count: 0, is_binary: false }
    }

    /// The lines, how many match, and whether the file is binary.
    pub(super) fn finish(self) -> (Vec<Line>, usize, bool) {
        (self.lines, self.count, self.is_binary)
    }

    fn push(&mut self, number: Option<u64>, bytes: &[u8], is_match: bool) {
        for (offset, line) in
            bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n').enumerate()
        {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let (text, is_cut) = cut(line, self.columns);
            let number = number.unwrap_or(0) + u64::try_from(offset).unwrap_or(0);
            self.lines.push(Line { number, text, is_match, is_cut });
        }
    }
}

/// At most `columns` bytes of a line, at a character's end.
fn cut(line: &[u8], columns: usize) -> (String, bool) {
    let is_cut = line.len() > columns;
    let mut end = line.len().min(columns);
    while is_cut && end > 0 && line.get(end).is_some_and(|byte| byte & 0xC0 == 0x80) {
        end -= 1;
    }
    (String::from_utf8_lossy(line.get(..end).unwrap_or_default()).into_owned(), is_cut)
}

impl Sink for Collector {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.count += 1;
        if self.wants_lines && self.count <= self.take {
            self.push(found.line_number(), found.bytes(), true);
        }
        Ok(true)
    }

    fn context(&mut self, _searcher: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if self.wants_lines && self.count <= self.take {
            self.push(context.line_number(), context.bytes(), false);
        }
        Ok(true)
    }

    fn finish(&mut self, _searcher: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.is_binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

/// Keeps the matches from `skip` on, `matches` of them, with the context that belongs to them.
pub(super) fn keep_matches(lines: &mut Vec<Line>, skip: usize, matches: usize) {
    let mut seen = 0;
    let mut kept: Vec<Line> = Vec::new();
    let mut pending: Vec<Line> = Vec::new();
    for line in lines.drain(..) {
        if line.is_match {
            seen += 1;
            if seen > skip && seen <= skip + matches {
                kept.append(&mut pending);
                kept.push(line);
            } else {
                pending.clear();
            }
        } else if seen > skip && seen < skip + matches {
            kept.push(line);
        } else if seen == skip + matches && matches > 0 {
            // After the last match its context goes on until a gap; what comes later belongs to the next one.
            let follows = kept.last().is_some_and(|last| last.number + 1 == line.number);
            if follows && pending.is_empty() {
                kept.push(line);
            }
        } else {
            pending.push(line);
        }
    }
    *lines = kept;
}

/// A file that ends early when the search is cancelled, so that one huge file does not hold it up.
struct Stoppable<'a, R> {
    inner: R,
    cancel: &'a Cancel,
}

impl<R: io::Read> io::Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        self.inner.read(buffer)
    }
}

/// What all threads add to.
struct Kept {
    files: BTreeMap<String, FileMatches>,
    /// Matches in `files`.
    total: usize,
    /// How many are needed.
    take: usize,
    matches: usize,
    matching_files: usize,
}

impl Kept {
    fn add(&mut self, file: FileMatches) {
        self.matches += file.count;
        self.matching_files += 1;
        if self.is_late(&file.path) {
            return;
        }
        self.total += file.count;
        self.files.insert(file.path.clone(), file);
        // Files at the end are dropped as long as those before them are enough.
        while let Some(last) = self.files.last_entry() {
            if self.total - last.get().count < self.take {
                break;
            }
            self.total -= last.get().count;
            last.remove();
        }
    }

    /// Whether enough matches come before this path.
    fn is_late(&self, path: &str) -> bool {
        self.total >= self.take && self.files.last_key_value().is_none_or(|(last, _)| last.as_str() < path)
    }
}

struct Worker<'a> {
    matcher: RegexMatcher,
    searcher: Searcher,
    limits: &'a Limits,
    kept: &'a Mutex<Kept>,
    cancel: &'a Cancel,
    searched: usize,
    binary: usize,
    unreadable: Vec<String>,
}

impl Visitor for Worker<'_> {
    fn file(&mut self, dir: &Dir, path: &str, name: &str) {
        let file = match dir.open_file(name) {
            Ok(Some((file, _))) => file,
            // It has gone since its folder was listed, or became something else.
            Ok(None) => return,
            Err(error) => {
                self.unreadable.push(error.path().to_owned());
                return;
            }
        };
        self.searched += 1;
        let take = self.limits.skip + self.limits.matches;
        let mut collector = Collector::new(take, self.limits.columns, self.limits.lines);
        let file = Stoppable { inner: file, cancel: self.cancel };
        if self.searcher.search_reader(&self.matcher, file, &mut collector).is_err() {
            if !self.cancel.is_cancelled() {
                self.unreadable.push(path.to_owned());
            }
            return;
        }
        let (lines, count, is_binary) = collector.finish();
        self.binary += usize::from(is_binary);
        if count > 0 && !is_binary {
            let found = FileMatches { path: path.to_owned(), count, lines };
            match self.kept.lock() {
                Ok(mut kept) => kept.add(found),
                // A thread panicked; its search fails as a whole.
                Err(_) => self.unreadable.push(path.to_owned()),
            }
        }
    }
}

pub(super) fn search(
    workspace: &Workspace,
    query: &Query,
    scope: &Scope,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Found, SearchError> {
    let matcher = query.matcher()?;
    let plan = scope.plan(workspace)?;
    let take = limits.skip + limits.matches;
    let kept = Mutex::new(Kept { files: BTreeMap::new(), total: 0, take, matches: 0, matching_files: 0 });
    let make = || Worker {
        matcher: matcher.clone(),
        searcher: text::searcher(query, limits),
        limits,
        kept: &kept,
        cancel,
        searched: 0,
        binary: 0,
        unreadable: Vec::new(),
    };
    let (workers, crawled) = crawl::crawl(workspace, &plan, cancel, make);
    let mut found = Found { missing: plan.missing, unreadable: crawled.unreadable, ..Found::default() };
    found.is_cancelled = cancel.is_cancelled();
    for worker in workers {
        found.searched_files += worker.searched;
        found.binary_files += worker.binary;
        found.unreadable.extend(worker.unreadable);
    }
    found.unreadable.sort_unstable();
    let kept = kept.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    found.matches = kept.matches;
    found.matching_files = kept.matching_files;
    found.files = page(kept.files, limits);
    Ok(found)
}

/// The matches from `skip` on.
fn page(files: BTreeMap<String, FileMatches>, limits: &Limits) -> Vec<FileMatches> {
    let (mut skip, mut left) = (limits.skip, limits.matches);
    let mut page = Vec::new();
    for mut file in files.into_values() {
        let here = file.count;
        if left == 0 {
            break;
        }
        if here <= skip {
            skip -= here;
            continue;
        }
        if limits.lines {
            keep_matches(&mut file.lines, skip, left);
        }
        left = left.saturating_sub(here - skip);
        skip = 0;
        page.push(file);
    }
    page
}
