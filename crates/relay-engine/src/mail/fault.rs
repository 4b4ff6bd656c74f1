//! Places where a test makes a run die, one after another. They exist only in tests.

use super::error::MailError;

#[cfg(test)]
thread_local! {
    /// How many places are passed before the run dies.
    pub(super) static LEFT: std::cell::Cell<Option<usize>> = const { std::cell::Cell::new(None) };
}

/// A place to die at.
#[cfg(test)]
pub(super) fn point() -> Result<(), MailError> {
    LEFT.with(|left| match left.get() {
        Some(0) => Err(MailError::Interrupted),
        Some(more) => {
            left.set(Some(more - 1));
            Ok(())
        }
        None => Ok(()),
    })
}

/// A place to die at.
#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "a test makes it fail")]
pub(super) const fn point() -> Result<(), MailError> {
    Ok(())
}
