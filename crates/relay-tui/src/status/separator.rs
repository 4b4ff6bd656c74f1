//! What separates the segments of the status line, and how they are joined by it.

use crate::text::{Color, Line, Style};
use crate::theme::{Preset, Token};
use crate::view::View;

/// What separates segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the setting")]
pub enum Separator {
    Powerline,
    PowerlineThin,
    #[default]
    Slash,
    Pipe,
    Block,
    None,
    Ascii,
}

impl Separator {
    /// The separator of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "powerline" => Self::Powerline,
            "powerline-thin" => Self::PowerlineThin,
            "slash" => Self::Slash,
            "pipe" => Self::Pipe,
            "block" => Self::Block,
            "none" => Self::None,
            "ascii" => Self::Ascii,
            _ => return None,
        })
    }

    /// The signs for segments at the left and at the right.
    fn signs(self) -> [&'static str; 2] {
        match self {
            Self::Powerline => ["\u{e0b0}", "\u{e0b2}"],
            Self::PowerlineThin => ["\u{e0b1}", "\u{e0b3}"],
            Self::Slash => ["/"; 2],
            Self::Pipe => ["│"; 2],
            Self::Block => ["▌"; 2],
            Self::None => [""; 2],
            Self::Ascii => ["|"; 2],
        }
    }

    /// What this terminal can show of it.
    #[must_use]
    pub fn shown(self, view: &View<'_>) -> Self {
        let is_ascii = self.signs().iter().all(|sign| sign.is_ascii());
        if view.theme.symbols.preset == Preset::Ascii && !is_ascii { Self::Ascii } else { self }
    }

    /// The segments as one line. Those at the right have their separators the other way round.
    #[must_use]
    pub fn join(self, view: &View<'_>, segments: &[Line], color: Token, is_right: bool) -> Line {
        let shades = [Token::SelectedBg, Token::UserMessageBg].map(|token| view.theme.color(token));
        if self == Self::Powerline && shades.iter().all(|shade| *shade != Color::Default) {
            return powerline(view, segments, shades, is_right);
        }
        let sign = self.signs().get(usize::from(is_right)).copied().unwrap_or_default();
        let between = if sign.is_empty() { "  ".to_owned() } else { format!(" {sign} ") };
        let mut line = Line::new();
        for (at, segment) in segments.iter().enumerate() {
            if at > 0 {
                line.push(between.clone(), view.fg(color));
            }
            line.append(segment.clone());
        }
        line
    }
}

/// Segments on backgrounds that change, with arrows from one to the next.
fn powerline(view: &View<'_>, segments: &[Line], shades: [Color; 2], is_right: bool) -> Line {
    let [forward, back] = Separator::Powerline.signs();
    let beside = view.theme.color(Token::StatusLineBg);
    let shade = |at: usize| if at < segments.len() { shades.get(at % 2).copied() } else { None };
    let mut line = Line::new();
    for (at, segment) in segments.iter().enumerate() {
        let own = shade(at).unwrap_or_default();
        if is_right {
            let before = at.checked_sub(1).and_then(shade).unwrap_or(beside);
            line.push(back, Style::fg(own).on(before));
        }
        let mut inner = Line::of(" ", Style::default()).and("", Style::default());
        inner.append(segment.clone());
        inner.push(" ", Style::default());
        let mut inner = inner.filled(own);
        inner.fill = None;
        line.append(inner);
        if !is_right {
            line.push(forward, Style::fg(own).on(shade(at + 1).unwrap_or(beside)));
        }
    }
    line
}
