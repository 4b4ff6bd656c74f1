//! Packing context for a chat: `relay pack` and `relay context`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::values::dialects;

/// Pack files, instructions and a task into one text for any chat
///
/// The text teaches the model how to answer, shows it the files you name (or those selected with `relay context`), and
/// carries a receipt. A reply that names the receipt is resolved against exactly what the model saw and merged onto the
/// files as they are by then. Secrets are masked before anything is printed, and restored when they come back.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples: relay pack src/*.rs --task 'add a --verbose flag' --copy · relay pack src docs/guide.md \
    --budget 30000 -o pack.md\n\nToken counts are estimates: about 3.6 ASCII characters to a token."
)]
pub struct PackArgs {
    /// Files, folders or globs; the selection of `relay context` if left out
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,

    /// Leave out files that match this glob; repeatable
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,

    /// What the model should do; `-` reads it from standard input
    #[arg(long, short, value_name = "TEXT")]
    pub task: Option<String>,

    /// Add what changed since the last commit
    #[arg(long)]
    pub diff: bool,

    /// Show every file of the project's tree, even if it is large
    #[arg(long, conflicts_with = "no_tree")]
    pub tree: bool,

    /// Leave out the project's tree
    #[arg(long)]
    pub no_tree: bool,

    /// The most tokens the pack may have; files that do not fit are listed
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<usize>,

    /// The dialect to teach
    #[arg(long, value_name = "DIALECT", default_value = "fenced", value_parser = dialects())]
    pub dialect: relay_edit::Dialect,

    /// Write the pack to this file instead of printing it
    #[arg(long, short, value_name = "FILE", conflicts_with = "copy")]
    pub output: Option<PathBuf>,

    /// Put the pack on the clipboard instead of printing it
    #[arg(long)]
    pub copy: bool,

    /// Do not mask secrets; takes the word `send-secrets` so that it cannot happen by accident
    #[arg(long, value_name = "send-secrets", value_parser = ["send-secrets"])]
    pub no_mask: Option<String>,

    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}

/// Select the files that go into the next pack
///
/// Relay keeps the selection for each project, outside the project. Files that a reply wanted to change but the model had
/// not seen are added automatically.
#[derive(Debug, Args)]
pub struct ContextArgs {
    #[command(subcommand)]
    pub action: ContextAction,

    /// Print one JSON document on standard output
    #[arg(long, global = true, display_order = 900)]
    pub json: bool,
}

/// What happens to the selection.
#[derive(Debug, Subcommand)]
pub enum ContextAction {
    /// Add files, folders or globs
    Add {
        /// Files, folders or globs
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<String>,
        /// Leave out files that match this glob; repeatable
        #[arg(long, value_name = "GLOB")]
        exclude: Vec<String>,
    },
    /// Remove files, folders or globs
    Rm {
        /// Files, folders or globs
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<String>,
    },
    /// List what is selected
    List,
    /// Clear the selection
    Clear,
}
