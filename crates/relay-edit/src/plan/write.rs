//! Writes whole content over a file that exists, with the file's own line endings.
//!
//! Replies are written with `\n` and without a byte order mark. A file that has other line endings, a mark, or no
//! final newline keeps them: lines that stay the same keep their bytes, also those that are no text, and new ones take
//! their neighbour's ending.

use std::borrow::Cow;
use std::collections::HashMap;

use memchr::memmem;

use super::{EditOutcome, EditStatus, Planner, whole};
use crate::align::{self, Difference};
use crate::dialect::{comment_text, commented_path, may_be_title};
use crate::lines::{BOM, Lines, is_binary};
use crate::merge::merge_certainly;
use crate::{Diagnostic, Dialect, Edit};

/// What bytes that are not text are shown as.
const REPLACED: &[u8] = "\u{fffd}".as_bytes();

impl Planner<'_> {
    /// Gives a file whole content, with the line endings it had, and merged with what changed since its author saw it.
    pub(super) fn write(&mut self, edit: &Edit, content: &str) -> Result<EditOutcome, Box<Diagnostic>> {
        let content = &*without_path_comment(edit, self.files.get(&edit.path), content);
        let Some(before) = self.files.get(&edit.path) else {
            let explain = self.explain(edit);
            if edit.dialect == Dialect::Announced {
                return Err(Box::new(explain.missing_whole()));
            }
            if edit.dialect == Dialect::WholeFile && edit.path.starts_with("path/to/") {
                return Err(Box::new(explain.placeholder()));
            }
            if edit.dialect == Dialect::WholeFile && may_be_title(&edit.path) {
                self.diagnostics.push(explain.doubtful_name());
            }
            self.files.set(&edit.path, Some(content.as_bytes().to_vec()));
            self.written.insert(edit.path.clone());
            return Ok(EditOutcome::new(EditStatus::Applied, "new file"));
        };
        let whole = !self.options.shown.contains_key(&edit.path);
        let (after, words) = match self.files.stale_view(&edit.path).filter(|_| whole) {
            Some(view) => {
                let wanted = write_over(view, content);
                let merged = merge_certainly(view, before, &wanted)
                    .map_err(|conflict| Box::new(self.explain(edit).conflict(&conflict)))?;
                (merged, "whole file, merged with what changed since")
            }
            None if edit.dialect == Dialect::ToolCall => {
                (ending_like(content, write_over(before, content)), "whole file")
            }
            None => (write_over(before, content), "whole file"),
        };
        if before == after.as_slice() {
            return Ok(EditOutcome::new(EditStatus::Unchanged, "whole file, already so"));
        }
        if self.written.contains(&edit.path) && edit.dialect != Dialect::Commands {
            return Err(Box::new(self.explain(edit).other_version()));
        }
        if edit.dialect == Dialect::ApplyPatch {
            self.diagnostics.push(self.explain(edit).overwrites());
        }
        let seen = self.options.views.get(&edit.path).map_or(before, Vec::as_slice);
        if !self.options.allow_shrink
            && let Some(partial) = whole::doubt(seen, content)
        {
            return Err(Box::new(self.explain(edit).partial(&partial)));
        }
        self.files.set(&edit.path, Some(after));
        self.written.insert(edit.path.clone());
        Ok(EditOutcome::new(EditStatus::Applied, words))
    }
}

/// Content without the comment in its first line that names the file, where the file has no such line.
fn without_path_comment<'c>(edit: &Edit, before: Option<&[u8]>, content: &'c str) -> Cow<'c, str> {
    let Some((first, rest)) = content.split_once('\n').filter(|_| edit.dialect.is_whole_file()) else {
        return content.into();
    };
    let names = comment_text(first).and_then(commented_path);
    let is_name = names.is_some_and(|path| path == edit.path || edit.path.ends_with(&format!("/{path}")));
    let has_line = before.is_some_and(|before| {
        let mut lines = before.split(|byte| *byte == b'\n');
        lines.next().is_some_and(|line| line.trim_ascii() == first.trim().as_bytes())
    });
    if is_name && !has_line { rest.strip_prefix('\n').unwrap_or(rest).into() } else { content.into() }
}

/// The bytes with or without a last newline, as `content` has it: the arguments of a call say that exactly, while a block of a
/// reply cannot.
fn ending_like(content: &str, mut bytes: Vec<u8>) -> Vec<u8> {
    let ending = if bytes.windows(2).any(|pair| pair == b"\r\n") { &b"\r\n"[..] } else { b"\n" };
    match (content.ends_with('\n'), bytes.ends_with(b"\n")) {
        (true, false) if !bytes.is_empty() => bytes.extend_from_slice(ending),
        (false, true) => {
            let length = bytes.strip_suffix(ending).unwrap_or(&bytes).len();
            bytes.truncate(length);
        }
        _ => {}
    }
    bytes
}

/// The bytes of the file once it holds `content`.
pub(crate) fn write_over(before: &[u8], content: &str) -> Vec<u8> {
    let plain = || content.as_bytes().to_vec();
    let lines = Lines::new(before);
    let is_text = std::str::from_utf8(before).is_ok();
    let is_special = before.starts_with(BOM)
        || lines.lacks_final_newline()
        || (0..lines.len()).any(|line| lines.ending(line) != b"\n")
        || !is_text;
    if !is_special
        || is_binary(before)
        || content.is_empty()
        || lines.len() == 0
        || before == content.as_bytes()
    {
        return plain();
    }
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    let new: Vec<&[u8]> = content
        .split_terminator('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line).as_bytes())
        .collect();
    // What is no text was shown as something that only resembles it.
    let shown: Vec<Cow<'_, str>> =
        if is_text { Vec::new() } else { lines.texts().map(String::from_utf8_lossy).collect() };
    let old: Vec<&[u8]> =
        if is_text { lines.texts().collect() } else { shown.iter().map(|line| line.as_bytes()).collect() };
    let after = with_endings(&lines, &old, &new);
    if says(&after, &new, is_text) { after } else { plain() }
}

/// The file with its differing lines exchanged. Only the stretches that differ are kept besides the texts themselves: a
/// small reply may replace a file of millions of lines.
fn with_endings(lines: &Lines<'_>, old: &[&[u8]], new: &[&[u8]]) -> Vec<u8> {
    let before = lines.bytes();
    let differences = align::differences(old, new);
    let moved = moved(lines, old, new, &differences);
    let mut after = Vec::with_capacity(before.len().min(new.iter().map(|line| line.len() + 2).sum()));
    let mut kept = 0;
    for Difference { before: removed, after: added } in &differences {
        after.extend_from_slice(before.get(kept..lines.offset(removed.start)).unwrap_or_default());
        kept = lines.offset(removed.end);
        let ending = lines.ending_near(removed.end);
        let added = new.get(added.clone()).unwrap_or_default();
        let is_at_end = removed.end == lines.len() && lines.lacks_final_newline();
        // After a last line that has no ending, the new line would otherwise continue it.
        if is_at_end && removed.is_empty() && !added.is_empty() && !after.is_empty() {
            after.extend_from_slice(ending);
        }
        for (at, text) in added.iter().enumerate() {
            after.extend_from_slice(moved.get(text).copied().flatten().unwrap_or(text));
            // The final newline stays as it was. A blank last line is nothing but its ending.
            if !(is_at_end && at + 1 == added.len() && !text.is_empty()) {
                after.extend_from_slice(ending);
            }
        }
    }
    after.extend_from_slice(before.get(kept..).unwrap_or_default());
    after
}

/// Lines that are no text and only move: their bytes by what the author saw of them. `None` where two of them look alike
/// and are not, or where more come than go.
fn moved<'l>(
    lines: &Lines<'l>,
    old: &[&'l [u8]],
    new: &[&'l [u8]],
    differences: &[Difference],
) -> HashMap<&'l [u8], Option<&'l [u8]>> {
    let mut moved: HashMap<&[u8], (Option<&[u8]>, usize)> = HashMap::new();
    for line in differences.iter().flat_map(|difference| difference.before.clone()) {
        let (bytes, Some(text)) = (lines.text(line), old.get(line)) else { continue };
        if memmem::find(text, REPLACED).is_some() {
            let (known, count) = moved.entry(text).or_insert((Some(bytes), 0));
            *known = known.filter(|known| *known == bytes);
            *count += 1;
        }
    }
    if !moved.is_empty() {
        let added = differences.iter().filter_map(|difference| new.get(difference.after.clone()));
        for text in added.flatten() {
            if let Some((known, count)) = moved.get_mut(text) {
                *known = known.filter(|_| *count > 0);
                *count = count.saturating_sub(1);
            }
        }
    }
    moved.into_iter().map(|(text, (bytes, _))| (text, bytes)).collect()
}

/// Whether a file says what it is to say, whatever its line endings. `a\r\n` says `a`.
fn says(after: &[u8], wanted: &[&[u8]], is_text: bool) -> bool {
    let lines = Lines::new(after);
    if is_text {
        return lines.texts().eq(wanted.iter().copied());
    }
    let shown = lines.texts().map(String::from_utf8_lossy);
    lines.len() == wanted.len() && shown.zip(wanted).all(|(line, wanted)| line.as_bytes() == *wanted)
}

#[cfg(test)]
mod tests {
    use super::write_over;

    #[track_caller]
    fn check(before: &str, content: &str, expected: &str) {
        assert_eq!(String::from_utf8(write_over(before.as_bytes(), content)).expect("text"), expected);
    }

    #[test]
    fn line_endings_survive() {
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
