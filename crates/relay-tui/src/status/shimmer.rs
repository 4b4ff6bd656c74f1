//! How the word that says what the agent does is animated.

use crate::text::Line;
use crate::theme::Token;
use crate::view::View;

/// How long the light stays on a character.
const STEP_MS: u64 = 80;
/// Steps of a light that runs through before it begins again.
const PAUSE: usize = 6;

/// How the word that says the agent works is animated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shimmer {
    /// A light runs through it.
    #[default]
    Classic,
    /// A light runs to and fro.
    Kitt,
    /// It does not move.
    Disabled,
}

impl Shimmer {
    /// The animation of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "classic" => Some(Self::Classic),
            "kitt" => Some(Self::Kitt),
            "disabled" => Some(Self::Disabled),
            _ => None,
        }
    }

    /// The character that is lit at this moment.
    fn lit(self, now_ms: u64, count: usize) -> Option<usize> {
        let step = usize::try_from(now_ms / STEP_MS).unwrap_or_default();
        match self {
            Self::Disabled => None,
            Self::Classic => Some(step % (count + PAUSE)),
            Self::Kitt => {
                let last = count.saturating_sub(1);
                let at = step % (2 * last).max(1);
                Some(if at < last { at } else { 2 * last - at })
            }
        }
    }

    /// A word at this moment.
    #[must_use]
    pub fn line(self, view: &View<'_>, word: &str) -> Line {
        let Some(light) = self.lit(view.now_ms, word.chars().count().max(1)) else {
            return Line::of(word, view.fg(Token::Accent));
        };
        let mut line = Line::new();
        for (at, character) in word.chars().enumerate() {
            let style = match at.abs_diff(light) {
                0 => view.fg(Token::Text).bold(),
                1 => view.fg(Token::Accent).bold(),
                _ => view.fg(Token::Accent),
            };
            line.push(character, style);
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_moves_in_its_own_way() {
        let path = |kind: Shimmer| -> Vec<Option<usize>> {
            (0..8).map(|step| kind.lit(step * STEP_MS, 4)).collect()
        };
        let at = |places: [usize; 8]| places.map(Some).to_vec();
        assert_eq!(path(Shimmer::Classic), at([0, 1, 2, 3, 4, 5, 6, 7]), "it goes on past the end");
        assert_eq!(path(Shimmer::Kitt), at([0, 1, 2, 3, 2, 1, 0, 1]), "it turns round at both ends");
        assert_eq!(path(Shimmer::Disabled), vec![None; 8]);
        assert_eq!(Shimmer::Kitt.lit(1234, 1), Some(0), "a single character");
    }
}
