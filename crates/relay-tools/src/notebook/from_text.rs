//! From the text of a notebook, after it was edited, back to its cells.

use std::collections::BTreeSet;

use super::pieces::Piece;
use super::splice::Notebook;
use super::text::{as_text, marker};

/// A stretch of the text: a marker and the lines below it.
#[derive(Debug, PartialEq, Eq)]
struct Stretch<'t> {
    kind: &'t str,
    /// The cell that the marker names.
    index: Option<usize>,
    source: &'t str,
}

/// The notebook with the cells that its text has now. Those that did not change keep every byte.
///
/// # Errors
/// It is not a notebook, or the text does not say what belongs to which cell.
pub fn from_text(bytes: &[u8], text: &str) -> Result<Vec<u8>, String> {
    let notebook = Notebook::parse(bytes)?;
    let before = as_text(bytes)?;
    let old = stretches(&before)?;
    let is_in_order = old.iter().enumerate().all(|(at, cell)| cell.index == Some(at));
    if !is_in_order || old.len() != notebook.len() {
        return Err(
            "A cell of this notebook has a line that looks like the marker of a cell; use `notebook`."
                .to_owned(),
        );
    }
    let new = stretches(text)?;
    let mut taken = vec![false; old.len()];
    // A cell that is as it was keeps its place before another one claims its number.
    for cell in &new {
        let same = cell.index.and_then(|at| old.get(at)).is_some_and(|known| known == cell);
        if let Some(taken) = cell.index.filter(|_| same).and_then(|at| taken.get_mut(at)) {
            *taken = true;
        }
    }
    let mut used = BTreeSet::new();
    let mut pieces = Vec::new();
    for cell in &new {
        let known = cell.index.and_then(|at| Some((at, old.get(at)?)));
        pieces.push(match known {
            // The same cell a second time is a new one, because ids must differ.
            Some((at, known)) if known == cell && used.insert(at) => Piece::Kept(at),
            Some((at, known))
                if known.kind == cell.kind && taken.get(at) == Some(&false) && used.insert(at) =>
            {
                Piece::Changed(at, source(cell.source, notebook.ends_with_newline(at)))
            }
            _ => Piece::New { kind: cell.kind.to_owned(), source: source(cell.source, false) },
        });
    }
    notebook.with_pieces(&pieces)
}

/// The source that lines stand for: the last newline is the text's, unless the cell had one of its own.
fn source(lines: &str, keeps_newline: bool) -> String {
    let plain = if keeps_newline { lines } else { lines.strip_suffix('\n').unwrap_or(lines) };
    plain.to_owned()
}

fn stretches(text: &str) -> Result<Vec<Stretch<'_>>, String> {
    let mut found: Vec<Stretch<'_>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if let Some((kind, index)) = marker(line.trim_end()) {
            found.push(Stretch { kind, index, source: text.get(at..at).unwrap_or_default() });
        } else if let Some(last) = found.last_mut() {
            let begin = start - last.source.len();
            last.source = text.get(begin..at).unwrap_or_default();
        } else if !line.trim().is_empty() {
            return Err(
                "The text begins before the first cell; begin with a line such as `# %% [code]`.".to_owned()
            );
        }
    }
    Ok(found)
}
