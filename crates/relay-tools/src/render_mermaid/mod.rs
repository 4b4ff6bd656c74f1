//! `render_mermaid`: a Mermaid diagram as a drawing of characters. `relay_syntax::mermaid` draws it.

use relay_agent::tool::{Access, Call, Concurrency, Output, Spec, Tool, ToolError};
use relay_syntax::mermaid::{Style, draw};
use serde_json::{Map, Value, json};

/// The tool.
pub struct RenderMermaid(Spec);

impl RenderMermaid {
    /// Makes it.
    pub fn new() -> Self {
        Self(Spec {
            name: "render_mermaid".into(),
            description: include_str!("description.md").trim().into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "mermaid": { "type": "string", "description": "The diagram" },
                    "config": {
                        "type": "object",
                        "properties": {
                            "useAscii": { "type": "boolean", "description": "Only ASCII characters", "default": false },
                            "paddingX": { "type": "integer", "minimum": 1, "maximum": 40, "description": "Columns between boxes", "default": 5 },
                            "paddingY": { "type": "integer", "minimum": 1, "maximum": 40, "description": "Rows between boxes", "default": 3 },
                            "boxBorderPadding": { "type": "integer", "minimum": 0, "maximum": 10, "description": "Blanks inside boxes", "default": 1 },
                        },
                        "additionalProperties": false,
                    },
                },
                "required": ["mermaid"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Shared,
            hidden: false,
        })
    }
}

impl Tool for RenderMermaid {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, _: &Map<String, Value>) -> Vec<Access> {
        vec![Access::Conversation]
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let config = call.arguments.get("config");
        let number = |key: &str, default: usize| {
            let given = config.and_then(|config| config.get(key)).and_then(Value::as_u64);
            given.and_then(|given| usize::try_from(given).ok()).unwrap_or(default)
        };
        let style = Style {
            ascii: config.and_then(|config| config.get("useAscii")).and_then(Value::as_bool).unwrap_or(false),
            padding_x: number("paddingX", 5),
            padding_y: number("paddingY", 3),
            inner: number("boxBorderPadding", 1),
        };
        let drawing = draw(call.text("mermaid").unwrap_or_default(), style).map_err(ToolError::Failed)?;
        let mut text = format!("{drawing}\n");
        let mut details = json!({ "lines": drawing.lines().count() });
        if let Some(artifacts) = &call.services.artifacts {
            let id = artifacts
                .save("render_mermaid", text.as_bytes())
                .map_err(|error| ToolError::failed(error.to_string()))?;
            text.push_str(&format!("\n[Saved as artifact://{id}]\n"));
            details = json!({ "lines": drawing.lines().count(), "artifactId": id });
        }
        Ok(Output::text(text).with_details(details))
    }
}
