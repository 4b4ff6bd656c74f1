//! Opens a database for reading alone.

use std::path::Path;
use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

/// How long a database that another program is writing to is waited for.
const BUSY: Duration = Duration::from_millis(3_000);
/// How long a query may take.
const TIME: Duration = Duration::from_secs(10);
/// The longest text or blob that a query may make.
const VALUE_BYTES: i32 = 16 << 20;
/// How much memory SQLite may use in this process.
const HEAP_BYTES: i64 = 256 << 20;
/// How many steps of a query pass before the time and the cancel are looked at.
const STEPS: i32 = 10_000;

/// What every database begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Where the header says that the database has a write-ahead log.
const WRITE_VERSION: usize = 18;

/// Pragmas that only describe tables.
const DESCRIBING: [&str; 5] = ["table_info", "table_xinfo", "index_list", "index_info", "foreign_key_list"];
/// Functions that reach beyond the database.
const REACHING: [&str; 4] = ["load_extension", "writefile", "readfile", "edit"];

/// Why a database cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// What follows the file's name cannot be understood.
    #[error("{0}")]
    Selector(String),
    /// The database says no.
    #[error("{0}")]
    Query(String),
    /// The query took too long.
    #[error("the query took more than {} seconds; narrow it", TIME.as_secs())]
    TimedOut,
    /// The call was asked to end.
    #[error("the query was interrupted")]
    Cancelled,
}

/// Whether a file begins as a database does.
#[must_use]
pub fn is_database(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// What is beside a database, as its folder says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// The size of `-wal`; none if it is not there.
    pub log: Option<u64>,
    /// Whether `-shm` is there.
    pub index: bool,
}

/// A database that is open for reading.
#[derive(Debug)]
pub struct Database {
    pub(super) connection: Connection,
    pub(super) cancel: Cancel,
    /// What a reader should know about how it was opened.
    pub note: Option<String>,
}

impl Database {
    /// Opens the file at an absolute path without symbolic links. `head` is how the file begins.
    ///
    /// Three cases keep SQLite from creating anything: without a write-ahead log `mode=ro` writes nothing and honours the
    /// locks of writers; with a log whose index is there, both are only read; otherwise the file alone is read as it is.
    ///
    /// # Errors
    /// It is not a database, is locked, or cannot be opened.
    pub fn open(path: &Path, head: &[u8], beside: Beside, cancel: &Cancel) -> Result<Self, DatabaseError> {
        let is_logged = head.get(WRITE_VERSION) == Some(&2);
        let has_log = beside.log.is_some_and(|bytes| bytes > 0);
        let (mode, note) = match (is_logged, has_log, beside.index) {
            (false, _, _) => ("mode=ro", None),
            (true, true, true) => ("mode=ro&readonly_shm=1", None),
            (true, true, false) => (
                "mode=ro&immutable=1",
                Some("changes that are only in the database's -wal file are not shown".to_owned()),
            ),
            (true, false, _) => ("mode=ro&immutable=1", None),
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let uri = format!("file:{}?{mode}", encoded(path));
        let mut connection = Connection::open_with_flags(uri, flags).map_err(failed)?;
        guard(&mut connection, cancel).map_err(failed)?;
        Ok(Self { connection, cancel: cancel.clone(), note })
    }
}

/// Limits, and then the authorizer, after which nothing but reading can be prepared.
fn guard(connection: &mut Connection, cancel: &Cancel) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.execute_batch(&format!(
        "PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON;
         PRAGMA hard_heap_limit = {HEAP_BYTES};"
    ))?;
    let (cancel, began) = (cancel.clone(), Instant::now());
    connection.progress_handler(STEPS, Some(move || cancel.is_cancelled() || began.elapsed() > TIME))?;
    connection.authorizer(Some(|context: AuthContext<'_>| authorise(&context.action)))
}

fn authorise(action: &AuthAction<'_>) -> Authorization {
    let is_one_of = |names: &[&str], name: &str| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let is_read = match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => !is_one_of(&REACHING, function_name),
        AuthAction::Pragma { pragma_name, .. } => is_one_of(&DESCRIBING, pragma_name),
        _ => false,
    };
    if is_read { Authorization::Allow } else { Authorization::Deny }
}

/// The path as a URI has it.
fn encoded(path: &Path) -> String {
    let mut text = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                text.push(char::from(*byte));
            }
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// What SQLite said, without what only its own developers need.
pub(super) fn failed(error: rusqlite::Error) -> DatabaseError {
    let message = match &error {
        rusqlite::Error::SqliteFailure(code, text) => match code.code {
            rusqlite::ErrorCode::AuthorizationForStatementDenied => {
                "the database is open for reading only; use SELECT".to_owned()
            }
            rusqlite::ErrorCode::NotADatabase => "the file is not a database, or is encrypted".to_owned(),
            rusqlite::ErrorCode::DatabaseCorrupt => "the database is damaged".to_owned(),
            rusqlite::ErrorCode::DatabaseBusy => {
                "the database is locked by another program; try again".to_owned()
            }
            rusqlite::ErrorCode::ReadOnly => "the database is open for reading only; use SELECT".to_owned(),
            rusqlite::ErrorCode::OutOfMemory => "the query needs too much memory; narrow it".to_owned(),
            _ => text.clone().unwrap_or_else(|| code.to_string()),
        },
        rusqlite::Error::SqlInputError { msg, error, .. }
            if error.code == rusqlite::ErrorCode::AuthorizationForStatementDenied =>
        {
            format!("the database is open for reading only; use SELECT ({msg})")
        }
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        error => error.to_string(),
    };
    DatabaseError::Query(message)
}

impl Database {
    /// The same, where a query that was ended by its limits is distinguished.
    pub(super) fn failed(&self, error: rusqlite::Error) -> DatabaseError {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::OperationInterrupted) if self.cancel.is_cancelled() => {
                DatabaseError::Cancelled
            }
            Some(rusqlite::ErrorCode::OperationInterrupted) => DatabaseError::TimedOut,
            _ => failed(error),
        }
    }
}
