//! Names that a person could mistake for other names. Relay may touch them, but a report should mention it.
//!
//! The table of look-alikes is short on purpose: letters of other alphabets that common fonts draw exactly like a Latin
//! one. Whole words of another alphabet are ordinary names; a Latin word with one foreign letter in it is not.

use crate::names::fold;

/// Letters that look like Latin ones, each beside its likeness.
const LOOK_ALIKES: [(&str, &str); 6] = [
    (
        "\u{430}\u{435}\u{43E}\u{440}\u{441}\u{443}\u{445}\u{456}\u{458}\u{455}\u{501}\u{4BB}\u{4CF}\u{51B}\u{51D}",
        "aeopcyxijsdhlqw",
    ),
    (
        "\u{410}\u{412}\u{415}\u{41A}\u{41C}\u{41D}\u{41E}\u{420}\u{421}\u{422}\u{425}\u{406}\u{408}\u{405}",
        "ABEKMHOPCTXIJS",
    ),
    ("\u{3BF}\u{3BD}\u{3B9}\u{3C1}\u{3B1}\u{3C5}", "ovipau"),
    (
        "\u{391}\u{392}\u{395}\u{396}\u{397}\u{399}\u{39A}\u{39C}\u{39D}\u{39F}\u{3A1}\u{3A4}\u{3A5}\u{3A7}",
        "ABEZHIKMNOPTYX",
    ),
    ("\u{585}\u{57D}\u{578}\u{570}\u{581}\u{251}\u{261}\u{131}", "ounhgagi"),
    ("\u{2010}\u{2011}\u{2012}\u{2013}\u{2212}", "-----"),
];

/// Percent escapes of characters that mean something in a path.
const ESCAPES: [&str; 4] = ["%2e", "%2f", "%5c", "%00"];

/// A name as a hasty reader sees it: two names with the same likeness are easily confused.
#[must_use]
pub fn likeness(name: &str) -> String {
    if name.is_ascii() {
        return fold(name).into_owned();
    }
    let plain: String = name.chars().map(|character| latin(character).unwrap_or(character)).collect();
    fold(&plain).into_owned()
}

/// The first letter of another alphabet that pretends to be Latin: it looks so, and the word has Latin letters too.
#[must_use]
pub fn false_letter(path: &str) -> Option<char> {
    if path.is_ascii() {
        return None;
    }
    let has_latin = |word: &&str| word.contains(|c: char| c.is_ascii_alphabetic());
    path.split(|c: char| !c.is_alphabetic())
        .filter(has_latin)
        .find_map(|word| word.chars().find(|character| latin(*character).is_some()))
}

/// The first percent escape of a dot, a slash, a backslash or a zero. Relay takes it literally, but a program that
/// serves or unpacks the file may not.
#[must_use]
pub fn path_escape(path: &str) -> Option<&str> {
    let is_escape = |text: &&str| ESCAPES.iter().any(|escape| text.eq_ignore_ascii_case(escape));
    path.match_indices('%').filter_map(|(at, _)| path.get(at..at + 3)).find(is_escape)
}

fn latin(character: char) -> Option<char> {
    let of = |(others, latin): &(&str, &str)| {
        let at = others.chars().position(|other| other == character)?;
        latin.chars().nth(at)
    };
    if character.is_ascii() { None } else { LOOK_ALIKES.iter().find_map(of) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_look_alike_has_its_likeness() {
        for (others, latin) in LOOK_ALIKES {
            assert_eq!(others.chars().count(), latin.chars().count(), "{others}");
            assert!(latin.is_ascii() && others.chars().all(|other| !other.is_ascii()), "{others}");
        }
    }

    #[test]
    fn names_that_look_alike_have_one_likeness() {
        for (one, other) in [
            ("README.md", "readme.MD"),
            ("pay.ts", "p\u{430}y.ts"),
            ("copy", "\u{441}\u{43E}\u{440}\u{443}"),
            ("file", "\u{FB01}le"),
            ("a-b", "a\u{2010}b"),
        ] {
            assert_eq!(likeness(one), likeness(other), "{one} {other}");
        }
        assert_ne!(likeness("pay.ts"), likeness("play.ts"));
        assert_ne!(likeness("\u{43C}\u{438}\u{440}"), likeness("mir"));
    }

    #[test]
    fn a_latin_word_with_a_foreign_letter_is_found() {
        for (path, expected) in [
            ("src/p\u{430}y.ts", Some('\u{430}')),
            ("\u{41C}ain.java", Some('\u{41C}')),
            // Whole words of another alphabet, and letters that look like no Latin one.
            ("\u{441}\u{43E}\u{440}-test.txt", None),
            ("docs/\u{43C}\u{438}\u{440}.md", None),
            ("x\u{394}.txt", None),
            ("caf\u{e9}.txt", None),
            ("plain.txt", None),
        ] {
            assert_eq!(false_letter(path), expected, "{path}");
        }
    }

    #[test]
    fn escapes_of_special_characters_are_found() {
        for (path, expected) in [
            ("a/%2e%2e/b", Some("%2e")),
            ("a%2Fb", Some("%2F")),
            ("a%5cb", Some("%5c")),
            ("100%.txt", None),
            ("a%20b", None),
            ("%", None),
            ("%2", None),
            ("%\u{e9}x", None),
        ] {
            assert_eq!(path_escape(path), expected, "{path}");
        }
    }
}
