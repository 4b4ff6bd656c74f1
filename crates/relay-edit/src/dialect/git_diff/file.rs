//! What the diff of one file asks for: its headers say whether it is made, deleted, renamed or made a program, and the
//! hunks below them what changes.

use std::borrow::Cow;

use super::super::unified::{self, NO_FILE};
use super::super::{Dialect, Line, Parsed};
use super::begins;
use crate::{Base, Diagnostic, Edit, Operation, codes};

/// What the lines above the hunks of one file say.
#[derive(Debug, Default)]
struct Preamble<'t> {
    /// What is after `diff --git`.
    git: Option<&'t str>,
    rename: (Option<Cow<'t, str>>, Option<Cow<'t, str>>),
    is_new: bool,
    is_deleted: bool,
    /// Whether the file should be executable, if the diff says so.
    executable: Option<bool>,
    unsupported: Option<&'static str>,
}

impl<'t> Preamble<'t> {
    fn read(lines: impl Iterator<Item = &'t str>) -> Self {
        let mut preamble = Self::default();
        for text in lines.take_while(|text| !unified::is_hunk_header(text)) {
            if let Some(rest) = text.strip_prefix("diff --git ") {
                preamble.git = Some(rest);
            } else if let Some(path) = text.strip_prefix("rename from ") {
                preamble.rename.0 = Some(unified::header_path(path));
            } else if let Some(path) = text.strip_prefix("rename to ") {
                preamble.rename.1 = Some(unified::header_path(path));
            } else if let Some(mode) = text.strip_prefix("new file mode ") {
                preamble.is_new = true;
                preamble.note_mode(mode);
                // A new file is not executable anyway unless the diff says so.
                preamble.executable = preamble.executable.filter(|executable| *executable);
            } else if let Some(mode) = text.strip_prefix("deleted file mode ") {
                preamble.is_deleted = true;
                preamble.note_kind(mode);
            } else if let Some(mode) = text.strip_prefix("old mode ") {
                preamble.note_kind(mode);
            } else if let Some(mode) = text.strip_prefix("index ").and_then(|rest| rest.split(' ').nth(1)) {
                preamble.note_kind(mode);
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

    /// Notes the mode that a file gets.
    fn note_mode(&mut self, mode: &str) {
        let mode = self.note_kind(mode);
        self.executable = mode.map_or(self.executable, |mode| Some(mode & 0o111 != 0));
    }

    /// Notes what a mode is about; returns that of a file. `new file mode 100755`.
    fn note_kind(&mut self, mode: &str) -> Option<u32> {
        let mode = u32::from_str_radix(mode.trim(), 8).ok()?;
        let what = match mode >> 12 {
            0o12 => "a symbolic link",
            0o16 => "a submodule",
            0o4 => "a folder",
            _ if mode & 0o7000 != 0 => "a program that runs as its owner or group",
            _ => return Some(mode),
        };
        self.unsupported = Some(what);
        None
    }
}

/// The two paths of `diff --git a/x b/y`; if they contain spaces, they can only be separated if they are equal.
fn git_paths(text: &str) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    let text = text.trim_end();
    if let Some((old, new)) = text.strip_prefix('"').and_then(|rest| rest.split_once("\" \"")) {
        let new = new.trim_end_matches('"');
        return Some((unified::quoted_path(old).into(), unified::quoted_path(new).into()));
    }
    let halves = || text.match_indices(" b/").map(|(at, _)| text.split_at(at));
    let several = halves().nth(1).is_some();
    let agree = |(old, new): &(&str, &str)| old.strip_prefix("a/") == new.strip_prefix(" b/");
    let found = halves().find(|sides| !several || agree(sides)).map(|(old, new)| (old, new.trim_start()));
    let (old, new) = found.or_else(|| text.split_once(' '))?;
    Some((old.into(), new.into()))
}

/// Takes `a/` and `b/` off, when both sides have them.
fn strip_prefixes<'p>(old: &'p str, new: &'p str) -> (&'p str, &'p str) {
    const PAIRS: &[(&str, &str)] =
        &[("a/", "b/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/"), ("old/", "new/")];
    // One side may have been left without: `x` against `b/x`.
    if old.strip_prefix("a/") == Some(new) {
        return (new, new);
    }
    if new.strip_prefix("b/") == Some(old) {
        return (old, old);
    }
    for (before, after) in PAIRS {
        match (old, new, old.strip_prefix(before), new.strip_prefix(after)) {
            (_, _, Some(old), Some(new)) => return (old, new),
            (NO_FILE, _, _, Some(new)) => return (NO_FILE, new),
            (_, NO_FILE, Some(old), _) => return (old, NO_FILE),
            _ => {}
        }
    }
    (old, new)
}

/// The file that a diff is about; `named` where it has no headers. `src/a.ts` for `+++ b/src/a.ts`.
pub(super) fn path(lines: &[Line<'_>], named: Option<&str>) -> Option<String> {
    let git = Preamble::read(lines.iter().map(|line| line.text)).git;
    let diff = unified::parse_file(lines);
    let headers = diff.old_path.zip(diff.new_path).or_else(|| git.and_then(git_paths));
    let sides = headers.as_ref().map(|(old, new)| strip_prefixes(old, new));
    sides.map(|(old, new)| if new == NO_FILE { old } else { new }).or(named).map(str::to_owned)
}

/// Whether the hunks of a diff are there, and all that it asks for. Not where `GIT binary patch` is below.
pub(super) fn patches(lines: &[Line<'_>]) -> bool {
    let Preamble { rename, is_new, is_deleted, executable, unsupported, .. } =
        Preamble::read(lines.iter().map(|line| line.text));
    let is_one = |line: &Line<'_>| matches!(line.text, "--- /dev/null" | "+++ /dev/null");
    let more =
        is_new || is_deleted || executable.is_some() || unsupported.is_some() || rename != (None, None);
    lines.iter().any(|line| unified::is_hunk_header(line.text)) && !more && !lines.iter().any(is_one)
}

pub(super) fn read_file(lines: &[Line<'_>], named: Option<&str>) -> Parsed {
    let line = lines.first().map_or(1, |line| line.number);
    let preamble = Preamble::read(lines.iter().map(|line| line.text));
    let mut diff = unified::parse_file(lines);
    let mut parsed = Parsed { findings: std::mem::take(&mut diff.findings), ..Parsed::default() };
    let headers = diff.old_path.zip(diff.new_path).or_else(|| preamble.git.and_then(git_paths));
    let sides = headers.as_ref().map(|(old, new)| strip_prefixes(old, new));
    let Some((old, new)) = sides.or_else(|| named.map(|path| (path, path))) else {
        parsed.findings.push(
            Diagnostic::error(codes::MISSING_PATH, "this diff names no file")
                .hinted("begin it with `--- a/path` and `+++ b/path`")
                .at(line),
        );
        return parsed;
    };
    let path = if new == NO_FILE { old } else { new };
    if let Some(what) = preamble.unsupported {
        parsed.findings.push(unsupported(what, line).on(path));
        return parsed;
    }
    if parsed.findings.has_errors() {
        parsed.findings.concern(path);
        return parsed;
    }
    let mut emit = |path: &str, operation| {
        parsed.edits.push(Edit { path: path.to_owned(), operation, dialect: Dialect::Unified, line });
    };
    let changes = diff.hunks.iter().any(|hunk| hunk.adds() || hunk.removes());
    let named_lines = !diff.hunks.is_empty();
    let mut patch = || Operation::Patch { hunks: std::mem::take(&mut diff.hunks), base: Base::Original };
    match (&preamble.rename, old, new) {
        ((Some(from), Some(to)), ..) => {
            emit(from, Operation::Rename { to: to.clone().into_owned() });
            if changes {
                emit(to, patch());
            }
        }
        (_, _, NO_FILE) => delete(path, named_lines.then(&mut patch), &mut emit),
        _ if preamble.is_deleted => delete(path, named_lines.then(&mut patch), &mut emit),
        (_, NO_FILE, _) if !changes => emit(path, Operation::Write { content: String::new() }),
        _ if preamble.is_new && !changes => emit(path, Operation::Write { content: String::new() }),
        (_, old, new) if old != NO_FILE && old != new && named != Some(new) && !is_backup(old, new) => {
            parsed.findings.push(
                Diagnostic::error(codes::PATH_MISMATCH, format!("this diff names two files, `{old}` and `{new}`"))
                    .hinted("write the same path in both headers; to rename a file as well, add `rename from` and `rename to` lines")
                    .on(new)
                    .at(line),
            );
        }
        _ if changes => emit(path, patch()),
        // The mode is all that changes.
        _ if preamble.executable.is_some() => {}
        _ => parsed.findings.push(
            Diagnostic::error(codes::BAD_DIFF, "this diff has no line that is added or removed")
                .hinted("start removed lines with `-`, added lines with `+` and context with one space")
                .on(path)
                .at(line),
        ),
    }
    let stays = new != NO_FILE && !preamble.is_deleted && !parsed.findings.has_errors();
    if let Some(executable) = preamble.executable.filter(|_| stays) {
        let path = preamble.rename.1.map_or_else(|| path.to_owned(), Cow::into_owned);
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

/// Whether the file of a block should be executable, if the block contains a git diff that says so.
pub(crate) fn executable(body: &[Line<'_>], line: usize) -> Result<Option<bool>, Diagnostic> {
    if !body.iter().find(|line| !line.text.trim().is_empty()).is_some_and(|line| begins(line.text)) {
        return Ok(None);
    }
    let preamble = Preamble::read(body.iter().map(|line| line.text));
    preamble.unsupported.map_or(Ok(preamble.executable), |what| Err(unsupported(what, line)))
}

/// The removed lines must be in the file before it goes.
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
