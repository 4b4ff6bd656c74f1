//! `write`: a whole file.

use relay_agent::tool::{Access, Call, Concurrency, Output, Spec, Tool, ToolError};
use serde_json::{Map, Value, json};

use crate::landing::land_call;

pub struct Write(Spec);

impl Write {
    pub fn new() -> Self {
        Self(Spec {
            name: "write".into(),
            description: include_str!("description.md").trim().into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string", "description": "The file, from the root of the workspace" },
                    "content": { "type": "string", "description": "The complete text of the file" },
                },
                "required": ["path", "content"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Exclusive,
            hidden: false,
        })
    }
}

impl Tool for Write {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        vec![Access::Changes(path.to_owned())]
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let (path, text) = (call.text("path").unwrap_or_default(), call.text("content").unwrap_or_default());
        if call.services.resources.knows(path) {
            call.services.resources.write(path, text, call.cancel)?;
            return Ok(Output::text(format!("Wrote {path}.")));
        }
        land_call(call, "write")
    }
}
