//! Shorthand for what tools declare.

use relay_agent::tool::{Access, Concurrency, Spec};
use serde_json::{Value, json};

/// A tool that touches nothing but the conversation.
pub fn conversational(
    name: &'static str,
    description: &'static str,
    properties: Value,
    required: &[&str],
) -> Spec {
    Spec {
        name: name.into(),
        description: description.trim().into(),
        parameters: json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        }),
        concurrency: Concurrency::Exclusive,
        hidden: false,
    }
}

/// What such a tool needs.
pub fn only_conversation() -> Vec<Access> {
    vec![Access::Conversation]
}
