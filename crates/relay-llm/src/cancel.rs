//! A flag that asks a request to end, wherever it is waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often a waiting request looks at the flag. Well below the 100 ms within which a socket must be closed, and far
/// too rare to cost anything.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Asks for an end, once and for good. Clones share one flag.
///
/// It is a plain flag and not a channel, so that a signal handler may set it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The flag that somebody else sets, such as the one of a signal handler.
    #[must_use]
    pub fn from_flag(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }

    /// Asks for an end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether an end was asked for.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Returns once an end was asked for.
    pub(crate) async fn wait(&self) {
        while !self.is_cancelled() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}
