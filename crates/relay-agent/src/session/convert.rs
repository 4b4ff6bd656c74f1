//! Messages of a session as messages for a model, and a model's answer as a message of a session.
//!
//! A model knows two roles. Summaries, messages of extensions, commands that the user ran and files that were named
//! become messages of the user; results of tools that follow each other become one message, as providers want them.
//! What a model must not see (a command run with `!!`) is left out here.

use relay_llm as llm;
use serde_json::json;

use super::content::{Block, Content, Malformed, ToolCall};
use super::message::{
    AssistantMessage, Cost, Execution, FileMentionMessage, Message, ToolResultMessage, Usage,
};
use super::seal;

/// What a model reads before the summary of what was compacted.
const COMPACTED: &str = "The conversation before this point was compacted into this summary:";
/// What a model reads before the summary of a branch that was left.
const LEFT: &str = "This conversation came back from a branch. This is a summary of what happened there:";

/// Messages for a model, in order.
#[must_use]
pub fn to_llm<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Vec<llm::Message> {
    let mut converted: Vec<llm::Message> = Vec::new();
    let mut follows_result = false;
    for message in messages {
        let is_result = matches!(message, Message::ToolResult(_));
        let Some(next) = one_to_llm(message) else { continue };
        match converted.last_mut() {
            Some(last) if is_result && follows_result => last.content.extend(next.content),
            _ => converted.push(next),
        }
        follows_result = is_result;
    }
    converted
}

/// A message for a model; none if the model is not to see it.
#[must_use]
pub fn one_to_llm(message: &Message) -> Option<llm::Message> {
    let text = match message {
        Message::User(message) | Message::Developer(message) => return user(&message.content),
        Message::Custom(message) => return user(&message.content),
        Message::Assistant(message) => return assistant(message),
        Message::ToolResult(message) => return Some(llm::Message::user(vec![tool_result(message)])),
        Message::FileMention(message) => return Some(llm::Message::user(mentioned(message))),
        Message::BashExecution(run) | Message::PythonExecution(run) => executed(run)?,
        Message::BranchSummary(message) => summary(LEFT, &message.summary),
        Message::CompactionSummary(message) => summary(COMPACTED, &message.summary),
        Message::Unknown(_) => return None,
    };
    Some(llm::Message::text(text))
}

fn summary(introduction: &str, summary: &str) -> String {
    format!("{introduction}\n\n<summary>\n{summary}\n</summary>")
}

fn user(content: &Content) -> Option<llm::Message> {
    let blocks = plain_blocks(content);
    (!blocks.is_empty()).then(|| llm::Message::user(blocks))
}

/// Text and pictures. Empty texts are left out: providers refuse them.
fn plain_blocks(content: &Content) -> Vec<llm::Block> {
    match content {
        Content::Text(text) if text.is_empty() => Vec::new(),
        Content::Text(text) => vec![llm::Block::text(text.as_str())],
        Content::Blocks(blocks) => blocks.iter().filter_map(plain_block).collect(),
    }
}

fn plain_block(block: &Block) -> Option<llm::Block> {
    match block {
        Block::Text { text, .. } if !text.is_empty() => Some(llm::Block::text(text.as_str())),
        Block::Image { data, mime_type } => {
            Some(llm::Block::Image(llm::Image { media_type: mime_type.clone(), data: data.clone() }))
        }
        _ => None,
    }
}

fn assistant(message: &AssistantMessage) -> Option<llm::Message> {
    let wire = seal::wire(&message.api);
    let content: Vec<llm::Block> = match &message.content {
        Content::Text(_) => plain_blocks(&message.content),
        Content::Blocks(blocks) => blocks.iter().filter_map(|block| said(block, wire)).collect(),
    };
    let origin = wire.map(|wire| llm::Origin {
        provider: message.provider.clone(),
        wire,
        model: message.model.clone(),
    });
    (!content.is_empty()).then_some(llm::Message { role: llm::Role::Assistant, content, origin })
}

/// A block that a model said.
fn said(block: &Block, wire: Option<llm::Wire>) -> Option<llm::Block> {
    let seal = |text: &Option<String>| {
        text.as_deref()
            .filter(|text| !text.is_empty())
            .zip(wire)
            .map(|(text, wire)| seal::from_text(wire, text))
    };
    Some(match block {
        Block::Text { text, text_signature } => {
            let seal = seal(text_signature);
            if text.is_empty() && seal.is_none() {
                return None;
            }
            llm::Block::Text { text: text.clone(), seal }
        }
        Block::Thinking { thinking, thinking_signature } => {
            llm::Block::Thinking { text: thinking.clone(), seal: seal(thinking_signature) }
        }
        Block::RedactedThinking { data } => llm::Block::Thinking {
            text: String::new(),
            seal: Some(llm::Seal::Redacted { data: data.clone() }),
        },
        Block::ToolCall(call) => llm::Block::ToolCall(llm::ToolCall {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: arguments(call),
            seal: seal(&call.thought_signature),
        }),
        Block::Image { .. } => plain_block(block)?,
        Block::Unknown(fields) => {
            let is_own = fields.get("type").is_some_and(|kind| kind == PROVIDER_BLOCK);
            let wire = fields.get("api").and_then(serde_json::Value::as_str).and_then(seal::wire);
            llm::Block::Unknown { wire: wire.filter(|_| is_own)?, value: fields.get("value")?.clone() }
        }
    })
}

/// The type of a block that holds what only a provider understands. Other programs ignore it.
const PROVIDER_BLOCK: &str = "providerBlock";

fn arguments(call: &ToolCall) -> llm::Arguments {
    match &call.malformed {
        Some(Malformed { text, reason }) => {
            llm::Arguments::Malformed { text: text.clone(), reason: reason.clone() }
        }
        None => llm::Arguments::Object(call.arguments.clone()),
    }
}

fn tool_result(message: &ToolResultMessage) -> llm::Block {
    llm::Block::ToolResult(llm::ToolResult {
        call_id: message.tool_call_id.clone(),
        name: message.tool_name.clone(),
        content: plain_blocks(&message.content),
        is_error: message.is_error,
    })
}

/// What the user ran and what came of it; none if the model is not to see it.
fn executed(run: &Execution) -> Option<String> {
    if run.exclude_from_context == Some(true) {
        return None;
    }
    let mut text = match run.code.is_empty() {
        true => format!("Ran `{}`\n", run.command),
        false => format!("Ran Python:\n```python\n{}\n```\nOutput:\n", run.code),
    };
    if run.output.is_empty() {
        text.push_str("(no output)");
    } else {
        text.push_str(&format!("```\n{}\n```", run.output));
    }
    match run.exit_code {
        _ if run.cancelled => text.push_str("\n\n(cancelled)"),
        Some(code) if code != 0 => text.push_str(&format!("\n\nIt ended with code {code}.")),
        _ => {}
    }
    Some(text)
}

/// The files that the user's message named. Paths are text from outside: a quote in one must not end the attribute.
fn mentioned(message: &FileMentionMessage) -> Vec<llm::Block> {
    let escape = |path: &str| {
        path.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('\n', " ")
    };
    let files = message.files.iter().map(|file| {
        format!("<file path=\"{}\">\n{}\n</file>", escape(&file.path), file.content.trim_end_matches('\n'))
    });
    let text = llm::Block::text(files.collect::<Vec<_>>().join("\n\n"));
    let images = message.files.iter().filter_map(|file| file.image.as_ref()).filter_map(plain_block);
    std::iter::once(text).chain(images).collect()
}

/// A model's answer as a message of a session.
#[must_use]
pub fn from_turn(turn: &llm::Turn, prices: Option<&llm::Prices>, timestamp_ms: i64) -> AssistantMessage {
    AssistantMessage {
        content: Content::Blocks(turn.content.iter().filter_map(from_block).collect()),
        api: seal::api(turn.origin.wire).to_owned(),
        provider: turn.origin.provider.clone(),
        model: turn.origin.model.clone(),
        response_id: turn.id.clone(),
        usage: usage(&turn.usage, prices),
        stop_reason: match turn.stop {
            llm::StopReason::Stop => "stop",
            llm::StopReason::Length => "length",
            llm::StopReason::ToolUse => "toolUse",
            llm::StopReason::Aborted => "aborted",
            llm::StopReason::Error => "error",
        }
        .to_owned(),
        error_message: turn.error.as_ref().map(ToString::to_string),
        timestamp: Some(timestamp_ms),
        duration: None,
        ttft: None,
    }
}

fn usage(usage: &llm::Usage, prices: Option<&llm::Prices>) -> Usage {
    let price = |part: llm::Usage| prices.map_or(0.0, |prices| part.cost(prices));
    let none = llm::Usage::default();
    let cost = Cost {
        input: price(llm::Usage { input: usage.input, ..none }),
        output: price(llm::Usage { output: usage.output, ..none }),
        cache_read: price(llm::Usage { cache_read: usage.cache_read, ..none }),
        cache_write: price(llm::Usage { cache_write: usage.cache_write, ..none }),
        total: price(*usage),
    };
    Usage {
        input: usage.input,
        output: usage.output,
        cache_read: usage.cache_read,
        cache_write: usage.cache_write,
        total_tokens: usage.total(),
        reasoning_tokens: i64::try_from(usage.reasoning).ok().filter(|tokens| *tokens > 0),
        cost,
    }
}

/// A block that a model said, as session files have it. A result of a tool is a message of its own there.
fn from_block(block: &llm::Block) -> Option<Block> {
    Some(match block {
        llm::Block::Text { text, seal } => {
            Block::Text { text: text.clone(), text_signature: seal.as_ref().map(seal::to_text) }
        }
        llm::Block::Thinking { seal: Some(llm::Seal::Redacted { data }), .. } => {
            Block::RedactedThinking { data: data.clone() }
        }
        llm::Block::Thinking { text, seal } => {
            Block::Thinking { thinking: text.clone(), thinking_signature: seal.as_ref().map(seal::to_text) }
        }
        llm::Block::ToolCall(call) => Block::ToolCall(from_call(call)),
        llm::Block::Image(image) => {
            Block::Image { data: image.data.clone(), mime_type: image.media_type.clone() }
        }
        llm::Block::Unknown { wire, value } => {
            let block = json!({ "type": PROVIDER_BLOCK, "api": seal::api(*wire), "value": value });
            Block::Unknown(block.as_object().cloned()?)
        }
        llm::Block::ToolResult(_) => return None,
    })
}

fn from_call(call: &llm::ToolCall) -> ToolCall {
    let malformed = match &call.arguments {
        llm::Arguments::Object(_) => None,
        llm::Arguments::Malformed { text, reason } => {
            Some(Malformed { text: text.clone(), reason: reason.clone() })
        }
    };
    ToolCall {
        id: call.id.clone(),
        name: call.name.clone(),
        arguments: call.arguments.object().cloned().unwrap_or_default(),
        thought_signature: call.seal.as_ref().map(seal::to_text),
        intent: None,
        incomplete_arguments: malformed.is_some().then_some(true),
        malformed,
    }
}

/// The result of a tool as a message of a session.
#[must_use]
pub fn from_tool_result(result: &llm::ToolResult, timestamp_ms: i64) -> ToolResultMessage {
    ToolResultMessage {
        tool_call_id: result.call_id.clone(),
        tool_name: result.name.clone(),
        content: Content::Blocks(result.content.iter().filter_map(from_block).collect()),
        is_error: result.is_error,
        timestamp: Some(timestamp_ms),
        ..ToolResultMessage::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::message::UserMessage;

    fn message(json: &str) -> Message {
        Message::from_json(json).unwrap()
    }

    fn text(json: &str) -> String {
        one_to_llm(&message(json)).map(|message| message.plain_text()).unwrap_or_default()
    }

    #[test]
    fn results_that_follow_each_other_become_one_message() {
        let result = |id: &str| {
            message(&format!(
                r#"{{"role":"toolResult","toolCallId":"{id}","toolName":"t","content":[{{"type":"text","text":"{id}"}}],"isError":true}}"#
            ))
        };
        let messages = [result("1"), result("2"), Message::user("go on"), result("3")];
        let converted = to_llm(&messages);
        assert_eq!(converted.iter().map(|message| message.content.len()).collect::<Vec<_>>(), [2, 1, 1]);
        let llm::Block::ToolResult(first) = &converted[0].content[0] else { panic!("{converted:?}") };
        assert!(first.is_error && first.call_id == "1" && first.name == "t");
    }

    #[test]
    fn other_roles_become_messages_of_the_user() {
        assert!(
            text(r#"{"role":"branchSummary","summary":"S","fromId":"root"}"#)
                .ends_with("<summary>\nS\n</summary>")
        );
        assert!(text(r#"{"role":"compactionSummary","summary":"S"}"#).contains("compacted"));
        assert_eq!(text(r#"{"role":"custom","customType":"x","content":"C"}"#), "C");
        let ran = text(r#"{"role":"bashExecution","command":"ls","output":"a","exitCode":2}"#);
        assert_eq!(ran, "Ran `ls`\n```\na\n```\n\nIt ended with code 2.");
        let cancelled = text(r#"{"role":"bashExecution","command":"ls","cancelled":true,"exitCode":2}"#);
        assert_eq!(cancelled, "Ran `ls`\n(no output)\n\n(cancelled)");
        assert_eq!(
            text(r#"{"role":"bashExecution","command":"ls","output":"a","excludeFromContext":true}"#),
            ""
        );
        let mention = text(r#"{"role":"fileMention","files":[{"path":"a\"<b","content":"x\n"}]}"#);
        assert_eq!(mention, "<file path=\"a&quot;&lt;b\">\nx\n</file>");
        assert!(one_to_llm(&message(r#"{"role":"narrator"}"#)).is_none());
    }

    #[test]
    fn nothing_empty_is_sent() {
        assert!(one_to_llm(&Message::User(UserMessage::default())).is_none());
        assert!(one_to_llm(&Message::user("")).is_none());
        assert!(
            one_to_llm(&message(r#"{"role":"assistant","content":[{"type":"text","text":""}]}"#)).is_none()
        );
    }

    #[test]
    fn an_answer_comes_back_as_it_was() {
        let origin = llm::Origin {
            provider: "p".to_owned(),
            wire: llm::Wire::AnthropicMessages,
            model: "m".to_owned(),
        };
        let mut turn = llm::Turn::new(origin);
        let signature = llm::Seal::Signature { signature: "s".to_owned() };
        turn.content = vec![
            llm::Block::Thinking { text: "t".to_owned(), seal: Some(signature) },
            llm::Block::Thinking {
                text: String::new(),
                seal: Some(llm::Seal::Redacted { data: "d".to_owned() }),
            },
            llm::Block::text("hi"),
            llm::Block::ToolCall(llm::ToolCall {
                id: "1".to_owned(),
                name: "read".to_owned(),
                arguments: llm::Arguments::Malformed { text: "{".to_owned(), reason: "cut".to_owned() },
                seal: None,
            }),
            llm::Block::Unknown {
                wire: llm::Wire::AnthropicMessages,
                value: json!({ "type": "server_tool_use" }),
            },
        ];
        turn.usage = llm::Usage { input: 10, cache_read: 20, cache_write: 5, output: 7, reasoning: 2 };
        let prices = llm::Prices { input: 1.0, output: 2.0, cache_read: 0.1, cache_write: 1.25 };
        let stored = from_turn(&turn, Some(&prices), 5);
        let json = serde_json::to_string(&Message::Assistant(Box::new(stored.clone()))).unwrap();
        let read = message(&json);
        assert_eq!(one_to_llm(&read), Some(turn.message()));
        assert_eq!(stored.usage.total_tokens, 42);
        assert!((stored.usage.cost.total - turn.usage.cost(&prices)).abs() < 1e-12);
        assert!((stored.usage.cost.output - 14e-6).abs() < 1e-12);
    }

    #[test]
    fn an_answer_of_a_format_that_relay_does_not_speak_loses_its_seals() {
        let said = message(
            r#"{"role":"assistant","api":"cursor-agent","provider":"p","model":"m","content":[{"type":"thinking","thinking":"t","thinkingSignature":"s"}]}"#,
        );
        let converted = one_to_llm(&said).unwrap();
        assert_eq!(converted.origin, None);
        assert_eq!(converted.content, [llm::Block::Thinking { text: "t".to_owned(), seal: None }]);
    }
}
