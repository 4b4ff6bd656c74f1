//! New lines that say what the lines next to them in the file say, though not as those are written.
//!
//! An author who marks unchanged lines as new may also have joined or wrapped them, cut them off with dots, lost a blank line
//! between them or changed the case of their letters. Letters and signs in the same order are taken for a copy where there
//! are enough of them. Nothing is placed here.

use crate::HunkLine;
use crate::lines::is_blank;
use crate::matcher::indent::Reindent;
use crate::matcher::index::FileIndex;
use crate::matcher::key::indent;

/// This many letters are needed to call it a copy.
const LETTERS: usize = 12;
/// More new lines than these at an end of a hunk are not compared.
const LINES: usize = 8;
/// A line of the file that is longer is not compared, and none after it.
const LINE_BYTES: usize = 10_000;

/// How many new lines, of those a hunk begins with, copy what is above a line of the file.
pub(crate) fn above(head: &[&HunkLine], index: &FileIndex<'_>, start: usize, rule: &Reindent) -> usize {
    let longest = head.len().min(LINES);
    let copies = |count: &usize| {
        let lines = head.iter().take(*count).rev().map(|line| Line::backwards(line.text()));
        let file = short((0..start).rev(), index).map(|text| backwards(&condensed(text)));
        walk(lines, file)
            .is_some_and(|walked| is_as_deep(head.first(), Some(index.lines.text(start - walked)), rule))
    };
    (1..=longest).rev().find(copies).unwrap_or(0)
}

/// How many new lines, of those a hunk ends with, copy what is from a line of the file on.
pub(crate) fn below(tail: &[&HunkLine], index: &FileIndex<'_>, end: usize, rule: &Reindent) -> usize {
    let longest = tail.len().min(LINES);
    let copies = |count: &usize| {
        let lines = tail.iter().skip(tail.len() - count);
        let file = end..index.lines.len();
        let first = file.clone().map(|at| index.lines.text(at)).find(|text| !is_blank(text));
        let written = lines.clone().find(|line| !is_blank(line.text().as_bytes()));
        is_as_deep(written, first, rule)
            && walk(lines.map(|line| Line::new(line.text())), short(file, index).map(condensed)).is_some()
    };
    (1..=longest).rev().find(copies).unwrap_or(0)
}

/// The first lines of some that are short enough to be compared.
fn short<'a>(lines: impl Iterator<Item = usize>, index: &'a FileIndex<'_>) -> impl Iterator<Item = &'a [u8]> {
    lines.map(|at| index.lines.text(at)).take_while(|text| text.len() <= LINE_BYTES)
}

/// Whether a new line would be as deep as a line of the file. `+    a` above the file's `    a`.
fn is_as_deep(line: Option<&&HunkLine>, found: Option<&[u8]>, rule: &Reindent) -> bool {
    let written = line.and_then(|line| rule.apply(line.text().as_bytes()));
    written.zip(found).is_some_and(|(written, found)| indent(&written) == indent(found))
}

/// A line without its white space, in small letters.
struct Line {
    text: String,
    /// Whether dots say that it goes on.
    cut: bool,
}

impl Line {
    fn new(text: &str) -> Self {
        let text = condensed(text.as_bytes());
        let whole = text.strip_suffix("...").or_else(|| text.strip_suffix('…')).map(str::to_owned);
        Self { cut: whole.is_some(), text: whole.unwrap_or(text) }
    }

    fn backwards(text: &str) -> Self {
        let Self { text, cut } = Self::new(text);
        Self { text: backwards(&text), cut }
    }
}

fn condensed(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.chars().filter(|sign| !sign.is_whitespace()).flat_map(char::to_lowercase).collect()
}

fn backwards(text: &str) -> String {
    text.chars().rev().collect()
}

/// How many lines of a file say what some lines say, if the first of them do.
fn walk(lines: impl Iterator<Item = Line>, file: impl Iterator<Item = String>) -> Option<usize> {
    let mut file = file.enumerate().filter(|(_, text)| !text.is_empty()).peekable();
    // The lines may be long; without any of the file they are not looked at.
    file.peek()?;
    let mut wanted = String::new();
    let (mut letters, mut walked) = (0, 0);
    for line in lines.filter(|line| !line.text.is_empty()) {
        letters += line.text.chars().filter(|sign| sign.is_alphabetic()).count();
        if line.cut {
            let (at, found) = file.next()?;
            // Whichever way the line is read, what is left of it is at one of its ends.
            let begins = found.starts_with(&line.text) || found.ends_with(&line.text);
            if !wanted.is_empty() || !begins {
                return None;
            }
            walked = at + 1;
            continue;
        }
        wanted.push_str(&line.text);
        while let Some((at, found)) = file.next_if(|(_, found)| wanted.starts_with(found.as_str())) {
            wanted.drain(..found.len());
            walked = at + 1;
        }
        // What is left is the beginning of a line that goes on in the next one, or another line.
        if !wanted.is_empty() && !file.peek().is_some_and(|(_, found)| found.starts_with(&wanted)) {
            return None;
        }
    }
    (wanted.is_empty() && letters >= LETTERS).then_some(walked)
}
