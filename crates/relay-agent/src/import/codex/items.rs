//! Items of OpenAI's Responses format, as Codex stores them.

use serde_json::{Map, Value, json};

use crate::import::lines::text;
use crate::import::omissions::Omissions;
use crate::import::parts::{call, clip, content, is_empty};
use crate::session::{Block, Content};

/// What an item means for the session.
pub(super) enum Item {
    /// A part of the model's answer.
    Said(Block),
    /// The user's words.
    Asked(Content),
    /// What came of a call.
    Result { call_id: String, content: Content, is_error: bool },
    /// Nothing; this is what it is called in the report.
    LeftOut(String),
}

/// How notes begin that Codex sends in the user's place.
const NOTES: [&str; 7] = [
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "<subagent_notification>",
    "# AGENTS.md instructions",
];

pub(super) fn item(payload: &Map<String, Value>, omissions: &mut Omissions) -> Item {
    let kind = text(payload, "type").unwrap_or("unknown");
    match kind {
        "message" => message(payload, omissions),
        "reasoning" => reasoning(payload),
        "function_call" => calling(payload, payload.get("arguments")),
        "custom_tool_call" => {
            let input = text(payload, "input").map(|input| json!({ "input": input }));
            calling(payload, input.as_ref())
        }
        "local_shell_call" => {
            let action = payload.get("action").and_then(Value::as_object).cloned().map(Value::Object);
            let id = text(payload, "call_id").or_else(|| text(payload, "id"));
            id.map_or_else(
                || Item::LeftOut("calls without an id".to_owned()),
                |id| Item::Said(Block::ToolCall(call(id, "local_shell", action.as_ref()))),
            )
        }
        "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
            result(payload, omissions)
        }
        _ => Item::LeftOut(format!("items of type {kind}")),
    }
}

fn message(payload: &Map<String, Value>, omissions: &mut Omissions) -> Item {
    let said = content(payload.get("content").unwrap_or(&Value::Null), omissions);
    match text(payload, "role") {
        _ if is_empty(&said) => Item::LeftOut("empty messages".to_owned()),
        Some("assistant") => Item::Said(Block::text(said.text("\n"))),
        Some("user") if is_note(payload, &said) => Item::LeftOut("notes of Codex to the model".to_owned()),
        Some("user") => Item::Asked(said),
        _ => Item::LeftOut("instructions of Codex".to_owned()),
    }
}

/// Whether Codex wrote a message in the user's place.
fn is_note(payload: &Map<String, Value>, said: &Content) -> bool {
    let metadata = payload.get("internal_chat_message_metadata_passthrough");
    let provenance = metadata
        .and_then(|metadata| metadata.pointer("/content_item_metadata/0/provenance/type"))
        .and_then(Value::as_str);
    let text = said.text("\n");
    provenance == Some("harness") || NOTES.iter().any(|note| text.trim_start().starts_with(note))
}

/// Thoughts. The encrypted ones go back to the provider, so they are kept as Relay keeps its own.
fn reasoning(payload: &Map<String, Value>) -> Item {
    let texts = |key: &str| {
        let parts = payload.get(key).and_then(Value::as_array).into_iter().flatten();
        parts.filter_map(|part| part.get("text").and_then(Value::as_str)).collect::<Vec<_>>().join("\n\n")
    };
    let mut thinking = texts("summary");
    if thinking.is_empty() {
        thinking = texts("content");
    }
    let encrypted = text(payload, "encrypted_content");
    if thinking.is_empty() && encrypted.is_none() {
        return Item::LeftOut("empty thoughts".to_owned());
    }
    let id = text(payload, "id").unwrap_or_default();
    let thinking_signature =
        encrypted.map(|encrypted| json!({ "v": 1, "id": id, "encrypted_content": encrypted }).to_string());
    Item::Said(Block::Thinking { thinking: clip(&thinking), thinking_signature })
}

fn calling(payload: &Map<String, Value>, arguments: Option<&Value>) -> Item {
    match (text(payload, "call_id"), text(payload, "name")) {
        (Some(id), Some(name)) => Item::Said(Block::ToolCall(call(id, name, arguments))),
        _ => Item::LeftOut("calls without an id".to_owned()),
    }
}

fn result(payload: &Map<String, Value>, omissions: &mut Omissions) -> Item {
    let Some(call_id) = text(payload, "call_id").map(str::to_owned) else {
        return Item::LeftOut("results without a call".to_owned());
    };
    let output = payload.get("output").unwrap_or(&Value::Null);
    let (content, exit_code) = match output {
        Value::String(text) => read_output(text),
        // For a while the output was an object with the text in it.
        Value::Object(object) => (Content::Text(clip(text(object, "content").unwrap_or_default())), None),
        other => (content(other, omissions), None),
    };
    let content = match content {
        Content::Text(text) => Content::Blocks(vec![Block::text(text)]),
        blocks => blocks,
    };
    let has_failed = output.get("success") == Some(&Value::Bool(false));
    Item::Result { call_id, content, is_error: has_failed || exit_code.is_some_and(|code| code != 0) }
}

/// The output of a command, and the code it ended with: Codex writes both into one text, or into JSON in a text.
fn read_output(text: &str) -> (Content, Option<i64>) {
    if let Ok(Value::Object(object)) = serde_json::from_str::<Value>(text)
        && let Some(output) = object.get("output").and_then(Value::as_str)
    {
        let code = object.get("metadata").and_then(|metadata| metadata.get("exit_code")?.as_i64());
        return (Content::Text(clip(output)), code);
    }
    let head = text.split("Output:\n").next().unwrap_or_default();
    let code = head.lines().take(8).find_map(|line| {
        let number =
            line.strip_prefix("Process exited with code ").or_else(|| line.strip_prefix("Exit code: "));
        number.and_then(|number| number.trim().parse().ok())
    });
    (Content::Text(clip(text)), code)
}
