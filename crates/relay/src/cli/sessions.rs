//! `relay sessions`: the agent's own conversations.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::values::sessions;

/// List, read, search, name, copy, export, import and delete the agent's sessions
///
/// A session is named by its id or the beginning of it; those of this project come first. Everything is in your own data
/// folder, one file for each session.
#[derive(Debug, Args)]
pub struct SessionsArgs {
    #[command(subcommand)]
    pub command: SessionsCommand,

    /// Look in this folder, as `--session-dir` does for the agent
    #[arg(long, global = true, value_name = "DIR")]
    pub session_dir: Option<PathBuf>,
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
        #[arg(value_name = "ID", add = sessions())]
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
        #[arg(value_name = "ID", add = sessions())]
        id: String,
        /// The new name
        #[arg(value_name = "NAME", required = true)]
        name: Vec<String>,
    },
    /// Give an entry of a session a label, or remove it
    Label {
        /// The session's id, or the beginning of it
        #[arg(value_name = "ID", add = sessions())]
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
        #[arg(value_name = "ID", add = sessions())]
        id: String,
        /// Copy only the branch up to this entry
        #[arg(long, value_name = "ENTRY")]
        at: Option<String>,
    },
    /// Write a session as a web page, as Markdown or as JSON
    ///
    /// The web page is one file that needs nothing else and loads nothing from the network. It shows all branches, and so
    /// does the JSON document; Markdown has the current one.
    Export {
        /// The session's id, or the beginning of it
        #[arg(value_name = "ID", add = sessions())]
        id: String,
        /// Write to this file instead of standard output; a file that is there is replaced only if Relay exported it
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// What to write
        #[arg(long, value_name = "FORMAT", default_value = "html")]
        format: ExportFormat,
    },
    /// Copy sessions of pi, oh-my-pi, gajae-code, Claude Code and Codex into Relay's own
    ///
    /// The originals are only read. Whatever a session cannot hold, such as a program's own bookkeeping, is left out and
    /// listed. A session that was imported before is not imported again.
    #[command(group(clap::ArgGroup::new("what").required(true).args(["files", "from"])))]
    Import {
        /// The session files to import
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Import every session in the program's own folder
        #[arg(long, value_name = "PROGRAM", conflicts_with = "files")]
        from: Option<ImportFrom>,
        /// Only list the sessions in that folder
        #[arg(long, requires = "from")]
        list: bool,
        /// Print a JSON array on standard output
        #[arg(long)]
        json: bool,
    },
    /// Delete a session and its artifacts for good
    Delete {
        /// The session's id, or the beginning of it
        #[arg(value_name = "ID", add = sessions())]
        id: String,
        /// Delete without asking
        #[arg(long, short)]
        yes: bool,
    },
}

impl SessionsCommand {
    /// Whether the caller expects a JSON document, even on failure.
    pub fn wants_json(&self) -> bool {
        match self {
            Self::List { json, .. }
            | Self::Show { json, .. }
            | Self::Search { json, .. }
            | Self::Import { json, .. } => *json,
            Self::Rename { .. }
            | Self::Label { .. }
            | Self::Fork { .. }
            | Self::Export { .. }
            | Self::Delete { .. } => false,
        }
    }
}

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One web page with everything in it
    Html,
    /// Markdown
    Md,
    /// One JSON document
    Json,
}

/// A program with sessions that Relay can find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportFrom {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// pi, oh-my-pi and gajae-code
    Pi,
}
