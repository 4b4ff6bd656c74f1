//! What is asked of the text of an edit before anything is looked for in the file.
//!
//! Here text is refused that its author cannot have meant as it is written, and freed of what was copied along with it. Nothing
//! is placed here.

use std::borrow::Cow;

use super::explain::Explain;
use super::patchable::has_too_many_lines;
use super::{EditOutcome, Planner, SEARCH_LIMIT_BYTES, again, anchored, copied, elide, presumed};
use crate::dialect::is_plain_name;
use crate::encoding::text_of;
use crate::{Diagnostic, Dialect, Edit, Hunk};

impl Planner<'_> {
    /// Writes whole content.
    pub(super) fn try_write(&mut self, edit: &Edit, content: &str) -> Result<EditOutcome, Diagnostic> {
        let explain = Explain { edit, files: &self.files };
        let before = self.files.get(&edit.path);
        if before.is_some_and(has_too_many_lines) {
            return Err(explain.too_many_lines());
        }
        let plain = anchored::plain_content(content, &self.versions(&edit.path));
        let (content, anchors) = plain.map_err(|text| explain.anchored(&text, edit.line))?;
        let content = copied::plain(before, &content).map_err(|loss| explain.loss(&loss, edit.line))?;
        if let Some(loss) = elide::check_write(&edit.path, before, &content, self.options.allow_shrink) {
            return Err(explain.loss(&loss, edit.line));
        }
        self.diagnostics.extend((anchors > 0).then(|| explain.without_anchors(anchors)));
        self.write(edit, &content).map_err(|finding| *finding)
    }

    /// The hunks of an edit as they are meant.
    pub(super) fn checked<'h>(
        &mut self,
        edit: &Edit,
        hunks: &'h [Hunk],
        earlier: &[Edit],
    ) -> Result<Cow<'h, [Hunk]>, Diagnostic> {
        let explain = Explain { edit, files: &self.files };
        if self.is_misnamed(edit, hunks) {
            return Err(explain.misnamed());
        }
        let before = || self.files.get(&edit.path).unwrap_or_default();
        if let Some((loss, line)) = elide::check_hunks(&edit.path, before, hunks) {
            return Err(explain.loss(&loss, line));
        }
        if let Some(original) = self.original(&edit.path)
            && again::is_alike(edit, earlier, original, self.terms(edit, false))
        {
            return Err(explain.written_twice());
        }
        for hunk in hunks.iter().filter(|hunk| hunk.presumed) {
            let presumed = presumed::judge(edit, hunk, &self.files);
            self.diagnostics.push(presumed.map_err(|finding| *finding)?);
        }
        if self.searched_bytes > SEARCH_LIMIT_BYTES {
            return Err(explain.too_much_to_search());
        }
        if !anchored::may_be_in(hunks) {
            return Ok(Cow::Borrowed(hunks));
        }
        let line = hunks.first().map_or(edit.line, |hunk| hunk.line);
        let plain = anchored::plain_hunks(hunks, &self.versions(&edit.path));
        let (hunks, anchors) = plain.map_err(|text| explain.anchored(&text, line))?;
        self.diagnostics.extend((anchors > 0).then(|| explain.without_anchors(anchors)));
        Ok(hunks)
    }

    /// Whether a section makes a new file of a name that has more in it than a path: `§notes.txt and more`.
    fn is_misnamed(&self, edit: &Edit, hunks: &[Hunk]) -> bool {
        edit.dialect == Dialect::Hashline
            && self.files.get(&edit.path).is_none()
            && !is_plain_name(&edit.path)
            && !hunks.iter().any(|hunk| hunk.named)
    }

    /// What a file holds, and what the author saw of it.
    fn versions(&self, path: &str) -> Vec<Cow<'_, [u8]>> {
        let view = self.options.views.get(path).map(|view| text_of(view));
        self.files.get(path).map(Cow::Borrowed).into_iter().chain(view).collect()
    }
}
