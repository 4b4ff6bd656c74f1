//! Comparing a spliced file with what it was: only what was exchanged is looked at, however long the rest is.

use std::borrow::Cow;

use super::{CONTEXT, Stat};
use crate::content::Spliced;
use crate::differ::differing;
use crate::encoding::Encoding;
use crate::lines::{BINARY_BYTES, count, is_binary};

/// How many lines that stay follow what is shown, so that nothing below them can change how it is shown.
const BELOW: usize = 32;

/// As [`super::stat`]; `None` where it takes more than the exchanged lines to tell.
pub(super) fn stat(before: &[u8], after: &Spliced) -> Option<Stat> {
    let mut stat = Stat::default();
    if Encoding::of(before).is_some() {
        return None;
    }
    if is_binary(before) || begins_binary(before, after) {
        return Some(stat);
    }
    // Where the lines that are looked at begin in the file as it becomes.
    let (mut removed, mut added) = (0, 0);
    for exchange in after.exchanges(before) {
        let old = before.get(exchange.old.clone())?;
        let new = after.fresh().get(exchange.new.clone())?;
        let above = before.get(..exchange.old.start)?;
        // A line that had no ending gets one when another comes behind it.
        let line = above.get(memchr::memrchr(b'\n', above).map_or(0, |at| at + 1)..)?;
        let (old, new) = match line {
            [] => (Cow::Borrowed(old), Cow::Borrowed(new)),
            _ => (Cow::Owned([line, old].concat()), Cow::Owned([line, new].concat())),
        };
        let is_last = exchange.old.end == before.len();
        let is_whole = |lines: &[u8]| lines.is_empty() || lines.ends_with(b"\n");
        let is_in_lines = is_last || is_whole(&old) && is_whole(&new);
        if !is_in_lines {
            return None;
        }
        let start = exchange.old.start - line.len() - removed + added;
        for part in differing(&old, &new) {
            stat.added += part.after.lines.len();
            stat.removed += part.before.lines.len();
            stat.new.push(start + part.after.bytes.start..start + part.after.bytes.end);
        }
        removed += exchange.old.len();
        added += exchange.new.len();
    }
    Some(stat)
}

/// The beginnings of the file before and after that hold this many lines of their difference; `None` when it takes all of
/// both.
pub(super) fn beginning<'b>(before: &'b [u8], after: &Spliced, limit: usize) -> Option<(&'b [u8], Vec<u8>)> {
    if is_binary(before) || begins_binary(before, after) {
        return None;
    }
    let mut lines = 0;
    let mut exchanges = after.exchanges(before).peekable();
    while let (Some(exchange), Some(next)) = (exchanges.next(), exchanges.peek()) {
        let changed = [before.get(exchange.old.clone())?, after.fresh().get(exchange.new)?];
        lines += changed.iter().map(|lines| count(lines, b'\n')).sum::<usize>();
        let below = before.get(exchange.old.end..next.old.start)?;
        let mut ends = memchr::memchr_iter(b'\n', below);
        let line_end = if lines >= limit { ends.nth(BELOW) } else { None };
        if let Some(line_end) = line_end {
            let cut = exchange.old.end + line_end + 1;
            return Some((before.get(..cut)?, after.bytes_until(before, cut)));
        }
        // Lines around both of them are shown too, unless they are so near that some would be counted twice.
        lines += if ends.nth(2 * CONTEXT).is_some() { 2 * CONTEXT } else { 0 };
    }
    None
}

/// Whether the file as it becomes looks like something other than text.
fn begins_binary(before: &[u8], after: &Spliced) -> bool {
    let mut left = BINARY_BYTES;
    let mut heads = after.pieces(before).map_while(|piece| {
        let head = piece.get(..left).unwrap_or(piece);
        left -= head.len();
        (left > 0 || !head.is_empty()).then_some(head)
    });
    heads.any(is_binary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::{FileDiff, diff_start, diff_whole, stat_whole};

    /// Exchanges bytes by their place in the file.
    fn spliced(before: &str, exchanges: &[(usize, usize, &str)]) -> Spliced {
        let mut spliced = Spliced::default();
        let mut kept = 0;
        for (start, end, new) in exchanges {
            spliced.keep(kept..*start);
            spliced.add(new.as_bytes());
            kept = *end;
        }
        spliced.keep(kept..before.len());
        spliced
    }

    #[track_caller]
    fn check(before: &str, exchanges: &[(usize, usize, &str)]) {
        let after = spliced(before, exchanges);
        let whole = stat_whole(before.as_bytes(), &after.bytes(before.as_bytes()));
        assert_eq!(stat(before.as_bytes(), &after), Some(whole), "{before:?} {exchanges:?}");
    }

    #[test]
    fn it_is_what_comparing_all_of_it_says() {
        check("a\nb\nc\n", &[]);
        check("a\nb\nc\n", &[(2, 4, "x\n")]);
        check("a\nb\nc\n", &[(0, 2, ""), (4, 6, "x\ny\n")]);
        check("a\nb\nc\n", &[(0, 0, "x\n"), (2, 4, "y\n"), (6, 6, "z\n")]);
        check("a\nb\nc\n", &[(2, 6, "b\nx\n")]);
        check("a\nb", &[(3, 3, "\nx")]);
        check("a\nb", &[(2, 3, "x")]);
        check("a\nb\n", &[(2, 4, "x")]);
        check("a\nb\n", &[(0, 4, "")]);
        check("a\0b\nc\n", &[(4, 6, "x\n")]);
        check("a\nb\n", &[(2, 2, "\0\n")]);
        check("", &[(0, 0, "x\ny\n")]);
    }

    #[test]
    fn what_is_not_made_of_whole_lines_is_left_to_others() {
        for (before, exchange) in [("one two\nthree\n", (4, 7, "2")), ("\u{feff}a\nb\n", (3, 3, "x\n"))] {
            assert_eq!(stat(before.as_bytes(), &spliced(before, &[exchange])), None);
        }
    }
    #[test]
    fn the_beginning_shows_what_all_of_it_would() {
        let before: String = (0..2000).map(|line| format!("{line:04}\n")).collect();
        let lines: Vec<usize> = [3, 9, 10, 17, 60].into_iter().chain((100..2000).step_by(90)).collect();
        let exchanges: Vec<_> = lines.iter().map(|line| (5 * line, 5 * line + 5, "x\ny\n")).collect();
        let after = spliced(&before, &exchanges);
        let whole = after.bytes(before.as_bytes());
        let shown = |difference: FileDiff, limit: usize| match difference {
            FileDiff::Text(hunks) => {
                hunks.into_iter().flat_map(|hunk| hunk.lines).take(limit).collect::<Vec<_>>()
            }
            FileDiff::Binary => panic!("it is text"),
        };
        for limit in 1..200 {
            let all = diff_whole(before.as_bytes(), &whole, limit);
            let beginning = diff_start(before.as_bytes(), crate::After::Spliced(&after), limit);
            assert_eq!(shown(beginning, limit), shown(all, limit), "{limit}");
        }
        let (cut, _) = beginning(before.as_bytes(), &after, 20).expect("a part is enough");
        assert!(cut.len() < before.len() / 4, "{}", cut.len());
    }
}
