//! How long texts are compared: piece by piece, so that the cost grows with their length and no faster.
//!
//! Comparing two texts as a whole takes time that grows with the square of their length if lines repeat. So a text is
//! cut where the two are certain to agree: at lines that occur once in both. Where there are none, it is cut after
//! whatever the next lines turn out to have in common.

use imara_diff::InternedInput;

use super::{Difference, Line};

/// How many lines of both texts together are compared as a whole.
pub(super) const PIECE: usize = 1_000;

/// What compares two lists of lines as a whole.
type Whole<T> = fn(&[T], &[T]) -> Vec<Difference>;

/// The stretches in which two lists of lines differ.
pub(super) fn compare<T: Line>(before: &[T], after: &[T], whole: Whole<T>) -> Vec<Difference> {
    let anchors = anchors(before, after);
    let mut ahead = anchors.as_slice();
    let mut pieces = Pieces { before, after, whole, old: 0, new: 0, found: Vec::new() };
    loop {
        // Everything up to the last line in reach that is once in both texts.
        let near = ahead.partition_point(|anchor| pieces.lines_before(anchor.0, anchor.1) <= PIECE);
        let (old, new) = match near.checked_sub(1).and_then(|last| ahead.get(last)) {
            _ if pieces.lines_before(before.len(), after.len()) <= PIECE => (before.len(), after.len()),
            Some(anchor) => *anchor,
            None => {
                pieces.feel(ahead.first().copied().unwrap_or((before.len(), after.len())));
                continue;
            }
        };
        pieces.take(old, new);
        if (old, new) == (before.len(), after.len()) {
            return pieces.found;
        }
        // The line itself begins the next piece; it must not be found again.
        ahead = ahead.get(near..).unwrap_or_default();
    }
}

/// Two texts that have been compared up to a line of each.
struct Pieces<'t, T> {
    before: &'t [T],
    after: &'t [T],
    whole: Whole<T>,
    old: usize,
    new: usize,
    found: Vec<Difference>,
}

impl<T: Line> Pieces<'_, T> {
    /// How many lines there are up to a line of each text.
    const fn lines_before(&self, old: usize, new: usize) -> usize {
        old - self.old + (new - self.new)
    }

    /// What differs up to a line of each text, counted from where the texts were compared up to.
    fn differ(&self, old: usize, new: usize) -> Vec<Difference> {
        let (before, after) = (self.before.get(self.old..old), self.after.get(self.new..new));
        (self.whole)(before.unwrap_or_default(), after.unwrap_or_default())
    }

    /// Advances to a line of each text; the two are known to belong together.
    fn take(&mut self, old: usize, new: usize) {
        for part in self.differ(old, new) {
            self.push(&part);
        }
        (self.old, self.new) = (old, new);
    }

    /// Advances by as many lines as can be compared at once, at most to a line of each text.
    fn feel(&mut self, (old_end, new_end): (usize, usize)) {
        let lines = [old_end - self.old, new_end - self.new];
        if lines.contains(&0) {
            self.push(&Difference { before: 0..lines[0], after: 0..lines[1] });
            (self.old, self.new) = (old_end, new_end);
            return;
        }
        // What lies near the end of the lines looked at may look otherwise with more of them.
        let [(old, old_sure), (new, new_sure)] = lines.map(|lines| match PIECE / 2 {
            most if lines <= most => (lines, lines),
            most => (most, most * 3 / 4),
        });
        let parts = self.differ(self.old + old, self.new + new);
        let sure = |part: &Difference| part.before.end <= old_sure && part.after.end <= new_sure;
        let surely = parts.iter().take_while(|part| sure(part)).count();
        let (known, beyond) = parts.split_at(surely);
        for part in known {
            self.push(part);
        }
        let (old_from, new_from) = known.last().map_or((0, 0), |part| (part.before.end, part.after.end));
        let equal = beyond.first().map_or(old, |part| part.before.start) - old_from;
        let passed = match beyond.first() {
            // Not even the first stretch ends in time, and it begins at once: its beginning is taken for the whole.
            Some(part) if known.is_empty() && equal == 0 => {
                let cut = (part.before.end.min(old_sure), part.after.end.min(new_sure));
                self.push(&Difference { before: 0..cut.0, after: 0..cut.1 });
                cut
            }
            _ => (old_from + equal, new_from + equal),
        };
        (self.old, self.new) = (self.old + passed.0, self.new + passed.1);
    }

    /// Adds a stretch, counted from where the texts were compared up to.
    fn push(&mut self, part: &Difference) {
        let before = self.old + part.before.start..self.old + part.before.end;
        let after = self.new + part.after.start..self.new + part.after.end;
        match self.found.last_mut() {
            Some(last) if last.before.end == before.start && last.after.end == after.start => {
                (last.before.end, last.after.end) = (before.end, after.end);
            }
            _ => self.found.push(Difference { before, after }),
        }
    }
}

/// Lines that are once in each of two texts, as many of them as are in the same order in both.
fn anchors<T: Line>(before: &[T], after: &[T]) -> Vec<(usize, usize)> {
    let mut input = InternedInput::default();
    input.update_before(before.iter().copied());
    input.update_after(after.iter().copied());
    let kinds = input.interner.num_tokens() as usize;
    let [old, new] = [&input.before, &input.after].map(|tokens| {
        let mut places = vec![Occurs::Nowhere; kinds];
        for (at, token) in tokens.iter().enumerate() {
            if let Some(place) = places.get_mut(token.0 as usize) {
                *place = if *place == Occurs::Nowhere { Occurs::Once(at) } else { Occurs::Often };
            }
        }
        places
    });
    let mut pairs: Vec<(usize, usize)> = old
        .iter()
        .zip(&new)
        .filter_map(|pair| match pair {
            (Occurs::Once(old), Occurs::Once(new)) => Some((*old, *new)),
            _ => None,
        })
        .collect();
    pairs.sort_unstable();
    in_order(&pairs)
}

/// Where a line is in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Occurs {
    Nowhere,
    Once(usize),
    Often,
}

/// The most pairs of which the second members rise like the first ones.
fn in_order(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length the chain whose end leaves most room, by its last pair; and for each pair the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let second = |at: usize| pairs.get(at).map_or(0, |pair| pair.1);
    for (at, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| second(*end) < pair.1);
        previous.push(length.checked_sub(1).and_then(|shorter| ends.get(shorter).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let chain = std::iter::successors(ends.last().copied(), |at| previous.get(*at).copied().flatten());
    let mut chain: Vec<_> = chain.filter_map(|at| pairs.get(at).copied()).collect();
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares two texts in pieces and checks that nothing else differs; returns how many lines do.
    #[track_caller]
    fn check(before: &[String], after: &[String]) -> usize {
        let old: Vec<&str> = before.iter().map(String::as_str).collect();
        let new: Vec<&str> = after.iter().map(String::as_str).collect();
        let found = compare(&old, &new, super::super::compare_whole);
        let (mut old_at, mut new_at) = (0, 0);
        for part in &found {
            assert_eq!(old[old_at..part.before.start], new[new_at..part.after.start]);
            assert!(!part.before.is_empty() || !part.after.is_empty());
            (old_at, new_at) = (part.before.end, part.after.end);
        }
        assert_eq!(old[old_at..], new[new_at..]);
        found.iter().map(|part| part.before.len() + part.after.len()).sum()
    }

    fn numbered(lines: usize) -> Vec<String> {
        (0..lines).map(|line| format!("line {line}")).collect()
    }

    #[test]
    fn texts_with_nothing_in_common_are_replaced() {
        let new: Vec<String> = (0..4 * PIECE).map(|line| format!("new {line}")).collect();
        assert_eq!(check(&numbered(3 * PIECE), &new), 7 * PIECE);
        assert_eq!(check(&numbered(3 * PIECE), &[]), 3 * PIECE);
        assert_eq!(check(&[], &new), 4 * PIECE);
    }

    #[test]
    fn equal_lines_are_compared_where_they_stand() {
        let old = vec!["same".to_owned(); 9 * PIECE];
        let mut new = old.clone();
        for at in (5..new.len()).step_by(10) {
            new[at] = "other".to_owned();
        }
        assert_eq!(check(&old, &new), 2 * new.len() / 10);
        assert_eq!(check(&new, &old), 2 * new.len() / 10);
        new.drain(..3 * PIECE);
        assert_eq!(check(&old, &new), 3 * PIECE + 2 * new.len() / 10);
        assert_eq!(check(&old, &old), 0);
    }

    #[test]
    fn lines_that_stand_once_keep_the_texts_together() {
        let old = numbered(10 * PIECE);
        let mut new = old.clone();
        new.drain(PIECE..3 * PIECE);
        new.splice(4 * PIECE..4 * PIECE, (0..2 * PIECE).map(|line| format!("new {line}")));
        for at in (0..new.len()).step_by(7).rev() {
            new.insert(at, "often".to_owned());
        }
        let inserted = new.len() - old.len();
        assert_eq!(check(&old, &new), inserted + 2 * 2 * PIECE);
        assert_eq!(check(&new, &old), inserted + 2 * 2 * PIECE);
    }

    #[test]
    fn lines_in_another_order_are_kept_as_far_as_they_rise() {
        let old = numbered(5 * PIECE);
        let mut new = old.clone();
        new.rotate_left(PIECE);
        assert_eq!(check(&old, &new), 2 * PIECE);
        new.reverse();
        assert!(check(&old, &new) <= 2 * old.len());
    }

    #[test]
    fn the_longest_rise_is_found() {
        let pairs = |seconds: &[usize]| -> Vec<(usize, usize)> {
            seconds.iter().enumerate().map(|(at, second)| (at, *second)).collect()
        };
        let found = |seconds: &[usize]| -> Vec<usize> {
            in_order(&pairs(seconds)).into_iter().map(|pair| pair.1).collect()
        };
        assert_eq!(found(&[3, 1, 2, 0, 5, 4]), [1, 2, 4]);
        assert_eq!(found(&[2, 1, 0]), [0]);
        assert_eq!(found(&[]), [0; 0]);
    }
}
