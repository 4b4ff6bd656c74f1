//! Leaked routing, looked for while an answer comes. What a leak is, [`relay_edit::leak`] knows.
//!
//! When the conversation itself has the marker, the model was shown it, and nothing it says about it is a leak.

use relay_edit::leak::{self, BESIDE_BYTES, Form, MARKER, QUOTES};

use crate::message::{Block, Message};
use crate::request::Request;

/// Watches one answer.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    is_quoted_before: bool,
    /// One for each block.
    blocks: Vec<Looked>,
}

/// How far a block was looked at.
#[derive(Clone, Debug)]
struct Looked {
    /// How much of it was searched.
    seen: usize,
    /// How many more leaks in it may turn out to be quoted.
    quotes_left: u8,
}

impl Default for Looked {
    fn default() -> Self {
        Self { seen: 0, quotes_left: QUOTES }
    }
}

impl Watch {
    pub(super) fn new(request: &Request) -> Self {
        let is_quoted_before = leak::may_be_in(&request.system) || request.messages.iter().any(quotes);
        Self { is_quoted_before, blocks: Vec::new() }
    }

    /// Where in the block a leak begins. Each block is reported once.
    pub(super) fn look(&mut self, index: usize, whole: &str, form: Form) -> Option<usize> {
        if self.is_quoted_before {
            return None;
        }
        if self.blocks.len() <= index {
            self.blocks.resize_with(index + 1, Looked::default);
        }
        let looked = self.blocks.get_mut(index)?;
        if looked.quotes_left == 0 {
            return None;
        }
        // The marker may have been cut, and signs after it may come later: a little is searched again.
        let from = whole.floor_char_boundary(looked.seen.saturating_sub(MARKER.len() + 2 * BESIDE_BYTES));
        looked.seen = whole.len();
        let leak = leak::find_from(whole, from, form, false, &mut looked.quotes_left);
        if leak.is_some() {
            looked.quotes_left = 0;
        }
        leak
    }
}

fn quotes(message: &Message) -> bool {
    let in_blocks = |blocks: &[Block]| {
        blocks.iter().any(|block| matches!(block, Block::Text { text, .. } if leak::may_be_in(text)))
    };
    in_blocks(&message.content)
        || message
            .content
            .iter()
            .any(|block| matches!(block, Block::ToolResult(result) if in_blocks(&result.content)))
}

#[cfg(test)]
mod tests {
    use super::{Form, Watch};
    use crate::message::Message;
    use crate::request::Request;

    #[test]
    fn a_conversation_about_it_raises_nothing() {
        let about =
            Request { messages: vec![Message::text("what is to=functions.x?")], ..Request::default() };
        assert_eq!(Watch::new(&about).look(0, "analysis to=functions.x code", Form::Prose), None);
        let other = Request::default();
        assert_eq!(Watch::new(&other).look(0, "analysis to=functions.x code", Form::Prose), Some(0));
    }

    #[test]
    fn blocks_that_take_turns_are_looked_at_each_for_itself() {
        let mut watch = Watch::new(&Request::default());
        let mut look = |index, text| watch.look(index, text, Form::Prose);
        assert_eq!(look(0, "analysis to=func"), None);
        assert_eq!(look(1, "user to=functions.edit"), Some(0));
        assert_eq!(look(0, "analysis to=functions.edit"), Some(0));
        assert_eq!(look(1, "user to=functions.edit user to=functions.edit"), None, "told already");
    }

    /// What is found when the text comes character by character.
    fn found(text: &str) -> Vec<usize> {
        let mut watch = Watch::new(&Request::default());
        let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
        ends.filter_map(|end| watch.look(0, &text[..end], Form::Prose)).collect()
    }

    #[test]
    fn a_leak_that_comes_in_pieces_is_found_once() {
        assert_eq!(found("fn main() {}\n】【analysis to=functions.edit code"), ["fn main() {}\n".len()]);
    }

    #[test]
    fn quotations_are_recognised_however_they_arrive() {
        let text = "It says \"analysis to=functions.edit code\" there, or `user to=functions.x`.\n";
        assert_eq!(found(text), Vec::<usize>::new());
    }
}
