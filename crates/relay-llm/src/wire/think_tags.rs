//! `<think>…</think>` left in the text by servers that do not take it out, such as vLLM and llama.cpp without a parser
//! for the model's reasoning.
//!
//! Only at the very beginning of an answer is it the model's thinking; later on it is text about it.

const BEGIN: &str = "<think>";
const END: &str = "</think>";

/// A piece of the answer: thinking or text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Words.
    Text(String),
    /// Thoughts.
    Thinking(String),
}

/// Splits an answer as it streams.
#[derive(Debug, Default)]
pub(super) struct ThinkTags {
    state: State,
    /// What may be the beginning of a tag.
    held: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Beginning,
    Thinking,
    /// The blank lines between thoughts and text.
    Between,
    Text,
}

impl ThinkTags {
    /// The pieces of what came, without what may still become a tag.
    pub(super) fn push(&mut self, text: &str) -> Vec<Piece> {
        self.held.push_str(text);
        let mut pieces = Vec::new();
        if self.state == State::Beginning {
            let start = self.held.trim_start();
            if let Some(rest) = start.strip_prefix(BEGIN) {
                self.held = rest.to_owned();
                self.state = State::Thinking;
            } else if BEGIN.starts_with(start) {
                return pieces;
            } else {
                self.state = State::Text;
            }
        }
        if self.state == State::Thinking {
            if let Some((thoughts, rest)) = self.held.split_once(END) {
                pieces.push(Piece::Thinking(thoughts.to_owned()));
                self.held = rest.to_owned();
                self.state = State::Between;
            } else {
                let kept = held_back(&self.held);
                pieces.push(Piece::Thinking(self.held.drain(..self.held.len() - kept).collect()));
                return pieces;
            }
        }
        let text = std::mem::take(&mut self.held);
        let text = if self.state == State::Between { text.trim_start() } else { &text };
        if !text.is_empty() {
            self.state = State::Text;
            pieces.push(Piece::Text(text.to_owned()));
        }
        pieces
    }

    /// What was held back, now that nothing follows.
    pub(super) fn finish(&mut self) -> Option<Piece> {
        let held = std::mem::take(&mut self.held);
        let piece = if self.state == State::Thinking { Piece::Thinking(held) } else { Piece::Text(held) };
        Some(piece).filter(|piece| *piece != Piece::Text(String::new()))
    }
}

/// How many bytes at the end may be the beginning of the closing tag.
fn held_back(text: &str) -> usize {
    (1..END.len())
        .rev()
        .find(|&length| END.get(..length).is_some_and(|start| text.ends_with(start)))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Piece, ThinkTags};

    fn take_apart(pieces: &[&str]) -> (String, String) {
        let mut tags = ThinkTags::default();
        let mut all: Vec<Piece> = pieces.iter().flat_map(|piece| tags.push(piece)).collect();
        all.extend(tags.finish());
        let (mut text, mut thinking) = (String::new(), String::new());
        for piece in all {
            match piece {
                Piece::Text(more) => text.push_str(&more),
                Piece::Thinking(more) => thinking.push_str(&more),
            }
        }
        (thinking, text)
    }

    fn check(answer: &str, thinking: &str, text: &str) {
        let expected = (thinking.to_owned(), text.to_owned());
        assert_eq!(take_apart(&[answer]), expected);
        for cut in (0..=answer.len()).filter(|&cut| answer.is_char_boundary(cut)) {
            let (left, right) = answer.split_at(cut);
            assert_eq!(take_apart(&[left, right]), expected, "cut at {cut}");
        }
    }

    #[test]
    fn thinking_at_the_beginning_is_removed() {
        check("<think>a < b</think>\n\nyes", "a < b", "yes");
        check("\n<think></think>yes", "", "yes");
        check("<think>never ends", "never ends", "");
    }

    #[test]
    fn everything_else_is_text() {
        check("use <think> for that", "", "use <think> for that");
        check("<thin", "", "<thin");
        check("a </think> b", "", "a </think> b");
    }
}
