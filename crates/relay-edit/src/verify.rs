//! Checks a result against its certificate, independently of how it was made.
//!
//! The matcher claims where hunks belong, the splicer writes; this module trusts neither. It splits the file by
//! itself, checks every claimed line, and then reads the result from top to bottom: each line must be a line of
//! the file that nobody removed, byte for byte, or a new line of a hunk at the place it belongs to. It must not
//! share code with the matcher or the splicer beyond the types of the certificate.

use std::collections::{BTreeMap, HashMap};

use crate::matcher::{Certificate, Placement, Reindent, Tier};
use crate::{EndOfFile, Hunk, HunkLine};

/// What the verifier found wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// The certificate was made for other bytes.
    #[error("the certificate belongs to another version of the file")]
    WrongFile,
    /// A placement does not fit its hunk.
    #[error("placement of hunk {hunk} does not account for its line {line}")]
    Unaccounted {
        /// The hunk, counted from 0.
        hunk: usize,
        /// Its line, counted from 0.
        line: usize,
    },
    /// A claimed line of the file is not what the hunk says.
    #[error("hunk {hunk} claims line {file_line} of the file, which reads otherwise")]
    Mismatch {
        /// The hunk, counted from 0.
        hunk: usize,
        /// The line of the file, counted from 1.
        file_line: usize,
    },
    /// Lines of the file lie between two lines of a hunk and nothing allows it.
    #[error("hunk {hunk} skips lines of the file before line {file_line}")]
    Skipped {
        /// The hunk, counted from 0.
        hunk: usize,
        /// The line of the file, counted from 1.
        file_line: usize,
    },
    /// Two hunks claim one line.
    #[error("line {0} of the file is claimed twice")]
    ClaimedTwice(usize),
    /// The result differs from what the placements say.
    #[error("the result differs from what the placements say, at byte {0}")]
    WrongResult(usize),
}

/// Checks that `after` is `before` with exactly the certified placements of `hunks` applied.
///
/// # Errors
/// The first thing that does not add up.
pub fn verify(
    before: &[u8],
    hunks: &[Hunk],
    certificate: &Certificate,
    after: &[u8],
) -> Result<(), VerifyError> {
    if blake3::hash(before).as_bytes() != &certificate.file {
        return Err(VerifyError::WrongFile);
    }
    let file = split(before);
    let mut claims = Claims::default();
    for placement in &certificate.placements {
        let hunk =
            hunks.get(placement.hunk).ok_or(VerifyError::Unaccounted { hunk: placement.hunk, line: 0 })?;
        claims.check_lines(&file, hunk, placement)?;
        claims.collect(&file, hunk, placement)?;
    }
    read_result(before, &file, &claims, after)
}

/// The lines of a file, each with its ending; a byte order mark belongs to none.
fn split(bytes: &[u8]) -> Vec<&[u8]> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let has = |byte: u8| memchr::memchr(byte, bytes).is_some();
    let terminator = if has(b'\n') || !has(b'\r') { b'\n' } else { b'\r' };
    let mut lines = Vec::new();
    let mut start = 0;
    for end in memchr::memchr_iter(terminator, bytes) {
        lines.push(bytes.get(start..=end).unwrap_or_default());
        start = end + 1;
    }
    lines.extend(bytes.get(start..).filter(|rest| !rest.is_empty()));
    lines
}

fn text(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// What the placements say about the lines of the file.
#[derive(Debug, Default)]
struct Claims<'h> {
    /// Line to whether it is removed.
    lines: BTreeMap<usize, bool>,
    /// Line to the new lines before it.
    inserted: BTreeMap<usize, Vec<NewLine<'h>>>,
}

/// A new line, and what may be written for it.
#[derive(Clone, Copy, Debug)]
struct NewLine<'h> {
    text: &'h str,
    /// The line of the file it repeats, when its hunk takes that one away: it moves, with the bytes it has.
    moved: Option<&'h [u8]>,
    reindent: &'h Reindent,
    end: EndOfFile,
}

impl<'h> Claims<'h> {
    fn check_lines(&self, file: &[&[u8]], hunk: &Hunk, placement: &Placement) -> Result<(), VerifyError> {
        let number = placement.hunk;
        let mut next: Option<usize> = None;
        let mut may_skip = false;
        for (at, line) in hunk.lines.iter().enumerate() {
            let claimed =
                placement.map.get(at).copied().ok_or(VerifyError::Unaccounted { hunk: number, line: at })?;
            let Some(claimed) = claimed else {
                match line {
                    HunkLine::Added(_) => {}
                    HunkLine::Context(text) if text.trim().is_empty() && tolerates_blanks(placement.tier) => {
                    }
                    HunkLine::Context(text) if is_elision(text) => may_skip = true,
                    _ => return Err(VerifyError::Unaccounted { hunk: number, line: at }),
                }
                continue;
            };
            let mismatch = VerifyError::Mismatch { hunk: number, file_line: claimed + 1 };
            let found = file.get(claimed).ok_or_else(|| mismatch.clone())?;
            if matches!(line, HunkLine::Added(_)) || !fits(line, text(found), placement.tier) {
                return Err(mismatch);
            }
            if let Some(next) = next {
                let skipped = file.get(next..claimed).ok_or_else(|| mismatch.clone())?;
                let blank = tolerates_blanks(placement.tier)
                    && skipped.iter().all(|line| line.trim_ascii().is_empty());
                if !skipped.is_empty() && !may_skip && !blank {
                    return Err(VerifyError::Skipped { hunk: number, file_line: claimed + 1 });
                }
            }
            next = Some(claimed + 1);
            may_skip = false;
        }
        if placement.map.len() == hunk.lines.len() {
            Ok(())
        } else {
            Err(VerifyError::Unaccounted { hunk: number, line: hunk.lines.len() })
        }
    }

    fn collect(
        &mut self,
        file: &[&'h [u8]],
        hunk: &'h Hunk,
        placement: &'h Placement,
    ) -> Result<(), VerifyError> {
        let mut pending: Vec<&str> = Vec::new();
        let mut last: Option<usize> = None;
        let mut anchored = false;
        let moves = moves(file, hunk, placement);
        let mut place = |at: usize, lines: &mut Vec<&'h str>| {
            let slot = self.inserted.entry(at).or_default();
            slot.extend(lines.drain(..).map(|text| NewLine {
                text,
                moved: moves.get(text).copied().flatten(),
                reindent: &placement.reindent,
                end: hunk.end,
            }));
        };
        for (line, claimed) in hunk.lines.iter().zip(&placement.map) {
            match (line, claimed) {
                (HunkLine::Added(text), _) => {
                    pending.push(text);
                    if anchored && let Some(last) = last {
                        place(last + 1, &mut pending);
                    }
                }
                (_, Some(claimed)) => {
                    if !pending.is_empty() {
                        place(*claimed, &mut pending);
                    }
                    let removes = matches!(line, HunkLine::Removed(_));
                    let before = self.lines.insert(*claimed, removes);
                    if before.is_some_and(|before| before || removes) {
                        return Err(VerifyError::ClaimedTwice(claimed + 1));
                    }
                    last = Some(*claimed);
                    anchored = true;
                }
                (HunkLine::Context(text), None) if text.trim().is_empty() => {}
                (_, None) => anchored = false,
            }
        }
        if !pending.is_empty() {
            // Only a hunk without any old line may leave new lines without a neighbour.
            if last.is_some() || placement.insert_at > file.len() {
                return Err(VerifyError::Unaccounted { hunk: placement.hunk, line: 0 });
            }
            place(placement.insert_at, &mut pending);
        }
        Ok(())
    }
}

/// What a hunk whose old lines are not quite the file's takes away, by how the author wrote it. Two lines that read
/// alike in the reply and not in the file tell nothing.
fn moves<'h>(file: &[&'h [u8]], hunk: &'h Hunk, placement: &Placement) -> HashMap<&'h str, Option<&'h [u8]>> {
    let mut moves = HashMap::new();
    let literal = matches!(
        placement.tier,
        Tier::Exact | Tier::LineEndings | Tier::Anchors | Tier::Seen | Tier::LinesUnverified
    );
    for (line, claimed) in hunk.lines.iter().zip(&placement.map).filter(|_| !literal) {
        let HunkLine::Removed(wanted) = line else { continue };
        let Some(found) = claimed.and_then(|claimed| file.get(claimed)).map(|line| text(line)) else {
            continue;
        };
        if wanted.trim().is_empty() {
            continue;
        }
        let known = moves.entry(wanted.as_str()).or_insert(Some(found));
        *known = known.filter(|known| *known == found);
    }
    moves
}

/// Reads the result from top to bottom.
fn read_result(before: &[u8], file: &[&[u8]], claims: &Claims<'_>, after: &[u8]) -> Result<(), VerifyError> {
    let mark: &[u8] = if before.starts_with(b"\xef\xbb\xbf") { b"\xef\xbb\xbf" } else { b"" };
    let mut rest = after.strip_prefix(mark).ok_or(VerifyError::WrongResult(0))?;
    let wrong = |rest: &[u8]| VerifyError::WrongResult(after.len() - rest.len());
    let mut inserted = claims.inserted.iter().peekable();
    let mut removed = claims.lines.iter().filter(|(_, removed)| **removed).map(|(at, _)| *at).peekable();
    for at in 0..=file.len() {
        if let Some((_, lines)) = inserted.next_if(|(place, _)| **place == at) {
            for line in lines {
                rest = read_new_line(rest, line).ok_or_else(|| wrong(rest))?;
            }
        }
        let Some(line) = file.get(at) else { break };
        if removed.next_if_eq(&at).is_some() {
            continue;
        }
        rest = rest.strip_prefix(*line).ok_or_else(|| wrong(rest))?;
        let unterminated = !line.ends_with(b"\n") && !line.ends_with(b"\r");
        if unterminated && !rest.is_empty() {
            rest = strip_ending(rest).ok_or_else(|| wrong(rest))?;
        }
    }
    // A claim behind the end of the file was never read.
    if inserted.next().is_some() || removed.next().is_some() {
        return Err(wrong(rest));
    }
    if rest.is_empty() { Ok(()) } else { Err(VerifyError::WrongResult(after.len() - rest.len())) }
}

fn strip_ending(bytes: &[u8]) -> Option<&[u8]> {
    bytes.strip_prefix(b"\r\n").or_else(|| bytes.strip_prefix(b"\n")).or_else(|| bytes.strip_prefix(b"\r"))
}

/// Takes one new line off the front: its text with an allowed indentation, and an ending unless the file ends.
fn read_new_line<'a>(rest: &'a [u8], line: &NewLine<'_>) -> Option<&'a [u8]> {
    let NewLine { text, moved, reindent, end } = *line;
    let spaces = |bytes: &[u8]| bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let rest = if let Some(bytes) = moved {
        rest.strip_prefix(bytes)?
    } else if *reindent == Reindent::Keep {
        rest.strip_prefix(text.as_bytes())?
    } else {
        let rest = rest.get(spaces(rest)..)?;
        rest.strip_prefix(text.as_bytes().get(spaces(text.as_bytes())..)?)?
    };
    if rest.is_empty() {
        return (end != EndOfFile::WithNewline).then_some(rest);
    }
    strip_ending(rest)
}

/// Whether a line of the file may stand for a line of the hunk at a tier.
fn fits(line: &HunkLine, found: &[u8], tier: Tier) -> bool {
    let wanted = line.text().as_bytes();
    if wanted == found {
        return true;
    }
    let equal = match tier {
        Tier::Exact | Tier::LineEndings | Tier::Anchors | Tier::Seen | Tier::LinesUnverified => false,
        Tier::TrailingWhitespace => wanted.trim_ascii_end() == found.trim_ascii_end(),
        Tier::Indentation => wanted.trim_ascii() == found.trim_ascii(),
        Tier::Spacing => words(wanted).eq(words(found)),
        Tier::LookAlikes | Tier::BlankLines | Tier::Fuzzy => skeleton(wanted) == skeleton(found),
    };
    equal || tier == Tier::Fuzzy && matches!(line, HunkLine::Context(_)) && similar(wanted, found)
}

const fn tolerates_blanks(tier: Tier) -> bool {
    matches!(tier, Tier::BlankLines | Tier::Fuzzy)
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// The letters and digits of a line and its ASCII punctuation, without quotes and dashes: what no look-alike may change.
fn skeleton(line: &[u8]) -> Vec<char> {
    String::from_utf8_lossy(line)
        .chars()
        .filter(|character| {
            character.is_alphanumeric() && *character != 'x'
                || matches!(
                    character,
                    '(' | ')'
                        | '{'
                        | '}'
                        | '['
                        | ']'
                        | '+'
                        | '*'
                        | '/'
                        | ';'
                        | ','
                        | '&'
                        | '|'
                        | '%'
                        | '#'
                        | '@'
                        | '$'
                        | '_'
                )
        })
        .collect()
}

/// At least two thirds of a line must be the same for it to pass as context.
fn similar(wanted: &[u8], found: &[u8]) -> bool {
    let (wanted, found) = (String::from_utf8_lossy(wanted), String::from_utf8_lossy(found));
    strsim::normalized_levenshtein(wanted.trim(), found.trim()) >= 0.66
}

/// Whether a context line stands for lines that were left out.
fn is_elision(text: &str) -> bool {
    text.contains("...") || text.contains('…')
}
