//! Whether an edit is another version of one above it: both change the same lines of the file as it is before the reply.
//!
//! "```diff …``` If you'd rather not log: ```diff …```" says it by the lines themselves, whatever words announce it. An edit
//! that was written for the file as the one above leaves it is the next step and not another version.

use std::ops::RangeInclusive;

use super::quoted::find;
use crate::{Edit, Hunk, HunkLine, Operation};

/// More hunks of one file are not compared with each other.
const HUNKS: usize = 500;

/// Whether one of these edits changes what an edit above has changed, as it was before that. `-a`, `+b` in one diff and
/// `-a`, `+c` in the next.
pub(super) fn is_second(own: &[&Edit], above: &[&Edit], before: &str) -> bool {
    let lines: Vec<String> = written(before.lines()).map(str::to_owned).collect();
    let spans = |edits: &[&Edit]| -> Vec<Span> {
        edits.iter().flat_map(|edit| edit.hunks()).filter_map(|hunk| Span::new(hunk, &lines)).collect()
    };
    let count = |edits: &[&Edit]| edits.iter().map(|edit| edit.hunks().len()).sum::<usize>();
    if count(own) + count(above) > HUNKS {
        return false;
    }
    let writes = above.iter().rev().filter_map(|edit| match &edit.operation {
        Operation::Write { content } => Some(written(content.lines()).map(str::to_owned).collect::<Vec<_>>()),
        _ => None,
    });
    let (own, contents, above) = (spans(own), writes.take(1).collect::<Vec<_>>(), spans(above));
    own.iter().any(|second| {
        let is_lost = |content: &Vec<String>| !second.is_in(content);
        contents.iter().any(is_lost) || above.iter().any(|first| second.contradicts(first, &lines))
    })
}

/// Lines that are not blank, without the white space around them.
fn written<'t>(lines: impl Iterator<Item = &'t str>) -> impl Iterator<Item = &'t str> {
    lines.map(str::trim).filter(|line| !line.is_empty())
}

/// A hunk and its place in the file before the reply.
struct Span {
    at: usize,
    old: Vec<String>,
    new: Vec<String>,
    /// What it changes: line `n` is `2n + 1`, and the place before it `2n`.
    changed: RangeInclusive<usize>,
    removes: bool,
}

impl Span {
    /// `None` where the old lines are not in the file, or nothing changes.
    fn new(hunk: &Hunk, lines: &[String]) -> Option<Self> {
        let old: Vec<&str> = written(hunk.old_lines()).collect();
        let at = if old.is_empty() { None } else { find(lines, 0, &old) }?;
        let (mut next, mut first, mut last) = (at, usize::MAX, 0);
        for line in &hunk.lines {
            let (text, step) = match line {
                HunkLine::Context(text) | HunkLine::Removed(text) => (text, 1),
                HunkLine::Added(text) => (text, 0),
            };
            if text.trim().is_empty() {
                continue;
            }
            if !matches!(line, HunkLine::Context(_)) {
                let point = 2 * next + step;
                (first, last) = (first.min(point), last.max(point));
            }
            next += step;
        }
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        let new: Vec<&str> = written(hunk.new_lines()).collect();
        (first <= last).then(|| Self {
            at,
            old: owned(&old),
            new: owned(&new),
            changed: first..=last,
            removes: hunk.removes(),
        })
    }

    /// Whether it changes what another one changes, and not what that one leaves. Two that only add lines at one place add both.
    /// `-a`, `+b` and `-a`, `+c`; not `-b`, `+c`, which goes on from the first.
    fn contradicts(&self, first: &Self, lines: &[String]) -> bool {
        let meets = *self.changed.start() <= first.changed.end() + 1
            && *first.changed.start() <= self.changed.end() + 1;
        if !meets || !self.removes && !first.removes || self.new == first.new {
            return false;
        }
        let mut left = lines.to_vec();
        left.splice(first.at..first.at + first.old.len(), first.new.iter().cloned());
        !self.is_in(&left)
    }

    /// Whether its old lines are among these. `a` among `a`, `b`.
    fn is_in(&self, lines: &[String]) -> bool {
        let old: Vec<&str> = self.old.iter().map(String::as_str).collect();
        find(lines, 0, &old).is_some()
    }
}
