//! Waiting for a cancel flag beside whatever else a request waits for.

use std::time::Duration;

use relay_diagnostics::Cancel;

/// How often a waiting request looks at the flag. Well below the 100 ms within which a socket must be closed, and far
/// too rare to cost anything.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Returns once an end was asked for.
pub async fn cancelled(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
