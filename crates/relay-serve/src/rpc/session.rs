//! What a client is shown of a session.

use relay_agent::driver::Agent;
use relay_agent::session::Message;
use relay_llm::Model;
use serde_json::{Value, json};

/// A model as clients know it.
pub fn model(model: &Model) -> Value {
    json!({
        "id": model.id, "name": model.id, "provider": model.provider.name, "selector": model.selector(),
        "contextWindow": model.limits.context, "maxTokens": model.limits.output, "cost": model.prices,
    })
}

/// The answer to `get_state`.
pub fn state(agent: &Agent) -> Value {
    let (steering, follow_up) = agent.waiting();
    let log = agent.log();
    let messages = log.context().messages.len();
    json!({
        "model": model(&agent.asker().model()),
        "thinkingLevel": agent.thinking().map_or("off", relay_llm::Thinking::name),
        "isStreaming": agent.is_busy(),
        "isCompacting": false,
        "sessionFile": log.path().map(|path| path.display().to_string()),
        "sessionId": log.id(),
        "sessionName": log.name(),
        "messageCount": messages,
        "pendingMessageCount": steering.len() + follow_up.len(),
        "queue": { "steering": steering, "followUp": follow_up },
        "mode": agent.facts().mode,
        "policy": agent.with_policy(|policy| policy.level.name()),
    })
}

/// The answer to `get_session_stats`.
pub fn stats(agent: &Agent) -> Value {
    let log = agent.log();
    let (mut users, mut answers, mut calls, mut results) = (0, 0, 0, 0);
    let (mut input, mut output, mut read, mut write, mut cost) = (0_u64, 0_u64, 0_u64, 0_u64, 0.0);
    for entry in log.entries() {
        match entry.message() {
            Some(Message::User(_)) => users += 1,
            Some(Message::ToolResult(_)) => results += 1,
            Some(Message::Assistant(answer)) => {
                answers += 1;
                calls += answer.tool_calls().count();
                input = input.saturating_add(answer.usage.input);
                output = output.saturating_add(answer.usage.output);
                read = read.saturating_add(answer.usage.cache_read);
                write = write.saturating_add(answer.usage.cache_write);
                cost += answer.usage.cost.total;
            }
            _ => {}
        }
    }
    json!({
        "sessionFile": log.path().map(|path| path.display().to_string()), "sessionId": log.id(),
        "userMessages": users, "assistantMessages": answers, "toolCalls": calls, "toolResults": results,
        "totalMessages": users + answers + results,
        "tokens": { "input": input, "output": output, "cacheRead": read, "cacheWrite": write,
            "total": input.saturating_add(output).saturating_add(read).saturating_add(write) },
        "cost": cost,
    })
}

/// The messages of the branch, as they are.
pub fn messages(agent: &Agent) -> Vec<Value> {
    agent.log().context().messages.iter().map(|seen| json!(&*seen.message)).collect()
}

/// The prompts one can branch from.
pub fn prompts(agent: &Agent) -> Vec<Value> {
    let entries = agent.log().entries().iter();
    let prompts = entries.filter_map(|entry| match entry.message() {
        Some(message @ Message::User(_)) => Some(json!({ "entryId": entry.id(), "text": message.text() })),
        _ => None,
    });
    prompts.collect()
}

/// Where a branch at a prompt begins: the prompt's text, and the entry before it.
pub fn branch_point(agent: &Agent, entry: &str) -> Result<(String, Option<String>), String> {
    let found = agent.log().entry(entry).ok_or_else(|| format!("there is no entry `{entry}`"))?;
    let text = found.message().map(Message::text).unwrap_or_default();
    Ok((text, found.parent_id().map(str::to_owned)))
}

/// Every entry with its place, label and a line about it.
pub fn tree(agent: &Agent) -> Value {
    let log = agent.log();
    let entries: Vec<Value> = log
        .entries()
        .iter()
        .map(|entry| {
            let text = entry.message().map(|message| message.text().chars().take(200).collect::<String>());
            let role = entry.message().map(|message| message.role().to_owned());
            json!({
                "id": entry.id(), "parentId": entry.parent_id(), "type": entry.kind().name(), "role": role,
                "text": text, "timestamp": entry.timestamp(), "label": log.labels().get(entry.id()),
            })
        })
        .collect();
    json!({ "entries": entries, "leafId": log.leaf().map(|leaf| leaf.as_str().to_owned()) })
}

/// The tools there are, and which are offered.
pub fn tools(agent: &Agent) -> Value {
    let offered: Vec<&str> = agent.tool_names().collect();
    let all: Vec<Value> = agent
        .registry()
        .names()
        .filter_map(|name| agent.registry().get(name))
        .map(|tool| {
            let spec = tool.spec();
            json!({ "name": spec.name, "description": spec.description, "active": offered.contains(&spec.name.as_ref()) })
        })
        .collect();
    json!({ "tools": all })
}
