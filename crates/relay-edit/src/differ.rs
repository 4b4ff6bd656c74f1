//! Where two versions of a text differ, found by their bytes.
//!
//! Most of a long text stays as it is, so what is equal is passed over without being split into lines. Only where the
//! texts differ are lines looked at: until both run in step again.

use std::ops::Range;

use crate::align;
use crate::lines::count;

/// How many equal lines say that two texts run in step again.
const IN_STEP: usize = 16;
/// How many equal bytes say the same, where lines are long.
const IN_STEP_BYTES: usize = 16 * 1024;
/// How many lines two texts may be apart and still be brought in step by looking.
const REACH: usize = 48;
/// How many equal lines above a stretch that differs are compared with it, so that it can be shown where it reads best.
const ABOVE: usize = 32;

/// One stretch in which two texts differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Differing {
    /// What goes.
    pub before: Side,
    /// What comes instead.
    pub after: Side,
}

/// Whole lines of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Side {
    /// The lines, counted from 0.
    pub lines: Range<usize>,
    /// Where they lie.
    pub bytes: Range<usize>,
}

/// The stretches in which two texts differ, in order. Lines are compared with their endings, and no further than they
/// are asked for.
pub(crate) fn differing(before: &[u8], after: &[u8]) -> impl Iterator<Item = Differing> {
    let (mut old, mut new) = (Text::new(before), Text::new(after));
    std::iter::from_fn(move || skip_equal(&mut old, &mut new).then(|| next_differing(&mut old, &mut new)))
        .flatten()
}

/// What differs before both texts run in step again; they begin with lines that are not equal.
fn next_differing(old: &mut Text<'_>, new: &mut Text<'_>) -> Vec<Differing> {
    let in_step = in_step_again(old, new);
    if in_step.is_none() && old.lines_left() + new.lines_left() > align::HUGE {
        return vec![apart(old, new)];
    }
    let (removed, added) = in_step.unwrap_or_else(|| to_the_end(old, new));
    if let Some(fixed) = fixed(old, new, removed, added) {
        old.pass(removed);
        new.pass(added);
        return vec![fixed];
    }
    let found = compared(old, new, removed, added);
    // What was compared may be shown a little lower; it must not be compared again.
    old.pass(removed + IN_STEP);
    new.pass(added + IN_STEP);
    found
}

/// A text, read up to the beginning of a line.
#[derive(Debug)]
struct Text<'t> {
    bytes: &'t [u8],
    /// The byte and the line that are next.
    at: usize,
    line: usize,
    /// The next lines, as far as they were looked at.
    ahead: Vec<&'t [u8]>,
    /// The byte after those.
    seen: usize,
    /// The byte after the lines that were compared last.
    differed: usize,
}

impl<'t> Text<'t> {
    const fn new(bytes: &'t [u8]) -> Self {
        Self { bytes, at: 0, line: 0, ahead: Vec::new(), seen: 0, differed: 0 }
    }

    fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// How many lines follow.
    fn lines_left(&self) -> usize {
        line_count(self.rest())
    }

    /// Passes over all lines but those in the last bytes.
    fn skip_to(&mut self, last_bytes: usize) -> Side {
        let lines = self.line..self.line + self.lines_left();
        let bytes = self.at..self.bytes.len() - last_bytes;
        let kept = line_count(self.bytes.get(bytes.end..).unwrap_or_default());
        let side = Side { lines: lines.start..lines.end - kept, bytes };
        self.skip(side.lines.len(), side.bytes.len());
        self.differed = self.at;
        side
    }

    /// Passes over whole lines.
    fn skip(&mut self, lines: usize, bytes: usize) {
        self.line += lines;
        self.at += bytes;
        self.seen = self.at;
        self.ahead.clear();
    }

    /// Passes over lines that were looked at and need not be looked at again.
    fn pass(&mut self, lines: usize) {
        let passed = lines.min(self.ahead.len());
        self.at += self.ahead.drain(..passed).map(<[u8]>::len).sum::<usize>();
        self.line += passed;
        self.differed = self.at;
    }

    /// Looks at the next lines; there may be fewer.
    fn look_ahead(&mut self, lines: usize) -> usize {
        while self.ahead.len() < lines
            && let Some(line) = first_line(self.bytes.get(self.seen..).unwrap_or_default())
        {
            self.ahead.push(line);
            self.seen += line.len();
        }
        self.ahead.len()
    }

    /// What follows after some of the next lines; `None` when there are fewer.
    fn behind(&mut self, lines: usize) -> Option<&'t [u8]> {
        let seen = self.look_ahead(lines);
        let bytes: usize = self.ahead.get(..lines)?.iter().map(|line| line.len()).sum();
        self.bytes.get(self.at + bytes..).filter(|_| seen >= lines)
    }

    /// The lines above, the nearest last.
    fn above(&self, lines: usize) -> Vec<&'t [u8]> {
        let mut rest = self.bytes.get(self.differed..self.at).unwrap_or_default();
        let mut above = Vec::new();
        while above.len() < lines
            && let Some(line) = last_line(rest)
        {
            above.push(line);
            rest = rest.get(..rest.len() - line.len()).unwrap_or_default();
        }
        above.reverse();
        above
    }
}

/// How many lines a text has.
fn line_count(text: &[u8]) -> usize {
    count(text, b'\n') + usize::from(!text.is_empty() && !text.ends_with(b"\n"))
}

/// The first line of a text with its ending; `None` at the end.
pub(crate) fn first_line(text: &[u8]) -> Option<&[u8]> {
    let end = memchr::memchr(b'\n', text).map_or(text.len(), |at| at + 1);
    text.get(..end).filter(|line| !line.is_empty())
}

/// The last line of a text with its ending; `None` at the beginning.
pub(crate) fn last_line(text: &[u8]) -> Option<&[u8]> {
    let above = text.get(..text.len().checked_sub(1)?)?;
    text.get(memchr::memrchr(b'\n', above).map_or(0, |at| at + 1)..)
}

/// Passes over the lines that are equal; `false` when that was all.
fn skip_equal(old: &mut Text<'_>, new: &mut Text<'_>) -> bool {
    let same = common(old.rest(), new.rest());
    if same == old.rest().len() && same == new.rest().len() {
        return false;
    }
    let equal = old.rest().get(..same).unwrap_or_default();
    let bytes = memchr::memrchr(b'\n', equal).map_or(0, |at| at + 1);
    let lines = count(equal.get(..bytes).unwrap_or_default(), b'\n');
    old.skip(lines, bytes);
    new.skip(lines, bytes);
    true
}

/// How many bytes two texts have in common at the front.
fn common(one: &[u8], other: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let blocks = one.as_chunks::<BLOCK>().0.iter().zip(other.as_chunks::<BLOCK>().0);
    let equal = blocks.take_while(|(one, other)| one == other).count() * BLOCK;
    let (one, other) = (one.get(equal..).unwrap_or_default(), other.get(equal..).unwrap_or_default());
    equal + one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// How many lines of each text lie before the nearest place from which both go on with the same lines.
fn in_step_again(old: &mut Text<'_>, new: &mut Text<'_>) -> Option<(usize, usize)> {
    // What is about to end is read to its end.
    let goes_on =
        |text: &mut Text<'_>| text.look_ahead(IN_STEP) >= IN_STEP || text.rest().len() >= IN_STEP_BYTES;
    if !goes_on(old) || !goes_on(new) {
        return None;
    }
    (1..REACH).find_map(|apart| {
        (0..=apart).find_map(|removed| {
            let added = apart - removed;
            is_in_step(old.behind(removed)?, new.behind(added)?).then_some((removed, added))
        })
    })
}

/// How many lines of each text lie before the lines with which both end.
fn to_the_end(old: &mut Text<'_>, new: &mut Text<'_>) -> (usize, usize) {
    let (removed, added) = (old.look_ahead(usize::MAX), new.look_ahead(usize::MAX));
    let pairs = old.ahead.iter().rev().zip(new.ahead.iter().rev());
    let same = pairs.take_while(|(old, new)| old == new).count();
    (removed - same, added - same)
}

/// Everything before the lines with which both texts end, as one stretch. This many lines are not compared.
fn apart(old: &mut Text<'_>, new: &mut Text<'_>) -> Differing {
    let (one, other) = (old.rest(), new.rest());
    let same = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    let equal = one.get(one.len() - same..).unwrap_or_default();
    // The first of the equal bytes may be the end of a line that differs.
    let begins_line = |text: &[u8]| text.len() == same || text.get(text.len() - same - 1) == Some(&b'\n');
    let cut = match memchr::memchr(b'\n', equal) {
        _ if begins_line(one) && begins_line(other) => 0,
        Some(at) => at + 1,
        None => same,
    };
    Differing { before: old.skip_to(same - cut), after: new.skip_to(same - cut) }
}

/// Whether two texts begin with the same lines, several of them.
fn is_in_step(old: &[u8], new: &[u8]) -> bool {
    const BLOCK: usize = 1024;
    let mut lines = 0;
    let mut same = 0;
    while lines < IN_STEP && same < IN_STEP_BYTES {
        let [old, new] = [old, new].map(|text| text.get(same..).unwrap_or_default());
        let [old, new] = [old, new].map(|text| text.get(..BLOCK).unwrap_or(text));
        let equal = common(old, new);
        lines += count(old.get(..equal).unwrap_or_default(), b'\n');
        same += equal;
        if equal < BLOCK {
            break;
        }
    }
    lines >= IN_STEP || same == IN_STEP_BYTES
}

/// The one thing that can be said about what differs among the next lines: none of them stayed, and what only goes or
/// only comes could not as well be the lines a little above or below.
fn fixed(old: &mut Text<'_>, new: &mut Text<'_>, removed: usize, added: usize) -> Option<Differing> {
    old.look_ahead(removed + 1);
    let (gone, come) = (old.ahead.get(..removed)?, new.ahead.get(..added)?);
    let is_fixed = match (gone, come) {
        ([], lines) | (lines, []) => {
            lines.last() != old.above(1).last() && lines.first() != old.ahead.get(removed)
        }
        (gone, come) if gone.len() * come.len() <= 64 => !gone.iter().any(|line| come.contains(line)),
        _ => false,
    };
    let side = |text: &Text<'_>, lines: &[&[u8]]| Side {
        lines: text.line..text.line + lines.len(),
        bytes: text.at..text.at + lines.iter().map(|line| line.len()).sum::<usize>(),
    };
    is_fixed.then(|| Differing { before: side(old, gone), after: side(new, come) })
}

/// What differs among the next lines, compared with those around them.
fn compared(old: &mut Text<'_>, new: &mut Text<'_>, removed: usize, added: usize) -> Vec<Differing> {
    old.look_ahead(removed.saturating_add(IN_STEP));
    new.look_ahead(added.saturating_add(IN_STEP));
    let above = old.above(ABOVE);
    let (old, new) = (Window::new(old, &above, removed), Window::new(new, &above, added));
    align::compare(&old.lines, &new.lines)
        .into_iter()
        .map(|part| Differing { before: old.side(part.before), after: new.side(part.after) })
        .collect()
}

/// Lines to be compared, and where they lie.
struct Window<'t> {
    lines: Vec<&'t [u8]>,
    /// Where each begins and the last one ends.
    offsets: Vec<usize>,
    first: usize,
}

impl<'t> Window<'t> {
    /// The lines above the place a text is read up to, the next ones, and those that are in step again.
    fn new(text: &Text<'t>, above: &[&'t [u8]], next: usize) -> Self {
        let ahead = text.ahead.iter().take(next + IN_STEP);
        let lines: Vec<&[u8]> = above.iter().chain(ahead).copied().collect();
        let mut offsets = vec![text.at - above.iter().map(|line| line.len()).sum::<usize>()];
        for line in &lines {
            offsets.push(offsets.last().map_or(0, |offset| offset + line.len()));
        }
        Self { lines, offsets, first: text.line - above.len() }
    }

    fn side(&self, lines: Range<usize>) -> Side {
        let offset = |line: usize| self.offsets.get(line).copied().unwrap_or_default();
        let bytes = offset(lines.start)..offset(lines.end);
        Side { lines: self.first + lines.start..self.first + lines.end, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts the new stretches into the old text.
    fn apply(before: &[u8], after: &[u8], found: &[Differing]) -> Vec<u8> {
        let mut result = Vec::new();
        let mut copied = 0;
        for Differing { before: old, after: new } in found {
            assert_eq!(count(&before[..old.bytes.start], b'\n'), old.lines.start);
            assert_eq!(count(&after[..new.bytes.start], b'\n'), new.lines.start);
            result.extend_from_slice(&before[copied..old.bytes.start]);
            result.extend_from_slice(&after[new.bytes.clone()]);
            copied = old.bytes.end;
        }
        result.extend_from_slice(&before[copied..]);
        result
    }

    #[track_caller]
    fn check(before: &str, after: &str, expected: &[(Range<usize>, Range<usize>)]) {
        let found: Vec<Differing> = differing(before.as_bytes(), after.as_bytes()).collect();
        assert_eq!(apply(before.as_bytes(), after.as_bytes(), &found), after.as_bytes());
        let lines: Vec<_> = found.into_iter().map(|part| (part.before.lines, part.after.lines)).collect();
        assert_eq!(lines, expected, "{before:?} {after:?}");
    }

    #[test]
    fn finds_what_differs() {
        check("", "", &[]);
        check("a\nb\n", "a\nb\n", &[]);
        check("a\nb\n", "a\nc\n", &[(1..2, 1..2)]);
        check("a\n", "a", &[(0..1, 0..1)]);
        check("", "a\nb\n", &[(0..0, 0..2)]);
        check("a\nb\n", "", &[(0..2, 0..0)]);
        check("a\nb\nc\n", "a\nc\n", &[(1..2, 1..1)]);
        check("ab\nb\n", "abc\nb\n", &[(0..1, 0..1)]);
    }

    #[test]
    fn very_many_lines_differ_between_their_ends() {
        let many =
            |name: &str| -> String { (0..align::HUGE / 2).map(|line| format!("{name}{line}\n")).collect() };
        let (old, new) = (many("a"), many("b"));
        let half = align::HUGE / 2;
        for end in ["", "end\nlast\n", "end"] {
            let (before, after) = (format!("first\n{old}{end}"), format!("first\nx\n{new}{end}"));
            check(&before, &after, &[(1..1 + half, 1..2 + half)]);
        }
        check(&format!("{old}1 end\n"), &format!("x\n{new}2 end\n"), &[(0..half + 1, 0..half + 2)]);
        check(&format!("{old}end\n"), &format!("x\n{new}the end\n"), &[(0..half + 1, 0..half + 2)]);
        check(&format!("{old}{new}"), &new, &[(0..half, 0..0)]);
        check(&old, &format!("{new}{old}"), &[(0..0, 0..half)]);
        check(&format!("{old}{new}"), "", &[(0..2 * half, 0..0)]);
        check("", &format!("{old}{new}x"), &[(0..0, 0..2 * half + 1)]);
    }

    #[test]
    fn far_stretches_are_found_by_themselves() {
        let old: Vec<String> = (0..3_000).map(|line| format!("line {}\n", line % 1000)).collect();
        let mut new = old.clone();
        for at in (100..2_500).step_by(217) {
            match at % 3 {
                0 => new[at] = "changed\n".to_owned(),
                1 => new[at..at + 9].rotate_left(3),
                _ => new.insert(at, old[at].clone()),
            }
        }
        new.drain(1_500..1_700);
        new.push("the end".to_owned());
        let (old, new) = (old.concat(), new.concat());
        for (before, after) in [(&old, &new), (&new, &old)] {
            let found: Vec<Differing> = differing(before.as_bytes(), after.as_bytes()).collect();
            assert_eq!(apply(before.as_bytes(), after.as_bytes(), &found), after.as_bytes());
            assert!(
                found.iter().map(|part| part.after.lines.len() + part.before.lines.len()).sum::<usize>()
                    < 500
            );
        }
    }
}
