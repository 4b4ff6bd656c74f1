//! Splices hunks into a file and certifies that: what is claimed is verified before anybody sees the result.

use std::ops::Range;

use super::super::numbers::Numbers;
use super::PatchFailure;
use crate::Hunk;
use crate::content::Content;
use crate::lines::Lines;
use crate::matcher::{Applied, Certificate, FileIndex, Placement, Proof, Tie, witness};
use crate::splice::splice;
use crate::verify::verify_pieces;

/// What is claimed about the hunks of an edit: a certificate that does not say yet of which file it speaks.
#[derive(Debug)]
pub(super) struct Claims {
    /// The hunks that are accounted for.
    pub hunks: Range<usize>,
    /// Those that have a place.
    pub placements: Vec<Placement>,
    /// Those that are applied already.
    pub applied: Vec<Applied>,
    /// By how many lines others may have moved the lines of the file.
    pub moved: usize,
}

impl Claims {
    /// One hunk is applied already.
    pub fn applied(applied: Applied) -> Self {
        Self {
            hunks: applied.hunk..applied.hunk + 1,
            placements: Vec::new(),
            applied: vec![applied],
            moved: 0,
        }
    }
}

/// Puts hunks in their places. `written` are those of the edit as the reply has them, `read` is how each was read.
pub(super) fn apply<'h>(
    lines: &Lines<'_>,
    written: &[Hunk],
    read: impl Fn(usize) -> Option<&'h Hunk>,
    claims: Claims,
) -> Result<(Content, Certificate), PatchFailure> {
    let Claims { hunks, placements, applied, moved } = claims;
    let after = splice(lines, read, &placements).map_err(PatchFailure::Splice)?;
    let file = Certificate::fingerprint(lines.bytes());
    let certificate = Certificate { file, hunks, placements, applied, moved };
    let pieces: Vec<&[u8]> = after.pieces(lines.bytes()).collect();
    verify_pieces(lines.bytes(), written, &certificate, &pieces).map_err(PatchFailure::Unverified)?;
    Ok((Content::Spliced(after), certificate))
}

/// What shows that a hunk is applied at a place.
pub(super) fn proof(hunk: &Hunk, index: &FileIndex<'_>, place: usize) -> Proof {
    match witness(hunk, index, place) {
        None if !hunk.adds() && !hunk.removes() => Proof::ChangesNothing,
        map => Proof::Lines { map: map.unwrap_or_default() },
    }
}

/// By how many lines the edits and hunks before may have moved lines of the file. That matters, and is counted, only where
/// a line number has decided that is not the number of its place.
pub(super) fn moved(
    lines: &Lines<'_>,
    placements: &[Placement],
    hunks: &[Hunk],
    numbers: Numbers<'_>,
) -> usize {
    let is_off = |placement: &Placement| {
        let hint = hunks.get(placement.hunk).and_then(|hunk| hunk.line_hint);
        placement.tie == Some(Tie::LineNumber) && hint != Some(placement.first_line() + 1)
    };
    if placements.iter().any(is_off) { numbers.moved(lines) } else { 0 }
}
