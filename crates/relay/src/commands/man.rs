//! `relay man`: manual pages and the Markdown reference, from the same definition as `--help`.

use clap::Command;
use relay_diagnostics::Diagnostic;

use crate::cli::{ManArgs, ManFormat, definition, nearest_command};
use crate::failure::{BAD_USAGE, Failure};
use crate::terminal;

pub fn run(args: &ManArgs) -> Result<u8, Failure> {
    let mut root = definition();
    root.build();
    let command = match &args.command {
        None => root,
        Some(name) => root.find_subcommand(name).cloned().ok_or_else(|| unknown(name, &root))?,
    };
    match args.format {
        ManFormat::Markdown => Ok(terminal::print_as_is(&markdown(&command))),
        ManFormat::Roff => {
            let mut page = Vec::new();
            let written = clap_mangen::Man::new(command).render(&mut page);
            written.map_err(|error| Failure::environment(&error))?;
            Ok(terminal::print_as_is(&String::from_utf8_lossy(&page)))
        }
    }
}

fn unknown(name: &str, root: &Command) -> Failure {
    let names: Vec<&str> = root.get_subcommands().map(Command::get_name).collect();
    let message = format!("no command is named `{name}`");
    Failure::usage(Diagnostic::error(BAD_USAGE, message).hinted(nearest_command(name, &names)))
}

/// The help texts, one section per command.
fn markdown(command: &Command) -> String {
    let mut text = String::from(
        "# The command line\n\nGenerated from `relay --help`; \
         `relay man --format markdown` prints it.\n\n",
    );
    sections(&mut text, command);
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn sections(text: &mut String, command: &Command) {
    section(text, command);
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        sections(text, sub);
    }
}

fn section(text: &mut String, command: &Command) {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let help = command.clone().term_width(100).render_long_help().to_string();
    let help: String = help.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    text.push_str(&format!("## `{name}`\n\n```text\n{}\n```\n\n", help.trim_end()));
}
