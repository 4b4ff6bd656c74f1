//! A three-way merge by lines: two versions that come from one become one, or the lines where they disagree.
//!
//! It decides nothing: a line that both sides changed differently is a [`Conflict`], never a guess. Edits of
//! neighbouring lines merge; two sides that both put new lines into the same place conflict, because nothing says
//! which come first and whether they say the same. The byte order mark, the kind of line ending and the final newline
//! are merged apart from the lines, so a version that only changed those conflicts with nothing.

use std::ops::Range;

use crate::align::{Difference, differences};
use crate::encoding::{Decoded, text_of};
use crate::lines::{Lines, is_binary};

mod endings;
mod surely;
#[cfg(test)]
mod tests;

use endings::Endings;
pub(crate) use surely::merge_certainly;
pub use surely::merge_surely;

/// A place where both sides changed the same lines differently. Lines are counted from 0; a range may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The lines in the version both sides come from.
    pub base: Range<usize>,
    /// What one side made of them.
    pub ours: Range<usize>,
    /// What the other side made of them.
    pub theirs: Range<usize>,
}

/// Puts the changes from `base` to `theirs` into `ours`.
///
/// Files that are not text merge only where at most one side changed.
///
/// # Errors
/// Every place where both sides changed the same lines differently, in order.
///
/// ```
/// let merged = relay_edit::merge::merge(b"a\nb\nc\n", b"A\nb\nc\n", b"a\nb\nC\n");
/// assert_eq!(merged.unwrap(), b"A\nb\nC\n");
///
/// let conflicts = relay_edit::merge::merge(b"a\nb\n", b"a\nours\n", b"a\ntheirs\n").unwrap_err();
/// assert_eq!(conflicts[0].ours, 1..2);
/// ```
pub fn merge(base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<Vec<u8>, Vec<Conflict>> {
    merge_with(base, ours, theirs, &|versions| by_lines(versions, &AsCompared, Touching::MayNotGrow))
}

/// The bytes, or why there are none.
type Merged = Result<Vec<u8>, Vec<Conflict>>;

/// Everything around the merge of lines: shortcuts, encodings, files that are not text.
fn merge_with(
    base: &[u8],
    ours: &[u8],
    theirs: &[u8],
    by_lines: &dyn Fn(&[Lines<'_>; 3]) -> Merged,
) -> Merged {
    if theirs == base || ours == theirs {
        return Ok(ours.to_vec());
    }
    if ours == base {
        return Ok(theirs.to_vec());
    }
    if let Some(merged) = decoded(&[base, ours, theirs], by_lines) {
        return merged;
    }
    let versions = [base, ours, theirs].map(Lines::new);
    if [base, ours, theirs].iter().any(|bytes| is_binary(bytes)) {
        let [base, ours, theirs] = versions.map(|lines| 0..lines.len());
        return Err(vec![Conflict { base, ours, theirs }]);
    }
    by_lines(&versions)
}

/// The merge of texts that are not all in UTF-8; `None` if they are, or if one of them is not text. The encoding is
/// merged like everything else: what only one side converted stays converted.
fn decoded(versions: &[&[u8]; 3], by_lines: &dyn Fn(&[Lines<'_>; 3]) -> Merged) -> Option<Merged> {
    let [base, ours, theirs] = versions.map(|bytes| Decoded::of(bytes).map(|decoded| decoded.encoding));
    [base, ours, theirs].iter().flatten().next()?;
    let texts = versions.map(text_of);
    if texts.iter().any(|text| is_binary(text) || std::str::from_utf8(text).is_err()) {
        return None;
    }
    let merged = merge_with(&texts[0], &texts[1], &texts[2], by_lines);
    let encoding = if ours == base { theirs } else { ours };
    match encoding {
        Some(encoding) => merged.map(|merged| encoding.encode(&merged)).transpose(),
        None => Some(merged),
    }
}

/// What changes of both sides may do where no line lies between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Touching {
    /// Nothing: they conflict.
    Conflicts,
    /// Both may be, unless both add lines there.
    MayNotGrow,
    /// Both may be, unless both do nothing but add lines there.
    MayNotBothInsert,
}

/// How two versions are compared.
trait Comparison {
    fn compare(&self, base: &[&[u8]], version: &[&[u8]], is_ours: bool) -> Vec<Difference>;
}

/// As people read it.
struct AsCompared;

impl Comparison for AsCompared {
    fn compare(&self, base: &[&[u8]], version: &[&[u8]], _is_ours: bool) -> Vec<Difference> {
        differences(base, version)
    }
}

/// The merge proper, which needs no shortcut to be right.
fn by_lines(versions: &[Lines<'_>; 3], comparison: &impl Comparison, touching: Touching) -> Merged {
    let endings = Endings::of(versions);
    let [base, ours, theirs] = versions.each_ref().map(|lines| endings.keys(lines));
    let mut merged: Vec<&[u8]> = Vec::with_capacity(ours.len().max(theirs.len()));
    let mut conflicts = Vec::new();
    let mut copied = 0;
    let (our_changes, their_changes) =
        (comparison.compare(&base, &ours, true), comparison.compare(&base, &theirs, false));
    for region in regions(our_changes, their_changes, touching) {
        merged.extend(base.get(copied..region.base.start).unwrap_or_default());
        copied = region.base.end;
        match (region.within(&region.ours), region.within(&region.theirs)) {
            (Some(range), None) => merged.extend(ours.get(range).unwrap_or_default()),
            (None, Some(range)) => merged.extend(theirs.get(range).unwrap_or_default()),
            (Some(one), Some(other)) if ours.get(one.clone()) == theirs.get(other.clone()) => {
                merged.extend(ours.get(one).unwrap_or_default());
            }
            (Some(one), Some(other)) => {
                conflicts.push(Conflict { base: region.base, ours: one, theirs: other });
            }
            (None, None) => {}
        }
    }
    merged.extend(base.get(copied..).unwrap_or_default());
    if conflicts.is_empty() { Ok(endings.write(&versions[0], &merged)) } else { Err(conflicts) }
}

/// Changes that have to be looked at together, and the stretch of the base they cover.
#[derive(Debug)]
struct Region {
    base: Range<usize>,
    ours: Vec<Difference>,
    theirs: Vec<Difference>,
}

impl Region {
    /// What the stretch became on the side of these changes; `None` where that side did not change it.
    fn within(&self, changes: &[Difference]) -> Option<Range<usize>> {
        let (first, last) = (changes.first()?, changes.last()?);
        let lead = first.before.start.saturating_sub(self.base.start);
        let tail = self.base.end.saturating_sub(last.before.end);
        Some(first.after.start.saturating_sub(lead)..last.after.end + tail)
    }
}

/// Groups the changes of both sides: those that meet are in one region, all others alone.
fn regions(ours: Vec<Difference>, theirs: Vec<Difference>, touching: Touching) -> Vec<Region> {
    let mut changes: Vec<(bool, Difference)> = ours.into_iter().map(|change| (true, change)).collect();
    changes.extend(theirs.into_iter().map(|change| (false, change)));
    // An insertion before a line comes before a change of that line.
    changes.sort_by_key(|(_, change)| (change.before.start, change.before.end));
    let mut regions: Vec<Region> = Vec::new();
    for (is_ours, change) in changes {
        let joins = regions.last().is_some_and(|region| {
            let others = if is_ours { &region.theirs } else { &region.ours };
            // A longer change of the same region may reach over this one without being its neighbour.
            change.before.start < region.base.end
                || others.iter().rev().any(|other| meet(&change, other, touching))
        });
        if !joins {
            regions.push(Region { base: change.before.clone(), ours: Vec::new(), theirs: Vec::new() });
        }
        if let Some(region) = regions.last_mut() {
            region.base.end = region.base.end.max(change.before.end);
            let side = if is_ours { &mut region.ours } else { &mut region.theirs };
            side.push(change);
        }
    }
    regions
}

/// Whether changes of two sides concern the same lines, or the same place between two lines.
fn meet(one: &Difference, other: &Difference, touching: Touching) -> bool {
    let overlap = one.before.start < other.before.end && other.before.start < one.before.end;
    let touch = one.before.start == other.before.end || other.before.start == one.before.end;
    let grows = |change: &Difference| change.after.len() > change.before.len();
    let inserts = |change: &Difference| change.before.is_empty();
    let may_not = match touching {
        Touching::Conflicts => true,
        Touching::MayNotGrow => grows(one) && grows(other),
        Touching::MayNotBothInsert => inserts(one) && inserts(other),
    };
    overlap || touch && may_not
}
