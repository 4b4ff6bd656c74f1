//! Line numbers that an author copied together with the text, such as `12 | let a = 1;` or `12: let a = 1;`.
//!
//! Only where the old text is nowhere with them are they taken off: some files do have numbers before their lines.

use crate::Hunk;
use crate::anchors::split_anchor;

/// The hunk without its line numbers. Every old line must have one, and they must count up by one; the new lines have one
/// each, or none of them has. ` 12 | let a = 1;` and ` 13 | let b = 2;`; `3 | x` above `7 | y` is text.
pub(crate) fn without_numbers(hunk: &Hunk) -> Option<Hunk> {
    let old: Vec<(usize, &str)> = hunk.old_lines().map(numbered).collect::<Option<_>>()?;
    let (first, _) = *old.first()?;
    if !old.iter().zip(first..).all(|((number, _), expected)| *number == expected) {
        return None;
    }
    let new: Vec<&str> = hunk.new_lines().collect();
    let stripped: Vec<&str> = new.iter().filter_map(|line| numbered(line)).map(|(_, text)| text).collect();
    let new = match stripped.len() {
        0 => new,
        count if count == new.len() => stripped,
        _ => return None,
    };
    let old: Vec<&str> = old.into_iter().map(|(_, text)| text).collect();
    let inner = Hunk::from_sides(&old, &new, hunk.line);
    Some(Hunk {
        line_hint: hunk.line_hint.or(Some(first)),
        scope: hunk.scope.clone(),
        end: hunk.end,
        ..inner
    })
}

/// A file's content without line numbers; `None` unless every line has one and they count from 1.
pub(crate) fn without_numbers_in(content: &str) -> Option<String> {
    let mut plain = String::with_capacity(content.len());
    for (line, expected) in content.lines().zip(1..) {
        let (_, text) = numbered(line).filter(|(number, _)| *number == expected)?;
        plain.push_str(text);
        plain.push('\n');
    }
    Some(plain)
}

/// The number or the anchor before a line, and the line without it. `12 | a`, `12: a` and `12→a` are 12 and `a`.
fn numbered<'l>(line: &'l str) -> Option<(usize, &'l str)> {
    if let Some((number, _, text)) = split_anchor(line) {
        return Some((number, text));
    }
    let line = line.trim_start_matches(' ');
    let (number, rest) = line.split_at(line.find(|sign: char| !sign.is_ascii_digit())?);
    let apart = |rest: &'l str| rest.strip_prefix(' ').or_else(|| rest.is_empty().then_some(rest));
    // What is between a number and its line in the views that tools show.
    let text = match rest.strip_prefix(':') {
        Some(rest) => apart(rest),
        None => {
            let rest = rest.trim_start_matches(' ');
            let text = rest.strip_prefix('|').and_then(apart);
            text.or_else(|| rest.strip_prefix(['\t', '→']))
        }
    };
    Some((number.parse().ok()?, text?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &[&str], new: &[&str], expected: Option<(&[&str], &[&str], usize)>) {
        let found = without_numbers(&Hunk::from_sides(old, new, 1));
        let sides = found.as_ref().map(|hunk| {
            let (old, new) = (hunk.old_lines().collect::<Vec<_>>(), hunk.new_lines().collect::<Vec<_>>());
            (old, new, hunk.line_hint.unwrap_or_default())
        });
        assert_eq!(sides, expected.map(|(old, new, hint)| (old.to_vec(), new.to_vec(), hint)));
    }

    #[test]
    fn numbers_go_where_every_line_has_one() {
        check(&[" 7 | a", " 8 |"], &[" 7 | b"], Some((&["a", ""], &["b"], 7)));
        check(&["7 | a"], &["b", "c"], Some((&["a"], &["b", "c"], 7)));
        check(&["7 | a"], &[], Some((&["a"], &[], 7)));
        check(&["   7\t  a"], &["   7\t  b"], Some((&["  a"], &["  b"], 7)));
        check(&["     7→  a"], &["     7→  b"], Some((&["  a"], &["  b"], 7)));
        check(&["7ab|  a", "8cd|"], &["7ab|  b", "8cd|"], Some((&["  a", ""], &["  b", ""], 7)));
        check(&["7 | | a |"], &["9 | | b |"], Some((&["| a |"], &["| b |"], 7)));
        check(&[" 7:   a", " 8:"], &[" 7:   b"], Some((&["  a", ""], &["  b"], 7)));
    }

    #[test]
    fn anything_else_is_the_text_itself() {
        check(&["7 | a", "9 | c"], &["7 | b"], None);
        check(&["7 | a", "b"], &["c"], None);
        check(&["7 | a"], &["7 | b", "c"], None);
        check(&["| a |"], &["| b |"], None);
        check(&["7|a"], &["b"], None);
        check(&["7:a"], &["b"], None);
        check(&["7 : a"], &["b"], None);
    }
}
