//! Answers that must follow a JSON schema: always checked here, whatever the backend promises.

use serde_json::Value;

use super::AskError;

/// How many errors of an answer are reported.
const FAULTS_TOLD: usize = 5;

/// A schema that answers are checked against.
pub struct Schema {
    document: Value,
    validator: jsonschema::Validator,
}

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    /// It is not JSON, or not a schema.
    pub fn parse(text: &str) -> Result<Self, AskError> {
        let bad = |reason: String| AskError::Schema { reason };
        let document: Value = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
        let validator = jsonschema::validator_for(&document).map_err(|error| bad(error.to_string()))?;
        Ok(Self { document, validator })
    }

    /// The schema itself.
    #[must_use]
    pub fn document(&self) -> &Value {
        &self.document
    }

    /// The answer as data, if it follows the schema. Models like to put a fence around it, which is removed.
    ///
    /// # Errors
    /// It is not JSON, or does not follow the schema.
    pub fn check(&self, backend: &str, answer: &str) -> Result<Value, AskError> {
        let unfit = |faults: Vec<String>| AskError::Unfit { backend: backend.to_owned(), faults };
        let value: Value = serde_json::from_str(bare(answer))
            .map_err(|error| unfit(vec![format!("it is not JSON: {error}")]))?;
        let faults: Vec<String> = self
            .validator
            .iter_errors(&value)
            .take(FAULTS_TOLD)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        if faults.is_empty() { Ok(value) } else { Err(unfit(faults)) }
    }
}

/// The text without a fence around all of it.
fn bare(answer: &str) -> &str {
    let answer = answer.trim();
    let inner = answer
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"))
        .and_then(|rest| rest.split_once('\n'))
        .map(|(_info, inner)| inner.trim());
    inner.unwrap_or(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;

    #[test]
    fn answers_must_match_the_schema() {
        let schema = Schema::parse(SCHEMA).unwrap();
        for answer in [r#"{"n":1}"#, " {\"n\":1}\n", "```json\n{\"n\": 1}\n```"] {
            assert_eq!(schema.check("b", answer).unwrap()["n"], 1, "{answer}");
        }
        for answer in ["", "one", "{}", r#"{"n":"1"}"#, r#"{"n":1} and more"#] {
            assert!(schema.check("b", answer).is_err(), "{answer}");
        }
    }

    #[test]
    fn invalid_schemas_are_refused() {
        for text in ["", "{", r#"{"type":"nothing"}"#] {
            assert!(Schema::parse(text).is_err(), "{text}");
        }
    }
}
