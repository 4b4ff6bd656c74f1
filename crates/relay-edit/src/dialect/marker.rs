//! The lines that hold a SEARCH/REPLACE section together, and the ways authors write them.
//!
//! A word next to the marker characters makes a line unmistakable, so `<<< SEARCH` is as good as one with seven
//! brackets. A line of nothing but `=` is not: rules and underlines look alike, so its length counts.

/// From this many characters on every marker is one, also inside a section that was opened with as many.
pub(crate) const LEAST: usize = 5;
/// A longer line of `=` is a rule in the text.
pub(crate) const MOST: usize = 9;

/// What a line means inside or outside a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    /// `<<<<<<< SEARCH` or `------- SEARCH`, with the number of marker characters.
    Search(usize),
    /// `=======`, with the number of marker characters.
    Divider(usize),
    /// `>>>>>>> REPLACE` or `+++++++ REPLACE`, with the number of marker characters.
    Replace(usize),
}

/// Reads a line as a marker, if it is one.
pub(crate) fn marker(text: &str) -> Option<Marker> {
    // Most lines are none, and that is seen at their first character.
    let first = text.chars().next().filter(|first| matches!(first, '<' | '-' | '=' | '>' | '+'))?;
    let text = text.trim_end();
    let rest = text.trim_start_matches(first);
    let length = text.len() - rest.len();
    // `--- SEARCH` and `+++ REPLACE` are the headers of a diff.
    let least = if matches!(first, '<' | '>') { 3 } else { LEAST };
    if length < least {
        return None;
    }
    let word = rest.trim().trim_end_matches(['>', '<', ':']).trim_end().to_ascii_uppercase();
    match (first, word.as_str()) {
        ('<' | '-', "SEARCH") | ('<', "ORIGINAL") => Some(Marker::Search(length)),
        ('=', "") => Some(Marker::Divider(length)),
        ('>' | '+', "REPLACE") | ('>', "UPDATED") => Some(Marker::Replace(length)),
        _ => None,
    }
}

/// Whether a marker ends a section whose first one has `opened` characters: a short one only ends what a short one
/// began, because text speaks of `>>> REPLACE` too.
pub(crate) fn ends(opened: usize, found: Marker) -> bool {
    matches!(found, Marker::Replace(length) if length >= opened.min(LEAST))
}

/// Whether a line is `:start_line:12` or `:end_line:12`, which some tools put above the old text.
pub(crate) fn is_line_marker(text: &str) -> bool {
    let number =
        |rest: &str| rest.trim().trim_start_matches('[').trim_end_matches(']').parse::<usize>().is_ok();
    [":start_line:", ":end_line:"].iter().any(|word| text.trim().strip_prefix(word).is_some_and(number))
}

/// A content line that looks like a marker, or like one of a merge conflict, may be written with a backslash before it.
pub(crate) fn unescape(text: &str) -> &str {
    match text.strip_prefix('\\') {
        Some(rest) if marker(rest).is_some() || is_line_marker(rest) || is_rule(rest) => rest,
        _ => text,
    }
}

/// `-------`, or `<<<<<<< HEAD` and `>>>>>>> branch`.
fn is_rule(text: &str) -> bool {
    let length = |mark: char| text.len() - text.trim_start_matches(mark).len();
    let dashes = length('-');
    (LEAST..=MOST).contains(&dashes) && dashes == text.trim_end().len()
        || length('<') == 7
        || length('>') == 7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_makes_a_marker_unmistakable() {
        for (text, expected) in [
            ("<<<<<<< SEARCH", Some(Marker::Search(7))),
            ("<<< SEARCH", Some(Marker::Search(3))),
            ("<<<<<<<<<<< SEARCH>", Some(Marker::Search(11))),
            ("<<<<<< SEARCH >>>>>>", Some(Marker::Search(6))),
            ("------- SEARCH", Some(Marker::Search(7))),
            ("--- SEARCH", None),
            ("+++ REPLACE", None),
            ("=====", Some(Marker::Divider(5))),
            ("====", None),
            (">>> REPLACE", Some(Marker::Replace(3))),
            ("<<<<<<< HEAD", None),
        ] {
            assert_eq!(marker(text), expected, "{text}");
        }
        assert!(ends(7, Marker::Replace(5)) && ends(3, Marker::Replace(3)));
        assert!(!ends(7, Marker::Replace(3)) && !ends(7, Marker::Search(7)));
    }

    #[test]
    fn a_backslash_makes_a_marker_text() {
        for text in ["=======", "<<<<<<< SEARCH", "<<<<<<< HEAD", ">>>>>>> b", "-------", ":start_line:5"] {
            assert_eq!(unescape(&format!("\\{text}")), text);
        }
        for text in ["\\n", "\\-------------------", "\\:start_line:x"] {
            assert_eq!(unescape(text), text);
        }
    }
}
