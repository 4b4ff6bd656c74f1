//! The hunks of a change, with as much context as makes each of them unique.

use crate::align::{Difference, differences};
use crate::lines::Lines;
use crate::matcher::{FileIndex, Key};

/// How the lines of two texts are compared and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineForm {
    /// What they say: the file keeps its byte order mark, its line endings and its end.
    Text,
    /// What they say, and whether the last one ends with a newline.
    Ended,
    /// Byte for byte, as git and patch do: a mark and a `\r` are part of the line.
    Bytes,
}

impl LineForm {
    /// The lines of a text.
    fn lines(self, text: &[u8]) -> Vec<&[u8]> {
        match self {
            Self::Text | Self::Ended => Lines::new(text).texts().collect(),
            // With the newline, which the last one may lack.
            Self::Bytes => text.split_inclusive(|byte| *byte == b'\n').collect(),
        }
    }

    /// Whether the last line of a text ends with a newline.
    pub fn is_ended(self, text: &[u8]) -> bool {
        match self {
            Self::Text | Self::Ended => !Lines::new(text).lacks_final_newline(),
            Self::Bytes => text.is_empty() || text.ends_with(b"\n"),
        }
    }
}

/// A stretch of lines to be replaced by others, both with their context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// The first old line, counted from 0.
    pub old_start: usize,
    /// The first new line, counted from 0.
    pub new_start: usize,
    /// Each line with its sign: a space, `-` or `+`.
    pub lines: Vec<(char, String)>,
    /// Whether it reaches the end of the file.
    pub is_last: bool,
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

/// Where what two texts say differs, without context.
pub(crate) fn changed(before: &[u8], after: &[u8]) -> Vec<Difference> {
    differences(&LineForm::Text.lines(before), &LineForm::Text.lines(after))
}

/// The text of a line; `None` when it is none.
pub(crate) fn text(line: &[u8]) -> Option<String> {
    std::str::from_utf8(line).ok().map(str::to_owned)
}

fn is_text(line: &&[u8]) -> bool {
    std::str::from_utf8(line).is_ok()
}

/// The hunks between two texts. `None` if a changed line, or one between two changed ones, is not text.
pub(crate) fn stretches(before: &[u8], after: &[u8], form: LineForm) -> Option<Vec<Stretch>> {
    let index = FileIndex::new(before);
    let (old, new) = (form.lines(before), form.lines(after));
    let mut changes = differences(&old, &new);
    if form.is_ended(before) != form.is_ended(after) && form != LineForm::Text {
        add_last(&mut changes, old.len(), new.len());
    }
    let mut stretches = Vec::new();
    let mut rest = changes.as_slice();
    while let Some((first, tail)) = rest.split_first() {
        let mut group = vec![first.clone()];
        rest = tail;
        let mut context = 3;
        loop {
            // Changes whose context touches are written together.
            while let Some((next, tail)) = rest.split_first()
                && let Some(last) = group.last()
                && next.before.start <= last.before.end + 2 * context
                && old.get(last.before.end..next.before.start)?.iter().all(is_text)
            {
                group.push(next.clone());
                rest = tail;
            }
            let stretch = stretch(&group, &old, &new, context)?;
            if context > old.len() || is_unique(&stretch.before(), &index) {
                stretches.push(stretch);
                break;
            }
            context *= 2;
        }
    }
    Some(stretches)
}

/// Adds that the last lines differ, if nothing else of them does.
fn add_last(changes: &mut Vec<Difference>, old: usize, new: usize) {
    let is_said = changes.last().is_some_and(|last| last.before.end == old || last.after.end == new);
    let (Some(old_last), Some(new_last)) = (old.checked_sub(1), new.checked_sub(1)) else { return };
    if !is_said {
        changes.push(Difference { before: old_last..old, after: new_last..new });
    }
}

fn stretch(group: &[Difference], old: &[&[u8]], new: &[&[u8]], context: usize) -> Option<Stretch> {
    let (first, last) = (group.first()?, group.last()?);
    // Bytes that are not text cannot be quoted.
    let lead =
        old.get(..first.before.start)?.iter().rev().take(context).take_while(|line| is_text(line)).count();
    let tail = old.get(last.before.end..)?.iter().take(context).take_while(|line| is_text(line)).count();
    let mut at = first.before.start - lead;
    let end = last.before.end + tail;
    let mut lines = Vec::new();
    let mut put = |sign: char, side: &[&[u8]], range: std::ops::Range<usize>| -> Option<()> {
        for line in side.get(range)? {
            lines.push((sign, text(line.strip_suffix(b"\n").unwrap_or(line))?));
        }
        Some(())
    };
    for change in group {
        put(' ', old, at..change.before.start)?;
        put('-', old, change.before.clone())?;
        put('+', new, change.after.clone())?;
        at = change.before.end;
    }
    put(' ', old, at..end)?;
    let (old_start, new_start) = (first.before.start - lead, first.after.start - lead);
    Some(Stretch { old_start, new_start, lines, is_last: end == old.len() })
}

/// Whether lines are at one place only. If that would take too long to determine, reading the text back decides.
fn is_unique(pattern: &[&str], index: &FileIndex<'_>) -> bool {
    let plain = |line: &&str| line.trim_start_matches('\u{feff}').trim_end_matches('\r').to_owned();
    let pattern: Vec<String> = pattern.iter().map(plain).collect();
    !pattern.is_empty() && index.find_some(Key::Exact, &pattern, 1).is_none_or(|places| places.len() <= 1)
}
