//! `relay sessions import`: sessions of other programs, from files or from those programs' own folders.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use relay_agent::import;
use relay_agent::session::{self, SessionLog};
use relay_diagnostics::Diagnostic;
use serde_json::{Value, json};

use super::{Here, entries, failure};
use crate::cli::ImportFrom;
use crate::failure::{BAD_USAGE, Failure};
use crate::terminal::{self, visible};

/// How deep to search other programs' folders, and how many files to look at.
const DEPTH: usize = 6;
const FILES: usize = 100_000;

/// Imports the files that the user named.
pub fn files(here: &Here, files: &[PathBuf], json: bool) -> Result<u8, Failure> {
    import_all(here, files, json)
}

/// Imports or lists the sessions in a program's own folders.
pub fn found(here: &Here, from: ImportFrom, list: bool, json: bool) -> Result<u8, Failure> {
    let folders = folders(from);
    let mut files = Vec::new();
    folders.iter().for_each(|folder| collect(folder, 0, &mut files));
    // Codex names its files by time; Claude Code keeps its subagents' sessions beside its own.
    files.retain(|path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match from {
            ImportFrom::Claude => !name.starts_with("agent-"),
            ImportFrom::Codex => name.starts_with("rollout-"),
            ImportFrom::Pi => true,
        }
    });
    files.sort();
    if files.is_empty() {
        let places = folders.iter().map(|path| format!("`{}`", visible(&path.display().to_string())));
        let places = places.collect::<Vec<_>>().join(", ");
        terminal::tell(&format!("there are no sessions in {places}\n"));
        return Ok(if json { terminal::print_document(&json!([])) } else { 0 });
    }
    if list {
        let paths: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
        return Ok(if json {
            terminal::print_document(&json!(paths))
        } else {
            terminal::print(&paths.iter().map(|path| format!("{}\n", visible(path))).collect::<String>())
        });
    }
    import_all(here, &files, json)
}

/// Where a program keeps its sessions. Variables that move those folders are honoured.
fn folders(from: ImportFrom) -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = variable("HOME").or_else(|| variable("USERPROFILE")).unwrap_or_default();
    match from {
        ImportFrom::Claude => {
            vec![variable("CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.join(".claude")).join("projects")]
        }
        ImportFrom::Codex => {
            vec![variable("CODEX_HOME").unwrap_or_else(|| home.join(".codex")).join("sessions")]
        }
        ImportFrom::Pi => {
            let known = [".pi", ".omp", ".gjc"].map(|name| home.join(name).join("agent/sessions"));
            variable("PI_CODING_AGENT_DIR")
                .map(|path| path.join("sessions"))
                .into_iter()
                .chain(known)
                .collect()
        }
    }
}

/// The session files below a folder. Links are not followed.
#[expect(clippy::disallowed_methods, reason = "other programs' sessions are not in the workspace")]
fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(listing) = std::fs::read_dir(folder) else { return };
    for item in listing.flatten() {
        let (path, Ok(kind)) = (item.path(), item.file_type()) else { continue };
        if files.len() >= FILES {
            return;
        }
        if kind.is_dir() && depth < DEPTH {
            collect(&path, depth + 1, files);
        } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "jsonl") {
            files.push(path);
        }
    }
}

fn import_all(here: &Here, files: &[PathBuf], json: bool) -> Result<u8, Failure> {
    let known = session::list(&here.store, None).map_err(|error| failure(&error))?;
    let mut known: HashSet<String> = known.sessions.into_iter().map(|info| info.id).collect();
    let (mut documents, mut failures) = (Vec::new(), 0);
    for path in files {
        let document = match import_one(here, path, &mut known) {
            Ok(document) => document,
            Err(reason) => {
                failures += 1;
                json!({ "file": path, "status": "failed", "reason": reason })
            }
        };
        if !json {
            terminal::tell(&told(path, &document));
        }
        documents.push(document);
    }
    if json {
        terminal::print_document(&Value::Array(documents));
    }
    if failures == files.len() && !json {
        return Err(Failure::usage(Diagnostic::error(BAD_USAGE, "nothing was imported")));
    }
    Ok(if failures == 0 { 0 } else { 3 })
}

fn import_one(here: &Here, path: &Path, known: &mut HashSet<String>) -> Result<Value, String> {
    let mut imported = import::read(read(path)?).map_err(|error| error.to_string())?;
    // …/agent/sessions/<project>/<file> and …/agent/blobs/<digest>
    let blobs = path.ancestors().nth(3).map(|agent| agent.join("blobs"));
    let missing = imported.bring_pictures(&|digest| read(&blobs.as_ref()?.join(digest)).ok());
    let id = imported.document.header.id().to_owned();
    if known.contains(&id) {
        return Ok(json!({ "file": path, "status": "known", "id": id }));
    }
    let left_out: Vec<Value> = imported
        .left_out
        .iter()
        .map(|kind| json!({ "what": kind.what, "count": kind.count }))
        .chain((missing > 0).then(|| json!({ "what": "stored pictures that are missing", "count": missing })))
        .collect();
    let log = SessionLog::adopt(&here.store, imported.document, &here.project)
        .map_err(|error| error.to_string())?;
    known.insert(log.id().to_owned());
    Ok(json!({
        "file": path, "status": "imported", "id": log.id(), "program": imported.program.name(),
        "project": log.cwd(), "entries": log.entries().len(), "left_out": left_out,
    }))
}

#[expect(
    clippy::disallowed_methods,
    reason = "a file named on the command line is the user's, not the workspace's"
)]
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let facts = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !facts.is_file() {
        return Err("it is not a file".to_owned());
    }
    if facts.len() > import::FILE_LIMIT_BYTES {
        return Err(import::ImportError::TooLarge { bytes: facts.len() }.to_string());
    }
    std::fs::read(path).map_err(|error| error.to_string())
}

/// The result for one file, for people.
fn told(path: &Path, document: &Value) -> String {
    let text = |key: &str| document.get(key).and_then(Value::as_str).unwrap_or_default();
    let file = path.display().to_string();
    let file = visible(&file);
    match text("status") {
        "imported" => {
            let number = document.get("entries").and_then(Value::as_u64).unwrap_or_default();
            let number = entries(usize::try_from(number).unwrap_or(usize::MAX));
            let mut lines =
                format!("imported {} ({}, {number}) from {file}\n", visible(text("id")), text("program"));
            let left_out = document.get("left_out").and_then(Value::as_array).into_iter().flatten();
            let parts: Vec<String> = left_out
                .filter_map(|kind| {
                    Some(format!("{} × {}", kind.get("count")?, visible(kind.get("what")?.as_str()?)))
                })
                .collect();
            if !parts.is_empty() {
                lines.push_str(&format!("  left out: {}\n", parts.join(", ")));
            }
            lines
        }
        "known" => format!("{file} was imported before, as {}\n", visible(text("id"))),
        _ => format!("error: {file} was not imported: {}\n", visible(text("reason"))),
    }
}
