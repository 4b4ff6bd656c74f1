//! `search`: a pattern in files, with anchors, so that what is found can be edited right away.

mod remember;
mod scopes;
mod show;

use relay_agent::tool::{Access, Call, Concurrency, Output, Spec, Tool, ToolError};
use relay_workspace::search::{Case, FileMatches, Found, Limits, Query, SearchError};
use serde_json::{Map, Value, json};

pub use scopes::begin;

/// How many matches are shown.
const SHOWN: usize = 100;
/// How many are taken, from which those that are shown are chosen.
const TAKEN: usize = 500;
/// The longest part of a line.
const COLUMNS: usize = 1_024;

/// The tool.
pub struct Search(Spec);

impl Search {
    /// Makes it.
    pub fn new() -> Self {
        Self(Spec {
            name: "search".into(),
            description: include_str!("description.md").trim().into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "pattern": { "type": "string", "description": "Regular expression" },
                    "paths": { "type": "array", "items": { "type": "string" }, "description": "Files, folders, globs or internal URLs; default: the workspace" },
                    "i": { "type": "boolean", "description": "Ignore case", "default": false },
                    "gitignore": { "type": "boolean", "description": "Leave out what .gitignore names", "default": true },
                    "skip": { "type": "integer", "minimum": 0, "description": "Matches to pass over, to see later ones", "default": 0 },
                },
                "required": ["pattern"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Shared,
            hidden: false,
        })
    }
}

/// The paths that a call names.
pub fn paths(arguments: &Map<String, Value>) -> Vec<String> {
    let named = arguments.get("paths").and_then(Value::as_array).into_iter().flatten();
    let named: Vec<String> = named
        .filter_map(Value::as_str)
        .map(str::trim)
        .filter(|path| !path.is_empty())
        .map(str::to_owned)
        .collect();
    if named.is_empty() { vec![".".to_owned()] } else { named }
}

/// What policy is asked about: the folder that a glob begins in.
pub fn access(arguments: &Map<String, Value>) -> Vec<Access> {
    // A bare `/` is the workspace.
    let begin = |path: &str| match scopes::begin(path).0 {
        "/" => ".".to_owned(),
        begin => begin.to_owned(),
    };
    let mut needs: Vec<Access> = paths(arguments).iter().map(|path| Access::Reads(begin(path))).collect();
    needs.dedup();
    needs
}

impl Tool for Search {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        access(arguments)
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let pattern = call.text("pattern").unwrap_or_default();
        if pattern.is_empty() {
            return Err(ToolError::failed("The pattern is empty. Write a regular expression."));
        }
        let query = Query {
            pattern: pattern.to_owned(),
            case: if call.flag("i") { Case::Insensitive } else { Case::Sensitive },
            ..Query::default()
        };
        let skip = usize::try_from(call.number("skip").unwrap_or_default()).unwrap_or(usize::MAX);
        let lines = |key: &str, default: f64| call.services.number(key, default).clamp(0.0, 100.0) as usize;
        let limits = Limits {
            // Pages of what is taken, so that the order is the same for every page.
            skip: skip / TAKEN * TAKEN,
            matches: TAKEN,
            columns: COLUMNS,
            before: lines("search.contextBefore", 1.0),
            after: lines("search.contextAfter", 3.0),
            lines: true,
        };
        let found = self::search(call, &query, &limits)?;
        if found.is_cancelled {
            return Err(ToolError::aborted());
        }
        let total = found.matches;
        let page = found.round_robin_page(skip - limits.skip, SHOWN);
        let (output, shown) = show::show(call, &page, skip, total);
        remember::remember(call, page.files.get(..shown).unwrap_or_default());
        Ok(output)
    }
}

/// Searches everywhere that the call names.
fn search(call: &Call<'_>, query: &Query, limits: &Limits) -> Result<Found, ToolError> {
    let scopes = scopes::of(call)?;
    let mut all = Found::default();
    let failed = |error: SearchError| match error {
        SearchError::Missing(paths) => ToolError::failed(format!("Path not found: {}", paths.join(", "))),
        error => ToolError::failed(error.to_string()),
    };
    for (address, text) in &scopes.texts {
        let matches: FileMatches =
            relay_workspace::search::search_text(address, text.as_bytes(), query, limits).map_err(failed)?;
        add(
            &mut all,
            Found {
                matches: matches.count,
                matching_files: usize::from(matches.count > 0),
                files: vec![matches],
                ..Found::default()
            },
        );
    }
    for (workspace, prefix, scope) in &scopes.folders {
        let workspace = workspace.as_ref().unwrap_or_else(|| call.services.engine.workspace());
        let mut found = workspace.search(query, scope, limits, call.cancel).map_err(failed)?;
        for file in &mut found.files {
            file.path = format!("{prefix}{}", file.path);
        }
        add(&mut all, found);
    }
    all.missing.extend(scopes.missing);
    all.files.retain(|file| file.count > 0);
    if scopes.texts.is_empty() && scopes.folders.is_empty() {
        return Err(ToolError::failed(format!("Path not found: {}", all.missing.join(", "))));
    }
    Ok(all)
}

fn add(all: &mut Found, mut found: Found) {
    all.files.append(&mut found.files);
    all.matches += found.matches;
    all.matching_files += found.matching_files;
    all.searched_files += found.searched_files;
    all.binary_files += found.binary_files;
    all.unreadable.append(&mut found.unreadable);
    all.missing.append(&mut found.missing);
    all.is_cancelled |= found.is_cancelled;
}
