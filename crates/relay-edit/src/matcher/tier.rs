//! The rungs of the ladder, by name.

use std::fmt;

use super::Strictness;
use super::key::Key;

/// How closely the old lines of a hunk are in the file; later tiers are tried only when earlier ones find nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Byte for byte.
    Exact,
    /// Byte for byte, in a file whose lines end differently from the reply's.
    LineEndings,
    /// Except for white space at the ends of lines.
    TrailingWhitespace,
    /// Except for indentation, which differs by one rule for all lines.
    Indentation,
    /// Except for how much white space is between words, and whether any is beside brackets and commas.
    Spacing,
    /// Except for characters that look alike, such as curly and straight quotes.
    LookAlikes,
    /// Except for blank lines between the others.
    BlankLines,
    /// Except for small differences in lines that stay.
    Fuzzy,
    /// The author named the lines by number and hash instead of quoting them.
    Anchors,
    /// The author named the lines by number only, and they are as the author saw them.
    Seen,
    /// The author named the lines by number only; nothing shows that they are the lines that were meant.
    LinesUnverified,
}

impl Tier {
    /// The tiers that compare line by line, in order.
    pub(crate) const BY_KEY: &[Self] =
        &[Self::Exact, Self::TrailingWhitespace, Self::Indentation, Self::Spacing, Self::LookAlikes];

    /// How tolerant one must be to use it.
    pub(crate) const fn strictness(self) -> Strictness {
        match self {
            Self::Exact | Self::LineEndings => Strictness::Exact,
            Self::TrailingWhitespace | Self::Indentation | Self::Spacing | Self::BlankLines => {
                Strictness::Whitespace
            }
            Self::LookAlikes | Self::Fuzzy | Self::Anchors | Self::Seen | Self::LinesUnverified => {
                Strictness::Fuzzy
            }
        }
    }

    /// The key this tier compares by.
    pub(crate) const fn key(self) -> Key {
        match self {
            Self::Exact | Self::LineEndings | Self::Anchors | Self::Seen | Self::LinesUnverified => {
                Key::Exact
            }
            Self::TrailingWhitespace => Key::TrimEnd,
            Self::Indentation => Key::Trim,
            Self::Spacing => Key::Spaced,
            Self::LookAlikes | Self::BlankLines | Self::Fuzzy => Key::Folded,
        }
    }

    /// The name used in reports and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::LineEndings => "line endings",
            Self::TrailingWhitespace => "trailing whitespace",
            Self::Indentation => "indentation",
            Self::Spacing => "spacing",
            Self::LookAlikes => "look-alikes",
            Self::BlankLines => "blank lines",
            Self::Fuzzy => "fuzzy",
            Self::Anchors => "anchors",
            Self::Seen => "lines as seen",
            Self::LinesUnverified => "lines-unverified",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
