//! Making the conversation shorter.

use super::Agent;
use crate::event::CompactReason;
use crate::turn::Happened;

impl Agent {
    pub(super) fn shorten(&mut self, _reason: CompactReason, _focus: Option<String>) {
        self.queue(Happened::Compacted(Err("compaction is off".to_owned())));
    }
}
