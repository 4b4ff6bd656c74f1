//! A lookout: notices that something happened in folders, so that nobody has to look to know that nothing did.
//!
//! It answers one question: has anything happened in any of the covered folders since a certain moment? "No" is a
//! promise; "yes" may be wrong and only costs a look. It never says what happened. A folder is covered from before it is
//! listed, so what a survey found is what is there as long as nothing happened since the survey began.
//!
//! What cannot be noticed this way, and who has to take care of it:
//! - Writing to a file under another name, in a folder that is not covered: [`crate::Survey::still_holds`] looks at all
//!   files with several names.
//! - Writing through a memory map by a program that has not ended: so this is only for the time between two commands,
//!   never for what a command did.
//! - Changes by another machine: file systems where that is possible are never covered.
//! - Mounting: whoever asks compares the mounts.
//! - Ignore rules from outside the workspace: [`crate::Survey::still_holds`] compares them.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux::Watches;

#[cfg(not(target_os = "linux"))]
mod none;
#[cfg(not(target_os = "linux"))]
use none::Watches;

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::dir::Dir;

/// A workspace with more folders is looked at again each time: other programs want watches too.
const MAX_FOLDERS: usize = 16_384;
/// So many covered folders may be elsewhere by now before all are given up and covered anew.
const MAX_ELSEWHERE: usize = 256;

/// How much had happened at one moment. As long as it stays equal, nothing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pulse(u64);

/// Notices what happens in folders.
#[derive(Debug)]
pub struct Lookout {
    /// `None` once it cannot see any more, for good.
    watches: Mutex<Option<Watches>>,
}

impl Lookout {
    /// Starts one that covers nothing yet. Where the system has nothing of the kind, it never sees anything.
    #[must_use]
    pub fn start() -> Self {
        Self { watches: Mutex::new(Watches::start()) }
    }

    /// How much has happened so far; `None` if it cannot see. What happens after this call shows in the next one.
    pub fn pulse(&self) -> Option<Pulse> {
        let mut watches = self.lock();
        let pulse = watches.as_mut().and_then(Watches::pulse);
        if pulse.is_none() {
            *watches = None;
        }
        pulse.map(Pulse)
    }

    /// Covers a folder from now on; false where that is not possible.
    pub(crate) fn cover(&self, dir: &Dir) -> bool {
        let mut watches = self.lock();
        let Some(own) = watches.as_mut() else { return false };
        let covered = if own.len() < MAX_FOLDERS { own.cover(dir) } else { None };
        if covered.is_none() {
            // Half a view is of no use, and other programs need what it holds.
            *watches = None;
        }
        covered.unwrap_or(false)
    }

    /// Gives up folders that were moved elsewhere, once there are many: this many are in the workspace.
    pub(crate) fn tidy(&self, folders: usize) {
        let mut watches = self.lock();
        if watches.as_ref().is_some_and(|own| own.len() > 2 * folders + MAX_ELSEWHERE) {
            *watches = watches.take().and_then(Watches::renewed);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Watches>> {
        // A thread that panicked may have left it half changed: then nothing is known any more.
        self.watches.lock().unwrap_or_else(|poisoned: PoisonError<_>| {
            let mut watches = poisoned.into_inner();
            *watches = None;
            watches
        })
    }
}
