//! Whether the system may back this process's memory with large pages.
//!
//! They make a thousand files land faster. An agent waits for most of its life, with several threads that need little: each
//! would take a large page of its own, which is ten megabytes in all. Children inherit the choice, so they are started
//! with the usual one.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether this process goes without large pages.
static IS_SMALL: AtomicBool = AtomicBool::new(false);

/// Goes without large pages from now on.
pub fn use_small() {
    allow(false);
    IS_SMALL.store(true, Ordering::SeqCst);
}

/// Starts a child with the usual choice. Callers hold a lock, so that no two of them undo each other's.
pub(crate) fn as_usual<T>(start: impl FnOnce() -> T) -> T {
    let is_small = IS_SMALL.load(Ordering::SeqCst);
    if is_small {
        allow(true);
    }
    let started = start();
    if is_small {
        allow(false);
    }
    started
}

#[cfg(target_os = "linux")]
fn allow(large: bool) {
    // A system without the choice has its own way with pages.
    rustix::thread::disable_transparent_huge_pages(!large).ok();
}

#[cfg(not(target_os = "linux"))]
fn allow(_: bool) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn children_are_started_with_the_usual_choice() {
        let is_disabled = || rustix::thread::transparent_huge_pages_are_disabled().unwrap();
        use_small();
        assert!(is_disabled());
        assert!(!as_usual(is_disabled));
        assert!(is_disabled());
    }
}
