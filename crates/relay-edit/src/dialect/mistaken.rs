//! Text that is about to be written as a file although it is an edit that nobody could read.
//!
//! A lost marker must not turn the rest of a section into the content of a file. What says in its header that it replaces
//! the file is never asked about.

use std::borrow::Cow;

use super::fence::fence_line;
use super::marker::{LEAST, Marker, marker};
use super::{apply_patch, edit_repl, unified};
use crate::{Diagnostic, codes};

/// What a text looks like, when it does not look like a file.
pub(crate) fn finding<'t>(
    path: &str,
    lines: impl Iterator<Item = &'t str> + Clone,
    line: usize,
) -> Option<Diagnostic> {
    let (what, hint) = what(path, lines)?;
    let finding = Diagnostic::error(
        codes::BAD_MARKERS,
        format!("this looks like {what} that is not written as one, and not like a file"),
    );
    Some(
        finding
            .hinted(format!(
                "{hint}; to write these lines into the file, head the block with `// {{path}} replace`"
            ))
            .at(line),
    )
}

/// Whether a file may show edits, in fences of its own.
pub(crate) fn is_document(path: &str) -> bool {
    [".md", ".mdx", ".markdown", ".rst", ".adoc"].iter().any(|end| path.ends_with(end))
}

/// The edit that a text seems to hold, and how to write such a one.
pub(crate) fn what<'t>(
    path: &str,
    lines: impl Iterator<Item = &'t str> + Clone,
) -> Option<(&'static str, &'static str)> {
    let is_patch_file = [".diff", ".patch"].iter().any(|extension| path.ends_with(extension));
    let is_document = is_document(path);
    let lines = lines.scan(false, move |in_fence, text| {
        let is_fence = is_document && fence_line(text).is_some();
        *in_fence ^= is_fence;
        Some(Some(text).filter(|_| !*in_fence))
    });
    let lines = lines.flatten();
    if holds_section(lines.clone()) {
        Some((
            "a SEARCH/REPLACE section",
            "each section is `<<<<<<< SEARCH`, the old lines, `=======`, the new lines, `>>>>>>> REPLACE`",
        ))
    } else if holds_named_sides(lines.clone()) {
        Some((
            "an edit that calls its sides `SEARCH:` and `REPLACE:`",
            "each section is `<<<<<<< SEARCH`, the old lines, `=======`, the new lines, `>>>>>>> REPLACE`",
        ))
    } else if holds_conflict(lines.clone()) {
        Some((
            "a section between the markers of a conflict",
            "write `<<<<<<< SEARCH` and `>>>>>>> REPLACE` around old and new lines",
        ))
    } else if lines.clone().any(edit_repl::is_marker) {
        Some((
            "an EDIT/REPL block",
            "a block is `««« EDIT`, the old lines, `═══════ REPL`, the new lines, `»»» EDIT END`",
        ))
    } else if !is_patch_file && (lines.clone().any(apply_patch::is_directive) || is_diff(lines)) {
        Some(("a patch", "head the fence with `diff`, and begin its hunks with `@@`"))
    } else {
        None
    }
}

/// A marker with its word, or lines that look like the first and the last one.
fn holds_section<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    let (mut first, mut last) = (false, false);
    for text in lines {
        let is_written_for_a_page = text.starts_with("&lt;") || text.starts_with("&gt;");
        let text = match is_written_for_a_page {
            true => Cow::Owned(text.replace("&lt;", "<").replace("&gt;", ">")),
            false => Cow::Borrowed(text),
        };
        match marker(&text) {
            Some(Marker::Search(length) | Marker::Replace(length)) if length >= LEAST => return true,
            _ => {}
        }
        let word = text.trim_start_matches(['<', '>', '-', '+', '=']);
        let marked = text.len() - word.len() >= 3;
        first |= marked && word.trim().eq_ignore_ascii_case("search");
        last |= marked && word.trim().eq_ignore_ascii_case("replace");
    }
    first && last
}

/// Old and new lines below their names, as one of the simpler dialects has them.
fn holds_named_sides<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    let mut names = ["SEARCH:", "REPLACE:"].into_iter().peekable();
    for text in lines {
        names.next_if(|name| text.trim_end() == *name);
    }
    names.peek().is_none()
}

/// Old and new lines as git marks a conflict.
fn holds_conflict<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    let mut markers = ["<<<<<<< ", "=======", ">>>>>>> "].into_iter().peekable();
    for text in lines {
        markers.next_if(|marker| text.starts_with(marker));
    }
    markers.peek().is_none()
}

/// A header with its numbers, or a sign before every line. Lists in YAML and Markdown have `-` and blanks there, so it
/// takes a `+` too.
fn is_diff<'t>(lines: impl Iterator<Item = &'t str> + Clone) -> bool {
    let counted = |text: &str| unified::hunk_header(text).is_some_and(|header| header.counts().is_some());
    let begins = |sign: char| lines.clone().any(|text| text.starts_with(sign));
    let unsigned = |text: &&str| !text.trim().is_empty() && !text.starts_with(['+', '-', ' ']);
    // One line may be a header that was misspelt.
    let written = lines.clone().filter(|text| !text.trim().is_empty()).take(3).count();
    let signed = written > 2 && lines.clone().filter(unsigned).take(2).count() < 2
        || !lines.clone().any(|text| unsigned(&text));
    lines.clone().any(counted)
        || lines.clone().any(unified::is_hunk_header) && (begins('+') || begins('-'))
        || begins('+') && (begins('-') || begins(' ')) && signed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_that_cannot_be_read_is_seen() {
        for text in [
            "a\n>>>>>>> REPLACE\n",
            "&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH\na\n",
            "<<-- SEARCH\na\n=======\nb\n+++ REPLACE\n",
            "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> new\n",
            "a\n═══════ REPL\nb\n»»» EDIT END\n",
            "SEARCH:\na\nREPLACE:\nb\n",
            "SEARCH:\nREPLACE:\nb\n\nSEARCH:\nc\nREPLACE:\n",
            " a\n-b\n+c\n",
            "+a\n b\n",
            "changed:\n@@ -1,2 +1,2 @@\n a\n",
            "a\n*** End Patch\n",
        ] {
            assert!(finding("a.txt", text.lines(), 1).is_some(), "{text}");
        }
    }

    #[test]
    fn files_are_files() {
        for text in [
            "Title\n=====\n\nReplace the search.\n",
            "cat <<<<<<< x\nTitle\n=======\n",
            "--- Search\n",
            "search:\n  a\nreplace:\n  b\n",
            "REPLACE:\na\nSEARCH:\nb\n",
            "- a\n  b: c\n- d\n",
            "+ a\n+ b\n",
            "***\nbold\n",
        ] {
            assert!(finding("a.txt", text.lines(), 1).is_none(), "{text}");
        }
        let shown = "# Use\n\n```diff\n@@ -1,2 +1,2 @@\n-a\n+b\n```\n\n```\n>>>>>>> REPLACE\n```\n";
        assert!(finding("a.md", shown.lines(), 1).is_none() && finding("a.txt", shown.lines(), 1).is_some());
        assert!(finding("a.diff", "@@ -1,2 +1,2 @@\n-a\n+b\n".lines(), 1).is_none());
    }
}
