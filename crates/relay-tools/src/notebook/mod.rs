//! `notebook`: one cell of a Jupyter notebook, changed, inserted or removed. Nothing is run.
//!
//! Only the bytes of that cell change: everything else in the file, its order, its spacing and fields that Relay does
//! not know, stays as it is.

mod from_text;
mod pieces;
mod splice;
mod text;

use relay_agent::tool::{Access, Call, Concurrency, Output, Spec, Tool, ToolError};
use relay_workspace::FILE_LIMIT_BYTES;
use serde_json::{Map, Value, json};

use self::splice::{Change, Notebook};
use crate::edit::{refuse_in_plan_mode, relative};
use crate::landing::land_bytes;
pub use from_text::from_text;
pub use text::as_text;

/// The tool.
pub struct EditNotebook(Spec);

impl EditNotebook {
    /// Makes it.
    pub fn new() -> Self {
        Self(Spec {
            name: "notebook".into(),
            description: include_str!("description.md").trim().into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "action": { "type": "string", "enum": ["edit", "insert", "delete"], "description": "What to do with the cell" },
                    "notebook_path": { "type": "string", "description": "The `.ipynb` file, from the root of the workspace" },
                    "cell_index": { "type": "integer", "minimum": 0, "description": "Which cell, counted from 0; `insert` puts the new one before it, or at the end with the number of cells" },
                    "content": { "type": "string", "description": "The cell's source, for `edit` and `insert`" },
                    "cell_type": { "type": "string", "enum": ["code", "markdown"], "description": "Of an inserted cell", "default": "code" },
                },
                "required": ["action", "notebook_path", "cell_index"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Exclusive,
            hidden: false,
        })
    }
}

impl Tool for EditNotebook {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        let path = arguments.get("notebook_path").and_then(Value::as_str).unwrap_or_default();
        vec![Access::Changes(path.to_owned())]
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        refuse_in_plan_mode(call)?;
        let failed = |message: String| ToolError::Failed(message);
        let workspace = call.services.engine.workspace();
        let written = relative(&call.services.engine, call.text("notebook_path").unwrap_or_default());
        let path = workspace.path(&written).map_err(|refusal| failed(format!("{refusal}.")))?;
        if !path.as_str().to_ascii_lowercase().ends_with(".ipynb") {
            return Err(failed(format!("{path} is not a notebook; its name must end in .ipynb.")));
        }
        let file = workspace
            .root_dir()
            .read(path.as_str(), FILE_LIMIT_BYTES)
            .map_err(|error| failed(format!("{error}.")))?;
        let file =
            file.ok_or_else(|| failed(format!("Notebook not found: {path}. Use `find` to look for it.")))?;
        let index = usize::try_from(call.number("cell_index").unwrap_or_default()).unwrap_or(usize::MAX);
        let change = change(call)?;
        let before = Notebook::parse(&file.bytes).map_err(failed)?;
        let done = before.change(index, &change).map_err(failed)?;
        let action = call.text("action").unwrap_or_default();
        let reason = format!("{action} cell {index} of {path}");
        let transactions = land_bytes(call, &path, Some(&file.bytes), done.bytes, &reason)?;
        let of = done.cells;
        let text = match change {
            Change::Edit(_) => {
                format!("Replaced cell {index} ({}) of {path}; it has {of} cells.", done.cell_type)
            }
            Change::Insert { .. } => {
                format!("Inserted {} cell {index} into {path}; it has {of} cells.", done.cell_type)
            }
            Change::Delete => {
                format!("Deleted cell {index} ({}) of {path}; it has {of} cells.", done.cell_type)
            }
        };
        let details = json!({
            "action": action, "cellIndex": index, "cellType": done.cell_type, "totalCells": of, "cellSource": done.source,
        });
        Ok(Output { transactions, ..Output::text(text).with_details(details) })
    }
}

fn change<'c>(call: &'c Call<'_>) -> Result<Change<'c>, ToolError> {
    let action = call.text("action").unwrap_or_default();
    let content = || {
        let missing = || ToolError::Failed(format!("`content` is required for action `{action}`."));
        call.text("content").ok_or_else(missing)
    };
    Ok(match action {
        "edit" => Change::Edit(content()?),
        "insert" => {
            Change::Insert { source: content()?, cell_type: call.text("cell_type").unwrap_or("code") }
        }
        _ => Change::Delete,
    })
}

#[cfg(test)]
mod tests;
