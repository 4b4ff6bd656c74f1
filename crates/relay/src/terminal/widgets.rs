//! The widgets of the terminal interface in what commands print: a rule with a title, a line of keys, a spinner.
//!
//! They are drawn in the colours of [`style`](super::style), which are those of the user's theme, and cost nothing until they are
//! drawn.

use std::time::Duration;

use relay_tui::text::{Line, Style as Look};
use relay_tui::theme::{Preset, Symbols};
use relay_tui::widgets;

use super::style::{FAINT, PLACE, STRONG, Style, paint};

/// Each style has a colour of its own until the line is painted.
const MARKS: [(u8, Style); 3] = [(0, FAINT), (1, STRONG), (2, PLACE)];

fn look(style: u8) -> Look {
    Look::fg(relay_tui::text::Color::Indexed(style))
}

fn painted(line: &Line) -> String {
    let style = |look: Look| {
        MARKS.iter().find(|(mark, _)| self::look(*mark) == look).map_or(FAINT, |(_, style)| *style)
    };
    line.spans.iter().map(|span| paint(style(span.style), &span.text).to_string()).collect()
}

/// A line across the terminal with a title in it.
pub fn rule(title: &str, width: usize) -> String {
    painted(&widgets::rule(&Symbols::default(), width, title, look(2), look(1)))
}

/// Keys and what they do, as many as fit.
pub fn keys(hints: &[(&str, &'static str)], width: usize) -> String {
    let hints: Vec<(String, &str)> = hints.iter().map(|(key, what)| ((*key).to_owned(), *what)).collect();
    painted(&widgets::keys(&Symbols::default(), width, &hints, look(2), look(0)))
}

/// What turns while something goes on.
pub fn spinner(elapsed: Duration) -> &'static str {
    widgets::spinner(Preset::Unicode, elapsed)
}
