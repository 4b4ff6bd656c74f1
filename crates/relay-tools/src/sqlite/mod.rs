//! SQLite databases, read without a trace.
//!
//! [`Database::open`] opens a file so that nothing is ever written beside or into it, not even the index of a
//! write-ahead log, and refuses everything but reading at the moment a statement is prepared. A query has a time limit,
//! a memory limit and a limit on rows. `selector` reads what follows the file's name in a path, `table` draws rows.

mod clause;
mod open;
mod query;
mod selector;
mod table;

pub use open::{Beside, Database, DatabaseError, is_database};
pub use selector::{Selector, candidates};

/// Tables that are listed.
pub const TABLES: usize = 500;
/// Rows shown with a table's schema.
pub const SAMPLE_ROWS: usize = 5;
/// Rows of a query that names no limit.
pub const DEFAULT_ROWS: usize = 20;
/// The most rows of a query.
pub const MAX_ROWS: usize = 500;

#[cfg(test)]
mod tests;
