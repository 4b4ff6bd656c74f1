//! Everything that can go wrong while changing or reading the ledger, each with the path it is about.

use std::io;

use uuid::Uuid;

use crate::layout;
use crate::protocol::Rescued;

/// Why a transaction was refused, or could not be read.
///
/// Unless a variant says otherwise, the workspace is as it was before the call.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TxnError {
    /// The file is no longer what the change was planned against.
    #[error("{path} was changed by another program since the change was planned")]
    Changed {
        /// The file, relative to the workspace.
        path: String,
    },
    /// A file that was to be created is already there.
    #[error("{path} already exists")]
    Exists {
        /// The file, relative to the workspace.
        path: String,
    },
    /// The path is a link, a folder or a device, which Relay does not replace.
    #[error("{path} is {kind}, not a regular file")]
    NotRegular {
        /// The path, relative to the workspace.
        path: String,
        /// What it is, with its article: `a symbolic link`.
        kind: &'static str,
    },
    /// A file was to take the place of a folder that would not be empty.
    #[error("{path} is a folder and cannot become a file, for it still holds {inside}")]
    Occupied {
        /// The folder, relative to the workspace.
        path: String,
        /// Something in it that the transaction does not remove.
        inside: String,
    },
    /// Writing would silently part the file from its other names.
    #[error("{path} has {links} hard links; changing it would part it from the others")]
    HardLinked {
        /// The file, relative to the workspace.
        path: String,
        /// How many names the file has.
        links: u64,
    },
    /// The file belongs to another user, and Relay could not give the new content to them.
    #[error("{path} belongs to another user")]
    ForeignOwner {
        /// The file, relative to the workspace.
        path: String,
        /// What the system answered.
        source: io::Error,
    },
    /// Another transaction, not decided yet, works on the path.
    #[error("{path} is in use by transaction {uuid}, which is not finished")]
    Leased {
        /// The path both need.
        path: String,
        /// The transaction that holds it.
        uuid: Uuid,
    },
    /// The very same transaction is being applied right now.
    #[error("transaction {uuid} is being applied by another process")]
    InProgress {
        /// The transaction.
        uuid: Uuid,
    },
    /// The ledger already holds this transaction.
    #[error("transaction {uuid} was already processed")]
    AlreadyProcessed {
        /// The transaction.
        uuid: Uuid,
    },
    /// The ledger's lock did not become free.
    #[error("another relay process has held the ledger for more than {waited_ms} ms")]
    Busy {
        /// How long was waited.
        waited_ms: u64,
    },
    /// The disk or the quota is full.
    #[error("no space left while writing {path}")]
    NoSpace {
        /// The path being written.
        path: String,
        /// What the system answered.
        source: io::Error,
    },
    /// The system does not allow the operation.
    #[error("not allowed to {action} {path}")]
    Denied {
        /// What was tried: `read`, `write`, …
        action: &'static str,
        /// The path, relative to the workspace.
        path: String,
        /// What the system answered.
        source: io::Error,
    },
    /// The path lies on another file system than `.relaycode/`, so nothing can be renamed there in one step.
    #[error("{path} is on another file system than the workspace")]
    OtherFileSystem {
        /// The path, relative to the workspace.
        path: String,
        /// What the system answered.
        source: io::Error,
    },
    /// Any other failure of the disk.
    #[error("could not {action} {path}")]
    Io {
        /// What was tried: `read`, `write`, …
        action: &'static str,
        /// The path, relative to the workspace.
        path: String,
        /// What the system answered.
        source: io::Error,
    },
    /// The transaction has nothing to do.
    #[error("the transaction changes no file")]
    Empty,
    /// Two changes of one transaction exclude each other.
    #[error("{path} is changed twice, or is a file and a folder at once, in one transaction")]
    Conflicting {
        /// The path, relative to the workspace.
        path: String,
    },
    /// The name may not be written by a transaction.
    #[error("{path} may not be changed by a transaction")]
    Refused {
        /// The path, relative to the workspace.
        path: String,
    },
    /// A limit of this crate was exceeded.
    #[error("{what} is too large: {size}, and at most {limit} is accepted")]
    TooLarge {
        /// What is too large: a path, or the transaction.
        what: String,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// A name inside `.relaycode/` is held by something Relay did not write.
    #[error("{name} was not written by relay for this user")]
    Foreign {
        /// The name, relative to the workspace.
        name: String,
    },
    /// A stored content is missing or damaged.
    #[error("the stored content {hash} is missing or damaged")]
    Content {
        /// The content's hash.
        hash: String,
    },
    /// A record could not be written as, or read from, YAML.
    #[error("the record {name} is not readable: {reason}")]
    Record {
        /// The file name.
        name: String,
        /// What the YAML library answered.
        reason: String,
    },
    /// The transaction landed and is recorded, but the disk did not confirm that it would survive a power cut.
    #[error("transaction {uuid} landed, but the disk did not confirm that it is durable")]
    NotDurable {
        /// The transaction.
        uuid: Uuid,
        /// Why.
        source: Box<TxnError>,
    },
    /// The transaction was refused and undone, and another program's files had to be moved for it.
    #[error("{cause}; what other programs wrote in between is kept in .relaycode/rescued")]
    Interfered {
        /// Why it was refused.
        cause: Box<TxnError>,
        /// The moved files.
        rescued: Vec<Rescued>,
    },
    /// Something failed, and so did putting the files back; the next start tries again.
    #[error("rolling back failed ({source}); `relay recover` tries again")]
    RollbackFailed {
        /// The transaction that is still pending.
        uuid: Uuid,
        /// What made the rollback necessary, if something did.
        cause: Option<Box<TxnError>>,
        /// Why the rollback failed.
        source: Box<TxnError>,
    },
}

impl TxnError {
    /// Sorts a failure of the disk into the variant that says most about it.
    pub(crate) fn io(action: &'static str, path: &str, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            // Relay makes plain files and folders there, so links, pipes and the like are another program's.
            io::ErrorKind::InvalidInput | io::ErrorKind::NotADirectory if layout::is_state(&path) => {
                Self::Foreign { name: path }
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoSpace { path, source },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::Denied { action, path, source }
            }
            io::ErrorKind::CrossesDevices => Self::OtherFileSystem { path, source },
            _ => Self::Io { action, path, source },
        }
    }
}

/// Gives an I/O result the path and the action it is about.
pub(crate) trait At<T> {
    /// Turns the error into a [`TxnError`] that names `action` and `path`.
    fn at(self, action: &'static str, path: &str) -> Result<T, TxnError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &str) -> Result<T, TxnError> {
        self.map_err(|source| TxnError::io(action, path, source))
    }
}
