//! Unified diffs as models write them: line numbers right, wrong or missing, counts that do not add up, blank
//! context lines without their leading space.
//!
//! The numbers in a header are kept as a hint and never trusted; what a hunk says is its lines.

use std::borrow::Cow;

use super::Line;
use super::findings::Findings;
use super::header::looks_like_path;
use super::path_line::{slashed, unquoted};
use crate::align::realign;
use crate::{Diagnostic, EndOfFile, Hunk, HunkLine, codes};

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
    let message = "the header of this hunk announces a change, and no line of it is one";
    let hint = "start removed lines with `-` and added lines with `+`, and send the hunk to its end";
    (is_announced && !hunk.adds() && !hunk.removes())
        .then(|| Diagnostic::error(codes::BAD_DIFF, message).hinted(hint).at(hunk.line))
}

/// Whether a line is one half of the header that is above it, once more.
fn repeats_header(text: &str, diff: &FileDiff<'_>) -> bool {
    let path = text.strip_prefix("+++ ").or_else(|| text.strip_prefix("--- ")).map(header_path);
    path.is_some_and(|path| {
        [&diff.old_path, &diff.new_path].into_iter().flatten().any(|known| *known == path)
    })
}

/// Whether a line is one half of a file's header: it names a path, and the next hunk begins below it.
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

/// A path of a header without time stamp and quotes. Prefixes stay: only the caller knows what they mean.
pub(crate) fn header_path(text: &str) -> Cow<'_, str> {
    let end = memchr::memchr(b'\t', text.as_bytes()).unwrap_or(text.len());
    let path = text.get(..end).unwrap_or(text).trim();
    match path.strip_prefix('"').and_then(|path| path.strip_suffix('"')) {
        Some(quoted) => quoted_path(quoted).into(),
        None => slashed(unquoted(path)),
    }
}

/// A path as git writes it between quotes: with `\303\274` for bytes that are not ASCII, and a backslash before its own
/// quotes. What is no such text stays as it is.
pub(crate) fn quoted_path(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    loop {
        match rest {
            [] => break,
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', tail @ ..] => {
                bytes.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                rest = tail;
            }
            [b'\\', quoted @ (b'"' | b'\\'), tail @ ..] => {
                bytes.push(*quoted);
                rest = tail;
            }
            [byte, tail @ ..] => {
                bytes.push(*byte);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Whether a path of a header means the given path, with or without `a/` and `b/`.
pub(crate) fn means(header: &str, path: &str) -> bool {
    let bare = header.strip_prefix("a/").or_else(|| header.strip_prefix("b/")).unwrap_or(header);
    let tidy = |path: &str| path.trim_start_matches("./").replace('\\', "/");
    tidy(header) == tidy(path) || tidy(bare) == tidy(path)
}

/// Lines git writes before the hunks.
pub(crate) fn is_preamble(text: &str) -> bool {
    const STARTS: &[&str] = &[
        "diff --git ", "index ", "new file mode ", "deleted file mode ", "old mode ", "new mode ",
        "similarity index ", "dissimilarity index ", "rename from ", "rename to ", "copy from ", "copy to ",
        "Index: ", "====",
    ];
    STARTS.iter().any(|start| text.starts_with(start))
}

/// What is between and after the `@@` of a hunk's header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Header<'t> {
    old_start: Option<usize>,
    old_count: Option<usize>,
    new_count: Option<usize>,
    section: &'t str,
}

impl Header<'_> {
    /// The line of the file it names, counted from 1.
    pub fn line_hint(&self) -> Option<usize> {
        self.old_start.map(|start| start.max(1))
    }

    /// The first and the last line of the file it names, if it does.
    pub fn old_lines(&self) -> Option<(usize, usize)> {
        let first = self.line_hint()?;
        Some((first, first.saturating_add(self.old_count?.saturating_sub(1))))
    }

    /// How many old and new lines it announces, if it does.
    pub fn counts(&self) -> Option<(usize, usize)> {
        self.old_count.zip(self.new_count)
    }
}

/// Whether a line is the header of a hunk: every line of a diff is asked, and few are.
pub(crate) fn is_hunk_header(text: &str) -> bool {
    inside_header(text).is_some()
}

/// Reads `@@`, `@@ ... @@`, `@@ -1,2 +3,4 @@ section` and `@@ section`.
pub(crate) fn hunk_header(text: &str) -> Option<Header<'_>> {
    let inner = inside_header(text)?;
    let closing = inner.as_bytes().windows(2).position(|pair| pair == b"@@");
    Some(match closing.and_then(|at| inner.get(..at).zip(inner.get(at + 2..))) {
        Some((numbers, section)) => Header { section: section.trim(), ..read_numbers(numbers) },
        // The closing `@@` was forgotten.
        None if inner.trim_start().starts_with('-') => read_numbers(inner),
        None => Header { section: inner.trim(), ..Header::default() },
    })
}

/// What follows the `@@` that begins the header of a hunk.
fn inside_header(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("@@")?.trim_start_matches('@');
    (inner.is_empty() || inner.starts_with([' ', '.', '-'])).then_some(inner)
}

fn read_numbers(numbers: &str) -> Header<'static> {
    let mut header = Header::default();
    for word in numbers.as_bytes().split(u8::is_ascii_whitespace) {
        let Some((sign @ (b'-' | b'+'), range)) = word.split_first() else { continue };
        let comma = range.iter().position(|byte| *byte == b',');
        let (start, count) = comma.and_then(|at| range.split_at_checked(at)).unwrap_or((range, b",1"));
        let Some((start, count)) = read_number(start).zip(count.get(1..).and_then(read_number)) else {
            continue;
        };
        if *sign == b'-' {
            // `-5,0` means "after line 5".
            header.old_start = Some(if count == 0 { start.saturating_add(1) } else { start });
            header.old_count = Some(count);
        } else {
            header.new_count = Some(count);
        }
    }
    header
}

/// A number of a header; `None` when it is none, or too large to be the number of a line.
fn read_number(digits: &[u8]) -> Option<usize> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| usize::from(byte - b'0'));
    let number = |sum: usize, byte: &u8| sum.checked_mul(10)?.checked_add(digit(byte)?);
    digits.iter().try_fold(0, number).filter(|_| !digits.is_empty())
}

/// For how many lines room is made at most because a header announces them.
const EXPECTED: usize = 64;

/// A hunk that is still being read.
#[derive(Debug)]
struct Pending<'t> {
    header: Header<'t>,
    line: usize,
    lines: Vec<HunkLine>,
    /// How many of the lines are old, and how many are new.
    sides: (usize, usize),
    /// How many lines at the end were wholly empty, so that they may be no part of the hunk.
    empty_tail: usize,
    /// How many lines at the end have no sign.
    unsigned: usize,
    old_lacks_newline: bool,
    new_lacks_newline: bool,
}

impl<'t> Pending<'t> {
    fn new(header: Header<'t>, line: usize) -> Self {
        // Most hunks exchange one line, so that they have one line more than either side.
        let expected = header.counts().map_or(0, |(old, new)| old.max(new).saturating_add(1));
        Self {
            header,
            line,
            lines: Vec::with_capacity(expected.min(EXPECTED)),
            sides: (0, 0),
            empty_tail: 0,
            unsigned: 0,
            old_lacks_newline: false,
            new_lacks_newline: false,
        }
    }

    /// How many old and new lines the header still announces.
    fn due(&self) -> Option<(usize, usize)> {
        let (old, new) = self.header.counts()?;
        Some((old.saturating_sub(self.sides.0), new.saturating_sub(self.sides.1)))
    }

    fn push(&mut self, text: &str) {
        self.empty_tail = if text.is_empty() { self.empty_tail + 1 } else { 0 };
        let mut chars = text.chars();
        let line = match chars.next() {
            Some(' ') => HunkLine::Context(chars.as_str().to_owned()),
            Some('+') => HunkLine::Added(chars.as_str().to_owned()),
            Some('-') => HunkLine::Removed(chars.as_str().to_owned()),
            Some('\\') if chars.as_str().trim_start().to_lowercase().starts_with("no newline") => {
                self.note_missing_newline();
                return;
            }
            // The leading space of a context line is often lost, above all on blank lines.
            _ => HunkLine::Context(text.to_owned()),
        };
        self.unsigned = if text.starts_with([' ', '+', '-']) { 0 } else { self.unsigned + 1 };
        self.sides.0 += usize::from(line.is_old());
        self.sides.1 += usize::from(line.is_new());
        self.lines.push(line);
    }

    fn note_missing_newline(&mut self) {
        match self.lines.last() {
            Some(HunkLine::Removed(_)) => self.old_lacks_newline = true,
            Some(HunkLine::Added(_)) => self.new_lacks_newline = true,
            _ => {
                self.old_lacks_newline = true;
                self.new_lacks_newline = true;
            }
        }
    }

    fn finish(mut self) -> Option<Hunk> {
        self.drop_separators();
        if self.lines.is_empty() {
            return None;
        }
        let end = match (self.old_lacks_newline, self.new_lacks_newline) {
            (false, false) => EndOfFile::Unsaid,
            (true, false) if self.lines.iter().any(|line| matches!(line, HunkLine::Added(_))) => {
                EndOfFile::WithNewline
            }
            (true, false) => EndOfFile::Reached,
            (_, true) => EndOfFile::WithoutNewline,
        };
        let line_hint = self.header.line_hint();
        let scope = if self.header.section.is_empty() || self.header.section == "..." {
            Vec::new()
        } else {
            vec![self.header.section.to_owned()]
        };
        // Where only one side ends without a newline, its last line is another one even if it reads the same.
        let lines = match (self.old_lacks_newline, self.new_lacks_newline) {
            (false, false) => realign(self.lines),
            (true, true) => realign_unended(self.lines),
            _ => self.lines,
        };
        let mut hunk = Hunk::new(lines, self.line);
        hunk.line_hint = line_hint;
        hunk.announced = self.header.counts();
        hunk.unsigned = self.unsigned;
        hunk.scope = scope;
        hunk.end = end;
        Some(hunk)
    }

    /// Empty lines at the end are separators rather than context, unless the header counted them.
    fn drop_separators(&mut self) {
        while self.empty_tail > 0 {
            let (old, new) = self.sides;
            if self.header.counts().is_some_and(|(old_count, new_count)| old <= old_count && new <= new_count)
            {
                return;
            }
            self.lines.pop();
            self.sides = (old.saturating_sub(1), new.saturating_sub(1));
            self.empty_tail -= 1;
            self.unsigned = self.unsigned.saturating_sub(1);
        }
    }
}

pub(crate) fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// As [`realign`], where both sides end without a newline: a line that is the last on one side only is another one there,
/// even if it reads the same.
fn realign_unended(lines: Vec<HunkLine>) -> Vec<HunkLine> {
    let realigned = realign(lines.clone());
    let ends_in_context = |side: fn(&HunkLine) -> bool| {
        matches!(realigned.iter().rfind(|line| side(line)), Some(HunkLine::Context(_)))
    };
    if ends_in_context(HunkLine::is_old) == ends_in_context(HunkLine::is_new) { realigned } else { lines }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::lines_of;

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
    fn prose_between_the_hunks_is_told() {
        let diff = parse("Here it comes:\n@@\n-a\n+b\n");
        let findings = diff.findings.into_list();
        assert_eq!((findings[0].code, findings[0].line), (codes::BAD_DIFF, Some(1)));
    }
}
