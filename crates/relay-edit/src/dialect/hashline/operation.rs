//! Operations: `»`, `«` and `≔` with their anchors, and what is wrong with those that cannot be read.

use crate::anchors::LineHash;
use crate::edit::{Anchor, Target};

/// What replacements are written with where `..` belongs.
const OTHER_RANGES: [&str; 6] = ["…", "-", "–", ":", ",", " "];

/// What was copied beside an anchor may hold dots of its own, but hardly more than these.
const DOTS: usize = 100;
/// In a longer line only the first dots are looked at.
const LONGEST: usize = 10_000;
/// Two anchors are never as long as this.
const ANCHORS: usize = 100;

/// The sign and the rest of a line that is an operation.
pub(super) fn split(text: &str) -> Option<(char, &str)> {
    let sign = text.chars().next().filter(|sign| matches!(sign, '»' | '«' | '≔'))?;
    Some((sign, text.trim_start_matches(sign).trim()))
}

/// Where an operation acts, and what was copied beside its anchors.
#[derive(Debug)]
pub(super) struct Site {
    pub target: Target,
    /// The numbers of lines, and what the author takes for their text.
    pub beside: Vec<(usize, String)>,
}

/// Where an operation acts, or what is wrong with it in this line of the reply.
pub(super) fn site(sign: char, text: &str, line: usize) -> Result<Site, String> {
    let alone = |target: Target| Site { target, beside: Vec::new() };
    match (sign, text) {
        ('»' | '«', "BOF") => Ok(alone(Target::Start)),
        ('»' | '«', "EOF") => Ok(alone(Target::End)),
        ('»', anchor) => parse_anchor(anchor, line).map(|named| named.site(Target::After)),
        ('«', anchor) => parse_anchor(anchor, line).map(|named| named.site(Target::Before)),
        (_, range) => parse_range(range, line),
    }
}

/// Whether a line is an operation that is in no section, for nothing else is written so.
pub(super) fn is_certain(text: &str) -> bool {
    split(text.trim_start()).is_some_and(|(sign, rest)| site(sign, rest, 0).is_ok())
}

/// Whether a line names anchors after a sign that does not belong to any operation.
pub(super) fn is_unknown(text: &str) -> bool {
    let anchors = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    anchors.len() < text.len() && split(text).is_none() && site('≔', anchors.trim(), 0).is_ok()
}

/// The anchors in a line that has nothing else but a sign or a word before them: an operation, if they are those of a file.
pub(crate) fn anchors_of(text: &str) -> Option<[Anchor; 2]> {
    let text = text.trim();
    let (word, anchors) = text.rsplit_once(char::is_whitespace).unwrap_or(("", text));
    let anchors = anchors.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_word = !word.trim().contains(char::is_whitespace) && anchors.len() <= ANCHORS;
    if !is_word {
        return None;
    }
    match site('≔', anchors, 0) {
        Ok(Site { target: Target::Lines { first, last }, beside }) if beside.is_empty() => {
            Some([first, last])
        }
        _ => None,
    }
}

/// An anchor, and what was copied beside it.
struct Named<'t> {
    anchor: Anchor,
    text: Option<&'t str>,
}

impl Named<'_> {
    fn beside(&self) -> Option<(usize, String)> {
        let text = self.text.map(str::trim).filter(|text| !text.is_empty());
        text.map(|text| (self.anchor.line, text.to_owned()))
    }

    fn site(&self, target: impl Fn(Anchor) -> Target) -> Site {
        Site { target: target(self.anchor), beside: self.beside().into_iter().collect() }
    }
}

fn parse_anchor(text: &str, line: usize) -> Result<Named<'_>, String> {
    let (token, beside) = match text.split_once('|') {
        Some((token, beside)) => (token, Some(beside)),
        None => (text, None),
    };
    // Reports put a star before a line that has changed, and what shows lines may put other signs there.
    let token = token.trim().trim_start_matches(['>', '+', '-', '*', ' ', '\t']);
    let digits = token.len() - token.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, hash) = token.split_at_checked(digits).unwrap_or((token, ""));
    match (number.parse::<usize>(), LineHash::parse(hash)) {
        (Ok(number), Some(hash)) if number > 0 => {
            Ok(Named { anchor: Anchor { line: number, hash: Some(hash) }, text: beside })
        }
        _ => Err(format!("line {line}: expected a full anchor such as \"119sr\"; got \"{token}\".")),
    }
}

fn parse_range(text: &str, line: usize) -> Result<Site, String> {
    let dots = if text.len() <= LONGEST { DOTS } else { 1 };
    let mut ranges = text.match_indices('.').take(dots).filter_map(|(at, _)| {
        let (first, last) = (text.get(..at)?, text.get(at..)?.strip_prefix("..")?);
        Some((parse_anchor(first, line).ok()?, parse_anchor(last, line).ok()?))
    });
    let Some((first, last)) = ranges.next() else { return parse_single(text, line) };
    let beside = first.beside().into_iter().chain(last.beside()).collect();
    let (first, last) = (first.anchor, last.anchor);
    if last.line < first.line {
        return Err(format!("line {line}: range {text} ends before it starts."));
    }
    if last.line == first.line && last.hash != first.hash {
        return Err(format!("line {line}: range {text} uses two different hashes for the same line."));
    }
    Ok(Site { target: Target::Lines { first, last }, beside })
}

/// One line, or what is wrong with what should be two.
fn parse_single(text: &str, line: usize) -> Result<Site, String> {
    let token = text.split('|').next().unwrap_or(text);
    let Some((first, last)) = token.split_once("..") else {
        let named = parse_anchor(text, line).map_err(|error| explicit_range(text, line).unwrap_or(error))?;
        return Ok(named.site(|anchor| Target::Lines { first: anchor, last: anchor }));
    };
    let (_, behind) = text.split_once("..").unwrap_or((first, last));
    let exactly = || format!("line {line}: range must include exactly two full anchors separated by \"..\".");
    if behind.contains("..") || behind.trim().is_empty() || first.trim().is_empty() {
        return Err(exactly());
    }
    let last = parse_anchor(first, line).and_then(|_| parse_anchor(behind, line));
    Err(last.err().unwrap_or_else(exactly))
}

/// What to say when two anchors are side by side in some other way.
fn explicit_range(text: &str, line: usize) -> Option<String> {
    let (first, last) = OTHER_RANGES.iter().find_map(|between| text.split_once(between))?;
    let (first, last) = (first.trim(), last.trim());
    let both = parse_anchor(first, line).is_ok() && parse_anchor(last, line).is_ok();
    both.then(|| {
        format!("line {line}: explicit ranges are required for replacement; write ≔{first}..{last}.")
    })
}
