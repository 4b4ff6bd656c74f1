//! Why user data cannot be read or written.

use std::io;
use std::path::PathBuf;

/// What is wrong with the user's data, always with the path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder for the user's data is unknown.
    #[error("no home folder for your data: set {variable} to an absolute path")]
    NoHome {
        /// The variable that should name it.
        variable: &'static str,
    },
    /// A symbolic link is where a file of Relay should be.
    #[error("`{}` is a symbolic link", .path.display())]
    Symlink {
        /// The file.
        path: PathBuf,
    },
    /// Something that must not be replaced is in the way.
    #[error("`{}` exists, and is not something Relay wrote", .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Something other than the expected file or folder is in the way.
    #[error("`{}` is not a {expected}", .path.display())]
    WrongKind {
        /// The file.
        path: PathBuf,
        /// What it should be.
        expected: &'static str,
    },
    /// It belongs to another user.
    #[error("`{}` belongs to user {owner}, not to you", .path.display())]
    ForeignOwner {
        /// The file or folder.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// Others can change it.
    #[error("`{}` can be changed by others (mode {mode:03o})", .path.display())]
    WritableByOthers {
        /// The file or folder.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// Others can read a secret.
    #[error("`{}` can be read by others (mode {mode:03o})", .path.display())]
    ReadableByOthers {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// More than Relay would ever write.
    #[error("`{}` is larger than {limit_bytes} bytes", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit_bytes: u64,
    },
    /// Relay did not write this content.
    #[error("`{}` cannot be understood: {reason}", .path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A newer version wrote it.
    #[error("`{}` was written by a newer version of Relay (format {found}, known is {known})", .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u64,
        /// The newest format known here.
        known: u64,
    },
    /// Another process holds the lock and does not release it.
    #[error("`{}` is locked by another process", .path.display())]
    Busy {
        /// The lock.
        path: PathBuf,
    },
    /// Another process has a session open.
    #[error("`{}` is in use by another relay{}", .path.display(), process(.holder.as_ref()))]
    InUse {
        /// The session.
        path: PathBuf,
        /// The process that has it open, where known.
        holder: Option<u32>,
    },
    /// Another program wrote to a session that this process has open.
    #[error("`{}` was changed by another program since it was opened", .path.display())]
    ChangedElsewhere {
        /// The session.
        path: PathBuf,
    },
    /// The name is not valid for a file.
    #[error("`{name}` is not a name for a file of user data")]
    BadName {
        /// The name.
        name: String,
    },
    /// More keys than a provider may have.
    #[error("{provider} already has {limit} keys")]
    TooManyKeys {
        /// The provider.
        provider: String,
        /// The limit.
        limit: usize,
    },
    /// The system refused.
    #[error("`{}`: {source}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn process(holder: Option<&u32>) -> String {
    holder.map(|holder| format!(" (process {holder})")).unwrap_or_default()
}

impl StoreError {
    pub(crate) fn io(path: impl Into<PathBuf>, source: impl Into<io::Error>) -> Self {
        Self::Io { path: path.into(), source: source.into() }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoHome { variable } => {
                format!(
                    "Set {variable}, or XDG_DATA_HOME and the other XDG variables, to a folder that you own."
                )
            }
            Self::Exists { .. } => "Choose another name, or move the file away first.".to_owned(),
            Self::Symlink { path } | Self::WrongKind { path, .. } => {
                format!("Inspect the file and move it away: {}", path.display())
            }
            Self::ForeignOwner { .. } => {
                "Run Relay as the owner of these files, or set XDG_DATA_HOME to a folder that you own."
                    .to_owned()
            }
            Self::WritableByOthers { path, .. } => {
                format!("If you trust its content, run: chmod go-w '{}'", path.display())
            }
            Self::ReadableByOthers { path, .. } => {
                format!("If no one else has read it, run: chmod 600 '{}'", path.display())
            }
            Self::TooLarge { path, .. } | Self::Corrupt { path, .. } => {
                format!("Move it away and Relay starts a new one: {}", path.display())
            }
            Self::Newer { .. } => "Update Relay.".to_owned(),
            Self::Busy { .. } => "Wait for the other `relay` to finish, or end it, and try again.".to_owned(),
            Self::InUse { .. } => {
                "Continue there, quit it, or work on a copy: relay sessions fork ID".to_owned()
            }
            Self::ChangedElsewhere { .. } => {
                "Nothing was written. Open the session again to continue from its current content.".to_owned()
            }
            Self::Io { .. } => "Check that you may write there and that the disk is not full.".to_owned(),
            Self::TooManyKeys { provider, .. } => {
                format!("Remove some of them: relay auth logout {provider} --label LABEL")
            }
            Self::BadName { .. } => return None,
        })
    }
}
