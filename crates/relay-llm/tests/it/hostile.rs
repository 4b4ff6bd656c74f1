//! Servers that send nonsense: every answer still ends, and nothing panics.

use testkit::model::{Answer, Reply};

use crate::support::{Lab, PROVIDERS, options};
use relay_llm::{ClientOptions, RetrySettings};

/// Pieces of JSON that no server should send. `T` is replaced by each of the types of the format.
const NONSENSE: [&str; 21] = [
    "null",
    "[]",
    "0",
    "\"text\"",
    "{}",
    r#"{"type":null}"#,
    r#"{"type":"T"}"#,
    r#"{"type":"T","index":18446744073709551615,"output_index":18446744073709551615,"delta":{},"item":{},"content_block":{}}"#,
    r#"{"type":"T","index":-1,"output_index":-1}"#,
    r#"{"type":"T","index":0,"output_index":0,"delta":null,"item":null,"response":null,"content_block":null,"message":null,"error":null}"#,
    r#"{"type":"T","index":0,"content_block":{"type":"tool_use","id":null,"name":null,"input":null,"text":null}}"#,
    r#"{"type":"T","output_index":0,"item":{"type":"function_call","id":null,"call_id":null,"arguments":null}}"#,
    r#"{"type":"T","output_index":0,"item":{"type":"reasoning","summary":null,"content":null}}"#,
    r#"{"type":"T","response":{"usage":null,"error":null,"incomplete_details":null}}"#,
    r#"{"choices":null,"usage":null,"error":null}"#,
    r#"{"choices":[{"delta":{"content":null,"tool_calls":[{"index":null,"id":null,"function":null}],"reasoning_details":[null,1,"x",{}]},"finish_reason":null}]}"#,
    r#"{"choices":[{"delta":{"content":{"a":1},"tool_calls":[{"index":9999999999,"function":{"name":null,"arguments":[1]}}],"images":[{}]}}]}"#,
    r#"{"candidates":[{"content":{"parts":[null,1,{"text":null},{"functionCall":null},{"functionCall":{"name":1,"args":"x"}},{"inlineData":{}}]}}]}"#,
    r#"{"candidates":[{"content":null,"finishReason":null}],"usageMetadata":{"promptTokenCount":null,"cachedContentTokenCount":99}}"#,
    r#"{"model":null,"message":{"content":null,"thinking":null,"tool_calls":[{"function":{"name":"","arguments":null}}]},"done":null}"#,
    r#"{"error":{"message":null,"code":null,"type":7,"details":[null]}}"#,
];

const TYPES: [&str; 16] = [
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "error",
    "response.created",
    "response.output_item.added",
    "response.output_item.done",
    "response.output_text.delta",
    "response.reasoning_summary_part.added",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.completed",
    "response.failed",
];

fn frames(json: &str, is_lines: bool) -> Vec<u8> {
    let once = if is_lines { format!("{json}\n") } else { format!("data: {json}\n\n") };
    once.repeat(3).into_bytes()
}

#[test]
fn nonsense_ends_and_nothing_panics() {
    let once =
        ClientOptions { retry: RetrySettings { enabled: false, ..RetrySettings::default() }, ..options() };
    for name in PROVIDERS {
        let lab = Lab::with(name, once.clone());
        let is_lines = name == "ollama";
        let is_typed = ["anthropic", "openai"].contains(&name);
        let kinds: &[&str] = if is_typed { &TYPES } else { &["x"] };
        for nonsense in NONSENSE {
            for kind in kinds {
                let json = nonsense.replace("\"T\"", &format!("{kind:?}"));
                let media_type = if is_lines { "application/x-ndjson" } else { "text/event-stream" };
                let told = lab.ask(Answer::raw(200, media_type, frames(&json, is_lines)));
                let message = told.error.map(|error| error.message).unwrap_or_default();
                assert_ne!(message, "the connection's reader failed", "{name}: {json}");
            }
        }
        assert_eq!(lab.ask(Reply::text("Still here.")).text(), "Still here.");
    }
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    for name in PROVIDERS {
        let lab = Lab::with(
            name,
            ClientOptions {
                retry: RetrySettings { enabled: false, ..RetrySettings::default() },
                ..options()
            },
        );
        let json = format!("{{\"type\":\"x\",\"delta\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let is_lines = name == "ollama";
        let media_type = if is_lines { "application/x-ndjson" } else { "text/event-stream" };
        let told = lab.ask(Answer::raw(200, media_type, frames(&json, is_lines)));
        assert!(["Malformed", "Network"].contains(&told.outcome().as_str()), "{name}: {:?}", told.error);
    }
}
