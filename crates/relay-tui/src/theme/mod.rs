//! Themes: which colour and which sign each part of the interface has.
//!
//! Widgets never name a colour; they ask the theme for a [`Token`].

mod export;
mod fallback;
mod load;
mod sample;
mod symbols;
mod token;

pub use export::Export;
pub use sample::{sample, strip};
pub use symbols::{Preset, Symbol, Symbols};
pub use token::Token;

use crate::text::{Color, Style};

/// A theme with every colour resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Its name.
    pub name: String,
    /// The colours, in the order of the tokens.
    pub colors: [Color; Token::COUNT],
    /// Its signs.
    pub symbols: Symbols,
    /// What it says about exported pages.
    pub export: Export,
}

impl Default for Theme {
    fn default() -> Self {
        Self {
            name: "red-claw".to_owned(),
            colors: fallback::COLORS,
            symbols: Symbols::default(),
            export: Export::default(),
        }
    }
}

impl Theme {
    /// The colour of a token.
    #[must_use]
    pub fn color(&self, token: Token) -> Color {
        self.colors.get(token as usize).copied().unwrap_or_default()
    }

    /// Text in the colour of a token.
    #[must_use]
    pub fn fg(&self, token: Token) -> Style {
        Style::fg(self.color(token))
    }

    /// A sign.
    #[must_use]
    pub fn sign(&self, symbol: Symbol) -> &str {
        self.symbols.get(symbol)
    }
}
