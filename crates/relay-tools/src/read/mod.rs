//! `read`: everything that can be looked at, by one path.
//!
//! [`Read::run`] decides what a path names (an internal address, an archive, a database, a file, a folder) and leaves
//! the rest to one module each. What was shown of a file is remembered, so that anchors stay good when the file changes.

mod archived;
mod database;
pub mod display;
mod document;
mod file;
pub mod folder;
mod missing;
mod notebook;
mod picture;
pub mod selector;

use relay_agent::tool::{Access, Call, Concurrency, Output, Spec, Tool, ToolError};
use relay_diagnostics::display::visible_line;
use relay_workspace::{Kind, Place, PlaceError};
use serde_json::{Map, Value, json};

use self::selector::Selection;
use crate::{archive, sqlite, urls};

/// The tool.
pub struct Read(Spec);

impl Read {
    /// Makes it.
    pub fn new() -> Self {
        Self(Spec {
            name: "read".into(),
            description: include_str!("description.md").trim().into(),
            parameters: json!({
                "type": "object",
                "properties": { "path": {
                    "type": "string",
                    "description": "Path or internal URL, with a selector if wanted: `src/a.rs:50-100`, `a.zip:b/c.txt`, `a.db:users?limit=5`, `artifact://3`",
                } },
                "required": ["path"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Shared,
            hidden: false,
        })
    }
}

/// What a path names, before anything is looked at.
#[derive(Debug, PartialEq, Eq)]
enum Target<'p> {
    /// An internal address.
    Internal,
    /// A web address.
    Web,
    /// An archive and what is in it.
    Archive(&'p str, &'p str, archive::Format),
    /// A database and what is wanted from it.
    Database(&'p str, &'p str),
    /// Anything else.
    Plain,
}

fn target(path: &str) -> Target<'_> {
    if is_web(path) {
        return Target::Web;
    }
    if urls::is_address(path) {
        return Target::Internal;
    }
    // The shortest name: what comes after it is inside.
    if let Some((archive, inner, format)) = archive::candidates(path).pop() {
        return Target::Archive(archive, inner, format);
    }
    match sqlite::candidates(path).pop() {
        Some((database, rest)) => Target::Database(database, rest),
        None => Target::Plain,
    }
}

fn is_web(path: &str) -> bool {
    ["http://", "https://", "www."]
        .iter()
        .any(|start| path.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start)))
}

/// The file or folder that a path is about, without what follows it.
fn subject(path: &str) -> &str {
    match target(path) {
        Target::Archive(archive, ..) => archive,
        Target::Database(database, _) => database,
        Target::Internal | Target::Web => path,
        Target::Plain => Selection::split(path).map_or(path, |(path, _)| path),
    }
}

impl Tool for Read {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        // A bare `/` is the workspace.
        let subject = Some(subject(path.trim())).filter(|subject| *subject != "/").unwrap_or(".");
        vec![Access::Reads(subject.to_owned())]
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let path = call.text("path").unwrap_or_default().trim();
        if path.is_empty() {
            return Err(ToolError::failed(
                "The path is empty. Name a file, a folder or an internal address.",
            ));
        }
        match target(path) {
            Target::Web => Err(ToolError::failed(format!(
                "{} is a web address. This `read` opens files, folders and internal addresses only.",
                visible_line(path)
            ))),
            Target::Internal => urls::read(call, path),
            Target::Archive(archive, inner, format) => match located(call, archive)? {
                (place, note) if is_file(&place) => {
                    Ok(noted(archived::read(call, &place, inner, format)?, note))
                }
                _ => plain(call, path),
            },
            Target::Database(database, rest) => {
                let (place, note) = located(call, database)?;
                match self::database::head(&place) {
                    Some(head) => Ok(noted(self::database::read(call, &place, &head, rest)?, note)),
                    None => plain(call, path),
                }
            }
            Target::Plain => plain(call, path),
        }
    }
}

/// The place that a path names, repaired if it has to be.
pub fn located(call: &Call<'_>, path: &str) -> Result<(Place, String), ToolError> {
    let workspace = call.services.engine.workspace();
    let place = workspace.place(path, call.services.home.as_deref()).map_err(|error| refused(&error))?;
    match place.facts() {
        Ok(Some(_)) => Ok((place, String::new())),
        Ok(None) if !place.is_inside() && !path.starts_with('/') => Err(not_there(&place)),
        // What leads through something that is not a folder is not there either.
        Ok(None) | Err(relay_workspace::ReadError::NotADirectory { .. }) => {
            let found = missing::resolve(call, path)?;
            Ok((found.place, found.note))
        }
        Err(error) => Err(file::failed(&error)),
    }
}

fn not_there(place: &Place) -> ToolError {
    ToolError::failed(format!("{} does not exist.", visible_line(place.shown())))
}

fn refused(error: &PlaceError) -> ToolError {
    match error {
        PlaceError::Read(error) => file::failed(error),
        error => ToolError::failed(format!("{error}.")),
    }
}

fn is_file(place: &Place) -> bool {
    matches!(place.facts(), Ok(Some(facts)) if facts.kind == Kind::File)
}

/// Puts what the model must know before everything else.
fn noted(mut output: Output, note: String) -> Output {
    if !note.is_empty() {
        let details = output.details.take().unwrap_or_else(|| json!({}));
        output.content.insert(0, relay_agent::session::Block::text(note.clone()));
        output.details = Some(details);
        if let Some(Value::Object(details)) = &mut output.details {
            details.insert("suffixResolution".to_owned(), note.trim().into());
        }
    }
    output
}

/// A file or a folder.
fn plain(call: &Call<'_>, path: &str) -> Result<Output, ToolError> {
    let workspace = call.services.engine.workspace();
    // A file may have a name that looks like a selector. Outside, only what was decided about is opened.
    let literal = workspace.place(path, None).ok().filter(|place| place.is_inside() && is_file(place));
    let (place, note, selection) = match literal {
        Some(place) => (place, String::new(), Selection::default()),
        None => {
            let (path, selection) = Selection::split(path)?;
            let (place, note) = located(call, path)?;
            (place, note, selection)
        }
    };
    let facts = place.facts().map_err(|error| file::failed(&error))?;
    let output = match facts.map(|facts| facts.kind) {
        Some(Kind::Directory) => folder::read(call, &place, &selection),
        Some(Kind::Symlink) => Err(link(&place)),
        _ => {
            let opened = place.open_file().map_err(|error| file::failed(&error))?;
            let (file, facts) = opened.ok_or_else(|| not_there(&place))?;
            by_content(call, file::Opened { place: &place, file, facts, selection })
        }
    }?;
    Ok(noted(output, note))
}

fn link(place: &Place) -> ToolError {
    let target = place.link().unwrap_or_default();
    ToolError::failed(format!(
        "`{}` is a symbolic link to `{}`. Links are not followed; read where it leads instead.",
        visible_line(place.shown()),
        visible_line(&target)
    ))
}

/// Pictures by their first bytes, notebooks and documents by their names, everything else as text.
fn by_content(call: &Call<'_>, opened: file::Opened<'_>) -> Result<Output, ToolError> {
    if !opened.selection.raw {
        if let Some(picture) = picture::read(call, &opened)? {
            return Ok(picture);
        }
        if let Some(notebook) = notebook::read(call, &opened)? {
            return Ok(notebook);
        }
        if let Some(document) = document::read(call, &opened)? {
            return Ok(document);
        }
    }
    opened.read(call)
}

#[cfg(test)]
mod tests;
