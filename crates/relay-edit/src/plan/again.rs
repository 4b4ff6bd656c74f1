//! A change that is written twice.
//!
//! Mostly the second time finds it done. Where its old lines are at several places and the line number chose one of them,
//! the second time would find the place that is left, which nobody meant. So it is with a place that is only like the one
//! that was meant.
//!
//! What another edit of the reply wrote is no sign that a hunk is done: it must have had a place, or been done, before them all.
//!
//! Two that differ in nothing but white space and mean the same place are two versions of one change, of which nobody can say
//! which one is meant.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use super::numbers::Numbers;
use super::patch::{self, Terms};
use super::reading::Read;
use super::virtual_files::VirtualFiles;
use super::{EditOutcome, EditStatus};
use crate::edit::Target;
use crate::matcher::{
    Applied, Certificate, Failure, FileIndex, Key, Located, Placement, Proof, Strictness, Tie, locate_undone,
};
use crate::verify::verify_pieces;
use crate::{Edit, Hunk};

/// The edits so far whose places were chosen by line numbers, by their first one.
#[derive(Debug, Default)]
pub(super) struct Chosen<'e>(HashMap<usize, Vec<&'e Edit>>);

impl<'e> Chosen<'e> {
    /// Remembers an edit, if its place was chosen.
    pub fn note(&mut self, edit: &'e Edit, outcome: &EditOutcome) {
        let mut placements = outcome.certificates.iter().flat_map(|certificate| &certificate.placements);
        if placements.any(is_chosen)
            && let Some(line) = first_line(edit)
        {
            self.0.entry(line).or_default().push(edit);
        }
    }

    /// The one of these that an edit says once more.
    pub fn find(&self, edit: &Edit) -> Option<&'e Edit> {
        if self.0.is_empty() {
            return None;
        }
        let mut alike = first_line(edit).and_then(|line| self.0.get(&line))?.iter().copied();
        alike.find(|earlier| is_same_edit(earlier, edit))
    }
}

/// How many edits are looked back at.
const LOOKED_BACK: usize = 64;

/// The earlier edit of a file that says the same, where its old lines are no longer in the file to the letter. The
/// second of two sections `a` ⇒ `b`, where no `a` is left.
pub(super) fn done<'e>(edit: &Edit, earlier: &'e [Edit], files: &VirtualFiles<'_>) -> Option<&'e Edit> {
    if !files.is_touched(&edit.path) || edit.hunks().is_empty() {
        return None;
    }
    let mut earlier = earlier.iter().rev().take(LOOKED_BACK);
    let earlier = earlier.find(|earlier| is_same_edit(earlier, edit))?;
    let index = FileIndex::new(files.get(&edit.path).unwrap_or_default());
    (!edit.hunks().iter().any(|hunk| stands(hunk, &index))).then_some(earlier)
}

/// What becomes of an edit that says the same as an earlier one. Its certificate speaks of the hunks of both, one edit after
/// the other.
pub(super) fn repeated(edit: &Edit, earlier: &Edit, files: &VirtualFiles<'_>) -> Option<EditOutcome> {
    let both = [earlier.hunks(), edit.hunks()].concat();
    let first = earlier.hunks().len();
    let applied = (first..both.len()).map(|hunk| {
        let proof = Proof::Repeats { hunk: hunk - first, map: Vec::new() };
        Applied { hunk, readings: Vec::new(), proof }
    });
    let file = files.get(&edit.path).unwrap_or_default();
    let certificate = Certificate {
        file: Certificate::fingerprint(file),
        hunks: first..both.len(),
        placements: Vec::new(),
        applied: applied.collect(),
        moved: 0,
    };
    verify_pieces(file, &both, &certificate, &[file]).ok()?;
    let outcome = EditOutcome::new(EditStatus::Unchanged, patch::ALREADY);
    Some(EditOutcome { certificates: vec![certificate], ..outcome })
}

/// Whether the old lines of a hunk are in a file to the letter. ` a`, `-b` where the file has `a`, `b`.
pub(super) fn stands(hunk: &Hunk, index: &FileIndex<'_>) -> bool {
    let old: Vec<&str> = hunk.old_lines().collect();
    old.is_empty() || index.find_some(Key::TrimEnd, &old, 1).is_none_or(|places| !places.is_empty())
}

/// Whether a hunk has a place in a file, or is applied there. `-a`, `+b` in a file with `a`, or with `b` in its place.
pub(super) fn fits(hunk: &Hunk, file: &[u8], terms: Terms<'_>) -> bool {
    let terms = Terms { numbers: Numbers::default(), ..terms };
    patch::look_for(hunk, &terms.index(file), terms).0.is_ok()
}

/// Without the hunks that count as applied by nothing but what other edits of the reply wrote.
pub(super) fn doubting(
    hunks: &[Hunk],
    located: Vec<Result<Located, Failure>>,
    index: &FileIndex<'_>,
    terms: Terms<'_>,
) -> Vec<Result<Located, Failure>> {
    let Some(original) = terms.original else { return located };
    let checked =
        hunks.iter().zip(located).enumerate().map(|(number, (hunk, located))| {
            match unless_written(hunk, Some(original), index, terms.strictness, (located, None)).0 {
                Ok(Located::AlreadyApplied(_)) if !fits(hunk, original, terms) => {
                    Err(Failure::NotFound(None))
                }
                Ok(Located::Placed(placement)) => {
                    Ok(Located::Placed(Placement { hunk: number, ..placement }))
                }
                located => located,
            }
        });
    checked.collect()
}

/// Two placements that put the same lines at the same place but for white space, by the numbers of their hunks. `+  x`
/// and `+x` below the same line.
pub(super) fn both_land(hunks: &[Hunk], placements: &[Placement]) -> Option<(usize, usize)> {
    // Mostly no two of them come near each other.
    let meet = |pair: &[Placement]| matches!(pair, [one, other] if other.first_line() <= one.end_line());
    if !placements.windows(2).any(meet) {
        return None;
    }
    let mut known = HashMap::new();
    placements.iter().find_map(|placement| {
        let effect: Vec<(Option<usize>, Option<Vec<u8>>)> = placement
            .effect(hunks.get(placement.hunk)?)
            .into_iter()
            .map(|(line, text)| (line, text.map(|text| written(&text).collect())))
            .collect();
        known.insert(effect, placement.hunk).map(|earlier| (earlier, placement.hunk))
    })
}

/// What a text says but for white space.
fn written(text: &[u8]) -> impl Iterator<Item = u8> {
    text.iter().copied().filter(|byte| !byte.is_ascii_whitespace())
}

/// The first two hunks that are written alike and mean the same place of a file. `-a(1)` and `-a( 1 )`, where both are
/// found at line 4.
pub(super) fn first_alike(hunks: &[Hunk], file: &[u8], terms: Terms<'_>) -> Option<(usize, usize)> {
    let mut known: HashMap<u64, usize> = HashMap::with_capacity(hunks.len());
    hunks.iter().enumerate().filter(|_| hunks.len() > 1).find_map(|(at, hunk)| {
        let mut hasher = DefaultHasher::new();
        says(hunk).for_each(|byte| hasher.write_u8(byte));
        let earlier = known.insert(hasher.finish(), at)?;
        mean_same(hunks.get(earlier)?, hunk, file, terms).then_some((earlier, at))
    })
}

/// Whether an edit is an earlier one of the same file, written anew with other white space. `a(1)` ⇒ `b`, then `a( 1 )`
/// ⇒ `b`.
pub(super) fn is_alike(edit: &Edit, earlier: &[Edit], file: &[u8], terms: Terms<'_>) -> bool {
    let earlier = earlier.iter().rev().take(LOOKED_BACK).filter(|earlier| earlier.path == edit.path);
    let mut earlier = earlier.flat_map(Edit::hunks);
    earlier.any(|earlier| edit.hunks().iter().any(|hunk| mean_same(earlier, hunk, file, terms)))
}

/// Whether two hunks differ in nothing but white space and have the same place in a file. `-a(1)`, `+b` and `-a( 1 )`,
/// `+b` at line 4.
fn mean_same(one: &Hunk, other: &Hunk, file: &[u8], terms: Terms<'_>) -> bool {
    let is_quoted = |hunk: &Hunk| hunk.target == Target::Quoted && hunk.old_lines().next().is_some();
    if !is_quoted(one) || !is_quoted(other) || is_same(one, other) || !says(one).eq(says(other)) {
        return false;
    }
    let terms = Terms { numbers: Numbers::default(), ..terms };
    let index = terms.index(file);
    let lines = |hunk: &Hunk| match patch::look_for(hunk, &index, terms).0 {
        Ok(Located::Placed(placement)) => Some(placement.first_line()..placement.end_line()),
        _ => None,
    };
    lines(one).zip(lines(other)).is_some_and(|(one, other)| one.start < other.end && other.start < one.end)
}

/// What the old and the new lines of a hunk say but for white space.
fn says(hunk: &Hunk) -> impl Iterator<Item = u8> {
    let line = |line: &'_ str| written(line.as_bytes()).chain([b'\n']).collect::<Vec<_>>();
    hunk.old_lines().flat_map(line).chain([b'\n']).chain(hunk.new_lines().flat_map(line))
}

/// What was found for a hunk of a reply that has changed the file. Old lines that are there only because the reply put them there
/// are not done yet, whatever else is like the new ones.
pub(super) fn unless_written(
    hunk: &Hunk,
    original: Option<&[u8]>,
    index: &FileIndex<'_>,
    strictness: Strictness,
    found: (Result<Located, Failure>, Option<Read>),
) -> (Result<Located, Failure>, Option<Read>) {
    let is_doubted = matches!(
        found.0,
        Err(Failure::Applied { .. } | Failure::Ambiguous(_)) | Ok(Located::AlreadyApplied(_))
    );
    let is_written = || original.is_some_and(|original| !stands(hunk, &FileIndex::new(original)));
    if !is_doubted || !is_written() || !stands(hunk, index) {
        return found;
    }
    match locate_undone(hunk, index, strictness) {
        Ok(Located::Placed(placement)) if is_chosen(&placement) => found,
        located => (located, None),
    }
}

/// Whether the line number decided between several places. `@@ -4 +4 @@` above `-}`.
pub(super) fn is_chosen(placement: &Placement) -> bool {
    placement.tie == Some(Tie::LineNumber)
}

/// The first line that an edit names.
fn first_line(edit: &Edit) -> Option<usize> {
    edit.hunks().iter().find_map(|hunk| hunk.line_hint)
}

/// The same SEARCH/REPLACE section once more.
fn is_same_edit(one: &Edit, other: &Edit) -> bool {
    let (hunks, others) = (one.hunks(), other.hunks());
    let mut pairs = hunks.iter().zip(others);
    one.path == other.path && hunks.len() == others.len() && pairs.all(|(one, other)| is_same(one, other))
}

/// Whether two hunks say the same, wherever they are in the reply. `-a`, `+b` twice; not where one of them is below `@@
/// -4 +4 @@`.
pub(super) fn is_same(one: &Hunk, other: &Hunk) -> bool {
    (&one.lines, one.line_hint, &one.scope, one.end, one.target)
        == (&other.lines, other.line_hint, &other.scope, other.end, other.target)
}
