//! Line numbers of edits that come after others of the same file.
//!
//! Some authors count the lines of the file as it was before the reply, others as the edits before leave it, and where those
//! were applied already the file is not what the author saw at all. A number chooses between places that are equally good,
//! so it must choose the same one however it was counted; where it does not, nobody can say which one is meant.

use crate::Hunk;
use crate::align::differences;
use crate::lines::Lines;
use crate::matcher::{Failure, FileIndex, Located, Placement, Strictness, Tier, locate_all};

/// What the edits before did to a file.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Numbers<'w> {
    /// The file before them, where they changed it.
    pub origin: Option<&'w [u8]>,
    /// By how many lines those that were applied already made it longer.
    pub grown: isize,
}

impl Numbers<'_> {
    /// Places all hunks of a diff, each of them where its number says in both readings.
    pub fn locate_all(
        &self,
        hunks: &[Hunk],
        index: &FileIndex<'_>,
        strictness: Strictness,
    ) -> Vec<Result<Located, Failure>> {
        let as_written = locate_all(hunks, index, strictness);
        let is_certain = |located: &Result<Located, Failure>| self.is_certain(located);
        if as_written.iter().all(is_certain) {
            return as_written;
        }
        let Some(others) = self.counted_otherwise(hunks, index) else { return as_written };
        let others = locate_all(&others, index, strictness);
        as_written.into_iter().zip(others).map(|(one, other)| agreed(one, other)).collect()
    }

    /// Places one hunk where its number says in both readings; `look` says where that is in one of them, and how it was read.
    pub fn look_for<R>(
        &self,
        hunk: &Hunk,
        index: &FileIndex<'_>,
        look: impl Fn(&Hunk) -> (Result<Located, Failure>, R),
    ) -> (Result<Located, Failure>, R) {
        let (located, read) = look(hunk);
        if self.is_certain(&located) {
            return (located, read);
        }
        let otherwise =
            self.counted_otherwise(std::slice::from_ref(hunk), index).and_then(|mut one| one.pop());
        let Some((other, other_read)) = otherwise.as_ref().map(look) else { return (located, read) };
        let read = if located.is_ok() { read } else { other_read };
        (agreed(located, other), read)
    }

    /// By how many lines the edits before may have moved lines of the file as it is now.
    pub fn moved(&self, now: &Lines<'_>) -> usize {
        let before = Lines::new(self.origin.unwrap_or_default());
        let [before, now] = [&before, now].map(|lines| lines.texts().collect::<Vec<_>>());
        let changed = if self.origin.is_some() { differences(&before, &now) } else { Vec::new() };
        let moved: usize = changed.iter().map(|part| part.before.len().max(part.after.len())).sum();
        moved + self.grown.unsigned_abs()
    }

    /// Whether the number of a hunk had nothing to decide. `@@ -4 +4 @@` above a line that is in the file once.
    fn is_certain(&self, located: &Result<Located, Failure>) -> bool {
        let only = |placement: &Placement| {
            placement.tie.is_none() && placement.candidates == 1 && placement.tier <= Tier::TrailingWhitespace
        };
        let is_only = || matches!(located, Ok(Located::Placed(placement)) if only(placement));
        self.grown == 0 && (self.origin.is_none() || is_only())
    }

    /// The hunks with the numbers that their lines have now, if the author counted those of the file before all edits; `None`
    /// when these are the same.
    fn counted_otherwise(&self, hunks: &[Hunk], index: &FileIndex<'_>) -> Option<Vec<Hunk>> {
        hunks.iter().find(|hunk| hunk.line_hint.is_some())?;
        let origin = self.origin.unwrap_or_else(|| index.lines.bytes());
        index.spend(index.lines.len())?;
        let before = Lines::new(origin);
        let [before, now] = [&before, &index.lines].map(|lines| lines.texts().collect::<Vec<_>>());
        let changed = if self.origin.is_some() { differences(&before, &now) } else { Vec::new() };
        let moved = |line: usize| {
            let line = line.checked_add_signed(self.grown)?.checked_sub(1)?;
            let above = changed.iter().take_while(|part| part.before.end <= line);
            let (gone, come) =
                above.fold((0, 0), |(gone, come), part| (gone + part.before.len(), come + part.after.len()));
            (line + come).checked_sub(gone).map(|line| line + 1)
        };
        let hunk = |hunk: &Hunk| Hunk { line_hint: hunk.line_hint.and_then(moved), ..hunk.clone() };
        let others: Vec<Hunk> = hunks.iter().map(hunk).collect();
        let differs = |(one, other): (&Hunk, &Hunk)| one.line_hint != other.line_hint;
        hunks.iter().zip(&others).any(differs).then_some(others)
    }
}

/// What two readings of a hunk's number have in common.
fn agreed(one: Result<Located, Failure>, other: Result<Located, Failure>) -> Result<Located, Failure> {
    // The number says nothing in this reading.
    let is_open = |failure: &Failure| {
        matches!(failure, Failure::Ambiguous(_) | Failure::NoIdentity(_) | Failure::Applied { .. })
    };
    match (one, other) {
        (Ok(one), Ok(other)) => disagreement(&one, &other).map_or(Ok(one), Err),
        (Ok(located), Err(failure)) | (Err(failure), Ok(located)) if is_open(&failure) => Ok(located),
        (Err(failure), _) | (_, Err(failure)) => Err(failure),
    }
}

/// Line 4 counted before the edit above, which is line 6 now, and another place in line 4.
fn disagreement(one: &Located, other: &Located) -> Option<Failure> {
    match (one, other) {
        (Located::AlreadyApplied(_), Located::AlreadyApplied(_)) => None,
        (Located::Placed(one), Located::Placed(other)) => {
            let lines = |place: &Placement| {
                let last = place.map.iter().flatten().max().map_or(place.first_line(), |line| line + 1);
                place.first_line()..last
            };
            let mut places = vec![lines(one), lines(other)];
            places.sort_unstable_by_key(|place| place.start);
            (one.map != other.map).then_some(Failure::Ambiguous(places))
        }
        (Located::Placed(placement), Located::AlreadyApplied(done))
        | (Located::AlreadyApplied(done), Located::Placed(placement)) => {
            Some(Failure::Applied { found: placement.first_line(), done: *done })
        }
    }
}

/// By how many lines hunks make a file longer.
pub(crate) fn growth(hunks: &[Hunk]) -> isize {
    let lines = |hunk: &Hunk| hunk.new_lines().count().cast_signed() - hunk.old_lines().count().cast_signed();
    hunks.iter().map(lines).sum()
}
