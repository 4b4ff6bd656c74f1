//! A change as a coloured diff with line numbers, or as a plain unified diff.

use std::collections::HashMap;

use relay_edit::{After, DiffHunk, DiffKind, DiffLine, FileDiff, diff, diff_start};
use relay_engine::{FileOperation, ModeChange, operation};
use relay_txn::{FileChange, Image, is_link};
use relay_workspace::RelPath;

use super::report::{line, lines, mode, operation_sign, part};
use super::style::{BAD, FAINT, GOOD, PLACE, STRONG, paint};
use super::visible;

/// How many lines of one file's diff are shown at once; asking for the file shows it all.
const LINES_SHOWN: usize = 200;
/// How many lines are shown of all files together; more would not be read.
const LINES_SHOWN_IN_ALL: usize = 500;
/// How many bytes of one line are shown; asking for the file shows it all.
const BYTES_SHOWN: usize = 4000;

/// The number of files that fit if each has one change, and the length of such a file's diff.
const FILES_USUALLY_SHOWN: usize = 50;
const FILE_BYTES: usize = 512;

/// All changes with their diffs, long ones cut. Beyond the limit, lines are only counted.
pub fn changes<C>(changes: &[FileChange<C>]) -> String
where
    for<'a> After<'a>: From<&'a C>,
{
    let mut text = String::with_capacity(changes.len().min(FILES_USUALLY_SHOWN) * FILE_BYTES);
    let mut shown = 0;
    let sources = Sources::of(changes);
    let mut left = changes.iter().filter(|change| !sources.hold(change));
    while shown < LINES_SHOWN_IN_ALL {
        let Some(change) = left.next() else { return text };
        let before = text.len();
        file(&mut text, change, sources.origin(change), Some(LINES_SHOWN));
        shown += text.get(before..).map_or(0, |next| next.matches('\n').count());
    }
    let more = left.count();
    if more > 0 {
        line(&mut text, format_args!("{}", paint(FAINT, format_args!("… and {more} more files"))));
    }
    text
}

/// One change in full.
pub fn whole(change: &FileChange, changes: &[FileChange]) -> String {
    let mut text = String::new();
    file(&mut text, change, Sources::of(changes).origin(change), None);
    text
}

/// The old paths of renamed files, with their former content.
struct Sources<'a>(HashMap<&'a RelPath, Option<&'a Image>>);

impl<'a> Sources<'a> {
    fn of<C>(changes: &'a [FileChange<C>]) -> Self {
        let renamed = changes.iter().filter_map(|change| change.renamed_from.as_ref());
        let mut sources: HashMap<&RelPath, Option<&Image>> = renamed.map(|from| (from, None)).collect();
        for change in changes {
            if let Some(source) = sources.get_mut(&change.path) {
                *source = change.before.as_ref();
            }
        }
        Self(sources)
    }

    /// Whether a change is the other half of a rename.
    fn hold<C>(&self, change: &FileChange<C>) -> bool {
        change.after.is_none() && self.0.contains_key(&change.path)
    }

    /// The file a change starts from: for a rename, the one under the old path.
    fn origin<C>(&self, change: &'a FileChange<C>) -> Option<&'a Image> {
        match &change.renamed_from {
            Some(from) => self.0.get(from).copied().flatten(),
            None => change.before.as_ref(),
        }
    }
}

fn file<C>(text: &mut String, change: &FileChange<C>, origin: Option<&Image>, limit: Option<usize>)
where
    for<'a> After<'a>: From<&'a C>,
{
    let before = origin.map(|image| &*image.bytes).unwrap_or_default();
    let after = change.after.as_ref().map_or(After::Whole(&[]), |target| After::from(&target.bytes));
    let name = match &change.renamed_from {
        Some(from) => format!("{} → {}", visible(from.as_str()), visible(change.path.as_str())),
        None => visible(change.path.as_str()).into_owned(),
    };
    line(
        text,
        format_args!(
            "{} {}  {}{}",
            operation_sign(operation(change)),
            paint(STRONG, name),
            lines(change.added, change.removed),
            mode(ModeChange::of(change, origin))
        ),
    );
    let limit = limit.unwrap_or(usize::MAX);
    match diff_start(before, after, limit) {
        FileDiff::Text(hunks) => {
            let left_out = (change.added + change.removed).saturating_sub(paint_hunks(text, &hunks, limit));
            if left_out > 0 {
                let more = format_args!("… {left_out} more lines changed");
                line(text, format_args!("  {}", paint(FAINT, more)));
            }
        }
        FileDiff::Binary => {
            let sizes = format!("binary, {} → {} bytes", before.len(), after.len());
            line(text, format_args!("  {}", paint(FAINT, sizes)));
        }
    }
}

/// The hunks, at most `limit` lines of them. Returns how many of these are new or gone.
fn paint_hunks(text: &mut String, hunks: &[DiffHunk], limit: usize) -> usize {
    let (mut left, mut changed) = (limit, 0);
    for hunk in hunks {
        if left == 0 {
            break;
        }
        line(text, format_args!("  {}", paint(PLACE, format_args!("@@ line {} @@", hunk.new_start.max(1)))));
        for diff_line in hunk.lines.iter().take(left) {
            paint_line(text, diff_line, if limit == usize::MAX { limit } else { BYTES_SHOWN });
            changed += usize::from(diff_line.kind != DiffKind::Context);
        }
        left = left.saturating_sub(hunk.lines.len());
    }
    changed
}

/// At most `limit` bytes of a line, with the number of bytes left out.
fn paint_line(text: &mut String, diff_line: &DiffLine, limit: usize) {
    let (shown, left_out) = diff_line.text.split_at(diff_line.text.floor_char_boundary(limit));
    let content = visible(shown);
    text.push_str("  ");
    FAINT.around(text, |text| {
        push_number(text, diff_line.old);
        text.push(' ');
        push_number(text, diff_line.new);
    });
    text.push(' ');
    match diff_line.kind {
        DiffKind::Context => text.extend(["  ", &content]),
        DiffKind::Added => GOOD.around(text, |text| text.extend(["+ ", &content])),
        DiffKind::Removed => BAD.around(text, |text| text.extend(["- ", &content])),
    }
    if !left_out.is_empty() {
        part(text, format_args!("{}", paint(FAINT, format_args!("… {} more bytes", left_out.len()))));
    }
    text.push('\n');
    if diff_line.lacks_newline {
        line(text, format_args!("  {}", paint(FAINT, "            \\ no newline at the end")));
    }
}

/// A right-aligned number, or an empty column. This runs for every line, and is faster than `format!`.
fn push_number(text: &mut String, number: Option<usize>) {
    let Some(number) = number else { return text.push_str("    ") };
    let missing = [10, 100, 1000].into_iter().filter(|more| number < *more).count();
    text.extend(std::iter::repeat_n(' ', missing));
    part(text, format_args!("{number}"));
}

/// The changes as a git diff, for other programs.
pub fn unified(changes: &[FileChange]) -> String {
    let sources = Sources::of(changes);
    changes
        .iter()
        .filter(|change| !sources.hold(change))
        .map(|change| unified_file(change, sources.origin(change)))
        .collect()
}

fn unified_file(change: &FileChange, origin: Option<&Image>) -> String {
    let target_mode = change.after.as_ref().and_then(|target| target.mode);
    if let (Some(before), Some(after)) = (origin, target_mode)
        && is_link(before.mode) != is_link(after)
    {
        // Git cannot express a change from a file to a link, so it is a deletion and an addition.
        let gone = FileChange { after: None, ..change.clone() };
        let fresh = FileChange { before: None, ..change.clone() };
        return unified_file(&gone, origin) + &unified_file(&fresh, None);
    }
    let before = origin.map(|image| &*image.bytes).unwrap_or_default();
    let after = change.after.as_ref().map(|target| &*target.bytes).unwrap_or_default();
    let old = change.renamed_from.as_ref().unwrap_or(&change.path).as_str();
    let new = change.path.as_str();
    let mut text = String::new();
    line(&mut text, format_args!("diff --git {} {}", quoted("a/", old), quoted("b/", new)));
    let old_mode = origin.map_or(PLAIN_FILE, |image| git_mode(image.mode));
    let new_mode = target_mode.map_or(old_mode, git_mode);
    if origin.is_some() && change.after.is_some() && old_mode != new_mode {
        line(&mut text, format_args!("old mode {old_mode:o}\nnew mode {new_mode:o}"));
    }
    match operation(change) {
        FileOperation::Create => line(&mut text, format_args!("new file mode {new_mode:o}")),
        FileOperation::Delete => line(&mut text, format_args!("deleted file mode {old_mode:o}")),
        FileOperation::Rename => line(&mut text, format_args!("rename from {old}\nrename to {new}")),
        FileOperation::Modify => {}
    }
    let hunks = match diff(before, after) {
        FileDiff::Binary => {
            line(
                &mut text,
                format_args!("Binary files {} and {} differ", quoted("a/", old), quoted("b/", new)),
            );
            return text;
        }
        FileDiff::Text(hunks) => hunks,
    };
    if hunks.is_empty() {
        return text;
    }
    let side = |exists: bool, prefix: &str, path: &str| {
        if exists { quoted(prefix, path) } else { "/dev/null".to_owned() }
    };
    let existed = change.before.is_some() || change.renamed_from.is_some();
    line(&mut text, format_args!("--- {}", side(existed, "a/", old)));
    line(&mut text, format_args!("+++ {}", side(change.after.is_some(), "b/", new)));
    let (before, after) = (raw_lines(before), raw_lines(after));
    for hunk in &hunks {
        unified_hunk(&mut text, hunk, &before, &after);
    }
    text
}

fn unified_hunk(text: &mut String, hunk: &DiffHunk, before: &[&[u8]], after: &[&[u8]]) {
    let count =
        |kind: DiffKind| hunk.lines.iter().filter(|l| l.kind == kind || l.kind == DiffKind::Context).count();
    let (old, new) = (count(DiffKind::Removed), count(DiffKind::Added));
    // An empty side is numbered by the line before it, where the other numbers already point.
    let start = |start: usize, count: usize| if count == 0 { start.saturating_sub(1) } else { start };
    let (old_start, new_start) = (start(hunk.old_start, old), start(hunk.new_start, new));
    line(text, format_args!("@@ -{old_start},{old} +{new_start},{new} @@"));
    for diff_line in &hunk.lines {
        let (sign, raw) = match diff_line.kind {
            DiffKind::Context => (' ', raw_line(after, diff_line.new)),
            DiffKind::Added => ('+', raw_line(after, diff_line.new)),
            DiffKind::Removed => ('-', raw_line(before, diff_line.old)),
        };
        line(text, format_args!("{sign}{}", String::from_utf8_lossy(raw)));
        if diff_line.lacks_newline {
            line(text, format_args!("\\ No newline at end of file"));
        }
    }
}

/// The lines as they are in the file, without their newlines.
fn raw_lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split(|byte| *byte == b'\n').collect()
}

fn raw_line<'a>(lines: &[&'a [u8]], number: Option<usize>) -> &'a [u8] {
    number.and_then(|number| lines.get(number.checked_sub(1)?)).copied().unwrap_or_default()
}

/// Git's mode of a file that is not executable.
const PLAIN_FILE: u32 = 0o100_644;

/// Git has three modes: link, executable file, other file.
fn git_mode(mode: u32) -> u32 {
    match mode {
        link if is_link(link) => 0o120_000,
        program if program & 0o100 != 0 => 0o100_755,
        _ => PLAIN_FILE,
    }
}

/// A path as git writes it: quoted if it contains characters that would break the line.
fn quoted(prefix: &str, path: &str) -> String {
    if path.contains(['"', '\\', '\t', '\n']) {
        format!("\"{prefix}{}\"", path.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        format!("{prefix}{path}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use relay_txn::Target;
    use relay_workspace::RelPath;

    /// A change of this many lines.
    fn change(before: &str, after: &str, lines: usize) -> FileChange {
        FileChange {
            path: RelPath::new("a.txt").expect("path"),
            before: Some(Image::new(before.as_bytes(), PLAIN_FILE)),
            after: Some(Target::new(after.as_bytes())),
            renamed_from: None,
            added: lines,
            removed: lines,
        }
    }

    #[test]
    fn a_long_line_is_cut_and_says_by_how_much() {
        let change = change("a\n", &format!("{}ä{}end\n", "x".repeat(BYTES_SHOWN - 1), "y".repeat(50)), 1);
        let cut = changes(std::slice::from_ref(&change));
        assert!(cut.contains("… 55 more bytes") && !cut.contains("end"), "{cut}");
        let all = whole(&change, std::slice::from_ref(&change));
        assert!(all.contains("end") && !all.contains("more bytes"), "{all}");
    }

    #[test]
    fn a_long_diff_is_cut_and_says_by_how_much() {
        /// How many of the numbers below 10,000 contain 50.
        const CHANGED: usize = 299;
        let before: String = (0..10_000).map(|line| format!("{line}\n")).collect();
        let after: String = before.lines().map(|line| line.replace("50", "x") + "\n").collect();
        let change = change(&before, &after, CHANGED);
        let count = |text: &str, words: &str| text.matches(words).count();
        let all = whole(&change, std::slice::from_ref(&change));
        let cut = changes(std::slice::from_ref(&change));
        let changed =
            |text: &str| text.lines().filter(|line| line.contains("+ ") || line.contains("- ")).count();
        assert_eq!(changed(&all), 2 * CHANGED);
        let left_out = 2 * CHANGED - changed(&cut);
        assert!(cut.contains(&format!("… {left_out} more lines changed")), "{cut}");
        // One line for the file, one for what is left out, and no empty hunk.
        assert_eq!(cut.lines().count(), 2 + LINES_SHOWN + count(&cut, "@@ line"));
        assert!(!cut.trim_end().lines().rev().nth(1).is_some_and(|line| line.contains("@@ line")), "{cut}");
    }
}
