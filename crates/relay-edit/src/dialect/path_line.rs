//! A line that is nothing but a path: how most dialects say which file comes next.

use std::borrow::Cow;

use super::block::comment_text;
use super::citation;
use super::header::looks_like_path;
use crate::{Edit, Operation};

/// The longest line that can be a path.
const LONGEST: usize = 200;

/// Reads a line that consists of a path, bare or decorated: `src/a.rs`, `**src/a.rs**`, "### `src/a.rs`:".
pub(crate) fn read(text: &str) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || text.len() >= LONGEST || is_comment(text) {
        return None;
    }
    let (text, _) = undecorate(text);
    let (path, quoted) = unquote(text);
    let plain = quoted || !path.contains(char::is_whitespace);
    (plain && looks_like_path(path) && !path.contains("](")).then(|| path.to_owned())
}

/// Reads the line directly before the marker of a block, where even a bare word is a file name, and lines of a file may be
/// named: what the block quotes shows which they are. `src/a.ts`, `### src/a.ts`, `Makefile`.
pub(crate) fn before_marker(text: &str) -> Option<String> {
    read(text).or_else(|| {
        let text = text.trim();
        let (bare, _) = undecorate(text);
        let (path, _) = unquote(bare);
        let path = citation::path(path).unwrap_or(path);
        // `Then:` announces the block.
        let is_word = !path.contains(char::is_whitespace) && !text.ends_with(':');
        // A path may contain spaces, but a sentence that quotes one is not a path.
        let has_separator =
            path.contains(['/', '\\']) && !path.contains('`') && !path.ends_with(['.', ':', '?', '!']);
        (path.contains(char::is_alphanumeric)
            && text.len() < LONGEST
            && !is_comment(text)
            && (is_word || has_separator)
            && !is_marker_like(path))
        .then(|| path.to_owned())
    })
}

/// As [`before_marker`], inside a fence, where authors write the path as a comment: `# src/a.py`, `// src/a.ts`.
pub(crate) fn before_marker_in_code(text: &str) -> Option<String> {
    before_marker(text).or_else(|| comment_text(text).and_then(read))
}

/// Reads a path between tags, `<path>src/a.ts</path>`, or in one, `<file path="src/a.ts">`, as some tools ask for it.
pub(crate) fn tagged(text: &str) -> Option<String> {
    let (name, rest) = text.trim().strip_prefix('<')?.split_once('>')?;
    if rest.is_empty() {
        return in_tag(name);
    }
    let path = rest.strip_suffix(&format!("</{name}>"))?.trim();
    (matches!(name, "path" | "file_path" | "file") && !path.is_empty()).then(|| path.to_owned())
}

/// The path among the attributes of a tag that has nothing else: `file path="src/a.ts"`.
fn in_tag(tag: &str) -> Option<String> {
    let (_, attribute) = tag.split_once(' ')?;
    let (key, value) = attribute.trim().split_once('=')?;
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let path = value.strip_prefix(quote)?.strip_suffix(quote)?;
    let names_file = matches!(key, "path" | "file" | "name" | "file_path" | "filename");
    (names_file && !path.contains(quote) && looks_like_path(path)).then(|| path.to_owned())
}

/// Whether a line is nothing but the beginning of a tag or two around a section: `<diff>`, `<content><![CDATA[`.
pub(crate) fn opens_tag(text: &str) -> bool {
    let text = text.trim();
    let text = text.strip_suffix("<![CDATA[").unwrap_or(text);
    text.is_empty() || matches!(text, "<diff>" | "<content>" | "<diff><content>" | "<search_replace>")
}

/// Reads a heading with a single mark, `# src/a.rs`, which elsewhere is a comment.
pub(crate) fn heading(text: &str) -> Option<String> {
    read(text.trim().strip_prefix('#')?)
}

/// Whether a line is nothing but dots, which represent whatever is between two sections. `...`, `…`.
pub(crate) fn is_dots(text: &str) -> bool {
    let text = text.trim();
    text == "…" || text.len() >= 3 && text.bytes().all(|byte| byte == b'.')
}

/// The only path in backticks in a line of prose: "And in `src/b.rs`:".
pub(crate) fn mentioned(text: &str) -> Option<String> {
    let words = text.split('`').skip(1).step_by(2).map(|word| citation::path(word).unwrap_or(word));
    let mut quoted = words.filter(|word| looks_like_path(word));
    let path = quoted.next()?;
    let known = text.len() < LONGEST && !is_comment(text.trim()) && quoted.next().is_none();
    known.then(|| path.to_owned())
}

/// Whether a line of prose names or mentions a file that may be another one than this. "The same in `src/b.ts`:" for
/// `src/a.ts`.
#[must_use]
pub fn speaks_of_another(text: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = text.to_lowercase();
    let mut words = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    lower.contains("file") && !lower.contains("same file")
        || words.any(|word| looks_like_path(word) && word != path && word != name)
}

/// `// src/a.ts`; not `## src/a.ts`.
fn is_comment(text: &str) -> bool {
    // One `#` begins a comment in many languages; a heading that holds a path has more.
    let heading = text.starts_with("##") && text.trim_start_matches('#').starts_with(' ');
    text.starts_with("//")
        || text.starts_with("/*")
        || text.starts_with('>')
        || text.starts_with('#') && !heading
}

/// As [`before_marker`], for a dialect that knows no decoration: comments and list items are never paths. `src/a.ts`;
/// not `# src/a.ts`.
pub(crate) fn plain_before_marker(text: &str) -> Option<String> {
    let decorated =
        text.trim_start().starts_with(['#', '*', '-', '>']) || text.trim_start().starts_with("//");
    if decorated { None } else { before_marker(text) }
}

/// Lines of other dialects are never file names. `=======`.
fn is_marker_like(path: &str) -> bool {
    path.starts_with([
        '<', '=', '>', '«', '»', '═', '@', '`', '~', '*', '{', '}', '(', ')', '[', ']', ';', ',', '|', '"',
    ]) || path.ends_with(':')
}

/// What authors write after a path to say that its file follows.
const REMARKS: &[&str] = &[
    "modified", "updated", "changed", "edited", "new", "new file", "full file", "full", "complete",
    "complete file", "whole file", "full content", "full contents", "updated file", "entire file", "final",
    "final version", "revised", "create",
];

/// A line without a remark such as `(new file)` or `— full file` after its path.
fn unremarked(text: &str) -> &str {
    let bracketed = text.strip_suffix(')').and_then(|inner| inner.rsplit_once(" ("));
    let dashed = [" — ", " – ", " - ", " -- "].iter().find_map(|dash| text.rsplit_once(dash));
    let is_remark = |remark: &str| REMARKS.iter().any(|known| known.eq_ignore_ascii_case(remark.trim()));
    let found = bracketed.or(dashed).filter(|(_, remark)| is_remark(remark));
    found.map_or(text, |(path, _)| path.trim_end())
}

/// The text of a link to a file that is nothing else: `[src/a.ts](src/a.ts)`.
fn unlinked(text: &str) -> &str {
    let label = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(')')?.split_once("]("));
    label.filter(|(_, target)| !target.contains([']', ')', ' '])).map_or(text, |(label, _)| label)
}

/// A line without the tags that a page puts around a title.
fn untagged(text: &str) -> &str {
    let mut rest = text;
    for name in ["summary", "b", "strong", "code", "h3", "h4"] {
        let inner =
            rest.strip_prefix(&format!("<{name}>")).and_then(|rest| rest.strip_suffix(&format!("</{name}>")));
        rest = inner.map_or(rest, str::trim);
    }
    rest
}

/// Takes list marks, heading marks, emphasis, links, tags and words such as `File:` off a line.
fn undecorate(text: &str) -> (&str, bool) {
    let mut rest = untagged(text.trim_start_matches('#').trim());
    rest = rest.strip_prefix("- ").or_else(|| rest.strip_prefix("* ")).unwrap_or(rest).trim();
    if let Some((number, tail)) = rest.split_once(". ")
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        rest = tail.trim();
    }
    rest = rest.trim_end_matches(':').trim();
    rest = unremarked(rest);
    rest = strip_pair(rest, "**");
    // `_src/a.rs_`, which is one mark less.
    rest = ["__", "_", "*"].iter().fold(rest, |rest, mark| strip_pair(rest, mark));
    rest = rest
        .strip_prefix("**")
        .and_then(|rest| rest.split_once(":**"))
        .map_or(rest, |(word, path)| if is_label(word) { path.trim() } else { rest });
    for word in ["file:", "path:", "filename:", "filepath:", "file path:", "save as:", "new file:"] {
        if rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)) {
            rest = rest.get(word.len()..).unwrap_or_default().trim();
        }
    }
    rest = rest.trim_end_matches(':').trim();
    rest = unlinked(strip_pair(unremarked(rest), "**"));
    (rest, rest != text)
}

/// Whether a word names what follows as a file. `File`, `new file`.
fn is_label(word: &str) -> bool {
    ["file", "path", "filename", "filepath", "file path", "new file", "updated file"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(word.trim()))
}

fn strip_pair<'a>(text: &'a str, mark: &str) -> &'a str {
    text.strip_prefix(mark)
        .and_then(|inner| inner.strip_suffix(mark))
        .map_or(text, |inner| inner.trim().trim_end_matches(':'))
}

/// Writes the paths of an edit as the workspace has them: with `/` between folders, and from the folder they are meant
/// from.
pub(crate) fn settle(edit: &mut Edit, folder: Option<&str>) {
    let settled = |path: &str| {
        let path = slashed(path);
        match folder {
            Some(folder) => format!("{}/{path}", slashed(folder)),
            None => path.into_owned(),
        }
    };
    if folder.is_none() && !edit.path.contains('\\') && !matches!(edit.operation, Operation::Rename { .. }) {
        return;
    }
    edit.path = settled(&edit.path);
    if let Operation::Rename { to } = &mut edit.operation {
        *to = settled(to);
    }
}

/// A path with `/` for the backslashes of Windows. One that names a drive is left for a later check to refuse.
pub(crate) fn slashed(path: &str) -> Cow<'_, str> {
    let names_drive = path.as_bytes().get(1) == Some(&b':') || path.starts_with("\\\\");
    if names_drive || !path.as_bytes().contains(&b'\\') {
        path.into()
    } else {
        path.replace('\\', "/").into()
    }
}

/// Whether a new file may have this name: nothing around it, and nothing after it that says more. `src/a.ts`; not
/// `src/a.ts (new)`.
pub(crate) fn is_plain_name(path: &str) -> bool {
    !path.contains(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '|' | '<' | '>'))
        && !path.ends_with([':', ',', ';', '.', '_', '*'])
        && citation::path(path).is_none()
}

/// A path without the quotes, backticks or emphasis around it.
pub(crate) fn unquoted(text: &str) -> &str {
    strip_pair(unquote(strip_pair(text, "**")).0, "**")
}

/// Whether quotes or backticks say where a path begins and ends. `` `src/a.ts` ``.
pub(crate) fn is_quoted(text: &str) -> bool {
    unquote(strip_pair(text, "**")).1
}

fn unquote(text: &str) -> (&str, bool) {
    for quote in ['`', '"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|inner| inner.strip_suffix(quote)) {
            return (inner.trim(), true);
        }
    }
    (text, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_decorated_paths() {
        for line in [
            "src/a.rs",
            "`src/a.rs`",
            "**src/a.rs**",
            "_src/a.rs_",
            "*src/a.rs*:",
            "**`src/a.rs`**",
            "src/a.rs (modified)",
            "`src/a.rs` (updated):",
            "### `src/a.rs`",
            "### src/a.rs:",
            "File: src/a.rs",
            "**File: `src/a.rs`**",
            "- src/a.rs",
            "1. `src/a.rs`:",
            "src/a.rs:",
            "### [src/a.rs](src/a.rs)",
            "**File:** src/a.rs",
            "**File:** `src/a.rs`",
            "### src/a.rs — full file",
            "### `src/a.rs` (new file)",
            "<summary>src/a.rs</summary>",
            "<summary><code>src/a.rs</code></summary>",
            "**[src/a.rs](./src/a.rs)**",
            "#### `src/a.rs` - updated",
        ] {
            assert_eq!(read(line).as_deref(), Some("src/a.rs"), "{line}");
        }
        assert_eq!(read("`my dir/a b.rs`").as_deref(), Some("my dir/a b.rs"));
        assert_eq!(read("Makefile").as_deref(), Some("Makefile"));
    }

    #[test]
    fn prose_and_comments_are_not_paths() {
        for line in [
            "See src/a.rs for more",
            "// src/a.rs",
            "# comment",
            "> src/a.rs",
            "Done.",
            "",
            "the file",
            "https://example.org/a.js",
            "src/a.rs:10-20",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn reads_paths_in_comments_and_tags() {
        assert_eq!(before_marker_in_code("# src/a.py").as_deref(), Some("src/a.py"));
        assert_eq!(before_marker_in_code("<!-- a.html -->").as_deref(), Some("a.html"));
        assert_eq!(before_marker_in_code("// see src/a.rs"), None);
        assert_eq!(tagged("  <path>my dir/a b.ts</path>").as_deref(), Some("my dir/a b.ts"));
        assert_eq!(tagged("<path></path>"), None);
        assert_eq!(tagged("<name>a.ts</name>"), None);
        assert!(opens_tag("<content><![CDATA[") && opens_tag("<diff>") && !opens_tag("<div>"));
    }

    #[test]
    fn prose_mentions_one_path_or_none() {
        assert_eq!(mentioned("And in `src/b.rs`:").as_deref(), Some("src/b.rs"));
        assert_eq!(mentioned("In `b.rs`, as `f` does:").as_deref(), Some("b.rs"));
        assert_eq!(mentioned("As in `a.rs`, in `b.rs`:"), None);
        assert_eq!(mentioned("Then `f` and src/b.rs"), None);
        assert_eq!(before_marker("And in `src/b.rs`:"), None);
    }

    #[test]
    fn prose_that_may_mean_another_file_is_distinguished() {
        for line in ["And in `src/b.rs`:", "In the other file:", "The Makefile needs it too.", "(see b.rs)"] {
            assert!(speaks_of_another(line, "src/a.rs"), "{line}");
        }
        for line in ["Then the loop:", "2. And in the same file", "Again in a.rs.", "`src/a.rs` once more"] {
            assert!(!speaks_of_another(line, "src/a.rs"), "{line}");
        }
    }

    #[test]
    fn backslashes_become_slashes_unless_a_drive_is_named() {
        assert_eq!(slashed(r"src\a.rs"), "src/a.rs");
        assert_eq!(slashed(r"C:\src\a.rs"), r"C:\src\a.rs");
    }

    #[test]
    fn a_new_file_has_a_name_and_nothing_else() {
        for path in ["src/a.rs", "Makefile", ".env", "app/[id]/(shop)/page.tsx", "C++/a#b.cc"] {
            assert!(is_plain_name(path), "{path}");
        }
        for path in [
            "src/a.rs (new)", "`a.rs`", "\"a.rs\"", "a.rs:", "a.rs,", "a.rs#L3", "a.rs:12", "<a.rs>", "a.rs|",
        ] {
            assert!(!is_plain_name(path), "{path}");
        }
    }

    #[test]
    fn directly_before_a_marker_a_word_is_a_file_name() {
        assert_eq!(before_marker("justname").as_deref(), Some("justname"));
        assert_eq!(before_marker("my dir/some file").as_deref(), Some("my dir/some file"));
        assert_eq!(before_marker("`src/a.rs:10-20`").as_deref(), Some("src/a.rs"));
        assert_eq!(before_marker("# comment"), None);
        assert_eq!(before_marker("two words"), None);
        assert_eq!(before_marker("Then:"), None);
        assert_eq!(before_marker("Makefile:").as_deref(), Some("Makefile"));
        assert_eq!(before_marker("}"), None);
    }
}
