//! What slash commands do.

use serde_json::{Value, json};

use super::{COMMANDS, find};
use crate::app::App;
use crate::conversation::{Block, Level};
use crate::output::Output;
use crate::overlay::{Branches, Entry, Jobs, Ledger, Menu, Models, Sessions, Settings, Themes, Tree};

/// What `/init` has the agent do.
const INIT: &str = include_str!("init.md");
/// What `/review` has the agent do.
const REVIEW: &str = include_str!("review.md");
/// What `/contribute-pr` has the agent do.
const CONTRIBUTE: &str = include_str!("contribute.md");
/// The policy under which nothing changes.
const READ_ONLY: &str = "read-only";

impl App {
    /// Whether a text that begins with a slash is a command, and not the path of a file.
    #[must_use]
    pub fn is_slash(&self, text: &str) -> bool {
        let name = text.trim_start_matches('/').split_whitespace().next().unwrap_or_default();
        find(name).is_some() || self.remote.commands.iter().any(|command| command.name == name)
    }

    /// Every command there is: its name, what may follow it, and what it does.
    #[must_use]
    pub fn all_commands(&self) -> Vec<(String, String, String)> {
        let own = COMMANDS
            .iter()
            .map(|command| (command.name.to_owned(), command.hint.to_owned(), command.about.to_owned()));
        let remote = self.remote.commands.iter();
        let remote = remote.map(|command| (command.name.clone(), String::new(), command.about.clone()));
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
            "session" if rest == "delete" => self.drop_session(""),
            "usage" | "session" => self.show_facts(),
            "context" => self.ask("get_context_usage"),
            "dump" => {
                self.ask("dump");
            }
            "diff" => {
                let transaction = (!rest.is_empty()).then(|| rest.to_owned());
                self.send(json!({ "type": "ledger_show", "transaction": transaction }));
            }
            "goal" => self.change_goal(rest),
            "todo" => self.todo(rest),
            "jobs" => self.open(Box::new(Jobs::default())),
            "fork" => {
                self.ask("fork");
            }
            "retry" => self.ask("retry"),
            "background" => self.push_output(Output::Background),
            "contribute-pr" => self.say(CONTRIBUTE, false),
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

    /// Says something to the model that it may only answer: nothing can be changed until it is done.
    fn say_read_only(&mut self, text: &str) {
        if self.run.since.is_some() {
            let text = "the agent is working; /btw asks something on the side, or wait until it is done";
            return self.notice(Level::Warning, text);
        }
        // The agent says which policy this replaces: before it has started, the interface does not know.
        self.session.meanwhile.is_read_only = true;
        self.send(json!({ "type": "set_policy", "level": READ_ONLY }));
        self.say(text, false);
    }

    /// The policy as it was before a prompt that could change nothing.
    pub(crate) fn restore_policy(&mut self) {
        self.session.meanwhile.is_read_only = false;
        if let Some(level) = self.session.meanwhile.policy_after.take() {
            self.send(json!({ "type": "set_policy", "level": level }));
        }
    }

    /// Screens to choose from.
    fn open_screen(&mut self, name: &str, rest: &str) {
        match name {
            "model" => self.open(Box::new(Models::new(&self.session.model, rest, true))),
            "resume" if rest.is_empty() => self.open(Box::new(Sessions::default())),
            "resume" => match rest.strip_prefix("copy ") {
                Some(session) => self.send(json!({ "type": "fork_session", "session": session })),
                None => self.send(json!({ "type": "switch_session", "sessionPath": rest })),
            },
            "tree" => self.open_tree(),
            "branch" if self.options.double_escape == "tree" => self.open_tree(),
            "branch" => self.open(Box::new(Branches::default())),
            "log" => self.open(Box::new(Ledger::new(&self.session.id))),
            "settings" => self.open(Box::new(Settings::default())),
            "skills" => self.show_skills(),
            "theme" => {
                let is_light = self.status.is_dark == Some(false);
                self.open(Box::new(Themes::new(self.theme_name(), is_light)));
            }
            "ask" if rest.is_empty() => self.notice(Level::Warning, "ask something: /ask QUESTION"),
            "ask" => self.say_read_only(rest),
            "review" if rest.is_empty() => self.say_read_only(REVIEW),
            "review" => self.say_read_only(&format!("{REVIEW}\nLook at this in particular: {rest}")),
            "btw" if rest.is_empty() => self.notice(Level::Warning, "ask something: /btw QUESTION"),
            "btw" => {
                self.notice(Level::Info, &format!("on the side: {rest}"));
                self.send(json!({ "type": "ask_aside", "question": rest }));
            }
            "move" if rest.is_empty() => self.notice(Level::Warning, "name the folder: /move FOLDER"),
            "move" => self.send(json!({ "type": "move_session", "cwd": rest })),
            "handoff" => {
                let focus = (!rest.is_empty()).then(|| rest.to_owned());
                self.send(json!({ "type": "handoff", "customInstructions": focus }));
            }
            "drop" => self.drop_session(rest),
            "share" => {
                self.session.meanwhile.is_sharing = true;
                self.send(json!({ "type": "export_html", "outputPath": null }));
            }
            "debug" => self.debug(rest),
            _ => self.account_command(name, rest),
        }
    }

    fn open_tree(&mut self) {
        let tree = Tree::new(&self.options.tree_filter, self.options.offers_summary);
        self.open(Box::new(tree));
    }

    /// Deletes this session once it is confirmed.
    pub(super) fn drop_session(&mut self, rest: &str) {
        if rest == "now" {
            return self.ask("drop_session");
        }
        let entries = vec![
            Entry::new("/drop now", "Delete this session for good, and begin a new one"),
            Entry::new("/session", "Keep it"),
        ];
        let note = "What it changed in the workspace stays, and so does the ledger.";
        self.open(Box::new(Menu::new("delete this session?", note, entries)));
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
            "export_html" => self.exported(text("path")),
            "get_context_usage" => self.show_context(data),
            "ask_aside" => {
                let answer = text("text").trim().to_owned();
                self.conversation.push(Block::Text(answer, true));
            }
            "move_session" => {
                self.notice(
                    Level::Success,
                    "moved; it continues here until you leave, and is found in that folder afterwards",
                );
                self.ask("get_state");
            }
            "get_tools" => self.show_tools(data),
            "set_policy" => {
                let is_known = self.session.policy == text("level");
                let (level, previous) = (text("level"), text("previousLevel"));
                if self.session.meanwhile.is_read_only {
                    let is_ours = level == READ_ONLY && previous != READ_ONLY;
                    self.session.meanwhile.policy_after = is_ours.then(|| previous.to_owned());
                }
                text("level").clone_into(&mut self.session.policy);
                if !is_known {
                    self.notice(Level::Info, &format!("policy: {}", text("level")));
                }
            }
            "goal" => self.show_goal(data.get("goal").unwrap_or(&Value::Null)),
            "dump" => {
                self.push_output(Output::Copy(text("text").to_owned()));
                self.notice(Level::Success, "copied the conversation");
            }
            "generate_session_name" => {
                self.session.name = Some(text("name").to_owned()).filter(|name| !name.is_empty());
            }
            "edit_todos" => self.take_todo_edit(data),
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
            _ => self.take_account_answer(command, data),
        }
    }

    fn exported(&mut self, path: &str) {
        if std::mem::take(&mut self.session.meanwhile.is_sharing) {
            self.push_output(Output::Copy(path.to_owned()));
            let text = format!(
                "written to {path} (the path is copied)\nIt has the whole conversation: read it before you share it. \
                 `gh gist create {path}` uploads it."
            );
            return self.notice(Level::Success, &text);
        }
        self.notice(Level::Success, &format!("written to {path}"));
    }

    fn change_goal(&mut self, rest: &str) {
        let command = match rest {
            "" | "show" => json!({ "type": "goal", "op": "show" }),
            "pause" | "resume" | "drop" => json!({ "type": "goal", "op": rest }),
            objective => {
                let objective = objective.strip_prefix("set ").unwrap_or(objective).trim();
                json!({ "type": "goal", "op": "set", "objective": objective })
            }
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
}
