//! Events as JSON, with the names and fields that clients of pi know.
//!
//! `message_update` carries what is new. A client that wants the whole message so far keeps it itself, or reads it from
//! `message_end`; sending it with every delta would make a long answer cost its square.

use relay_llm::Kind;
use serde_json::{Map, Value, json};

use super::{
    CompactionEvent, Ended, Event, JobEvent, MessageEvent, RetryEvent, RunEvent, SessionEvent, ToolEvent,
    TurnEvent,
};
use crate::session::Message;
use crate::tool::Output;

impl Event {
    /// The event as one JSON object.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Run(event) => run(event),
            Self::Turn(TurnEvent::Start) => json!({ "type": "turn_start" }),
            Self::Turn(TurnEvent::End { message, results }) => {
                let message = Message::Assistant(message.clone());
                let results: Vec<Message> = results.iter().cloned().map(Message::ToolResult).collect();
                json!({ "type": "turn_end", "message": message, "toolResults": results })
            }
            Self::Message(event) => message(event),
            Self::Tool(event) => tool(event),
            Self::Retry(event) => retry(event),
            Self::Compaction(event) => compaction(event),
            Self::Job(event) => job(event),
            Self::Session(event) => session(event),
            Self::Rules { rules, interrupted } => {
                let rules: Vec<Value> = rules.iter().map(|name| json!({ "name": name })).collect();
                json!({ "type": "ttsr_triggered", "rules": rules, "interrupted": interrupted })
            }
            Self::Notice { warning, text } => {
                json!({ "type": "notice", "level": if *warning { "warning" } else { "info" }, "text": text })
            }
        }
    }
}

fn job(event: &JobEvent) -> Value {
    match event {
        JobEvent::Started(job) => json!({ "type": "job_start", "job": job }),
        JobEvent::Ended(job) => json!({ "type": "job_end", "job": job }),
    }
}

fn run(event: &RunEvent) -> Value {
    match event {
        RunEvent::Start => json!({ "type": "agent_start" }),
        RunEvent::End { ended, messages } => {
            let (status, reason) = match ended {
                Ended::Done => ("done", None),
                Ended::Failed(why) => ("failed", Some(why)),
                Ended::Aborted => ("aborted", None),
                Ended::Limit(why) => ("limit", Some(why)),
            };
            let mut value = json!({ "type": "agent_end", "status": status, "messages": messages });
            put(&mut value, "error", reason.cloned());
            value
        }
    }
}

fn message(event: &MessageEvent) -> Value {
    match event {
        MessageEvent::Said(message) => json!({ "type": "message_start", "message": message }),
        MessageEvent::Start { model } => {
            json!({ "type": "message_start", "message": { "role": "assistant", "model": model, "content": [] } })
        }
        MessageEvent::Begin { index, kind } => update(&block_event(*index, kind, "start", None)),
        MessageEvent::Delta { index, kind, text } => {
            update(&block_event(*index, kind, "delta", Some(("delta", text.as_str().into()))))
        }
        MessageEvent::End { index, block } => {
            let (kind, field, content) = match block {
                relay_llm::Block::Text { text, .. } => (Kind::Text, "content", Value::from(text.as_str())),
                relay_llm::Block::Thinking { text, .. } => (Kind::Thinking, "content", text.as_str().into()),
                relay_llm::Block::ToolCall(call) => {
                    let kind = Kind::ToolCall { id: call.id.clone(), name: call.name.clone() };
                    let arguments = call.arguments.object().cloned().unwrap_or_default();
                    (kind, "toolCall", json!({ "id": call.id, "name": call.name, "arguments": arguments }))
                }
                _ => (Kind::Other, "content", Value::Null),
            };
            update(&block_event(*index, &kind, "end", Some((field, content))))
        }
        MessageEvent::Discarded => json!({ "type": "message_discarded" }),
        MessageEvent::Finished { entry, message } => {
            json!({ "type": "message_end", "entryId": entry, "message": message })
        }
    }
}

fn update(event: &Value) -> Value {
    json!({ "type": "message_update", "assistantMessageEvent": event })
}

fn block_event(index: usize, kind: &Kind, suffix: &str, more: Option<(&str, Value)>) -> Value {
    let name = match kind {
        Kind::Text => "text",
        Kind::Thinking => "thinking",
        Kind::ToolCall { .. } => "toolcall",
        Kind::Other => "block",
    };
    let mut value = json!({ "type": format!("{name}_{suffix}"), "contentIndex": index });
    if let Kind::ToolCall { id, name } = kind {
        put(&mut value, "toolCallId", Some(id.as_str()));
        put(&mut value, "toolName", Some(name.as_str()));
    }
    if let Some((key, content)) = more {
        put(&mut value, key, Some(content));
    }
    value
}

fn tool(event: &ToolEvent) -> Value {
    match event {
        ToolEvent::Start { id, name, arguments } => {
            json!({ "type": "tool_execution_start", "toolCallId": id, "toolName": name, "args": arguments })
        }
        ToolEvent::Update { id, name, arguments, output } => json!({
            "type": "tool_execution_update", "toolCallId": id, "toolName": name, "args": arguments,
            "partialResult": result(output),
        }),
        ToolEvent::End { id, name, output } => json!({
            "type": "tool_execution_end", "toolCallId": id, "toolName": name, "result": result(output),
            "isError": output.is_error,
        }),
    }
}

fn result(output: &Output) -> Value {
    let mut value = json!({ "content": output.content });
    put(&mut value, "details", output.details.clone());
    if !output.transactions.is_empty() {
        put(&mut value, "transactions", Some(json!(output.transactions)));
    }
    value
}

fn retry(event: &RetryEvent) -> Value {
    match event {
        RetryEvent::Start { attempt, max_attempts, delay_ms, error } => json!({
            "type": "auto_retry_start", "attempt": attempt, "maxAttempts": max_attempts, "delayMs": delay_ms,
            "errorMessage": error,
        }),
        RetryEvent::End { success, attempt, error } => {
            let mut value = json!({ "type": "auto_retry_end", "success": success, "attempt": attempt });
            put(&mut value, "finalError", error.clone());
            value
        }
        RetryEvent::FellBack { to } => {
            json!({ "type": "retry_fallback_applied", "to": to, "role": "default" })
        }
        RetryEvent::FallbackAnswered { model } => {
            json!({ "type": "retry_fallback_succeeded", "model": model, "role": "default" })
        }
    }
}

fn compaction(event: &CompactionEvent) -> Value {
    match event {
        CompactionEvent::Start { reason } => {
            json!({ "type": "auto_compaction_start", "reason": reason.name() })
        }
        CompactionEvent::End { reason, summary, will_retry, error, .. } => {
            let result = compaction_result(event);
            let mut value = json!({
                "type": "auto_compaction_end", "reason": reason.name(), "result": result,
                "aborted": summary.is_none() && error.is_none(), "willRetry": will_retry,
            });
            put(&mut value, "errorMessage", error.clone());
            value
        }
    }
}

/// The result of a compaction, or `None` without a summary.
#[must_use]
pub fn compaction_result(event: &CompactionEvent) -> Option<Value> {
    let CompactionEvent::End { summary: Some(summary), tokens_before, first_kept, details, .. } = event
    else {
        return None;
    };
    let mut value = json!({ "summary": summary, "tokensBefore": tokens_before });
    put(&mut value, "firstKeptEntryId", first_kept.clone());
    put(&mut value, "details", details.clone());
    Some(value)
}

fn session(event: &SessionEvent) -> Value {
    match event {
        SessionEvent::Queue { steering, follow_up } => {
            json!({ "type": "queue_update", "steering": steering, "followUp": follow_up })
        }
        SessionEvent::Named(name) => json!({ "type": "session_name", "name": name }),
        SessionEvent::Goal(goal) => json!({ "type": "goal_updated", "goal": goal }),
        SessionEvent::Mode(mode) => json!({ "type": "mode_change", "mode": mode }),
        SessionEvent::Kept { kind, data } => json!({ "type": "session_data", "kind": kind, "data": data }),
        SessionEvent::Settled { tool, label, applied, reason, data } => json!({
            "type": "action_resolved", "toolName": tool, "label": label, "data": data, "reason": reason,
            "action": if *applied { "apply" } else { "discard" },
        }),
        SessionEvent::Moved { to, summary } => {
            json!({ "type": "session_tree", "newLeafId": to, "summaryEntryId": summary })
        }
        SessionEvent::Switched { session } => json!({ "type": "session_switch", "sessionId": session }),
        SessionEvent::Rewound { to } => json!({ "type": "session_rewound", "entryId": to }),
    }
}

/// Adds a field that is there.
fn put(value: &mut Value, key: &str, field: Option<impl Into<Value>>) {
    if let (Some(object), Some(field)) = (value.as_object_mut(), field) {
        let object: &mut Map<String, Value> = object;
        object.insert(key.to_owned(), field.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(event: Event, expected: Value) {
        assert_eq!(event.to_json(), expected);
    }

    #[test]
    fn names_are_those_that_clients_know() {
        check(Event::Run(RunEvent::Start), json!({ "type": "agent_start" }));
        check(
            Event::Run(RunEvent::End { ended: Ended::Limit("x".to_owned()), messages: Vec::new() }),
            json!({ "type": "agent_end", "status": "limit", "error": "x", "messages": [] }),
        );
        let delta = MessageEvent::Delta { index: 1, kind: Kind::Text, text: "hi".to_owned() };
        check(
            Event::Message(delta),
            json!({ "type": "message_update",
                "assistantMessageEvent": { "type": "text_delta", "contentIndex": 1, "delta": "hi" } }),
        );
        check(
            Event::Compaction(CompactionEvent::End {
                reason: super::super::CompactReason::Request,
                summary: Some("s".to_owned()),
                tokens_before: 9,
                first_kept: Some("e1".to_owned()),
                details: None,
                will_retry: false,
                error: None,
            }),
            json!({ "type": "auto_compaction_end", "reason": "manual", "aborted": false, "willRetry": false,
                "result": { "summary": "s", "tokensBefore": 9, "firstKeptEntryId": "e1" } }),
        );
        let end = ToolEvent::End { id: "c".to_owned(), name: "read".to_owned(), output: Output::text("out") };
        check(
            Event::Tool(end),
            json!({ "type": "tool_execution_end", "toolCallId": "c", "toolName": "read",
                "result": { "content": [{ "type": "text", "text": "out" }] }, "isError": false }),
        );
    }
}
