//! The whole screen: finished lines for the scrollback, and the live region below them.

use super::App;
use crate::conversation::{duration, tokens};
use crate::keymap::Action;
use crate::render::Frame;
use crate::text::{Line, Style, clean_line};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// Rows that the conversation keeps at least, if there are that many.
const CONVERSATION_ROWS: usize = 3;

impl App {
    /// What the screen should show now. Finished lines are in it once.
    pub fn frame(&mut self) -> Frame {
        let mut conversation = std::mem::take(&mut self.conversation);
        let is_full = self.is_full();
        let done = if is_full { Vec::new() } else { conversation.take_done(&self.view()) };
        self.conversation = conversation;
        let (mut live, mut cursor) = self.live(is_full);
        if self.status.hides_cursor
            && let Some((row, column)) = cursor.take()
            && let Some(line) = live.get_mut(row)
        {
            *line = std::mem::take(line).with_caret(column);
        }
        Frame { done, live, cursor, is_full }
    }

    fn is_full(&self) -> bool {
        self.options.is_full || self.overlays.last().is_some_and(|overlay| overlay.is_full())
    }

    /// What was drawn above the live region before, at most `rows` lines of it, and whether that is all.
    #[must_use]
    pub fn above(&self, rows: usize) -> (Vec<Line>, bool) {
        self.conversation.tail(&self.view(), rows)
    }

    fn live(&mut self, is_full: bool) -> (Vec<Line>, Option<(usize, usize)>) {
        let height = usize::from(self.screen.height).max(1);
        if let Some(overlay) = self.overlays.last().filter(|overlay| overlay.is_full()) {
            let view = self.view();
            return (overlay.lines(&view, &self.conversation), overlay.cursor(&view));
        }
        let (mut below, mut cursor) = self.below();
        if below.len() > height {
            let cut = below.len() - height;
            below.drain(..cut);
            cursor = cursor.and_then(|(row, column)| Some((row.checked_sub(cut)?, column)));
        }
        let room = height.saturating_sub(below.len());
        let view = self.view();
        let mut lines = self.conversation.live(&view);
        if is_full {
            let (mut above, _) = self.conversation.tail(&view, room);
            above.append(&mut lines);
            lines = above;
            while lines.len() < room {
                lines.push(Line::new());
            }
        }
        if lines.len() > room {
            let hidden = lines.len() - room;
            lines.drain(..hidden);
            if !is_full && let Some(first) = lines.first_mut() {
                let text = format!("  {} {} lines above", view.sign(Symbol::Ellipsis), hidden + 1);
                *first = Line::of(text, view.fg(Token::Dim));
            }
        }
        let above = lines.len();
        lines.extend(below);
        (lines, cursor.map(|(row, column)| (row + above, column)))
    }

    /// Everything below the conversation: what the agent does, panels, waiting messages, the editor or an overlay, the status.
    fn below(&mut self) -> (Vec<Line>, Option<(usize, usize)>) {
        let height = usize::from(self.screen.height).max(1);
        let mut lines = Vec::new();
        self.status.facts.jobs = self.panels.running();
        let view = self.view();
        if self.conversation.blocks().is_empty() && self.overlays.is_empty() && !self.options.is_quiet {
            lines.extend(self.welcome(&view));
        }
        lines.push(Line::new());
        let status = self.status.line(&view, &self.session, self.is_about_to_quit());
        if let Some(overlay) = self.overlays.last() {
            let room = View { height: height.saturating_sub(2).max(1), ..view };
            let row = lines.len();
            let cursor = overlay.cursor(&room).map(|(at, column)| (row + at, column));
            lines.extend(overlay.lines(&room, &self.conversation));
            return (lines, cursor);
        }
        lines.extend(self.activity(&view));
        if height > 12 {
            lines.extend(self.panels.lines(&view));
        }
        lines.extend(self.waiting(&view));
        let completion =
            self.completion.as_ref().map(|completion| completion.lines(&view, self.options.completion_rows));
        let most = height.saturating_sub(CONVERSATION_ROWS + lines.len() + 1).clamp(3, (height / 2).max(3));
        let label = self.label(&view);
        let mut editor = std::mem::take(&mut self.editor);
        let shown = editor.shown(&self.view(), most, &label);
        self.editor = editor;
        let (row, column) = shown.cursor;
        let cursor = (lines.len() + row, column);
        lines.extend(shown.lines);
        match completion.filter(|completion| !completion.is_empty()) {
            Some(completion) => lines.extend(completion),
            None => lines.extend(status),
        }
        (lines, Some(cursor))
    }

    /// What the editor's frame says: the model and how hard it thinks, and pictures that go along.
    fn label(&self, view: &View<'_>) -> Line {
        let mut label = Line::new();
        if !self.editor.images.is_empty() {
            let count = self.editor.images.len();
            label.push(format!("{} {count} ", view.sign(Symbol::IconImage)), view.fg(Token::Accent));
        }
        if let Some(vim) = &self.editor.vim {
            label.push(format!("{} ", vim.mode()), view.fg(Token::Muted));
        }
        if self.session.meanwhile.is_fast {
            label.push("fast ", view.fg(Token::Warning));
        }
        if self.session.mode == "plan" {
            label.push("plan ", view.fg(Token::Warning).bold());
        }
        if !self.session.thinking.is_empty() && self.session.thinking != "off" {
            label.push(format!("thinking {}", self.session.thinking), view.fg(view.frame));
        }
        label
    }

    /// What is shown before anything was said.
    fn welcome(&self, view: &View<'_>) -> Vec<Line> {
        let mut head = Line::of(format!("{} ", view.sign(Symbol::IconRelay)), view.fg(Token::Accent));
        head.push("relay", view.fg(Token::Accent).bold());
        head.push(format!(" {}", env!("CARGO_PKG_VERSION")), view.fg(Token::Dim));
        if !self.session.cwd.is_empty() {
            head.push(format!("  {}", clean_line(&self.session.cwd)), view.fg(Token::Muted));
        }
        let hints = [
            ("/".to_owned(), "commands"),
            ("@".to_owned(), "files"),
            ("!".to_owned(), "shell"),
            (view.key(Action::Hotkeys), "keys"),
            (format!("{0} {0}", view.key(Action::Clear)), "quit"),
        ];
        let mut keys = Line::of("  ", Style::default());
        keys.append(view.narrower(2).hints(&hints));
        vec![head.truncated(view.width, view.sign(Symbol::Ellipsis)), keys]
    }

    /// The line that says what the agent does, and for how long.
    fn activity(&self, view: &View<'_>) -> Vec<Line> {
        let Some(since) = self.run.since else { return Vec::new() };
        let dim = view.fg(Token::Dim);
        let mut line = Line::of(format!("{} ", view.spinner()), view.fg(Token::Accent));
        let what = match (&self.run.note, self.run.is_stopping) {
            (_, true) => "Stopping",
            (Some(note), _) => note,
            (None, _) => "Working",
        };
        line.append(self.status.shimmer.line(view, &clean_line(what)));
        let dot = format!(" {} ", view.sign(Symbol::Dot));
        line.push(format!("{dot}{}", duration(view.now_ms.saturating_sub(since))), dim);
        if let Some(until) = self.run.until {
            line.push(format!("{dot}again in {}s", until.saturating_sub(view.now_ms).div_ceil(1000)), dim);
        }
        let written = self.run.used.output + self.run.characters / 4;
        if written > 0 {
            line.push(format!("{dot}{} {} tokens", view.sign(Symbol::ArrowDown), tokens(written)), dim);
        }
        line.push(format!("{dot}{} stops", view.key(Action::Interrupt)), dim);
        vec![line.truncated(view.width, view.sign(Symbol::Ellipsis))]
    }

    /// Messages that wait.
    fn waiting(&self, view: &View<'_>) -> Vec<Line> {
        let steering = self.session.steering.iter().map(|text| ("steer", text));
        let follow_up = self.session.follow_up.iter().map(|text| ("next", text));
        let mut lines: Vec<Line> = steering
            .chain(follow_up)
            .map(|(kind, text)| {
                let mut line =
                    Line::of(format!("  {} {kind} ", view.sign(Symbol::IconQueue)), view.fg(Token::Accent));
                line.push(clean_line(text), view.fg(Token::Muted));
                line.truncated(view.width, view.sign(Symbol::Ellipsis))
            })
            .collect();
        if !lines.is_empty() {
            let text = format!("    {} takes them back", view.key(Action::TakeBack));
            lines.push(Line::of(text, view.fg(Token::Dim)).truncated(view.width, ""));
        }
        lines
    }
}
