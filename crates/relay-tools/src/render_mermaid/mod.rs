//! `render_mermaid`: a Mermaid diagram as a drawing of characters.
//!
//! Flowcharts, states, classes and entities are all one thing, a [`graph::Graph`] of boxes and lines that `layout` puts
//! into layers; sequence diagrams have their own shape. `canvas` joins lines where they meet.

mod boxes;
mod canvas;
mod flow;
mod graph;
mod layout;
mod paint;
mod sequence;
mod state;

use relay_agent::tool::{Access, Call, Concurrency, Output, Spec, Tool, ToolError};
use serde_json::{Map, Value, json};

use canvas::Style;

/// The longest diagram that is drawn.
const SOURCE_BYTES: usize = 64 << 10;

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

/// Draws a diagram.
///
/// # Errors
/// What is wrong with it, and in which line.
pub fn draw(source: &str, style: Style) -> Result<String, String> {
    if source.len() > SOURCE_BYTES {
        return Err(format!("The diagram has more than {} KiB; draw a part of it.", SOURCE_BYTES >> 10));
    }
    let lines = lines(source);
    let Some(((number, head), body)) = lines.split_first() else {
        return Err("The diagram is empty.".to_owned());
    };
    // `graph TD; A --> B` has its first statement in the same line.
    let (head, first) = head.split_once(';').unwrap_or((head, ""));
    let first = std::iter::once((*number, first.trim())).filter(|(_, line)| !line.is_empty());
    let body: Vec<(usize, &str)> = first.chain(body.iter().copied()).collect();
    let body = body.as_slice();
    let mut words = head.split_whitespace();
    let kind = words.next().unwrap_or_default();
    match kind {
        "graph" | "flowchart" => {
            flow::parse(words.next().unwrap_or("TD"), body).and_then(|graph| layout::draw(&graph, style))
        }
        "sequenceDiagram" => sequence::draw(body, style),
        "stateDiagram" | "stateDiagram-v2" => {
            state::parse(body).and_then(|graph| layout::draw(&graph, style))
        }
        "classDiagram" => boxes::classes(body).and_then(|graph| layout::draw(&graph, style)),
        "erDiagram" => boxes::entities(body).and_then(|graph| layout::draw(&graph, style)),
        other => Err(format!(
            "Line {number}: `{other}` cannot be drawn. Begin with graph, flowchart, sequenceDiagram, stateDiagram, classDiagram or erDiagram."
        )),
    }
}

/// The lines that say something, with their numbers: no comments, no front matter, no directives.
fn lines(source: &str) -> Vec<(usize, &str)> {
    let source = source.trim().trim_start_matches("```mermaid").trim_end_matches("```");
    let mut in_front = false;
    let mut said = Vec::new();
    for (number, line) in source.lines().enumerate() {
        let line = line.split("%%").next().unwrap_or_default().trim().trim_end_matches(';').trim();
        if line == "---" && (said.is_empty() || in_front) {
            in_front = !in_front;
        } else if !line.is_empty() && !in_front {
            said.push((number + 1, line));
        }
    }
    said
}

#[cfg(test)]
mod tests;
