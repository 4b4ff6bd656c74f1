//! The hunks of a change, with as much context as makes each of them unique.

use crate::align::{Difference, differences};
use crate::lines::Lines;
use crate::matcher::{FileIndex, Key};

/// A stretch of lines to be replaced by others, both with their context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// The first old line, counted from 0.
    pub old_start: usize,
    /// The first new line, counted from 0.
    pub new_start: usize,
    /// Each line with its sign: a space, `-` or `+`.
    pub lines: Vec<(char, String)>,
}

impl Stretch {
    /// The lines before.
    pub fn before(&self) -> Vec<&str> {
        self.lines.iter().filter(|(sign, _)| *sign != '+').map(|(_, text)| text.as_str()).collect()
    }

    /// The lines after.
    pub fn after(&self) -> Vec<&str> {
        self.lines.iter().filter(|(sign, _)| *sign != '-').map(|(_, text)| text.as_str()).collect()
    }
}

/// Where two texts differ, without context. `None` when they are no text.
pub(crate) fn changed(before: &[u8], after: &[u8]) -> Option<Vec<Difference>> {
    std::str::from_utf8(before).ok()?;
    std::str::from_utf8(after).ok()?;
    let (old, new) = (Lines::new(before), Lines::new(after));
    let old: Vec<&[u8]> = old.texts().collect();
    let new: Vec<&[u8]> = new.texts().collect();
    Some(differences(&old, &new))
}

/// The text of a line.
pub(crate) fn text(lines: &Lines<'_>, line: usize) -> String {
    String::from_utf8_lossy(lines.text(line)).into_owned()
}

/// The stretches that turn one text into the other; each old side stands once in the file. `None` when they are no text.
pub(crate) fn stretches(before: &[u8], after: &[u8]) -> Option<Vec<Stretch>> {
    let changes = changed(before, after)?;
    let (index, new) = (FileIndex::new(before), Lines::new(after));
    let old = &index.lines;
    let mut stretches = Vec::new();
    let mut rest = changes.as_slice();
    while let Some((first, tail)) = rest.split_first() {
        let mut group = vec![first.clone()];
        rest = tail;
        let mut context = 3;
        loop {
            // Changes whose context touches are written together.
            while let Some((next, tail)) = rest.split_first()
                && group.last().is_some_and(|last| next.before.start <= last.before.end + 2 * context)
            {
                group.push(next.clone());
                rest = tail;
            }
            let stretch = stretch(&group, old, &new, context)?;
            let whole = stretch.before().len() >= old.len();
            if whole || is_unique(&stretch.before(), &index) {
                stretches.push(stretch);
                break;
            }
            context *= 2;
        }
    }
    Some(stretches)
}

fn stretch(group: &[Difference], old: &Lines<'_>, new: &Lines<'_>, context: usize) -> Option<Stretch> {
    let (first, last) = (group.first()?, group.last()?);
    let lead = first.before.start.min(context);
    let mut at = first.before.start - lead;
    let end = (last.before.end + context).min(old.len());
    let mut lines = Vec::new();
    for change in group {
        lines.extend((at..change.before.start).map(|line| (' ', text(old, line))));
        lines.extend(change.before.clone().map(|line| ('-', text(old, line))));
        lines.extend(change.after.clone().map(|line| ('+', text(new, line))));
        at = change.before.end;
    }
    lines.extend((at..end).map(|line| (' ', text(old, line))));
    Some(Stretch { old_start: first.before.start - lead, new_start: first.after.start - lead, lines })
}

/// Whether lines stand at one place only. Where that would take too long to find out, reading the text back has to tell.
fn is_unique(pattern: &[&str], index: &FileIndex<'_>) -> bool {
    !pattern.is_empty() && index.find_some(Key::Exact, pattern, 1).is_none_or(|places| places.len() == 1)
}
