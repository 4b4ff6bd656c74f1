//! Comparing a spliced file with what it was: only what was exchanged is looked at, however long the rest is.

use super::{CONTEXT, Stat, lines};
use crate::content::Spliced;
use crate::differ::differing;
use crate::encoding::Encoding;
use crate::lines::{BINARY_BYTES, count, is_binary};

/// How many lines that stay are looked at after those that were exchanged: this many that nothing further below can change
/// how they are compared.
const BELOW: usize = 16;

/// As [`super::stat`]; `None` if the exchanged lines alone do not determine it.
pub(super) fn stat(before: &[u8], after: &Spliced) -> Option<Stat> {
    let mut stat = Stat::default();
    let has = |byte: u8| memchr::memchr(byte, before).is_some();
    if Encoding::of(before).is_some() || !has(b'\n') && has(b'\r') {
        return None;
    }
    if is_binary(before) || begins_binary(before, after) {
        return Some(stat);
    }
    // Mostly there is one stretch, which needs no room for more.
    stat.new.reserve_exact(1);
    let mut exchanges = after.exchanges(before).peekable();
    // How many bytes went and came above.
    let (mut removed, mut added) = (0, 0);
    while let Some(first) = exchanges.next() {
        let above = before.get(..first.old.start)?;
        let start = memchr::memrchr(b'\n', above).map_or(0, |at| at + 1);
        let start_after = start - removed + added;
        let [old, new] = [before.get(first.old.clone())?, after.fresh().get(first.new.clone())?];
        let below =
            before.get(first.old.end..exchanges.peek().map_or(before.len(), |next| next.old.start))?;
        if start == first.old.start && is_far(below) && differ_in_every_line(old, new) {
            stat.removed += count(old, b'\n');
            stat.added += count(new, b'\n');
            stat.new.push(start_after..start_after + new.len());
            removed += old.len();
            added += new.len();
            continue;
        }
        let (mut end, mut new) = (start, Vec::new());
        let mut next = Some(first);
        // Exchanges with few lines between them are looked at together.
        while let Some(exchange) = next.take() {
            removed += exchange.old.len();
            added += exchange.new.len();
            new.extend_from_slice(before.get(end..exchange.old.start)?);
            new.extend_from_slice(after.fresh().get(exchange.new)?);
            end = exchange.old.end;
            let below = before.get(end..exchanges.peek().map_or(before.len(), |next| next.old.start))?;
            match memchr::memchr_iter(b'\n', below).nth(BELOW) {
                Some(line_end) => {
                    new.extend_from_slice(below.get(..=line_end)?);
                    end += line_end + 1;
                }
                None if exchanges.peek().is_some() => next = exchanges.next(),
                None => {
                    new.extend_from_slice(below);
                    end = before.len();
                }
            }
        }
        for part in differing(before.get(start..end)?, &new) {
            stat.added += part.after.lines.len();
            stat.removed += part.before.lines.len();
            stat.new.push(start_after + part.after.bytes.start..start_after + part.after.bytes.end);
        }
    }
    Some(stat)
}

/// Whether nothing after these lines can change how those above them are compared.
fn is_far(lines: &[u8]) -> bool {
    // Counting is faster than looking for one after the other, and lines are seldom longer than this.
    const USUAL: usize = 64 * BELOW;
    count(lines.get(..USUAL).unwrap_or(lines), b'\n') > BELOW
        || memchr::memchr_iter(b'\n', lines).nth(BELOW).is_some()
}

/// Whether two texts of whole lines have none in common; only short ones are looked at.
fn differ_in_every_line(old: &[u8], new: &[u8]) -> bool {
    const SHORT: usize = 1024;
    let is_whole = |text: &[u8]| text.is_empty() || text.ends_with(b"\n");
    let is_missing = |line: &[u8]| lines(new).all(|other| other != line);
    old.len() + new.len() <= SHORT && is_whole(old) && is_whole(new) && lines(old).all(is_missing)
}

/// The beginnings of the file before and after that hold this many lines of their difference; `None` when it takes all of
/// both.
pub(super) fn beginning<'b>(before: &'b [u8], after: &Spliced, limit: usize) -> Option<(&'b [u8], Vec<u8>)> {
    if is_binary(before) || begins_binary(before, after) {
        return None;
    }
    let mut shown = 0;
    let mut exchanges = after.exchanges(before).peekable();
    while let (Some(exchange), Some(next)) = (exchanges.next(), exchanges.peek()) {
        let changed = [before.get(exchange.old.clone())?, after.fresh().get(exchange.new)?];
        shown += changed.iter().map(|lines| count(lines, b'\n')).sum::<usize>();
        let below = before.get(exchange.old.end..next.old.start)?;
        let mut ends = memchr::memchr_iter(b'\n', below);
        let line_end = if shown >= limit { ends.nth(BELOW) } else { None };
        if let Some(line_end) = line_end {
            let cut = exchange.old.end + line_end + 1;
            return Some((before.get(..cut)?, after.bytes_until(before, cut)));
        }
        // Lines around both of them are shown too, unless they are so near that some would be counted twice.
        shown += if ends.nth(2 * CONTEXT).is_some() { 2 * CONTEXT } else { 0 };
    }
    None
}

/// Whether a file that is text looks like something else as it becomes.
fn begins_binary(before: &[u8], after: &Spliced) -> bool {
    if before.len() + after.fresh().len() <= BINARY_BYTES {
        return is_binary(after.fresh());
    }
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
    fn it_equals_a_comparison_of_the_whole_text() {
        check("a\nb\nc\n", &[]);
        check("a\nb\nc\n", &[(2, 4, "x\n")]);
        check("a\nb\nc\n", &[(0, 2, ""), (4, 6, "x\ny\n")]);
        check("a\nb\nc\n", &[(0, 0, "x\n"), (2, 4, "y\n"), (6, 6, "z\n")]);
        check("a\nb\nc\n", &[(2, 6, "b\nx\n")]);
        check("a\nb", &[(3, 3, "\nx")]);
        check("a\nb", &[(2, 3, "x")]);
        check("a\nb\n", &[(2, 4, "x")]);
        check("a\nb\n", &[(0, 4, "")]);
        check("one two\nthree\n", &[(4, 7, "2")]);
        check("\u{feff}a\nb\n", &[(3, 3, "x\n")]);
        check("a\0b\nc\n", &[(4, 6, "x\n")]);
        check("a\nb\n", &[(2, 2, "\0\n")]);
        check("", &[(0, 0, "x\ny\n")]);
    }

    #[test]
    fn lines_that_end_otherwise_are_compared_as_a_whole() {
        assert_eq!(stat(b"a\rb\r", &spliced("a\rb\r", &[(2, 4, "x\r")])), None);
        assert_eq!(stat(b"\xff\xfea\0", &spliced("\0\0\0\0", &[])), None);
    }

    #[test]
    fn exchanges_near_and_far_are_counted_alike() {
        let before: String = (0..500).map(|line| format!("{line:03}\n")).collect();
        let at = |line: usize, new| (4 * line, 4 * line + 4, new);
        check(
            &before,
            &[at(0, ""), at(1, "x\n"), at(34, "x\ny\n"), at(300, ""), at(335, "a\n"), at(499, "")],
        );
        check(&before, &[at(10, "x\n"), at(499, "499")]);
    }

    #[test]
    fn the_beginning_is_enough_to_decide() {
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
