//! Views: what a model was shown of a file, so that edits by line are resolved against that and not against today.

use std::collections::BTreeMap;

use relay_edit::{Dialect, Edit};
use relay_store::{Shelf, StoreError};
use relay_workspace::RelPath;

use crate::engine::Engine;

/// Remembers that a model is shown lines `first` to `last` of this content, counted from 1; `None` means all of it. What
/// it was shown of the same content before stays known.
///
/// # Errors
/// The user's data cannot be written.
pub fn remember(
    engine: &Engine,
    path: &RelPath,
    content: &[u8],
    lines: Option<(usize, usize)>,
) -> Result<(), StoreError> {
    let text = as_text(&relay_edit::text_of(content));
    let root = engine.workspace().root();
    let mut texts = vec![text.clone()];
    if let Some((first, last)) = lines {
        // A shelf that cannot be read is like one that is empty: then only the lines of now are vouched for.
        let known = engine.store().look_up(Shelf::Views, root, path.as_str()).unwrap_or_default();
        let earlier = match known.as_slice() {
            [seen] if *seen == text => return Ok(()),
            [seen, shown] if *seen == text => format!("{shown} "),
            _ => String::new(),
        };
        texts.push(format!("{earlier}{first}-{last}"));
    }
    engine.store().put(Shelf::Views, root, path.as_str(), texts)
}

/// What models were shown of files, as far as it is known.
#[derive(Debug, Default)]
pub(crate) struct Views {
    /// Path to the whole content.
    pub contents: BTreeMap<String, Vec<u8>>,
    /// Path to the lines that were shown, where not all were.
    pub shown: BTreeMap<String, Vec<(usize, usize)>>,
}

/// The views of the files that are edited by line. Other edits carry their own text, which says more than a view that
/// may be of another conversation. A shelf that cannot be read is like one that is empty: the edits are then refused or
/// asked about, never placed wrongly.
pub(crate) fn of(engine: &Engine, edits: &[Edit]) -> Views {
    let by_line = edits.iter().filter(|edit| matches!(edit.dialect, Dialect::Hashline | Dialect::Commands));
    let root = engine.workspace().root();
    let mut views = Views::default();
    for edit in by_line {
        let texts = engine.store().look_up(Shelf::Views, root, &edit.path).unwrap_or_default();
        let mut texts = texts.into_iter();
        let Some(content) = texts.next() else { continue };
        views.contents.insert(edit.path.clone(), as_bytes(content));
        if let Some(lines) = texts.next() {
            views.shown.insert(edit.path.clone(), lines.split(' ').filter_map(range).collect());
        }
    }
    views
}

/// What is before content that is not UTF-8, each byte of which is one character then. No text begins so.
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

fn range(text: &str) -> Option<(usize, usize)> {
    let (first, last) = text.split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?))
}
