//! Why a hunk was not found: the nearest place in the file and what differs there, character by character.
//!
//! Written for a model that gets one try to repair it: the line numbers, both texts with white space made
//! visible, and nothing else.

use std::collections::HashMap;

use super::index::FileIndex;
use super::key::Key;
use super::pattern::Pattern;

/// The place in a file that is most like what was looked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Nearest {
    /// Its first line, counted from 0.
    pub start: usize,
    /// How many lines it has.
    pub len: usize,
    /// How many of the lines are the same.
    pub same: usize,
    /// The first lines that differ.
    pub differences: Vec<LineDifference>,
    /// Nothing but white space differs.
    pub whitespace_only: bool,
    /// The first line the reply has where the file has ended, made visible.
    pub beyond: Option<String>,
}

/// A line that was expected and the line that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineDifference {
    /// The line of the file, counted from 0.
    pub line: usize,
    /// What the reply has, made visible.
    pub reply: String,
    /// What the file has, made visible.
    pub file: String,
}

/// How many differing lines are shown.
const SHOWN: usize = 3;
/// Lines that are at more places than this say nothing about where a hunk belongs.
const COMMON: usize = 64;
/// Files longer than this are not searched for similar lines, only for equal ones.
const SIMILARITY_LINES: usize = 20_000;

/// Longer lines are not compared character by character.
const LONGEST_COMPARED: usize = 400;

/// How many comparisons of lines a vote for a place counts as.
const VOTE_WORK: usize = 8;
/// How many comparisons of characters count as one of lines.
const CELLS: usize = 8;

/// Finds the nearest place.
pub(crate) fn nearest(pattern: &Pattern<'_>, index: &FileIndex<'_>) -> Option<Nearest> {
    let start = by_votes(pattern, index).or_else(|| by_similarity(pattern, index))?;
    let len = pattern.old.len().min(index.lines.len() - start);
    let beyond = pattern.old.get(len).map(|line| visible(line.as_bytes()));
    let whitespace_only = beyond.is_none();
    let mut nearest = Nearest { start, len, same: 0, differences: Vec::new(), whitespace_only, beyond };
    for (at, reply) in pattern.old.iter().enumerate().take(len) {
        let file = index.lines.text(start + at);
        if reply.as_bytes() == file {
            nearest.same += 1;
            continue;
        }
        nearest.whitespace_only &= without_space(reply.as_bytes()) == without_space(file);
        if nearest.differences.len() < SHOWN {
            nearest.differences.push(LineDifference {
                line: start + at,
                reply: visible(reply.as_bytes()),
                file: visible(file),
            });
        }
    }
    Some(nearest)
}

/// Every line of the hunk that is in the file votes for the place it implies.
fn by_votes(pattern: &Pattern<'_>, index: &FileIndex<'_>) -> Option<usize> {
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (at, text) in pattern.old.iter().enumerate() {
        let places = index.places(Key::Folded, text.as_bytes());
        if places.len() > COMMON || text.trim().len() < 2 {
            continue;
        }
        index.spend(places.len() * VOTE_WORK)?;
        for start in places.iter().filter_map(|place| place.checked_sub(at)) {
            *votes.entry(start).or_default() += text.trim().len();
        }
    }
    let most = votes.values().max().copied()?;
    let mut tied: Vec<usize> =
        votes.into_iter().filter(|(_, votes)| *votes == most).map(|(start, _)| start).collect();
    tied.sort_unstable();
    tied.truncate(COMMON);
    // Among equals it is the place whose other lines are most alike, and the first of those.
    let alike = |start: &usize| likeness(pattern, index, *start);
    tied.into_iter()
        .map(|start| (alike(&start), start))
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, start)| start)
}

/// How alike the lines of a hunk and those at a place of the file are, where they differ.
fn likeness(pattern: &Pattern<'_>, index: &FileIndex<'_>, start: usize) -> f64 {
    let lines =
        pattern.old.iter().zip(start..index.lines.len()).map(|(reply, at)| (reply, index.lines.text(at)));
    let differing = lines.filter(|(reply, file)| reply.as_bytes() != *file).take(SHOWN);
    differing.map(|(reply, file)| similarity(reply.trim(), file)).sum()
}

/// The line most like the longest line of the hunk.
fn by_similarity(pattern: &Pattern<'_>, index: &FileIndex<'_>) -> Option<usize> {
    if index.lines.len() > SIMILARITY_LINES {
        return None;
    }
    let (at, wanted) = pattern.old.iter().enumerate().max_by_key(|(_, text)| text.trim().len())?;
    let wanted = wanted.trim();
    if wanted.is_empty() || wanted.len() > LONGEST_COMPARED {
        return None;
    }
    // Characters are compared here, each with each.
    let cells = index.lines.bytes().len().min(2 * wanted.len() * index.lines.len()) * wanted.len();
    index.spend(cells / CELLS)?;
    let score = |line: &[u8]| similarity(wanted, line);
    let (line, best) = index.lines.texts().map(score).enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    (best >= 0.6).then(|| line.saturating_sub(at))
}

/// How much a line of the file is like a text, from 0 to 1; lines of quite another length are not compared.
fn similarity(wanted: &str, line: &[u8]) -> f64 {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    let close = text.len() <= wanted.len() * 2 && wanted.len() <= text.len() * 2;
    if close && wanted.len() <= LONGEST_COMPARED { strsim::normalized_levenshtein(wanted, text) } else { 0.0 }
}

fn without_space(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
}

/// A line with its white space visible: `→` for tabs, `·` for spaces at the ends, and names for the invisible.
pub(crate) fn visible(text: &[u8]) -> String {
    const LONGEST: usize = 160;
    let text = String::from_utf8_lossy(text);
    let start = text.len() - text.trim_start().len();
    let end = text.trim_end().len().max(start);
    let mut shown = String::new();
    for (at, character) in text.char_indices() {
        match character {
            '\t' => shown.push('→'),
            ' ' if at < start || at >= end => shown.push('·'),
            '\r' => shown.push('␍'),
            '\u{a0}' => shown.push('⍽'),
            // What represents white space is itself named, so that the text can be had back.
            '→' | '·' | '␍' | '⍽' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => {
                shown.push_str(&format!("<U+{:04X}>", u32::from(character)));
            }
            other if other.is_control() => shown.push_str(&format!("<U+{:04X}>", u32::from(other))),
            other => shown.push(other),
        }
        if shown.len() > LONGEST {
            shown.push('…');
            break;
        }
    }
    shown
}

/// The text that a finding quotes, with the real white space in place of the signs for it: what a model is to copy. Lines
/// below the first are shown as they are, and stay so.
#[must_use]
pub fn real_text(shown: &str) -> String {
    let (first, rest) = shown.split_once('\n').map_or((shown, None), |(first, rest)| (first, Some(rest)));
    let mut text: String = first
        .chars()
        .map(|sign| match sign {
            '→' => '\t',
            '·' => ' ',
            '␍' => '\r',
            '⍽' => '\u{a0}',
            other => other,
        })
        .collect();
    for sign in ['→', '·', '␍', '⍽'] {
        text = text.replace(&format!("<U+{:04X}>", u32::from(sign)), &sign.to_string());
    }
    match rest {
        Some(rest) => format!("{text}\n{rest}"),
        None => text,
    }
}

impl Nearest {
    /// The place and what differs, in a sentence or two.
    pub fn words(&self) -> String {
        let range = line_range(self.start, self.len);
        let differing: Vec<String> = self
            .differences
            .iter()
            .map(|difference| {
                format!(
                    "line {}: the reply has `{}`, the file has `{}`",
                    difference.line + 1,
                    difference.reply,
                    difference.file
                )
            })
            .collect();
        let beyond = self.beyond.iter().map(|line| {
            if line.is_empty() {
                "the file ends there, and the reply goes on with a blank line".to_owned()
            } else {
                format!("the file ends there, and the reply goes on with `{line}`")
            }
        });
        let differing: Vec<String> = differing.into_iter().chain(beyond).collect();
        let kind = if self.whitespace_only { "only white space differs" } else { "what differs" };
        format!("the nearest place is {range}; {kind}: {}", differing.join("; "))
    }
}

/// `line 3` or `lines 3-5`, from a start counted from 0.
pub(crate) fn line_range(start: usize, len: usize) -> String {
    if len <= 1 { format!("line {}", start + 1) } else { format!("lines {}-{}", start + 1, start + len) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_made_visible() {
        assert_eq!(visible(b"\ta b  "), "→a b··");
        assert_eq!(visible("\u{a0}x\u{200b}".as_bytes()), "⍽x<U+200B>");
        assert_eq!(visible(b"    "), "····");
    }

    #[test]
    fn the_real_text_comes_back() {
        for text in ["\ta b  ", "    ", "a → b · c", "\u{a0}x", "  →·", "plain"] {
            assert_eq!(real_text(&visible(text.as_bytes())), text, "{text:?}");
        }
        assert_eq!(real_text("use these:\n1ab|a → b"), "use these:\n1ab|a → b");
    }
}
