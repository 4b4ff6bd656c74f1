//! The smallest answer that fits a JSON schema, for clients that hold the model to one without a script saying so.

use serde_json::{Map, Value, json};

use super::{Api, Request};

/// The schema the client wants the answer to follow, wherever its API has it.
pub(super) fn schema(request: &Request) -> Option<&Value> {
    let places: &[&str] = match request.api? {
        Api::Anthropic => &["/output_config/format/schema", "/output_format/schema"],
        Api::Responses => &["/text/format/schema"],
        Api::Chat => &["/response_format/json_schema/schema"],
        Api::Gemini => &["/generationConfig/responseJsonSchema", "/generationConfig/responseSchema"],
        Api::Ollama => &["/format"],
    };
    places.iter().find_map(|place| request.body.pointer(place)).filter(|schema| schema.is_object())
}

/// A value that fits the schema: every property, the first of every choice, the least of every number.
pub(super) fn sample(schema: &Value) -> Value {
    if let Some(value) = schema.get("const").or_else(|| schema["enum"].get(0)) {
        return value.clone();
    }
    if let Some(choice) = ["anyOf", "oneOf", "allOf"].iter().find_map(|name| schema[name].get(0)) {
        return sample(choice);
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or("object");
    match kind.to_ascii_lowercase().as_str() {
        "object" => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            Value::Object(
                properties.map(|(name, schema)| (name.clone(), sample(schema))).collect::<Map<_, _>>(),
            )
        }
        "array" if schema["minItems"].as_u64().is_some_and(|least| least > 0) => {
            json!([sample(&schema["items"])])
        }
        "array" => json!([]),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        "boolean" => json!(true),
        "null" => Value::Null,
        _ => json!("text"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::sample;

    #[test]
    fn samples_have_what_the_schema_asks_for() {
        let schema = json!({
            "type": "OBJECT",
            "properties": {
                "why": { "type": "STRING" },
                "score": { "type": ["integer", "null"], "minimum": 5 },
                "kind": { "enum": ["ship", "iterate"] },
                "findings": { "type": "array", "items": { "type": "string" } },
                "one": { "type": "array", "minItems": 1, "items": { "type": "boolean" } },
                "either": { "anyOf": [{ "type": "number" }, { "type": "null" }] },
            },
        });
        let expected = json!({
            "why": "text", "score": 5, "kind": "ship", "findings": [], "one": [true], "either": 1,
        });
        assert_eq!(sample(&schema), expected);
    }
}
