//! Old and new lines of an edit, as a diff that can be drawn while the edit still arrives.

use crate::text::{Line, clean};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// Above this many lines on a side, only what both begin and end with is found.
const EXACT_LINES: usize = 400;
/// Lines around a change.
const CONTEXT: usize = 2;

/// A line of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffLine {
    /// In both.
    Same(String),
    /// Only in the old text.
    Removed(String),
    /// Only in the new text.
    Added(String),
    /// This many lines are left out, or a heading of a patch.
    Skipped(String),
}

/// What changes between two texts.
#[must_use]
pub fn diff(old: &str, new: &str) -> Vec<DiffLine> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let inner_old = old.get(head..old.len() - tail).unwrap_or_default();
    let inner_new = new.get(head..new.len() - tail).unwrap_or_default();
    let same = |lines: &[&str]| -> Vec<DiffLine> {
        lines.iter().map(|line| DiffLine::Same((*line).to_owned())).collect()
    };
    let mut lines = same(old.get(..head).unwrap_or_default());
    lines.extend(inner(inner_old, inner_new));
    lines.extend(same(old.get(old.len() - tail..).unwrap_or_default()));
    lines
}

fn inner(old: &[&str], new: &[&str]) -> Vec<DiffLine> {
    let removed = |line: &&str| DiffLine::Removed((*line).to_owned());
    let added = |line: &&str| DiffLine::Added((*line).to_owned());
    if old.len() > EXACT_LINES || new.len() > EXACT_LINES {
        return old.iter().map(removed).chain(new.iter().map(added)).collect();
    }
    // The longest common subsequence, from the end.
    let wide = new.len() + 1;
    let mut table = vec![0_u16; (old.len() + 1) * wide];
    let at = |table: &[u16], row: usize, column: usize| {
        table.get(row * wide + column).copied().unwrap_or_default()
    };
    for (row, left) in old.iter().enumerate().rev() {
        for (column, right) in new.iter().enumerate().rev() {
            let value = if left == right {
                at(&table, row + 1, column + 1) + 1
            } else {
                at(&table, row + 1, column).max(at(&table, row, column + 1))
            };
            if let Some(cell) = table.get_mut(row * wide + column) {
                *cell = value;
            }
        }
    }
    let (mut row, mut column, mut lines) = (0, 0, Vec::new());
    while let (Some(left), Some(right)) = (old.get(row), new.get(column)) {
        if left == right {
            lines.push(DiffLine::Same((*left).to_owned()));
            (row, column) = (row + 1, column + 1);
        } else if at(&table, row + 1, column) >= at(&table, row, column + 1) {
            lines.push(removed(left));
            row += 1;
        } else {
            lines.push(added(right));
            column += 1;
        }
    }
    lines.extend(old.iter().skip(row).map(removed));
    lines.extend(new.iter().skip(column).map(added));
    lines
}

/// A patch that someone wrote, line by line.
#[must_use]
pub fn read_patch(patch: &str) -> Vec<DiffLine> {
    let mut lines = Vec::new();
    // What git says of a file before its first hunk.
    let mut is_head = false;
    let mut all = patch.lines().peekable();
    let mut before = "";
    while let Some(line) = all.next() {
        is_head = (is_head || line.starts_with(GIT)) && !line.starts_with("@@");
        // A line that is removed may begin with two hyphens of its own.
        let is_name = (line.starts_with("--- ") && all.peek().is_some_and(|next| next.starts_with("+++ ")))
            || (line.starts_with("+++ ") && before.starts_with("--- "));
        lines.push(if is_head || is_name || line.starts_with("@@") || line.starts_with("***") {
            DiffLine::Skipped(line.to_owned())
        } else if let Some(rest) = line.strip_prefix('+') {
            DiffLine::Added(rest.to_owned())
        } else if let Some(rest) = line.strip_prefix('-') {
            DiffLine::Removed(rest.to_owned())
        } else {
            DiffLine::Same(line.strip_prefix(' ').unwrap_or(line).to_owned())
        });
        before = line;
    }
    lines
}

/// How git begins what it says of a file.
const GIT: &str = "diff --git ";

/// A diff as text.
#[must_use]
pub fn text(lines: &[DiffLine]) -> String {
    let line = |line: &DiffLine| match line {
        DiffLine::Same(text) => format!(" {text}\n"),
        DiffLine::Removed(text) => format!("-{text}\n"),
        DiffLine::Added(text) => format!("+{text}\n"),
        DiffLine::Skipped(text) => format!("{text}\n"),
    };
    lines.iter().map(line).collect()
}

/// Leaves out what is far from every change.
#[must_use]
pub fn near_changes(lines: Vec<DiffLine>) -> Vec<DiffLine> {
    let is_same = |line: &DiffLine| matches!(line, DiffLine::Same(_));
    let changes: Vec<usize> =
        lines.iter().enumerate().filter(|(_, line)| !is_same(line)).map(|(at, _)| at).collect();
    let mut kept = Vec::new();
    let mut skipped = 0;
    for (at, line) in lines.into_iter().enumerate() {
        let next = changes.partition_point(|change| *change < at);
        let is_near = changes.get(next).is_some_and(|change| change - at <= CONTEXT)
            || next
                .checked_sub(1)
                .and_then(|before| changes.get(before))
                .is_some_and(|change| at - change <= CONTEXT);
        if is_near {
            if skipped > 0 && !kept.is_empty() {
                kept.push(DiffLine::Skipped(format!("{skipped} unchanged lines")));
            }
            skipped = 0;
            kept.push(line);
        } else {
            skipped += 1;
        }
    }
    kept
}

/// How many lines were added and removed.
#[must_use]
pub fn count(lines: &[DiffLine]) -> (usize, usize) {
    let added = lines.iter().filter(|line| matches!(line, DiffLine::Added(_))).count();
    let removed = lines.iter().filter(|line| matches!(line, DiffLine::Removed(_))).count();
    (added, removed)
}

/// A diff as lines of the screen.
#[must_use]
pub fn draw(view: &View<'_>, lines: &[DiffLine]) -> Vec<Line> {
    let mut drawn = Vec::new();
    let mut is_git = false;
    for line in lines {
        let (sign, text, token) = match line {
            DiffLine::Same(text) => ("  ", text, Token::ToolDiffContext),
            DiffLine::Removed(text) => ("- ", text, Token::ToolDiffRemoved),
            DiffLine::Added(text) => ("+ ", text, Token::ToolDiffAdded),
            DiffLine::Skipped(text) if text.starts_with(GIT) => {
                let path =
                    text.rsplit_once(" b/").map_or(text.as_str(), |(_, path)| path).trim_end_matches('"');
                if is_git {
                    drawn.push(Line::new());
                }
                is_git = true;
                drawn.push(Line::of(clean(path), view.fg(Token::ToolTitle).bold()));
                continue;
            }
            // The path was said already.
            DiffLine::Skipped(text)
                if is_git && ["--- ", "+++ ", "index "].iter().any(|name| text.starts_with(name)) =>
            {
                continue;
            }
            DiffLine::Skipped(text) => {
                let sign = format!("{} ", view.sign(Symbol::ScrollMore));
                drawn.push(Line::of(sign, view.fg(Token::Dim)).and(clean(text), view.fg(Token::Dim)));
                continue;
            }
        };
        drawn.extend(Line::of(sign, view.fg(token)).and(clean(text), view.fg(token)).wrapped(view.width, 2));
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &[DiffLine]) -> String {
        let line = |line: &DiffLine| match line {
            DiffLine::Same(text) => format!(" {text}"),
            DiffLine::Removed(text) => format!("-{text}"),
            DiffLine::Added(text) => format!("+{text}"),
            DiffLine::Skipped(text) => format!("~{text}"),
        };
        lines.iter().map(line).collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(old: &str, new: &str, expected: &str) {
        assert_eq!(shown(&diff(old, new)), expected);
    }

    #[test]
    fn a_patch_of_git_names_its_files_and_keeps_lines_with_hyphens() {
        let patch = "diff --git a/x.sql b/x.sql\nindex 1..2 100644\n--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,1 @@\n--- a comment\n select\n";
        let lines = read_patch(patch);
        assert!(lines.contains(&DiffLine::Removed("-- a comment".to_owned())), "{lines:?}");
        assert_eq!(text(&lines), patch);
        let app = crate::app::App::new(80, 24);
        let drawn: Vec<String> = draw(&app.view(), &lines).iter().map(Line::text).collect();
        assert_eq!(drawn, ["x.sql", "⋮ @@ -1,2 +1,1 @@", "- -- a comment", "  select"]);
    }

    #[test]
    fn the_least_that_changes() {
        check("a\nb\nc", "a\nx\nc", " a -b +x  c");
        check("", "a\nb", "+a +b");
        check("a\nb", "", "-a -b");
        check("a\nb\nc\nd", "b\nx\nd", "-a  b -c +x  d");
    }

    #[test]
    fn far_lines_are_left_out() {
        let old: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        let new = old.join("\n").replace("10", "ten");
        let near = near_changes(diff(&old.join("\n"), &new));
        assert_eq!(shown(&near), " 8  9 -10 +ten  11  12");
    }
}
