//! What each tier ignores, and so how far a line of a hunk is from a line of the file.
//!
//! Written apart from the matcher, from the description of the tiers alone; a test compares the two.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use crate::matcher::Tier;

/// The tiers that compare one line with another, from the strictest to the most tolerant.
pub(super) const BY_LINE: [Tier; 5] =
    [Tier::Exact, Tier::TrailingWhitespace, Tier::Indentation, Tier::Spacing, Tier::LookAlikes];

/// The strictest tier at which one line passes for another; `Fuzzy` when no other does.
pub(super) fn cost(wanted: &[u8], found: &[u8]) -> Tier {
    if wanted == found {
        return Tier::Exact;
    }
    let fits = |tier: &Tier| key(*tier, wanted) == key(*tier, found);
    BY_LINE.into_iter().skip(1).find(fits).unwrap_or(Tier::Fuzzy)
}

/// What is left of a line without what a tier ignores.
pub(super) fn key(tier: Tier, text: &[u8]) -> Cow<'_, [u8]> {
    match tier {
        Tier::TrailingWhitespace => Cow::Borrowed(trim_end(text)),
        Tier::Indentation => Cow::Borrowed(trim(text)),
        Tier::Spacing => spaced(text),
        Tier::LookAlikes | Tier::BlankLines | Tier::Fuzzy if text.is_ascii() => spaced(text),
        Tier::LookAlikes | Tier::BlankLines | Tier::Fuzzy => Cow::Owned(spaced(&spelled(text)).into_owned()),
        Tier::Exact | Tier::LineEndings | Tier::Anchors | Tier::Seen | Tier::LinesUnverified => {
            Cow::Borrowed(text)
        }
    }
}

const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

fn trim_end(text: &[u8]) -> &[u8] {
    let mut text = text;
    while let [rest @ .., last] = text
        && is_white(*last)
    {
        text = rest;
    }
    text
}

fn trim(text: &[u8]) -> &[u8] {
    let mut text = trim_end(text);
    while let [first, rest @ ..] = text
        && is_white(*first)
    {
        text = rest;
    }
    text
}

/// The words of a line with one space between them, but none beside brackets and commas.
fn spaced(text: &[u8]) -> Cow<'_, [u8]> {
    let text = trim(text);
    if !text.iter().copied().any(is_white) {
        return Cow::Borrowed(text);
    }
    let is_tight = |byte: Option<&u8>| byte.is_some_and(|byte| b"()[]{},".contains(byte));
    let mut spaced: Vec<u8> = Vec::with_capacity(text.len());
    for word in text.split(|byte| is_white(*byte)).filter(|word| !word.is_empty()) {
        if !spaced.is_empty() && !is_tight(spaced.last()) && !is_tight(word.first()) {
            spaced.push(b' ');
        }
        spaced.extend_from_slice(word);
    }
    Cow::Owned(spaced)
}

/// A line with the plainest of all characters that look alike, and with accents on their letters.
fn spelled(text: &[u8]) -> Vec<u8> {
    let mut spelled = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        for sign in chunk.valid().nfc() {
            match plain(sign) {
                Some(plain) => spelled.extend_from_slice(plain.as_bytes()),
                None => spelled.extend_from_slice(sign.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        spelled.extend_from_slice(chunk.invalid());
    }
    spelled
}

/// The plain spelling of a character that is not on keyboards, where it has one.
pub(super) fn plain(sign: char) -> Option<&'static str> {
    const SPELLED: &[(&str, &str)] = &[
        ("'", "\u{2018}\u{2019}\u{201a}\u{201b}\u{2032}\u{2bc}\u{ff07}"),
        ("\"", "\u{201c}\u{201d}\u{201e}\u{201f}\u{2033}\u{ab}\u{bb}\u{ff02}"),
        ("-", "\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}\u{fe58}\u{fe63}\u{ff0d}"),
        (
            " ",
            "\u{a0}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\u{202f}\u{205f}\u{3000}",
        ),
        ("", "\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{ad}"),
        ("...", "\u{2026}"),
        ("->", "\u{2192}"),
        ("<-", "\u{2190}"),
        ("=>", "\u{21d2}"),
        ("!=", "\u{2260}"),
        ("<=", "\u{2264}"),
        (">=", "\u{2265}"),
        ("x", "\u{d7}"),
    ];
    let spelled = |(_, signs): &&(&str, &str)| signs.contains(sign);
    SPELLED.iter().find(spelled).map(|(plain, _)| *plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_know_the_same_characters() {
        for sign in '\u{80}'..='\u{ffff}' {
            let text = format!("a{sign}b").into_bytes();
            assert_eq!(key(Tier::LookAlikes, &text), Tier::LookAlikes.key().of(&text), "{sign:?}");
        }
    }

    #[test]
    fn both_sides_ignore_the_same() {
        let lines = [
            "",
            " ",
            "\ta  b",
            "a ( b , c ) ",
            "a\u{b}b",
            "if (a[1], b) {",
            "a , b",
            "x = \u{201c}y\u{201d}\u{a0}",
            "{ }",
            "( ( a",
            ", ,",
            "a\r",
            "\u{2026} a",
        ];
        for tier in BY_LINE {
            for line in lines {
                assert_eq!(key(tier, line.as_bytes()), tier.key().of(line.as_bytes()), "{tier:?} {line:?}");
            }
        }
    }

    #[test]
    fn a_line_costs_what_must_be_ignored() {
        let check = |wanted: &str, found: &str, tier: Tier| {
            assert_eq!(cost(wanted.as_bytes(), found.as_bytes()), tier, "{wanted:?} {found:?}");
        };
        check("a(b)", "a(b)", Tier::Exact);
        check("a(b) ", "a(b)\t", Tier::TrailingWhitespace);
        check("a(b)", "  a(b)", Tier::Indentation);
        check("a( b)", " a(b)", Tier::Spacing);
        check("\"a\"", "\u{201c}a\u{201d}", Tier::LookAlikes);
        check("a", "b", Tier::Fuzzy);
    }
}
