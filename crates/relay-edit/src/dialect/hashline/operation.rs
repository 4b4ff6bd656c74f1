//! Operations: `»`, `«` and `≔` with their anchors, and what is wrong with those that cannot be read.

use crate::anchors::LineHash;
use crate::edit::{Anchor, Target};

/// What replacements are written with where `..` belongs.
const OTHER_RANGES: [&str; 6] = ["…", "-", "–", ":", ",", " "];

/// The sign and the rest of a line that is an operation.
pub(super) fn split(text: &str) -> Option<(char, &str)> {
    let sign = text.chars().next().filter(|sign| matches!(sign, '»' | '«' | '≔'))?;
    Some((sign, text.trim_start_matches(sign).trim()))
}

/// Where an operation acts, or what is wrong with it in this line of the reply.
pub(super) fn target(sign: char, text: &str, line: usize) -> Result<Target, String> {
    match (sign, text) {
        ('»' | '«', "BOF") => Ok(Target::Start),
        ('»' | '«', "EOF") => Ok(Target::End),
        ('»', anchor) => parse_anchor(anchor, line).map(Target::After),
        ('«', anchor) => parse_anchor(anchor, line).map(Target::Before),
        (_, range) => parse_range(range, line),
    }
}

/// Whether a line is an operation that stands in no section, for nothing else is written so.
pub(super) fn is_certain(text: &str) -> bool {
    split(text.trim_start()).is_some_and(|(sign, rest)| target(sign, rest, 0).is_ok())
}

/// Whether a line names anchors behind a sign that is no operation's.
pub(super) fn is_unknown(text: &str) -> bool {
    let anchors = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    anchors.len() < text.len() && split(text).is_none() && target('≔', anchors.trim(), 0).is_ok()
}

fn parse_anchor(text: &str, line: usize) -> Result<Anchor, String> {
    // Somebody who copies the whole numbered line means its anchor.
    let token = text.split('|').next().unwrap_or(text).trim();
    let digits = token.len() - token.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, hash) = token.split_at_checked(digits).unwrap_or((token, ""));
    match (number.parse::<usize>(), LineHash::parse(hash)) {
        (Ok(number), Some(hash)) if number > 0 => Ok(Anchor { line: number, hash: Some(hash) }),
        _ => Err(format!("line {line}: expected a full anchor such as \"119sr\"; got \"{token}\".")),
    }
}

fn parse_range(text: &str, line: usize) -> Result<Target, String> {
    let Some((first, last)) = text.split_once("..") else {
        let anchor = parse_anchor(text, line).map_err(|error| explicit_range(text, line).unwrap_or(error))?;
        return Ok(Target::Lines { first: anchor, last: anchor });
    };
    if last.contains("..") || last.trim().is_empty() || first.trim().is_empty() {
        return Err(format!("line {line}: range must include exactly two full anchors separated by \"..\"."));
    }
    let (first, last) = (parse_anchor(first, line)?, parse_anchor(last, line)?);
    if last.line < first.line {
        return Err(format!("line {line}: range {text} ends before it starts."));
    }
    if last.line == first.line && last.hash != first.hash {
        return Err(format!("line {line}: range {text} uses two different hashes for the same line."));
    }
    Ok(Target::Lines { first, last })
}

/// What to say when two anchors stand side by side in some other way.
fn explicit_range(text: &str, line: usize) -> Option<String> {
    let (first, last) = OTHER_RANGES.iter().find_map(|between| text.split_once(between))?;
    let (first, last) = (first.trim(), last.trim());
    let both = parse_anchor(first, line).is_ok() && parse_anchor(last, line).is_ok();
    both.then(|| {
        format!("line {line}: explicit ranges are required for replacement; write ≔{first}..{last}.")
    })
}
