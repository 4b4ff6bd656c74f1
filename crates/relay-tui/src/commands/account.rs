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

/// What `/ssh …` asks the agent for, or how it is written.
fn ssh_command(rest: &str) -> Result<Value, String> {
    const ADD: &str =
        "/ssh add NAME [USER@]HOST [--port N] [--key FILE] [--about TEXT] [--scope user|project]";
    const REMOVE: &str = "/ssh remove NAME [--scope user|project]";
    let mut words = rest.split_whitespace();
    let kind = words.next().unwrap_or("list");
    let usage = match kind {
        "list" => return Ok(json!({ "type": "get_ssh_hosts" })),
        "add" => ADD,
        "remove" | "rm" => REMOVE,
        other => return Err(format!("unknown: /ssh {other}\n/ssh list\n{ADD}\n{REMOVE}")),
    };
    let (mut plain, mut options) = (Vec::new(), serde_json::Map::new());
    while let Some(word) = words.next() {
        let Some(option) = word.strip_prefix("--") else {
            plain.push(word);
            continue;
        };
        let (option, value) = match option.split_once('=') {
            Some((option, value)) => (option, value.to_owned()),
            None if option == "about" => (option, words.by_ref().collect::<Vec<_>>().join(" ")),
            None => (option, words.next().unwrap_or_default().to_owned()),
        };
        let name = match option {
            "port" | "key" | "scope" => option,
            "about" | "description" => "description",
            _ => return Err(format!("unknown option --{option}\n{usage}")),
        };
        if value.is_empty() {
            return Err(format!("--{option} needs a value\n{usage}"));
        }
        let value = match (name, value.parse::<u16>()) {
            ("port", Ok(port)) => port.into(),
            ("port", Err(_)) => return Err(format!("`{value}` is not a port; use 1 to 65535\n{usage}")),
            _ => value.into(),
        };
        options.insert(name.to_owned(), value);
    }
    match (kind, plain.as_slice()) {
        ("add", [name, target]) => {
            let (user, host) =
                target.rsplit_once('@').map_or((None, *target), |(user, host)| (Some(user), host));
            options.extend(user.map(|user| ("username".to_owned(), user.into())));
            options.insert("name".to_owned(), (*name).into());
            options.insert("host".to_owned(), host.into());
            options.insert("type".to_owned(), "add_ssh_host".into());
        }
        ("remove" | "rm", [name]) => {
            options.insert("name".to_owned(), (*name).into());
            options.insert("type".to_owned(), "remove_ssh_host".into());
        }
        _ => return Err(usage.to_owned()),
    }
    Ok(Value::Object(options))
}

impl App {
    pub(super) fn account_command(&mut self, name: &str, rest: &str) {
        match (name, rest) {
            ("provider" | "login", "") => self.send(json!({ "type": "get_providers", "for": "login" })),
            ("login", provider) => self.open(Box::new(Secret::new(provider))),
            ("logout", "") => self.send(json!({ "type": "get_providers", "for": "logout" })),
            ("logout", provider) => self.send(json!({ "type": "forget_keys", "provider": provider })),
            ("agents", _) => self.ask("get_agents"),
            ("ssh", rest) => self.ssh(rest),
            ("memory", "" | "view") => self.ask("get_instructions"),
            ("memory", _) => {
                self.notice(
                    Level::Info,
                    "the agent has no memory beyond these instructions; /memory shows them",
                );
            }
            ("fast", "") => self.ask("toggle_fast"),
            ("fast", "status") => self.say_fast(),
            ("fast", "on" | "off") if (rest == "on") == self.session.meanwhile.is_fast => self.say_fast(),
            ("fast", "on" | "off") => self.ask("toggle_fast"),
            ("fast", _) => self.notice(Level::Warning, "/fast on, /fast off or /fast status"),
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
            "add_ssh_host" | "remove_ssh_host" => self.take_host(command, data),
            "toggle_fast" => {
                let is_on = data.get("fast").and_then(Value::as_bool).unwrap_or_default();
                self.session.meanwhile.is_fast = is_on;
                self.say_fast();
                // The model is asked anew with the other tier.
                let model = self.session.model.clone();
                self.send(json!({ "type": "set_model", "model": model }));
            }
            _ => self.take_debug_answer(command, data),
        }
    }

    fn say_fast(&mut self) {
        let said = match self.session.meanwhile.is_fast {
            true => "faster answers, at a higher price; /fast turns it off",
            false => "fast is off",
        };
        self.notice(Level::Info, said);
    }

    /// `/ssh`, `/ssh list`, `/ssh add NAME [USER@]HOST …`, `/ssh remove NAME …`.
    fn ssh(&mut self, rest: &str) {
        match ssh_command(rest) {
            Ok(command) => self.send(command),
            Err(usage) => self.notice(Level::Warning, &usage),
        }
    }

    /// A host was added or removed.
    fn take_host(&mut self, command: &str, data: &Value) {
        let (name, file) = (text(data, "name"), text(data, "file"));
        let said = match command {
            "remove_ssh_host" => format!("removed {name} from {file}"),
            _ => format!("added {name} to {file}"),
        };
        self.notice(Level::Success, &format!("{said}; the agent knows of it from the next start on"));
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
            let said = "no hosts are set up; `/ssh add NAME USER@HOST` names one that the agent may use";
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_added_and_removed_with_their_scope() {
        let command = |rest: &str| ssh_command(rest).unwrap();
        assert_eq!(command("")["type"], "get_ssh_hosts");
        let added = command("add box me@box.example --port 2222 --scope project --about the build machine");
        let expected = json!({ "type": "add_ssh_host", "name": "box", "host": "box.example", "username": "me",
            "port": 2222, "scope": "project", "description": "the build machine" });
        assert_eq!(added, expected);
        let removed = json!({ "type": "remove_ssh_host", "name": "box", "scope": "user" });
        assert_eq!(command("remove box --scope=user"), removed);
        for wrong in [
            "add box",
            "add",
            "remove",
            "remove a b",
            "nonsense",
            "add a b --port",
            "add a b --port x",
            "add a b --what x",
        ] {
            assert!(ssh_command(wrong).unwrap_err().contains("/ssh "), "{wrong}");
        }
    }
}
