//! What a provider wants back with a block, as the one text that session files have room for.
//!
//! The text depends on the wire format, as in the programs that share the format: Anthropic and Google write their
//! signature; OpenAI's Responses a JSON object with the item; compatible servers the name of the field their reasoning
//! came in. Relay reads what they write, and writes what they read.

use relay_llm::{Seal, Wire};
use serde_json::{Map, Value, json};

/// Wire formats and their names in session files. The first name of each is the one that Relay writes.
const APIS: [(&str, Wire); 12] = [
    ("anthropic-messages", Wire::AnthropicMessages),
    ("openai-responses", Wire::OpenaiResponses),
    ("openai-codex-responses", Wire::OpenaiResponses),
    ("azure-openai-responses", Wire::OpenaiResponses),
    ("openai-completions", Wire::OpenaiChat),
    ("mistral-conversations", Wire::OpenaiChat),
    ("google-generative-ai", Wire::Google),
    ("google-gemini-cli", Wire::Google),
    ("google-vertex", Wire::Google),
    ("ollama-chat", Wire::Ollama),
    ("ollama", Wire::Ollama),
    ("bedrock-converse-stream", Wire::Bedrock),
];

/// Fields in which compatible servers send reasoning.
const FIELDS: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];

/// The wire format of an `api`; none if Relay does not speak it.
pub(super) fn wire(api: &str) -> Option<Wire> {
    APIS.iter().find(|(name, _)| *name == api).map(|(_, wire)| *wire)
}

/// The `api` of a wire format.
pub(super) fn api(wire: Wire) -> &'static str {
    APIS.iter().find(|(_, known)| *known == wire).map_or("", |(name, _)| name)
}

/// A seal as text.
pub(super) fn to_text(seal: &Seal) -> String {
    match seal {
        Seal::Signature { signature } => signature.clone(),
        Seal::Redacted { data } => data.clone(),
        Seal::Field { name } => name.clone(),
        Seal::Details { details } => json!({ "reasoning_details": details }).to_string(),
        Seal::Item { id, encrypted, phase } => {
            let mut item = Map::new();
            item.insert("v".to_owned(), 1.into());
            item.insert("id".to_owned(), id.as_str().into());
            for (key, value) in [("encrypted_content", encrypted), ("phase", phase)] {
                item.extend(value.as_ref().map(|value| (key.to_owned(), value.as_str().into())));
            }
            Value::Object(item).to_string()
        }
    }
}

/// The seal that a text is in a wire format.
pub(super) fn from_text(wire: Wire, text: &str) -> Seal {
    let object = || serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
    match wire {
        Wire::OpenaiResponses => {
            let item = object().unwrap_or_else(|| json!({ "id": text }));
            let field = |key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
            Seal::Item {
                id: field("id").unwrap_or_default(),
                encrypted: field("encrypted_content"),
                phase: field("phase"),
            }
        }
        Wire::OpenaiChat if FIELDS.contains(&text) => Seal::Field { name: text.to_owned() },
        Wire::OpenaiChat | Wire::Ollama => {
            match object().and_then(|mut item| item.get_mut("reasoning_details").map(Value::take)) {
                Some(Value::Array(details)) => Seal::Details { details },
                _ => Seal::Signature { signature: text.to_owned() },
            }
        }
        Wire::AnthropicMessages | Wire::Google | Wire::Bedrock => {
            Seal::Signature { signature: text.to_owned() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seal_survives_in_its_wire_format() {
        let text = |text: &str| text.to_owned();
        for (wire, seal) in [
            (Wire::AnthropicMessages, Seal::Signature { signature: text("EqQB…") }),
            (Wire::Bedrock, Seal::Signature { signature: text("{}") }),
            (Wire::Google, Seal::Signature { signature: text("abc") }),
            (Wire::OpenaiChat, Seal::Field { name: text("reasoning_content") }),
            (
                Wire::OpenaiChat,
                Seal::Details { details: vec![json!({ "type": "reasoning.text", "text": "t" })] },
            ),
            (
                Wire::OpenaiResponses,
                Seal::Item { id: text("rs_1"), encrypted: Some(text("gAAA")), phase: None },
            ),
            (
                Wire::OpenaiResponses,
                Seal::Item { id: text("msg_1"), encrypted: None, phase: Some(text("commentary")) },
            ),
        ] {
            assert_eq!(from_text(wire, &to_text(&seal)), seal);
        }
    }

    #[test]
    fn items_of_other_programs_are_read() {
        let item = r#"{"type":"reasoning","id":"rs_9","summary":[],"encrypted_content":"x"}"#;
        let expected = Seal::Item { id: "rs_9".to_owned(), encrypted: Some("x".to_owned()), phase: None };
        assert_eq!(from_text(Wire::OpenaiResponses, item), expected);
        let plain = Seal::Item { id: "msg_1".to_owned(), encrypted: None, phase: None };
        assert_eq!(from_text(Wire::OpenaiResponses, "msg_1"), plain);
    }

    #[test]
    fn every_wire_format_has_a_name_that_is_read_back() {
        for (name, known) in APIS {
            assert_eq!(wire(name), Some(known));
            assert_eq!(wire(api(known)), Some(known));
        }
        assert_eq!(wire("cursor-agent"), None);
    }
}
