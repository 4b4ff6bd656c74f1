//! Writes whole content over a file that exists, in the file's own manner.
//!
//! Replies are written with `\n` and without a byte order mark. A file that has other line endings, a mark, or no
//! final newline keeps them: lines that stay the same keep their bytes, also those that are no text, and new ones take
//! their neighbour's ending.

use std::borrow::Cow;

use super::explain::Explain;
use super::{EditOutcome, EditStatus, Planner, elide};
use crate::dialect::may_be_title;
use crate::lines::{BOM, Lines, is_binary};
use crate::matcher::{Certificate, Placement, Reindent, Tier};
use crate::merge::merge_certainly;
use crate::splice::splice;
use crate::verify::verify;
use crate::{Diagnostic, Dialect, Edit, Hunk, HunkLine, align};

impl Planner<'_> {
    /// Gives a file whole content, in its own manner and merged with what changed since its author saw it.
    pub(super) fn write(&mut self, edit: &Edit, content: &str) -> Result<EditOutcome, Box<Diagnostic>> {
        let Some(before) = self.state.get(&edit.path) else {
            let explain = Explain { edit, state: &self.state };
            if edit.dialect == Dialect::WholeFile && edit.path.starts_with("path/to/") {
                return Err(Box::new(explain.placeholder()));
            }
            if edit.dialect == Dialect::WholeFile && may_be_title(&edit.path) {
                self.diagnostics.push(explain.doubtful_name());
            }
            self.state.set(&edit.path, Some(content.as_bytes().to_vec()));
            self.written.insert(edit.path.clone());
            return Ok(EditOutcome::new(EditStatus::Applied, "new file"));
        };
        let whole = !self.options.shown.contains_key(&edit.path);
        let (after, words) = match self.state.stale_view(&edit.path).filter(|_| whole) {
            Some(view) => {
                let wanted = write_over(view, content);
                let merged = merge_certainly(view, before, &wanted)
                    .map_err(|conflict| Box::new(Explain { edit, state: &self.state }.conflict(&conflict)))?;
                (merged, "whole file, merged with what changed since")
            }
            None => (write_over(before, content), "whole file"),
        };
        if before == after.as_slice() {
            return Ok(EditOutcome::new(EditStatus::Unchanged, "whole file, already so"));
        }
        if self.written.contains(&edit.path) && edit.dialect != Dialect::Commands {
            return Err(Box::new(Explain { edit, state: &self.state }.other_version()));
        }
        if edit.dialect == Dialect::ApplyPatch {
            self.diagnostics.push(Explain { edit, state: &self.state }.overwrites());
        }
        let is_doubtful = edit.dialect == Dialect::WholeFile && !self.options.allow_shrink;
        if let Some(shorter) = elide::much_shorter(before, &after).filter(|_| is_doubtful) {
            self.diagnostics.push(Explain { edit, state: &self.state }.much_shorter(shorter));
        }
        self.state.set(&edit.path, Some(after));
        self.written.insert(edit.path.clone());
        Ok(EditOutcome::new(EditStatus::Applied, words))
    }
}

/// The bytes of the file once it holds `content`.
pub(crate) fn write_over(before: &[u8], content: &str) -> Vec<u8> {
    let plain = || content.as_bytes().to_vec();
    let lines = Lines::new(before);
    let is_text = std::str::from_utf8(before).is_ok();
    let has_manner = before.starts_with(BOM)
        || lines.lacks_final_newline()
        || (0..lines.len()).any(|line| lines.ending(line) != b"\n")
        || !is_text;
    if !has_manner
        || is_binary(before)
        || content.is_empty()
        || lines.len() == 0
        || before == content.as_bytes()
    {
        return plain();
    }
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    let old: Vec<Cow<'_, str>> = lines.texts().map(String::from_utf8_lossy).collect();
    let old: Vec<&str> = old.iter().map(AsRef::as_ref).collect();
    let new: Vec<&str> =
        content.split_terminator('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let hunk = Hunk::new(align::align(&old, &new), 0);
    let mut next = 0..;
    let map = hunk
        .lines
        .iter()
        .map(|line| if matches!(line, HunkLine::Added(_)) { None } else { next.next() })
        .collect();
    let placement = Placement {
        hunk: 0,
        // What is no text was shown as something that only resembles it.
        tier: if is_text { Tier::Exact } else { Tier::LookAlikes },
        map,
        insert_at: 0,
        reindent: Reindent::Keep,
        candidates: 1,
        tie: None,
    };
    let certificate = Certificate { file: Certificate::fingerprint(before), placements: vec![placement] };
    let hunks = [hunk];
    let after = splice(&lines, &hunks, &certificate.placements).ok();
    let after = after.map(|after| after.bytes(before));
    after.filter(|after| verify(before, &hunks, &certificate, after).is_ok()).unwrap_or_else(plain)
}

#[cfg(test)]
mod tests {
    use super::write_over;

    #[track_caller]
    fn check(before: &str, content: &str, expected: &str) {
        assert_eq!(String::from_utf8(write_over(before.as_bytes(), content)).expect("text"), expected);
    }

    #[test]
    fn the_manner_of_a_file_survives() {
        check("a\nb\n", "a\nc\n", "a\nc\n");
        check("a\r\nb\r\n", "a\nc\nd\n", "a\r\nc\r\nd\r\n");
        check("\u{feff}a\n", "b\n", "\u{feff}b\n");
        check("a\r\nb\nc\r\n", "a\nb\nx\nc\n", "a\r\nb\nx\nc\r\n");
        check("a\nb", "a\nc\n", "a\nc");
        check("", "a\n", "a\n");
        check("a\r\n", "", "");
        check("a\r\nb\r\n", "\n", "\r\n");
        check("a\r\nb", "\n", "\r\n");
        check("\u{feff}a\r\nb", "\n", "\u{feff}\r\n");
    }

    #[test]
    fn what_is_no_text_survives() {
        let before = b"caf\xe9\nb\nc\n";
        assert_eq!(write_over(before, "caf\u{fffd}\nx\nc\n"), b"caf\xe9\nx\nc\n");
        assert_eq!(write_over(before, "b\ncaf\u{fffd}\nc\n"), b"b\ncaf\xe9\nc\n");
        assert_eq!(write_over(b"\xff\r\nb\r\n", "\u{fffd}\nc\n"), b"\xff\r\nc\r\n");
    }
}
