//! `calc`: arithmetic, so that a model need not do it in its head.

mod expression;
mod number;

use relay_agent::tool::{Access, Call, Concurrency, Output, Spec, Tool, ToolError};
use serde_json::{Map, Value, json};

pub struct Calc(Spec);

impl Calc {
    pub fn new() -> Self {
        Self(Spec {
            name: "calc".into(),
            description: include_str!("description.md").trim().into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "calculations": {
                        "type": "array",
                        "description": "Expressions to evaluate, in order",
                        "items": {
                            "type": "object",
                            "properties": {
                                "expression": { "type": "string", "description": "An arithmetic expression, such as `2 ** 10 / 3`" },
                                "prefix": { "type": "string", "description": "Put in front of the result" },
                                "suffix": { "type": "string", "description": "Put after the result" },
                            },
                            "required": ["expression", "prefix", "suffix"],
                            "additionalProperties": false,
                        },
                    },
                },
                "required": ["calculations"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Shared,
            hidden: false,
        })
    }
}

impl Tool for Calc {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, _: &Map<String, Value>) -> Vec<Access> {
        vec![Access::Conversation]
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let calculations = call.arguments.get("calculations").and_then(Value::as_array);
        let mut results = Vec::new();
        let mut lines = Vec::new();
        for calculation in calculations.into_iter().flatten() {
            ToolError::check(call.cancel)?;
            let part = |name: &str| calculation.get(name).and_then(Value::as_str).unwrap_or_default();
            let value = expression::evaluate(part("expression")).map_err(ToolError::Failed)?;
            let output = format!("{}{}{}", part("prefix"), number::shown(value), part("suffix"));
            results.push(json!({ "expression": part("expression"), "value": value, "output": output }));
            lines.push(output);
        }
        Ok(Output::text(lines.join("\n")).with_details(json!({ "results": results })))
    }
}
