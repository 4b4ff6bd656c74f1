//! White space between quotes is text and no layout.
//!
//! A line that goes may be found although white space in it differs. Where that is between quotes, and the text comes back
//! in a new line as the reply has it, a string of the file would change without anybody having asked for it.

use super::candidate::Candidate;
use super::index::FileIndex;
use super::key::Key;
use super::pattern::Pattern;
use crate::HunkLine;

/// Whether a string of the file would come back with other white space in it. `-say("a b")` found as `say("a  b")`,
/// with `+tell("a b")`.
pub(crate) fn changes_a_string(pattern: &Pattern<'_>, index: &FileIndex<'_>, place: &Candidate) -> bool {
    let lines = &pattern.hunk.lines;
    lines.iter().zip(place.spread(pattern)).any(|(line, found)| match (line, found) {
        (HunkLine::Removed(wanted), Some(found)) => {
            let found = String::from_utf8_lossy(index.lines.text(found));
            // Almost always the line is the same but for its indentation.
            wanted.trim() != found.trim()
                && strings(wanted).zip(strings(&found)).any(|(wanted, found)| {
                    wanted != found
                        && Key::Spaced.unites(wanted.as_bytes(), found.as_bytes())
                        && pattern.hunk.added_lines().flat_map(strings).any(|string| string == wanted)
                })
        }
        _ => false,
    })
}

/// The texts between quotes in a line; a quote without a partner quotes nothing.
fn strings(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        loop {
            let open = rest.find(['"', '\'', '`'])?;
            let quote = rest.get(open..)?.chars().next()?;
            let inner = rest.get(open + 1..)?;
            let Some(close) = closing(inner, quote) else {
                rest = inner;
                continue;
            };
            rest = inner.get(close + 1..).unwrap_or_default();
            return inner.get(..close);
        }
    })
}

/// Where a string ends that was opened by this quote. After `"` at the `"` in `a \" b" + c` that has no backslash.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, sign)| {
        let ends = sign == quote && !escaped;
        escaped = sign == '\\' && !escaped;
        ends.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[&str]) {
        assert_eq!(strings(line).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn finds_what_stands_between_quotes() {
        check(r#"say("a  b", 'c', `d "e"`)"#, &["a  b", "c", r#"d "e""#]);
        check(r#"say("a \" b")"#, &[r#"a \" b"#]);
        check("don't say 'a'", &["t say "]);
        check("nothing", &[]);
        check("it's", &[]);
    }
}
