//! A flag that asks whatever is running to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks for an end, once and for good. Clones share one flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    outer: Option<Arc<Cancel>>,
}

impl Cancel {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag for a part of the work: it is set with this one, and can be set alone.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { flag: Arc::default(), outer: Some(Arc::new(self.clone())) }
    }

    /// Asks for an end.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::SeqCst);
    }

    /// Whether an end was asked for.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::SeqCst) || self.outer.as_ref().is_some_and(|outer| outer.is_cancelled())
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
}
