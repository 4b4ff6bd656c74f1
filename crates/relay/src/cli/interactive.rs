//! What can be typed about the agent's terminal interface.

use clap::Args;

use super::AgentArgs;

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

    /// Go on with the newest session of this project
    #[arg(long = "continue", short = 'c', conflicts_with_all = ["resume", "no_session"])]
    pub resume_newest: bool,

    /// Go on with this session: its id, or the beginning of it; without one, choose from a list
    #[arg(long, short = 'r', value_name = "ID", num_args = 0..=1, default_missing_value = "", conflicts_with = "no_session")]
    pub resume: Option<String>,

    /// Keep no session
    #[arg(long)]
    pub no_session: bool,

    /// Take the whole screen instead of the terminal's own scrollback
    #[arg(long)]
    pub full_screen: bool,
}
