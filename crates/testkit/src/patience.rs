//! Waiting for something that another process or thread does.

use std::time::{Duration, Instant};

/// How long a test waits before it fails. Nothing takes that long, not on the busiest machine: it only keeps a test that
/// waits in vain from doing so for ever.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until a condition holds.
///
/// # Panics
/// It does not come to hold.
#[track_caller]
pub fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "waited too long: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
