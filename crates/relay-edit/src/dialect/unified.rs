//! Unified diffs as models write them: line numbers right, wrong or missing, counts that do not add up, blank
//! context lines without their leading space.
//!
//! The numbers in a header are kept as a hint and never trusted; what a hunk says is its lines.

mod hunk_header;
mod paths;
mod pending;

use std::borrow::Cow;

use super::Line;
use super::findings::{Findings, shorten};
use super::header::looks_like_path;
use crate::{Diagnostic, Hunk, codes};
use hunk_header::Header;
pub(crate) use hunk_header::{hunk_header, is_hunk_header};
pub(crate) use paths::{header_path, means, quoted_path};
use pending::Pending;

/// What the text of one file's diff says.
#[derive(Debug, Default)]
pub(crate) struct FileDiff<'t> {
    /// The path after `---`; `/dev/null` stays as it is.
    pub old_path: Option<Cow<'t, str>>,
    /// The path after `+++`; `/dev/null` stays as it is.
    pub new_path: Option<Cow<'t, str>>,
    /// The hunks in order.
    pub hunks: Vec<Hunk>,
    /// What was wrong or doubtful.
    pub findings: Findings,
}

/// The path that represents "no file".
pub(crate) const NO_FILE: &str = "/dev/null";

/// Reads the diff of one file. `---`/`+++` headers may be missing.
pub(crate) fn parse_file<'t>(lines: &[Line<'t>]) -> FileDiff<'t> {
    let headers = lines.iter().filter(|line| is_hunk_header(line.text));
    let (count, last_header) = headers.fold((0, 0), |(count, _), line| (count + 1, line.number));
    let mut diff = FileDiff { hunks: Vec::with_capacity(count), ..FileDiff::default() };
    let mut hunk: Option<Pending<'_>> = None;
    let mut rest = lines;
    while let Some((line, tail)) = rest.split_first() {
        rest = tail;
        let in_hunk = hunk.is_some();
        let due = || hunk.as_ref().and_then(Pending::due);
        if let Some((old, new)) = file_header(line, tail).filter(|(old, new)| begins_file(old, new, due())) {
            if diff.old_path.is_none() {
                diff.old_path = Some(header_path(old));
                diff.new_path = Some(header_path(new));
            } else {
                diff.findings.push(second_file(line.number));
            }
            rest = tail.get(1..).unwrap_or_default();
        } else if !in_hunk && repeats_header(line.text, &diff) {
            // The file was named already.
        } else if in_hunk && lost_partner(line.text, tail) {
            diff.findings.push(half_header(line));
        } else if let Some(header) = hunk_header(line.text) {
            diff.hunks.extend(hunk.take().and_then(Pending::finish));
            hunk = Some(Pending::new(header, line.number));
        } else if !in_hunk && is_preamble(line.text) {
            // `diff --git`, `index` and their like say nothing the block's header does not.
        } else if !in_hunk && (line.text.is_empty() || !line.text.starts_with(['+', '-', ' ', '\\'])) {
            if !line.text.trim().is_empty() && line.number < last_header {
                diff.findings.push(outside_hunks(line));
            } else if !line.text.trim().is_empty() {
                hunk = Some(Pending::new(Header::default(), line.number));
                if let Some(pending) = hunk.as_mut() {
                    pending.push(line.text);
                }
            }
        } else {
            hunk.get_or_insert_with(|| Pending::new(Header::default(), line.number)).push(line.text);
        }
    }
    diff.hunks.extend(hunk.and_then(Pending::finish));
    diff.hunks.iter().find_map(changes_nothing).into_iter().for_each(|finding| diff.findings.push(finding));
    diff
}

fn second_file(line: usize) -> Diagnostic {
    Diagnostic::error(codes::BAD_DIFF, "a second file begins inside the diff of one block")
        .hinted("write one block for each file")
        .at(line)
}

fn half_header(line: &Line<'_>) -> Diagnostic {
    let message = format!("`{}` names a file, and the line that goes with it is missing", shorten(line.text));
    Diagnostic::error(codes::BAD_DIFF, message)
        .hinted("begin the diff of each file with `--- a/path` and `+++ b/path`")
        .at(line.number)
}

fn outside_hunks(line: &Line<'_>) -> Diagnostic {
    Diagnostic::error(codes::BAD_DIFF, format!("`{}` belongs to no hunk", shorten(line.text)))
        .hinted("put explanations outside the block, and start each hunk with a line `@@ ... @@`")
        .at(line.number)
}

/// A hunk that was cut off, or lost its signs: `@@ -1,3 +1,4 @@` above nothing but context.
fn changes_nothing(hunk: &Hunk) -> Option<Diagnostic> {
    let is_announced = hunk.announced.is_some_and(|(old, new)| old != new);
    let message = "the header of this hunk announces a change, but none of its lines is one";
    let hint = "start removed lines with `-` and added lines with `+`, and send the hunk to its end";
    (is_announced && !hunk.adds() && !hunk.removes())
        .then(|| Diagnostic::error(codes::BAD_DIFF, message).hinted(hint).at(hunk.line))
}

/// Whether a line is one half of the header that is above it, once more. `+++ b/a.ts` below `+++ b/a.ts`.
fn repeats_header(text: &str, diff: &FileDiff<'_>) -> bool {
    let path = text.strip_prefix("+++ ").or_else(|| text.strip_prefix("--- ")).map(header_path);
    path.is_some_and(|path| {
        [&diff.old_path, &diff.new_path].into_iter().flatten().any(|known| *known == path)
    })
}

/// Whether a line is one half of a file's header: it names a path, and the next hunk begins below it. `+++ b/a.ts`
/// above `@@ -1,3 +1,4 @@`, without `--- a/a.ts`.
fn lost_partner(text: &str, tail: &[Line<'_>]) -> bool {
    let path = text.strip_prefix("+++ ").or_else(|| text.strip_prefix("--- ")).map(header_path);
    let is_path = |path: Cow<'_, str>| looks_like_path(&path) && !path.contains(char::is_whitespace);
    path.is_some_and(is_path) && tail.first().is_some_and(|next| is_hunk_header(next.text))
}

/// What is after `---` and `+++`. A removed line `-- x` looks alike, so the pair must be whole.
fn file_header<'t>(line: &Line<'t>, tail: &[Line<'t>]) -> Option<(&'t str, &'t str)> {
    let old = line.text.strip_prefix("--- ")?;
    let new = tail.first()?.text.strip_prefix("+++ ")?;
    let announced = tail.get(1).is_none_or(|line| {
        line.text.is_empty() || is_hunk_header(line.text) || line.text.starts_with(['+', '-', ' '])
    });
    announced.then_some((old, new))
}

/// Whether what is after `---` and `+++` names a file, rather than the rest of a removed and an added line that begin
/// with dashes and plus signs: comments in SQL, Lua and Haskell do. Inside a hunk that still lacks lines on both sides
/// (`due`), the pair must look like paths.
pub(crate) fn begins_file(old: &str, new: &str, due: Option<(usize, usize)>) -> bool {
    let lacks_both = due.is_some_and(|(old, new)| old > 0 && new > 0);
    let is_path = |header: &str| {
        let path = header_path(header);
        path == NO_FILE || looks_like_path(&path) && !path.contains(char::is_whitespace)
    };
    !lacks_both || is_path(old) && is_path(new)
}

/// Lines git writes before the hunks. `index 1a2b..3c4d 100644`.
pub(crate) fn is_preamble(text: &str) -> bool {
    const STARTS: &[&str] = &[
        "diff --git ", "index ", "new file mode ", "deleted file mode ", "old mode ", "new mode ",
        "similarity index ", "dissimilarity index ", "rename from ", "rename to ", "copy from ", "copy to ",
        "Index: ", "====",
    ];
    STARTS.iter().any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::lines_of;
    use crate::{EndOfFile, HunkLine};

    fn parse(text: &str) -> FileDiff<'_> {
        parse_file(&lines_of(text))
    }

    /// One hunk in short: `-` and `+` and ` ` before each line, joined by `|`.
    fn short(hunk: &Hunk) -> String {
        let line = |line: &HunkLine| match line {
            HunkLine::Context(text) => format!(" {text}"),
            HunkLine::Removed(text) => format!("-{text}"),
            HunkLine::Added(text) => format!("+{text}"),
        };
        hunk.lines.iter().map(line).collect::<Vec<_>>().join("|")
    }

    fn check(text: &str, expected: &[&str]) {
        let diff = parse(text);
        assert_eq!(diff.hunks.iter().map(short).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn reads_headers_of_every_kind() {
        for header in [
            "@@ -1,2 +1,2 @@",
            "@@ -1,9 +1,9 @@ fn main() {",
            "@@ ... @@",
            "@@",
            "@@ -1 +1 @@",
            "@@ -1,2 +1,2",
        ] {
            check(&format!("--- a/x\n+++ b/x\n{header}\n a\n-b\n+c\n"), &[" a|-b|+c"]);
        }
        check(" a\n-b\n+c\n", &[" a|-b|+c"]);
        check("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@\n-b\n+c\n", &["-b|+c"]);
    }

    #[test]
    fn keeps_the_line_number_as_a_hint() {
        assert_eq!(parse("@@ -7,2 +9,2 @@\n a\n-b\n").hunks[0].line_hint, Some(7));
        assert_eq!(parse("@@ -7,0 +8,1 @@\n+b\n").hunks[0].line_hint, Some(8));
        assert_eq!(parse("@@ ... @@\n-b\n").hunks[0].line_hint, None);
        assert_eq!(parse("@@ -7,2 +9,2 @@ fn x()\n a\n-b\n").hunks[0].scope, ["fn x()"]);
    }

    #[test]
    fn blank_context_may_lack_its_space() {
        check("@@\n a\n\n-b\n\n c\n", &[" a| |-b| | c"]);
        check("@@\n a\n-b\n\n\n@@\n-c\n", &[" a|-b", "-c"]);
        check("@@ -1,3 +1,2 @@\n a\n-b\n\n\n", &[" a|-b| "]);
    }

    #[test]
    fn context_may_lack_its_space_too() {
        check("@@\nfn a() {\n-    b\n+    c\n}\n", &[" fn a() {|-    b|+    c| }"]);
    }

    #[test]
    fn removed_lines_that_look_like_headers_are_removed_lines() {
        check("@@\n--- a comment in SQL\n+-- another\n", &["--- a comment in SQL|+-- another"]);
        // The counts say that both belong to the hunk.
        let counted = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n--- one remark\n+++ another\n";
        check(counted, &[" a|--- one remark|+++ another"]);
    }

    #[test]
    fn understands_no_newline_at_end_of_file() {
        let end = |text: &str| parse(text).hunks[0].end;
        assert_eq!(end("@@\n-a\n\\ No newline at end of file\n+b\n"), EndOfFile::WithNewline);
        assert_eq!(end("@@\n-a\n+b\n\\ No newline at end of file\n"), EndOfFile::WithoutNewline);
        assert_eq!(end("@@\n-a\n+b\n c\n\\ No newline at end of file\n"), EndOfFile::WithoutNewline);
        assert_eq!(end("@@\n-a\n+b\n"), EndOfFile::Unsaid);
    }

    #[test]
    fn header_paths_are_compared_with_and_without_prefix() {
        assert!(means("a/src/x.rs", "src/x.rs"));
        assert!(means("src/x.rs", "src/x.rs"));
        assert!(means("a/x.rs", "a/x.rs"));
        assert!(!means("a/src/y.rs", "src/x.rs"));
        assert_eq!(header_path("a/x.rs\t2024-01-01 00:00"), "a/x.rs");
        assert_eq!(header_path("`src/x.rs`"), "src/x.rs");
        assert_eq!(header_path(r#""a/gr\303\274n \"x\".txt""#), "a/grün \"x\".txt");
        assert_eq!(header_path(r#""a/\377.txt""#), r"a/\377.txt");
    }

    #[test]
    fn prose_between_the_hunks_is_reported() {
        let diff = parse("Here it comes:\n@@\n-a\n+b\n");
        let findings = diff.findings.into_list();
        assert_eq!((findings[0].code, findings[0].line), (codes::BAD_DIFF, Some(1)));
    }
}
