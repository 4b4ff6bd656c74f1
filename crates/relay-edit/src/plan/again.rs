//! A change that is written twice.
//!
//! Mostly the second time finds it done. Where its old lines stand at several places and the line number chose one of them,
//! the second time would find the place that is left, which nobody meant.

use std::collections::HashMap;

use super::EditOutcome;
use crate::matcher::{Placement, Tie};
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
