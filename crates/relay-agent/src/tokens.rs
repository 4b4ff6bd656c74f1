//! How many tokens a conversation takes.
//!
//! A provider says after every answer how much of its context window the conversation took. That count is used wherever
//! it still describes the conversation; only what was said since is estimated. The estimate itself is
//! [`relay_engine::tokens::estimate`], which `relay pack` uses too.
//!
//! Nothing here decides anything: [`compact`](crate::compact) does.

use relay_engine::tokens::estimate;

use crate::session::content::{Block, Content};
use crate::session::{Body, Entry, Message};

/// What a picture takes, whatever its size: providers scale pictures down to about this.
const IMAGE_TOKENS: u64 = 1_200;

/// What a message takes beside its words: the marks around it.
const FRAME_TOKENS: u64 = 4;

/// About how many tokens a text has.
#[must_use]
pub fn of_text(text: &str) -> u64 {
    estimate(text) as u64
}

/// About how many tokens a message has.
#[must_use]
pub fn of_message(message: &Message) -> u64 {
    FRAME_TOKENS
        + match message {
            Message::User(message) | Message::Developer(message) => of_content(&message.content),
            Message::Assistant(message) => of_content(&message.content),
            Message::ToolResult(message) => of_content(&message.content),
            Message::Custom(message) => of_content(&message.content),
            Message::BashExecution(run) | Message::PythonExecution(run) => match run.exclude_from_context {
                Some(true) => return 0,
                _ => of_text(&run.command) + of_text(&run.code) + of_text(&run.output),
            },
            Message::BranchSummary(message) => of_text(&message.summary),
            Message::CompactionSummary(message) => of_text(&message.summary),
            Message::FileMention(message) => {
                message.files.iter().map(|file| of_text(&file.path) + of_text(&file.content)).sum()
            }
            Message::Unknown(_) => return 0,
        }
}

/// About how many tokens an entry adds to what the model sees; none for entries it does not see.
#[must_use]
pub fn of_entry(entry: &Entry) -> u64 {
    match entry.body() {
        Body::Message(message) => of_message(message),
        Body::CustomMessage(message) => FRAME_TOKENS + of_content(&message.content),
        Body::BranchSummary(branch) => FRAME_TOKENS + of_text(&branch.summary),
        Body::Compaction(compaction) => FRAME_TOKENS + of_text(&compaction.summary),
        _ => 0,
    }
}

fn of_content(content: &Content) -> u64 {
    match content {
        Content::Text(text) => of_text(text),
        Content::Blocks(blocks) => blocks.iter().map(of_block).sum(),
    }
}

fn of_block(block: &Block) -> u64 {
    match block {
        Block::Text { text, .. } => of_text(text),
        Block::Thinking { thinking, .. } => of_text(thinking),
        // About six bits of a base64 character are one of the provider's tokens' worth of text: four characters each.
        Block::RedactedThinking { data } => (data.len() / 4) as u64,
        Block::Image { .. } => IMAGE_TOKENS,
        Block::ToolCall(call) => {
            let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
            of_text(&call.name) + of_text(&arguments) + FRAME_TOKENS
        }
        Block::Unknown(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::message::{Execution, UserMessage};

    #[test]
    fn pictures_and_hidden_commands_count_as_the_model_sees_them() {
        let picture = Block::Image { data: "A".repeat(100_000), mime_type: "image/png".to_owned() };
        let message = UserMessage { content: Content::Blocks(vec![picture]), ..UserMessage::default() };
        assert_eq!(of_message(&Message::User(message)), IMAGE_TOKENS + FRAME_TOKENS);
        let hidden = Execution {
            command: "ls".to_owned(),
            output: "x".repeat(1_000),
            exclude_from_context: Some(true),
            ..Execution::default()
        };
        assert_eq!(of_message(&Message::BashExecution(hidden)), 0);
    }

    #[test]
    fn entries_that_the_model_does_not_see_take_nothing() {
        let label = Entry::parse(r#"{"type":"label","id":"a","targetId":"b","label":"x"}"#).unwrap();
        assert_eq!(of_entry(&label), 0);
        let line = r#"{"type":"custom_message","id":"a","customType":"t","content":"four words are here"}"#;
        assert!(of_entry(&Entry::parse(line).unwrap()) > FRAME_TOKENS);
    }
}
