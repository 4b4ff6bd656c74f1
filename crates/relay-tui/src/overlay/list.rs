//! A list to choose from: search by typing, keys to move, a preview beside or below, a line with the way out.
//!
//! Every selector of the interface is built on this; it holds no meaning of its own.

use super::fuzzy::score;
use crate::input::{Code, Key};
use crate::text::{Line, Style, clean_line};
use crate::theme::{Symbol, Token};
use crate::view::View;
use crate::widgets;

/// Lines of what is said below a title.
const SUBTITLE: usize = 2;
/// Below this many columns notes give way.
const NARROW: usize = 60;

/// Something that can be chosen.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// Names it for whoever made the list.
    pub id: String,
    /// What is shown and searched.
    pub label: String,
    /// What is shown after it, fainter; searched too.
    pub detail: String,
    /// What is shown at the right edge.
    pub note: String,
    /// A longer text about it, shown beside the list.
    pub preview: Vec<Line>,
    /// A sign before it, such as that of the current one.
    pub mark: Option<Symbol>,
    /// Words that find it though they are not shown.
    pub keywords: String,
}

impl Entry {
    /// An entry with a name and a text.
    pub fn new(id: impl Into<String>, label: impl Into<String>) -> Self {
        Self { id: id.into(), label: label.into(), ..Self::default() }
    }

    /// The same with a detail.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// The same with a note at the right edge.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// What a key did to a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKey {
    /// It was the list's: moved, or searched.
    Taken,
    /// Enter.
    Chosen,
    /// Esc or Ctrl+C.
    Left,
    /// Not the list's.
    Other,
}

/// Cells for the signs before entries, and for what entries are called.
#[derive(Clone, Copy)]
struct Columns {
    mark: usize,
    label: usize,
}

/// A list to choose from.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// What is chosen here.
    pub title: String,
    /// Said in place of an empty list.
    pub empty: String,
    /// Tabs, and which one is open.
    pub tabs: Vec<String>,
    /// Which tab is open.
    pub tab: usize,
    /// More keys for the last line.
    pub hints: Vec<(String, &'static str)>,
    /// A line below the title, such as a filter.
    pub subtitle: String,
    /// Typing does not search.
    pub is_fixed: bool,
    /// Moving goes past the ends.
    pub wraps: bool,
    /// How many lines of a preview are shown below the list where there is no room beside it.
    pub below: usize,
    entries: Vec<Entry>,
    /// The entries that match, best first, as places in `entries`.
    shown: Vec<usize>,
    query: String,
    selected: usize,
}

impl List {
    /// A list with a title.
    pub fn new(title: impl Into<String>, entries: Vec<Entry>) -> Self {
        let mut list =
            Self { title: title.into(), empty: "nothing here".to_owned(), wraps: true, ..Self::default() };
        list.set(entries);
        list
    }

    /// Other entries; what is selected stays selected if it is still there.
    pub fn set(&mut self, entries: Vec<Entry>) {
        let before = self.current().map(|entry| entry.id.clone());
        self.entries = entries;
        self.search();
        if let Some(id) = before {
            self.select(&id);
        }
    }

    /// Selects an entry by its name.
    pub fn select(&mut self, id: &str) {
        let at = self.shown.iter().position(|at| self.entries.get(*at).is_some_and(|entry| entry.id == id));
        self.selected = at.unwrap_or(self.selected).min(self.shown.len().saturating_sub(1));
    }

    /// Shows another longer text beside an entry.
    pub fn show(&mut self, id: &str, preview: Vec<Line>) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.id == id) {
            entry.preview = preview;
        }
    }

    /// The entry that is selected.
    #[must_use]
    pub fn current(&self) -> Option<&Entry> {
        self.shown.get(self.selected).and_then(|at| self.entries.get(*at))
    }

    /// Every entry, also those that do not match.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What was typed.
    #[must_use]
    pub fn query(&self) -> &str {
        &self.query
    }

    /// A key was pressed.
    pub fn key(&mut self, key: &Key, page: usize) -> ListKey {
        let plain = !key.ctrl && !key.alt && !key.shift;
        match key.code {
            Code::Up if plain => self.step(-1),
            Code::Down if plain => self.step(1),
            Code::PageUp => self.jump(-isize::try_from(page).unwrap_or(5)),
            Code::PageDown => self.jump(isize::try_from(page).unwrap_or(5)),
            Code::Home => self.selected = 0,
            Code::End => self.selected = self.shown.len().saturating_sub(1),
            Code::Enter if plain => return ListKey::Chosen,
            Code::Esc if !self.query.is_empty() => self.type_query(String::clear),
            Code::Esc => return ListKey::Left,
            Code::Char('c') if key.ctrl => return ListKey::Left,
            Code::Char('n') if key.ctrl => self.step(1),
            Code::Char('p') if key.ctrl => self.step(-1),
            Code::Char('u') if key.ctrl && !self.is_fixed => self.type_query(String::clear),
            Code::Tab if plain && self.tabs.len() > 1 => self.tab = (self.tab + 1) % self.tabs.len(),
            Code::Tab if key.shift && self.tabs.len() > 1 => {
                self.tab = (self.tab + self.tabs.len() - 1) % self.tabs.len();
            }
            Code::Backspace if !self.is_fixed => self.type_query(|query| {
                query.pop();
            }),
            _ => match key.typed().filter(|_| !self.is_fixed) {
                Some(character) => self.type_query(|query| query.push(character)),
                None => return ListKey::Other,
            },
        }
        ListKey::Taken
    }

    /// Text was pasted into the search.
    pub fn paste(&mut self, text: &str) {
        if !self.is_fixed {
            self.type_query(|query| query.push_str(text.lines().next().unwrap_or_default()));
        }
    }

    fn type_query(&mut self, change: impl FnOnce(&mut String)) {
        change(&mut self.query);
        self.selected = 0;
        self.search();
    }

    fn search(&mut self) {
        let mut found: Vec<(i32, usize)> = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let text = format!("{} {} {}", entry.label, entry.detail, entry.keywords);
            if let Some(matched) = score(&self.query, &text) {
                found.push((-matched.score, at));
            }
        }
        if !self.query.is_empty() {
            found.sort_unstable();
        }
        self.shown = found.into_iter().map(|(_, at)| at).collect();
        self.selected = self.selected.min(self.shown.len().saturating_sub(1));
    }

    fn step(&mut self, by: isize) {
        let count = self.shown.len();
        if count == 0 {
            return;
        }
        self.selected = match self.selected.checked_add_signed(by) {
            Some(to) if to < count => to,
            _ if !self.wraps => self.selected,
            _ if by < 0 => count - 1,
            _ => 0,
        };
    }

    fn jump(&mut self, by: isize) {
        let last = self.shown.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }

    /// How many rows of entries fit.
    #[must_use]
    pub fn rows(&self, view: &View<'_>) -> usize {
        let around = 4 + usize::from(self.tabs.len() > 1) + self.subtitle_lines(view).len();
        let most = (view.height / 2).max(5);
        most.min(view.height.saturating_sub(around + 1)).max(1)
    }

    /// The list as lines, with its frame and the way out.
    #[must_use]
    pub fn lines(&self, view: &View<'_>) -> Vec<Line> {
        let mut lines = vec![rule(view, &self.title)];
        if self.tabs.len() > 1 {
            lines.push(self.tab_line(view));
        }
        lines.extend(self.subtitle_lines(view));
        if !self.is_fixed {
            let mut search = Line::of(format!("  {} ", view.sign(Symbol::Prompt)), view.fg(Token::Accent));
            if self.query.is_empty() {
                search.push("type to search", view.fg(Token::Dim));
            } else {
                search.push(clean_line(&self.query), view.fg(Token::Text));
            }
            lines.push(search.truncated(view.width, view.sign(Symbol::Ellipsis)));
        }
        let rows = self.rows(view);
        let preview = self.current().map(|entry| entry.preview.as_slice()).unwrap_or_default();
        let is_wide = view.width >= 100 && !preview.is_empty();
        let room = if is_wide { view.width / 2 } else { view.width };
        let mut body = self.body(&View { width: room, ..*view }, rows);
        if is_wide {
            beside(view, &mut body, preview, rows, room);
        }
        lines.extend(body);
        if !is_wide && self.below > 0 && !preview.is_empty() {
            // The last line is that of the keys.
            let room = view.height.saturating_sub(lines.len() + 2).min(self.below);
            below(view, &mut lines, preview, room);
        }
        let mut hints = vec![(view.arrows(), "move"), ("enter".to_owned(), "choose")];
        if self.tabs.len() > 1 {
            hints.push(("tab".to_owned(), "next tab"));
        }
        hints.extend(self.hints.iter().cloned());
        hints.insert(0, ("esc".to_owned(), if self.query.is_empty() { "close" } else { "clear search" }));
        let mut last = Line::of("  ", Style::default());
        last.append(view.narrower(2).hints(&hints));
        lines.push(last);
        lines
    }

    /// Row and column of the caret in the search.
    #[must_use]
    pub fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        let row = 1 + usize::from(self.tabs.len() > 1) + self.subtitle_lines(view).len();
        let column =
            3 + crate::text::width(view.sign(Symbol::Prompt)) + crate::text::width(&clean_line(&self.query));
        (!self.is_fixed).then_some((row, column.min(view.width.saturating_sub(1))))
    }

    /// What is said below the title, on two lines at most.
    fn subtitle_lines(&self, view: &View<'_>) -> Vec<Line> {
        if self.subtitle.is_empty() {
            return Vec::new();
        }
        let wrapped = Line::of(clean_line(&self.subtitle), view.fg(Token::Muted))
            .wrapped(view.width.saturating_sub(4), 0);
        let is_cut = wrapped.len() > SUBTITLE;
        let mut lines: Vec<Line> = wrapped
            .into_iter()
            .take(SUBTITLE)
            .map(|line| {
                let mut whole = Line::of("  ", Style::default());
                whole.append(line);
                whole
            })
            .collect();
        if let Some(last) = lines.last_mut().filter(|_| is_cut) {
            last.push(view.sign(Symbol::Ellipsis), view.fg(Token::Muted));
        }
        lines
    }

    /// The tabs; where not all fit, those before the open one give way.
    fn tab_line(&self, view: &View<'_>) -> Line {
        let cells = |tabs: &[String]| -> usize { tabs.iter().map(|tab| crate::text::width(tab) + 2).sum() };
        let mut first = 0;
        while first < self.tab && cells(self.tabs.get(first..=self.tab).unwrap_or_default()) + 4 > view.width
        {
            first += 1;
        }
        let mark = if first > 0 { format!("{} ", view.sign(Symbol::Ellipsis)) } else { "  ".to_owned() };
        let mut line = Line::of(mark, view.fg(Token::Dim));
        for (at, tab) in self.tabs.iter().enumerate().skip(first) {
            let style = if at == self.tab {
                view.fg(Token::Accent).bold().underline()
            } else {
                view.fg(Token::Muted)
            };
            line.push(tab.clone(), style);
            line.push("  ", Style::default());
        }
        line.truncated(view.width, view.sign(Symbol::Ellipsis))
    }

    fn body(&self, view: &View<'_>, rows: usize) -> Vec<Line> {
        if self.shown.is_empty() {
            let text = if self.query.is_empty() { self.empty.as_str() } else { "nothing matches" };
            return vec![
                Line::of(format!("  {text}"), view.fg(Token::Muted))
                    .truncated(view.width, view.sign(Symbol::Ellipsis)),
            ];
        }
        let first = self.selected.saturating_sub(rows / 2).min(self.shown.len().saturating_sub(rows));
        let mut lines = Vec::new();
        let visible = || self.shown.iter().enumerate().skip(first).take(rows);
        let entries = || visible().filter_map(|(_, place)| self.entries.get(*place));
        // Short names are in a column, so that what is said about them is too; so are the signs before them.
        let widest = entries().map(|entry| crate::text::width(&entry.label)).max();
        let marks =
            entries().filter_map(|entry| entry.mark).map(|mark| crate::text::width(view.sign(mark)) + 1);
        let columns = Columns {
            mark: marks.max().unwrap_or(0),
            label: widest.filter(|widest| *widest <= view.width / 2).unwrap_or(0),
        };
        for (at, place) in visible() {
            if let Some(entry) = self.entries.get(*place) {
                lines.push(self.entry_line(view, entry, at == self.selected, columns));
            }
        }
        if self.shown.len() > rows {
            let text = format!("  {}/{}", self.selected + 1, self.shown.len());
            lines.push(Line::of(text, view.fg(Token::Dim)));
        }
        lines
    }

    fn entry_line(&self, view: &View<'_>, entry: &Entry, is_selected: bool, columns: Columns) -> Line {
        let cursor = if is_selected { view.sign(Symbol::Cursor) } else { " " };
        let mut left = Line::of(format!("{cursor} "), view.fg(Token::Accent));
        if let Some(mark) = entry.mark {
            left.push(format!("{} ", view.sign(mark)), view.fg(Token::Success));
        }
        let before = 2 + columns.mark;
        left = left.padded(before, Style::default());
        let style = if is_selected { view.fg(Token::Accent).bold() } else { view.fg(Token::Text) };
        let label = clean_line(&entry.label);
        let places = score(&self.query, &label).map(|found| found.places).unwrap_or_default();
        for (at, character) in label.char_indices() {
            let style = if places.contains(&at) { style.underline() } else { style };
            left.push(character, style);
        }
        if !entry.detail.is_empty() {
            let missing = columns.label.saturating_sub(crate::text::width(&label));
            left.push(" ".repeat(missing), Style::default());
            left.push(format!("  {}", clean_line(&entry.detail)), view.fg(Token::Muted));
        }
        let room = view.width.saturating_sub(1);
        let mut right = Line::of(clean_line(&entry.note), view.fg(Token::Dim));
        // Where it is narrow, what something is called counts more than what is noted about it.
        if view.width < NARROW && left.width() + right.width() >= room {
            right = Line::new();
        }
        let left = left.truncated(room.saturating_sub(right.width() + 1), view.sign(Symbol::Ellipsis));
        let line = Line::edges(left, right, room);
        if is_selected { line.filled(view.theme.color(Token::SelectedBg)) } else { line }
    }
}

/// A line across the screen with a title in it.
#[must_use]
pub fn rule(view: &View<'_>, title: &str) -> Line {
    let (frame, text) = (view.fg(Token::BorderAccent), view.fg(Token::Accent).bold());
    widgets::rule(&view.theme.symbols, view.width, &clean_line(title), frame, text)
}

/// Puts the end of a preview below the list.
fn below(view: &View<'_>, lines: &mut Vec<Line>, preview: &[Line], room: usize) {
    if room == 0 {
        return;
    }
    let horizontal = view.sign(Symbol::BoxHorizontal).repeat(view.width.saturating_sub(4));
    lines.push(Line::of(format!("  {horizontal}"), view.fg(Token::BorderMuted)));
    let skip = preview.len().saturating_sub(room);
    for line in preview.iter().skip(skip) {
        let mut whole = Line::of("  ", Style::default());
        whole.append(line.clone());
        lines.push(whole.truncated(view.width, view.sign(Symbol::Ellipsis)));
    }
}

/// Puts a preview to the right of the list.
fn beside(view: &View<'_>, body: &mut Vec<Line>, preview: &[Line], rows: usize, room: usize) {
    let width = view.width.saturating_sub(room + 3).max(2);
    let wrapped = preview.iter().flat_map(|line| line.clone().wrapped(width, 0));
    let right: Vec<Line> = wrapped.take(rows).collect();
    while body.len() < right.len() {
        body.push(Line::new());
    }
    for (line, right) in body.iter_mut().zip(right) {
        let fill = line.fill.take();
        let style = Style::default().on(fill.unwrap_or_default());
        let mut whole = std::mem::take(line).padded(room, style);
        whole.push(format!("{} ", view.sign(Symbol::BoxVertical)), view.fg(Token::BorderMuted));
        whole.append(right);
        *line = whole;
    }
}
