//! Applies placements: the output is the file with byte ranges exchanged, and nothing else.
//!
//! Bytes outside the placed ranges are copied, never rewritten, so a byte order mark, odd line endings and bytes
//! that are no text survive by construction. Context lines keep the file's bytes too, and so do lines that only move.

use std::collections::{BTreeMap, HashMap};

use crate::lines::Lines;
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

/// What happens at one line of the file.
#[derive(Debug, Default)]
struct Site {
    /// New lines that go before it, with the hunk they come from.
    inserted: Vec<(usize, Vec<u8>)>,
    /// The hunk that removes it.
    removed_by: Option<usize>,
    /// The hunk that has it as context.
    kept_by: Option<usize>,
    /// What the hunks that insert here say about the end of the file.
    end: EndOfFile,
}

/// The file after all placements.
pub(crate) fn splice(
    lines: &Lines<'_>,
    hunks: &[Hunk],
    placements: &[Placement],
) -> Result<Vec<u8>, SpliceError> {
    let mut sites: BTreeMap<usize, Site> = BTreeMap::new();
    for placement in placements {
        if let Some(hunk) = hunks.get(placement.hunk) {
            claim(&mut sites, lines, hunk, placement)?;
        }
    }
    Ok(write(lines, &sites))
}

fn claim(
    sites: &mut BTreeMap<usize, Site>,
    lines: &Lines<'_>,
    hunk: &Hunk,
    placement: &Placement,
) -> Result<(), SpliceError> {
    let number = placement.hunk;
    let moved = moved(lines, hunk, placement);
    for (at, line) in hunk.lines.iter().enumerate() {
        let place = placement.map.get(at).copied().flatten();
        match (line, place) {
            (HunkLine::Added(text), _) => {
                let place = insertion(hunk, placement, at).ok_or(SpliceError::Unanchored(number))?;
                let text = match moved.get(text.as_str()).copied().flatten() {
                    Some(bytes) => bytes.to_vec(),
                    None => {
                        placement.reindent.apply(text.as_bytes()).ok_or(SpliceError::Indentation(number))?
                    }
                };
                let site = sites.entry(place).or_default();
                site.inserted.push((number, text));
                site.end = stronger(site.end, hunk.end);
            }
            (HunkLine::Removed(_), Some(place)) => {
                let site = sites.entry(place).or_default();
                if let Some(other) = site.removed_by.or(site.kept_by) {
                    return Err(SpliceError::Overlap(other, number));
                }
                site.removed_by = Some(number);
            }
            (HunkLine::Context(_), Some(place)) => {
                let site = sites.entry(place).or_default();
                if let Some(other) = site.removed_by {
                    return Err(SpliceError::Overlap(other, number));
                }
                site.kept_by = Some(number);
            }
            (_, None) => {}
        }
    }
    Ok(())
}

/// The lines a hunk takes away, by what the author wrote: where it puts one of them back, the line only moves, and keeps
/// the bytes the author did not see or copy. `None` where two of them read alike in the reply and not in the file.
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
    moved
}

fn stronger(a: EndOfFile, b: EndOfFile) -> EndOfFile {
    if matches!(b, EndOfFile::WithNewline | EndOfFile::WithoutNewline) { b } else { a }
}

/// The line of the file before which a new line goes: behind the old line above it, or before the one below it.
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
    let below = (at + 1..hunk.lines.len())
        .find(|at| old(*at).is_some_and(|line| place(*at).is_some() || !line.text().trim().is_empty()));
    match (above, below) {
        (_, Some(below)) => place(below),
        (None, None) => Some(placement.insert_at),
        (Some(_), None) => None,
    }
}

fn write(lines: &Lines<'_>, sites: &BTreeMap<usize, Site>) -> Vec<u8> {
    let bytes = lines.bytes();
    let mut out = Vec::with_capacity(bytes.len() + 1024);
    let mut copied = 0;
    let mut ends_with_new_line = false;
    for (line, site) in sites {
        let offset = lines.offset(*line);
        if offset > copied {
            out.extend_from_slice(bytes.get(copied..offset).unwrap_or_default());
            ends_with_new_line = false;
        }
        copied = copied.max(offset);
        let ending = lines.ending_near(*line);
        for (_, text) in &site.inserted {
            // Behind a last line that has no ending, the new line would otherwise continue it.
            if *line == lines.len()
                && lines.lacks_final_newline()
                && !ends_with_new_line
                && !out.is_empty()
                && !removed_last(lines, sites)
            {
                out.extend_from_slice(ending);
            }
            out.extend_from_slice(text);
            out.extend_from_slice(ending);
            ends_with_new_line = true;
        }
        if site.removed_by.is_some() {
            copied = lines.span(*line).map_or(copied, |span| span.end);
        }
    }
    if copied < bytes.len() {
        out.extend_from_slice(bytes.get(copied..).unwrap_or_default());
        ends_with_new_line = false;
    }
    finish(lines, sites, out, ends_with_new_line)
}

fn removed_last(lines: &Lines<'_>, sites: &BTreeMap<usize, Site>) -> bool {
    lines.len().checked_sub(1).and_then(|last| sites.get(&last)).is_some_and(|site| site.removed_by.is_some())
}

/// The final newline stays as it was, unless the author said otherwise.
fn finish(
    lines: &Lines<'_>,
    sites: &BTreeMap<usize, Site>,
    mut out: Vec<u8>,
    ends_with_new_line: bool,
) -> Vec<u8> {
    if !ends_with_new_line {
        return out;
    }
    let said = sites.last_key_value().map_or(EndOfFile::Unsaid, |(_, site)| site.end);
    let wanted = match said {
        EndOfFile::WithNewline => true,
        EndOfFile::WithoutNewline => false,
        EndOfFile::Unsaid | EndOfFile::Reached => !lines.lacks_final_newline(),
    };
    if !wanted {
        let ending = lines.ending_near(lines.len());
        // A blank last line is nothing but its ending.
        let is_blank = out.strip_suffix(ending).is_none_or(|rest| rest.is_empty() || rest.ends_with(ending));
        if !is_blank {
            out.truncate(out.len() - ending.len());
        }
    }
    out
}
