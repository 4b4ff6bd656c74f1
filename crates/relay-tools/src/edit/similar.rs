//! Old text that the file has almost, as far as `edit.fuzzyThreshold` allows.
//!
//! The engine has its own tiers, which ask for proof: white space, look-alikes, one character in one context line of four.
//! What none of them places is looked for here, in as many lines as were quoted, line by line. The likeness is the part of
//! the characters that need no change. Only one place may be alike enough, and no other nearly so. The edit is then written
//! with the file's own lines, so that the engine proves it like every other: lines the model meant to keep stay as they are
//! in the file, and the answer names every line that was quoted otherwise.
//!
//! Example: `timeout = compute_timeuot(base)` in a quote of six lines finds the six lines with `compute_timeout`.

use relay_diagnostics::Diagnostic;
use relay_edit::{Hunk, HunkLine, codes};

/// The lowest likeness that settings can ask for.
pub const LOWEST: f64 = 0.95;
/// Another place counts as nearly as good if it needs at most this many times the changes.
const RIVAL: usize = 3;
/// How many pairs of characters are compared at most: beyond that the text counts as not found.
const COMPARED: usize = 20_000_000;
/// How many lines a message names.
const NAMED: usize = 5;

/// An edit with the file's own lines.
#[derive(Debug, PartialEq, Eq)]
pub struct Similar {
    /// The lines of the file.
    pub old: String,
    /// What replaces them.
    pub new: String,
    /// What was quoted otherwise: the line, and both texts.
    pub slips: Vec<(usize, String, String)>,
}

impl Similar {
    /// What the model should know about it.
    pub fn warning(&self, number: usize, path: &str) -> Diagnostic {
        let named = self.slips.iter().take(NAMED);
        let lines: Vec<String> =
            named.map(|(line, is, quoted)| format!("line {line} is `{is}`, not `{quoted}`")).collect();
        let more = self.slips.len().saturating_sub(NAMED);
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        let message = format!(
            "edit {number}: old_text is not in {path} as it was quoted; its only similar place was used: {}{more}",
            lines.join("; ")
        );
        Diagnostic::warning(codes::LINES_UNVERIFIED, message)
            .on(path)
            .hinted("check that this is the place you meant")
    }
}

/// The only place of a text that is at least as alike as the threshold says. `Err` has the lines of several.
pub fn find(old: &str, new: &str, content: &str, threshold: f64) -> Result<Option<Similar>, Vec<usize>> {
    let quoted: Vec<&str> = old.lines().collect();
    let lines: Vec<&str> = content.lines().collect();
    let characters: usize = quoted.iter().map(|line| line.trim_end().chars().count()).sum();
    let allowed = allowed(characters, threshold);
    if quoted.is_empty() || allowed == 0 {
        return Ok(None);
    }
    let limit = allowed * RIVAL;
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut left = COMPARED;
    for (at, window) in lines.windows(quoted.len()).enumerate() {
        let changes = changes(&quoted, window, limit, &mut left);
        if left == 0 {
            return Ok(None);
        }
        if let Some(changes) = changes {
            places.push((changes, at));
        }
    }
    let Some(&(best, at)) = places.iter().min().filter(|(best, _)| *best <= allowed) else { return Ok(None) };
    let rivals: Vec<usize> =
        places.iter().filter(|(changes, _)| *changes <= best * RIVAL).map(|(_, at)| at + 1).collect();
    if rivals.len() > 1 {
        return Err(rivals);
    }
    let window = lines.get(at..at + quoted.len()).unwrap_or_default();
    let slips = (at + 1..).zip(window.iter().zip(&quoted));
    let slips = slips.filter(|(_, (is, quoted))| is.trim_end() != quoted.trim_end());
    let slips = slips.map(|(line, (is, quoted))| (line, is.trim().to_owned(), quoted.trim().to_owned()));
    Ok(Some(Similar { old: joined(window), new: rewritten(&quoted, new, window), slips: slips.collect() }))
}

/// How many characters may differ.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "texts are shorter than 2^52 characters, and the share is between 0 and 0.05"
)]
fn allowed(characters: usize, threshold: f64) -> usize {
    ((1.0 - threshold.clamp(LOWEST, 1.0)) * characters as f64 + 1e-9) as usize
}

/// How many characters differ, unless they are more than `limit`.
fn changes(quoted: &[&str], window: &[&str], limit: usize, left: &mut usize) -> Option<usize> {
    let mut sum = 0;
    for (quoted, is) in quoted.iter().zip(window) {
        let (quoted, is) = (quoted.trim_end(), is.trim_end());
        let band = (2 * (limit - sum) + 1).min(is.len());
        *left = left.saturating_sub(1 + if quoted == is { 0 } else { quoted.len().saturating_mul(band) });
        if *left == 0 {
            return None;
        }
        sum += distance(quoted, is, limit - sum)?;
    }
    Some(sum)
}

/// How many characters must be put in, taken out or replaced (Levenshtein), unless they are more than `limit`.
fn distance(one: &str, other: &str, limit: usize) -> Option<usize> {
    if one == other {
        return Some(0);
    }
    let one: Vec<char> = one.chars().collect();
    let other: Vec<char> = other.chars().collect();
    if limit == 0 || one.len().abs_diff(other.len()) > limit {
        return None;
    }
    // Beyond `limit` from the diagonal every way is too long.
    let far = limit + 1;
    let mut above: Vec<usize> = (0..=other.len()).map(|at| at.min(far)).collect();
    for (row, left) in one.iter().enumerate() {
        let from = row.saturating_sub(limit);
        let to = (row + limit + 1).min(other.len());
        let mut line = vec![far; other.len() + 1];
        if let Some(first) = line.first_mut() {
            *first = (row + 1).min(far);
        }
        let mut least = line.first().copied().unwrap_or(far);
        for (at, right) in other.iter().enumerate().take(to).skip(from) {
            let cell = |line: &[usize], at: usize| line.get(at).copied().unwrap_or(far);
            let cost = cell(&above, at) + usize::from(left != right);
            let cost = cost.min(cell(&above, at + 1) + 1).min(cell(&line, at) + 1).min(far);
            if let Some(place) = line.get_mut(at + 1) {
                *place = cost;
            }
            least = least.min(cost);
        }
        if least > limit {
            return None;
        }
        above = line;
    }
    above.last().copied().filter(|cost| *cost <= limit)
}

/// The new text, with the file's own line for every line that the model quoted and kept.
fn rewritten(quoted: &[&str], new: &str, window: &[&str]) -> String {
    let new: Vec<&str> = new.lines().collect();
    let mut file = window.iter().copied();
    let hunk = Hunk::from_sides(quoted, &new, 1);
    let mut lines = Vec::new();
    for line in &hunk.lines {
        match line {
            HunkLine::Context(_) => lines.extend(file.next()),
            HunkLine::Removed(_) => drop(file.next()),
            HunkLine::Added(text) => lines.push(text),
        }
    }
    joined(&lines)
}

fn joined(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [*line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "fn total(items: &[Item]) -> u64 {\n    let mut sum = 0;\n    for item in items {\n        \
                        sum += item.price * item.count;\n    }\n    sum\n}\n";

    #[test]
    fn slips_are_found_and_what_was_kept_stays_the_files() {
        let old = FILE.replace("item.price", "itm.price").replace("let mut sum", "let mut summ");
        let new = old.replace("itm.price * item.count", "item.price");
        let found = find(&old, &new, FILE, 0.95).unwrap().unwrap();
        assert_eq!(found.old, FILE);
        assert_eq!(found.new, FILE.replace("item.price * item.count", "item.price"));
        assert_eq!(found.slips.iter().map(|slip| slip.0).collect::<Vec<_>>(), [2, 4]);
    }

    #[test]
    fn the_threshold_decides() {
        let slips = |count: usize| {
            let old: String = FILE
                .chars()
                .enumerate()
                .map(|(at, c)| if at % 9 == 4 && at / 9 < count && c != '\n' { '#' } else { c })
                .collect();
            let found = |threshold: f64| matches!(find(&old, "x\n", FILE, threshold), Ok(Some(_)));
            (found(0.95), found(0.98), found(1.0))
        };
        // 123 characters: six may differ at 0.95, two at 0.98, none at 1.
        assert_eq!(slips(2), (true, true, false));
        assert_eq!(slips(6), (true, false, false));
        assert_eq!(slips(8), (false, false, false));
        // Nothing makes it looser than that.
        assert_eq!(allowed(100, 0.0), 5);
    }

    #[test]
    fn a_place_that_is_nearly_as_good_makes_it_ambiguous() {
        let file = "assert_eq!(value_of(\"one\"), Some(11));\nassert_eq!(value_of(\"two\"), Some(12));\n";
        let old = "assert_eq!(value_of(\"one\"), Some(12));\n";
        assert_eq!(find(old, "x\n", file, 0.95), Err(vec![1, 2]));
        let old = "assert_eq!(value_of(\"oen\"), Some(11));\n";
        assert!(find(old, "x\n", file, 0.95).is_ok_and(|found| found.is_none()), "two of 38 are too many");
    }

    #[test]
    fn the_search_for_a_long_quote_in_a_long_file_ends() {
        let file: String = (0..20_000).map(|n| format!("line number {n} of many\n")).collect();
        let old: String = (0..5_000).map(|n| format!("line numbr {n} of many\n")).collect();
        assert_eq!(find(&old, "x\n", &file, 0.95), Ok(None));
    }

    #[test]
    fn distances() {
        for (one, other, limit, expected) in [
            ("kitten", "sitting", 5, Some(3)),
            ("kitten", "sitting", 2, None),
            ("", "abc", 3, Some(3)),
            ("abc", "", 2, None),
            ("größe", "grosse", 4, Some(3)),
            ("abcdef", "bcdefa", 2, Some(2)),
        ] {
            assert_eq!(distance(one, other, limit), expected, "{one} {other}");
        }
    }
}
