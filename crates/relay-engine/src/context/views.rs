//! Views: what a model was shown of a file, so that edits by line are resolved against that and not against today.

use std::collections::BTreeMap;

use relay_edit::{Dialect, Edit};
use relay_store::{Shelf, StoreError};
use relay_workspace::RelPath;

use crate::engine::Engine;

/// Remembers that a model is shown lines `first` to `last` of this content, counted from 1; `None` means all of it.
/// Earlier views of the same content are kept.
///
/// # Errors
/// The user's data cannot be written.
pub fn remember(
    engine: &Engine,
    path: &RelPath,
    content: &[u8],
    lines: Option<(usize, usize)>,
) -> Result<(), StoreError> {
    let (store, root) = (engine.store(), engine.workspace().root());
    let lines = lines.as_ref().map(std::slice::from_ref);
    // A shelf that cannot be read is like one that is empty: then only the lines of now are vouched for.
    let before = store.look_up(Shelf::Views, root, path.as_str()).unwrap_or_default();
    store.put(Shelf::Views, root, path.as_str(), texts_of(&Seen { path, content, lines }, &before))
}

/// How many files of a conversation are remembered.
const PER_SESSION: usize = 30;

/// Between the session and the path in the name of a session's view; no path has it.
const WITHIN: char = '\u{1f}';

/// What a model is shown of a file.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The file.
    pub path: &'a RelPath,
    /// All of its content.
    pub content: &'a [u8],
    /// The lines that are shown, counted from 1; `None` means all of them.
    pub lines: Option<&'a [(usize, usize)]>,
}

/// Remembers what the model of a session is shown, as [`remember`] does for the whole project. Views of other conversations
/// do not count for this one.
///
/// # Errors
/// The user's data cannot be written.
pub fn remember_in(engine: &Engine, session: &str, seen: &[Seen<'_>]) -> Result<(), StoreError> {
    let (store, root) = (engine.store(), engine.workspace().root());
    let known = store.look_through(Shelf::Views, root).unwrap_or_default();
    let named = seen.iter().filter_map(|seen| {
        let name = format!("{session}{WITHIN}{}", seen.path);
        let before = known.iter().find(|(known, _)| *known == name).map(|(_, texts)| texts.as_slice());
        let texts = texts_of(seen, before.unwrap_or_default());
        (Some(texts.as_slice()) != before).then_some((name, texts))
    });
    let mut named: Vec<(String, Vec<String>)> = named.collect();
    if named.is_empty() {
        return Ok(());
    }
    let within = format!("{session}{WITHIN}");
    let is_older = |name: &&String| name.starts_with(&within) && named.iter().all(|(new, _)| new != *name);
    let older: Vec<String> = known.iter().map(|(name, _)| name).filter(is_older).cloned().collect();
    let too_many = (older.len() + named.len()).saturating_sub(PER_SESSION);
    named.extend(older.into_iter().take(too_many).map(|name| (name, Vec::new())));
    store.put_all(Shelf::Views, root, named)
}

/// What is kept of a file, given what was kept of it before: its content, then the lines that were shown, if not all were.
fn texts_of(seen: &Seen<'_>, before: &[String]) -> Vec<String> {
    let text = as_text(&relay_edit::text_of(seen.content));
    let Some(lines) = seen.lines else { return vec![text] };
    let earlier = match before {
        [known] if *known == text => return vec![text],
        [known, shown] if *known == text => shown.as_str(),
        _ => "",
    };
    let ranges = merged(earlier.split(' ').filter_map(range).chain(lines.iter().copied()).collect());
    let ranges: Vec<String> = ranges.iter().map(|(first, last)| format!("{first}-{last}")).collect();
    vec![text, ranges.join(" ")]
}

/// Ranges in order, those that touch each other as one.
fn merged(mut ranges: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    ranges.sort_unstable();
    let mut merged: Vec<(usize, usize)> = Vec::new();
    for (first, last) in ranges {
        match merged.last_mut() {
            Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
            _ => merged.push((first, last)),
        }
    }
    merged
}

/// What a session's model was shown of files; for files it was not shown, what any model was shown.
#[must_use]
pub fn in_session<'p>(engine: &Engine, session: &str, paths: impl IntoIterator<Item = &'p str>) -> Views {
    let mut views = Views::default();
    for path in paths {
        let own = format!("{session}{WITHIN}{path}");
        if !views.take_from(engine, &own, path) {
            views.take_from(engine, path, path);
        }
    }
    views
}

/// What models were shown of files, as far as Relay knows.
#[derive(Clone, Debug, Default)]
pub struct Views {
    /// Path to the whole content.
    pub contents: BTreeMap<String, Vec<u8>>,
    /// Path to the lines that were shown, where not all were.
    pub shown: BTreeMap<String, Vec<(usize, usize)>>,
}

/// The views of the files that are edited by line. Other edits carry their own text, which is better evidence than a
/// view that may come from another conversation. An unreadable shelf counts as empty: the edits are then refused or
/// asked about, never placed wrongly.
pub(crate) fn of(engine: &Engine, edits: &[Edit]) -> Views {
    let by_line = edits.iter().filter(|edit| matches!(edit.dialect, Dialect::Hashline | Dialect::Commands));
    let mut views = Views::default();
    for edit in by_line {
        views.take_from(engine, &edit.path, &edit.path);
    }
    views
}

impl Views {
    /// Adopts the stored view under a name for a path; returns whether there is one.
    fn take_from(&mut self, engine: &Engine, name: &str, path: &str) -> bool {
        let texts = engine.store().look_up(Shelf::Views, engine.workspace().root(), name);
        let mut texts = texts.unwrap_or_default().into_iter();
        let Some(content) = texts.next() else { return false };
        self.contents.insert(path.to_owned(), as_bytes(content));
        if let Some(lines) = texts.next() {
            self.shown.insert(path.to_owned(), lines.split(' ').filter_map(range).collect());
        }
        true
    }

    /// Whether all of a file was shown, and it is as it was.
    #[must_use]
    pub fn is_whole(&self, path: &str, content: &[u8]) -> bool {
        let seen = self.contents.get(path);
        !self.shown.contains_key(path) && seen.is_some_and(|seen| **seen == *relay_edit::text_of(content))
    }
}

/// The marker before content that is not UTF-8, in which each byte is stored as one character. Text never begins with
/// it.
const BYTES: char = '\0';

fn as_text(content: &[u8]) -> String {
    match std::str::from_utf8(content) {
        Ok(text) if !text.starts_with(BYTES) => text.to_owned(),
        _ => std::iter::once(BYTES).chain(content.iter().copied().map(char::from)).collect(),
    }
}

fn as_bytes(text: String) -> Vec<u8> {
    match text.strip_prefix(BYTES) {
        Some(bytes) => bytes.chars().filter_map(|byte| u8::try_from(byte).ok()).collect(),
        None => text.into_bytes(),
    }
}

/// Lines as they are written: `3-9`.
pub(crate) fn range(text: &str) -> Option<(usize, usize)> {
    let (first, last) = text.split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?))
}
