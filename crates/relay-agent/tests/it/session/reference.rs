//! The simplest way to say what a model sees at a leaf, on plain JSON: slow, and easy to check by eye.

use std::collections::BTreeMap;

use relay_agent::session::{Context, milliseconds};
use serde_json::{Map, Value, json};

/// Messages and state as one document.
pub fn reference(lines: &[Value], leaf: Option<&str>) -> Value {
    let mut path: Vec<&Value> = Vec::new();
    let find = |id: &str| lines.iter().find(|line| line["id"] == id);
    let mut next = leaf.and_then(find);
    while let Some(line) = next {
        if path.iter().any(|passed| passed["id"] == line["id"]) {
            break;
        }
        path.insert(0, line);
        next = line["parentId"].as_str().and_then(find);
    }
    json!({ "messages": messages(&path), "state": state(&path) })
}

fn messages(path: &[&Value]) -> Vec<Value> {
    let start = path.iter().rposition(|line| line["type"] == "reset_boundary").map_or(0, |at| at + 1);
    let path = &path[start..];
    let Some(compaction) = path.iter().rposition(|line| line["type"] == "compaction") else {
        return path.iter().filter_map(|line| message(line)).collect();
    };
    let mut seen = vec![message(path[compaction]).unwrap()];
    let mut is_kept = false;
    for line in &path[..compaction] {
        is_kept |= line["id"] == path[compaction]["firstKeptEntryId"];
        if is_kept && line["type"] != "compaction" {
            seen.extend(message(line));
        }
    }
    seen.extend(path[compaction + 1..].iter().filter_map(|line| message(line)));
    seen
}

fn message(line: &Value) -> Option<Value> {
    let time = milliseconds(line["timestamp"].as_str()?);
    let of = |role: &str, keys: &[&str]| {
        let mut object = Map::new();
        object.insert("role".to_owned(), role.into());
        for key in keys {
            if let Some(value) = line.get(*key) {
                object.insert((*key).to_owned(), value.clone());
            }
        }
        object.insert("timestamp".to_owned(), time.into());
        Some(Value::Object(object))
    };
    match line["type"].as_str()? {
        "message" => Some(line["message"].clone()),
        "custom_message" => of("custom", &["customType", "content", "display"]),
        "branch_summary" if line["summary"] != "" => of("branchSummary", &["summary", "fromId"]),
        "compaction" => of("compactionSummary", &["summary", "tokensBefore"]),
        _ => None,
    }
}

fn state(path: &[&Value]) -> Value {
    let last = |kind: &str, key: &str| {
        path.iter().rev().find(|line| line["type"] == kind).map(|line| line[key].clone())
    };
    let mut models: BTreeMap<String, Value> = BTreeMap::new();
    let mut rules: Vec<Value> = Vec::new();
    for line in path {
        if line["type"] == "model_change" {
            let role = line["role"].as_str().unwrap_or("default");
            models.insert(role.to_owned(), line["model"].clone());
        }
        for rule in line["injectedRules"].as_array().into_iter().flatten() {
            if !rules.contains(rule) {
                rules.push(rule.clone());
            }
        }
    }
    let answer = path.iter().rev().find(|line| line["message"]["role"] == "assistant");
    if let Some(answer) = answer.filter(|_| !models.contains_key("default")) {
        let model = &answer["message"];
        let name = format!("{}/{}", model["provider"].as_str().unwrap(), model["model"].as_str().unwrap());
        models.insert("default".to_owned(), name.into());
    }
    json!({
        "models": models,
        "thinking": last("thinking_level_change", "thinkingLevel").unwrap_or("off".into()),
        "tier": last("service_tier_change", "serviceTier").unwrap_or_default(),
        "mode": last("mode_change", "mode").unwrap_or("none".into()),
        "rules": rules,
        "tools": last("mcp_tool_selection", "selectedToolNames").unwrap_or_default(),
    })
}

/// A context as the reference says it.
pub fn said(context: &Context<'_>) -> Value {
    let messages: Vec<Value> =
        context.messages.iter().map(|seen| serde_json::to_value(&seen.message).unwrap()).collect();
    let state = &context.state;
    json!({ "messages": messages, "state": {
        "models": state.models,
        "thinking": state.thinking_level,
        "tier": state.service_tier,
        "mode": state.mode,
        "rules": state.injected_rules,
        "tools": state.selected_tools,
    } })
}
