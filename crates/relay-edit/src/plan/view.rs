//! Edits of files of which it is known what the author saw.
//!
//! They are resolved against that, where the numbers and the quoted lines are right, and then merged onto the file as it
//! is now. A view vouches only for the lines that were shown, and only while they are still there.

use std::borrow::Cow;

use super::numbers::Numbers;
use super::patchable::has_too_many_lines;
use super::targets::TargetFailure;
use super::{Planner, patch, targets};
use crate::align::differences;
use crate::content::Content;
use crate::edit::{Anchor, Target};
use crate::encoding::text_of;
use crate::lines::Lines;
use crate::merge::merge_certainly;
use crate::{Base, Diagnostic, Dialect, Edit, Hunk};

impl Planner<'_> {
    /// Patches what the author saw, where that is known and differs, and merges it onto what is there. There is no new
    /// content where it is the same as the `current` one.
    pub(super) fn patch_view(
        &self,
        edit: &Edit,
        hunks: &[Hunk],
        base: Base,
        current: Option<&[u8]>,
    ) -> Result<patch::Patched, Vec<Diagnostic>> {
        if current.is_some_and(has_too_many_lines) {
            return Err(vec![self.explain(edit).too_many_lines()]);
        }
        let mut patched = self.patch_and_merge(edit, hunks, base, current)?;
        patched.after = patched.after.filter(|after| !current.is_some_and(|current| after.is_same(current)));
        Ok(patched)
    }

    fn patch_and_merge(
        &self,
        edit: &Edit,
        hunks: &[Hunk],
        base: Base,
        current: Option<&[u8]>,
    ) -> Result<patch::Patched, Vec<Diagnostic>> {
        let explain = self.explain(edit);
        let is_shown_now = targets::any(hunks) && hunks.iter().any(|hunk| hunk.shown_now);
        if let Some((original, current)) =
            self.files.original(&edit.path).zip(current).filter(|_| is_shown_now)
        {
            return self.patch_as_it_is(edit, hunks, original, current);
        }
        if let Some((view, current)) = self.anchored_to(edit).zip(current) {
            let seen = self.options.views.contains_key(&edit.path) && self.is_shown(&edit.path, hunks);
            return self.patch_behind(edit, hunks, &view, current, seen);
        }
        let seen = self.files.has_view(&edit.path) && self.vouches(&edit.path, hunks);
        let terms = self.terms(edit, seen);
        let grown = self.grown.get(&edit.path).copied().unwrap_or_default();
        let counted = |origin| patch::Terms { numbers: Numbers { origin, grown }, ..terms };
        let apply =
            |file: Option<&[u8]>| patch::patch(file, hunks, base, counted(self.files.origin(&edit.path)));
        let findings = |failures: Vec<patch::PatchFailure>| explain.patch_failures(&failures);
        let is_stale =
            |view: &&[u8]| seen && !current.is_some_and(|current| have_same_anchors(view, current));
        let stale = self.files.stale_view(&edit.path).filter(is_stale);
        let Some((view, current)) = stale.zip(current) else { return apply(current).map_err(findings) };
        let shown = self.options.views.get(&edit.path).map(|view| text_of(view));
        let shown = shown.as_deref().filter(|_| self.files.is_touched(&edit.path));
        let mut patched = match patch::patch(Some(view), hunks, base, counted(shown)) {
            Ok(patched) => patched,
            // What does not fit what was seen may still fit what is there, if it quotes its lines.
            Err(failures) if targets::any(hunks) => return self.misfits(edit, hunks, failures),
            Err(_) => return apply(Some(current)).map_err(findings),
        };
        let gone = gone(view, current, hunks);
        if !gone.is_empty() {
            return Err(findings(gone));
        }
        let Some(after) = patched.after.take() else { return Ok(patched) };
        let after = after.into_bytes(view);
        let merged =
            merge_certainly(view, current, &after).map_err(|conflicts| explain.conflicts(&conflicts))?;
        patched.after = Some(Content::Whole(merged));
        patched.view_after = Some(after);
        patched.words.push_str(", merged with what changed since");
        Ok(patched)
    }

    /// What the anchors of an edit mean when edits before it changed its file: all of a reply's mean what was read.
    fn anchored_to(&self, edit: &Edit) -> Option<Cow<'_, [u8]>> {
        if edit.dialect != Dialect::Hashline || !self.files.is_touched(&edit.path) {
            return None;
        }
        let view = self.options.views.get(&edit.path).map(|view| text_of(view));
        view.or_else(|| self.files.original(&edit.path).map(Cow::Borrowed))
    }

    /// Patches what was read, and merges it onto what the edits before have made of it.
    fn patch_behind(
        &self,
        edit: &Edit,
        hunks: &[Hunk],
        view: &[u8],
        current: &[u8],
        seen: bool,
    ) -> Result<patch::Patched, Vec<Diagnostic>> {
        match patch::patch(Some(view), hunks, Base::Original, self.terms(edit, seen)) {
            Ok(patched) => self.merge_behind(edit, hunks, view, current, patched),
            Err(failures) => self.misfits(edit, hunks, failures),
        }
    }

    /// Merges what was made of a version of the file onto what the edits before have made of it.
    fn merge_behind(
        &self,
        edit: &Edit,
        hunks: &[Hunk],
        version: &[u8],
        current: &[u8],
        mut patched: patch::Patched,
    ) -> Result<patch::Patched, Vec<Diagnostic>> {
        let explain = self.explain(edit);
        let gone = gone(version, current, hunks);
        if !gone.is_empty() {
            return Err(explain.patch_failures(&gone));
        }
        let Some(after) = patched.after.take() else { return Ok(patched) };
        let merged = merge_certainly(version, current, &after.into_bytes(version))
            .map_err(|conflicts| explain.conflicts(&conflicts))?;
        patched.after = Some(Content::Whole(merged));
        patched.words.push_str(", merged with the edits before it");
        Ok(patched)
    }

    /// Patches the file as it was before the reply, for an author who was shown that.
    fn patch_as_it_is(
        &self,
        edit: &Edit,
        hunks: &[Hunk],
        original: &[u8],
        current: &[u8],
    ) -> Result<patch::Patched, Vec<Diagnostic>> {
        let patched = patch::patch(Some(original), hunks, Base::Original, self.terms(edit, false))
            .map_err(|failures| self.explain(edit).patch_failures(&failures))?;
        match self.files.is_touched(&edit.path) {
            true => self.merge_behind(edit, hunks, original, current, patched),
            false => Ok(patched),
        }
    }

    /// Why hunks do not fit what was read; who names lines anew is shown those of now.
    fn misfits(
        &self,
        edit: &Edit,
        hunks: &[Hunk],
        failures: Vec<patch::PatchFailure>,
    ) -> Result<patch::Patched, Vec<Diagnostic>> {
        let now = self.files.original(&edit.path);
        let now =
            now.and_then(|now| patch::patch(Some(now), hunks, Base::Original, self.terms(edit, false)).err());
        Err(self.explain(edit).patch_failures(&now.unwrap_or(failures)))
    }

    /// Whether the author was shown every line the hunks name by number. Once a file was edited, the numbers of what was
    /// shown of it mean other lines; where all of it was shown, it is known which. `[EDIT_FILE lines="3-7"]`, where
    /// lines 1 to 40 were shown.
    fn vouches(&self, path: &str, hunks: &[Hunk]) -> bool {
        match self.options.shown.contains_key(path) {
            true => self.is_shown(path, hunks) && !(targets::any(hunks) && self.files.is_touched(path)),
            false => !self.are_moved(path, hunks),
        }
    }

    /// Whether the author was shown every line of a file that the hunks name by number. Lines 3 to 7, where 1 to 5 and
    /// 6 to 9 were shown.
    fn is_shown(&self, path: &str, hunks: &[Hunk]) -> bool {
        let Some(shown) = self.options.shown.get(path) else { return true };
        let shown_with = |line: usize| shown.iter().find(|(first, last)| (*first..=*last).contains(&line));
        let is_shown = |line: usize| shown_with(line).is_some();
        let are_shown = |first: usize, last: usize| {
            let ends = std::iter::successors(shown_with(first), |(_, end)| shown_with(end.saturating_add(1)));
            ends.take(shown.len()).any(|(_, end)| *end >= last)
        };
        let vouched = |hunk: &Hunk| match hunk.target {
            Target::Quoted => true,
            Target::Start | Target::End => false,
            Target::Before(Anchor { line, .. }) | Target::After(Anchor { line, .. }) => is_shown(line),
            Target::Lines { first, last } => are_shown(first.line, last.line),
        };
        hunks.iter().all(vouched)
    }

    /// Whether the lines that hunks name by nothing but their number have another one since the edits before: nobody can
    /// say then whether the author counted with these edits or without them. `lines="30-32"` after an edit that has put
    /// a line in above, where all of the file had been shown.
    fn are_moved(&self, path: &str, hunks: &[Hunk]) -> bool {
        let bare = |anchor: &Anchor| anchor.hash.is_none();
        let ends = hunks.iter().flat_map(|hunk| match hunk.target {
            Target::Lines { first, last } => vec![first, last],
            Target::Before(anchor) | Target::After(anchor) => vec![anchor],
            Target::Quoted | Target::Start | Target::End => Vec::new(),
        });
        let numbers: Vec<usize> = ends.filter(bare).map(|anchor| anchor.line).collect();
        let shown = self.options.views.get(path).map(|view| text_of(view));
        let now = self.files.view(path);
        let Some((shown, now)) =
            shown.zip(now).filter(|_| !numbers.is_empty() && self.files.is_touched(path))
        else {
            return false;
        };
        let (shown, now) = (Lines::new(&shown), Lines::new(now));
        let (shown, now): (Vec<&[u8]>, Vec<&[u8]>) = (shown.texts().collect(), now.texts().collect());
        let changed = differences(&shown, &now);
        numbers.iter().any(|number| {
            let above = changed.iter().take_while(|part| part.before.start < *number);
            let (gone, come) =
                above.fold((0, 0), |(gone, come), part| (gone + part.before.len(), come + part.after.len()));
            gone != come
        })
    }
}

/// Whether two texts have the same lines but for white space at their ends, so that every anchor means the same in both.
/// `a` and `a  `.
fn have_same_anchors(view: &[u8], current: &[u8]) -> bool {
    let (view, current) = (Lines::new(view), Lines::new(current));
    let mut pairs = view.texts().zip(current.texts());
    view.len() == current.len() && pairs.all(|(seen, now)| seen.trim_ascii_end() == now.trim_ascii_end())
}

/// The hunks that put lines next to one that was seen and is no longer there: nothing says where they belong now.
fn gone(view: &[u8], current: &[u8], hunks: &[Hunk]) -> Vec<patch::PatchFailure> {
    let anchors = hunks.iter().enumerate().filter_map(|(at, hunk)| match hunk.target {
        Target::Before(anchor) | Target::After(anchor) => Some((at, anchor.line)),
        _ => None,
    });
    let anchors: Vec<(usize, usize)> = anchors.collect();
    if anchors.is_empty() {
        return Vec::new();
    }
    let (view, current) = (Lines::new(view), Lines::new(current));
    let (seen, now): (Vec<&[u8]>, Vec<&[u8]>) = (view.texts().collect(), current.texts().collect());
    let changed = differences(&seen, &now);
    let is_gone = |line: usize| {
        let at = changed.partition_point(|part| part.before.end < line);
        changed.get(at).is_some_and(|part| part.before.contains(&line.saturating_sub(1)))
    };
    let failure = |(hunk, line)| patch::PatchFailure::Target { hunk, failure: TargetFailure::Gone { line } };
    anchors.into_iter().filter(|(_, line)| is_gone(*line)).map(failure).collect()
}
