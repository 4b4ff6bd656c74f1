//! Arguments against a tool's schema, with messages a model can act on.

use serde_json::{Map, Value};

/// How many faults are named at most; a model repairs the first few and asks again.
const FAULTS: usize = 5;

/// The arguments with the defaults of properties that were left out.
#[must_use]
pub fn with_defaults(schema: &Value, arguments: &Map<String, Value>) -> Map<String, Value> {
    let mut arguments = arguments.clone();
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        if let Some(default) = property.get("default")
            && !arguments.contains_key(name)
        {
            arguments.insert(name.clone(), default.clone());
        }
    }
    arguments
}

/// Checks arguments against a schema.
///
/// # Errors
/// What is wrong, one line each, naming the argument.
pub fn validate(schema: &Value, arguments: &Map<String, Value>) -> Result<(), Vec<String>> {
    let validator = match jsonschema::validator_for(schema) {
        Ok(validator) => validator,
        // A schema that cannot be used (a host's own tool may have one) is not a reason to refuse the call.
        Err(_) => return Ok(()),
    };
    let value = Value::Object(arguments.clone());
    let faults: Vec<String> = validator
        .iter_errors(&value)
        .take(FAULTS)
        .map(|error| {
            let place = error.instance_path().to_string();
            let place = place.trim_start_matches('/').replace('/', ".");
            if place.is_empty() { error.to_string() } else { format!("{place}: {error}") }
        })
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// The message for a model whose arguments do not fit.
#[must_use]
pub fn complain(tool: &str, faults: &[String], schema: &Value) -> String {
    let mut message = format!("The arguments of `{tool}` do not fit its schema, so it did not run:\n");
    for fault in faults {
        message.push_str("- ");
        message.push_str(fault);
        message.push('\n');
    }
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let names: Vec<String> =
            properties
                .keys()
                .map(|name| {
                    if required.contains(&name.as_str()) {
                        format!("{name} (required)")
                    } else {
                        name.clone()
                    }
                })
                .collect();
        message.push_str(&format!("It takes: {}. Call it again with these.", names.join(", ")));
    }
    message
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(arguments: Value) -> Result<(), Vec<String>> {
        let schema = json!({
            "type": "object",
            "properties": { "path": { "type": "string" }, "limit": { "type": "integer", "minimum": 1 } },
            "required": ["path"],
            "additionalProperties": false,
        });
        validate(&schema, arguments.as_object().unwrap())
    }

    #[test]
    fn arguments_that_fit_pass() {
        assert_eq!(check(json!({ "path": "a" })), Ok(()));
        assert_eq!(check(json!({ "path": "a", "limit": 3 })), Ok(()));
    }

    #[test]
    fn missing_arguments_get_their_defaults() {
        let schema = json!({ "properties": { "a": { "default": true }, "b": {}, "c": { "default": 1 } } });
        let arguments = with_defaults(&schema, json!({ "c": 2 }).as_object().unwrap());
        assert_eq!(Value::Object(arguments), json!({ "c": 2, "a": true }));
    }

    #[test]
    fn each_fault_names_its_argument() {
        let faults = check(json!({ "path": 7, "limit": 0, "odd": 1 })).unwrap_err().join("\n");
        assert!(faults.contains("path: "), "{faults}");
        assert!(faults.contains("limit: "), "{faults}");
        assert!(faults.contains("odd"), "{faults}");
        assert!(check(json!({})).unwrap_err().join("").contains("path"));
    }

    #[test]
    fn the_message_lists_what_the_tool_takes() {
        let schema = json!({ "properties": { "a": {}, "b": {} }, "required": ["b"] });
        let message = complain("t", &["x".to_owned()], &schema);
        assert!(
            message.contains("`t`") && message.contains("- x") && message.contains("a, b (required)"),
            "{message}"
        );
    }
}
