//! Text for a terminal, by the cells it takes: how wide it is, wrapped, cut and sliced, with its colours carried over.
//!
//! The unit is the user-perceived character (a grapheme): an emoji of several code points, or a letter with its marks, is
//! never cut in half. Escape sequences take no room. Where a line ends inside a colour or a link, it is ended there and begun
//! again where the text goes on, so that every line that is returned can be shown alone.
//!
//! Whether the sequences of a text may be shown at all is not decided here: what others wrote is cleaned before.

mod pieces;
mod style;
#[cfg(test)]
mod tests;
mod wrapped;

use pieces::{Piece, pieces};
use style::Active;
pub use wrapped::wrap;

/// What is shown where a text was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ellipsis {
    /// `…`, one cell.
    Unicode,
    /// `...`, three cells.
    Ascii,
    /// Nothing.
    Omit,
}

impl Ellipsis {
    fn text(self) -> &'static str {
        match self {
            Self::Unicode => "…",
            Self::Ascii => "...",
            Self::Omit => "",
        }
    }
}

/// The cells a text takes, with tabs of `tab` cells.
///
/// ```
/// use relay_syntax::cells::width;
/// assert_eq!(width("\x1b[31m世界\x1b[0m\t!", 3), 8);
/// ```
#[must_use]
pub fn width(text: &str, tab: usize) -> usize {
    pieces(text, tab).map(|piece| piece.cells()).sum()
}

/// A line cut to `room` cells, with a mark where it was cut, and filled up with blanks if `pad` says so. A mark that has no
/// room is cut as well.
///
/// ```
/// use relay_syntax::cells::{Ellipsis, truncate};
/// assert_eq!(truncate("one two", 5, Ellipsis::Unicode, false, 3), "one …");
/// assert_eq!(truncate("one two", 5, Ellipsis::Ascii, false, 3), "on...");
/// assert_eq!(truncate("one", 5, Ellipsis::Omit, true, 3), "one  ");
/// ```
#[must_use]
pub fn truncate(line: &str, room: usize, ellipsis: Ellipsis, pad: bool, tab: usize) -> String {
    let whole = width(line, tab);
    if whole <= room {
        let blanks = if pad { room - whole } else { 0 };
        return format!("{line}{}", " ".repeat(blanks));
    }
    let mark: String = ellipsis.text().chars().take(room).collect();
    let left = room - mark.chars().count();
    let mut active = Active::default();
    let (mut out, mut used) = (String::new(), 0);
    for piece in pieces(line, tab) {
        if used + piece.cells() > left {
            break;
        }
        used += piece.cells();
        active.see(&piece);
        out.push_str(piece.text());
    }
    // The mark looks like what it stands for.
    out.push_str(&mark);
    out.push_str(&active.end());
    if pad {
        out.push_str(&" ".repeat(left - used));
    }
    out
}

/// The cells of a line from `start` on, as many as `length`. A wide character that the first cell cuts in half is left out; one
/// that the last cell cuts is left out if `strict` says so, and else makes the slice a cell wider.
#[must_use]
pub fn slice(line: &str, start: usize, length: usize, strict: bool, tab: usize) -> String {
    let mut active = Active::default();
    let mut at = 0;
    let mut out: Option<String> = None;
    for piece in pieces(line, tab) {
        let end = at + piece.cells();
        match piece {
            Piece::Escape(text) => {
                active.see(&piece);
                if let Some(out) = &mut out {
                    out.push_str(text);
                }
            }
            Piece::Shown(text, _) => {
                if at >= start.saturating_add(length) || (strict && end > start.saturating_add(length)) {
                    break;
                }
                if at >= start {
                    out.get_or_insert_with(|| active.begin()).push_str(text);
                }
            }
        }
        at = end;
    }
    out.map(|out| out + &active.end()).unwrap_or_default()
}

/// The parts of a line before and after something that is drawn over it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segments {
    /// What is before it.
    pub before: String,
    /// The cells of that.
    pub before_width: usize,
    /// What is after it, in the colours it had in the line.
    pub after: String,
    /// The cells of that.
    pub after_width: usize,
}

/// The cells of a line up to `before_end`, and `after_length` cells from `after_start` on; both are cut as [`slice`] cuts, the
/// first strictly, the second if `strict_after` says so.
#[must_use]
pub fn segments(
    line: &str,
    before_end: usize,
    (after_start, after_length): (usize, usize),
    strict_after: bool,
    tab: usize,
) -> Segments {
    let before = slice(line, 0, before_end, true, tab);
    let after = slice(line, after_start, after_length, strict_after, tab);
    Segments { before_width: width(&before, tab), after_width: width(&after, tab), before, after }
}
