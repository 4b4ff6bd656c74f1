//! A change that is written twice.
//!
//! Mostly the second time finds it done. Where its old lines stand at several places and the line number chose one of them,
//! the second time would find the place that is left, which nobody meant. So it is with a place that is only like the one
//! that was meant.
//!
//! What another edit of the reply wrote is no sign that a hunk is done: it must have had a place, or been done, before them all.

use std::collections::HashMap;

use super::EditOutcome;
use super::numbers::Numbers;
use super::patch::{self, Manner};
use super::state::State;
use crate::matcher::{Failure, FileIndex, Key, Located, Placement, Tie};
use crate::{Edit, Hunk, Operation};

/// The edits so far whose places were chosen by line numbers, by their first one.
#[derive(Debug, Default)]
pub(super) struct Chosen<'e>(HashMap<usize, Vec<&'e Edit>>);

impl<'e> Chosen<'e> {
    /// Remembers an edit, if its place was chosen.
    pub fn note(&mut self, edit: &'e Edit, outcome: &EditOutcome) {
        let mut placements = outcome.certificates.iter().flat_map(|certificate| &certificate.placements);
        if placements.any(is_chosen)
            && let Some(line) = first_line(edit)
        {
            self.0.entry(line).or_default().push(edit);
        }
    }

    /// Whether an edit is one of these once more.
    pub fn hold(&self, edit: &Edit) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let alike = first_line(edit).and_then(|line| self.0.get(&line));
        alike.is_some_and(|edits| edits.iter().any(|earlier| is_same_edit(earlier, edit)))
    }
}

/// How many edits are looked back at.
const LOOKED_BACK: usize = 64;

/// Whether an edit of a file was written before, and what it takes away or stands next to is no longer there to the letter.
pub(super) fn is_done(edit: &Edit, earlier: &[Edit], state: &State<'_>) -> bool {
    if !state.is_touched(&edit.path) || hunks(edit).is_empty() {
        return false;
    }
    let mut earlier = earlier.iter().rev().take(LOOKED_BACK);
    if !earlier.any(|earlier| is_same_edit(earlier, edit)) {
        return false;
    }
    let index = FileIndex::new(state.get(&edit.path).unwrap_or_default());
    !hunks(edit).iter().any(|hunk| stands(hunk, &index))
}

/// Whether the old lines of a hunk stand in a file to the letter.
pub(super) fn stands(hunk: &Hunk, index: &FileIndex<'_>) -> bool {
    let old: Vec<&str> = hunk.old_lines().collect();
    old.is_empty() || index.find_some(Key::TrimEnd, &old, 1).is_none_or(|places| !places.is_empty())
}

/// Whether a hunk has a place in a file, or is applied there.
pub(super) fn fits(hunk: &Hunk, file: &[u8], manner: Manner<'_>) -> bool {
    let manner = Manner { numbers: Numbers::default(), ..manner };
    patch::look_for(hunk, &manner.index(file), manner).0.is_ok()
}

/// Without the hunks that count as applied by nothing but what other edits of the reply wrote.
pub(super) fn doubting(
    hunks: &[Hunk],
    located: Vec<Result<Located, Failure>>,
    manner: Manner<'_>,
) -> Vec<Result<Located, Failure>> {
    let Some(original) = manner.original else { return located };
    let checked = hunks.iter().zip(located).map(|(hunk, located)| match located {
        Ok(Located::AlreadyApplied(_)) if !fits(hunk, original, manner) => Err(Failure::NotFound(None)),
        located => located,
    });
    checked.collect()
}

/// Whether the line number decided between several places.
pub(super) fn is_chosen(placement: &Placement) -> bool {
    placement.tie == Some(Tie::LineNumber)
}

fn hunks(edit: &Edit) -> &[Hunk] {
    match &edit.operation {
        Operation::Patch { hunks, .. } => hunks,
        _ => &[],
    }
}

/// The first line that an edit names.
fn first_line(edit: &Edit) -> Option<usize> {
    hunks(edit).iter().find_map(|hunk| hunk.line_hint)
}

fn is_same_edit(one: &Edit, other: &Edit) -> bool {
    let (hunks, others) = (hunks(one), hunks(other));
    let mut pairs = hunks.iter().zip(others);
    one.path == other.path && hunks.len() == others.len() && pairs.all(|(one, other)| is_same(one, other))
}

/// Whether two hunks say the same, wherever they stand in the reply.
pub(super) fn is_same(one: &Hunk, other: &Hunk) -> bool {
    (&one.lines, one.line_hint, &one.scope, one.end, one.target)
        == (&other.lines, other.line_hint, &other.scope, other.end, other.target)
}
