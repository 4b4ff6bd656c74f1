//! What can be typed to set Relay up and to read about it.

use clap::{Args, ValueEnum};

use super::values::{commands, themes, topics};

/// Review the commands in the project's config, and trust them
///
/// A config comes with a repository, and its commands run on your machine. Trust covers exactly the text you saw.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// Trust them without asking
    #[arg(long, short, conflicts_with = "revoke")]
    pub yes: bool,

    /// Stop trusting this project's commands
    #[arg(long)]
    pub revoke: bool,
}

/// List the themes of the terminal interface, or show one
///
/// Without a name, lists every theme, one per line: Relay's own and yours, from the folder `themes` in your config folder. With
/// a name, shows a sample of everything a theme colours. With a file, first checks it and reports everything that is wrong.
#[derive(Debug, Args)]
pub struct ThemesArgs {
    /// The theme, or a theme file
    #[arg(value_name = "NAME|FILE", add = themes())]
    pub name: Option<String>,

    /// Print one JSON document on standard output
    #[arg(long, conflicts_with = "name")]
    pub json: bool,
}

/// List the skills the agent has in this project, or print one
///
/// A skill is a folder with a SKILL.md, in the project or among your own files; the setting `skills.enabled` turns them on.
/// `/skill:NAME` starts one in a prompt.
#[derive(Debug, Args)]
pub struct SkillsArgs {
    /// Print this skill's text
    #[arg(value_name = "NAME")]
    pub name: Option<String>,

    /// Print one JSON document on standard output
    #[arg(long, conflicts_with = "name")]
    pub json: bool,
}

/// Find problems: what is missing or broken, how to fix it
///
/// Looks for model servers on this machine and tries the sandbox. `relay status` is faster and only shows where things
/// are.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// Print a completion script for your shell
///
/// It completes commands, options and values: dialects, transactions, sessions, jobs, models, backends, conversations,
/// settings, themes. Source it when your shell starts.
#[derive(Debug, Args)]
#[command(after_help = "\
bash:       echo 'source <(relay completions bash)' >> ~/.bashrc
zsh:        echo 'source <(relay completions zsh)' >> ~/.zshrc
fish:       relay completions fish > ~/.config/fish/completions/relay.fish")]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Print a manual page
///
/// To read one: relay man apply | man -l -
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command; the overview if left out
    #[arg(add = commands())]
    pub command: Option<String>,

    /// How to print it
    #[arg(long, value_enum, default_value_t = ManFormat::Roff)]
    pub format: ManFormat,
}

/// How a manual page is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ManFormat {
    /// For the `man` command
    Roff,
    /// The whole reference as Markdown, as in docs/cli.md
    Markdown,
}

/// Show help for a command or a topic
///
/// Topics: dialects, exit-codes, environment.
#[derive(Debug, Args)]
pub struct HelpArgs {
    /// The command or topic; the overview if left out
    #[arg(value_name = "COMMAND|TOPIC", add = topics())]
    pub words: Vec<String>,
}
