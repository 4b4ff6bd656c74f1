//! A tool's schema as a provider accepts it.
//!
//! Providers read different parts of JSON Schema. What one of them would refuse is rewritten, and hints that have to go
//! move into the description, so that the model still reads them.

use relay_llm::Wire;
use serde_json::{Map, Value};

use super::Spec;

/// Keywords that Google's and Ollama's readers refuse or ignore.
const GOOGLE_DROPS: [&str; 8] =
    ["$schema", "$id", "additionalProperties", "default", "examples", "patternProperties", "const", "not"];

/// How deep references are followed, so that a schema that contains itself ends.
const DEPTH: usize = 24;

/// The tool as a request carries it.
#[must_use]
pub fn for_wire(spec: &Spec, grammar: Option<&str>, wire: Wire) -> relay_llm::Tool {
    let mut parameters = inlined(&spec.parameters, &spec.parameters, 0);
    match wire {
        Wire::Google => clean(&mut parameters, &GOOGLE_DROPS),
        Wire::OpenaiResponses => rename(&mut parameters, "oneOf", "anyOf"),
        _ => {}
    }
    relay_llm::Tool {
        name: spec.name.clone().into_owned(),
        description: spec.description.clone().into_owned(),
        parameters,
        grammar: grammar.map(str::to_owned),
    }
}

/// The schema with its local references put in place.
fn inlined(schema: &Value, root: &Value, depth: usize) -> Value {
    match schema {
        Value::Object(object) => {
            let target = object
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|reference| reference.strip_prefix('#'))
                .and_then(|pointer| root.pointer(pointer));
            if let Some(target) = target
                && depth < DEPTH
            {
                return inlined(target, root, depth + 1);
            }
            let kept =
                object.iter().filter(|(key, _)| !matches!(key.as_str(), "$defs" | "definitions" | "$schema"));
            let mut object: Map<String, Value> =
                kept.map(|(key, value)| (key.clone(), inlined(value, root, depth + 1))).collect();
            merge_single_all_of(&mut object);
            Value::Object(object)
        }
        Value::Array(items) => items.iter().map(|item| inlined(item, root, depth + 1)).collect(),
        other => other.clone(),
    }
}

/// `allOf` with one part is that part.
fn merge_single_all_of(object: &mut Map<String, Value>) {
    let single = object.get("allOf").and_then(Value::as_array).filter(|parts| parts.len() == 1);
    let Some(Value::Object(part)) = single.and_then(|parts| parts.first()).cloned() else { return };
    object.shift_remove("allOf");
    for (key, value) in part {
        object.entry(key).or_insert(value);
    }
}

/// Removes keywords; a default that goes is said in the description.
fn clean(schema: &mut Value, drops: &[&str]) {
    match schema {
        Value::Object(object) => {
            if let Some(default) = object.get("default").filter(|_| drops.contains(&"default")).cloned() {
                let description = object.get("description").and_then(Value::as_str).unwrap_or_default();
                let description = format!("{description} (default {default})").trim_start().to_owned();
                object.insert("description".to_owned(), description.into());
            }
            if let Some(constant) = object.get("const").filter(|_| drops.contains(&"const")).cloned() {
                object.insert("enum".to_owned(), Value::Array(vec![constant]));
            }
            // `properties` holds names of arguments, which may be any word.
            object.retain(|key, _| !drops.contains(&key.as_str()));
            for (key, value) in object.iter_mut() {
                match value {
                    Value::Object(named) if key == "properties" => {
                        named.values_mut().for_each(|value| clean(value, drops));
                    }
                    value => clean(value, drops),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| clean(item, drops)),
        _ => {}
    }
}

fn rename(schema: &mut Value, from: &str, to: &str) {
    match schema {
        Value::Object(object) => {
            if let Some(value) = object.shift_remove(from) {
                object.insert(to.to_owned(), value);
            }
            object.values_mut().for_each(|value| rename(value, from, to));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, from, to)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Concurrency;
    use super::*;

    fn check(parameters: Value, wire: Wire, expected: Value) {
        let spec = Spec {
            name: "t".into(),
            description: "d".into(),
            parameters,
            concurrency: Concurrency::Shared,
            hidden: false,
        };
        assert_eq!(for_wire(&spec, None, wire).parameters, expected);
    }

    #[test]
    fn references_are_put_in_place() {
        check(
            json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/A" } },
                "$defs": { "A": { "type": "string" } } }),
            Wire::AnthropicMessages,
            json!({ "type": "object", "properties": { "a": { "type": "string" } } }),
        );
    }

    #[test]
    fn a_schema_that_contains_itself_ends() {
        let spec = json!({ "properties": { "a": { "$ref": "#" } } });
        assert!(inlined(&spec, &spec, 0).to_string().len() < 10_000);
    }

    #[test]
    fn google_gets_no_keyword_it_refuses_and_still_reads_defaults() {
        check(
            json!({ "type": "object", "additionalProperties": false,
                "properties": { "default": { "type": "integer", "default": 3, "description": "How many." } } }),
            Wire::Google,
            json!({ "type": "object",
                "properties": { "default": { "type": "integer", "description": "How many. (default 3)" } } }),
        );
    }

    #[test]
    fn responses_take_any_of() {
        check(
            json!({ "oneOf": [{ "type": "string" }] }),
            Wire::OpenaiResponses,
            json!({ "anyOf": [{ "type": "string" }] }),
        );
    }
}
