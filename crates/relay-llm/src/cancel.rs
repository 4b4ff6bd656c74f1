//! A flag that asks a request to end, wherever it is waiting.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often a waiting request looks at the flag. Well below the 100 ms within which a socket must be closed, and far
/// too rare to cost anything.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Asks for an end, once and for good. Clones share one flag.
///
/// It is a plain flag and not a channel, so that a signal handler may set it.
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

    /// The flag that somebody else sets, such as the one of a signal handler.
    #[must_use]
    pub fn from_flag(flag: Arc<AtomicBool>) -> Self {
        Self { flag, outer: None }
    }

    /// A flag that also counts as set once `outer` says so: a flag of another kind, or a deadline. It is asked every
    /// few milliseconds, so it must be quick.
    #[must_use]
    pub fn watching(outer: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { flag: Arc::default(), outer: Some(Arc::new(outer)) }
    }

    /// Asks for an end.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::SeqCst);
    }

    /// Whether an end was asked for.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::SeqCst) || self.outer.as_ref().is_some_and(|outer| outer())
    }

    /// Returns once an end was asked for.
    pub(crate) async fn wait(&self) {
        while !self.is_cancelled() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}
