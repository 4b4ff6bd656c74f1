//! The lines that hold a SEARCH/REPLACE section together, and the ways authors write them.
//!
//! A word next to the marker characters makes a line unmistakable, so `<<< SEARCH` is as good as one with seven
//! brackets. A line of nothing but `=` is not: rules and underlines look alike, so its length counts.

/// From this many characters on every marker is one, also inside a section that was opened with as many.
pub(crate) const LEAST: usize = 5;
/// A longer line of `=` is a rule in the text.
pub(crate) const MOST: usize = 9;
/// How many characters a marker usually has.
const USUAL: usize = 7;
/// From this many characters on, a section may hold the usual markers as text: one too many or too few is a slip.
const LONG: usize = USUAL + 2;

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

/// Reads a line as a marker, if it is one. `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`.
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

/// A section whose first marker has come, and what of the usual markers is text in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opened {
    /// How many characters its first marker has.
    pub length: usize,
    /// How many sections its text has begun and not ended.
    inner: usize,
    /// A divider as long as the first marker has come.
    is_divided: bool,
}

impl Opened {
    /// A section whose first marker has this many characters.
    pub const fn new(length: usize) -> Self {
        Self { length, inner: 0, is_divided: false }
    }

    /// The marker that a line of the section is; `None` when it is text.
    ///
    /// A short one means something only where a short one began the section, because text speaks of `>>> REPLACE` too; and a
    /// usual one does not in a section that a long one began, unless the author shortens the others as well.
    pub fn read(&mut self, text: &str) -> Option<Marker> {
        let found = marker(text)?;
        let is_text = |length: usize| self.length >= LONG && length <= USUAL;
        match found {
            Marker::Search(length) | Marker::Replace(length) if length < self.length.min(LEAST) => None,
            Marker::Search(length) if is_text(length) => {
                self.inner += 1;
                None
            }
            Marker::Replace(length) if is_text(length) && (self.is_divided || self.inner > 0) => {
                self.inner = self.inner.saturating_sub(1);
                None
            }
            Marker::Divider(length) => {
                self.is_divided |= length == self.length;
                Some(found)
            }
            _ => Some(found),
        }
    }
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
        let ends =
            |opened: usize, text: &str| matches!(Opened::new(opened).read(text), Some(Marker::Replace(_)));
        assert!(ends(7, ">>>>> REPLACE") && ends(3, ">>> REPLACE") && ends(11, ">>>>>>> REPLACE"));
        assert!(!ends(7, ">>> REPLACE") && !ends(7, "<<<<<<< SEARCH"));
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
