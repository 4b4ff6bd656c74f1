//! `relay sessions`: the agent's own conversations.

use clap::{Args, Subcommand};

/// List, read, search, name, copy and delete the agent's sessions
///
/// A session is named by its id or the beginning of it; those of this project come first. Everything is in your own data
/// folder, one file for each session.
#[derive(Debug, Args)]
pub struct SessionsArgs {
    #[command(subcommand)]
    pub command: SessionsCommand,
}

/// What can be done with sessions.
#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// List this project's sessions, the newest first
    List {
        /// List the sessions of all projects
        #[arg(long)]
        all: bool,
        /// Print a JSON array on standard output
        #[arg(long)]
        json: bool,
    },
    /// Print a session's conversation
    Show {
        /// The session's id, or the beginning of it
        #[arg(value_name = "ID")]
        id: String,
        /// Show all branches, with the ids of entries, instead of the current conversation
        #[arg(long)]
        tree: bool,
        /// Print one JSON document on standard output
        #[arg(long)]
        json: bool,
    },
    /// Find the entries of all sessions that have all these words
    Search {
        /// The words, in any order and any case
        #[arg(value_name = "TEXT", required = true)]
        text: Vec<String>,
        /// The largest number of entries to show
        #[arg(long, value_name = "NUMBER", default_value_t = 50)]
        limit: usize,
        /// Print a JSON array on standard output
        #[arg(long)]
        json: bool,
    },
    /// Give a session a name
    Rename {
        /// The session's id, or the beginning of it
        #[arg(value_name = "ID")]
        id: String,
        /// The new name
        #[arg(value_name = "NAME", required = true)]
        name: Vec<String>,
    },
    /// Give an entry of a session a label, or remove it
    Label {
        /// The session's id, or the beginning of it
        #[arg(value_name = "ID")]
        id: String,
        /// The entry's id, or the beginning of it; `relay sessions show ID --tree` shows them
        #[arg(value_name = "ENTRY")]
        entry: String,
        /// The label; without it the label is removed
        #[arg(value_name = "LABEL")]
        label: Option<String>,
    },
    /// Copy a session, with its artifacts, into this project
    Fork {
        /// The session's id, or the beginning of it
        #[arg(value_name = "ID")]
        id: String,
        /// Copy only the branch up to this entry
        #[arg(long, value_name = "ENTRY")]
        at: Option<String>,
    },
    /// Delete a session and its artifacts for good
    Delete {
        /// The session's id, or the beginning of it
        #[arg(value_name = "ID")]
        id: String,
        /// Delete without asking
        #[arg(long, short)]
        yes: bool,
    },
}

impl SessionsCommand {
    /// Whether the caller wants a JSON document, also when the command fails.
    pub fn wants_json(&self) -> bool {
        match self {
            Self::List { json, .. } | Self::Show { json, .. } | Self::Search { json, .. } => *json,
            Self::Rename { .. } | Self::Label { .. } | Self::Fork { .. } | Self::Delete { .. } => false,
        }
    }
}
