//! The characters that are invisible, or change how their neighbours are shown.
//!
//! One table, used twice: such characters are refused in paths and made visible in everything shown to a person. The
//! table holds the general category Cf, the property Default_Ignorable_Code_Point, the line and paragraph separators
//! and the few blanks that have neither (Unicode 17). It is short enough to read; a test checks that it is sorted,
//! because it is searched by bisection.

/// Inclusive ranges of characters that are invisible or steer the layout of others, control characters apart.
const INVISIBLE: &[(char, char)] = &[
    ('\u{00AD}', '\u{00AD}'),   // soft hyphen
    ('\u{034F}', '\u{034F}'),   // combining grapheme joiner
    ('\u{0600}', '\u{0605}'),   // Arabic number signs
    ('\u{061C}', '\u{061C}'),   // Arabic letter mark
    ('\u{06DD}', '\u{06DD}'),   // Arabic end of ayah
    ('\u{070F}', '\u{070F}'),   // Syriac abbreviation mark
    ('\u{0890}', '\u{0891}'),   // Arabic pound and piastre marks
    ('\u{08E2}', '\u{08E2}'),   // Arabic disputed end of ayah
    ('\u{115F}', '\u{1160}'),   // Hangul fillers
    ('\u{17B4}', '\u{17B5}'),   // Khmer inherent vowels
    ('\u{180B}', '\u{180F}'),   // Mongolian selectors and vowel separator
    ('\u{200B}', '\u{200F}'),   // zero-width space and joiners, direction marks
    ('\u{2028}', '\u{202E}'),   // line and paragraph separators, bidirectional embeddings and overrides
    ('\u{2060}', '\u{206F}'),   // word joiner, invisible operators, bidirectional isolates
    ('\u{2800}', '\u{2800}'),   // blank Braille pattern
    ('\u{3164}', '\u{3164}'),   // Hangul filler
    ('\u{FE00}', '\u{FE0F}'),   // variation selectors
    ('\u{FEFF}', '\u{FEFF}'),   // byte order mark
    ('\u{FFA0}', '\u{FFA0}'),   // half-width Hangul filler
    ('\u{FFF0}', '\u{FFFB}'),   // reserved ignorables, interlinear annotation
    ('\u{110BD}', '\u{110BD}'), // Kaithi number signs
    ('\u{110CD}', '\u{110CD}'),
    ('\u{13430}', '\u{1343F}'), // Egyptian hieroglyph format controls
    ('\u{1BCA0}', '\u{1BCA3}'), // shorthand format controls
    ('\u{1D159}', '\u{1D159}'), // musical null notehead
    ('\u{1D173}', '\u{1D17A}'), // musical format controls
    ('\u{E0000}', '\u{E0FFF}'), // tags and further variation selectors
];

/// Whether the character is invisible or steers the layout of its neighbours. Control characters are not included.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    character >= '\u{AD}'
        && INVISIBLE
            .binary_search_by(|&(first, last)| {
                if last < character {
                    std::cmp::Ordering::Less
                } else if first > character {
                    std::cmp::Ordering::Greater
                } else {
                    std::cmp::Ordering::Equal
                }
            })
            .is_ok()
}

/// Whether the character reorders text: the "Trojan Source" set.
pub(crate) fn is_bidi(character: char) -> bool {
    matches!(
        character,
        '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_without_overlap() {
        for pair in INVISIBLE.windows(2) {
            assert!(pair[0].0 <= pair[0].1 && pair[0].1 < pair[1].0, "{pair:?}");
        }
    }

    #[test]
    fn every_end_of_every_range_is_found_and_its_neighbours_are_not() {
        let inside = |c: char| INVISIBLE.iter().any(|&(first, last)| first <= c && c <= last);
        for &(first, last) in INVISIBLE {
            for edge in [first, last] {
                assert!(is_invisible(edge), "{edge:?}");
                for near in [u32::from(edge) - 1, u32::from(edge) + 1].into_iter().filter_map(char::from_u32)
                {
                    assert_eq!(is_invisible(near), inside(near), "{near:?}");
                }
            }
        }
        assert!("aZ09 é世🙂\t".chars().all(|c| !is_invisible(c)));
    }
}
