//! A line of a session file, as a part of the file's text.
//!
//! A session of 100 MB is read in one piece; its entries point into that piece instead of each holding a copy.

use std::sync::Arc;

/// A range of a shared text.
#[derive(Clone)]
pub(crate) struct Text {
    whole: Arc<String>,
    start: usize,
    end: usize,
}

impl Text {
    /// The part of `whole` from `start` to `end`; empty if that is not a part of it.
    pub(crate) fn part(whole: &Arc<String>, start: usize, end: usize) -> Self {
        Self { whole: Arc::clone(whole), start, end }
    }

    pub(crate) fn as_str(&self) -> &str {
        self.whole.get(self.start..self.end).unwrap_or_default()
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self { start: 0, end: text.len(), whole: Arc::new(text) }
    }
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_str().fmt(f)
    }
}
