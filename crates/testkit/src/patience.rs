//! Waiting for something that another process or thread does.

use std::time::{Duration, Instant};

/// How long a test waits before it fails. Nothing takes that long even on the busiest machine; it only stops a test that
/// would wait forever.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until a condition holds.
///
/// # Panics
/// The condition never holds.
#[track_caller]
pub fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "waited too long: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
