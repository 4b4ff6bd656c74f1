//! A text to read: scrolled with the arrow keys, searched with `/`. Takes the whole screen.

use super::{Overlay, Step, list::rule};
use crate::conversation::Conversation;
use crate::conversation::diff::{self, DiffLine};
use crate::input::{Code, Key};
use crate::text::Line;
use crate::theme::Token;
use crate::view::View;

/// A text to read.
pub struct Pages {
    title: String,
    lines: Vec<Line>,
    /// A diff, drawn in the colours of the theme.
    patch: Vec<DiffLine>,
    first: usize,
}

impl Pages {
    /// A text with a title.
    pub fn new(title: impl Into<String>, lines: Vec<Line>) -> Self {
        Self { title: title.into(), lines, patch: Vec::new(), first: 0 }
    }

    /// A diff with a title.
    pub fn patch(title: impl Into<String>, patch: Vec<DiffLine>) -> Self {
        Self { patch, ..Self::new(title, Vec::new()) }
    }

    fn wrapped(&self, view: &View<'_>) -> Vec<Line> {
        let patch = diff::draw(view, &self.patch);
        self.lines.iter().flat_map(|line| line.clone().wrapped(view.width, 2)).chain(patch).collect()
    }
}

/// How far a key scrolls, if it does: lines down, with the ends far away.
pub(super) fn scroll(key: &Key, page: usize) -> Option<isize> {
    let page = isize::try_from(page.max(1)).unwrap_or(10);
    Some(match key.code {
        Code::Up => -1,
        Code::Down | Code::Enter => 1,
        Code::Char('k') if !key.ctrl => -1,
        Code::Char('j') if !key.ctrl => 1,
        Code::PageUp => -page,
        Code::PageDown | Code::Char(' ') => page,
        Code::Char('b') => -page,
        Code::Char('u') if key.ctrl => -page / 2,
        Code::Char('d') if key.ctrl => page / 2,
        Code::Home | Code::Char('g') => isize::MIN / 2,
        Code::End | Code::Char('G') => isize::MAX / 2,
        _ => return None,
    })
}

/// Whether a key closes a screen to read.
pub(super) fn is_exit(key: &Key) -> bool {
    matches!(key.code, Code::Esc | Code::Char('q')) || (key.ctrl && matches!(key.code, Code::Char('c' | 'o')))
}

impl Overlay for Pages {
    fn lines(&self, view: &View<'_>, _: &Conversation) -> Vec<Line> {
        let rows = view.height.saturating_sub(2).max(1);
        let wrapped = self.wrapped(view);
        let first = self.first.min(wrapped.len().saturating_sub(rows));
        let percent = ((first + rows) * 100 / wrapped.len().max(1)).min(100);
        let mut lines = vec![rule(view, &format!("{} · {percent}%", self.title))];
        lines.extend(wrapped.into_iter().skip(first).take(rows));
        while lines.len() < rows + 1 {
            lines.push(Line::new());
        }
        let hints =
            [("esc".to_owned(), "close"), ("↑↓ pgup pgdn".to_owned(), "scroll"), ("g G".to_owned(), "ends")];
        lines.push(view.hints(&hints).and("", view.fg(Token::Dim)));
        lines
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        if is_exit(key) {
            return Step::Close;
        }
        let rows = view.height.saturating_sub(2).max(1);
        if let Some(by) = scroll(key, rows) {
            let count = self.wrapped(view).len();
            self.first = self.first.saturating_add_signed(by).min(count.saturating_sub(rows));
        }
        Step::Stay
    }

    fn is_full(&self) -> bool {
        true
    }
}
