//! Line anchors: a line's number and two letters that depend on its text, such as `41th` for `def alpha():`.
//!
//! They let a model name lines without quoting them. The table of letter pairs and the hash are stable for ever:
//! anchors live on in transcripts, also in those of other programs that use the same ones. White space at the end of a
//! line does not count, so anchors survive a change of line endings.

mod earlier;
mod xxhash;

use std::borrow::Cow;
use std::fmt;

use crate::encoding::text_of;
use crate::lines::Lines;
use xxhash::xxhash32;

/// The number of letter pairs.
pub const PAIRS: usize = 647;

/// Pairs that are left out, because tokenizers hardly know them as one token.
const LEFT_OUT: [[u8; 2]; 29] = [
    *b"bq", *b"gk", *b"gq", *b"jv", *b"jz", *b"kq", *b"kz", *b"lq", *b"nq", *b"qf", *b"qg", *b"qj", *b"qk",
    *b"qv", *b"qz", *b"rj", *b"tq", *b"wq", *b"wz", *b"xg", *b"xj", *b"xk", *b"xq", *b"xv", *b"xw", *b"yq",
    *b"zj", *b"zq", *b"zv",
];

/// The table of letter pairs, in alphabetical order.
const TABLE: [[u8; 2]; PAIRS] = table(&LEFT_OUT);

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, where a wrong index is a compile error"
)]
const fn table(left_out: &[[u8; 2]; 29]) -> [[u8; 2]; PAIRS] {
    let mut table = [[0; 2]; PAIRS];
    let (mut first, mut next, mut skipped) = (b'a', 0, 0);
    while first <= b'z' {
        let mut second = b'a';
        while second <= b'z' {
            let is_left_out = skipped < 29 && left_out[skipped][0] == first && left_out[skipped][1] == second;
            if is_left_out {
                skipped += 1;
            } else {
                table[next] = [first, second];
                next += 1;
            }
            second += 1;
        }
        first += 1;
    }
    assert!(next == PAIRS && skipped == 29, "the table is full, and the pairs left out are in order");
    table
}

/// Two letters that depend on the text of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineHash([u8; 2]);

impl LineHash {
    /// The hash of a line.
    ///
    /// ```
    /// assert_eq!(relay_edit::anchors::LineHash::of(b"def alpha():").to_string(), "th");
    /// ```
    #[must_use]
    pub fn of(text: &[u8]) -> Self {
        Self::seeded(&hashed(text), 0)
    }

    fn seeded(hashed: &[u8], seed: u32) -> Self {
        let slot = xxhash32(hashed, seed) as usize % PAIRS;
        Self(TABLE.get(slot).copied().unwrap_or_default())
    }

    /// Whether this may be the hash of a line with this number, counted from 1. Transcripts of an earlier generation mixed
    /// the number into the hash of lines without letters and digits, so that one `}` is not like another; both are read.
    #[must_use]
    pub fn is_of(self, number: usize, text: &[u8]) -> bool {
        let hashed = hashed(text);
        self == Self::seeded(&hashed, 0)
            || !String::from_utf8_lossy(&hashed).chars().any(char::is_alphanumeric)
                && u32::try_from(number).is_ok_and(|number| self == Self::seeded(&hashed, number))
    }

    /// Whether this is the hash that an earlier version of Relay gave a line; worth something only beside a view.
    #[must_use]
    pub(crate) fn was_of(self, number: usize, text: &[u8]) -> bool {
        self.0 == earlier::letters(number, text)
    }

    /// Reads two lower-case letters; `None` if they are not a pair in the table.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let pair: [u8; 2] = text.as_bytes().try_into().ok()?;
        (TABLE.binary_search(&pair).is_ok() || earlier::has(pair)).then_some(Self(pair))
    }
}

/// What of a line is hashed: all but carriage returns and the white space at its end.
fn hashed(text: &[u8]) -> Cow<'_, [u8]> {
    // JavaScript's notion of white space, in which these anchors were first made.
    let is_blank = |c: char| c.is_whitespace() && c != '\u{85}' || c == '\u{feff}';
    let text = if text.contains(&b'\r') {
        Cow::Owned(text.iter().copied().filter(|byte| *byte != b'\r').collect())
    } else {
        Cow::Borrowed(text)
    };
    let length = match std::str::from_utf8(&text) {
        Ok(text) => text.trim_end_matches(is_blank).len(),
        Err(_) => text.trim_ascii_end().len(),
    };
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(..length).unwrap_or(text)),
        Cow::Owned(mut text) => {
            text.truncate(length);
            Cow::Owned(text)
        }
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
    // A byte order mark is before the first line.
    let start = if first <= 1 { 0 } else { lines.offset(first - 1) };
    let shown = file.get(start..lines.offset(last.min(lines.len()))).unwrap_or_default();
    (String::from_utf8_lossy(shown).into_owned(), lines.len())
}

/// The lines of a text without the anchors before them, where every line that is not blank has one and they count up, as a text
/// has that was copied from where it was shown.
///
/// ```
/// let plain = relay_edit::anchors::without_anchors("3th|def alpha():\n4tr|  return;\n");
/// assert_eq!(plain.as_deref(), Some("def alpha():\n  return;\n"));
/// assert_eq!(relay_edit::anchors::without_anchors("def alpha():\n"), None);
/// ```
#[must_use]
pub fn without_anchors(text: &str) -> Option<String> {
    let mut last = 0;
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            plain.push_str(line);
            continue;
        }
        let (number, hash, rest) = split_anchor(line)?;
        if number <= last || !hash.is_of(number, rest.as_bytes().trim_ascii_end()) {
            return None;
        }
        last = number;
        plain.push_str(rest);
    }
    (last > 0).then_some(plain)
}

/// One line as `LINEhh|TEXT`.
pub(crate) fn anchored_line(number: usize, text: &[u8]) -> String {
    format!("{number}{}|{}", LineHash::of(text), String::from_utf8_lossy(text))
}

/// The number, the hash and the text of a line that was copied with its anchor, also out of a report that marks it.
pub(crate) fn split_anchor(line: &str) -> Option<(usize, LineHash, &str)> {
    let (anchor, text) = line.split_once('|')?;
    let (number, hash) = anchor.split_at_checked(anchor.len().checked_sub(2)?)?;
    Some((number.trim_start_matches(['*', '>', ' ', '\t']).parse().ok()?, LineHash::parse(hash)?, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, letters: &str) {
        assert_eq!(LineHash::of(text.as_bytes()).to_string(), letters, "{text:?}");
    }

    /// These must never change: anchors are kept in transcripts.
    #[test]
    fn the_letters_are_stable() {
        for (text, letters) in [
            ("def alpha():", "th"),
            ("", "yy"),
            ("}", "rk"),
            ("{", "bt"),
            ("function hi() {", "tz"),
            ("  return;", "tr"),
            ("const added = true;", "nf"),
            ("café", "ro"),
        ] {
            check(text, letters);
            check(&format!("{text} \t\u{a0}\u{feff}\r"), letters);
        }
        check("de\rf alpha():", "th");
        assert_eq!(anchored(b"}\n\ndef alpha():\n", 2, 3), "2yy|\n3th|def alpha():\n");
    }

    #[test]
    fn the_table_has_its_pairs_in_order() {
        assert!(TABLE.is_sorted());
        assert_eq!(TABLE.get(..2), Some(&[*b"aa", *b"ab"][..]));
        assert_eq!(LineHash::parse("th").map(|hash| hash.to_string()).as_deref(), Some("th"));
        for none in ["jv", "t", "thx", "TH", "t1", "é"] {
            assert_eq!(LineHash::parse(none), None, "{none}");
        }
    }

    /// An earlier generation of anchors distinguished brackets on different lines; both are read.
    #[test]
    fn brackets_may_have_their_number_mixed_in() {
        let with_number = |number: u32| LineHash::seeded(b"}", number);
        assert!(LineHash::of(b"}").is_of(7, b"}"));
        assert!(with_number(7).is_of(7, b"  }\r".trim_ascii_start()) && !with_number(7).is_of(8, b"}"));
        // Not if a letter or a digit distinguishes the lines.
        assert!(!LineHash::seeded(b"a }", 7).is_of(7, b"a }"));
    }

    #[test]
    fn marks_before_a_copied_anchor_do_not_count() {
        for line in ["41th|def alpha():", " 41th|def alpha():", "*41th|def alpha():", "> 41th|def alpha():"] {
            let (number, hash, text) = split_anchor(line).expect("an anchor");
            assert!(hash.is_of(number, text.as_bytes()) && number == 41, "{line}");
        }
    }
}
