//! `relay help`: the overview, one command, or a topic.

use clap::Command;
use relay_diagnostics::Diagnostic;

use crate::cli::{HelpArgs, definition, nearest_command, overview, topics};
use crate::failure::{BAD_USAGE, Failure};
use crate::terminal;

pub fn run(args: &HelpArgs) -> Result<u8, Failure> {
    if let [word] = args.words.as_slice()
        && let Some(text) = topics::topic(word)
    {
        let fits = text.lines().all(|line| terminal::columns(line) <= terminal::print_width());
        return Ok(if fits { terminal::print(text) } else { terminal::print(&topics::unbroken(text)) });
    }
    if args.words.is_empty() {
        return Ok(front_door());
    }
    let mut root = definition();
    root.build();
    let mut command = &root;
    for word in &args.words {
        command = command.find_subcommand(word).ok_or_else(|| unknown(word, command))?;
    }
    let help = command.clone().term_width(terminal::print_width().min(100)).render_long_help();
    Ok(terminal::print_as_is(&help.ansi().to_string()))
}

/// What `relay` shows without a command.
pub fn front_door() -> u8 {
    terminal::print_as_is(&overview::overview(terminal::print_width().min(100)))
}

fn unknown(word: &str, parent: &Command) -> Failure {
    let topics = topics::TOPICS.iter().map(|(name, _)| *name);
    let commands = parent.get_subcommands().filter(|sub| !sub.is_hide_set()).map(Command::get_name);
    let names: Vec<&str> = match parent.get_name() {
        "relay" => commands.chain(topics).collect(),
        _ => commands.collect(),
    };
    let message = format!("no command or topic is named `{}`", terminal::visible(word));
    Failure::usage(Diagnostic::error(BAD_USAGE, message).hinted(nearest_command(word, &names)))
}
