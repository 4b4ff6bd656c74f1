//! What slash commands show: commands, keys, tools, skills, facts, the context.

use serde_json::Value;

use super::COMMANDS;
use crate::app::App;
use crate::conversation::{Block, Level, diff, number, tokens};
use crate::keymap::Action;
use crate::overlay::Pages;
use crate::text::{Line, Style, clean, clean_line};
use crate::theme::{Symbol, Token};

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

    pub(super) fn show_help(&mut self) {
        let view = self.view();
        let mut lines = Vec::new();
        for command in COMMANDS {
            let mut line = Line::of(format!("/{}", command.name), view.fg(Token::Accent).bold());
            line.push(format!(" {}", command.hint), view.fg(Token::Muted));
            let line = line.padded(34, view.fg(Token::Text));
            lines.push(line.and(command.about, view.fg(Token::Text)));
        }
        for command in &self.remote.commands {
            let line =
                Line::of(format!("/{}", clean_line(&command.name)), view.fg(Token::CustomMessageLabel))
                    .padded(34, view.fg(Token::Text));
            lines.push(line.and(clean_line(&command.about), view.fg(Token::Text)));
        }
        self.open(Box::new(Pages::new("commands", lines)));
    }

    pub(super) fn show_hotkeys(&mut self) {
        let view = self.view();
        let mut lines = Vec::new();
        for action in Action::all() {
            let keys: Vec<String> = self.keymap.keys(action).iter().map(ToString::to_string).collect();
            let keys = if keys.is_empty() { "(none)".to_owned() } else { keys.join(", ") };
            let line = Line::of(keys, view.fg(Token::Accent)).padded(34, view.fg(Token::Text));
            lines.push(
                line.and(action.about(), view.fg(Token::Text))
                    .and(format!("  {}", action.id()), view.fg(Token::Dim)),
            );
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
        let said = "/compact makes the conversation shorter, /handoff goes on in a new session, /tools lists the tools.";
        lines.push(Line::of(said, Style::default().dim()));
        self.open(Box::new(Pages::new("context", lines)));
    }
}
