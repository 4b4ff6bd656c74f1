//! A theme as the colours of an exported page.

use super::{Theme, Token};
use crate::text::Color;

/// What a theme says about exported pages: behind everything, behind a message, and behind what is less important.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Export {
    /// `export.pageBg`.
    pub page: Color,
    /// `export.cardBg`.
    pub card: Color,
    /// `export.infoBg`.
    pub info: Color,
}

impl Theme {
    /// Rules for the page's style: its colours in the scheme, dark or light, that this theme is for. What the theme does not say
    /// about pages follows from its other colours.
    #[must_use]
    pub fn page_style(&self) -> String {
        let or = |color: Color, token: Token| if color == Color::Default { self.color(token) } else { color };
        let colors = [
            ("--bg", or(self.export.page, Token::StatusLineBg)),
            ("--card", or(self.export.card, Token::UserMessageBg)),
            ("--sunk", or(self.export.info, Token::CustomMessageBg)),
            ("--accent", self.color(Token::Accent)),
            ("--accent-soft", self.color(Token::SelectedBg)),
        ];
        let rules: String =
            colors.iter().filter_map(|(name, color)| Some(format!("{name}:{};", hex(*color)?))).collect();
        let (own, other) = if self.is_light() { ("light", "dark") } else { ("dark", "light") };
        format!(
            "@media (prefers-color-scheme:{own}){{:root:not([data-theme={other}]){{{rules}}}}}:root[data-theme={own}]{{{rules}}}"
        )
    }
}

/// A colour as a page writes it; none for the terminal's own, which a page does not know.
fn hex(color: Color) -> Option<String> {
    let (red, green, blue) = match color {
        Color::Default | Color::Indexed(0..16) => return None,
        Color::Rgb(red, green, blue) => (red, green, blue),
        Color::Indexed(index @ 16..232) => {
            let step = |place: u8| match (index - 16) / place % 6 {
                0 => 0,
                step => 55 + step * 40,
            };
            (step(36), step(6), step(1))
        }
        Color::Indexed(index) => {
            let grey = 8 + (index - 232) * 10;
            (grey, grey, grey)
        }
    };
    Some(format!("#{red:02x}{green:02x}{blue:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_colours_of_the_theme_in_its_own_scheme() {
        let mut theme = Theme::built_in("midnight").unwrap();
        theme.export.page = Color::Rgb(1, 2, 3);
        let style = theme.page_style();
        assert!(style.contains(":root[data-theme=dark]{--bg:#010203;"), "{style}");
        assert!(style.contains("--accent:#"), "{style}");
        assert!(Theme::built_in("relay-light").unwrap().page_style().contains("data-theme=light]{"));
        assert_eq!(hex(Color::Indexed(196)).as_deref(), Some("#ff0000"));
        assert_eq!(hex(Color::Indexed(244)).as_deref(), Some("#808080"));
    }
}
