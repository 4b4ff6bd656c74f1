//! Why a session cannot be opened, found or written.

use std::path::PathBuf;

use relay_store::StoreError;

use super::document::ParseError;

/// What went wrong with a session.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file is not a session. It was left as it is.
    #[error("`{}` is not a session that can be opened: {source}", .path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ParseError,
    },
    /// No session has that id.
    #[error("Session \"{query}\" not found.")]
    NotFound {
        /// What was looked for.
        query: String,
    },
    /// Several sessions have ids that begin like that.
    #[error("Session \"{query}\" is ambiguous: {}", listed(.candidates))]
    Ambiguous {
        /// What was looked for.
        query: String,
        /// The sessions it may mean.
        candidates: Vec<Candidate>,
    },
    /// The session belongs to another project.
    #[error("Session \"{id}\" is in another project ({})", .cwd.display())]
    OtherProject {
        /// The session's id.
        id: String,
        /// The other project.
        cwd: PathBuf,
        /// Its file, to fork it into this project.
        path: PathBuf,
    },
    /// No entry has that id.
    #[error("there is no entry `{id}` in this session")]
    NoEntry {
        /// The id.
        id: String,
    },
    /// The session is not kept on the disk.
    #[error("this session is not kept on the disk, so it cannot be {what}")]
    InMemory {
        /// What was asked for: `forked`, `exported`.
        what: &'static str,
    },
    /// An entry cannot be changed.
    #[error("entry `{id}` cannot be rewritten: {reason}")]
    Unwritable {
        /// The entry.
        id: String,
        /// Why.
        reason: String,
    },
}

/// A session that an id may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its id.
    pub id: String,
    /// Its file.
    pub path: PathBuf,
}

fn listed(candidates: &[Candidate]) -> String {
    const SHOWN: usize = 10;
    let ids: Vec<&str> = candidates.iter().take(SHOWN).map(|candidate| candidate.id.as_str()).collect();
    let more = candidates.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("it may mean {}{rest}", ids.join(", "))
}

impl SessionError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Store(error) => return error.hint(),
            Self::Invalid { source: ParseError::Newer { .. }, .. } => "Update Relay.".to_owned(),
            Self::Invalid { .. } => {
                "The file was left as it is. Restore it from a backup, or move it away.".to_owned()
            }
            Self::NotFound { .. } => "`relay sessions list --all` lists them.".to_owned(),
            Self::Ambiguous { .. } => "Give more of the id.".to_owned(),
            Self::OtherProject { id, .. } => {
                format!("Work there, or fork it into this project: relay sessions fork {id}")
            }
            Self::NoEntry { .. } => "`relay sessions show ID --tree` lists the entries.".to_owned(),
            Self::InMemory { .. } => "Leave out --no-session to keep sessions.".to_owned(),
            Self::Unwritable { .. } => return None,
        })
    }
}
