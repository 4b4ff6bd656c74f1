//! Unified and git diffs of one or more files, bare between prose or inside a fence.
//!
//! This module finds out where each file's diff begins and ends; [`file`] reads its headers, and [`super::unified`] the
//! hunks themselves.

mod file;

use memchr::memmem;

use super::hashline;
use super::unified;
use super::{End, Kept, Line, OwnedLine, Parsed, Reader, Taken, fragment};
use crate::elision::elision;
use crate::{Diagnostic, codes};
use file::read_file;

pub(crate) use file::executable;

/// Whether a line begins a diff all by itself. `diff --git a/x b/x`.
pub(crate) fn begins(text: &str) -> bool {
    text.starts_with("diff --git ")
}

/// Reads the diffs of one or more files.
#[derive(Debug, Default)]
pub(crate) struct GitDiff {
    /// The file that was named before the diff, for diffs without headers.
    path: Option<String>,
    file: Kept,
    /// A `---` line that may begin the next file.
    held: Option<OwnedLine>,
    /// How many old and new lines the header still announces.
    due: Option<(usize, usize)>,
    in_hunk: bool,
    /// The header of the last hunk of this file.
    last_hunk: Option<usize>,
    /// A line of this file begins with `+++`.
    has_header: bool,
    /// The line before was empty.
    after_blank: bool,
    /// Some hunk before had other counts than its header says, so nothing follows from those of the last one.
    miscounts: bool,
    /// Some line of a hunk has no sign, so that another one may have lost its own.
    loses_signs: bool,
    parsed: Parsed,
}

impl GitDiff {
    /// A diff; `path` is the file it changes when it has no headers.
    pub fn new(path: Option<String>) -> Self {
        Self { path, ..Self::default() }
    }

    fn accept(&mut self, line: Line<'_>, fenced: bool) -> Taken {
        let text = line.text;
        if let Some(header) = unified::hunk_header(text) {
            self.miscounts |= self.in_hunk && self.lacks_lines();
            self.in_hunk = true;
            self.last_hunk = Some(line.number);
            self.due = header.counts();
            return self.keep(line);
        }
        if text.starts_with("diff --git ") || text.starts_with("Index: ") {
            self.close_file();
            return self.keep(line);
        }
        if !self.in_hunk && text.starts_with([' ', '+', '-']) && self.ends_with_header() {
            // The header of the hunk was left out.
            self.in_hunk = true;
            self.due = None;
        }
        if !self.in_hunk {
            let is_header = unified::is_preamble(text)
                || text.starts_with("--- ")
                || text.starts_with("+++ ")
                || text.trim().is_empty();
            let is_binary = text.starts_with("GIT binary patch") || text.starts_with("Binary files ");
            return if is_header || is_binary || fenced { self.keep(line) } else { Taken::NotMine };
        }
        if self.due == Some((0, 0)) && text.trim_end() == "--" {
            // A mail ends like this, with its signature below.
            return Taken::NotMine;
        }
        // Every line of a hunk begins with a sign, so this one belongs to the reply.
        let unsigned = !text.is_empty() && !text.starts_with([' ', '+', '-', '\\']);
        let aborted = unsigned && hashline::is_abort(text);
        // Where all counts are right so far, a line beyond them is none of the hunk.
        let complete = unsigned && self.due == Some((0, 0)) && !self.miscounts && !self.loses_signs;
        if !fenced && (aborted || complete || self.after_blank && self.ends_before(text)) {
            return Taken::NotMine;
        }
        self.after_blank = text.is_empty();
        self.loses_signs |= unsigned;
        let (old, new) = match text.as_bytes().first() {
            Some(b'-') => (1, 0),
            Some(b'+') => (0, 1),
            Some(b'\\') => (0, 0),
            _ => (1, 1),
        };
        if let Some((due_old, due_new)) = self.due.as_mut() {
            self.miscounts |= *due_old < old || *due_new < new;
            *due_old = due_old.saturating_sub(old);
            *due_new = due_new.saturating_sub(new);
        }
        self.keep(line)
    }

    /// Whether prose goes on here. Counts are often wrong, so they only speak where a blank line is before, and
    /// a line that may belong to the diff is left to it: taken for old text it is refused, never lost. `Now run the
    /// tests.` below a hunk that has all its lines.
    fn ends_before(&self, text: &str) -> bool {
        let fulfilled = self.due == Some((0, 0));
        match text.chars().next() {
            Some('-') => fulfilled && (is_list_item(text) || text.trim_end() == "---"),
            Some(' ' | '+' | '\\') | None => false,
            Some(_) => self.due.is_none_or(|(old, _)| old == 0),
        }
    }

    fn begins_file(&self, old: &str, new: &str) -> bool {
        let due = self.due.filter(|_| self.in_hunk);
        unified::begins_file(old, new, due)
    }

    fn keep(&mut self, line: Line<'_>) -> Taken {
        self.has_header |= line.text.starts_with("+++ ");
        self.file.push(line);
        Taken::More
    }

    /// Whether a line of the last hunk may represent others, which its header counts. ` ...` below `@@ -1,40 +1,41 @@`.
    fn leaves_out(&self) -> bool {
        let last = |line: &Line<'_>| Some(line.number) > self.last_hunk;
        let mut lines = self.file.lines().filter(last);
        lines.any(|line| line.text.starts_with(' ') && elision(line.text).is_some())
    }

    /// Whether the last hunk has fewer lines than its header announces. `@@ -1,3 +1,4 @@` above two lines.
    fn lacks_lines(&self) -> bool {
        self.due.is_some_and(|(old, new)| old > 0 || new > 0)
    }

    /// Whether the `diff --git` line above a pair of headers is about another file, which was all about its mode then.
    fn announces_other(&self, old: &str, new: &str) -> bool {
        let Some(announced) = self.file.lines().find(|line| begins(line.text)) else { return false };
        // Mostly the path is there as it is here.
        if new.get(4..).is_some_and(|path| !path.trim().is_empty() && announced.text.ends_with(path)) {
            return false;
        }
        let paths = [new, old].map(|text| unified::header_path(text.get(4..).unwrap_or_default()));
        let named = paths.into_iter().find(|path| path != unified::NO_FILE);
        named.is_some_and(|path| {
            let bare = path.split_once('/').map_or(path.as_ref(), |(_, rest)| rest);
            let line = announced.text.as_bytes();
            !line.contains(&b'"') && memmem::find(line, bare.as_bytes()).is_none()
        })
    }

    /// `@@ -1,3 +1,4 @@` as the last line.
    fn ends_with_header(&self) -> bool {
        self.file.last().is_some_and(|line| line.text.starts_with("+++ "))
    }

    /// What to say of a last line without an end that leaves open what nothing else in the diff closes. Many replies lose the
    /// end of their last line on the way, so that alone says nothing. `+x = call(1` without a newline.
    fn ends_in_fragment(&self) -> Option<Diagnostic> {
        let last = self.file.last()?;
        let text = last.text.strip_prefix('+')?;
        // The headers of the file have signs too, but open nothing.
        let signed = |sign: char| -> Vec<&str> {
            self.file.lines().filter_map(|line| line.text.strip_prefix(sign)).collect()
        };
        fragment::is_one(text, &signed('-'), &signed('+')).then(|| fragment::finding(text, last.number))
    }

    /// Leaves out the last hunk of a diff that is cut off, and says of which file. Whole hunks above it count where nothing
    /// but lines changes.
    fn leave_out(&mut self, finding: Diagnostic) -> Diagnostic {
        let lines = self.file.to_list();
        let path = file::path(&lines, self.path.as_deref());
        let header = lines.iter().rposition(|line| Some(line.number) == self.last_hunk);
        let whole = header.and_then(|header| lines.get(..header)).filter(|lines| file::patches(lines));
        let left = whole.map_or(0, <[_]>::len);
        let place = header.and_then(|header| unified::hunk_header(lines.get(header)?.text)?.old_lines());
        self.file.truncate(left);
        let finding = match place {
            Some((first, last)) => finding.about_lines(first, last),
            None => finding,
        };
        match path {
            Some(path) => finding.on(path),
            None => finding,
        }
    }

    fn close_file(&mut self) {
        self.miscounts |= self.in_hunk && self.lacks_lines();
        self.in_hunk = false;
        self.after_blank = false;
        self.due = None;
        self.last_hunk = None;
        self.has_header = false;
        if !self.file.lines().all(|line| line.text.trim().is_empty()) {
            self.parsed.extend(read_file(&self.file.to_list(), self.path.as_deref()));
        }
        // The next file mostly has as much to say, and needs no room of its own.
        self.file.truncate(0);
    }
}

impl Reader for GitDiff {
    fn line(&mut self, line: Line<'_>, fenced: bool) -> Taken {
        if let Some(held) = self.held.take() {
            let sides = held.text.strip_prefix("--- ").zip(line.text.strip_prefix("+++ "));
            if sides.is_some_and(|(old, new)| self.begins_file(old, new)) {
                if self.last_hunk.is_some() || self.has_header || self.announces_other(&held.text, line.text)
                {
                    self.close_file();
                }
                self.keep(held.as_line());
                return self.keep(line);
            }
            if self.accept(held.as_line(), fenced) == Taken::NotMine {
                return Taken::NotMine;
            }
        }
        if line.text.starts_with("--- ") {
            self.held = Some(line.into());
            return Taken::More;
        }
        self.accept(line, fenced)
    }

    /// The last hunk lacks lines, and the text ends in the middle of a line or of a change; or nothing shows that the hunk
    /// is whole, in a fence that is never closed. `@@ -1,3 +1,4 @@`, ` a`, `+b` at the end of a reply.
    fn cut_off(&mut self, End { in_line, in_fence }: End) -> Option<Diagnostic> {
        if let Some(held) = self.held.take() {
            self.keep(held.as_line());
        }
        let ends_open = self.file.last().is_some_and(|line| line.text.starts_with(['+', '-', '@']));
        // What was left out is lacking on both sides.
        let is_left_out = self.due.is_some_and(|(old, new)| old == new) && self.leaves_out();
        let is_cut =
            self.in_hunk && !self.miscounts && self.lacks_lines() && !is_left_out && (in_line || ends_open);
        let is_whole = self.in_hunk && self.due == Some((0, 0)) && !in_line;
        if self.in_hunk && in_line && !in_fence && !is_cut {
            return self.ends_in_fragment().map(|finding| self.leave_out(finding));
        }
        if is_whole || !is_cut && !in_fence {
            return None;
        }
        let (old, new) = self.due.unwrap_or_default();
        let message = format!(
            "the last hunk lacks {old} old and {new} new lines its header announces: the reply seems cut off"
        );
        let hint = "send this hunk again to its end, and what was still to come; or correct the counts in the header";
        let finding = Diagnostic::error(codes::UNCLOSED_BLOCK, message).hinted(hint);
        Some(self.leave_out(finding.at(self.last_hunk.unwrap_or(1))))
    }

    fn take(&mut self) -> Option<Parsed> {
        self.parsed.take()
    }

    fn finish(mut self: Box<Self>) -> Parsed {
        if let Some(held) = self.held.take() {
            self.keep(held.as_line());
        }
        self.close_file();
        self.parsed
    }
}

/// `- text`, as prose writes it.
fn is_list_item(text: &str) -> bool {
    text.strip_prefix("- ").is_some_and(|rest| rest.starts_with(|first: char| !first.is_whitespace()))
}

/// Whether a line of prose looks like a line of a diff that was lost. `@@ -1,3 +1,4 @@`, `+++ b/x` in prose.
pub(crate) fn looks_lost(text: &str) -> bool {
    if unified::is_hunk_header(text) {
        return true;
    }
    let Some(rest) = text.strip_prefix(['+', '-']) else { return false };
    let rule = text.trim_end().chars().all(|character| matches!(character, '+' | '-'));
    let mut chars = rest.chars();
    let (first, second) = (chars.next(), chars.next());
    let indented = matches!((first, second), (Some(' '), Some(' ' | '\t')));
    !rule && (first.is_some_and(|first| first != ' ' && !first.is_ascii_digit()) || indented)
}
