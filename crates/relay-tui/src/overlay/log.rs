//! The log: the newest lines first, older ones as one scrolls up, of this process or of all.

use super::{Overlay, Pages, Step};
use crate::conversation::Conversation;
use crate::input::{Code, Key};
use crate::text::{Line, clean_line};
use crate::theme::Token;
use crate::view::View;

/// How many lines it begins with, and how many more are shown at once.
const PIECE: usize = 50;

/// The log.
pub struct Log {
    /// Every line there is, oldest first.
    all: Vec<String>,
    process: String,
    is_own: bool,
    /// How many of the newest lines are shown.
    count: usize,
    pages: Pages,
}

impl Log {
    /// The lines of the log, oldest first; `process` is the number of this one.
    #[must_use]
    pub fn new(all: Vec<String>, process: String, is_own: bool, view: &View<'_>) -> Self {
        let pages = Pages::new("", Vec::new())
            .with_hint('o', "older")
            .with_hint('p', if is_own { "all processes" } else { "only this process" });
        let mut log = Self { all, process, is_own, count: PIECE, pages };
        log.pages.replace(log.title(), log.some(log.range(), view));
        log
    }

    /// The lines that are wanted at all: the process is the second word of a line.
    fn wanted(&self) -> Vec<&String> {
        let is_wanted =
            |line: &&String| !self.is_own || line.split(' ').nth(1) == Some(self.process.as_str());
        self.all.iter().filter(is_wanted).collect()
    }

    /// Which of the wanted lines are shown.
    fn range(&self) -> std::ops::Range<usize> {
        let whole = self.wanted().len();
        whole.saturating_sub(self.count)..whole
    }

    fn some(&self, range: std::ops::Range<usize>, view: &View<'_>) -> Vec<Line> {
        let wanted = self.wanted();
        let lines = wanted.get(range).unwrap_or_default();
        lines.iter().map(|line| colored(line, view)).collect()
    }

    fn title(&self) -> String {
        let (shown, whole) = (self.range().len(), self.wanted().len());
        let what = if self.is_own { "log of this process" } else { "log of all processes" };
        format!("{what}, {shown} of {whole} lines")
    }

    /// Shows more of what came before.
    fn older(&mut self, by: usize, view: &View<'_>) {
        let before = self.range();
        self.count = self.count.saturating_add(by);
        let more = self.some(self.range().start..before.start, view);
        let title = self.title();
        self.pages.prepend(title, more, view);
    }

    fn toggle(&mut self, view: &View<'_>) {
        let is_own = !self.is_own;
        *self = Self::new(std::mem::take(&mut self.all), std::mem::take(&mut self.process), is_own, view);
    }
}

/// A line with its time faint, and the colour of how grave it is.
fn colored(line: &str, view: &View<'_>) -> Line {
    let mut words = line.splitn(4, ' ');
    let (Some(time), Some(process), Some(level), Some(rest)) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Line::of(clean_line(line), view.fg(Token::Text));
    };
    let token = match level {
        "error" => Token::Error,
        "warn" => Token::Warning,
        _ => Token::Text,
    };
    Line::of(format!("{} {} ", clean_line(time), clean_line(process)), view.fg(Token::Dim))
        .and(format!("{} ", clean_line(level)), view.fg(if level == "info" { Token::Dim } else { token }))
        .and(clean_line(rest), view.fg(token))
}

impl Overlay for Log {
    fn lines(&self, view: &View<'_>, conversation: &Conversation) -> Vec<Line> {
        self.pages.lines(view, conversation)
    }

    fn cursor(&self, view: &View<'_>) -> Option<(usize, usize)> {
        self.pages.cursor(view)
    }

    fn key(&mut self, key: &Key, view: &View<'_>) -> Step {
        if !self.pages.is_searching() {
            match key.typed() {
                Some('o') => {
                    self.older(PIECE, view);
                    return Step::Stay;
                }
                Some('p') => {
                    self.toggle(view);
                    return Step::Stay;
                }
                // Everything is searched, not only what is shown.
                Some('/') => self.older(self.all.len(), view),
                _ => {}
            }
            let goes_up = matches!(key.code, Code::Up | Code::PageUp | Code::Char('k' | 'b'));
            if goes_up && self.pages.is_at_top() {
                self.older(PIECE, view);
            }
        }
        self.pages.key(key, view)
    }

    fn is_full(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::App;

    #[test]
    fn older_lines_come_fifty_at_a_time_and_processes_are_told_apart() {
        let app = App::new(80, 24);
        let lines: Vec<String> = (0..240)
            .map(|at| format!("t{at} {} info event {at}", if at % 2 == 0 { "7" } else { "8" }))
            .collect();
        let mut log = Log::new(lines, "7".to_owned(), true, &app.view());
        let shown = |log: &Log| -> String {
            log.lines(&app.view(), &app.conversation).iter().map(|line| line.text() + "\n").collect()
        };
        let press = |log: &mut Log, chord: &str| drop(log.key(&Key::parse(chord).unwrap(), &app.view()));
        assert!(shown(&log).contains("log of this process, 50 of 120 lines"), "{}", shown(&log));
        assert!(shown(&log).contains("event 238") && !shown(&log).contains("event 239"), "{}", shown(&log));
        press(&mut log, "g");
        assert!(shown(&log).contains("event 140") && !shown(&log).contains("event 138"), "{}", shown(&log));
        press(&mut log, "up");
        assert!(shown(&log).contains("100 of 120") && shown(&log).contains("event 138"), "{}", shown(&log));
        press(&mut log, "p");
        assert!(shown(&log).contains("log of all processes, 50 of 240") && shown(&log).contains("event 239"));
        for chord in ["/", "e", "v", "e", "n", "t", "space", "3", "enter"] {
            press(&mut log, chord);
        }
        assert!(shown(&log).contains("240 of 240"), "{}", shown(&log));
    }
}
