//! A flag that asks running work to stop, wherever it is waiting.
//!
//! It is a plain flag and not a channel, so that a signal handler may set it. Code that waits checks it every few
//! milliseconds.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop, which cannot be withdrawn. Clones share one flag.
#[derive(Clone, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    outer: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}

impl Cancel {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag for part of the work: it is set together with this one, and can be set alone.
    #[must_use]
    pub fn child(&self) -> Self {
        let outer = self.clone();
        Self::watching(move || outer.is_cancelled())
    }

    /// A flag that also counts as set once `outer` returns true, such as a deadline. `outer` is called every few
    /// milliseconds, so it must be quick.
    #[must_use]
    pub fn watching(outer: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { flag: Arc::default(), outer: Some(Arc::new(outer)) }
    }

    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::SeqCst);
    }

    /// Whether the work was asked to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::SeqCst) || self.outer.as_ref().is_some_and(|outer| outer())
    }

    /// The flag itself, for signal handlers.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_with_the_whole_and_not_the_other_way_round() {
        let whole = Cancel::new();
        let (one, other) = (whole.child(), whole.child());
        one.cancel();
        assert!(one.is_cancelled() && !other.is_cancelled() && !whole.is_cancelled());
        whole.clone().cancel();
        assert!(other.is_cancelled());
    }

    #[test]
    fn a_watching_flag_is_set_with_what_it_watches() {
        let watched = Cancel::new();
        let flag = watched.flag();
        let cancel = Cancel::watching(move || flag.load(Ordering::SeqCst));
        assert!(!cancel.is_cancelled());
        watched.cancel();
        assert!(cancel.is_cancelled());
        assert_eq!(format!("{cancel:?}"), "Cancel(true)");
    }
}
