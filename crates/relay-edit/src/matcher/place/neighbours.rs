//! What the other hunks of an edit say about the place of one.

use crate::matcher::pattern::Pattern;

/// For each hunk the nearest one before it and the nearest one after it of which something is known.
pub(super) fn nearest_known<T>(known: &[Option<T>]) -> Vec<(Option<usize>, Option<usize>)> {
    let step = |last: &mut Option<usize>, (at, known): (usize, &Option<T>)| {
        let nearest = *last;
        if known.is_some() {
            *last = Some(at);
        }
        Some(nearest)
    };
    let before = known.iter().enumerate().scan(None, step);
    let mut nearest: Vec<_> = before.map(|before| (before, None)).collect();
    for (slot, after) in nearest.iter_mut().rev().zip(known.iter().enumerate().rev().scan(None, step)) {
        slot.1 = after;
    }
    nearest
}

/// What the hunks with one place each say about a hunk between them.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    /// The end of the nearest one before.
    pub after: Option<usize>,
    /// The start of the nearest one after.
    pub before: Option<usize>,
    /// How far the nearest one was from where its line number said.
    pub drift: Option<isize>,
    /// By how many lines the hunks before make the file longer.
    pub grown: isize,
    /// All hunks before were applied already, so that the lines below them have moved by as much.
    pub applied: bool,
}

impl Neighbours {
    pub fn of(
        earlier: Option<usize>,
        later: Option<usize>,
        pinned: &[Option<(usize, usize)>],
        patterns: &[Pattern<'_>],
    ) -> Self {
        let drift = |other: usize| {
            let (start, _) = pinned.get(other).copied().flatten()?;
            let hint = patterns.get(other)?.hunk.line_hint?;
            Some(start.cast_signed() - (hint.cast_signed() - 1))
        };
        let place = |other: Option<usize>| other.and_then(|other| pinned.get(other).copied().flatten());
        Self {
            after: place(earlier).map(|(_, end)| end),
            before: place(later).map(|(start, _)| start),
            drift: earlier.and_then(drift).or_else(|| later.and_then(drift)),
            grown: 0,
            applied: false,
        }
    }

    /// How far a place may be from its line number.
    pub fn shifts(&self) -> [isize; 3] {
        [0, self.drift.unwrap_or(0), self.grown]
    }
}
