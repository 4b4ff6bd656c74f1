//! `read`: a file with its anchors, or a folder's names. What was shown is remembered, so that anchors stay good.

use relay_agent::tool::{Access, Call, Concurrency, Output, Spec, Tool, ToolError};
use relay_edit::anchors;
use relay_engine::views;
use relay_workspace::RelPath;
use serde_json::{Map, Value, json};

/// How many lines are shown unless the call names some.
const LINES: usize = 300;

pub struct Read(Spec);

impl Read {
    pub fn new() -> Self {
        Self(Spec {
            name: "read".into(),
            description: include_str!("description.md").trim().into(),
            parameters: json!({
                "type": "object",
                "properties": { "path": { "type": "string", "description": "The file, with lines if wanted: `src/a.rs:10-40`" } },
                "required": ["path"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Shared,
            hidden: false,
        })
    }
}

impl Tool for Read {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        vec![Access::Reads(parts(path).0.to_owned())]
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let (name, lines) = parts(call.text("path").unwrap_or_default());
        if call.services.resources.knows(name) {
            return Ok(Output::text(call.services.resources.read(name, call.cancel)?.text));
        }
        let workspace = call.services.engine.workspace();
        let path = workspace.path(name).map_err(|refusal| ToolError::failed(refusal.to_string()))?;
        match workspace.read(&path) {
            Ok(Some(file)) => file_lines(call, &path, &file.bytes, lines),
            Ok(None) => Err(missing(call, &path)),
            Err(error) => Err(ToolError::failed(error.to_string())),
        }
    }
}

/// A path and the lines it names.
fn parts(path: &str) -> (&str, Option<(usize, usize)>) {
    let range = |text: &str| -> Option<(usize, usize)> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        Some((first.parse().ok().filter(|first| *first > 0)?, last.parse().ok()?))
    };
    match path.rsplit_once(':').and_then(|(path, lines)| Some((path, range(lines)?))) {
        Some((path, lines)) => (path, Some(lines)),
        None => (path, None),
    }
}

fn file_lines(
    call: &Call<'_>,
    path: &RelPath,
    bytes: &[u8],
    lines: Option<(usize, usize)>,
) -> Result<Output, ToolError> {
    let (first, last) = lines.unwrap_or((1, LINES));
    let (_, total) = anchors::plain(bytes, first, last);
    if first > total.max(1) {
        return Err(ToolError::failed(format!("{path} has {total} lines, so there is no line {first}.")));
    }
    let last = last.min(total);
    let engine = &call.services.engine;
    let shown = (first > 1 || last < total).then_some((first, last));
    views::remember(engine, path, bytes, shown).map_err(|error| ToolError::failed(error.to_string()))?;
    let mut text = anchors::anchored(bytes, first, last);
    if last < total {
        text.push_str(&format!(
            "[lines {first}-{last} of {total}; read {path}:{}-{} for more]\n",
            last + 1,
            (last + LINES).min(total)
        ));
    }
    let details = json!({ "path": path.as_str(), "lines": [first, last], "total": total });
    Ok(Output::text(text).with_details(details))
}

fn missing(call: &Call<'_>, path: &RelPath) -> ToolError {
    let near = call.services.engine.workspace().suggest(path);
    let hint = if near.is_empty() { String::new() } else { format!(" Did you mean {}?", near.join(" or ")) };
    ToolError::failed(format!("{path} does not exist.{hint}"))
}
