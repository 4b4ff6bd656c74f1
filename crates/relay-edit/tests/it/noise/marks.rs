//! What models do to a whole hunk: wrong signs, the same hunk twice, the escapes of a page, old lines at another depth than
//! the new ones.

use super::change::{Intent, Kind, Piece};
use super::damage::{Wanted, indent};
use super::write::{counts, signed};
use crate::fuzz::damage::Random;

/// Whether two of a line below each other are hardly meant, and do not end blocks.
fn is_substantial(line: &str) -> bool {
    let text = line.trim_start();
    text.chars().filter(char::is_ascii_alphabetic).count() > 8
        && !["</", "end"].iter().any(|start| text.starts_with(start))
}

/// Whether a line goes in a piece: written as a new one, it would only move.
fn goes(piece: &Piece, line: &str) -> bool {
    piece.lines.iter().any(|(kind, text)| *kind == Kind::Removed && text == line)
}

/// A line of context becomes a new one. The header still counts what was meant.
pub fn context_as_new(intent: &mut Intent, form: &str, random: &mut Random) -> Option<Wanted> {
    if !signed(form) {
        return None;
    }
    let piece = intent.pieces.first_mut()?;
    piece.announced = Some((piece.old().len(), piece.replacement().len()));
    let last = piece.lines.len() - 1;
    let inner = random.below(last + 1);
    let at = *random.pick(&[0, 0, last, last, inner]);
    let (kind, line) = piece.lines.get(at)?;
    if *kind != Kind::Context || !is_substantial(line) || goes(piece, line) {
        return None;
    }
    piece.lines[at].0 = Kind::Added;
    Some(Wanted::Meant)
}

/// The new text goes on with the line that follows in the file.
pub fn one_line_too_many(intent: &mut Intent, form: &str, _: &mut Random) -> Option<Wanted> {
    let piece = intent.pieces.first_mut()?;
    let below = piece.lines.iter().rev().take_while(|(kind, _)| *kind == Kind::Context).count();
    piece.lines.truncate(piece.lines.len() - below);
    let end = piece.start - 1 + piece.old().len();
    let next = intent.before.get(end).filter(|line| is_substantial(line))?.clone();
    // What is counted and has no context may well be meant.
    let has_context = piece.lines.iter().any(|(kind, _)| *kind == Kind::Context);
    if counts(form) && !has_context || goes(piece, &next) {
        return None;
    }
    piece.lines.push((Kind::Added, next));
    Some(Wanted::Meant)
}

/// A hunk stands in the reply twice.
pub fn twice(intent: &mut Intent, _: &str, random: &mut Random) -> Option<Wanted> {
    let at = random.below(intent.pieces.len());
    intent.pieces.insert(at, intent.pieces.get(at)?.clone());
    Some(Wanted::Meant)
}

/// The reply was copied from a page as its source has it.
pub fn escaped(intent: &mut Intent, _: &str, _: &mut Random) -> Option<Wanted> {
    let escape = |line: &str| line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let shows = |piece: &Piece| piece.old().iter().any(|line| escape(line) != *line);
    // Where the old lines have nothing to escape, nobody can tell.
    if !intent.pieces.iter().all(shows) {
        return None;
    }
    for (_, line) in intent.pieces.iter_mut().flat_map(|piece| &mut piece.lines) {
        *line = escape(line);
    }
    Some(Wanted::Meant)
}

/// The old lines are deeper than in the file, the new ones are not.
pub fn old_lines_moved(intent: &mut Intent, _: &str, random: &mut Random) -> Option<Wanted> {
    let depth_of = |piece: &Piece, wanted: Kind| {
        let mut lines = piece.lines.iter().filter(|(kind, line)| *kind == wanted && !line.trim().is_empty());
        lines.next().map(|(_, line)| indent(line).0.len())
    };
    // A new line as deep as the one it replaces shows it, unless lines come back one level deeper: then it may be meant so.
    let comes_back = |piece: &Piece| {
        let (_, added) = piece.exchange();
        let old: Vec<&str> = piece.old().iter().map(|line| line.trim()).collect();
        added.iter().any(|line| old.contains(&line.trim()))
    };
    let shows = |piece: &Piece| {
        !comes_back(piece)
            && depth_of(piece, Kind::Added).is_some()
            && depth_of(piece, Kind::Added) == depth_of(piece, Kind::Removed)
    };
    if !intent.pieces.iter().all(shows) {
        return None;
    }
    let tabs = intent.before.iter().any(|line| line.starts_with('\t'));
    let more = if tabs { "\t" } else { *random.pick(&["  ", "    "]) };
    for (kind, line) in intent.pieces.iter_mut().flat_map(|piece| &mut piece.lines) {
        if *kind != Kind::Added && !line.trim().is_empty() {
            line.insert_str(0, more);
        }
    }
    Some(Wanted::Meant)
}

/// A line that goes is not mentioned, between others that go.
pub fn forgotten(intent: &mut Intent, _: &str, random: &mut Random) -> Option<Wanted> {
    let piece = intent.pieces.first_mut()?;
    // Blank lines may be a margin around what is left.
    let goes = |at: usize| {
        piece.lines.get(at).is_some_and(|(kind, line)| *kind == Kind::Removed && !line.trim().is_empty())
    };
    let inner = |at: &usize| (at - 1..=at + 1).all(goes);
    let inner: Vec<usize> = (1..piece.lines.len()).filter(inner).collect();
    let at = *inner.get(random.below(inner.len().max(1)))?;
    piece.lines.remove(at);
    Some(Wanted::Meant)
}
