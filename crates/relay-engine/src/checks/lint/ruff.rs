//! Ruff: full (`F401 [*] …` above an arrow), concise (`a.py:1:8: F401 …`), grouped and pylint forms.
//!
//! Several tools print `Found 5 errors.`, so `generic` reads it; only the form with fixes is surely Ruff's.

use super::location::{indented_place, places};
use super::tally::Worth;
use super::{Line, count};

pub(super) fn read(line: Line<'_>) -> Option<Worth> {
    if line.text == "All checks passed!" {
        return Some(Worth::Nothing);
    }
    let text = line.text;
    fixed(text)
        .or_else(|| full(line))
        .or_else(|| grouped(text))
        .or_else(|| concise(text))
        .or_else(|| statistic(text))
}

/// `Found 5 errors (2 fixed, 3 remaining).`
fn fixed(text: &str) -> Option<Worth> {
    let details = count::found(text)?.rest.strip_prefix(" (")?;
    let remaining = details.strip_suffix(" remaining).")?.rsplit_once(' ')?.1;
    remaining.parse().ok().map(Worth::Total)
}

/// The arrow under a headline; other tools' headlines look different.
fn full(line: Line<'_>) -> Option<Worth> {
    let place = line.text.trim_start().strip_prefix("--> ")?;
    places(place).next()?;
    is_finding(line.previous).then_some(Worth::Listed(1))
}

fn grouped(text: &str) -> Option<Worth> {
    is_finding(indented_place(text)?).then_some(Worth::Listed(1))
}

fn concise(text: &str) -> Option<Worth> {
    let place = places(text).next()?;
    let message = place.message()?;
    if is_finding(message) {
        return Some(Worth::Listed(1));
    }
    // The pylint form has no summary.
    let (code, _) = message.strip_prefix('[')?.split_once("] ")?;
    rule(code).is_some_and(str::is_empty).then_some(Worth::Error)
}

/// `2\tF401\t[*] unused-import`, a row of `--statistics`.
fn statistic(text: &str) -> Option<Worth> {
    let (count, rest) = text.split_once('\t')?;
    rule(rest)?.strip_prefix('\t')?;
    count.trim_start().parse().ok().map(Worth::Listed)
}

/// `F401 [*] Message`, or `invalid-syntax: message`.
fn is_finding(text: &str) -> bool {
    if ["invalid-syntax: ", "SyntaxError: "].iter().any(|word| text.starts_with(word)) {
        return true;
    }
    let Some(message) = rule(text).and_then(|rest| rest.strip_prefix(' ')) else { return false };
    // Ruff begins its messages with a capital or a quoted name, flake8 with a small letter or a quote.
    message.trim_start_matches("[*] ").starts_with(|c: char| c.is_uppercase() || c == '`')
}

/// The text after a rule's code (`F401`, `PLR0913`) at its start.
pub(super) fn rule(text: &str) -> Option<&str> {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_code =
        (1..=8).contains(&(text.len() - digits.len())) && (3..=5).contains(&(digits.len() - rest.len()));
    is_code.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_after, check_line};
    use super::{Worth, read};

    #[test]
    fn full() {
        check_after(read, "F401 [*] `os` imported but unused", " --> a b/c.py:1:8", Some(Worth::Listed(1)));
        check_after(read, "invalid-syntax: Expected `)`", " --> a.py:1:8", Some(Worth::Listed(1)));
        check_after(read, "error[E0425]: cannot find value", " --> src/lib.rs:1:8", None);
        check_line(read, "F401 [*] `os` imported but unused", None);
    }

    #[test]
    fn concise() {
        check_line(read, "a.py:1:8: F401 [*] `os` imported but unused", Some(Worth::Listed(1)));
        check_line(read, r"C:\a b\c.py:6:5: PLR0913 Too many arguments", Some(Worth::Listed(1)));
        check_line(read, "a.py:1:8: invalid-syntax: Expected an expression", Some(Worth::Listed(1)));
        check_line(read, "a.py:1: [F401] `os` imported but unused", Some(Worth::Error));
        check_line(read, "a.py:1:8: F401 'os' imported but unused", None);
        check_line(read, "a.py:1:8: Fine 401", None);
    }

    #[test]
    fn grouped() {
        check_line(read, "  1:8  F401 [*] `os` imported but unused", Some(Worth::Listed(1)));
        check_line(read, "  7:25 F821 Undefined name `x`", Some(Worth::Listed(1)));
    }

    #[test]
    fn statistics() {
        check_line(read, "2\tF821\t[ ] undefined-name", Some(Worth::Listed(2)));
    }

    #[test]
    fn fixes_are_not_errors_any_more() {
        check_line(read, "Found 5 errors (2 fixed, 3 remaining).", Some(Worth::Total(3)));
        check_line(read, "Found 5 errors (5 fixed, 0 remaining).", Some(Worth::Total(0)));
        check_line(read, "Found 5 errors.", None);
        check_line(read, "All checks passed!", Some(Worth::Nothing));
    }
}
