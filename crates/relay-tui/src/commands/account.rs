//! Slash commands about what surrounds the agent: keys of providers, other agents, hosts, instructions.

use serde_json::{Value, json};

use crate::app::App;
use crate::conversation::Level;
use crate::overlay::{Entry, Menu, Pages, Secret};
use crate::text::{Line, Style, clean, clean_line};
use crate::theme::{Symbol, Token};

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

impl App {
    pub(super) fn account_command(&mut self, name: &str, rest: &str) {
        match (name, rest) {
            ("provider" | "login", "") => self.send(json!({ "type": "get_providers", "for": "login" })),
            ("login", provider) => self.open(Box::new(Secret::new(provider))),
            ("logout", "") => self.send(json!({ "type": "get_providers", "for": "logout" })),
            ("logout", provider) => self.send(json!({ "type": "forget_keys", "provider": provider })),
            ("agents", _) => self.ask("get_agents"),
            ("ssh", _) => self.ask("get_ssh_hosts"),
            ("memory", _) => self.ask("get_instructions"),
            ("fast", _) => self.ask("toggle_fast"),
            _ => self.notice(Level::Warning, &format!("/{name} is not available here")),
        }
    }

    pub(super) fn take_account_answer(&mut self, command: &str, data: &Value) {
        match command {
            "get_providers" => self.show_providers(data),
            "store_key" => {
                let provider = text(data, "provider");
                self.notice(
                    Level::Success,
                    &format!("stored the key of {provider}; /model lists its models"),
                );
            }
            "forget_keys" => {
                let count = data.get("removed").and_then(Value::as_u64).unwrap_or_default();
                let said =
                    if count == 1 { "removed 1 key".to_owned() } else { format!("removed {count} keys") };
                self.notice(Level::Success, &said);
            }
            "get_agents" => self.show_agents(data),
            "get_ssh_hosts" => self.show_hosts(data),
            "get_instructions" => self.show_instructions(data),
            "toggle_fast" => {
                let is_on = data.get("fast").and_then(Value::as_bool).unwrap_or_default();
                self.session.meanwhile.is_fast = is_on;
                let said = if is_on {
                    "faster answers, at a higher price; /fast turns it off"
                } else {
                    "fast is off"
                };
                self.notice(Level::Info, said);
                // The model is asked anew with the other tier.
                let model = self.session.model.clone();
                self.send(json!({ "type": "set_model", "model": model }));
            }
            _ => self.take_debug_answer(command, data),
        }
    }

    fn show_providers(&mut self, data: &Value) {
        let is_logout = text(data, "for") == "logout";
        let mut entries = Vec::new();
        for provider in list(data, "providers") {
            let name = text(provider, "name");
            let keys: Vec<&str> = list(provider, "keys").iter().filter_map(Value::as_str).collect();
            let variables: Vec<&str> = list(provider, "variables").iter().filter_map(Value::as_str).collect();
            let is_stored = provider.get("isStored").and_then(Value::as_bool).unwrap_or_default();
            if is_logout && !is_stored {
                continue;
            }
            let line = format!("/{} {name}", if is_logout { "logout" } else { "login" });
            let detail = if keys.is_empty() {
                format!("no key ({})", variables.join(" or "))
            } else {
                keys.join(", ")
            };
            let mark = (!keys.is_empty()).then_some(Symbol::StatusSuccess);
            entries.push(Entry { mark, ..Entry::new(line, name).detail(detail) });
        }
        let (title, note) = if is_logout {
            ("remove the keys of", "Variables of the environment stay as they are.")
        } else {
            ("providers", "Enter stores a key. `models.toml` adds providers of your own.")
        };
        if is_logout && entries.is_empty() {
            return self.notice(Level::Info, "no keys are stored; those of the environment are unset there");
        }
        self.open(Box::new(Menu::new(title, note, entries)));
    }

    fn show_agents(&mut self, data: &Value) {
        let agents: Vec<&str> = list(data, "agents").iter().filter_map(Value::as_str).collect();
        if agents.is_empty() {
            let said = "no other agent was found on this machine; Relay knows codex, claude, gemini, opencode and others";
            return self.notice(Level::Info, said);
        }
        let entry = |name: &&str| {
            Entry::new(String::new(), *name).detail(format!(
                "!relay ask --to {name} ...   !relay review --to {name}   relay wrap -- {name}"
            ))
        };
        let note = "They answer questions, review, or work under Relay, which lands what they change.";
        self.open(Box::new(Menu::new("agents", note, agents.iter().map(entry).collect())));
    }

    fn show_hosts(&mut self, data: &Value) {
        let hosts = list(data, "hosts");
        if hosts.is_empty() {
            let said =
                "no hosts are set up; `ssh.json` in the settings folder names those that the agent may use";
            return self.notice(Level::Info, said);
        }
        let entry = |host: &Value| {
            let note = if host.get("isTrusted").and_then(Value::as_bool) == Some(false) {
                "not trusted"
            } else {
                ""
            };
            Entry::new(String::new(), text(host, "name")).detail(text(host, "about")).note(note)
        };
        let note = "A project's own hosts count once you trust them: `relay trust`.";
        self.open(Box::new(Menu::new("hosts", note, hosts.iter().map(entry).collect())));
    }

    fn show_instructions(&mut self, data: &Value) {
        let view = self.view();
        let mut lines = Vec::new();
        for file in list(data, "files") {
            lines.push(Line::of(clean_line(&text(file, "path")), view.fg(Token::Accent).bold()));
            for part in clean(&text(file, "text")).lines() {
                lines.push(Line::of(format!("  {part}"), view.fg(Token::Text)));
            }
            lines.push(Line::new());
        }
        if lines.is_empty() {
            let said = "no AGENTS.md or other instructions were found; /init has the agent write one";
            return self.notice(Level::Info, said);
        }
        lines.push(Line::of(
            "Your own for every project are in AGENTS.md of the settings folder.",
            Style::default().dim(),
        ));
        self.open(Box::new(Pages::new("instructions that the model is given", lines)));
    }
}
