//! Brackets that new lines bring and that are right there already.
//!
//! One bracket more may be meant, so that a copy of one is no copy by itself. The brackets tell: where the new lines of a hunk
//! open and close as much as its old ones but for the copies, those are too many, unless the other hunks or the file need
//! them. Nothing is placed here.

use crate::matcher::index::FileIndex;
use crate::matcher::pattern::Pattern;
use crate::{Hunk, HunkLine};

/// More lines at an end of a hunk than these are not looked at.
const LINES: usize = 32;

/// How many brackets of each kind are open after some text.
pub(crate) type Balance = [isize; 3];

/// Whether new lines that a hunk begins with (`above`) and ends with (`below`), and that are right above and below its place,
/// have brackets that would be there twice. `+  b();`, `+}` above a `}` that closes the function: there is one bracket
/// more than before.
pub(crate) fn doubled(
    patterns: &[Pattern<'_>],
    hunk: &Hunk,
    index: &FileIndex<'_>,
    above: &[&HunkLine],
    below: &[&HunkLine],
) -> bool {
    let more = opened_by(hunk);
    let copies =
        |lines: &[&HunkLine]| lines.iter().map(|line| balance(line.text().as_bytes())).fold([0; 3], sum);
    let above = (0..=above.len().min(LINES)).filter_map(|count| above.get(..count)).map(copies);
    let below: Vec<Balance> = (0..=below.len().min(LINES))
        .filter_map(|count| below.get(below.len() - count..))
        .map(copies)
        .collect();
    let mut readings = above.flat_map(|above| below.iter().map(move |below| sum(above, *below)));
    more != [0; 3] && readings.any(|copied| copied == more) && !are_needed(patterns, index)
}

/// Whether all hunks together close what they open, or what the file leaves open. Another hunk adds the `{`, or the
/// file lacks a `}`.
fn are_needed(patterns: &[Pattern<'_>], index: &FileIndex<'_>) -> bool {
    let lines = patterns.iter().map(|pattern| pattern.hunk.lines.len()).sum::<usize>() + index.lines.len();
    if index.spend(lines).is_none() {
        return false;
    }
    let opened = patterns.iter().map(|pattern| opened_by(pattern.hunk)).fold([0; 3], sum);
    opened == [0; 3] || sum(opened, balance(index.lines.bytes())) == [0; 3]
}

/// How many brackets a hunk leaves open that were not.
fn opened_by(hunk: &Hunk) -> Balance {
    hunk.lines.iter().fold([0; 3], |sum, line| {
        let [round, square, curly] = balance(line.text().as_bytes());
        match line {
            HunkLine::Context(_) => sum,
            HunkLine::Added(_) => self::sum(sum, [round, square, curly]),
            HunkLine::Removed(_) => self::sum(sum, [-round, -square, -curly]),
        }
    })
}

/// How many brackets of each kind a text leaves open.
pub(crate) fn balance(text: &[u8]) -> Balance {
    let [mut round, mut square, mut curly] = [0; 3];
    for byte in text {
        match byte {
            b'(' => round += 1,
            b')' => round -= 1,
            b'[' => square += 1,
            b']' => square -= 1,
            b'{' => curly += 1,
            b'}' => curly -= 1,
            _ => {}
        }
    }
    [round, square, curly]
}

pub(crate) fn sum([round, square, curly]: Balance, other: Balance) -> Balance {
    [round + other[0], square + other[1], curly + other[2]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the last new line of a hunk, which is below its place, is one too many.
    fn is_doubled(file: &str, diffs: &[&str]) -> bool {
        let hunks: Vec<Hunk> = diffs.iter().map(|diff| Hunk::of_diff(diff)).collect();
        let patterns: Vec<Pattern<'_>> = hunks.iter().map(Pattern::new).collect();
        let hunk = hunks.last().expect("a hunk");
        let last: Vec<&HunkLine> = hunk.lines.last().into_iter().collect();
        doubled(&patterns, hunk, &FileIndex::new(file.as_bytes()), &[], &last)
    }

    #[test]
    fn a_bracket_is_doubled_where_nothing_opens_it() {
        let file = "f {\nif a {\nb();\n}\n}\n";
        assert!(is_doubled(file, &["-b();\n+c();\n+}"]));
        assert!(is_doubled("f(\n  a,\n)\n", &["-  a,\n+  b,\n+)"]));
        assert!(!is_doubled(file, &["-b();\n+if c {\n+c();\n+}"]));
        // Something else is opened.
        assert!(!is_doubled(file, &["-b();\n+[[\n+}"]));
    }

    #[test]
    fn a_bracket_that_is_needed_is_not() {
        let wrapped = ["+if c {\n b();", " d();\n+}"];
        assert!(!is_doubled("f {\nif a {\nb();\nd();\n}\n}\n", &wrapped));
        // The file lacks one.
        assert!(!is_doubled("f {\nif a {\nb();\n}\n", &["-b();\n+c();\n+}"]));
    }
}
