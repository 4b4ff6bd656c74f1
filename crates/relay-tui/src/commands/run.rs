//! What slash commands do.

use serde_json::{Value, json};

use super::{COMMANDS, find};
use crate::app::App;
use crate::conversation::{Block, Level, diff, tokens};
use crate::keymap::Action;
use crate::output::Output;
use crate::overlay::{Branches, Ledger, Models, Pages, Sessions, Settings, Themes, Tree};
use crate::text::{Line, clean, clean_line};
use crate::theme::Token;

/// What `/init` has the agent do.
const INIT: &str = include_str!("init.md");
/// What `/review` has the agent do.
const REVIEW: &str = include_str!("review.md");

impl App {
    /// Whether a text that begins with a slash is a command, and not the path of a file.
    #[must_use]
    pub fn is_slash(&self, text: &str) -> bool {
        let name = text.trim_start_matches('/').split_whitespace().next().unwrap_or_default();
        find(name).is_some() || self.remote.commands.iter().any(|command| command.name == name)
    }

    /// Every command there is: name and what it does.
    #[must_use]
    pub fn all_commands(&self) -> Vec<(String, String)> {
        let own = COMMANDS.iter().map(|command| (command.name.to_owned(), command.about.to_owned()));
        let remote = self.remote.commands.iter().map(|command| (command.name.clone(), command.about.clone()));
        own.chain(remote).collect()
    }

    /// Runs a slash command.
    pub fn slash(&mut self, line: &str) {
        let line = line.trim();
        let (name, rest) = line
            .trim_start_matches('/')
            .split_once(char::is_whitespace)
            .unwrap_or((line.trim_start_matches('/'), ""));
        let rest = rest.trim();
        match find(name).map(|command| command.name) {
            Some(name) => self.run_command(name, rest),
            // Templates and skills are expanded by the agent.
            None => self.say(line, false),
        }
    }

    fn run_command(&mut self, name: &str, rest: &str) {
        match name {
            "help" => self.show_help(),
            "hotkeys" => self.show_hotkeys(),
            "exit" => self.push_output(Output::Quit(0)),
            "new" | "clear" => self.ask("new_session"),
            "compact" => {
                let instructions = (!rest.is_empty()).then(|| rest.to_owned());
                self.send(json!({ "type": "compact", "customInstructions": instructions }));
            }
            "rename" if rest.is_empty() => self.notice(Level::Warning, "name it: /rename NAME"),
            "rename" => {
                self.session.name = Some(rest.to_owned());
                self.send(json!({ "type": "set_session_name", "name": rest }));
            }
            "thinking" if rest.is_empty() => self.ask("cycle_thinking_level"),
            "thinking" => self.send(json!({ "type": "set_thinking_level", "level": rest })),
            "policy" => self.change_policy(rest),
            "plan" => {
                let is_on = self.session.mode != "plan";
                self.send(json!({ "type": "set_plan_mode", "enabled": is_on }));
            }
            "copy" => self.ask("get_last_assistant_text"),
            "export" => {
                let path = (!rest.is_empty()).then(|| rest.to_owned());
                self.send(json!({ "type": "export_html", "outputPath": path }));
            }
            "tools" => self.ask("get_tools"),
            "undo" => self.undo_or_redo("ledger_undo", rest),
            "redo" => self.undo_or_redo("ledger_redo", rest),
            "init" => self.say(INIT, false),
            "usage" | "context" | "session" => self.show_facts(),
            "dump" => {
                self.ask("dump");
            }
            "diff" => {
                let transaction = (!rest.is_empty()).then(|| rest.to_owned());
                self.send(json!({ "type": "ledger_show", "transaction": transaction }));
            }
            "goal" => self.change_goal(rest),
            "todo" => self.panels.show(),
            "jobs" => self.show_jobs(),
            "fork" => {
                self.ask("fork");
            }
            "retry" => self.retry(),
            _ => self.open_screen(name, rest),
        }
    }

    fn change_policy(&mut self, rest: &str) {
        const LEVELS: [&str; 4] = ["read-only", "ask", "auto", "full"];
        let level = if rest.is_empty() {
            let at = LEVELS.iter().position(|level| *level == self.session.policy).unwrap_or(1);
            LEVELS.get((at + 1) % LEVELS.len()).copied().unwrap_or("ask")
        } else {
            rest
        };
        self.send(json!({ "type": "set_policy", "level": level }));
    }

    fn undo_or_redo(&mut self, command: &str, rest: &str) {
        let command = match rest {
            "" | "turn" => json!({ "type": command, "turn": "last" }),
            "call" | "last" => json!({ "type": command }),
            "session" => json!({ "type": command, "session": self.session.id }),
            transaction => json!({ "type": command, "transaction": transaction }),
        };
        self.send(command);
    }

    fn retry(&mut self) {
        match self.editor.history.all().last().cloned() {
            Some(prompt) => self.say(&prompt, false),
            None => self.notice(Level::Warning, "nothing was said yet"),
        }
    }

    /// Screens to choose from.
    fn open_screen(&mut self, name: &str, rest: &str) {
        match name {
            "model" => self.open(Box::new(Models::new(&self.session.model, rest))),
            "resume" if rest.is_empty() => self.open(Box::new(Sessions::default())),
            "resume" => self.send(json!({ "type": "switch_session", "sessionPath": rest })),
            "tree" => self.open(Box::new(Tree::new("default"))),
            "branch" if self.options.double_escape == "tree" => self.open(Box::new(Tree::new("default"))),
            "branch" => self.open(Box::new(Branches::default())),
            "log" => self.open(Box::new(Ledger::new(&self.session.id))),
            "settings" => self.open(Box::new(Settings::default())),
            "skills" => self.show_skills(),
            "theme" => {
                let is_light = self.status.is_dark == Some(false);
                self.open(Box::new(Themes::new(self.theme_name(), is_light)));
            }
            "ask" if rest.is_empty() => self.notice(Level::Warning, "ask something: /ask QUESTION"),
            "ask" => {
                self.say(
                    &format!("Answer this question about the project. Change nothing.\n\n{rest}"),
                    false,
                );
            }
            "review" => self.say(REVIEW, false),
            _ => self.notice(Level::Warning, &format!("/{name} is not available here yet")),
        }
    }

    fn show_skills(&mut self) {
        let skills = self.remote.commands.iter().filter(|command| command.name.starts_with("skill:"));
        let lines: Vec<String> = skills.map(|skill| format!("/{}  {}", skill.name, skill.about)).collect();
        let text = if lines.is_empty() { "there are no skills here".to_owned() } else { lines.join("\n") };
        self.notice(Level::Info, &text);
    }

    /// Answers to commands that a slash command sent.
    pub(crate) fn take_slash_answer(&mut self, command: &str, data: &Value) {
        let text = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default();
        match command {
            "get_last_assistant_text" if text("text").is_empty() => {
                self.notice(Level::Info, "there is no answer yet");
            }
            "get_last_assistant_text" => {
                self.push_output(Output::Copy(text("text").to_owned()));
                self.notice(Level::Success, "copied the last answer");
            }
            "export_html" => self.notice(Level::Success, &format!("written to {}", text("path"))),
            "get_tools" => self.show_tools(data),
            "set_policy" => {
                text("level").clone_into(&mut self.session.policy);
                self.notice(Level::Info, &format!("policy: {}", text("level")));
            }
            "goal" => self.show_goal(data.get("goal").unwrap_or(&Value::Null)),
            "dump" => {
                self.push_output(Output::Copy(text("text").to_owned()));
                self.notice(Level::Success, "copied the conversation");
            }
            "generate_session_name" => {
                self.session.name = Some(text("name").to_owned()).filter(|name| !name.is_empty());
            }
            "ledger_show" => self.show_diff(data),
            "ledger_undo" | "ledger_redo" => {
                let what = if command == "ledger_undo" { "undone" } else { "reapplied" };
                let files = data.get("files").and_then(Value::as_array).map_or(0, Vec::len);
                match text("status") {
                    "committed" => self.notice(Level::Success, &format!("{what}: {files} files")),
                    status => self.notice(Level::Warning, &format!("nothing was {what} ({status})")),
                }
                self.push_output(Output::Refresh);
            }
            _ => {}
        }
    }

    fn show_tools(&mut self, data: &Value) {
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

    fn show_help(&mut self) {
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

    fn show_hotkeys(&mut self) {
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

    fn show_facts(&mut self) {
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

    fn change_goal(&mut self, rest: &str) {
        let command = match rest {
            "" => json!({ "type": "goal", "op": "show" }),
            "pause" | "resume" | "drop" => json!({ "type": "goal", "op": rest }),
            objective => json!({ "type": "goal", "op": "set", "objective": objective }),
        };
        self.send(command);
    }

    fn show_goal(&mut self, goal: &Value) {
        let text = |name: &str| goal.get(name).and_then(Value::as_str).unwrap_or_default();
        let said = match text("objective") {
            "" => "there is no goal; /goal OBJECTIVE sets one".to_owned(),
            objective => format!("goal ({}): {objective}", text("status")),
        };
        self.notice(Level::Info, &said);
    }

    fn show_jobs(&mut self) {
        if self.panels.jobs.is_empty() {
            return self.notice(Level::Info, "nothing runs in the background");
        }
        let lines = self.panels.jobs.iter().map(|job| format!("{}  {}  {}", job.id, job.status, job.label));
        let lines = lines.collect::<Vec<_>>().join("\n");
        self.notice(Level::Info, &lines);
    }

    fn show_diff(&mut self, data: &Value) {
        let text = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default();
        let title = format!("{} {}", text("short"), text("summary"));
        self.open(Box::new(Pages::patch(title.trim().to_owned(), diff::read_patch(text("diff")))));
    }
}
