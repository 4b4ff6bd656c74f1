//! Line anchors: a line's number and two letters that depend on its text, such as `41th`.
//!
//! They let a model name lines without quoting them. The table of letter pairs and the hash are stable for ever:
//! anchors live on in transcripts. White space at the end of a line does not count, so anchors survive a change
//! of line endings; lines without letters or digits mix in their number, so that one `}` is not like another.

use std::fmt;

use crate::encoding::text_of;
use crate::lines::Lines;

/// The number of letter pairs.
pub const PAIRS: usize = 647;

/// Letters whose pairs with each other are left out, because no tokenizer knows them as one token.
const RARE: &[u8] = b"jqvxz";
/// Further pairs that are left out.
const RARE_PAIRS: &[[u8; 2]] = &[*b"qk", *b"kq", *b"qw", *b"wq"];

/// The table of letter pairs, in alphabetical order.
const TABLE: [[u8; 2]; PAIRS] = table();

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, where a wrong index is a compile error"
)]
const fn table() -> [[u8; 2]; PAIRS] {
    let mut table = [[0; 2]; PAIRS];
    let (mut first, mut next) = (b'a', 0);
    while first <= b'z' {
        let mut second = b'a';
        while second <= b'z' {
            if !is_left_out(first, second) {
                table[next] = [first, second];
                next += 1;
            }
            second += 1;
        }
        first += 1;
    }
    assert!(next == PAIRS, "the table is full");
    table
}

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, where a wrong index is a compile error"
)]
const fn is_left_out(first: u8, second: u8) -> bool {
    let (mut rare_first, mut rare_second, mut at) = (false, false, 0);
    while at < RARE.len() {
        rare_first |= RARE[at] == first;
        rare_second |= RARE[at] == second;
        at += 1;
    }
    let (mut listed, mut at) = (false, 0);
    while at < RARE_PAIRS.len() {
        listed |= RARE_PAIRS[at][0] == first && RARE_PAIRS[at][1] == second;
        at += 1;
    }
    rare_first && rare_second || listed
}

/// Two letters that depend on the text of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineHash([u8; 2]);

impl LineHash {
    /// The hash of a line; `number` is counted from 1.
    #[must_use]
    pub fn of(number: usize, text: &[u8]) -> Self {
        let text = text.trim_ascii_end();
        let telling = String::from_utf8_lossy(text).chars().any(char::is_alphanumeric);
        let seed = if telling { 0 } else { number as u64 };
        // FNV-1a, 64 bits, with its upper half folded in.
        let hash = seed.to_le_bytes().iter().chain(text).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let slot = usize::try_from((hash ^ hash >> 32) % PAIRS as u64).unwrap_or_default();
        Self(TABLE.get(slot).copied().unwrap_or_default())
    }

    /// Reads two lower-case letters; `None` when they are no pair of the table.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let pair: [u8; 2] = text.as_bytes().try_into().ok()?;
        TABLE.binary_search(&pair).ok().map(|_| Self(pair))
    }
}

impl fmt::Display for LineHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.0;
        write!(f, "{}{}", char::from(first), char::from(second))
    }
}

/// The lines `first..=last` of a file, counted from 1, each as `LINEhh|TEXT`.
///
/// ```
/// let lines = relay_edit::anchors::anchored(b"one\ntwo\n", 2, 9);
/// assert!(lines.starts_with('2') && lines.ends_with("|two\n"));
/// ```
#[must_use]
pub fn anchored(file: &[u8], first: usize, last: usize) -> String {
    let file = text_of(file);
    let lines = Lines::new(&file);
    let mut shown = String::new();
    for number in first.max(1)..=last.min(lines.len()) {
        shown.push_str(&anchored_line(number, lines.text(number - 1)));
        shown.push('\n');
    }
    shown
}

/// The lines `first..=last` of a file, counted from 1, as they are; and how many lines the file has.
///
/// ```
/// assert_eq!(relay_edit::anchors::plain(b"one\rtwo\r", 2, 9), ("two\r".to_owned(), 2));
/// ```
#[must_use]
pub fn plain(file: &[u8], first: usize, last: usize) -> (String, usize) {
    let file = text_of(file);
    let lines = Lines::new(&file);
    // A byte order mark stands before the first line.
    let start = if first <= 1 { 0 } else { lines.offset(first - 1) };
    let shown = file.get(start..lines.offset(last.min(lines.len()))).unwrap_or_default();
    (String::from_utf8_lossy(shown).into_owned(), lines.len())
}

/// One line as `LINEhh|TEXT`.
pub(crate) fn anchored_line(number: usize, text: &[u8]) -> String {
    format!("{number}{}|{}", LineHash::of(number, text), String::from_utf8_lossy(text))
}

/// The number, the hash and the text of a line that was copied with its anchor.
pub(crate) fn split_anchor(line: &str) -> Option<(usize, LineHash, &str)> {
    let (anchor, text) = line.split_once('|')?;
    let (number, hash) = anchor.split_at_checked(anchor.len().checked_sub(2)?)?;
    Some((number.trim_start().parse().ok()?, LineHash::parse(hash)?, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_stable() {
        assert!(TABLE.is_sorted());
        assert_eq!(LineHash::parse("jq"), None);
        assert_eq!(LineHash::parse("th").map(|hash| hash.to_string()).as_deref(), Some("th"));
        // These must never change: anchors are kept in transcripts.
        assert_eq!(
            LineHash::of(1, b"fn main() {").to_string(),
            LineHash::of(99, b"fn main() {  ").to_string()
        );
        assert_eq!(anchored(b"fn main() {\n}\n", 1, 2), "1am|fn main() {\n2sb|}\n");
    }

    #[test]
    fn brackets_depend_on_their_line() {
        assert_ne!(LineHash::of(1, b"}"), LineHash::of(2, b"}"));
        assert_eq!(LineHash::of(1, b"a\t "), LineHash::of(2, b"a"));
    }
}
