//! Many edits of one file that follow each other, in one go.
//!
//! Each of them would be looked for in the file as those before it leave it, and a file of many lines would be prepared
//! for searching as often. That is not needed where no edit can see what the others did, nor where they do nothing.
//! The result is always that of applying them one by one; nothing is applied here that would not be applied then.

use super::patchable::{self, has_too_many_lines};
use super::{EditOutcome, EditStatus, Planner, anchored, elide, patch, targets};
use crate::{Base, Edit, Hunk, Operation};

/// Of edits that could not be applied together, this part is applied one by one before the others are tried together.
const TOGETHER_AGAIN: usize = 16;

impl Planner<'_> {
    /// Applies many edits of one file that follow each other in one go, where that makes no difference. Two hundred
    /// sections of `a.ts`.
    pub(super) fn apply_together<'e>(&mut self, edits: &'e [Edit]) -> Option<Vec<EditOutcome>> {
        if self.one_by_one > 0 {
            self.one_by_one -= 1;
            return None;
        }
        let first = edits.first()?;
        let hunks_of = |edit: &'e Edit| match &edit.operation {
            Operation::Patch { hunks, base: Base::Sequential }
                if (&edit.path, edit.dialect) == (&first.path, first.dialect)
                    && !targets::any(hunks)
                    && !hunks.iter().any(|hunk| hunk.presumed) =>
            {
                Some(hunks.as_slice())
            }
            _ => None,
        };
        // Looking at a few is enough to know that it does not pay.
        if edits.iter().take(patch::BATCH).filter_map(hunks_of).count() < patch::BATCH
            || self.is_out_of_context(first)
            || self.files.has_view(&first.path)
            || self.levels.contains_key(&first.path)
        {
            return None;
        }
        let run: Vec<&[Hunk]> = edits.iter().map_while(hunks_of).collect();
        // What is tried in vain costs as much as what succeeds, so it is not tried for each of very many edits.
        self.one_by_one = run.len() / TOGETHER_AGAIN;
        let before = self.files.get(&first.path)?;
        let doubtful = edits.iter().zip(&run).any(|(edit, hunks)| {
            self.terms(edit, false).literal_anchor
                || patchable::why_not(edit, Some(before), self.options.allow_generated).is_some()
                || elide::check_hunks(&edit.path, || before, hunks).is_some()
                || anchored::may_be_in(hunks)
        });
        if doubtful || has_too_many_lines(before) {
            return None;
        }
        let hunks = run.concat();
        let Some((mut patched, placements)) =
            patch::batch(before, &hunks, self.options.strictness, &self.work)
        else {
            return self.already_applied(first, &run, &hunks);
        };
        let mut placements = placements.iter();
        let mut outcomes: Vec<EditOutcome> = run
            .iter()
            .map(|hunks| {
                EditOutcome::new(
                    EditStatus::Applied,
                    patch::words(hunks, placements.by_ref().take(hunks.len())),
                )
            })
            .collect();
        // Edits that were placed together were verified together; the last one carries the certificate.
        outcomes.last_mut()?.certificates = std::mem::take(&mut patched.certificates);
        if let Some(after) = patched.after {
            self.files.set_patched(&first.path, after, None);
        }
        self.one_by_one = 0;
        Some(outcomes)
    }

    /// What becomes of those of the first edits of a run that are applied already. The same reply again.
    fn already_applied(&self, first: &Edit, run: &[&[Hunk]], hunks: &[Hunk]) -> Option<Vec<EditOutcome>> {
        // What the edits before wrote proves nothing, so that those after them are looked at one by one.
        if self.files.is_touched(&first.path) {
            return None;
        }
        let file = self.files.get(&first.path)?;
        let (done, certificate) = patch::already_applied(file, hunks, self.terms(first, false)).ok()?;
        let mut applied = done;
        let whole = run.iter().map_while(|hunks| {
            applied = applied.checked_sub(hunks.len())?;
            Some(EditOutcome::new(EditStatus::Unchanged, patch::ALREADY))
        });
        let mut outcomes: Vec<EditOutcome> = whole.collect();
        // Of an edit that is not applied as a whole nothing is certified here.
        let certified: usize = run.iter().take(outcomes.len()).map(|hunks| hunks.len()).sum();
        let certificate = certificate.map(|certificate| certificate.of_first(certified));
        outcomes.last_mut()?.certificates.extend(certificate);
        Some(outcomes)
    }
}
