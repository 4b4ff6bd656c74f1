//! What slash commands show: commands, keys, tools, skills, facts, the context.

use serde_json::Value;

use super::COMMANDS;
use crate::app::App;
use crate::conversation::{Block, Level, diff, number, tokens};
use crate::keymap::Action;
use crate::overlay::Pages;
use crate::text::{Line, Style, clean, clean_line};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// Cells for what is explained, before the explanation.
const NAMES: usize = 34;
/// Below this many columns an explanation has a line of its own.
const NARROW: usize = 72;

/// Screens with the keys that they have of their own.
const SCREENS: &[(&str, &[(&str, &str)])] = &[
    (
        "in every list",
        &[
            ("up, down, pageup, pagedown, home, end", "move"),
            ("any letter", "search; escape clears the search"),
            ("enter", "choose"),
            ("tab, shift+tab", "the next tab, the one before"),
            ("escape, ctrl+c", "close"),
        ],
    ),
    (
        "in every text to read",
        &[
            ("up, down, space, b, g, G", "scroll, to the beginning, to the end"),
            ("/, n, N", "search, the next place, the one before"),
            ("c", "copy the text"),
            ("escape, q", "close"),
        ],
    ),
    (
        "in a question",
        &[
            (
                "1-9, or the letter before an answer",
                "choose it: y once, s for this session, a always, n no, t in words",
            ),
            ("space", "mark one of several answers"),
            ("left, right", "the question before, the next one"),
            ("pageup, pagedown", "scroll what is asked"),
            ("escape", "refuse, or cancel"),
        ],
    ),
    (
        "/tree",
        &[
            ("enter", "continue from there"),
            ("left, right", "a page up, a page down"),
            ("shift+l", "label the entry"),
            ("tab", "fold, or unfold"),
            ("ctrl+o, ctrl+shift+o", "the next filter, the one before"),
            ("alt+d, alt+t, alt+u, alt+l, alt+a", "default, no tools, prompts only, labelled only, all"),
        ],
    ),
    (
        "/resume",
        &[
            ("ctrl+p", "show folders"),
            ("ctrl+s", "sort"),
            ("ctrl+r", "rename"),
            ("ctrl+d, twice", "delete for good"),
            ("tab", "sessions of all projects"),
        ],
    ),
    (
        "/log",
        &[
            ("enter", "the diff"),
            ("ctrl+z, ctrl+t, ctrl+s", "undo the transaction, its turn, the session"),
            ("ctrl+r", "reapply it"),
        ],
    ),
    ("/settings", &[("ctrl+x", "back to the default")]),
    ("/jobs", &[("enter", "its whole output"), ("ctrl+x", "end it")]),
    ("/debug logs", &[("o", "50 older lines"), ("p", "this process, or all")]),
    ("a program in a terminal", &[("escape", "ends it"), ("any other key", "goes to the program")]),
];

/// A name and what it means, beside each other or below.
fn explained(view: &View<'_>, name: Line, about: &str) -> Vec<Line> {
    let about = Line::of(clean_line(about), view.fg(Token::Text));
    if view.width < NARROW || name.width() >= NAMES {
        let mut below =
            Line::of(if view.width < NARROW { "  ".to_owned() } else { " ".repeat(NAMES) }, Style::default());
        below.append(about);
        return vec![name, below];
    }
    let mut line = name.padded(NAMES, Style::default());
    line.append(about);
    vec![line]
}

impl App {
    pub(super) fn show_skills(&mut self) {
        let skills = self.remote.commands.iter().filter(|command| command.name.starts_with("skill:"));
        let lines: Vec<String> = skills.map(|skill| format!("/{}  {}", skill.name, skill.about)).collect();
        let text = if lines.is_empty() { "there are no skills here".to_owned() } else { lines.join("\n") };
        self.notice(Level::Info, &text);
    }

    pub(super) fn show_tools(&mut self, data: &Value) {
        let tools = data.get("tools").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut lines = Vec::new();
        for tool in &tools {
            let text = |name: &str| tool.get(name).and_then(Value::as_str).unwrap_or_default();
            let is_active = tool.get("active").and_then(Value::as_bool).unwrap_or_default();
            let view = self.view();
            let style = view.fg(if is_active { Token::Accent } else { Token::Dim }).bold();
            let mut line = Line::of(clean_line(text("name")), style);
            line.push(if is_active { "" } else { " (off)" }, view.fg(Token::Dim));
            lines.push(line);
            for part in clean(text("description")).lines() {
                lines.push(Line::of(format!("  {part}"), view.fg(Token::Muted)));
            }
            lines.push(Line::new());
        }
        self.open(Box::new(Pages::new("tools", lines)));
    }

    /// Every command with what may follow it, and its other names.
    pub(super) fn show_help(&mut self) {
        let view = self.view();
        let mut lines = Vec::new();
        for command in COMMANDS {
            let mut name = Line::of(format!("/{}", command.name), view.fg(Token::Accent).bold());
            for alias in command.aliases {
                name.push(format!(" /{alias}"), view.fg(Token::Accent));
            }
            name.push(format!(" {}", command.hint), view.fg(Token::Muted));
            lines.extend(explained(&view, name, command.about));
            for (part, hint, about) in command.parts {
                let part = Line::of(format!("  {part}"), view.fg(Token::Muted).bold());
                lines.extend(explained(&view, part.and(format!(" {hint}"), view.fg(Token::Dim)), about));
            }
        }
        for command in &self.remote.commands {
            let name =
                Line::of(format!("/{}", clean_line(&command.name)), view.fg(Token::CustomMessageLabel));
            lines.extend(explained(&view, name, &command.about));
        }
        self.open(Box::new(Pages::new("commands", lines)));
    }

    /// Every action with its keys, and the keys that screens have of their own.
    pub(super) fn show_hotkeys(&mut self) {
        let view = self.view();
        let head = |text: &str| Line::of(text, view.fg(Token::CustomMessageLabel).bold());
        let mut lines = vec![head("keys, which keybindings.json changes")];
        for action in Action::all() {
            let keys: Vec<String> = self.keymap.keys(action).iter().map(ToString::to_string).collect();
            let keys = if keys.is_empty() { "(none)".to_owned() } else { keys.join(", ") };
            let about = format!("{}  ({})", action.about(), action.id());
            lines.extend(explained(&view, Line::of(keys, view.fg(Token::Accent)), &about));
        }
        for (screen, keys) in SCREENS {
            lines.extend([Line::new(), head(screen)]);
            for (keys, about) in *keys {
                lines.extend(explained(&view, Line::of(*keys, view.fg(Token::Accent)), about));
            }
        }
        self.open(Box::new(Pages::new("keys", lines)));
    }

    pub(super) fn show_facts(&mut self) {
        let session = &self.session;
        let view = self.view();
        let percent = (session.context * 100).checked_div(session.window).unwrap_or_default();
        let facts = [
            ("session", format!("{} {}", session.id, session.name.as_deref().unwrap_or_default())),
            ("model", session.model.clone()),
            ("thinking", session.thinking.clone()),
            (
                "context",
                format!("{} of {} tokens ({percent}%)", tokens(session.context), tokens(session.window)),
            ),
            (
                "sent",
                format!(
                    "{} tokens, {} of them from the cache",
                    tokens(session.used.input + session.used.cached),
                    tokens(session.used.cached)
                ),
            ),
            ("written", format!("{} tokens", tokens(session.used.output))),
            ("cost", format!("${:.4}", session.used.cost)),
            ("policy", session.policy.clone()),
            ("folder", session.cwd.clone()),
        ];
        let lines = facts.iter().map(|(name, value)| {
            Line::of(format!("  {name:<10}"), view.fg(Token::Muted))
                .and(clean_line(value), view.fg(Token::Text))
        });
        let lines = lines.collect();
        self.conversation.push(Block::Lines(lines));
    }

    pub(super) fn show_diff(&mut self, data: &Value) {
        let text = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default();
        let title = format!("{} {}", text("short"), text("summary"));
        self.open(Box::new(Pages::patch(title.trim().to_owned(), diff::read_patch(text("diff")))));
    }

    /// How full the context is, and with what.
    pub(super) fn show_context(&mut self, data: &Value) {
        let view = self.view();
        let (used, window) = (number(data, "tokens"), number(data, "contextWindow"));
        let parts = data.get("parts").cloned().unwrap_or_default();
        let known = ["system", "tools", "messages"];
        let rest = used.saturating_sub(known.iter().map(|name| number(&parts, name)).sum());
        let mut rows: Vec<(&str, u64, Token)> = vec![
            ("instructions", number(&parts, "system"), Token::StatusLineModel),
            ("tools", number(&parts, "tools"), Token::StatusLinePath),
            ("messages", number(&parts, "messages"), Token::StatusLineContext),
        ];
        if rest > 0 {
            rows.push(("not counted", rest, Token::Muted));
        }
        rows.push(("free", window.saturating_sub(used), Token::Dim));
        let cells = u64::try_from(view.width.saturating_sub(36).clamp(8, 60)).unwrap_or(20);
        let mut lines = vec![
            Line::of(format!("{} of {} tokens", tokens(used), tokens(window)), view.fg(Token::Text).bold()),
            Line::new(),
        ];
        for (name, count, token) in rows {
            let share = (count * 1000).checked_div(window).unwrap_or_default();
            let full = (count * cells).checked_div(window).unwrap_or_default().min(cells);
            let full = if count > 0 { full.max(1) } else { 0 };
            let bar = |symbol: Symbol, count: u64| {
                view.sign(symbol).repeat(usize::try_from(count).unwrap_or_default())
            };
            let mut line = Line::of(format!("{name:<13}"), view.fg(Token::Muted));
            line.push(bar(Symbol::MeterFull, full), view.fg(token));
            line.push(bar(Symbol::MeterEmpty, cells - full), view.fg(Token::BorderMuted));
            line.push(
                format!(" {:>7} {:>3}.{}%", tokens(count), share / 10, share % 10),
                view.fg(Token::Text),
            );
            lines.push(line);
        }
        lines.push(Line::new());
        let said = "/compact makes the conversation shorter, /handoff continues in a new session, /tools lists the tools.";
        lines.push(Line::of(said, Style::default().dim()));
        self.open(Box::new(Pages::new("context", lines)));
    }
}
