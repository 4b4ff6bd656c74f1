//! HTML in the making. Only text that is part of the program goes in as it is; everything else is escaped.

use relay_diagnostics::display::visible;

/// A piece of a page.
#[derive(Debug, Default)]
pub(super) struct Html {
    out: String,
}

impl Html {
    /// Markup. It is a part of the program, never of a session: that is what `'static` is for.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.out.push_str(markup);
        self
    }

    /// Text from a session, for between tags and for attributes in double quotes.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        let text = visible(text);
        self.out.reserve(text.len());
        for letter in text.chars() {
            match letter {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\'' => self.out.push_str("&#39;"),
                _ => self.out.push(letter),
            }
        }
        self
    }

    /// A number.
    pub(super) fn number(&mut self, number: usize) -> &mut Self {
        self.out.push_str(&number.to_string());
        self
    }

    /// An element with nothing but text in it.
    pub(super) fn element(&mut self, open: &'static str, text: &str, close: &'static str) -> &mut Self {
        self.raw(open).text(text).raw(close)
    }

    /// Another piece.
    pub(super) fn append(&mut self, other: Html) -> &mut Self {
        self.out.push_str(&other.out);
        self
    }

    pub(super) fn finish(self) -> String {
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup() {
        let mut html = Html::default();
        html.element("<b>", "<i a='1' b=\"2\">&\u{0}\u{202e}", "</b>");
        assert_eq!(html.finish(), "<b>&lt;i a=&#39;1&#39; b=&quot;2&quot;&gt;&amp;\\x00&lt;U+202E&gt;</b>");
    }
}
