//! Every size this crate accepts, in one place.
//!
//! A limit that is exceeded refuses the whole transaction (or ignores the whole record); nothing is cut short.

use crate::error::TxnError;

/// The most files one transaction may change.
pub const MAX_CHANGES: usize = 50_000;

/// The largest file, before or after, a transaction may carry.
pub const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// All extended attributes of one file together; a file with more comes back without them.
pub(crate) const MAX_ATTRIBUTES_BYTES: usize = 16 * 1024;

/// The largest record that is read or written.
pub const MAX_RECORD_BYTES: u64 = 64 * 1024 * 1024;

/// All contents together that are kept for capturing what commands do; files beyond it cannot be captured.
pub const MAX_CAPTURE_CACHE_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// All contents together, before and after, that one capture turns into changes.
pub const MAX_CAPTURED_BYTES: u64 = 512 * 1024 * 1024;

/// The largest index that is read; a larger one is rebuilt.
pub(crate) const MAX_INDEX_BYTES: u64 = 512 * 1024 * 1024;

/// A text up to this size is kept inside the record, where a person can read it; larger ones become blobs.
pub(crate) const MAX_INLINE_BYTES: usize = 64 * 1024;

/// All texts inside one record together; what no longer fits becomes blobs.
pub(crate) const MAX_INLINE_TOTAL_BYTES: usize = 16 * 1024 * 1024;

/// How long a transaction waits for the ledger's lock, which others hold for milliseconds only.
pub(crate) const LOCK_WAIT_MS: u64 = 30_000;

/// How long a process waits for that lock before it reports that it is waiting.
pub(crate) const LOCK_PATIENCE_MS: u64 = 1_000;

/// Refuses more changes than one transaction may have.
///
/// # Errors
/// There are too many.
pub fn check_count(changes: usize) -> Result<(), TxnError> {
    if changes <= MAX_CHANGES {
        return Ok(());
    }
    let (size, limit) = (changes as u64, MAX_CHANGES as u64);
    Err(TxnError::TooLarge { what: "the transaction".to_owned(), size, limit })
}
