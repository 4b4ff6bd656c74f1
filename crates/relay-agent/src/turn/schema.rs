//! Answers that must follow a JSON schema.

use serde_json::Value;

/// How many faults are named at most.
const FAULTS: usize = 5;

/// The value that an answer is: the whole of it, or what is in its only fence.
///
/// ```
/// use relay_agent::turn::structured;
/// assert_eq!(structured("```json\n{\"a\": 1}\n```").unwrap()["a"], 1);
/// assert!(structured("It is 1.").is_none());
/// ```
#[must_use]
pub fn structured(text: &str) -> Option<Value> {
    let text = text.trim();
    let fenced = text.strip_prefix("```").and_then(|rest| {
        let (_, rest) = rest.split_once('\n')?;
        rest.trim_end().strip_suffix("```")
    });
    serde_json::from_str(fenced.unwrap_or(text)).ok()
}

/// Checks an answer against a schema.
///
/// # Errors
/// What is wrong with it.
pub fn check(schema: &Value, text: &str) -> Result<(), Vec<String>> {
    let Some(value) = structured(text) else { return Err(vec!["it is not JSON".to_owned()]) };
    let Ok(validator) = jsonschema::validator_for(schema) else { return Ok(()) };
    let faults: Vec<String> = validator
        .iter_errors(&value)
        .take(FAULTS)
        .map(|error| match error.instance_path().to_string() {
            place if place.is_empty() => error.to_string(),
            place => format!("{}: {error}", place.trim_start_matches('/').replace('/', ".")),
        })
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_must_match_the_schema() {
        let schema =
            json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
        assert_eq!(check(&schema, "{\"n\": 1}"), Ok(()));
        assert_eq!(check(&schema, "```\n{\"n\": 1}\n```\n"), Ok(()));
        assert_eq!(check(&schema, "Sure: {\"n\": 1}"), Err(vec!["it is not JSON".to_owned()]));
        assert!(check(&schema, "{\"n\": \"x\"}").unwrap_err()[0].starts_with("n: "));
    }
}
