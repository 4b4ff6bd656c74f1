//! Waits for a cancel flag while a request waits for something else.

use std::time::Duration;

use relay_diagnostics::Cancel;

/// How often a waiting request checks the flag. Well below the 100 ms within which a socket must be closed, and far
/// too rare to cost anything.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Returns once the caller cancels.
pub async fn cancelled(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
