//! What a client sees of a session.

use relay_agent::driver::Agent;
use relay_agent::export::{Format, Transcript, render};
use relay_agent::session::{Entry, Message, TreeFilter, searchable, tree_search};
use relay_agent::tokens;
use relay_llm::Model;
use serde_json::{Value, json};

/// A model as clients know it.
pub fn model(model: &Model) -> Value {
    json!({
        "id": model.id, "name": model.id, "provider": model.provider.name, "selector": model.selector(),
        "api": model.provider.wire, "contextWindow": model.limits.context, "maxTokens": model.limits.output,
        "cost": model.prices, "reasoning": model.capabilities.thinking != relay_llm::ThinkingStyle::None,
        "input": if model.capabilities.images { json!(["text", "image"]) } else { json!(["text"]) },
        "tools": model.capabilities.tools,
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
        "isStreaming": agent.is_busy() && !agent.is_compacting(),
        "isCompacting": agent.is_compacting(),
        "sessionFile": log.path().map(|path| path.display().to_string()),
        "sessionId": log.id(),
        "sessionName": log.name(),
        "messageCount": messages,
        "pendingMessageCount": steering.len() + follow_up.len(),
        "queue": { "steering": steering, "followUp": follow_up },
        "mode": agent.facts().mode,
        "goal": agent.facts().goal,
        "checkpoint": agent.facts().checkpoint,
        "cwd": log.cwd().display().to_string(),
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
        "contextUsage": context_usage(agent),
    })
}

/// The messages of the branch, as they are.
pub fn messages(agent: &Agent) -> Vec<Value> {
    agent.log().context().messages.iter().map(|seen| json!(&*seen.message)).collect()
}

/// The prompts to branch from.
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

/// The filter with a name; the default one without.
pub fn filter(name: Option<&str>) -> Result<TreeFilter, String> {
    let Some(name) = name else { return Ok(TreeFilter::All) };
    let found = TreeFilter::EACH.into_iter().find(|filter| filter.name() == name);
    found.ok_or_else(|| {
        format!("unknown filter `{name}`; use {}", TreeFilter::EACH.map(TreeFilter::name).join(", "))
    })
}

/// Entries with their place, label and a line about each, limited by filter and query.
pub fn tree(agent: &Agent, filter: TreeFilter, query: &str) -> Value {
    let log = agent.log();
    let leaf = log.leaf().map(|leaf| leaf.as_str().to_owned());
    let path: std::collections::HashSet<&str> = log.path_to_leaf().iter().map(|entry| entry.id()).collect();
    let shown = |entry: &&Entry| {
        let label = log.labels().get(entry.id());
        filter.shows(entry, label, leaf.as_deref() == Some(entry.id()))
            && (query.is_empty() || tree_search(entry, label, query))
    };
    let mut entries = Vec::new();
    // Children of a hidden entry are attached to the nearest visible ancestor.
    let mut above: std::collections::HashMap<&str, Option<&str>> = std::collections::HashMap::new();
    for entry in log.entries() {
        let parent = entry.parent_id().and_then(|parent| above.get(parent).copied().flatten());
        if !shown(&entry) {
            above.insert(entry.id(), parent);
            continue;
        }
        above.insert(entry.id(), Some(entry.id()));
        let text: String = searchable(entry).trim().chars().take(200).collect();
        entries.push(json!({
            "id": entry.id(), "parentId": entry.parent_id(), "shownParentId": parent, "type": entry.kind().name(),
            "role": entry.message().map(Message::role), "text": text, "timestamp": entry.timestamp(),
            "label": log.labels().get(entry.id()), "isOnPath": path.contains(entry.id()),
        }));
    }
    json!({ "entries": entries, "leafId": leaf })
}

/// The entries from the root to the leaf as they are in the log.
pub fn transcript(agent: &Agent) -> Value {
    let log = agent.log();
    let entries: Vec<Value> =
        log.path_to_leaf().iter().filter_map(|entry| entry.object().ok().map(Value::Object)).collect();
    json!({ "entries": entries, "leafId": log.leaf().map(|leaf| leaf.as_str().to_owned()) })
}

/// How full the model's context window is, and with what.
pub fn context_usage(agent: &Agent) -> Value {
    let window = agent.asker().model().limits.context;
    let tools: u64 = agent
        .offered()
        .map(|tool| {
            let spec = tool.spec();
            tokens::of_text(&spec.description) + tokens::of_text(&spec.parameters.to_string())
        })
        .sum();
    let messages: u64 =
        agent.log().context().messages.iter().map(|seen| tokens::of_message(&seen.message)).sum();
    let system = tokens::of_text(agent.system());
    let total = agent.context_tokens().max(messages.saturating_add(system).saturating_add(tools));
    let percent = if window == 0 { 0.0 } else { total as f64 * 100.0 / window as f64 };
    json!({
        "tokens": total, "contextWindow": window, "percent": percent,
        "parts": { "system": system, "tools": tools, "messages": messages },
    })
}

/// The session's todos.
pub fn todos(agent: &Agent) -> Value {
    let kept = &agent.facts().kept;
    kept.get("todos").or_else(|| kept.get("todo")).cloned().unwrap_or_else(|| json!([]))
}

/// The first prompt of the branch.
pub fn first_prompt(agent: &Agent) -> Option<String> {
    let context = agent.log().context();
    let first = context.messages.iter().find(|seen| matches!(&*seen.message, Message::User(_)));
    first.map(|seen| seen.message.text())
}

/// The conversation as one text.
pub fn dump(agent: &Agent) -> String {
    let log = agent.log();
    let mut transcript = Transcript::new(log.header(), log.entries());
    transcript.leaf = log.leaf().map(relay_agent::session::EntryId::as_str);
    transcript.system_prompt = Some(agent.system());
    render(&transcript, Format::Markdown)
}

/// All tools, and which of them the model gets.
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
