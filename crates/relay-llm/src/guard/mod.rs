//! Watches an answer for the ways models are known to go wrong while they write.

mod leak;
mod repetition;

use relay_edit::leak::Form;

use crate::event::Notice;
use crate::request::Request;

/// The watchers of one answer.
#[derive(Clone, Debug)]
pub(crate) struct Guards {
    leak: leak::Watch,
    repetition: repetition::Watch,
}

impl Guards {
    pub(crate) fn new(request: &Request) -> Self {
        Self { leak: leak::Watch::new(request), repetition: repetition::Watch::default() }
    }

    /// Looks at the current text of a block. Only what is new is searched.
    pub(crate) fn look(&mut self, index: usize, whole: &str, is_prose: bool) -> Option<Notice> {
        let form = if is_prose { Form::Prose } else { Form::Json };
        if let Some(offset) = self.leak.look(index, whole, form) {
            return Some(Notice::HarmonyLeak { index, offset });
        }
        // Data in a tool call may repeat for good reason.
        (is_prose && self.repetition.look(index, whole)).then_some(Notice::Repetition { index })
    }
}
