//! `write`: a whole file, an entry of an archive, or a row of a database.
//!
//! An archive wins over a database, and a database over a plain file, because a path such as `a.zip:b.db` can only mean one
//! thing. Files and archives land through the engine; a row is written by SQLite itself inside a capture, because replacing
//! a database that another program has open can corrupt it.

mod archive;
mod database;
mod file;
mod json5;

use relay_agent::tool::{Access, Call, Concurrency, Output, Services, Spec, Tool, ToolError};
use relay_engine::Engine;
use serde_json::{Map, Value, json};

use crate::edit::{refuse_in_plan_mode, relative, unified};

/// The tool.
pub struct Write(Spec);

impl Write {
    pub fn new() -> Self {
        Self(Spec {
            name: "write".into(),
            description: include_str!("description.md").trim().into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string", "description": "A file, `archive.zip:entry`, `data.db:table` or `data.db:table:key`" },
                    "content": { "type": "string", "description": "The complete text; for a row a JSON5 object" },
                },
                "required": ["path", "content"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Exclusive,
            hidden: false,
        })
    }
}

/// What a path means.
enum Target {
    File(String),
    Archive(archive::Place),
    Row(database::Place),
}

/// What a path means, as far as the files that are there decide.
fn target(engine: &Engine, path: &str) -> Result<Target, ToolError> {
    let path = relative(engine, path);
    if let Some(place) = archive::place(engine, &path)? {
        return Ok(Target::Archive(place));
    }
    if let Some(place) = database::place(engine, &path)? {
        return Ok(Target::Row(place));
    }
    if let Some((scheme, _)) =
        path.split_once("://").filter(|(scheme, _)| scheme.chars().all(char::is_alphanumeric))
    {
        return Err(ToolError::failed(format!("`{scheme}://` addresses cannot be written; name a file.")));
    }
    Ok(Target::File(path))
}

impl Tool for Write {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        if path.contains("://") {
            return vec![Access::Changes(path.to_owned())];
        }
        // Which file the path means is only known later; the shortest one that it could mean is on the safe side.
        let archive = crate::archive::candidates(path).pop().map(|(archive, ..)| archive);
        let database = crate::sqlite::candidates(path).pop().map(|(database, _)| database);
        vec![Access::Changes(archive.or(database).unwrap_or(path).to_owned())]
    }

    fn preview(&self, arguments: &Map<String, Value>, services: &Services) -> Option<String> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let Ok(Target::File(path)) = target(&services.engine, text("path")?) else { return None };
        let workspace = services.engine.workspace();
        let before = workspace.read(&workspace.path(&path).ok()?).ok()?.map(|file| file.bytes);
        Some(unified(&path, before.as_deref(), text("content").map(str::as_bytes)))
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let (path, content) =
            (call.text("path").unwrap_or_default(), call.text("content").unwrap_or_default());
        if call.services.resources.knows(path) {
            call.services.resources.write(path, content, call.cancel)?;
            return Ok(Output::text(format!("Wrote {path}.")));
        }
        refuse_in_plan_mode(call)?;
        match target(&call.services.engine, path)? {
            Target::File(path) => file::write(call, &path, content),
            Target::Archive(place) => archive::write(call, &place, content),
            Target::Row(place) => database::write(call, &place, content),
        }
    }
}

#[cfg(test)]
mod tests;
