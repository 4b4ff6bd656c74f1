//! `inspect_image`: a question about a picture, for conversations whose own model should not get the picture.

use relay_agent::tool::{Access, Call, Concurrency, Output, Picture, Spec, Tool, ToolError};
use relay_workspace::read_opened;
use serde_json::{Map, Value, json};

use crate::pictures::{self, MAX_INPUT_BYTES};
use crate::read::folder::size;
use crate::read::located;

/// The tool.
pub struct InspectImage(Spec);

impl InspectImage {
    /// Makes it.
    pub fn new() -> Self {
        Self(Spec {
            name: "inspect_image".into(),
            description: include_str!("description.md").trim().into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string", "description": "The picture" },
                    "question": { "type": "string", "description": "What you want to know about it" },
                },
                "required": ["path", "question"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Shared,
            hidden: false,
        })
    }
}

impl Tool for InspectImage {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        vec![Access::Reads(path.to_owned())]
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let question = call.text("question").unwrap_or_default().trim();
        if question.is_empty() {
            return Err(ToolError::failed(
                "The question is empty. Say what you want to know about the picture.",
            ));
        }
        if call.services.is_on("images.blockImages", false) {
            return Err(ToolError::failed(
                "Sending pictures is blocked by the setting `images.blockImages`. The user can turn it off.",
            ));
        }
        let (place, _) = located(call, call.text("path").unwrap_or_default())?;
        let name = place.shown();
        let opened = place.open_file().map_err(|error| ToolError::failed(format!("{error}.")))?;
        let (file, facts) = opened.ok_or_else(|| ToolError::failed(format!("{name} does not exist.")))?;
        if facts.size > MAX_INPUT_BYTES {
            let (has, most) = (size(facts.size), size(MAX_INPUT_BYTES));
            return Err(ToolError::failed(format!(
                "{name} has {has}; pictures up to {most} are read. Make it smaller first."
            )));
        }
        let bytes = read_opened(&file, &facts, MAX_INPUT_BYTES)
            .map_err(|error| ToolError::failed(format!("{name} cannot be read: {error}.")))?;
        let wrong = |reason: String| ToolError::failed(format!("{name}: {reason}"));
        let known = pictures::facts(&bytes).map_err(wrong)?;
        let sent = pictures::for_model(&bytes, call.services.is_on("images.autoResize", true), call.cancel)
            .map_err(wrong)?;
        ToolError::check(call.cancel)?;
        let picture = Picture { mime_type: sent.mime_type.to_owned(), data: sent.base64() };
        let answered = call.services.vision.look(question, &picture, call.cancel);
        ToolError::check(call.cancel)?;
        let (model, answer) = answered.map_err(ToolError::failed)?;
        let details = json!({ "path": name, "model": model, "picture": known.document() });
        Ok(Output::text(answer).with_details(details))
    }
}
