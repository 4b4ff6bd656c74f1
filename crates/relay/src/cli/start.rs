//! What can be typed first: the demo, making a project, the instructions for a model, and where things are.

use clap::Args;

use super::values::dialects;

/// See Relay work, in a throwaway project
///
/// Needs no configuration and no network, and does not touch your files. One reply lands, one breaks a test and is
/// rolled back, one is refused with a diagnosis; then the ledger and an undo.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Keep the demo project so that you can try things in it
    #[arg(long)]
    pub keep: bool,
}

/// Set up this folder as a Relay project
///
/// Writes relaycode.config.json, creates .relaycode/ and adds it to .gitignore. `relay prompt` then prints the
/// instructions for your model. An existing config is left as it is.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// Write without asking
    #[arg(long, short)]
    pub yes: bool,
}

/// Print the instructions that teach a model the reply format
///
/// Paste them into your chat's custom instructions, or before your first message. With --system, print the system
/// prompt of Relay's own agent instead: every part with its source and size, and which files were not used.
#[derive(Debug, Args)]
pub struct PromptArgs {
    /// The dialect to teach
    #[arg(long, value_name = "DIALECT", default_value = "fenced", value_parser = dialects())]
    pub dialect: relay_edit::Dialect,

    /// Put them on the clipboard instead of printing them
    #[arg(long)]
    pub copy: bool,

    /// Print the system prompt of the agent, part by part
    #[arg(long)]
    pub system: bool,

    /// Print one JSON document on standard output
    #[arg(long, requires = "system", conflicts_with = "copy")]
    pub json: bool,

    /// Use this text instead of Relay's own
    #[arg(long, value_name = "TEXT", requires = "system")]
    pub system_prompt: Option<String>,

    /// Add this text after Relay's own
    #[arg(long, value_name = "TEXT", requires = "system")]
    pub append_system_prompt: Option<String>,

    /// Leave out rules
    #[arg(long, requires = "system")]
    pub no_rules: bool,
}

/// Show project, last landing, unfinished work, checks, models
///
/// It only reads: it changes nothing, connects to nothing and starts nothing. `relay doctor` looks for problems.
#[derive(Debug, Args)]
pub struct ProjectStatusArgs {
    /// Print one JSON document on standard output
    #[arg(long)]
    pub json: bool,
}
