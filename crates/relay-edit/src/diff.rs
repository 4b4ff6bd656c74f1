//! A line diff for people: what changed between two versions of a file, with line numbers and context.
//!
//! It has no colours and no words; the caller adds those.

mod spliced;

use std::borrow::Cow;
use std::ops::Range;

use crate::content::After;
use crate::differ::{Differing, differing, first_line, last_line};
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
    /// Its text without the line ending; bytes that are not text are shown as U+FFFD.
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

/// How much two versions of a file differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// How many lines are new.
    pub added: usize,
    /// How many lines are gone.
    pub removed: usize,
    /// Where the new lines lie in the [text](crate::text_of()) after, in order.
    pub new: Vec<Range<usize>>,
}

/// The difference between two versions of a file; a file that does not exist is empty.
///
/// ```
/// use relay_edit::{DiffKind, FileDiff, diff};
///
/// let FileDiff::Text(hunks) = diff(b"one\ntwo\n", b"one\n2\n") else { panic!("not text") };
/// let added = hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == DiffKind::Added);
/// assert_eq!(added.map(|line| line.text.as_str()).collect::<Vec<_>>(), ["2"]);
/// ```
#[must_use]
pub fn diff(before: &[u8], after: &[u8]) -> FileDiff {
    diff_start(before, after, usize::MAX)
}

/// The beginning of the difference between two versions of a file: hunks until there are this many lines, the last one
/// cut after them. The texts are compared no further than that.
#[must_use]
pub fn diff_start<'a>(before: &[u8], after: impl Into<After<'a>>, limit: usize) -> FileDiff {
    match after.into() {
        After::Whole(after) => diff_whole(before, after, limit),
        After::Spliced(after) => match spliced::beginning(before, after, limit) {
            Some((before, after)) => diff_whole(before, &after, limit),
            None => diff_whole(before, &after.bytes(before), limit),
        },
    }
}

fn diff_whole(before: &[u8], after: &[u8], limit: usize) -> FileDiff {
    let [before, after] = texts(before, after);
    if is_binary(&before) || is_binary(&after) {
        return FileDiff::Binary;
    }
    let (mut hunks, mut shown) = (Vec::new(), 0);
    let mut differing = differing(&before, &after).peekable();
    while shown < limit
        && let Some(first) = differing.next()
    {
        let mut group = Group::new(first);
        while shown + group.lines < limit
            && let Some(next) = differing.next_if(|next| group.is_near(next))
        {
            group.push(next);
        }
        if let Some(hunk) = hunk(&before, &after, &group.parts, limit - shown) {
            shown += hunk.lines.len();
            hunks.push(hunk);
        }
    }
    FileDiff::Text(hunks)
}

/// Stretches that are shown in one hunk.
struct Group {
    parts: Vec<Differing>,
    /// How many lines they are, with those between them.
    lines: usize,
}

impl Group {
    fn new(first: Differing) -> Self {
        let lines = first.before.lines.len() + first.after.lines.len();
        Self { parts: vec![first], lines }
    }

    fn end(&self) -> usize {
        self.parts.last().map_or(0, |last| last.before.lines.end)
    }

    fn is_near(&self, next: &Differing) -> bool {
        next.before.lines.start <= self.end() + 2 * CONTEXT
    }

    fn push(&mut self, next: Differing) {
        self.lines += next.before.lines.end - self.end() + next.after.lines.len();
        self.parts.push(next);
    }
}

/// How much two versions of a file differ; nothing when one side is not text.
#[must_use]
pub fn stat<'a>(before: &[u8], after: impl Into<After<'a>>) -> Stat {
    match after.into() {
        After::Whole(after) => stat_whole(before, after),
        After::Spliced(after) => {
            spliced::stat(before, after).unwrap_or_else(|| stat_whole(before, &after.bytes(before)))
        }
    }
}

fn stat_whole(before: &[u8], after: &[u8]) -> Stat {
    let [before, after] = texts(before, after);
    let mut stat = Stat::default();
    if is_binary(&before) || is_binary(&after) {
        return stat;
    }
    for part in differing(&before, &after) {
        stat.added += part.after.lines.len();
        stat.removed += part.before.lines.len();
        stat.new.push(part.after.bytes);
    }
    stat
}

/// Both versions as text. Where they end their lines with a lone `\r`, that is shown as the `\n` it represents, byte for
/// byte; where only one of them does, the endings are what changed.
fn texts<'t>(before: &'t [u8], after: &'t [u8]) -> [Cow<'t, [u8]>; 2] {
    let texts = [text_of(before), text_of(after)];
    let has = |byte: u8| texts.iter().any(|text| memchr::memchr(byte, text).is_some());
    if has(b'\n') || !has(b'\r') {
        return texts;
    }
    let line_feed = |byte: &u8| if *byte == b'\r' { b'\n' } else { *byte };
    texts.map(|text| text.iter().map(line_feed).collect())
}

/// Lines with their endings, so that a change of ending is a change.
fn lines(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let line = first_line(text)?;
        text = text.get(line.len()..).unwrap_or_default();
        Some(line)
    })
}

/// The first `limit` lines of a hunk.
fn hunk(old: &[u8], new: &[u8], group: &[Differing], limit: usize) -> Option<DiffHunk> {
    let (first, last) = (group.first()?, group.last()?);
    let (mut lead, mut above) = (0, first.before.bytes.start);
    while lead < CONTEXT
        && let Some(line) = last_line(old.get(..above)?)
    {
        (lead, above) = (lead + 1, above - line.len());
    }
    let (old_start, new_start) = (first.before.lines.start - lead, first.after.lines.start - lead);
    let mut shown = Shown { lines: Vec::new(), limit, old: old_start, new: new_start };
    for part in group {
        shown.push(DiffKind::Context, lines(old.get(above..part.before.bytes.start)?));
        shown.push(DiffKind::Removed, lines(old.get(part.before.bytes.clone())?));
        shown.push(DiffKind::Added, lines(new.get(part.after.bytes.clone())?));
        above = part.before.bytes.end;
    }
    shown.push(DiffKind::Context, lines(old.get(last.before.bytes.end..)?).take(CONTEXT));
    Some(DiffHunk { old_start: old_start + 1, new_start: new_start + 1, lines: shown.lines })
}

/// The lines of a hunk, and the numbers of the next ones, counted from 0.
struct Shown {
    lines: Vec<DiffLine>,
    /// How many there may be.
    limit: usize,
    old: usize,
    new: usize,
}

impl Shown {
    fn push<'t>(&mut self, kind: DiffKind, texts: impl Iterator<Item = &'t [u8]>) {
        for bytes in texts.take(self.limit - self.lines.len()) {
            let (is_old, is_new) = (kind != DiffKind::Added, kind != DiffKind::Removed);
            let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            self.lines.push(DiffLine {
                kind,
                old: is_old.then_some(self.old + 1),
                new: is_new.then_some(self.new + 1),
                text: String::from_utf8_lossy(text).into_owned(),
                lacks_newline: text.len() == bytes.len(),
            });
            self.old += usize::from(is_old);
            self.new += usize::from(is_new);
        }
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
    fn the_beginning_is_that_of_the_whole() {
        let before: String = (0..100).map(|line| format!("{line}\n")).collect();
        let mut after = before.clone();
        for line in [0, 7, 20, 50, 53, 98, 99] {
            after = after.replace(&format!("{line}\n"), &format!("{line} x\ny\n"));
        }
        let lines = |difference: FileDiff| match difference {
            FileDiff::Text(hunks) => hunks.into_iter().flat_map(|hunk| hunk.lines).collect::<Vec<_>>(),
            FileDiff::Binary => Vec::new(),
        };
        let all = lines(diff(before.as_bytes(), after.as_bytes()));
        for limit in 0..=all.len() {
            let start = lines(diff_start(before.as_bytes(), after.as_bytes(), limit));
            assert_eq!(start, all[..limit]);
        }
    }

    #[test]
    fn a_missing_final_newline_is_a_difference() {
        check("a", "a\n", "@@ 1 1 @@\n-1/_ a\\\n+_/1 a\n");
    }

    #[test]
    fn a_lone_carriage_return_ends_a_line_where_nothing_else_does() {
        check("a\rb\rc\r", "a\rx\rc\r", "@@ 1 1 @@\n 1/1 a\n-2/_ b\n+_/2 x\n 3/3 c\n");
        check("", "a\rb", "@@ 1 1 @@\n+_/1 a\n+_/2 b\\\n");
        check("a\rb\n", "a\rc\n", "@@ 1 1 @@\n-1/_ a\rb\n+_/1 a\rc\n");
        // Other endings are a difference.
        check("a\rb\r", "a\nb\n", "@@ 1 1 @@\n-1/_ a\rb\r\\\n+_/1 a\n+_/2 b\n");
        let Stat { added, removed, new } = stat(b"a\rb\rc\r", &b"a\rx\ry\rc\r"[..]);
        assert_eq!((added, removed, new.first()), (2, 1, Some(&(2..6))));
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
        let Stat { added, removed, new } = stat(b"a\nb\n", &b"a\nc\nd\n"[..]);
        assert_eq!((added, removed, new.first()), (2, 1, Some(&(2..6))));
        assert_eq!(stat(b"a\0b", &b"a"[..]), Stat::default());
        assert_eq!(diff(b"a\0b", b"a"), FileDiff::Binary);
    }
}
