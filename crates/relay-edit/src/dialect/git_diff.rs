//! Unified and git diffs of one or more files, bare between prose or inside a fence.
//!
//! This module finds out where each file's diff begins and ends and what its headers ask for; the hunks
//! themselves are read by [`super::unified`].

use super::hashline;
use super::unified::{self, NO_FILE};
use super::{Dialect, Line, OwnedLine, Parsed, Reader, Taken};
use crate::{Base, Diagnostic, Edit, Operation, codes};

/// Whether a line begins a diff all by itself.
pub(crate) fn begins(text: &str) -> bool {
    text.starts_with("diff --git ")
}

/// Reads the diffs of one or more files.
#[derive(Debug, Default)]
pub(crate) struct GitDiff {
    /// The file that was named before the diff, for diffs without headers.
    path: Option<String>,
    file: Vec<OwnedLine>,
    /// A `---` line that may begin the next file.
    held: Option<OwnedLine>,
    /// How many old and new lines the header still announces.
    due: Option<(usize, usize)>,
    in_hunk: bool,
    /// The line before was empty.
    after_blank: bool,
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
            self.in_hunk = true;
            self.due = header.counts();
            return self.keep(line);
        }
        if text.starts_with("diff --git ") || text.starts_with("Index: ") {
            self.close_file();
            return self.keep(line);
        }
        if !self.in_hunk {
            let is_header = unified::is_preamble(text)
                || text.starts_with("--- ")
                || text.starts_with("+++ ")
                || text.trim().is_empty();
            let is_binary = text.starts_with("GIT binary patch") || text.starts_with("Binary files ");
            return if is_header || is_binary || fenced { self.keep(line) } else { Taken::NotMine };
        }
        let sign = text.chars().next();
        // Every line of a hunk begins with a sign, so this one belongs to the reply.
        let aborted = hashline::is_abort(text) && !text.starts_with(' ');
        if !fenced && (aborted || self.after_blank && self.ends_before(text)) {
            return Taken::NotMine;
        }
        self.after_blank = text.is_empty();
        let (old, new) = match sign {
            Some('-') => (1, 0),
            Some('+') => (0, 1),
            Some('\\') => (0, 0),
            _ => (1, 1),
        };
        if let Some((due_old, due_new)) = self.due.as_mut() {
            *due_old = due_old.saturating_sub(old);
            *due_new = due_new.saturating_sub(new);
        }
        self.keep(line)
    }

    /// Whether prose goes on here. Counts are often wrong, so they only speak where a blank line stands before, and
    /// a line that may belong to the diff is left to it: taken for old text it is refused, never lost.
    fn ends_before(&self, text: &str) -> bool {
        let fulfilled = self.due == Some((0, 0));
        match text.chars().next() {
            Some('-') => fulfilled && is_list_item(text),
            Some(' ' | '+' | '\\') | None => false,
            Some(_) => self.due.is_none_or(|(old, _)| old == 0),
        }
    }

    fn keep(&mut self, line: Line<'_>) -> Taken {
        self.file.push(line.into());
        Taken::More
    }

    fn has_hunk(&self) -> bool {
        self.file.iter().any(|line| unified::hunk_header(&line.text).is_some())
    }

    fn has_header(&self) -> bool {
        self.file.iter().any(|line| line.text.starts_with("+++ "))
    }

    fn close_file(&mut self) {
        let file = std::mem::take(&mut self.file);
        self.in_hunk = false;
        self.after_blank = false;
        self.due = None;
        if file.iter().all(|line| line.text.trim().is_empty()) {
            return;
        }
        let parsed = read_file(&file, self.path.as_deref());
        self.parsed.edits.extend(parsed.edits);
        self.parsed.diagnostics.extend(parsed.diagnostics);
    }
}

impl Reader for GitDiff {
    fn line(&mut self, line: Line<'_>, fenced: bool) -> Taken {
        if let Some(held) = self.held.take() {
            if line.text.starts_with("+++ ") {
                if self.has_hunk() || self.has_header() {
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

    fn take(&mut self) -> Parsed {
        std::mem::take(&mut self.parsed)
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

/// Whether a line of prose looks like a line of a diff that was lost.
pub(crate) fn looks_lost(text: &str) -> bool {
    if unified::hunk_header(text).is_some() {
        return true;
    }
    let Some(rest) = text.strip_prefix(['+', '-']) else { return false };
    let rule = text.chars().all(|character| matches!(character, '+' | '-'));
    let mut chars = rest.chars();
    let (first, second) = (chars.next(), chars.next());
    let indented = matches!((first, second), (Some(' '), Some(' ' | '\t')));
    !rule && (first.is_some_and(|first| first != ' ' && !first.is_ascii_digit()) || indented)
}

/// What the lines above the hunks of one file say.
#[derive(Debug, Default)]
struct Preamble {
    git: Option<(String, String)>,
    rename: (Option<String>, Option<String>),
    is_new: bool,
    is_deleted: bool,
    /// Whether the file shall be a program that can be run, where the diff says so.
    executable: Option<bool>,
    unsupported: Option<&'static str>,
}

impl Preamble {
    fn read(lines: &[OwnedLine]) -> Self {
        let mut preamble = Self::default();
        for line in lines.iter().take_while(|line| unified::hunk_header(&line.text).is_none()) {
            let text = line.text.as_str();
            if let Some(rest) = text.strip_prefix("diff --git ") {
                preamble.git = git_paths(rest);
            } else if let Some(path) = text.strip_prefix("rename from ") {
                preamble.rename.0 = Some(unified::header_path(path));
            } else if let Some(path) = text.strip_prefix("rename to ") {
                preamble.rename.1 = Some(unified::header_path(path));
            } else if let Some(mode) = text.strip_prefix("new file mode ") {
                preamble.is_new = true;
                preamble.note_mode(mode);
                // A new file cannot be run anyway unless somebody says so.
                preamble.executable = preamble.executable.filter(|executable| *executable);
            } else if text.starts_with("deleted file mode ") {
                preamble.is_deleted = true;
            } else if let Some(mode) = text.strip_prefix("new mode ") {
                preamble.note_mode(mode);
            } else if text.starts_with("copy from ") {
                preamble.unsupported = Some("a copy");
            } else if text.starts_with("GIT binary patch") || text.starts_with("Binary files ") {
                preamble.unsupported = Some("a binary file");
            }
        }
        preamble
    }

    fn note_mode(&mut self, mode: &str) {
        let Ok(mode) = u32::from_str_radix(mode.trim(), 8) else { return };
        match mode >> 12 {
            0o12 => self.unsupported = Some("a symbolic link"),
            0o16 => self.unsupported = Some("a submodule"),
            0o4 => self.unsupported = Some("a folder"),
            _ => self.executable = Some(mode & 0o111 != 0),
        }
    }
}

/// The two paths of `diff --git a/x b/y`; with spaces in them they can only be told apart when they are equal.
fn git_paths(text: &str) -> Option<(String, String)> {
    if let Some((old, new)) = text.strip_prefix('"').and_then(|rest| rest.split_once("\" \"")) {
        return Some((old.to_owned(), new.trim_end_matches('"').to_owned()));
    }
    let halves = text.match_indices(" b/").map(|(at, _)| text.split_at(at));
    let mut halves: Vec<(&str, &str)> = halves.map(|(old, new)| (old, new.trim_start())).collect();
    if halves.len() > 1 {
        halves.retain(|(old, new)| old.strip_prefix("a/") == new.strip_prefix("b/"));
    }
    let (old, new) = halves.first().copied().or_else(|| text.split_once(' '))?;
    Some((old.to_owned(), new.to_owned()))
}

/// Takes `a/` and `b/` off, when both sides have them.
fn strip_prefixes(old: &str, new: &str) -> (String, String) {
    const PAIRS: &[(&str, &str)] =
        &[("a/", "b/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/"), ("old/", "new/")];
    for (before, after) in PAIRS {
        match (old, new, old.strip_prefix(before), new.strip_prefix(after)) {
            (_, _, Some(old), Some(new)) => return (old.to_owned(), new.to_owned()),
            (NO_FILE, _, _, Some(new)) => return (NO_FILE.to_owned(), new.to_owned()),
            (_, NO_FILE, Some(old), _) => return (old.to_owned(), NO_FILE.to_owned()),
            _ => {}
        }
    }
    (old.to_owned(), new.to_owned())
}

fn read_file(lines: &[OwnedLine], named: Option<&str>) -> Parsed {
    let line = lines.first().map_or(1, |line| line.number);
    let preamble = Preamble::read(lines);
    let borrowed: Vec<Line<'_>> = lines.iter().map(OwnedLine::as_line).collect();
    let diff = unified::parse_file(&borrowed);
    let mut parsed = Parsed { edits: Vec::new(), diagnostics: diff.diagnostics };
    let sides = match (diff.old_path, diff.new_path, &preamble.git) {
        (Some(old), Some(new), _) => Some(strip_prefixes(&old, &new)),
        (_, _, Some((old, new))) => Some(strip_prefixes(old, new)),
        _ => named.map(|path| (path.to_owned(), path.to_owned())),
    };
    let Some((old, new)) = sides else {
        parsed.diagnostics.push(
            Diagnostic::error(codes::MISSING_PATH, "this diff names no file")
                .hinted("begin it with `--- a/path` and `+++ b/path`")
                .at(line),
        );
        return parsed;
    };
    let path = if new == NO_FILE { old.clone() } else { new.clone() };
    if let Some(what) = preamble.unsupported {
        parsed.diagnostics.push(unsupported(what, line).on(path));
        return parsed;
    }
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        for finding in &mut parsed.diagnostics {
            finding.path.get_or_insert_with(|| path.clone());
        }
        return parsed;
    }
    let mut emit = |path: &str, operation| {
        parsed.edits.push(Edit { path: path.to_owned(), operation, dialect: Dialect::Unified, line });
    };
    let changes = diff.hunks.iter().any(|hunk| hunk.adds() || hunk.removes());
    let named_lines = !diff.hunks.is_empty();
    let patch = || Operation::Patch { hunks: diff.hunks.clone(), base: Base::Original };
    match (&preamble.rename, old.as_str(), new.as_str()) {
        ((Some(from), Some(to)), ..) => {
            emit(from, Operation::Rename { to: to.clone() });
            if changes {
                emit(to, patch());
            }
        }
        (_, _, NO_FILE) => delete(&path, named_lines.then(patch), &mut emit),
        _ if preamble.is_deleted => delete(&path, named_lines.then(patch), &mut emit),
        (_, NO_FILE, _) if !changes => emit(&path, Operation::Write { content: String::new() }),
        _ if preamble.is_new && !changes => emit(&path, Operation::Write { content: String::new() }),
        (_, old, new) if old != NO_FILE && old != new && named != Some(new) && !is_backup(old, new) => {
            parsed.diagnostics.push(
                Diagnostic::error(codes::PATH_MISMATCH, format!("this diff names two files, `{old}` and `{new}`"))
                    .hinted("write the same path in both headers; to rename a file as well, add `rename from` and `rename to` lines")
                    .on(new)
                    .at(line),
            );
        }
        _ if changes => emit(&path, patch()),
        // The mode is all that changes.
        _ if preamble.executable.is_some() => {}
        _ => parsed.diagnostics.push(
            Diagnostic::error(codes::BAD_DIFF, "this diff has no line that is added or removed")
                .hinted("start removed lines with `-`, added lines with `+` and context with one space")
                .on(path.as_str())
                .at(line),
        ),
    }
    let stays =
        new != NO_FILE && !preamble.is_deleted && !parsed.diagnostics.iter().any(Diagnostic::is_error);
    if let Some(executable) = preamble.executable.filter(|_| stays) {
        let path = preamble.rename.1.unwrap_or(path);
        let operation = Operation::Mode { executable };
        parsed.edits.push(Edit { path, operation, dialect: Dialect::Unified, line });
    }
    parsed
}

fn unsupported(what: &str, line: usize) -> Diagnostic {
    Diagnostic::error(codes::UNSUPPORTED, format!("this diff is about {what}, which Relay does not write"))
        .hinted("change it by hand, or send the file's text")
        .at(line)
}

/// Whether the file of a block shall be one that can be run, where the block holds a git diff that says so.
pub(crate) fn executable(body: &[OwnedLine], line: usize) -> Result<Option<bool>, Diagnostic> {
    if !body.iter().find(|line| !line.text.trim().is_empty()).is_some_and(|line| begins(&line.text)) {
        return Ok(None);
    }
    let preamble = Preamble::read(body);
    preamble.unsupported.map_or(Ok(preamble.executable), |what| Err(unsupported(what, line)))
}

/// The removed lines must stand in the file before it goes.
fn delete(path: &str, patch: Option<Operation>, emit: &mut impl FnMut(&str, Operation)) {
    if let Some(patch) = patch {
        emit(path, patch);
    }
    emit(path, Operation::Delete);
}

/// `x.orig` against `x`, as some tools write it.
fn is_backup(old: &str, new: &str) -> bool {
    [".orig", ".old", ".bak", "~"].iter().any(|suffix| old.strip_suffix(suffix) == Some(new))
}
