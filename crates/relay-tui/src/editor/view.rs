//! How the editor looks: a frame in the colour of its mode, the text, and the caret.

use super::{Editor, Mode};
use crate::text::{Line, clean};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// What is shown while nothing is written.
const PLACEHOLDER: &str = "Type your message...";

/// The editor as lines, with the place of the caret in them.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// The lines, with the frame.
    pub lines: Vec<Line>,
    /// Row and column of the caret.
    pub cursor: (usize, usize),
}

impl Editor {
    /// The text of the prompt, and the colours of prompt and frame.
    fn manner(&self, view: &View<'_>) -> (String, Token, Token) {
        match self.mode() {
            Mode::Prompt => (format!("{} ", view.theme.sign(Symbol::Prompt)), Token::Accent, view.frame),
            Mode::Shell => ("shell > ".to_owned(), Token::BashMode, Token::BashMode),
            Mode::ShellAside => ("shell no-context > ".to_owned(), Token::Warning, Token::Warning),
            Mode::Python => ("python > ".to_owned(), Token::PythonMode, Token::PythonMode),
        }
    }

    /// The editor, at most `height` rows high with its frame; `label` is shown in the upper edge.
    pub fn shown(&mut self, view: &View<'_>, height: usize, label: &Line) -> Shown {
        let (prompt, prompt_color, frame) = self.manner(view);
        let theme = view.theme;
        let edge = theme.fg(frame);
        let side = theme.sign(Symbol::BoxVertical).to_owned();
        let indent = crate::text::width(&prompt);
        let inner = view.width.saturating_sub(4);
        let room = inner.saturating_sub(indent).max(4);
        self.set_room(room);
        let layout = self.layout();
        let (row, column) = layout.locate(self.text(), self.buffer().caret());
        let rows = height.saturating_sub(2).max(1);
        let first = row.saturating_sub(rows - 1);
        let mut lines = vec![top(view, label, edge)];
        for (at, range) in layout.rows.iter().enumerate().skip(first).take(rows) {
            let text = self.text().get(range.clone()).unwrap_or_default();
            let mut line = Line::of(format!("{side} "), edge);
            let is_first = at == 0;
            line.push(if is_first { prompt.clone() } else { " ".repeat(indent) }, theme.fg(prompt_color));
            if self.text().is_empty() {
                line.push(PLACEHOLDER, theme.fg(Token::Dim));
            } else {
                line.push(clean(text), theme.fg(Token::Text));
            }
            let line = line.truncated(view.width.saturating_sub(2), theme.sign(Symbol::Ellipsis));
            lines.push(
                line.padded(view.width.saturating_sub(1), theme.fg(Token::Text)).and(side.clone(), edge),
            );
        }
        let hidden = layout.rows.len().saturating_sub(first + rows);
        lines.push(bottom(view, first, hidden, edge));
        Shown { lines, cursor: (1 + row - first, 2 + indent + column) }
    }
}

fn top(view: &View<'_>, label: &Line, edge: crate::text::Style) -> Line {
    let theme = view.theme;
    let (left, right) = (theme.sign(Symbol::BoxTopLeft), theme.sign(Symbol::BoxTopRight));
    let horizontal = theme.sign(Symbol::BoxHorizontal);
    let mut line = Line::of(left, edge);
    let room = view.width.saturating_sub(2);
    let label = label.clone().truncated(room.saturating_sub(4), theme.sign(Symbol::Ellipsis));
    let taken = label.width();
    if taken > 0 && taken + 4 <= room {
        line.push(horizontal.repeat(room - taken - 3), edge);
        line.push(" ", edge);
        line.append(label);
        line.push(format!(" {horizontal}"), edge);
    } else {
        line.push(horizontal.repeat(room), edge);
    }
    line.push(right, edge);
    line
}

fn bottom(view: &View<'_>, above: usize, below: usize, edge: crate::text::Style) -> Line {
    let theme = view.theme;
    let (left, right) = (theme.sign(Symbol::BoxBottomLeft), theme.sign(Symbol::BoxBottomRight));
    let horizontal = theme.sign(Symbol::BoxHorizontal);
    let mut note = String::new();
    if above > 0 || below > 0 {
        note = format!(" {}{above} {}{below} ", theme.sign(Symbol::ArrowUp), theme.sign(Symbol::ArrowDown));
    }
    let room = view.width.saturating_sub(2 + crate::text::width(&note));
    Line::of(format!("{left}{}{note}{right}", horizontal.repeat(room)), edge)
}
