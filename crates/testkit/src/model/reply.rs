//! What the model answers, apart from any wire format.

use serde::Deserialize;
use serde_json::Value;

/// One block of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Words for the user.
    Text(String),
    /// Reasoning that is shown, with the signature that must come back unchanged.
    Thinking {
        /// The reasoning, or its summary.
        text: String,
        /// Anthropic's `signature`, OpenAI's `encrypted_content`, Google's `thoughtSignature`.
        signature: Option<String>,
    },
    /// Reasoning that is kept secret but must come back.
    Redacted(String),
    /// A tool call. The arguments are text, so that a test can send what is not JSON.
    Tool {
        /// The provider's id of the call.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments as JSON text.
        arguments: String,
    },
    /// A picture: media type and base64.
    Image {
        /// Such as `image/png`.
        media_type: String,
        /// The bytes in base64.
        data: String,
    },
    /// A block no client knows yet, sent as it is in formats that have blocks.
    Unknown(Value),
    /// The model declines.
    Refusal(String),
}

/// Why the model stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It was done, or calls a tool: whichever its parts say.
    #[default]
    Natural,
    /// The limit on output was reached.
    Length,
    /// A filter or the model itself ended it.
    Refusal,
    /// Anthropic's `pause_turn`; elsewhere the same as [`Stop::Natural`].
    Pause,
    /// A reason no client knows yet.
    Unknown,
}

/// The tokens an answer claims to have used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    /// Tokens of the prompt that came from no cache.
    pub input: u64,
    /// Tokens of the answer, reasoning included.
    pub output: u64,
    /// Tokens of the prompt read from the provider's cache.
    pub cache_read: u64,
    /// Tokens of the prompt written to it.
    pub cache_write: u64,
    /// Those of the output that were reasoning.
    pub reasoning: u64,
}

impl Default for Usage {
    fn default() -> Self {
        Self { input: 11, output: 7, cache_read: 0, cache_write: 0, reasoning: 0 }
    }
}

/// An answer: its parts in order, why it ended, and what it used.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) parts: Vec<Part>,
    pub(super) stop: Stop,
    pub(super) usage: Usage,
    pub(super) delta: usize,
    pub(super) whole_arguments: bool,
}

impl Default for Reply {
    fn default() -> Self {
        Self {
            parts: Vec::new(),
            stop: Stop::Natural,
            usage: Usage::default(),
            delta: 8,
            whole_arguments: false,
        }
    }
}

impl Reply {
    /// An answer of plain text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().part(Part::Text(text.into()))
    }

    /// An answer that begins with reasoning.
    #[must_use]
    pub fn thinking(text: &str, signature: &str) -> Self {
        let signature = Some(signature.to_owned());
        Self::default().part(Part::Thinking { text: text.to_owned(), signature })
    }

    /// Adds a part.
    #[must_use]
    pub fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    /// Adds a tool call.
    #[must_use]
    pub fn tool(self, id: &str, name: &str, arguments: &str) -> Self {
        self.part(Part::Tool { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() })
    }

    /// Sets why it ended.
    #[must_use]
    pub fn stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// Sets what it used.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// How many characters one delta carries, where the format streams text.
    #[must_use]
    pub fn delta(mut self, characters: usize) -> Self {
        self.delta = characters.max(1);
        self
    }

    /// Sends tool arguments in one piece: with Responses only in the event that ends them, as some servers do.
    #[must_use]
    pub fn whole_arguments(mut self) -> Self {
        self.whole_arguments = true;
        self
    }

    /// The arguments as they are streamed.
    pub(super) fn argument_pieces<'a>(&self, arguments: &'a str) -> Vec<&'a str> {
        if self.whole_arguments { vec![arguments] } else { self.pieces(arguments) }
    }

    /// The text as it is streamed; at least one piece.
    pub(super) fn pieces<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let mut pieces = Vec::with_capacity(text.len() / self.delta + 1);
        let mut rest = text;
        while let Some((at, _)) = rest.char_indices().nth(self.delta) {
            let (piece, more) = rest.split_at(at);
            pieces.push(piece);
            rest = more;
        }
        pieces.push(rest);
        pieces
    }

    pub(super) fn calls_tools(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Tool { .. }))
    }

    pub(super) fn refuses(&self) -> bool {
        self.stop == Stop::Refusal || self.parts.iter().any(|part| matches!(part, Part::Refusal(_)))
    }

    /// All text for the user, where a format has a single string for it.
    pub(super) fn all_text(&self) -> String {
        let text = |part: &Part| match part {
            Part::Text(text) => Some(text.clone()),
            _ => None,
        };
        self.parts.iter().filter_map(text).collect()
    }

    /// All reasoning that is shown, where a format has a single string for it.
    pub(super) fn all_thinking(&self) -> String {
        let text = |part: &Part| match part {
            Part::Thinking { text, .. } => Some(text.clone()),
            _ => None,
        };
        self.parts.iter().filter_map(text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Reply;

    #[test]
    fn pieces_are_whole_characters_and_lose_nothing() {
        let reply = Reply::default().delta(2);
        assert_eq!(reply.pieces("aäbcd"), ["aä", "bc", "d"]);
        assert_eq!(reply.pieces("ab"), ["ab"]);
        assert_eq!(reply.pieces(""), [""]);
    }
}
