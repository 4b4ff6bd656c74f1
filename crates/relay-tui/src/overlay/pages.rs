//! A text to read: scrolled with the arrow keys, searched with `/`. Takes the whole screen.

use super::{Overlay, Step, Wish, list::rule};
use crate::conversation::Conversation;
use crate::conversation::diff::{self, DiffLine};
use crate::input::{Code, Key};
use crate::output::Output;
use crate::text::{Line, clean_line};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// A text to read.
pub struct Pages {
    title: String,
    lines: Vec<Line>,
    /// A diff, drawn in the colours of the theme.
    patch: Vec<DiffLine>,
    first: usize,
    /// What is searched for, and whether it is still being written.
    query: String,
    is_searching: bool,
    /// More keys: what each does.
    hints: Vec<(char, &'static str)>,
}

impl Pages {
    /// A text with a title.
    pub fn new(title: impl Into<String>, lines: Vec<Line>) -> Self {
        Self {
            title: title.into(),
            lines,
            patch: Vec::new(),
            first: 0,
            query: String::new(),
            is_searching: false,
            hints: Vec::new(),
        }
    }

    /// A diff with a title.
    pub fn patch(title: impl Into<String>, patch: Vec<DiffLine>) -> Self {
        Self { patch, ..Self::new(title, Vec::new()) }
    }

    /// The same, from its end.
    #[must_use]
    pub fn at_end(mut self) -> Self {
        self.first = usize::MAX;
        self
    }

    /// The same with a key in its last line that whoever made it takes.
    #[must_use]
    pub fn with_hint(mut self, key: char, about: &'static str) -> Self {
        self.hints.push((key, about));
        self
    }

    /// Another text, from its end.
    pub(super) fn replace(&mut self, title: String, lines: Vec<Line>) {
        (self.title, self.lines, self.first) = (title, lines, usize::MAX);
    }

    /// More text before what is there; what is on the screen stays there.
    pub(super) fn prepend(&mut self, title: String, mut lines: Vec<Line>, view: &View<'_>) {
        let rows: usize = lines.iter().map(|line| line.clone().wrapped(view.width, 2).len()).sum();
        lines.append(&mut self.lines);
        (self.title, self.lines) = (title, lines);
        self.first = self.first.saturating_add(rows);
    }

    /// Whether nothing is above what is shown.
    pub(super) fn is_at_top(&self) -> bool {
        self.first == 0
    }

    /// Whether a text to search for is being written.
    pub(super) fn is_searching(&self) -> bool {
        self.is_searching
    }

    fn wrapped(&self, view: &View<'_>) -> Vec<Line> {
        let patch = diff::draw(view, &self.patch);
        self.lines.iter().flat_map(|line| line.clone().wrapped(view.width, 2)).chain(patch).collect()
    }

    /// The lines of the screen that are below the title.
    fn rows(view: &View<'_>) -> usize {
        view.height.saturating_sub(2).max(1)
    }

    /// To the next line, or the one before, that has what is searched for; around the ends.
    fn find(&mut self, view: &View<'_>, is_back: bool) {
        let query = self.query.to_lowercase();
        let lines = self.wrapped(view);
        let found: Vec<usize> = lines
            .iter()
            .enumerate()
            .filter(|(_, line)| !query.is_empty() && line.text().to_lowercase().contains(&query))
            .map(|(at, _)| at)
            .collect();
        let at = self.first.min(lines.len());
        let next = if is_back {
            found.iter().rev().find(|found| **found < at).or(found.last())
        } else {
            found.iter().find(|found| **found > at).or(found.first())
        };
        if let Some(next) = next {
            self.first = *next;
        }
    }

    fn search_key(&mut self, key: &Key, view: &View<'_>) -> Step {
        match key.code {
            Code::Esc => {
                self.is_searching = false;
                self.query.clear();
            }
            Code::Char('c') if key.ctrl => self.is_searching = false,
            Code::Enter => {
                self.is_searching = false;
                self.find(view, false);
            }
            Code::Backspace => drop(self.query.pop()),
            _ => self.query.extend(key.typed()),
        }
        Step::Stay
    }

    fn last_line(&self, view: &View<'_>) -> Line {
        if self.is_searching {
            let line =
                Line::of("/", view.fg(Token::Accent)).and(clean_line(&self.query), view.fg(Token::Text));
            let mut hints = line.and("  ", view.fg(Token::Dim));
            hints.append(view.hints(&[("esc".to_owned(), "back"), ("enter".to_owned(), "find")]));
            return hints.truncated(view.width, view.sign(Symbol::Ellipsis));
        }
        let mut hints = vec![("esc".to_owned(), "close")];
        hints.extend(self.hints.iter().map(|(key, about)| (key.to_string(), *about)));
        hints.push((format!("{} pgup pgdn", view.arrows()), "scroll"));
        hints.push(("/ n N".to_owned(), "search"));
        hints.push(("c".to_owned(), "copy"));
        hints.push(("g G".to_owned(), "ends"));
        view.hints(&hints)
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
        let rows = Self::rows(view);
        let wrapped = self.wrapped(view);
        let first = self.first.min(wrapped.len().saturating_sub(rows));
        let percent = ((first + rows) * 100 / wrapped.len().max(1)).min(100);
        let mut lines = vec![rule(view, &format!("{} {} {percent}%", self.title, view.sign(Symbol::Dot)))];
        let query = self.query.to_lowercase();
        for line in wrapped.into_iter().skip(first).take(rows) {
            let is_found = !query.is_empty() && line.text().to_lowercase().contains(&query);
            lines.push(if is_found { line.filled(view.theme.color(Token::SelectedBg)) } else { line });
        }
        while lines.len() < rows + 1 {
            lines.push(Line::new());
        }
        lines.push(self.last_line(view));
        lines
    }

    fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        let column = 1 + crate::text::width(&clean_line(&self.query));
        self.is_searching.then_some((Self::rows(view) + 1, column.min(view.width.saturating_sub(1))))
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        if self.is_searching {
            return self.search_key(key, view);
        }
        match key.typed() {
            Some('/') => {
                self.is_searching = true;
                self.query.clear();
                return Step::Stay;
            }
            Some('n') => self.find(view, false),
            Some('N') => self.find(view, true),
            Some('c') => {
                let text: Vec<String> = self.lines.iter().map(Line::text).collect();
                let text = if text.is_empty() { diff::text(&self.patch) } else { text.join("\n") };
                return Step::want(Wish::Output(Output::Copy(text)));
            }
            _ => {}
        }
        if is_exit(key) {
            return Step::Close;
        }
        let rows = Self::rows(view);
        if let Some(by) = scroll(key, rows) {
            let last = self.wrapped(view).len().saturating_sub(rows);
            self.first = self.first.min(last).saturating_add_signed(by).min(last);
        }
        Step::Stay
    }

    fn is_full(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::App;
    use crate::text::Style;

    fn press(pages: &mut Pages, chord: &str) -> Step {
        let app = App::new(40, 12);
        pages.key(&Key::parse(chord).unwrap(), &app.view())
    }

    fn top(pages: &Pages) -> String {
        let app = App::new(40, 12);
        pages.lines(&app.view(), &app.conversation)[1].text()
    }

    #[test]
    fn a_text_is_scrolled_searched_and_copied() {
        let lines = (0..100).map(|number| Line::of(format!("line {number}"), Style::default())).collect();
        let mut pages = Pages::new("text", lines).at_end();
        assert_eq!(top(&pages), "line 90");
        press(&mut pages, "up");
        assert_eq!(top(&pages), "line 89");
        for chord in ["/", "e", "space", "4", "2", "enter"] {
            press(&mut pages, chord);
        }
        assert_eq!(top(&pages), "line 42");
        assert!(matches!(press(&mut pages, "c"), Step::Do(_)));
        assert!(matches!(press(&mut pages, "q"), Step::Close));
    }
}
