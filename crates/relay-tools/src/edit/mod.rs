//! `edit`: parts of a file.

use relay_agent::tool::{Access, Call, Concurrency, Output, Spec, Tool, ToolError};
use serde_json::{Map, Value, json};

use crate::landing::land_call;

pub struct Edit(Spec);

impl Edit {
    pub fn new() -> Self {
        Self(Spec {
            name: "edit".into(),
            description: include_str!("description.md").trim().into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string", "description": "The file, from the root of the workspace" },
                    "edits": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "properties": {
                                "old_text": { "type": "string", "description": "Text of the file, exactly as it is" },
                                "new_text": { "type": "string", "description": "What replaces it" },
                            },
                            "required": ["old_text", "new_text"],
                            "additionalProperties": false,
                        },
                    },
                },
                "required": ["path", "edits"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Exclusive,
            hidden: false,
        })
    }
}

impl Tool for Edit {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        vec![Access::Changes(path.to_owned())]
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        land_call(call, "edit")
    }
}
