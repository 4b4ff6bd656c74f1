//! A simulated disk, and the search for a moment at which a crash or a failure breaks the protocol.
//!
//! The disk ([`SimFs`]) makes these faults:
//! - a crash before any operation, after which nothing but durable data is left, plus **any** legal subset of what was
//!   not synced: each name by itself (or each rename as a whole, where the file system promises that), each content
//!   whole, torn, zeroed or missing;
//! - an operation that fails, once or for good from there on (a full disk); a failed sync loses the data for ever;
//! - a file system that cannot exchange two names.
//!
//! Files, links and folders are created, removed, renamed, exchanged and put in each other's places; a link's target is part
//! of the link, since no system call syncs one by itself. A folder has one name at any time, also after a crash.
//!
//! Bit rot is simulated in the stage and among the contents (`damage`); not simulated is a disk that lies about a successful sync.

mod command;
mod crash;
mod damage;
mod disk;
mod explore;
mod flaws;
mod forget;
mod meddle;
mod model;
mod nested;
mod others;
mod rivals;
mod scenario;
mod steps;
mod volume;

use disk::{Fault, SimFs};
use volume::Promise;

/// A small generator of reproducible randomness (splitmix64): the seed is all a failure needs to be seen again.
#[derive(Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    /// The same seed gives the same throws.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which is not zero.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    /// Heads or tails.
    pub(crate) fn coin(&mut self) -> bool {
        self.next() & 1 == 1
    }
}
