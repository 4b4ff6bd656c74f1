//! Slash commands: the built-in ones, and those that the agent knows (templates and skills).

mod account;
mod debug;
mod run;
mod show;

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
}

const fn command(name: &'static str, hint: &'static str, about: &'static str) -> Command {
    Command { name, aliases: &[], hint, about }
}

/// The built-in commands, in the order of `/help`.
pub const COMMANDS: &[Command] = &[
    Command { aliases: &["?"], ..command("help", "", "list every command") },
    command("hotkeys", "", "list every key"),
    Command { aliases: &["models"], ..command("model", "[NAME]", "choose a model") },
    command("thinking", "[LEVEL]", "how hard the model thinks"),
    command("fast", "", "faster answers at a higher price, on or off"),
    command("provider", "", "providers of models, and which have a key"),
    command("login", "[PROVIDER]", "store a key for a provider"),
    command("logout", "[PROVIDER]", "remove the stored keys of a provider"),
    command("policy", "[read-only|ask|auto|full]", "what may happen without asking"),
    command("plan", "", "plan mode on or off"),
    command("settings", "", "change settings"),
    command("theme", "[NAME]", "choose a theme"),
    command("new", "", "begin a new session"),
    Command { aliases: &["sessions"], ..command("resume", "[ID]", "go on with another session") },
    command("tree", "", "go to any point of this session"),
    command("branch", "", "a new session from an earlier prompt"),
    command("fork", "", "a copy of this session"),
    command("rename", "NAME", "name this session"),
    command("move", "FOLDER", "have this session belong to another folder"),
    command("handoff", "[WHAT FOR]", "go on in a new session, with a summary of this one"),
    command("drop", "", "delete this session and begin a new one"),
    command("session", "", "facts about this session"),
    command("compact", "[WHAT TO KEEP]", "make the conversation shorter"),
    command("context", "", "how full the context is"),
    command("usage", "", "tokens and cost"),
    Command { aliases: &["ledger"], ..command("log", "", "what landed: diff, undo, redo") },
    command("diff", "[TRANSACTION]", "what the last change changed"),
    command("undo", "[call|turn|session]", "undo what landed"),
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
    command("ssh", "", "the hosts that the agent may connect to"),
    command("memory", "", "the instructions that the model is given"),
    command("todo", "", "the todo list"),
    command("jobs", "", "what runs in the background"),
    command("goal", "[OBJECTIVE|pause|resume|drop]", "what the agent works towards"),
    command("retry", "", "try the last prompt again, in place of its answer"),
    Command {
        aliases: &["bg"],
        ..command("background", "", "leave the agent at work, and go back to the shell")
    },
    command("contribute-pr", "", "prepare a pull request from the changes"),
    command("debug", "[report|logs|raw|system|artifacts|transcript|clear]", "look for a fault"),
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
