//! The Harmony leak: a model writes the plain-text shadow of its own routing (`analysis to=functions.edit code …`) into
//! its answer, and what follows is junk.
//!
//! The marker alone proves nothing; a text may speak about it. A leak is the marker together with one more sign right
//! beside it: a channel word, a known glitch string, `】【`, or a run of letters that are not Latin. Quoting is not
//! leaking: what stands in a Markdown code span or fence is passed over, and so is everything when the conversation
//! itself has the marker, because then the model was shown it.

use crate::message::{Block, Message};
use crate::request::Request;

const MARKER: &str = "to=functions.";

/// Words that name a channel or a speaker in the routing.
const CHANNELS: [&str; 4] = ["analysis", "assistant", "commentary", "user"];

/// Strings whose appearance before the marker is a sign in itself.
const GLITCHES: [&str; 4] = ["Japgolly", "Jsii", "changedFiles", "RTLU"];

/// How far around the marker signs are looked for.
const BESIDE_BYTES: usize = 48;

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
    /// How many more leaks in it may turn out to be quoted. A text that quotes so many is about nothing else.
    quotes_left: u8,
}

impl Default for Looked {
    fn default() -> Self {
        Self { seen: 0, quotes_left: 32 }
    }
}

impl Watch {
    pub(super) fn new(request: &Request) -> Self {
        let is_quoted_before = request.system.contains(MARKER) || request.messages.iter().any(quotes);
        Self { is_quoted_before, blocks: Vec::new() }
    }

    /// Where in the block a leak begins. Each block is told about once.
    pub(super) fn look(&mut self, index: usize, whole: &str) -> Option<usize> {
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
        let from = floor(whole, looked.seen.saturating_sub(MARKER.len() + 2 * BESIDE_BYTES));
        looked.seen = whole.len();
        let leak = find(whole, from, &mut looked.quotes_left);
        if leak.is_some() {
            looked.quotes_left = 0;
        }
        leak
    }
}

fn quotes(message: &Message) -> bool {
    let in_blocks = |blocks: &[Block]| {
        blocks.iter().any(|block| matches!(block, Block::Text { text, .. } if text.contains(MARKER)))
    };
    in_blocks(&message.content)
        || message
            .content
            .iter()
            .any(|block| matches!(block, Block::ToolResult(result) if in_blocks(&result.content)))
}

/// Where the first leak begins whose marker stands at `from` or later. Leaks that are quoted are counted off.
fn find(text: &str, from: usize, quotes_left: &mut u8) -> Option<usize> {
    let searched = text.get(from..)?;
    for (at, _) in searched.match_indices(MARKER) {
        let Some(leak) = leak_at(text, from + at) else { continue };
        if !is_code_in_prose(text.get(..from + at)?) {
            return Some(leak);
        }
        *quotes_left = quotes_left.saturating_sub(1);
        if *quotes_left == 0 {
            return None;
        }
    }
    None
}

fn leak_at(text: &str, marker: usize) -> Option<usize> {
    let (before, rest) = (text.get(..marker)?, text.get(marker + MARKER.len()..)?);
    let name = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    if name == 0 {
        return None;
    }
    let near = before.get(floor(before, before.len().saturating_sub(BESIDE_BYTES))..)?;
    let after = rest.get(name..)?;
    let after = after.get(..floor(after, BESIDE_BYTES.min(after.len())))?;
    let word = near.trim_end().rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let channel = CHANNELS.iter().find(|channel| word.ends_with(*channel));
    let is_leak = channel.is_some()
        || GLITCHES.iter().any(|glitch| near.contains(glitch))
        || near.contains("】【")
        || after.contains("】【")
        || has_foreign_run(near)
        || has_foreign_run(after);
    // The channel word belongs to the leak, and junk that touches it does too.
    let word_start = before.trim_end().len() - channel.map_or(0, |channel| channel.len());
    is_leak.then(|| junk_start(text, if channel.is_some() { word_start } else { marker }))
}

/// Where junk begins that ends at `end`: everything up to the last character that belongs to ordinary text.
fn junk_start(text: &str, end: usize) -> usize {
    let before = text.get(..end).unwrap_or_default();
    let is_junk = |c: char| matches!(c, '】' | '【' | '"' | ' ') || is_foreign(c);
    let kept = before.trim_end_matches(is_junk).len();
    // Blanks and quotes alone are no junk.
    let junk = before.get(kept..).unwrap_or_default();
    if junk.chars().any(|c| matches!(c, '】' | '【') || is_foreign(c)) { kept } else { end }
}

/// Whether what follows stands in a code span of its line, or in an open fence. In JSON a line end is written `\n`.
fn is_code_in_prose(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or(before);
    let line = line.rsplit("\\n").next().unwrap_or(line);
    if line.matches('`').count() % 2 == 1 {
        return true;
    }
    let fences = before.matches("\n```").count() + before.matches("\\n```").count();
    let first = usize::from(before.trim_start_matches('"').starts_with("```"));
    (fences + first) % 2 == 1
}

/// Whether three letters in a row are of a script that is not Latin or Greek.
fn has_foreign_run(text: &str) -> bool {
    let mut run = 0;
    for c in text.chars() {
        run = if is_foreign(c) { run + 1 } else { 0 };
        if run >= 3 {
            return true;
        }
    }
    // JSON may write them as escapes.
    text.match_indices("\\u").filter(|(at, _)| is_foreign_escape(text, *at)).count() >= 3
}

fn is_foreign_escape(text: &str, at: usize) -> bool {
    let digits = text.get(at + 2..at + 6);
    let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    code.and_then(char::from_u32).is_some_and(is_foreign)
}

/// Letters and marks beyond Latin and Greek, without punctuation, arrows and box drawing.
fn is_foreign(c: char) -> bool {
    let code = u32::from(c);
    (0x0400..0x1e00).contains(&code) || (0x2e80..0xe000).contains(&code) && !matches!(c, '】' | '【')
}

/// The nearest character boundary at or below.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

#[cfg(test)]
mod tests {
    use super::{Watch, find};
    use crate::message::Message;
    use crate::request::Request;

    /// What is left of the text when the leak is cut off; all of it when there is none.
    fn check(text: &str, expected: &str) {
        let kept = find(text, 0, &mut 32).map_or(text, |at| &text[..at]);
        assert_eq!(kept, expected);
    }

    #[test]
    fn leaks_are_found_with_their_junk() {
        check("install_observer);】【\"】【analysis to=functions.edit code above", "install_observer);");
        check("let x = 1;\nassistant to=functions.eval code {}", "let x = 1;\n");
        check("done Japgolly to=functions.edit code", "done Japgolly ");
        check("x大发时时彩 to=functions.edit", "x");
        check("a to=functions.edit code เงินไทยฟรี", "a ");
    }

    #[test]
    fn the_marker_alone_is_no_leak() {
        check("write to=functions.edit in the header", "write to=functions.edit in the header");
        check("commentary to=functions.<NAME>", "commentary to=functions.<NAME>");
        check("analysis of functions.edit", "analysis of functions.edit");
    }

    #[test]
    fn quoting_is_not_leaking() {
        for text in [
            "leaks the bracket-less spelling `analysis to=functions.X code`",
            "Example:\n```\n);】【analysis to=functions.edit code เงินไทย\n```\n",
            "\"Example:\\n```\\n);】【analysis to=functions.edit code\\n```\"",
        ] {
            check(text, text);
        }
        check("```\ncode\n```\nuser to=functions.edit", "```\ncode\n```\n");
    }

    #[test]
    fn a_conversation_about_it_raises_nothing() {
        let about =
            Request { messages: vec![Message::text("what is to=functions.x?")], ..Request::default() };
        assert_eq!(Watch::new(&about).look(0, "analysis to=functions.x code"), None);
        assert_eq!(Watch::new(&Request::default()).look(0, "analysis to=functions.x code"), Some(0));
    }

    #[test]
    fn blocks_that_take_turns_are_looked_at_each_for_itself() {
        let mut watch = Watch::new(&Request::default());
        assert_eq!(watch.look(0, "analysis to=func"), None);
        assert_eq!(watch.look(1, "user to=functions.edit"), Some(0));
        assert_eq!(watch.look(0, "analysis to=functions.edit"), Some(0));
        assert_eq!(watch.look(1, "user to=functions.edit user to=functions.edit"), None, "told already");
    }

    #[test]
    fn a_leak_that_comes_in_pieces_is_found_once() {
        let text = "fn main() {}\n】【analysis to=functions.edit code";
        let mut watch = Watch::new(&Request::default());
        let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
        let found: Vec<usize> = ends.filter_map(|end| watch.look(0, &text[..end])).collect();
        assert_eq!(found, ["fn main() {}\n".len()]);
    }
}
