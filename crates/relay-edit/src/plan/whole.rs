//! Evidence that content is the whole of a file, and not a part of it that would gut the rest.
//!
//! Content replaces a file only when it keeps the file's beginning and end or most of its lines, and drops no stretch of it
//! without putting anything in its place. Only lines that say something count: brackets and blank lines are everywhere.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use crate::align::{Difference, differences};
use crate::lines::Lines;
use crate::matcher::balance;

/// So many lines in a row that go, with hardly anything in their place, may have been left out.
const STRETCH: usize = 5;

/// At the beginning or the end of a file fewer lines show that content begins later or stops earlier.
const EDGE: usize = 3;

/// This many lines at the end of a file are lost where content stops in the middle of its new lines.
const ENDING: usize = 2;

/// Lines that begin with this many equal bytes may be versions of each other.
const ALIKE: usize = 4;

/// A file of fewer lines that say something can be rewritten freely, unless the content is a part of it.
const FEW: usize = 5;

/// One of so many words of lines that go must be in the lines that take their place.
const SHARED: usize = 4;

/// Why content is hardly the whole of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Partial {
    /// What is missing.
    pub why: Missing,
    /// How many lines of the file the content lacks.
    pub lost: usize,
    /// How many lines the file has.
    pub of: usize,
    /// The lines of the file that the content is a version of, counted from 1, where its first and last lines show that.
    pub region: Option<RangeInclusive<usize>>,
}

/// What of a file is missing from content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Its beginning.
    Start,
    /// Its end.
    End,
    /// A stretch in between.
    Middle,
    /// So much that it seems to be another file.
    Most,
    /// What closes its last bracket, string or comment.
    Closing,
}

/// Looks for evidence that content is not the whole of a file; `None` when it is.
pub(crate) fn doubt(before: &[u8], content: &str) -> Option<Partial> {
    let lines = Lines::new(before);
    let telling =
        |text: &[u8]| text.iter().filter(|byte| byte.is_ascii_alphanumeric() || **byte > 127).count() > 1;
    let trimmed = |text: &'_ [u8]| text.trim_ascii().to_vec();
    let (numbers, old): (Vec<usize>, Vec<Vec<u8>>) = (1..)
        .zip(lines.texts())
        .filter(|(_, text)| telling(text))
        .map(|(number, text)| (number, trimmed(text)))
        .unzip();
    let new: Vec<Vec<u8>> =
        content.lines().map(str::as_bytes).filter(|text| telling(text)).map(trimmed).collect();
    let old: Vec<&[u8]> = old.iter().map(Vec::as_slice).collect();
    let new: Vec<&[u8]> = new.iter().map(Vec::as_slice).collect();
    let found = differences(&old, &new);
    // What only moved is not lost.
    let known: HashSet<&[u8]> = new.iter().copied().collect();
    let lost = |part: &Difference| {
        let gone = old.get(part.before.clone()).unwrap_or_default().iter();
        gone.filter(|line| !known.contains(*line)).count()
    };
    let replaced = |part: &Difference| resemble(old.get(part.before.clone()), new.get(part.after.clone()));
    let loss = |part| Loss { part, lines: lost(part), is_replaced: replaced(part) };
    let losses: Vec<Loss<'_>> = found.iter().map(loss).collect();
    let (why, lost) = missing(&losses, old.len(), new.len())
        .or_else(|| ends_elsewhere(&losses, &old, &new))
        .or_else(|| ends_open(before, content).then_some((Missing::Closing, 0)))?;
    Some(Partial { why, lost, of: lines.len(), region: region(&found, &numbers, new.len()) })
}

/// A difference, and how many lines of the file are nowhere in the content because of it.
struct Loss<'d> {
    part: &'d Difference,
    lines: usize,
    /// The lines in its place are about the same things, so that they may be a new version of it.
    is_replaced: bool,
}

/// Whether new lines share a fair part of the words of the old ones. Where a stretch is left out and other lines are added at
/// the same place, as a new function is, they share few.
fn resemble(old: Option<&[&[u8]]>, new: Option<&[&[u8]]>) -> bool {
    let words = |lines: Option<&[&[u8]]>| -> HashSet<Vec<u8>> {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte > 127;
        let all = lines.unwrap_or_default().iter().flat_map(|line| line.split(|byte| !is_word(byte)));
        all.filter(|word| word.len() > 2).map(<[u8]>::to_ascii_lowercase).collect()
    };
    let (old, new) = (words(old), words(new));
    old.intersection(&new).count() * SHARED >= old.len()
}

/// What is missing from the new lines, and how many lines that are.
fn missing(found: &[Loss<'_>], old: usize, new: usize) -> Option<(Missing, usize)> {
    let gone: usize = found.iter().map(|loss| loss.lines).sum();
    let kept = old.saturating_sub(gone);
    if old < FEW {
        let is_part = found.iter().all(|loss| loss.part.after.is_empty()) && gone > 0 && new < old;
        return (is_part && kept > 0 && gone * 2 >= old).then_some((Missing::Most, gone));
    }
    let is_lost = |loss: &&Loss<'_>, least: usize| {
        loss.lines >= least && (loss.part.after.len() * 3 <= loss.lines || !loss.is_replaced)
    };
    let is_edge = |loss: &&Loss<'_>| is_lost(loss, EDGE) && loss.part.after.is_empty();
    let start = found.first().filter(|loss| loss.part.before.start == 0 && is_edge(loss));
    let end = found.last().filter(|loss| loss.part.before.end == old && is_edge(loss));
    let middle = found.iter().filter(|loss| is_lost(loss, STRETCH)).max_by_key(|loss| loss.lines);
    let keeps_edges = |loss: &Loss<'_>| loss.part.before.start > 0 && loss.part.before.end < old;
    match (start, end, middle) {
        (Some(loss), _, _) => Some((Missing::Start, loss.lines)),
        (_, Some(loss), _) => Some((Missing::End, loss.lines)),
        // What is kept must show that it is this file at all.
        _ if kept * 2 < old && !found.iter().all(keeps_edges) => Some((Missing::Most, gone)),
        (_, _, Some(loss)) => Some((Missing::Middle, loss.lines)),
        _ => None,
    }
}

/// Content that stops in the middle of its own new lines lacks the end of the file, and ends with a line that is nothing like
/// the file's last one.
fn ends_elsewhere(found: &[Loss<'_>], old: &[&[u8]], new: &[&[u8]]) -> Option<(Missing, usize)> {
    let end = found.last().filter(|loss| loss.part.before.end == old.len() && loss.lines >= ENDING)?;
    let (was, is) = (old.last()?, new.last()?);
    let alike = was.iter().zip(is.iter()).take_while(|(was, is)| was == is).count();
    (alike < ALIKE && end.part.after.len() > end.lines).then_some((Missing::End, end.lines))
}

/// Whether content ends inside a bracket, a string or a comment, and in another line than the file, which does not.
///
/// Counting is all that is done: a file with `":("` in a string has one more, but then it ends as it did.
fn ends_open(before: &[u8], content: &str) -> bool {
    let last_of =
        |text: &[u8]| text.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().map(<[u8]>::to_vec);
    if last_of(before) == last_of(content.as_bytes()) {
        return false;
    }
    let content = content.as_bytes();
    let opens = |before: isize, after: isize| before == 0 && after > 0;
    let (was, is) = (balance(before), balance(content));
    let brackets = was.iter().zip(is).any(|(was, is)| opens(*was, is));
    let count = |text: &[u8], sign: &str| memchr::memmem::find_iter(text, sign).count();
    let strings = ["\"\"\"", "'''", "`"]
        .iter()
        .any(|quote| count(before, quote).is_multiple_of(2) && !count(content, quote).is_multiple_of(2));
    let comments = [("/*", "*/"), ("<!--", "-->")].iter().any(|(open, close)| {
        count(before, open) == count(before, close) && count(content, open) > count(content, close)
    });
    brackets || strings || comments
}

/// The lines of the file between those that the first and the last of the new lines are.
fn region(found: &[Difference], numbers: &[usize], new: usize) -> Option<RangeInclusive<usize>> {
    let starts = found.first().is_none_or(|part| part.after.start > 0 || part.after.is_empty());
    let ends = found.last().is_none_or(|part| part.after.end < new || part.after.is_empty());
    if !starts || !ends || new == 0 {
        return None;
    }
    let first = found
        .first()
        .filter(|part| part.before.start == 0 && part.after.start == 0)
        .map_or(0, |part| part.before.end);
    let last =
        found.last().filter(|part| part.after.start == new).map_or(numbers.len(), |part| part.before.start);
    let (first, last) = (*numbers.get(first)?, *numbers.get(last.checked_sub(1)?)?);
    (first <= last).then_some(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(functions: std::ops::Range<usize>) -> String {
        let one = |at: usize| {
            format!("def f{at}(x):\n    y = x + {at}\n    print(y, {at})\n    return y * {at}\n\n\n")
        };
        format!("import os\nimport re\nimport sys\n\n\n{}", functions.map(one).collect::<String>())
    }

    #[track_caller]
    fn check(content: &str, expected: Option<Missing>) {
        assert_eq!(doubt(file(0..6).as_bytes(), content).map(|partial| partial.why), expected);
    }

    #[test]
    fn whole_files_are_accepted() {
        let whole = file(0..6);
        check(&whole, None);
        check(&whole.replace("return y * 3", "return y"), None);
        check(&whole.replace("import re\n", ""), None);
        check(&format!("\"\"\"Doc.\"\"\"\n{whole}def g():\n    return 1\n"), None);
        check(&whole.replace("    y = x + 2\n    print(y, 2)\n", ""), None);
        check(&whole.replace("    ", "  "), None);
        assert_eq!(doubt(b"a = 1\n", "b = 2\nc = 3\n"), None);
    }

    #[test]
    fn parts_are_not() {
        let whole = file(0..6);
        let imports = "import os\nimport re\nimport sys\n\n\n";
        check(&whole.replace(imports, ""), Some(Missing::Start));
        check(&file(0..5), Some(Missing::End));
        check(&format!("{}{}", file(0..2), file(4..6).replace(imports, "")), Some(Missing::Middle));
        check("def other():\n    return 0\n\n\ndef more():\n    return 1\n", Some(Missing::Most));
        check(
            "class A:\n    x = 1\n    y = 2\n    z = 3\n    u = 4\n    v = 5\n    a = 6\n    b = 7\n    c = 8\n    d = 9\n",
            Some(Missing::Most),
        );
    }

    #[test]
    fn content_that_stops_in_its_new_lines_lacks_the_end() {
        let file = "steps:\n  - name: Install\n    run: make deps\n  - name: Build\n    run: make\n  - name: Test\n    run: make test\n";
        let grown =
            "  - name: Lint\n    run: |\n      make lint\n      if [ -f report ]; then\n        echo bad\n";
        let cut = file.replace("  - name: Test\n    run: make test\n", grown);
        assert_eq!(doubt(file.as_bytes(), &cut).map(|partial| partial.why), Some(Missing::End));
        let whole = file.replace("  - name: Test\n", &format!("{grown}  - name: Test\n"));
        assert_eq!(doubt(file.as_bytes(), &whole), None);
        let other =
            file.replace("  - name: Test\n    run: make test\n", "  - name: Check\n    run: make check\n");
        assert_eq!(doubt(file.as_bytes(), &other), None);
    }

    #[test]
    fn content_that_ends_open_is_cut_off() {
        let file = "a(1);\nb(`x`);\nc(2);\n";
        for content in ["a(1);\nb(`x`);\nc(\n", "a(1);\nb(`x`);\nc(2, `\n", "a(1);\nb(`x`);\n/* c(2);\n"] {
            let found = doubt(file.as_bytes(), content).map(|partial| partial.why);
            assert_eq!(found, Some(Missing::Closing), "{content}");
        }
        for content in ["a(1);\nb(`x`);\nc(3);\n", "a(\":(\");\nb(`x`);\nc(2);\n"] {
            assert_eq!(doubt(file.as_bytes(), content), None, "{content}");
        }
    }

    #[test]
    fn other_lines_in_the_place_of_a_stretch_are_no_new_version_of_it() {
        let whole = file(0..6);
        let stretch = |at: usize| format!("    y = x + {at}\n    print(y, {at})\n    return y * {at}\n\n\n");
        let gone = format!("{}def f3(x):\n{}", stretch(2), stretch(3));
        let other = "    with lock:\n        queue.put(None)\n        worker.join()\n    log.info(done)\n    del worker\n";
        check(&whole.replace(&gone, other), Some(Missing::Middle));
        let version = gone.replace("print(", "show(").replace("y = x", "y = 2 * x");
        check(&whole.replace(&gone, &version), None);
    }

    #[test]
    fn a_part_whose_ends_are_known_has_a_region() {
        let part = "def f2(x):\n    y = x + 20\n    print(y, 2)\n    return y * 2\n";
        let found = doubt(file(0..6).as_bytes(), part).expect("a part");
        assert_eq!(found.region, Some(18..=21));
        let other = doubt(file(0..6).as_bytes(), &part.replace("def f2(x)", "def f2(x, z)")).expect("a part");
        assert_eq!(other.region, None);
    }
}
