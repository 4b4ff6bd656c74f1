//! Styled lines: what every widget returns and the renderer draws.

use std::sync::Arc;

use super::style::{Attrs, Color, Style};
use super::width::{fit, graphemes, width};
use crate::picture::Placed;

/// A piece of text in one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The text; it has no line breaks.
    pub text: String,
    /// How it looks.
    pub style: Style,
    /// The address it links to.
    pub link: Option<Arc<str>>,
}

impl Span {
    /// A piece of text.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style, link: None }
    }
}

/// One line of the screen, or one that is still to be wrapped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Its pieces, from left to right.
    pub spans: Vec<Span>,
    /// The background that reaches to the right edge.
    pub fill: Option<Color>,
    /// The picture of which this is the last row.
    pub picture: Option<Placed>,
}

impl Line {
    /// An empty line.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A line of one piece.
    pub fn of(text: impl Into<String>, style: Style) -> Self {
        Self { spans: vec![Span::new(text, style)], ..Self::default() }
    }

    /// The same with one more piece.
    #[must_use]
    pub fn and(mut self, text: impl Into<String>, style: Style) -> Self {
        self.push(text, style);
        self
    }

    /// Adds a piece; a piece without text is left out.
    pub fn push(&mut self, text: impl Into<String>, style: Style) {
        let text = text.into();
        if text.is_empty() {
            return;
        }
        match self.spans.last_mut() {
            Some(last) if last.style == style && last.link.is_none() => last.text.push_str(&text),
            _ => self.spans.push(Span::new(text, style)),
        }
    }

    /// Adds the pieces of another line.
    pub fn append(&mut self, other: Self) {
        self.spans.extend(other.spans);
    }

    /// The same on a background that reaches to the right edge.
    #[must_use]
    pub fn filled(mut self, color: Color) -> Self {
        for span in &mut self.spans {
            if span.style.bg == Color::Default {
                span.style.bg = color;
            }
        }
        self.fill = Some(color);
        self
    }

    /// The cells it takes.
    #[must_use]
    pub fn width(&self) -> usize {
        self.spans.iter().map(|span| width(&span.text)).sum()
    }

    /// Whether nothing is to be seen.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.fill.is_none()
            && self.picture.is_none()
            && self.spans.iter().all(|span| span.text.trim().is_empty())
    }

    /// Its text without styles.
    #[must_use]
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    /// The same with foreground and background exchanged at a cell, as a caret is drawn.
    #[must_use]
    pub fn with_caret(self, column: usize) -> Self {
        let mut line = Self { fill: self.fill, picture: self.picture, ..Self::default() };
        let mut at = 0;
        for span in self.spans {
            for (_, grapheme, cells) in graphemes(&span.text) {
                let mut piece = Span { text: grapheme.to_owned(), ..span.clone() };
                if at == column {
                    piece.style = piece.style.with(Attrs::REVERSE);
                }
                put(&mut line.spans, grapheme, &piece);
                at += cells;
            }
        }
        if at <= column {
            line.push(" ".repeat(column - at), Style::default());
            line.push(" ", Style::default().with(Attrs::REVERSE));
        }
        line
    }

    /// Cut to `room` cells; what is cut is shown as `mark`.
    #[must_use]
    pub fn truncated(mut self, room: usize, mark: &str) -> Self {
        if self.width() <= room {
            return self;
        }
        let mut left = room.saturating_sub(width(mark));
        let mut style = Style::default();
        let mut kept = Vec::new();
        for mut span in std::mem::take(&mut self.spans) {
            style = span.style;
            let (end, used) = fit(&span.text, left);
            let is_cut = end < span.text.len();
            span.text.truncate(end);
            left -= used;
            kept.push(span);
            if is_cut || left == 0 {
                break;
            }
        }
        self.spans = kept;
        let (end, _) = fit(mark, room);
        self.push(mark.get(..end).unwrap_or_default(), style);
        self
    }

    /// Filled up with blanks to `cells`.
    #[must_use]
    pub fn padded(mut self, cells: usize, style: Style) -> Self {
        let missing = cells.saturating_sub(self.width());
        self.push(" ".repeat(missing), style);
        self
    }

    /// `left` and `right` at the edges of a line of `room` cells; the right one gives way when there is no room.
    #[must_use]
    pub fn edges(left: Self, right: Self, room: usize) -> Self {
        let (taken, wanted) = (left.width(), right.width());
        if taken + wanted < room {
            let mut line = left;
            line.push(" ".repeat(room - taken - wanted), Style::default());
            line.append(right);
            line
        } else {
            left.truncated(room, "")
        }
    }

    /// Broken into lines of at most `room` cells, at blanks where there are some. Every line but the first begins with
    /// `indent` blanks.
    #[must_use]
    pub fn wrapped(self, room: usize, indent: usize) -> Vec<Self> {
        let room = room.max(2);
        if self.width() <= room {
            return vec![self];
        }
        Wrap::new(self.fill, room, indent.min(room / 2)).run(self.spans)
    }
}

/// A line that is being broken.
struct Wrap {
    lines: Vec<Line>,
    line: Line,
    used: usize,
    /// Pieces since the last blank, which move to the next line together.
    word: Vec<Span>,
    word_cells: usize,
    room: usize,
    indent: usize,
}

impl Wrap {
    fn new(fill: Option<Color>, room: usize, indent: usize) -> Self {
        let line = Line { fill, ..Line::default() };
        Self { lines: Vec::new(), line, used: 0, word: Vec::new(), word_cells: 0, room, indent }
    }

    fn run(mut self, spans: Vec<Span>) -> Vec<Line> {
        for span in spans {
            for (_, grapheme, cells) in graphemes(&span.text) {
                if grapheme == " " {
                    self.end_word();
                    // A blank at the end of a line is not carried over.
                    if self.used < self.room && (self.used > 0 || self.lines.is_empty()) {
                        put(&mut self.line.spans, grapheme, &span);
                        self.used += 1;
                    }
                } else {
                    if self.word_cells + cells > self.room - self.start() {
                        self.end_word();
                    }
                    put(&mut self.word, grapheme, &span);
                    self.word_cells += cells;
                }
            }
        }
        self.end_word();
        if self.lines.is_empty() || self.used > self.start() {
            self.lines.push(self.line);
        }
        self.lines
    }

    fn start(&self) -> usize {
        if self.lines.is_empty() { 0 } else { self.indent }
    }

    fn end_word(&mut self) {
        if self.used + self.word_cells > self.room && self.used > self.start() {
            self.end_line();
        }
        for span in std::mem::take(&mut self.word) {
            for (_, grapheme, cells) in graphemes(&span.text) {
                if self.used + cells > self.room {
                    self.end_line();
                }
                put(&mut self.line.spans, grapheme, &span);
                self.used += cells;
            }
        }
        self.word_cells = 0;
    }

    fn end_line(&mut self) {
        let fill = self.line.fill;
        let style = Style::default().on(fill.unwrap_or_default());
        let mut done = std::mem::replace(&mut self.line, Line { fill, ..Line::default() });
        if let Some(last) = done.spans.last_mut() {
            last.text.truncate(last.text.trim_end_matches(' ').len());
        }
        self.lines.push(done);
        self.line.push(" ".repeat(self.indent), style);
        self.used = self.indent;
    }
}

/// Adds a character in the style of `like`.
fn put(spans: &mut Vec<Span>, grapheme: &str, like: &Span) {
    match spans.last_mut() {
        Some(last) if last.style == like.style && last.link == like.link => last.text.push_str(grapheme),
        _ => spans.push(Span { text: grapheme.to_owned(), style: like.style, link: like.link.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, room: usize, indent: usize, expected: &[&str]) {
        let lines = Line::of(text, Style::default()).wrapped(room, indent);
        let texts: Vec<String> = lines.iter().map(Line::text).collect();
        assert_eq!(texts, expected);
        assert!(lines.iter().all(|line| line.width() <= room.max(2)), "{texts:?}");
    }

    #[test]
    fn lines_break_at_blanks_and_inside_long_words() {
        check("one two three", 8, 0, &["one two", "three"]);
        check("one two three", 8, 2, &["one two", "  three"]);
        check("abcdefghij", 4, 0, &["abcd", "efgh", "ij"]);
        check("世界世界", 5, 0, &["世界", "世界"]);
        check("a bcdefghij", 4, 0, &["a", "bcde", "fghi", "j"]);
        check("", 4, 0, &[""]);
    }

    #[test]
    fn cut_lines_say_so() {
        assert_eq!(Line::of("abcdef", Style::default()).truncated(4, "…").text(), "abc…");
        assert_eq!(Line::of("世界", Style::default()).truncated(3, "…").text(), "世…");
        assert_eq!(Line::of("ab", Style::default()).truncated(4, "…").text(), "ab");
    }
}
