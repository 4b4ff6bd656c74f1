//! Checks a result against its certificate, independently of how it was made.
//!
//! The matcher claims where hunks belong, the splicer writes; this module trusts neither. It splits the file by
//! itself, checks every claimed line, and then reads the result from top to bottom: each line must be a line of
//! the file that nobody removed, byte for byte, or a new line of a hunk at the place it belongs to. It must not
//! share code with the matcher or the splicer beyond the types of the certificate.

mod rest;
mod tolerance;

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

use crate::matcher::{Certificate, Placement, Reindent, Tier};
use crate::{EndOfFile, Hunk, HunkLine};
use rest::Rest;
use tolerance::{fits, is_elision, tolerates_blanks};

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

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
    if Certificate::fingerprint(before) != certificate.file {
        return Err(VerifyError::WrongFile);
    }
    verify_pieces(before, hunks, certificate, &[after])
}

/// As [`verify`], for a result that is not put together and a certificate that was made for these very bytes.
pub(crate) fn verify_pieces(
    before: &[u8],
    hunks: &[Hunk],
    certificate: &Certificate,
    after: &[&[u8]],
) -> Result<(), VerifyError> {
    let file = File::new(before, &certificate.placements);
    let room = certificate.placements.iter().map(|placement| placement.map.len()).sum();
    let mut claims = Claims { lines: Vec::with_capacity(room), inserted: Vec::new() };
    for placement in &certificate.placements {
        let hunk =
            hunks.get(placement.hunk).ok_or(VerifyError::Unaccounted { hunk: placement.hunk, line: 0 })?;
        claims.check_lines(&file, hunk, placement)?;
        claims.collect(&file, hunk, placement)?;
    }
    claims.settle()?;
    read_result(&file, &claims, Rest::new(after))
}

/// The lines of a file that placements speak of, each with its ending; a byte order mark belongs to none.
///
/// The lines nobody speaks of are never split: they must come out as the bytes they are.
#[derive(Debug)]
struct File<'f> {
    bytes: &'f [u8],
    /// The bytes behind the byte order mark.
    body: &'f [u8],
    terminator: u8,
    /// Line number to where it lies, in order; the line after the last one is the empty end of the file.
    lines: Vec<(usize, Range<usize>)>,
    /// The line that was asked for last, as a position in `lines`: the next one is near.
    near: Cell<usize>,
}

impl<'f> File<'f> {
    fn new(bytes: &'f [u8], placements: &[Placement]) -> Self {
        let body = bytes.strip_prefix(MARK).unwrap_or(bytes);
        let has = |byte: u8| memchr::memchr(byte, body).is_some();
        let terminator = if has(b'\n') || !has(b'\r') { b'\n' } else { b'\r' };
        let mut numbers: Vec<usize> =
            Vec::with_capacity(placements.iter().map(|placement| placement.map.len().max(1)).sum());
        for placement in placements {
            let others = numbers.len();
            numbers.extend(placement.map.iter().flatten());
            if numbers.len() == others {
                numbers.push(placement.insert_at);
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        let mut lines = Vec::with_capacity(numbers.len());
        let (mut line, mut start) = (0, bytes.len() - body.len());
        for number in numbers {
            let Some(at) = skip_lines(bytes, start, number - line, terminator) else { break };
            let end = skip_lines(bytes, at, 1, terminator).unwrap_or(bytes.len());
            lines.push((number, at..end));
            if at == end {
                break;
            }
            (line, start) = (number + 1, end);
        }
        Self { bytes, body, terminator, lines, near: Cell::new(0) }
    }

    /// Where a line lies; `None` when the file does not reach that far.
    fn span(&self, number: usize) -> Option<&Range<usize>> {
        let number_at = |at: usize| self.lines.get(at).map(|(number, _)| *number);
        let near = self.near.get();
        let mut around = [near + 1, near, near.saturating_sub(1)].into_iter();
        let at = around.find(|at| number_at(*at) == Some(number));
        let at = at.or_else(|| self.lines.binary_search_by_key(&number, |(number, _)| *number).ok())?;
        self.near.set(at);
        self.lines.get(at).map(|(_, span)| span)
    }

    /// A line with its ending.
    fn line(&self, number: usize) -> Option<&'f [u8]> {
        self.bytes.get(self.span(number)?.clone()).filter(|line| !line.is_empty())
    }

    /// Where new lines before a line go: somebody speaks of that line, or of the one above it.
    fn offset(&self, number: usize) -> Option<usize> {
        let above = || self.span(number.checked_sub(1)?).filter(|span| !span.is_empty());
        self.span(number).map(|span| span.start).or_else(|| above().map(|span| span.end))
    }

    /// How a new line ends that is put at a place: like the line above it, or else the one below, or else the first one.
    fn ending_at(&self, offset: usize) -> &'f [u8] {
        let ending_of =
            |line: &'f [u8]| Some(ending(line, self.terminator)).filter(|ending| !ending.is_empty());
        let first_ending = |bytes: &'f [u8]| {
            let end = memchr::memchr(self.terminator, bytes).map_or(bytes.len(), |at| at + 1);
            bytes.get(..end).and_then(ending_of)
        };
        let above = self.body.get(..offset.saturating_sub(self.bytes.len() - self.body.len()));
        let below = || self.bytes.get(offset..).and_then(first_ending);
        above.and_then(ending_of).or_else(below).or_else(|| first_ending(self.body)).unwrap_or(b"\n")
    }

    /// Whether a stretch of the file is its end, and lacks an ending there.
    fn ends_without_ending(&self, range: Range<usize>) -> bool {
        let text = range.start.max(self.bytes.len() - self.body.len())..range.end;
        let last = self.bytes.get(text).and_then(<[u8]>::last);
        range.end == self.bytes.len() && last.is_some_and(|last| *last != self.terminator)
    }
}

/// Where the line begins that is so many lines below; `None` when the text ends before. The end of a text is the
/// beginning of the line after its last one.
fn skip_lines(bytes: &[u8], mut start: usize, mut lines: usize, terminator: u8) -> Option<usize> {
    const BLOCK: usize = 128;
    // Written so that many bytes are looked at together.
    let endings = |block: &[u8; BLOCK]| block.iter().map(|byte| u8::from(*byte == terminator)).sum::<u8>();
    // A block that holds fewer line endings is passed over without asking where they are.
    while lines > 1
        && let Some(block) = bytes.get(start..).and_then(<[u8]>::first_chunk)
    {
        let endings = usize::from(endings(block));
        if endings >= lines {
            break;
        }
        lines -= endings;
        start += BLOCK;
    }
    while lines > 0 {
        let rest = bytes.get(start..).filter(|rest| !rest.is_empty())?;
        start += memchr::memchr(terminator, rest).map_or(rest.len(), |at| at + 1);
        lines -= 1;
    }
    Some(start)
}

/// What a line ends with.
fn ending(line: &[u8], terminator: u8) -> &[u8] {
    let length = match line {
        [.., b'\r', b'\n'] if terminator == b'\n' => 2,
        [.., last] if *last == terminator => 1,
        _ => 0,
    };
    line.get(line.len() - length..).unwrap_or_default()
}

fn text(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// What the placements say about the lines of the file.
#[derive(Debug, Default)]
struct Claims<'h> {
    /// Lines, and whether they are removed.
    lines: Vec<(usize, bool)>,
    /// Lines, and what is new before them.
    inserted: Vec<(usize, NewLine<'h>)>,
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
    fn check_lines(&self, file: &File<'_>, hunk: &Hunk, placement: &Placement) -> Result<(), VerifyError> {
        let number = placement.hunk;
        // Where the line before ends.
        let mut end: Option<usize> = None;
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
            let Some(span) = file.span(claimed) else { return Err(mismatch) };
            let found = file.bytes.get(span.clone()).filter(|line| !line.is_empty());
            let fits = found.is_some_and(|found| fits(line, text(found), placement.tier));
            if matches!(line, HunkLine::Added(_)) || !fits {
                return Err(mismatch);
            }
            if let Some(end) = end {
                let Some(skipped) = file.bytes.get(end..span.start) else { return Err(mismatch) };
                let blank = tolerates_blanks(placement.tier) && skipped.trim_ascii().is_empty();
                if !skipped.is_empty() && !may_skip && !blank {
                    return Err(VerifyError::Skipped { hunk: number, file_line: claimed + 1 });
                }
            }
            end = Some(span.end);
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
        file: &File<'h>,
        hunk: &'h Hunk,
        placement: &'h Placement,
    ) -> Result<(), VerifyError> {
        let mut pending: Vec<&str> = Vec::new();
        let mut last: Option<usize> = None;
        let mut anchored = false;
        let moves = moves(file, hunk, placement);
        let mut place = |at: usize, text: &'h str| {
            let moved = moves.get(text).copied().flatten();
            self.inserted.push((at, NewLine { text, moved, reindent: &placement.reindent, end: hunk.end }));
        };
        for (line, claimed) in hunk.lines.iter().zip(&placement.map) {
            match (line, claimed) {
                (HunkLine::Added(text), _) => match last.filter(|_| anchored) {
                    Some(last) => place(last + 1, text),
                    None => pending.push(text),
                },
                (_, Some(claimed)) => {
                    pending.drain(..).for_each(|text| place(*claimed, text));
                    self.lines.push((*claimed, matches!(line, HunkLine::Removed(_))));
                    last = Some(*claimed);
                    anchored = true;
                }
                (HunkLine::Context(text), None) if text.trim().is_empty() => {}
                (_, None) => anchored = false,
            }
        }
        if !pending.is_empty() {
            // Only a hunk without any old line may leave new lines without a neighbour.
            if last.is_some() || file.offset(placement.insert_at).is_none() {
                return Err(VerifyError::Unaccounted { hunk: placement.hunk, line: 0 });
            }
            pending.drain(..).for_each(|text| place(placement.insert_at, text));
        }
        Ok(())
    }

    /// Brings the claims into the order of the file; no line may be claimed twice, unless it stays.
    fn settle(&mut self) -> Result<(), VerifyError> {
        // Hunks mostly come in the order of the file.
        if !self.lines.is_sorted_by_key(|(line, _)| *line) {
            self.lines.sort_by_key(|(line, _)| *line);
        }
        if !self.inserted.is_sorted_by_key(|(line, _)| *line) {
            self.inserted.sort_by_key(|(line, _)| *line);
        }
        let pairs = self.lines.iter().zip(self.lines.iter().skip(1));
        let mut twice = pairs.filter(|(one, other)| one.0 == other.0 && (one.1 || other.1));
        twice.next().map_or(Ok(()), |(_, (line, _))| Err(VerifyError::ClaimedTwice(line + 1)))
    }
}

/// What a hunk whose old lines are not quite the file's takes away, by how the author wrote it. Two lines that read
/// alike in the reply and not in the file tell nothing, and neither does one that is there more often afterwards.
fn moves<'h>(file: &File<'h>, hunk: &'h Hunk, placement: &Placement) -> HashMap<&'h str, Option<&'h [u8]>> {
    let mut moves = HashMap::new();
    let literal = matches!(
        placement.tier,
        Tier::Exact | Tier::LineEndings | Tier::Anchors | Tier::Seen | Tier::LinesUnverified
    );
    for (line, claimed) in hunk.lines.iter().zip(&placement.map).filter(|_| !literal) {
        let HunkLine::Removed(wanted) = line else { continue };
        let Some(found) = claimed.and_then(|claimed| file.line(claimed)).map(text) else {
            continue;
        };
        if wanted.trim().is_empty() {
            continue;
        }
        let known = moves.entry(wanted.as_str()).or_insert(Some(found));
        *known = known.filter(|known| *known == found);
    }
    let multiplies = |wanted: &str| {
        let balance = hunk.lines.iter().filter(|line| line.text() == wanted).map(|line| match line {
            HunkLine::Added(_) => 1,
            HunkLine::Removed(_) => -1,
            HunkLine::Context(_) => 0,
        });
        balance.sum::<isize>() > 0
    };
    moves.retain(|wanted, found| found.is_none_or(|found| found == wanted.as_bytes()) || !multiplies(wanted));
    moves
}

/// Reads the result from top to bottom: what lies between the places that placements speak of must be the same bytes.
fn read_result(file: &File<'_>, claims: &Claims<'_>, mut rest: Rest<'_>) -> Result<(), VerifyError> {
    let mut read = 0;
    let lacks_ending = file.ends_without_ending(0..file.bytes.len());
    let wrong = |rest: Rest<'_>| VerifyError::WrongResult(rest.read);
    let mut inserted = claims.inserted.iter().peekable();
    let mut removed = claims.lines.iter().filter(|(_, removed)| *removed).map(|(at, _)| *at).peekable();
    loop {
        let next = [inserted.peek().map(|(place, _)| *place), removed.peek().copied()];
        let Some(at) = next.into_iter().flatten().min() else { break };
        let offset = file.offset(at).ok_or_else(|| wrong(rest))?;
        rest = read_old(file, read..offset, rest)?;
        let mut unended = file.ends_without_ending(read..offset);
        read = offset;
        let ending = file.ending_at(offset);
        while let Some((_, line)) = inserted.next_if(|(place, _)| *place == at) {
            // Behind a last line that has no ending a new one would continue it.
            if std::mem::take(&mut unended) {
                rest = rest.strip_prefix(ending).ok_or_else(|| wrong(rest))?;
            }
            rest = read_new_line(rest, line, ending, lacks_ending).ok_or_else(|| wrong(rest))?;
        }
        if removed.next_if_eq(&at).is_some() {
            read = file.span(at).ok_or_else(|| wrong(rest))?.end;
        }
    }
    rest = read_old(file, read..file.bytes.len(), rest)?;
    if rest.is_empty() { Ok(()) } else { Err(wrong(rest)) }
}

/// Takes bytes of the file off the front. The error names the first wrong line.
fn read_old<'a>(file: &File<'_>, range: Range<usize>, rest: Rest<'a>) -> Result<Rest<'a>, VerifyError> {
    let bytes = file.bytes.get(range).ok_or(VerifyError::WrongResult(rest.read))?;
    rest.strip_prefix(bytes).ok_or_else(|| {
        let same = rest.bytes().zip(bytes).take_while(|(found, wanted)| found == wanted).count();
        let line = bytes.iter().take(same).rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        VerifyError::WrongResult(rest.read + line)
    })
}

/// Takes one new line off the front: its text, indented by the rule, and an ending. At the end of the file that is there
/// or not as the hunk says, or else as it was; `unended` says that it was not.
fn read_new_line<'a>(rest: Rest<'a>, line: &NewLine<'_>, ending: &[u8], unended: bool) -> Option<Rest<'a>> {
    let NewLine { text, moved, reindent, end } = *line;
    let rest = match moved {
        Some(bytes) => rest.strip_prefix(bytes)?,
        None if text.trim().is_empty() && !matches!(reindent, Reindent::Units { .. }) => {
            rest.strip_prefix(text.as_bytes())?
        }
        None => rest.strip_indented(text.as_bytes(), reindent)?,
    };
    let ended = match end {
        EndOfFile::WithNewline => true,
        EndOfFile::WithoutNewline => false,
        EndOfFile::Unsaid | EndOfFile::Reached => !unended,
    };
    // At the end of the file the ending may be missing, but then not by chance; a blank line is nothing without it.
    let may_lack = !ended && !text.is_empty();
    if rest.is_empty() {
        return may_lack.then_some(rest);
    }
    rest.strip_prefix(ending).filter(|rest| !(rest.is_empty() && may_lack))
}
