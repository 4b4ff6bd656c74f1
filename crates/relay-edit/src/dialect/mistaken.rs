//! Detects text that would be written as a file although it is an edit that no dialect could read.
//!
//! A lost marker must not turn the rest of a section into the content of a file. What says in its header that it replaces
//! the file is never asked about.

use std::borrow::Cow;

use super::fence::fence_line;
use super::marker::{LEAST, Marker, marker};
use super::{apply_patch, commands, edit_repl, hashline, unified};
use crate::{Diagnostic, codes};

/// What a text looks like, when it does not look like a file. `<<<<<<< SEARCH` in the content of `src/a.ts`.
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

/// Whether a file may show edits, in fences of its own. `README.md`.
pub(crate) fn is_document(path: &str) -> bool {
    [".md", ".mdx", ".markdown", ".rst", ".adoc"].iter().any(|end| path.ends_with(end))
}

/// Whether a file of this name holds words for people: `notes.txt`, `README`. Without an ending, `Makefile` and scripts do not.
pub(crate) fn is_text(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    is_document(path) || name.ends_with(".txt") || !name.contains(|c: char| c == '.' || c.is_lowercase())
}

/// The edit that a text seems to hold, and how to write such a one. `@@ -1,3 +1,4 @@` in `src/a.ts`.
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
    } else if holds_conflict(lines.clone()) {
        Some((
            "a section between the markers of a conflict",
            "write `<<<<<<< SEARCH` and `>>>>>>> REPLACE` around old and new lines",
        ))
    } else if holds_named_sides(lines.clone()) {
        Some((
            "an old and a new text below their names",
            "each section is `<<<<<<< SEARCH`, the old lines, `=======`, the new lines, `>>>>>>> REPLACE`",
        ))
    } else if holds_divider(path, lines.clone()) {
        Some((
            "a SEARCH/REPLACE section without its first and last marker",
            "each section is `<<<<<<< SEARCH`, the old lines, `=======`, the new lines, `>>>>>>> REPLACE`",
        ))
    } else if is_call(path, lines.clone()) {
        Some(("a call of another tool", "write the edit as a SEARCH/REPLACE section or as a diff"))
    } else if lines.clone().any(edit_repl::is_marker) {
        Some((
            "an EDIT/REPL block",
            "a block is `««« EDIT`, the old lines, `═══════ REPL`, the new lines, `»»» EDIT END`",
        ))
    } else if lines.clone().any(hashline::is_operation) {
        Some(("a `§` section", "begin it with a line `§path/to/file`, in a fence that names no file"))
    } else if lines.clone().any(commands::begins) {
        Some(("a command", "write it outside of fences that name a file"))
    } else if !is_patch_file && (lines.clone().any(apply_patch::is_directive) || is_diff(lines)) {
        Some(("a patch", "head the fence with `diff`, and begin its hunks with `@@`"))
    } else {
        None
    }
}

/// A marker with its word, or lines that look like the first and the last one. `<<<<<<< SEARCH`, or `--- search` and
/// `+++ replace`.
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

/// What tools and models call the old and the new lines.
const SIDES: &[[&str; 2]] =
    &[["search", "replace"], ["original", "updated"], ["old", "new"], ["before", "after"]];

/// Old and new lines below their names, with which the text begins: `SEARCH:`, `# Before`, `[OLD]`, `<search>`.
fn holds_named_sides<'t>(mut lines: impl Iterator<Item = &'t str>) -> bool {
    let first = lines.by_ref().find(|text| !text.trim().is_empty()).and_then(side);
    let second =
        |name: &str| SIDES.iter().find(|[old, _]| name.eq_ignore_ascii_case(old)).map(|[_, new]| new);
    let second = first.and_then(second);
    second.is_some_and(|new| lines.filter_map(side).any(|name| name.eq_ignore_ascii_case(new)))
}

/// The name of a side that a line consists of. A word in small letters with a colon is a key of YAML. `SEARCH`, `#
/// Before`, `[OLD]`; not `old:`.
fn side(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let marked = text.trim_start_matches(['#', '[', '<', '*']).trim_start();
    let name = marked.trim_end_matches([':', ']', '>', '*']);
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_marked = marked.len() < text.len() || name.len() < marked.len();
    let is_key = name.starts_with(|c: char| c.is_ascii_lowercase()) && marked.len() == text.len();
    let is_loud = name.bytes().all(|byte| byte.is_ascii_uppercase());
    (is_name && (is_marked && !is_key || is_loud)).then_some(name)
}

/// The divider of a section whose markers were both lost: one that does not underline a title. `let a = 1;`, `=======`,
/// `let a = 2;`.
fn holds_divider<'t>(path: &str, lines: impl Iterator<Item = &'t str>) -> bool {
    const DIVIDER: &str = "=======";
    if [".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt"].iter().any(|end| path.ends_with(end)) {
        return false;
    }
    let (mut above, mut found) = ("", Vec::new());
    for text in lines {
        if text.trim_end() == DIVIDER {
            found.push(above);
        }
        above = text;
    }
    let is_title =
        |text: &str| text.len() <= DIVIDER.len() && text.starts_with(|c: char| c.is_alphanumeric());
    matches!(found.as_slice(), [above] if !is_title(above.trim_end()))
}

/// The arguments of another tool's call, in a file that is none of them. `{"old_string": "a", "new_string": "b"}` in
/// `a.ts`.
fn is_call<'t>(path: &str, lines: impl Iterator<Item = &'t str> + Clone) -> bool {
    const KEYS: &[[&str; 2]] = &[
        ["\"old_string\"", "\"new_string\""],
        ["\"old_str\"", "\"new_str\""],
        ["\"oldString\"", "\"newString\""],
        ["\"search\"", "\"replace\""],
    ];
    let first = lines.clone().find(|text| !text.trim().is_empty()).unwrap_or_default();
    let begins = first.trim_start().starts_with(['{', '[']) && !path.contains(".json");
    begins && KEYS.iter().any(|keys| keys.iter().all(|key| lines.clone().any(|text| text.contains(key))))
}

/// Old and new lines as git marks a conflict. `<<<<<<< HEAD`, `=======`, `>>>>>>> main`.
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
            "[EDIT_FILE path=\"a\" start_line=\"1\" end_line=\"1\"]\nx\n[/EDIT_FILE]\n",
            "SEARCH:\na\nREPLACE:\nb\n",
            "SEARCH:\nREPLACE:\nb\n\nSEARCH:\nc\nREPLACE:\n",
            "\nSearch:\na\nReplace:\nb\n",
            "SEARCH\na\nREPLACE\nb\n",
            "# SEARCH\na\n# REPLACE\nb\n",
            "[SEARCH]\na\n[REPLACE]\nb\n",
            "**Before:**\na\n**After:**\nb\n",
            "OLD:\na\nNEW:\nb\n",
            "<search>\na\n</search>\n<replace>\nb\n</replace>\n",
            "{\"old_string\": \"a\", \"new_string\": \"b\"}\n",
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
            "import x\nBefore:\na\nAfter:\nb\n",
            "old\na\nnew\nb\n",
            "Old stock\nNEW\n",
            "- a\n  b: c\n- d\n",
            "+ a\n+ b\n",
            "***\nbold\n",
        ] {
            assert!(finding("a.txt", text.lines(), 1).is_none(), "{text}");
        }
        assert!(finding("a.js", "    x()\n=======\n    y()\n".lines(), 1).is_some());
        for (path, text) in [
            ("a.py", "\"\"\"\nExample\n=======\n\nRuns.\n\"\"\"\n"),
            ("a.py", "=======\nA title\n=======\n"),
            ("a.md", "A title that is long\n=======\n"),
            ("a.json", "{\"old_string\": \"a\", \"new_string\": \"b\"}\n"),
        ] {
            assert!(finding(path, text.lines(), 1).is_none(), "{text}");
        }
        let shown = "# Use\n\n```diff\n@@ -1,2 +1,2 @@\n-a\n+b\n```\n\n```\n>>>>>>> REPLACE\n```\n";
        assert!(finding("a.md", shown.lines(), 1).is_none() && finding("a.txt", shown.lines(), 1).is_some());
        assert!(finding("a.diff", "@@ -1,2 +1,2 @@\n-a\n+b\n".lines(), 1).is_none());
    }
}
