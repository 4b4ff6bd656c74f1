//! What can be typed about the agent's terminal interface.

use std::path::PathBuf;

use clap::Args;

use super::{AgentArgs, Mode, SessionFlags};

/// Work with Relay's agent in this terminal
///
/// This is what `relay` without a command opens: `relay --continue` and `relay agent --continue` are the same. Finished output
/// stays in the terminal's own scrollback; /help lists the commands, F1 the keys.
#[derive(Debug, Args)]
pub struct InteractiveArgs {
    /// What to say first
    #[arg(value_name = "PROMPT", last = true)]
    pub prompt: Vec<String>,

    #[command(flatten)]
    pub agent: AgentArgs,

    /// Continue the newest session of this project
    #[arg(long = "continue", short = 'c', conflicts_with_all = ["resume", "fork", "no_session"])]
    pub resume_newest: bool,

    /// Continue this session: its id, or the beginning of it; without one, choose from a list
    #[arg(
        long,
        short = 'r',
        visible_alias = "session",
        value_name = "ID",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with_all = ["fork", "no_session"]
    )]
    pub resume: Option<String>,

    /// Continue with a copy of this session
    #[arg(long, value_name = "ID", conflicts_with = "no_session")]
    pub fork: Option<String>,

    /// Do not save the session
    #[arg(long)]
    pub no_session: bool,

    /// Answer PROMPT without the interface, as `relay run` does
    #[arg(long, short = 'p', value_name = "PROMPT", num_args = 0..=1, default_missing_value = "")]
    pub print: Option<String>,

    /// What goes in and out instead of the interface: text, json or rpc
    #[arg(long, value_name = "MODE")]
    pub mode: Option<Mode>,

    /// Write a session as a web page to OUT, and end
    #[arg(long, value_names = ["SESSION", "OUT"], num_args = 1..=2)]
    pub export: Option<Vec<PathBuf>>,

    /// Use the whole screen instead of the terminal's own scrollback
    #[arg(long)]
    pub full_screen: bool,
}

impl InteractiveArgs {
    /// The session that a run without the interface continues.
    pub fn from(&self) -> SessionFlags {
        // Without a person to choose from a list, take the newest one.
        let chooses = self.resume.as_deref() == Some("");
        SessionFlags {
            resume_newest: self.resume_newest || chooses,
            session: self.resume.clone().filter(|id| !id.is_empty()),
            fork: self.fork.clone(),
            no_session: self.no_session,
        }
    }
}
