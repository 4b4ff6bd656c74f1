//! Evidence that content is the whole of a file, and not a part of it that would gut the rest.
//!
//! Content replaces a file only when it keeps the file's beginning and end or most of its lines, and drops no stretch of it
//! without putting anything in its place. Only lines that say something count: brackets and blank lines are everywhere.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use crate::align::{Difference, differences};
use crate::elision::{comment, elision, names_left_out, remarks_left_out};
use crate::lines::Lines;
use crate::matcher::balance;

/// This many lines in a row that go, with hardly anything in their place, may have been left out.
const STRETCH: usize = 4;

/// At the beginning or the end of a file fewer lines show that content begins later or stops earlier.
const EDGE: usize = 3;

/// Where content ends in another line than the file, one lost line is enough: replies are cut off more often than anyone
/// deletes the last line of a file and nothing else there.
const LAST: usize = 1;

/// In a file of no more lines that say something, any line may be the one that changes.
const SHORT: usize = 10;

/// This many lines of a file, and a fifth of it, are not lost in passing.
const MANY: usize = 15;

/// This many lines of code hardly give way to a comment.
const REMARKED: usize = 2;

/// This many lines at the end of a file are lost where content stops in the middle of its new lines.
const ENDING: usize = 2;

/// Lines that begin with this many equal bytes may be versions of each other.
const ALIKE: usize = 4;

/// A file of fewer lines that say something can be rewritten freely, unless the content is a part of it.
const FEW: usize = 5;

/// One of this many words of lines that go must be in the lines that take their place.
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
    // What only moved is not lost: it is among the lines that are new somewhere. Lines that are the same in both are no
    // substitute: `steps:` of one job does not make up for that of another.
    let added: HashSet<&[u8]> =
        found.iter().flat_map(|part| new.get(part.after.clone()).unwrap_or_default()).copied().collect();
    let lost = |part: &Difference| {
        let gone = old.get(part.before.clone()).unwrap_or_default().iter();
        gone.filter(|line| !added.contains(*line)).count()
    };
    let losses = found.iter().map(|part| {
        let (gone, come) = (old.get(part.before.clone()), new.get(part.after.clone()));
        let lines = lost(part);
        Loss { lines, is_replaced: resemble(gone, come), is_remarked: remarks(gone, come, lines), part }
    });
    let losses: Vec<Loss<'_>> = losses.collect();
    let ends_alike = last_line(before) == last_line(content.as_bytes());
    let least = if ends_alike || old.len() <= SHORT { EDGE } else { LAST };
    let is_open = || ends_open(before, content) || ends_before_item(&old, &new);
    let (why, lost) = missing(&losses, old.len(), new.len(), least)
        .or_else(|| ends_elsewhere(&losses, &old, &new))
        .or_else(|| begins_elsewhere(&losses, &old, &new))
        .or_else(|| begins_inside(before, content).then_some((Missing::Start, 0)))
        .or_else(|| is_open().then_some((Missing::Closing, 0)))?;
    Some(Partial { why, lost, of: lines.len(), region: region(&found, &numbers, new.len()) })
}

/// Whether content is a new version of the whole of a file, which nothing but the two of them shows: it has the lines of most
/// of the file, the first and the last one among them, and nothing of it is missing. A block of 40 lines below
/// "`src/a.ts`", of which 38 are lines of `src/a.ts`.
pub(crate) fn is_whole(before: &[u8], content: &str) -> bool {
    let says = |line: &&str| line.chars().filter(|c| c.is_alphanumeric()).count() > 3;
    let text = String::from_utf8_lossy(before);
    let old: HashSet<&str> = text.lines().map(str::trim).filter(says).collect();
    let new: HashSet<&str> = content.lines().map(str::trim).filter(says).collect();
    let shared = old.intersection(&new).count();
    let has = |line: Option<&str>| line.is_some_and(|line| new.contains(line.trim()));
    let keeps_ends = has(text.lines().find(says)) && has(text.lines().rfind(says));
    keeps_ends
        && shared >= FEW
        && shared * 3 >= old.len() * 2
        && text != content
        && doubt(before, content).is_none()
}

/// A difference, and how many lines of the file are nowhere in the content because of it.
struct Loss<'d> {
    part: &'d Difference,
    lines: usize,
    /// The lines in its place are about the same things, so that they may be a new version of it.
    is_replaced: bool,
    /// Nothing but a remark is in its place.
    is_remarked: bool,
}

/// Whether lines give way to a remark that represents them. What it says need not be understood, whatever language it is in and
/// with or without the signs of a comment: `// Leave the rest as is` for an import and a function, `everything else stays`.
fn remarks(old: Option<&[&[u8]]>, new: Option<&[&[u8]]>, lost: usize) -> bool {
    let text = |line: &&[u8]| std::str::from_utf8(line).map(str::to_owned).unwrap_or_default();
    let is_comment = |line: &&[u8]| comment(&text(line)).is_some();
    // A document's heading is not a comment like `<!-- your text here -->`.
    let sign = |line: &&[u8]| line.first().map(|sign| if *sign == b'*' { b'/' } else { *sign });
    let mark = new.and_then(<[_]>::first).and_then(sign);
    let says_so = |line: &&[u8]| {
        let line = text(line);
        elision(&line).is_some() || names_left_out(&line) || remarks_left_out(&line)
    };
    let is_like = |line: &&&[u8]| is_comment(line) && sign(line) == mark;
    let code = old.unwrap_or_default().iter().filter(|line| !is_like(line)).count();
    match new.unwrap_or_default() {
        [only] if is_comment(only) && code >= REMARKED => true,
        [_] if lost > REMARKED && !resemble(old, new) => true,
        lines => lost >= REMARKED && lines.iter().any(says_so),
    }
}

/// Whether new lines share a fair part of the words of the old ones. Where a stretch is left out and other lines are added at
/// the same place, as a new function is, they share few. `total = sum(items)` and `total = sum(i.price for i in
/// items)`.
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
/// `least` lines at the end of the file are not left out on purpose. Two functions of a file that has six.
fn missing(found: &[Loss<'_>], old: usize, new: usize, least: usize) -> Option<(Missing, usize)> {
    let gone: usize = found.iter().map(|loss| loss.lines).sum();
    let kept = old.saturating_sub(gone);
    if old < FEW {
        let is_part = found.iter().all(|loss| loss.part.after.is_empty()) && gone > 0 && new < old;
        return (is_part && kept > 0 && gone * 2 >= old).then_some((Missing::Most, gone));
    }
    let is_lost = |loss: &&Loss<'_>, least: usize| {
        let come = loss.part.after.len();
        // `return Array(n).fill("")` may be all that is left of a loop of four lines.
        let is_short = come == 0 || come * 3 <= loss.lines && loss.lines > STRETCH;
        loss.lines >= least && (is_short || !loss.is_replaced) || loss.is_remarked
    };
    let is_edge = |loss: &&Loss<'_>, least| is_lost(loss, least) && loss.part.after.is_empty();
    let start = found.first().filter(|loss| loss.part.before.start == 0 && is_edge(loss, EDGE));
    let end = found.last().filter(|loss| loss.part.before.end == old && is_edge(loss, least));
    let middle = found.iter().filter(|loss| is_lost(loss, STRETCH)).max_by_key(|loss| loss.lines);
    let keeps_edges = |loss: &Loss<'_>| loss.part.before.start > 0 && loss.part.before.end < old;
    match (start, end, middle) {
        (Some(loss), _, _) => Some((Missing::Start, loss.lines)),
        (_, Some(loss), _) => Some((Missing::End, loss.lines)),
        // What is kept must show that it is this file at all.
        _ if kept * 2 < old && !found.iter().all(keeps_edges) => Some((Missing::Most, gone)),
        (_, _, Some(loss)) => Some((Missing::Middle, loss.lines)),
        // Many lines are gone here and there, and fewer have come: other changes beside a gap can hide it.
        _ if gone >= MANY && gone * 5 >= old && new * 10 < old * 9 => Some((Missing::Middle, gone)),
        _ => None,
    }
}

/// Content that stops in the middle of its own new lines, or of an old one, lacks the end of the file, and ends with a line that
/// is nothing like the file's last one. `run: mak` where the file has `run: make`, and three more lines.
fn ends_elsewhere(found: &[Loss<'_>], old: &[&[u8]], new: &[&[u8]]) -> Option<(Missing, usize)> {
    let end = found.last().filter(|loss| loss.part.before.end == old.len() && loss.lines >= ENDING)?;
    let (was, is) = (old.last()?, new.last()?);
    let gone = old.get(end.part.before.clone()).unwrap_or_default();
    let is_cut = is.len() >= ALIKE && gone.iter().any(|line| line.len() > is.len() && line.starts_with(is));
    let alike = was.iter().zip(is.iter()).take_while(|(was, is)| was == is).count();
    let is_other = alike < ALIKE && end.part.after.len() != end.lines && old.len() > FEW;
    (is_cut || is_other).then_some((Missing::End, end.lines))
}

/// Content that begins after the first lines of the file and still uses a name from them: `var fs = require("fs")` is gone, and
/// `fs.read()` is there. Whoever removes an import removes what needs it.
fn begins_elsewhere(found: &[Loss<'_>], old: &[&[u8]], new: &[&[u8]]) -> Option<(Missing, usize)> {
    let start = found.first().filter(|loss| loss.part.before.start == 0 && loss.part.after.is_empty())?;
    let gone = old.get(start.part.before.clone()).unwrap_or_default();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let words = |line: &'_ [u8]| -> HashSet<Vec<u8>> {
        let words = line.split(|byte| !is_word(byte)).filter(|word| word.len() > 1);
        words.map(<[u8]>::to_vec).collect()
    };
    // The words of other imports and of comments are no names.
    let text = |line: &'_ [u8]| String::from_utf8_lossy(line).into_owned();
    let common: HashSet<Vec<u8>> =
        new.iter().filter(|line| is_import(&text(line))).flat_map(|line| words(line)).collect();
    let is_code = |line: &&&[u8]| comment(&text(line)).is_none();
    let named: HashSet<Vec<u8>> = gone.iter().filter(is_code).flat_map(|line| words(line)).collect();
    let names =
        |line: &'_ [u8]| words(line).iter().any(|word| named.contains(word) && !common.contains(word));
    let is_used = new.iter().filter(|line| !is_import(&text(line))).any(|line| names(line));
    (is_used && start.lines > 0).then_some((Missing::Start, start.lines))
}

/// Whether a line makes names of another file known here. `import os`, `use std::fs;`, `const fs = require("fs")`.
pub(crate) fn is_import(line: &str) -> bool {
    let words = ["import ", "from ", "use ", "#include", "require", "using ", "package "];
    words.iter().any(|word| line.starts_with(word)) || line.contains("require(")
}

/// Whether content begins deeper than it goes on, as a part cut out of the middle does, and the file does not. `   
/// return x`, then `def g():`.
fn begins_inside(before: &[u8], content: &str) -> bool {
    let depth = |line: &[u8]| line.len() - line.trim_ascii_start().len();
    let is_inside = |text: &[u8]| {
        let mut lines = text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        lines.next().is_some_and(|first| lines.any(|line| depth(line) < depth(first)))
    };
    is_inside(content.as_bytes()) && !is_inside(before)
}

/// The last line that is not blank.
fn last_line(text: &[u8]) -> Option<&[u8]> {
    text.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().map(<[u8]>::trim_ascii)
}

/// Whether content ends inside a bracket, a string or a comment, and in another line than the file, which does not.
///
/// Counting is all that is done: a file with `":("` in a string has one more, but then it ends as it did.
fn ends_open(before: &[u8], content: &str) -> bool {
    if last_line(before) == last_line(content.as_bytes()) {
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

/// Whether the last line belongs to one below it: an attribute, a decorator or a documentation comment, which say something
/// about what follows. `#[test]` or `@property` at the end.
fn ends_before_item(old: &[&[u8]], new: &[&[u8]]) -> bool {
    let belongs = |line: &&&[u8]| {
        line.starts_with(b"#[") && line.ends_with(b"]")
            || line.starts_with(b"///")
            || line.starts_with(b"@") && !line.ends_with(b";")
    };
    new.last().filter(belongs).is_some() && old.last().filter(belongs).is_none()
}

/// The lines of the file between those that the first and the last of the new lines are. Lines 20 to 40 for a new
/// version of `fn b()`.
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
mod tests;
