//! `relay doctor`: what is configured, what is missing, and what to do about it.

mod sandbox;

use std::path::Path;

use relay_engine::{CONFIG_FILE, Engine, EntryStatus, History, trust, with_sources};
use serde_json::{Value, json};

use crate::cli::DoctorArgs;
use crate::failure::Failure;
use crate::open;
use crate::signals;
use crate::terminal::report::line;
use crate::terminal::style::{BAD, FAINT, GOOD, NOTE, PLACE, count, paint};
use crate::terminal::{self, visible};
use crate::user;

/// The result of a check.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    Note,
    Bad,
}

/// One finding.
struct Finding {
    state: State,
    name: &'static str,
    what: String,
    todo: Option<String>,
}

impl Finding {
    fn new(state: State, name: &'static str, what: impl Into<String>) -> Self {
        Self { state, name, what: what.into(), todo: None }
    }

    fn todo(mut self, todo: impl Into<String>) -> Self {
        self.todo = Some(todo.into());
        self
    }
}

pub fn run(root: Option<&Path>, offline: bool, args: &DoctorArgs) -> Result<u8, Failure> {
    let findings = examine(root, offline);
    let sick = findings.iter().any(|finding| finding.state == State::Bad);
    if args.json {
        terminal::print_document(&document(&findings));
    } else {
        terminal::print(&text(&findings));
    }
    Ok(u8::from(sick))
}

fn examine(root: Option<&Path>, offline: bool) -> Vec<Finding> {
    let mut findings =
        vec![Finding::new(State::Good, "relay", format!("version {}", env!("CARGO_PKG_VERSION")))];
    findings.push(git());
    findings.push(user_data());
    findings.push(clipboard());
    models(offline, &mut findings);
    findings.push(backends());
    findings.extend(sandbox::findings(&relay_exec::sandbox::enforcement()));
    match open::engine(root) {
        Ok(engine) => project(&engine, &mut findings),
        Err(failure) => findings.push(
            Finding::new(State::Bad, "project", failure.message())
                .todo("Fix this first; nothing can land until you do."),
        ),
    }
    findings
}

fn git() -> Finding {
    match relay_exec::git::program() {
        Some(path) => Finding::new(State::Good, "git", path.display().to_string()),
        None => Finding::new(State::Note, "git", "not found")
            .todo("Relay works without git; `relay demo` skips a step."),
    }
}

fn user_data() -> Finding {
    let store = match relay_store::Store::from_env() {
        Ok(store) => store,
        Err(error) => return Finding::new(State::Bad, "user data", with_sources(&error)).todo("Set HOME."),
    };
    match store.ledger_key() {
        Ok(_) => Finding::new(State::Good, "user data", store.data_dir().display().to_string()),
        Err(error) => Finding::new(State::Bad, "user data", with_sources(&error))
            .todo("Make that folder writable for you alone."),
    }
}

fn clipboard() -> Finding {
    match arboard::Clipboard::new() {
        Ok(_) => Finding::new(State::Good, "clipboard", "found"),
        Err(_) => Finding::new(State::Note, "clipboard", "none here")
            .todo("--copy will not work; print and copy by hand, or use files."),
    }
}

/// The available keys, named by where they come from and never by their value, and the model servers on this machine.
fn models(offline: bool, findings: &mut Vec<Finding>) {
    let opened = open::store().and_then(|store| user::models(&store));
    let looked = opened.and_then(|models| {
        let cancel = signals::cancel_on_signals().map_err(|error| Failure::environment(&error))?;
        let servers = models.local_servers(offline, &cancel);
        Ok((models, servers))
    });
    let (models, servers) = match looked {
        Ok(found) => found,
        Err(failure) => {
            let todo = "Fix this first; no model can be used until you do.";
            findings.push(Finding::new(State::Bad, "models", failure.message()).todo(todo));
            return;
        }
    };
    let mut keys = Vec::new();
    for name in models.catalog.names() {
        let sources: Vec<String> = models.keyring.sources(name).iter().map(ToString::to_string).collect();
        if !sources.is_empty() {
            keys.push(format!("{name} ({})", sources.join(", ")));
        }
    }
    let served: Vec<String> = servers
        .iter()
        .map(|server| {
            format!("{} with {} at {}", server.provider, count(server.models.len(), "model"), server.base_url)
        })
        .collect();
    let neither = keys.is_empty() && served.is_empty();
    findings.push(if keys.is_empty() {
        let finding = Finding::new(State::Note, "model keys", "none");
        if neither {
            finding.todo("`relay models` explains how to continue, with and without a key.")
        } else {
            finding
        }
    } else {
        Finding::new(State::Good, "model keys", keys.join(", "))
    });
    findings.push(match (served.is_empty(), offline) {
        (false, _) => Finding::new(State::Good, "local models", served.join(", ")),
        (true, true) => Finding::new(State::Note, "local models", "not looked for (--offline)"),
        (true, false) => Finding::new(State::Note, "local models", "no model server answers on this machine"),
    });
}

/// The agents that can be asked. None of them is started for this, because asking each for its version takes seconds.
fn backends() -> Finding {
    let all = open::store().and_then(|store| {
        let settings = user::settings(&store)?;
        Ok(user::sources(&store, &settings).all()?)
    });
    let all = match all {
        Ok(all) => all,
        Err(failure) => {
            let todo = "Fix it with `relay config edit`; no backend can be asked until you do.";
            return Finding::new(State::Bad, "backends", failure.message()).todo(todo);
        }
    };
    let found: Vec<String> = all
        .iter()
        .filter(|backend| backend.presence().is_there)
        .map(|backend| match backend.presence().logged_in {
            Some(true) => format!("{} (logged in)", backend.name()),
            Some(false) => format!("{} (not logged in)", backend.name()),
            None => backend.name().to_owned(),
        })
        .collect();
    if found.is_empty() {
        let finding = Finding::new(State::Note, "backends", "no other agent is installed");
        return finding.todo("`relay backends` shows how to get one; models work without one.");
    }
    Finding::new(State::Good, "backends", found.join(", "))
}

fn project(engine: &Engine, findings: &mut Vec<Finding>) {
    let root = engine.workspace().root().display().to_string();
    findings.push(Finding::new(State::Good, "root", root));
    let config = engine.config();
    findings.push(match &config.project_id {
        Some(id) => Finding::new(State::Good, "project", format!("`{id}` ({CONFIG_FILE})")),
        None => Finding::new(
            State::Note,
            "project",
            format!("no {CONFIG_FILE}; defaults apply and no commands run"),
        )
        .todo("`relay init` creates one."),
    });
    for warning in engine.warnings() {
        // Other commands warn about damaged state and continue; this command fails on it.
        let (state, name) = if warning.is_error() { (State::Bad, "state") } else { (State::Note, "note") };
        let finding = Finding::new(state, name, warning.message.clone());
        findings.push(match &warning.hint {
            Some(hint) => finding.todo(hint.clone()),
            None => finding,
        });
    }
    commands(engine, findings);
    findings.push(match engine.history() {
        Ok(history) => ledger(&history),
        Err(error) => Finding::new(State::Bad, "ledger", with_sources(&error)).todo("`relay recover`"),
    });
}

/// How many transactions there are, and whether any of them cannot be verified.
fn ledger(history: &History) -> Finding {
    let all = count(history.entries.len(), "transaction");
    let damaged = history.entries.iter().filter(|entry| entry.status == EntryStatus::Damaged).count();
    if damaged > 0 {
        let what = format!("{all}, {damaged} of them damaged");
        return Finding::new(State::Bad, "ledger", what)
            .todo("`relay recover` lists the files; restore them from a backup.");
    }
    if history.foreign.is_empty() {
        return Finding::new(State::Good, "ledger", all);
    }
    let unknown = count(history.foreign.len(), "state file");
    Finding::new(
        State::Note,
        "ledger",
        format!("{all}; {unknown} cannot be verified, and Relay ignores them"),
    )
    .todo("`relay recover` lists them. Restore what is damaged; remove what is not yours.")
}

fn commands(engine: &Engine, findings: &mut Vec<Finding>) {
    let commands = engine.config().commands();
    for command in &commands {
        let program = command.command.split_whitespace().next().unwrap_or_default();
        let plain = program.chars().all(|c| c.is_ascii_alphanumeric() || "-_./+".contains(c));
        findings.push(if plain && relay_exec::find_program(program).is_none() && !is_builtin(program) {
            Finding::new(
                State::Bad,
                command.key,
                format!("`{}`: {program} is not installed", command.command),
            )
            .todo(format!("Install {program}, or change `{}` in {CONFIG_FILE}.", command.key))
        } else {
            Finding::new(State::Good, command.key, format!("`{}`", command.command))
        });
    }
    if commands.is_empty() {
        return;
    }
    findings.push(match trust::is_trusted(engine.store(), engine.workspace(), engine.config()) {
        Ok(true) => Finding::new(State::Good, "trust", "the commands are trusted"),
        Ok(false) => {
            Finding::new(State::Note, "trust", "the commands are not trusted here").todo("`relay trust`")
        }
        Err(error) => {
            Finding::new(State::Bad, "trust", with_sources(&error)).todo("Fix or delete that file.")
        }
    });
}

/// Words that the shell handles itself.
fn is_builtin(word: &str) -> bool {
    ["cd", "test", "true", "false", "exit", "echo", "export", "set", "if", "for", "while", "exec", "."]
        .contains(&word)
}

fn text(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let mark = match finding.state {
            State::Good => paint(GOOD, "✓"),
            State::Note => paint(NOTE, "!"),
            State::Bad => paint(BAD, "✗"),
        };
        line(&mut text, format_args!("{mark} {:<12} {}", finding.name, visible(&finding.what)));
        if let Some(todo) = &finding.todo {
            line(
                &mut text,
                format_args!("  {:<12} {} {}", "", paint(PLACE, "→"), paint(FAINT, visible(todo))),
            );
        }
    }
    text
}

fn document(findings: &[Finding]) -> Value {
    let list: Vec<Value> = findings
        .iter()
        .map(|finding| {
            let state = match finding.state {
                State::Good => "good",
                State::Note => "note",
                State::Bad => "bad",
            };
            json!({ "name": finding.name, "state": state, "what": finding.what, "todo": finding.todo })
        })
        .collect();
    json!({ "findings": list })
}
