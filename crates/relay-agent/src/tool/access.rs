//! What a call needs: the facts that policy decides from.

use std::fmt;

/// Something a call needs access to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// The conversation and nothing else.
    Conversation,
    /// Reads a file or folder, named as the model named it.
    Reads(String),
    /// Changes a file.
    Changes(String),
    /// Runs a shell command.
    Runs {
        /// The command line.
        command: String,
        /// The folder it runs in, if the call names one.
        cwd: Option<String>,
    },
    /// Connects to something outside this machine.
    Connects {
        /// What for.
        reach: Reach,
        /// To what: an address or a host name.
        to: String,
    },
}

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Searching and reading public pages.
    Web,
    /// Anything else.
    Network,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conversation => f.write_str("change the conversation"),
            Self::Reads(path) => write!(f, "read {path}"),
            Self::Changes(path) => write!(f, "change {path}"),
            Self::Runs { command, .. } => write!(f, "run {command}"),
            Self::Connects { to, .. } => write!(f, "connect to {to}"),
        }
    }
}
