//! A text as a terminal takes it: escape sequences, and characters with their cells.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// What a text consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A sequence for the terminal, whole or cut off at the end of the text.
    Escape(&'a str),
    /// A character as people see it, and its cells.
    Shown(&'a str, usize),
}

impl<'a> Piece<'a> {
    /// Its text.
    pub fn text(&self) -> &'a str {
        match self {
            Self::Escape(text) | Self::Shown(text, _) => text,
        }
    }

    /// The cells it takes.
    pub fn cells(&self) -> usize {
        match self {
            Self::Escape(_) => 0,
            Self::Shown(_, cells) => *cells,
        }
    }
}

/// The pieces of a text.
pub fn pieces(text: &str, tab: usize) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let piece = match escape(rest) {
            0 => {
                let character = rest.graphemes(true).next()?;
                // What follows an escape sequence may not be taken into the character before it.
                let end = character.find('\x1b').filter(|at| *at > 0).unwrap_or(character.len());
                let character = character.get(..end).unwrap_or(character);
                Piece::Shown(character, cells(character, tab))
            }
            length => Piece::Escape(rest.get(..length).unwrap_or(rest)),
        };
        rest = rest.get(piece.text().len()..).unwrap_or_default();
        Some(piece)
    })
}

fn cells(character: &str, tab: usize) -> usize {
    match character {
        "\t" => tab,
        character if character.chars().all(char::is_control) => 0,
        character if character.is_ascii() => character.len(),
        character => character.width().min(2),
    }
}

/// How many bytes of an escape sequence a text begins with; none if it begins with something else.
fn escape(text: &str) -> usize {
    let bytes = text.as_bytes();
    let after = |from: usize, ends: &dyn Fn(u8) -> bool| {
        bytes.iter().skip(from).position(|byte| ends(*byte)).map_or(bytes.len(), |at| from + at + 1)
    };
    match (bytes.first(), bytes.get(1)) {
        (Some(0x1b), Some(b'[')) => after(2, &|byte| (0x40..=0x7e).contains(&byte)),
        (Some(0x1b), Some(b']' | b'P' | b'X' | b'^' | b'_')) => {
            let end = after(2, &|byte| matches!(byte, 0x07 | 0x1b));
            // `ESC \` ends it as BEL does.
            match (bytes.get(end - 1), bytes.get(end)) {
                (Some(0x1b), Some(b'\\')) => end + 1,
                (Some(0x1b), _) if end > 2 => end - 1,
                _ => end,
            }
        }
        (Some(0x1b), Some(b' '..=b'/')) => after(2, &|byte| (0x30..=0x7e).contains(&byte)),
        (Some(0x1b), Some(byte)) if byte.is_ascii() => 2,
        (Some(0x1b), _) => 1,
        _ => 0,
    }
}
