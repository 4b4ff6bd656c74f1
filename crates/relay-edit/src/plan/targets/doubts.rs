//! New lines of an operation that are not meant as they are: another operation, a diff, or lines with their numbers.
//!
//! New lines are written as they are, so whoever writes something else there must be told. Only what the file itself
//! speaks against is doubted: its anchors, its lines, and what none of its lines begins with.

use super::fits;
use crate::dialect::anchors_of;
use crate::lines::Lines;

/// What new lines seem to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// An operation with an unknown sign, this many new lines below the first one.
    Operation(usize),
    /// Lines of a diff.
    Diff,
    /// Lines with their numbers.
    Numbered,
}

/// What new lines seem to be that represent old ones of a file. `»12ab` among the new lines of `≔3..7`.
pub(super) fn doubt(new: &[&str], old: &[&str], lines: &Lines<'_>) -> Option<Doubt> {
    let is_operation = |line: &&str| {
        anchors_of(line).is_some_and(|anchors| anchors.iter().all(|anchor| fits(*anchor, lines)))
    };
    if let Some(at) = new.iter().position(is_operation) {
        return Some(Doubt::Operation(at));
    }
    if is_diff(new, old, lines) {
        return Some(Doubt::Diff);
    }
    is_numbered(new, lines).then_some(Doubt::Numbered)
}

/// Whether new lines have the signs of a diff: the old ones are among them with a `-`, or all of them have a sign, and no line
/// of the file begins with a `+`. `-old`, `+new` for a line `old`.
fn is_diff(new: &[&str], old: &[&str], lines: &Lines<'_>) -> bool {
    let has_old = |line: &&str| {
        line.strip_prefix('-').is_some_and(|text| !text.trim().is_empty() && old.contains(&text))
    };
    let is_signed = |line: &&str| line.starts_with(['+', '-']) || line.trim().is_empty();
    let adds = new.iter().any(|line| line.starts_with('+'));
    let has_plus = || lines.texts().any(|text| text.first() == Some(&b'+'));
    adds && (new.iter().any(has_old) || new.iter().all(is_signed) && lines.len() > 0 && !has_plus())
}

/// Whether every new line has a number before it, each one more than the one before, and no line of the file has one.
/// `12|a`, `13|b`.
fn is_numbered(new: &[&str], lines: &Lines<'_>) -> bool {
    let numbers: Option<Vec<usize>> = new.iter().map(|line| number(line.as_bytes())).collect();
    let Some(numbers) = numbers else { return false };
    let counts = numbers.windows(2).all(|pair| matches!(pair, [one, next] if *next == one + 1));
    let names_line = numbers.first().is_some_and(|first| *first <= lines.len() + 1);
    counts && names_line && lines.len() > 0 && !lines.texts().any(|text| number(text).is_some())
}

/// The number before a line, as in `12|text`.
fn number(line: &[u8]) -> Option<usize> {
    let bar = line.iter().position(|byte| *byte == b'|')?;
    std::str::from_utf8(line.get(..bar)?).ok()?.trim().parse().ok()
}
