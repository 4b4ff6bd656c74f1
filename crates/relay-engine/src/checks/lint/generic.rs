//! Tools without a file of their own: a count of errors in a summary, places with a rule's code, and, only when
//! the command failed, plain lists of places.

use super::location::{Location, Severity, places, severity};
use super::ruff::rule;
use super::tally::Worth;
use super::{Line, count};

pub(super) fn read(line: Line<'_>) -> Option<Worth> {
    summary(line.text).or_else(|| frame(line.text)).or_else(|| place(line))
}

/// `::error file=a.py,line=1::message`, as build servers want it; the message may be in any tool's own format.
pub(super) fn read_annotation(line: Line<'_>) -> Option<Worth> {
    let text = line.text;
    if text.starts_with("::error ") || text.starts_with("::error::") || text.starts_with("##[error]") {
        Some(Worth::Error)
    } else if text.starts_with("::warning") || text.starts_with("::notice") || text.starts_with("##[warning]")
    {
        Some(Worth::Nothing)
    } else {
        None
    }
}

/// `3 errors`, `✖ 2 errors, 1 warning`, `    3 Error(s)`, `Checked 2 files. Found 3 errors.`
fn summary(text: &str) -> Option<Worth> {
    let counts = at_start(text).or_else(|| after_found(text))?;
    // `3 errors fixed` and `5 errors in the manual` are sentences of another kind.
    #[rustfmt::skip]
    const ENDINGS: [&str; 12] = [
        ".", ",", ";", ":", "!", ")", " in ", " found", " generated", " detected", " reported",
        " remaining",
    ];
    let ends = counts.rest.trim_end_matches(['=', '-', '*', ' ']);
    let is_summary = ends.is_empty() || ENDINGS.iter().any(|ending| ends.starts_with(ending));
    is_summary.then(|| counts.errors.map(Worth::AnyTotal)).flatten()
}

/// A headline of Biome (`a.js:1:1 lint/… ━━━`) or a frame of oxlint (`,-[a.js:1:1]`): whatever was listed before,
/// the summary that follows is not about that.
fn frame(text: &str) -> Option<Worth> {
    let is_biome =
        || text.ends_with('━') && places(text).next().is_some_and(|place| place.rest.starts_with(' '));
    let is_oxlint = || {
        let text = text.trim_start();
        (text.starts_with(",-[") || text.starts_with("╭─[")) && text.ends_with(']')
    };
    (is_biome() || is_oxlint()).then_some(Worth::Nothing)
}

/// Counts at the start of the line, after marks and a log level in brackets.
fn at_start(text: &str) -> Option<count::Counts<'_>> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '[');
    let text = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((level, rest)) if level.chars().all(|c| c.is_ascii_alphabetic()) => rest.trim_start(),
        _ => text,
    };
    count::counts(text)
}

/// Counts after the first `found` with a number.
fn after_found(text: &str) -> Option<count::Counts<'_>> {
    text.match_indices("ound ").find_map(|(at, marker)| {
        let (before, rest) = text.split_at_checked(at)?;
        let before = before.strip_suffix(['f', 'F'])?;
        let begins_a_word = !before.ends_with(char::is_alphanumeric);
        begins_a_word.then(|| count::counts(rest.strip_prefix(marker)?)).flatten()
    })
}

fn place(line: Line<'_>) -> Option<Worth> {
    let place = places(line.text).next()?;
    let message = place.message()?;
    if let Some(rest) = rule(message) {
        return coded(message, rest);
    }
    // A list of places is a list of errors only in the output of a command that failed.
    let is_listed =
        line.failed && place.numbers >= 2 && is_file(&place) && severity(message) != Some(Severity::Lesser);
    is_listed.then_some(Worth::Error)
}

/// flake8 writes `F401 message` and means an error; pylint writes `W0611: message`, where the letter is the severity.
fn coded(message: &str, rest: &str) -> Option<Worth> {
    if rest.starts_with(": ") {
        Some(if message.starts_with(['E', 'F']) { Worth::Error } else { Worth::Nothing })
    } else {
        rest.starts_with(' ').then_some(Worth::Error)
    }
}

/// Whether it looks like a file at the start of the line: `a/b.c`, not `12:30:15` and not `https://x:80:1`.
fn is_file(place: &Location<'_>) -> bool {
    let name = place.path.rsplit(['/', '\\']).next().unwrap_or(place.path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    !place.path.starts_with([' ', '\t'])
        && !place.path.contains("://")
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.chars().all(|c| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_failed, check_line};
    use super::{Worth, read, read_annotation};

    #[test]
    fn summaries() {
        for (text, count) in [
            ("3 errors", 3),
            ("1 error", 1),
            ("✖ 2 errors, 1 warning", 2),
            ("    3 Error(s)", 3),
            ("Found 5 errors.", 5),
            ("Found 1 warning and 2 errors.", 2),
            ("Checked 2 files in 20ms. Found 3 errors.", 3),
            ("svelte-check found 2 errors and 1 warning in 2 files", 2),
            ("[INFO] 4 errors", 4),
            ("===== 2 errors in 0.30s =====", 2),
            ("0 errors", 0),
        ] {
            check_line(read, text, Some(Worth::AnyTotal(count)));
        }
    }

    #[test]
    fn lines_that_are_not_summaries() {
        for text in [
            "2 warnings",
            "3 errors fixed",
            "2 error messages were translated",
            "we had 3 errors",
            "profound 3 errors",
            "12 | // 3 errors",
            "3 errors potentially fixable with the `--fix` option.",
        ] {
            check_line(read, text, None);
        }
    }

    #[test]
    fn frames() {
        check_line(read, "src/a.js:1:1 lint/style/useConst  FIXABLE  ━━━━━━", Some(Worth::Nothing));
        check_line(read, "   ,-[src/a.js:3:9]", Some(Worth::Nothing));
        check_line(read, "   ╭─[src/a.js:3:9]", Some(Worth::Nothing));
    }

    #[test]
    fn codes() {
        check_line(read, "./a.py:1:1: F401 'os' imported but unused", Some(Worth::Error));
        check_line(read, "a.py:7:24: E0602: Undefined variable (undefined-variable)", Some(Worth::Error));
        check_line(read, "a.py:1:0: W0611: Unused import os (unused-import)", Some(Worth::Nothing));
        check_line(read_annotation, "::error title=x,file=a.py::a.py:1:1: F401 no", Some(Worth::Error));
        check_line(read_annotation, "::warning file=a.py::a.py:1:1: error: no", Some(Worth::Nothing));
    }

    #[test]
    fn places_count_only_when_the_command_failed() {
        let line = "a.lua:3:4: unused variable x";
        check_failed(read, line, Some(Worth::Error));
        check_line(read, line, None);
        check_failed(read, "a.yml:1:1: [warning] missing document start", None);
        check_failed(read, "12:30:15: started", None);
        check_failed(read, "http://localhost:80:1: what", None);
        check_failed(read, "    at main (/a/b.js:1:2)", None);
        check_failed(read, "a.lua:3: grep's lines have no column", None);
    }
}
