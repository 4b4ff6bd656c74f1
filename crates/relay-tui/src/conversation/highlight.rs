//! Colours of code: asked for here, worked out on another thread, drawn with the theme's syntax tokens.

use std::ops::Range;

use relay_syntax::{Language, Span};

use crate::text::{Line, clean};
use crate::theme::Token;
use crate::view::View;

/// A piece of code that wants colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Highlight {
    /// Names it in the answer.
    pub id: u64,
    /// Its language.
    pub language: Language,
    /// The code.
    pub code: String,
}

impl Highlight {
    /// Works the colours out. Takes a while: not for the thread that draws.
    #[must_use]
    pub fn work(&self) -> Highlighted {
        Highlighted { id: self.id, spans: relay_syntax::highlight(self.language, &self.code) }
    }
}

/// The colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Highlighted {
    /// The piece of code.
    pub id: u64,
    /// Which part is what.
    pub spans: Vec<Span>,
}

/// The theme's token for a kind of code.
fn token(kind: relay_syntax::Token) -> Token {
    use relay_syntax::Token as Kind;
    match kind {
        Kind::Comment => Token::SyntaxComment,
        Kind::Keyword | Kind::Tag => Token::SyntaxKeyword,
        Kind::Function | Kind::Attribute | Kind::Heading => Token::SyntaxFunction,
        Kind::Variable | Kind::Property => Token::SyntaxVariable,
        Kind::String => Token::SyntaxString,
        Kind::Number | Kind::Constant => Token::SyntaxNumber,
        Kind::Type => Token::SyntaxType,
        Kind::Operator => Token::SyntaxOperator,
        Kind::Punctuation => Token::SyntaxPunctuation,
    }
}

/// Code as lines, coloured if the colours are known.
#[must_use]
pub fn code_lines(view: &View<'_>, language: &str, code: &str) -> Vec<Line> {
    let spans = match view.is_growing {
        true => Some(view.code.growing(language, code)),
        false => view.code.get(language, code),
    };
    let spans = spans.as_deref().unwrap_or_default();
    let plain = view.fg(Token::MdCodeBlock);
    let mut lines = Vec::new();
    let mut start = 0;
    let mut next = 0;
    for text in code.split_inclusive('\n') {
        let end = start + text.len();
        let mut line = Line::new();
        let mut at = start;
        let put = |line: &mut Line, range: Range<usize>, style| {
            let piece = code.get(range).unwrap_or_default().trim_end_matches(['\n', '\r']);
            line.push(clean(piece), style);
        };
        while let Some(span) = spans.get(next).filter(|span| span.range.start < end) {
            let (from, to) = (span.range.start.max(at), span.range.end.min(end));
            if from < to {
                put(&mut line, at..from, plain);
                put(&mut line, from..to, view.fg(token(span.token)));
                at = to;
            }
            if span.range.end > end {
                break;
            }
            next += 1;
        }
        put(&mut line, at..end, plain);
        lines.push(line);
        start = end;
    }
    lines
}
