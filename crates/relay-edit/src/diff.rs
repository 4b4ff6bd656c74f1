//! A line diff for people: what changed between two versions of a file, with line numbers and context.
//!
//! It has no colours and no words; whoever shows it adds those.

use crate::align::{Difference, changed_lines, differences};
use crate::encoding::text_of;
use crate::lines::is_binary;

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 3;

/// The difference between two versions of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileDiff {
    /// At least one side is not text.
    Binary,
    /// The stretches that differ; none when the sides are equal.
    Text(Vec<DiffHunk>),
}

/// One stretch that differs, with the unchanged lines around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffHunk {
    /// The first line before, counted from 1.
    pub old_start: usize,
    /// The first line after, counted from 1.
    pub new_start: usize,
    /// The lines, in the order they are shown.
    pub lines: Vec<DiffLine>,
}

/// One line of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    /// What happened to it.
    pub kind: DiffKind,
    /// Its number before, counted from 1; `None` for an added line.
    pub old: Option<usize>,
    /// Its number after, counted from 1; `None` for a removed line.
    pub new: Option<usize>,
    /// Its text without the line ending; bytes that are no text are shown as U+FFFD.
    pub text: String,
    /// It is the last line and has no newline.
    pub lacks_newline: bool,
}

/// What happened to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffKind {
    /// It stayed.
    Context,
    /// It is new.
    Added,
    /// It is gone.
    Removed,
}

/// The difference between two versions of a file; a file that does not exist is empty.
#[must_use]
pub fn diff(before: &[u8], after: &[u8]) -> FileDiff {
    let (before, after) = (text_of(before), text_of(after));
    if is_binary(&before) || is_binary(&after) {
        return FileDiff::Binary;
    }
    let (old, new) = (split(&before), split(&after));
    let mut hunks: Vec<DiffHunk> = Vec::new();
    let mut group: Vec<Difference> = Vec::new();
    for difference in differences(&old, &new) {
        let far = group.last().is_some_and(|last| difference.before.start > last.before.end + 2 * CONTEXT);
        if far {
            hunks.extend(hunk(&old, &new, &std::mem::take(&mut group)));
        }
        group.push(difference);
    }
    hunks.extend(hunk(&old, &new, &group));
    FileDiff::Text(hunks)
}

/// How many lines were added and removed; `None` when one side is not text.
#[must_use]
pub fn stat(before: &[u8], after: &[u8]) -> Option<(usize, usize)> {
    let (before, after) = (text_of(before), text_of(after));
    if is_binary(&before) || is_binary(&after) {
        return None;
    }
    Some(changed_lines(&split(&before), &split(&after)))
}

/// Lines with their endings, so that a change of ending is a change.
fn split(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::with_capacity(bytes.len() / 32);
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        lines.push(bytes.get(start..=end).unwrap_or_default());
        start = end + 1;
    }
    lines.extend(bytes.get(start..).filter(|rest| !rest.is_empty()));
    lines
}

fn hunk(old: &[&[u8]], new: &[&[u8]], group: &[Difference]) -> Option<DiffHunk> {
    let (first, last) = (group.first()?, group.last()?);
    let lead = first.before.start.min(CONTEXT);
    let (old_start, new_start) = (first.before.start - lead, first.after.start - lead);
    let end = (last.before.end + CONTEXT).min(old.len());
    let mut lines = Vec::new();
    let (mut old_at, mut new_at) = (old_start, new_start);
    let context_until = |until: usize, old_at: &mut usize, new_at: &mut usize, lines: &mut Vec<DiffLine>| {
        while *old_at < until {
            lines.push(line(DiffKind::Context, Some(*old_at), Some(*new_at), old.get(*old_at)));
            *old_at += 1;
            *new_at += 1;
        }
    };
    for difference in group {
        context_until(difference.before.start, &mut old_at, &mut new_at, &mut lines);
        for at in difference.before.clone() {
            lines.push(line(DiffKind::Removed, Some(at), None, old.get(at)));
        }
        for at in difference.after.clone() {
            lines.push(line(DiffKind::Added, None, Some(at), new.get(at)));
        }
        (old_at, new_at) = (difference.before.end, difference.after.end);
    }
    context_until(end, &mut old_at, &mut new_at, &mut lines);
    Some(DiffHunk { old_start: old_start + 1, new_start: new_start + 1, lines })
}

fn line(kind: DiffKind, old: Option<usize>, new: Option<usize>, bytes: Option<&&[u8]>) -> DiffLine {
    let bytes = bytes.copied().unwrap_or_default();
    let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    DiffLine {
        kind,
        old: old.map(|at| at + 1),
        new: new.map(|at| at + 1),
        text: String::from_utf8_lossy(text).into_owned(),
        lacks_newline: text.len() == bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        let FileDiff::Text(hunks) = diff(before.as_bytes(), after.as_bytes()) else { panic!("binary") };
        let mut shown = String::new();
        for hunk in hunks {
            shown.push_str(&format!("@@ {} {} @@\n", hunk.old_start, hunk.new_start));
            for line in hunk.lines {
                let sign = match line.kind {
                    DiffKind::Context => ' ',
                    DiffKind::Added => '+',
                    DiffKind::Removed => '-',
                };
                let number =
                    |number: Option<usize>| number.map_or("_".to_owned(), |number| number.to_string());
                shown.push_str(&format!("{sign}{}/{} {}", number(line.old), number(line.new), line.text));
                shown.push_str(if line.lacks_newline { "\\\n" } else { "\n" });
            }
        }
        assert_eq!(shown, expected);
    }

    #[test]
    fn shows_changes_with_three_lines_around_them() {
        check(
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
            "@@ 2 2 @@\n 2/2 2\n 3/3 3\n 4/4 4\n-5/_ 5\n+_/5 x\n 6/6 6\n 7/7 7\n 8/8 8\n",
        );
        check("a\n", "a\n", "");
        check("", "a\n", "@@ 1 1 @@\n+_/1 a\n");
    }

    #[test]
    fn a_missing_final_newline_is_a_difference() {
        check("a", "a\n", "@@ 1 1 @@\n-1/_ a\\\n+_/1 a\n");
    }

    #[test]
    fn far_changes_are_apart() {
        let before: String = (0..20).map(|line| format!("{line}\n")).collect();
        let after = before.replace("\n2\n", "\nx\n").replace("\n18\n", "\ny\n");
        let FileDiff::Text(hunks) = diff(before.as_bytes(), after.as_bytes()) else { panic!("binary") };
        assert_eq!(hunks.len(), 2);
    }

    #[test]
    fn counts_lines_and_knows_binary_files() {
        assert_eq!(stat(b"a\nb\n", b"a\nc\nd\n"), Some((2, 1)));
        assert_eq!(stat(b"a\0b", b"a"), None);
        assert_eq!(diff(b"a\0b", b"a"), FileDiff::Binary);
    }
}
