//! The front door: every command with one line about it, grouped by task.
//!
//! Written here because the parser has no groups and builds a command's help only when that command is called.

use super::definition;
use crate::terminal::style::{FAINT, PLACE, STRONG, paint};
use crate::terminal::wrap::columns_of;

/// The groups, in the order a new user needs them.
pub const GROUPS: [(&str, &[&str]); 5] = [
    ("Start", &["demo", "init", "status", "prompt", "pack", "context", "read", "search", "find"]),
    ("Land changes", &["apply", "watch", "mail", "wrap", "translate"]),
    ("Look back", &["log", "show", "blame", "undo", "redo", "recover", "gc"]),
    (
        "Talk to models",
        &[
            "agent",
            "run",
            "resume",
            "sessions",
            "rpc",
            "ask",
            "review",
            "conversations",
            "jobs",
            "models",
            "backends",
        ],
    ),
    ("Set up", &["config", "auth", "skills", "themes", "trust", "doctor", "completions", "man", "help"]),
];

/// The overview, wrapped at this width.
pub fn overview(width: usize) -> String {
    let mut root = definition();
    root.build();
    let about = |name: &str| {
        let command = root.find_subcommand(name)?;
        command.get_about().map(ToString::to_string)
    };
    let mut text = columns_of(
        &[(
            "",
            "Relay lands AI-written code changes safely: all or nothing, checked, approved, undoable.".into(),
        )],
        0,
        width,
    );
    text.push_str(&format!("\n{} relay [OPTIONS] [COMMAND]\n", paint(STRONG, "Usage:")));
    text.push_str(&columns_of(&[("", WITHOUT_COMMAND.to_owned())], 0, width));
    for (group, names) in GROUPS {
        text.push_str(&format!("\n{}\n", paint(STRONG, group)));
        let rows: Vec<(&str, String)> = names.iter().filter_map(|name| Some((*name, about(name)?))).collect();
        text.push_str(&columns_of(&rows, WIDEST_NAME, width));
    }
    text.push_str(&format!("\n{}\n", paint(STRONG, "Global options")));
    let options: Vec<(&str, String)> =
        OPTIONS.iter().map(|(name, about)| (*name, (*about).to_owned())).collect();
    text.push_str(&columns_of(&options, WIDEST_NAME, width));
    text.push('\n');
    for (lead, command) in NEXT {
        text.push_str(&format!("{} {}\n", paint(FAINT, lead), paint(PLACE, command)));
    }
    text
}

/// What `relay` alone does.
const WITHOUT_COMMAND: &str = "In a terminal, `relay` without a command opens the agent.";

/// How wide the column of the names is.
const WIDEST_NAME: usize = 15;

const OPTIONS: [(&str, &str); 5] = [
    ("--root DIR", "Work in this folder instead of finding the project from here"),
    ("--offline", "Make no network connections"),
    ("--color WHEN", "Use colours: auto, always or never"),
    ("-h, --help", "Show help; `--help` shows more than `-h`"),
    ("-V, --version", "Show the version"),
];

const NEXT: [(&str, &str); 5] = [
    ("New here?      ", "relay demo"),
    ("One command:   ", "relay help COMMAND"),
    ("Topics:        ", "relay help dialects"),
    ("               ", "relay help exit-codes"),
    ("               ", "relay help environment"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let root = definition();
        let mut known: Vec<&str> =
            root.get_subcommands().filter(|c| !c.is_hide_set()).map(clap::Command::get_name).collect();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        known.sort_unstable();
        listed.sort_unstable();
        assert_eq!(known, listed);
    }

    #[test]
    fn every_command_and_option_has_a_help_line() {
        fn look(command: &clap::Command, missing: &mut Vec<String>) {
            let name = command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned();
            if command.get_about().is_none_or(|about| about.to_string().trim().is_empty()) {
                missing.push(name.clone());
            }
            for argument in command.get_arguments() {
                if argument.get_help().is_none_or(|help| help.to_string().trim().is_empty()) {
                    missing.push(format!("{name} {}", argument.get_id()));
                }
            }
            for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
                look(sub, missing);
            }
        }
        let mut root = definition();
        root.build();
        let mut missing = Vec::new();
        look(&root, &mut missing);
        assert_eq!(missing, Vec::<String>::new());
    }

    #[test]
    fn it_fits_a_narrow_terminal() {
        for width in [40, 80] {
            let text = crate::terminal::style::unpainted(&overview(width));
            let long: Vec<&str> =
                text.lines().filter(|line| crate::terminal::columns(line) > width).collect();
            assert!(long.is_empty(), "{width}: {long:?}");
        }
    }
}
