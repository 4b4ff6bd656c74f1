//! Whether code quotes a file: all its lines are there, in order and next to each other, but for the white space around
//! them, blank lines, and lines that say that something was left out.

use std::collections::HashSet;

use crate::elision::{elision, names_left_out, remarks_left_out};
use crate::plan::is_import;

/// Whether all of a text is part of a file. `return w * h` in `def area(w, h):`, `    return w * h`.
pub(crate) fn is_part_of(text: &str, file: &str) -> bool {
    let has_words = |line: &str| line.chars().any(char::is_alphanumeric);
    if !text.lines().any(has_words) {
        return false;
    }
    let lines = |text: &'_ str| -> Vec<String> {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let file = lines(file);
    let mut from = 0;
    for run in runs(text) {
        let Some(at) = find(&file, from, &run) else { return false };
        from = at + run.len();
    }
    true
}

/// This many lines are not shared by chance, however long a text is.
const MANY: usize = 5;

/// A line with this many letters and digits is not shared by chance either.
const LONG: usize = 14;

/// Nor are this many lines next to each other, whatever they are.
const RUN: usize = 3;

/// Whether most lines of a text that say something are lines of a file. What calls a function shares a line or two with the
/// files of a project; what changes one shares the lines around the change, and the changed line is like the old one.
///
/// An example begins at the margin. Lines from inside a function need only one line of the file:
/// "Verify: `    console.debug(state);`, `    return dispatch(state);`".
pub(super) fn is_version_of(text: &str, whole: &str) -> bool {
    let says = |line: &&str| line.chars().filter(|c| c.is_alphanumeric()).count() > 3;
    let lines: HashSet<&str> = text.lines().map(str::trim).filter(says).collect();
    let file: HashSet<&str> = whole.lines().map(str::trim).filter(says).collect();
    let shared = lines.intersection(&file).count();
    if shared >= MANY || shared >= 2 && shared * 2 >= lines.len() {
        return true;
    }
    // Everybody imports the same, so that only a changed line beside an import shows which file is meant.
    let is_own = |line: &&&str| !is_import(line);
    let own = lines.intersection(&file).filter(is_own).count();
    let near = lines.difference(&file).filter(|line| file.iter().any(|old| is_near(line, old))).count();
    let is_long = |line: &&str| line.chars().filter(|c| c.is_alphanumeric()).count() >= LONG;
    let is_inside = text.lines().filter(says).all(|line| line.starts_with([' ', '\t']));
    let long = lines.intersection(&file).filter(is_own).filter(|line| is_long(line)).count();
    shares_run(text, whole)
        || is_inside && own > 0 && own * 3 >= lines.len()
        || near > 0 && shared > 0 && (shared + near) * 2 >= lines.len()
        || long > 0 && shared * 2 >= lines.len()
}

/// Whether half of a text, and at least a few lines, are next to each other in a file: `========`, `DFT`, `"""`.
fn shares_run(text: &str, file: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let file: Vec<String> =
        file.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let says = |run: &[&str]| run.iter().any(|line| line.chars().any(char::is_alphanumeric));
    lines.windows(RUN.max(lines.len().div_ceil(2))).any(|run| says(run) && find(&file, 0, run).is_some())
}

/// Whether two lines differ in one place only, by less than a third. `return w * h` and `return 2 * w * h`.
fn is_near(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    if short.len() < SHORT || short.len() * 3 < long.len() * 2 {
        return false;
    }
    let before = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let after = one.bytes().rev().zip(other.bytes().rev()).take_while(|(one, other)| one == other).count();
    (before + after).min(short.len()) * 3 >= long.len() * 2
}

/// Shorter lines are alike by chance.
const SHORT: usize = 8;

/// The lines of a text, cut where it says that something was left out.
fn runs(text: &str) -> Vec<Vec<&str>> {
    let mut runs = vec![Vec::new()];
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let is_gap = elision(line).is_some() || names_left_out(line) || remarks_left_out(line);
        match runs.last_mut() {
            Some(run) if !is_gap => run.push(line),
            Some(run) if run.is_empty() => {}
            _ => runs.push(Vec::new()),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// Where lines are next to each other in a file, from this line on.
pub(super) fn find(file: &[String], from: usize, run: &[&str]) -> Option<usize> {
    let rest = file.get(from..)?;
    if run.len() > rest.len() {
        return None;
    }
    let is_here = |at: &usize| {
        rest.get(*at..at + run.len())
            .is_some_and(|part| part.iter().zip(run).all(|(line, quoted)| line == quoted))
    };
    (0..=rest.len() - run.len()).find(is_here).map(|at| from + at)
}

/// Whether a text says enough to be looked for in files that the reply does not name. `return os.environ["HOME"] +
/// name`; not `return x`.
pub(super) fn is_distinctive(text: &str) -> bool {
    let lines =
        text.lines().map(str::trim).filter(|line| line.chars().filter(|c| c.is_alphanumeric()).count() > 3);
    lines.clone().count() > 1 || lines.map(str::len).max().unwrap_or_default() > 24
}
