//! Slash commands: the built-in ones, and those that the agent knows (templates and skills).

mod account;
mod debug;
mod run;
mod show;
mod todo;

use serde_json::Value;

/// A slash command of the interface.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// Its name, without the slash.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// What may follow it.
    pub hint: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Words that may follow it: each with what may follow that, and what it does.
    pub parts: &'static [Part],
}

/// A word after a command, what may follow it, and what it does.
pub type Part = (&'static str, &'static str, &'static str);

const fn command(name: &'static str, hint: &'static str, about: &'static str) -> Command {
    Command { name, aliases: &[], hint, about, parts: &[] }
}

const FAST: &[Part] = &[
    ("on", "", "faster answers, at a higher price"),
    ("off", "", "answers at the usual price"),
    ("status", "", "whether it is on"),
];
const POLICY: &[Part] = &[
    ("read-only", "", "nothing is changed"),
    ("ask", "", "every change and command is asked about"),
    ("auto", "", "changes land; commands run in a sandbox"),
    ("full", "", "nothing is asked"),
];
const SESSION: &[Part] =
    &[("info", "", "facts about this session"), ("delete", "", "delete it and begin a new one")];
const UNDO: &[Part] = &[
    ("turn", "", "everything since the last prompt"),
    ("call", "", "the last change only"),
    ("session", "", "everything this session changed"),
];
const SSH: &[Part] = &[
    ("list", "", "the hosts that the agent may use"),
    ("add", "NAME [USER@]HOST [--port N] [--key FILE] [--scope user|project]", "let the agent use a host"),
    ("remove", "NAME [--scope user|project]", "no longer let it use a host"),
];
const MEMORY: &[Part] = &[("view", "", "the instructions that the model is given")];
const TODO: &[Part] = &[
    ("list", "", "every task, with its number"),
    ("append", "[\"PHASE\"] TASK", "add a task"),
    ("start", "TASK", "begin with a task"),
    ("done", "[TASK|all]", "a task is done: the current one, or another by number or a few letters"),
    ("drop", "[TASK|all]", "give a task up"),
    ("rm", "TASK|all", "remove a task"),
    ("note", "TASK: TEXT", "add a note to a task"),
    ("edit", "", "change the list in your editor"),
    ("copy", "", "copy the list as Markdown"),
    ("export", "[FILE]", "write the list to a file"),
    ("import", "[FILE]", "take the list from a file"),
    ("hide", "", "hide the list, or show it again"),
];
const GOAL: &[Part] = &[
    ("show", "", "what the goal is"),
    ("set", "OBJECTIVE", "work towards this"),
    ("pause", "", "stop working on it for now"),
    ("resume", "", "continue it"),
    ("drop", "", "give it up"),
];

/// The built-in commands, in the order of `/help`.
pub const COMMANDS: &[Command] = &[
    Command { aliases: &["?"], ..command("help", "", "list every command") },
    command("hotkeys", "", "list every key"),
    Command { aliases: &["models"], ..command("model", "[NAME]", "choose a model, also for new sessions") },
    command("thinking", "[LEVEL]", "how hard the model thinks"),
    Command {
        parts: FAST,
        ..command("fast", "[on|off|status]", "faster answers at a higher price, on or off")
    },
    command("provider", "", "providers of models, and which have a key"),
    command("login", "[PROVIDER]", "store a key for a provider"),
    command("logout", "[PROVIDER]", "remove the stored keys of a provider"),
    Command { parts: POLICY, ..command("policy", "[LEVEL]", "what may happen without asking") },
    command("plan", "", "plan mode on or off"),
    command("settings", "", "change settings"),
    command("theme", "[NAME]", "choose a theme"),
    command("new", "", "begin a new session"),
    Command { aliases: &["sessions"], ..command("resume", "[ID]", "continue another session") },
    command("tree", "", "go to any point of this session"),
    command("branch", "", "a new session from an earlier prompt"),
    command("fork", "", "a copy of this session"),
    command("rename", "NAME", "name this session"),
    command("move", "FOLDER", "have this session belong to another folder"),
    command("handoff", "[WHAT FOR]", "continue in a new session, with a summary of this one"),
    command("drop", "", "delete this session and begin a new one"),
    Command { parts: SESSION, ..command("session", "[info|delete]", "facts about this session") },
    command("compact", "[WHAT TO KEEP]", "make the conversation shorter"),
    command("context", "", "how full the context is"),
    command("usage", "", "tokens and cost"),
    Command { aliases: &["ledger"], ..command("log", "", "what landed: diff, undo, redo") },
    command("diff", "[TRANSACTION]", "what the last change changed"),
    Command { parts: UNDO, ..command("undo", "[turn|call|session]", "undo what landed") },
    command("redo", "", "reapply what was undone"),
    command("review", "[WHAT MATTERS]", "have the changes reviewed; nothing is changed"),
    command("ask", "QUESTION", "ask about the project; nothing is changed"),
    command("btw", "QUESTION", "a question on the side that leaves no trace"),
    command("init", "", "have the agent write AGENTS.md"),
    command("copy", "", "copy the last answer"),
    command("export", "[FILE]", "write the session as a page"),
    command("share", "", "write the session as a page for others"),
    command("dump", "", "copy the whole conversation"),
    command("tools", "", "the tools of the model"),
    command("skills", "", "the skills there are"),
    command("agents", "", "other agents on this machine, and how to work with them"),
    Command { parts: SSH, ..command("ssh", "[list|add|remove]", "the hosts that the agent may connect to") },
    Command { parts: MEMORY, ..command("memory", "[view]", "the instructions that the model is given") },
    Command { parts: TODO, ..command("todo", "[append|start|done|drop|rm|edit|...]", "the todo list") },
    command("jobs", "", "what runs in the background"),
    Command {
        parts: GOAL,
        ..command("goal", "[OBJECTIVE|pause|resume|drop]", "what the agent works towards")
    },
    command("retry", "", "try the last prompt again, in place of its answer"),
    Command {
        aliases: &["bg"],
        ..command("background", "", "leave the agent at work, and go back to the shell")
    },
    command("contribute-pr", "", "prepare a pull request from the changes"),
    Command { parts: debug::PARTS, ..command("debug", "[PART]", "look for a fault") },
    command("clear", "", "clear the screen and begin a new session"),
    Command { aliases: &["quit", "q"], ..command("exit", "", "quit") },
];

/// A command that the agent knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteCommand {
    /// Its name, without the slash.
    pub name: String,
    /// What it does.
    pub about: String,
}

/// Commands of the agent: templates and skills.
#[derive(Clone, Debug, Default)]
pub struct Remote {
    /// The commands.
    pub commands: Vec<RemoteCommand>,
}

impl Remote {
    /// Takes what the agent says.
    pub fn take(&mut self, data: &Value) {
        let text = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let list = data.get("commands").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        self.commands = list
            .iter()
            .map(|command| RemoteCommand {
                name: text(command, "name").trim_start_matches('/').to_owned(),
                about: text(command, "description"),
            })
            .filter(|command| !command.name.is_empty() && COMMANDS.iter().all(|own| own.name != command.name))
            .collect();
    }
}

/// The built-in command of a name or alias.
#[must_use]
pub fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name || command.aliases.contains(&name))
}
