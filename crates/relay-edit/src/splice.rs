//! Applies placements: the output is the file with byte ranges exchanged, and nothing else.
//!
//! Bytes outside the placed ranges are kept, never rewritten, so a byte order mark, odd line endings and bytes that
//! are not text survive by construction. Context lines keep the file's bytes too, and so do lines that only move.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::content::Spliced;
use crate::lines::{BOM, Lines};
use crate::matcher::{Placement, Tier};
use crate::{EndOfFile, Hunk, HunkLine};

/// Why placements cannot be applied together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SpliceError {
    /// Two hunks claim the same line and one of them removes it.
    #[error("hunks {0} and {1} claim the same lines")]
    Overlap(usize, usize),
    /// Nothing says where a new line belongs.
    #[error("nothing says where a new line of hunk {0} belongs")]
    Unanchored(usize),
    /// A new line cannot be indented as the file is.
    #[error("a new line of hunk {0} cannot be indented")]
    Indentation(usize),
}

/// What a hunk says about one line of the file.
#[derive(Debug)]
struct Claim<'c> {
    line: usize,
    hunk: usize,
    what: What<'c>,
}

#[derive(Debug)]
enum What<'c> {
    /// A new line goes before it; what its hunk says about the end of the file.
    Inserted(Cow<'c, [u8]>, EndOfFile),
    /// It goes.
    Removed,
    /// It is context.
    Kept,
}

impl Claim<'_> {
    /// The new line, and what its hunk says about the end of the file.
    fn inserted(&self) -> Option<(&[u8], EndOfFile)> {
        match &self.what {
            What::Inserted(text, end) => Some((text, *end)),
            What::Removed | What::Kept => None,
        }
    }
}

/// The file after all placements.
///
/// `hunk` has the hunk of each placement, as it was read.
pub(crate) fn splice<'h>(
    lines: &Lines<'_>,
    hunk: impl Fn(usize) -> Option<&'h Hunk>,
    placements: &[Placement],
) -> Result<Spliced, SpliceError> {
    let mut claims: Vec<Claim<'_>> = Vec::with_capacity(placements.iter().map(|place| place.map.len()).sum());
    let claimed = placements.iter().try_for_each(|placement| match hunk(placement.hunk) {
        Some(hunk) => claim(&mut claims, lines, hunk, placement),
        None => Ok(()),
    });
    // In the order of the file: new lines go before the line they are at, whatever becomes of that. Otherwise the order
    // of the hunks stays, which mostly is that of the file already.
    claims.sort_by_key(|claim| (claim.line, claim.inserted().is_none()));
    match claims.chunk_by(|one, other| one.line == other.line).find_map(overlap) {
        Some((earlier, later)) => Err(SpliceError::Overlap(earlier, later)),
        None => claimed.map(|()| write(lines, &claims, placements.len())),
    }
}

/// The first two hunks that claim one line, if one of them removes it.
fn overlap(claims: &[Claim<'_>]) -> Option<(usize, usize)> {
    let (mut removed, mut kept) = (None, None);
    for claim in claims {
        match claim.what {
            What::Inserted(..) => {}
            What::Removed => match removed.or(kept) {
                Some(other) => return Some((other, claim.hunk)),
                None => removed = Some(claim.hunk),
            },
            What::Kept => match removed {
                Some(other) => return Some((other, claim.hunk)),
                None => kept = Some(claim.hunk),
            },
        }
    }
    None
}

fn claim<'c>(
    claims: &mut Vec<Claim<'c>>,
    lines: &Lines<'c>,
    hunk: &'c Hunk,
    placement: &Placement,
) -> Result<(), SpliceError> {
    let number = placement.hunk;
    let moved = moved(lines, hunk, placement);
    // New lines that follow each other go to the same place.
    let mut run: Option<usize> = None;
    for (at, line) in hunk.lines.iter().enumerate() {
        let place = placement.map.get(at).copied().flatten();
        run = run.filter(|_| !line.is_old());
        let (line, what) = match (line, place) {
            (HunkLine::Added(text), _) => {
                let place = run.or_else(|| insertion(hunk, placement, at));
                let place = place.ok_or(SpliceError::Unanchored(number))?;
                run = Some(place);
                let text = match moved.get(text.as_str()).copied().flatten() {
                    Some(bytes) => Cow::Borrowed(bytes),
                    None => {
                        placement.reindent.apply(text.as_bytes()).ok_or(SpliceError::Indentation(number))?
                    }
                };
                (place, What::Inserted(text, hunk.end))
            }
            (HunkLine::Removed(_), Some(place)) => (place, What::Removed),
            (HunkLine::Context(_), Some(place)) => (place, What::Kept),
            (_, None) => continue,
        };
        claims.push(Claim { line, hunk: number, what });
    }
    Ok(())
}

/// The lines a hunk takes away, by what the author wrote: where it puts one of them back, the line only moves, and keeps
/// the bytes the author did not see or copy. `None` where two of them read alike in the reply and not in the file, or where
/// more come than go.
fn moved<'l>(lines: &Lines<'l>, hunk: &'l Hunk, placement: &Placement) -> HashMap<&'l str, Option<&'l [u8]>> {
    let mut moved: HashMap<&str, Option<&[u8]>> = HashMap::new();
    let exact = matches!(
        placement.tier,
        Tier::Exact | Tier::LineEndings | Tier::Anchors | Tier::Seen | Tier::LinesUnverified
    );
    if exact {
        return moved;
    }
    for (line, place) in hunk.lines.iter().zip(&placement.map) {
        if let (HunkLine::Removed(text), Some(place)) = (line, place)
            && !text.trim().is_empty()
        {
            let bytes = lines.text(*place);
            moved
                .entry(text)
                .and_modify(|known| *known = known.filter(|known| *known == bytes))
                .or_insert(Some(bytes));
        }
    }
    let count = |text: &str, is_side: fn(&HunkLine) -> bool| {
        hunk.lines.iter().filter(|line| is_side(line) && line.text() == text).count()
    };
    for (text, bytes) in
        moved.iter_mut().filter(|(text, bytes)| bytes.is_some_and(|bytes| bytes != text.as_bytes()))
    {
        let (come, go) = (count(text, |line| !line.is_old()), count(text, |line| !line.is_new()));
        *bytes = bytes.filter(|_| come <= go);
    }
    moved
}

/// The line of the file before which a new line goes: after the old line above it, or before the one below it.
fn insertion(hunk: &Hunk, placement: &Placement, at: usize) -> Option<usize> {
    let old = |at: usize| hunk.lines.get(at).filter(|line| line.is_old());
    let place = |at: usize| placement.map.get(at).copied().flatten();
    // An old line without a place is an elision, unless it is a blank line the file does not have.
    let above = (0..at)
        .rev()
        .find(|at| old(*at).is_some_and(|line| place(*at).is_some() || !line.text().trim().is_empty()));
    if let Some(place) = above.and_then(place) {
        return Some(place + 1);
    }
    let below = (at..hunk.lines.len())
        .find(|at| old(*at).is_some_and(|line| place(*at).is_some() || !line.text().trim().is_empty()));
    match (above, below) {
        (_, Some(below)) => place(below),
        (None, None) => Some(placement.insert_at),
        (Some(_), None) => None,
    }
}

/// Puts the file together. Mostly there is one stretch of new lines for each of this many `placements`.
fn write(lines: &Lines<'_>, claims: &[Claim<'_>], placements: usize) -> Spliced {
    const LONGEST_ENDING: usize = 2;
    let inserted = claims.iter().filter_map(Claim::inserted);
    let mut out =
        Spliced::with_room(placements + 1, inserted.map(|(text, _)| text.len() + LONGEST_ENDING).sum());
    let mut kept = 0;
    let mut removed = None;
    let mut ends_with_new_line = false;
    // Context is kept together with everything around it.
    for claim in claims.iter().filter(|claim| !matches!(claim.what, What::Kept)) {
        let offset = lines.offset(claim.line);
        if offset > kept {
            out.keep(kept..offset);
            (kept, ends_with_new_line) = (offset, false);
        }
        let Some((text, _)) = claim.inserted() else {
            kept = lines.span(claim.line).map_or(kept, |span| span.end);
            removed = Some(claim.line);
            continue;
        };
        let ending = lines.ending_near(claim.line);
        // Behind a last line that has no ending, the new line would otherwise continue it.
        if claim.line == lines.len()
            && lines.lacks_final_newline()
            && !ends_with_new_line
            && !out.is_empty()
            && removed != lines.len().checked_sub(1)
        {
            out.add(ending);
        }
        out.add(text);
        out.add(ending);
        ends_with_new_line = true;
    }
    if kept < lines.bytes().len() {
        out.keep(kept..lines.bytes().len());
        ends_with_new_line = false;
    }
    if ends_with_new_line {
        finish(lines, claims, &mut out);
    }
    out
}

/// The final newline stays as it was, unless the author said otherwise.
fn finish(lines: &Lines<'_>, claims: &[Claim<'_>], out: &mut Spliced) {
    let last = claims.last().map(|claim| claim.line);
    let here = claims.iter().rev().take_while(|claim| Some(claim.line) == last);
    let mut said = here.filter_map(Claim::inserted).map(|(_, end)| end);
    let wanted = match said.find(|end| matches!(end, EndOfFile::WithNewline | EndOfFile::WithoutNewline)) {
        Some(end) => end == EndOfFile::WithNewline,
        None => !lines.lacks_final_newline(),
    };
    if !wanted {
        let ending = lines.ending_near(lines.len());
        let mut above = out.pieces(lines.bytes()).rev().flat_map(|piece| piece.iter().rev());
        above.by_ref().take(ending.len()).for_each(drop);
        let above: Vec<u8> = above.take(ending.len().max(BOM.len() + 1)).copied().collect();
        // A blank last line is nothing but its ending.
        let is_blank = above.is_empty()
            || above.iter().eq(BOM.iter().rev())
            || above.iter().take(ending.len()).eq(ending.iter().rev());
        if !is_blank {
            out.cut(ending.len());
        }
    }
}

#[cfg(test)]
mod tests;
