//! `find`: files by glob, newest first.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use relay_agent::tool::{Access, Call, Concurrency, Output, Spec, Tool, ToolError};
use relay_diagnostics::Cancel;
use relay_diagnostics::display::visible_line;
use relay_workspace::Workspace;
use relay_workspace::search::{FindQuery, FoundPaths, Scope, SearchError};
use serde_json::{Map, Value, json};

use crate::search::{access, paths};

/// How long a search may take.
const TIME: Duration = Duration::from_secs(5);
/// How often it says how far it is.
const PROGRESS: Duration = Duration::from_millis(200);
/// How many are shown.
const LIMIT: usize = 1_000;

/// The tool.
pub struct Find(Spec);

impl Find {
    /// Makes it.
    pub fn new() -> Self {
        Self(Spec {
            name: "find".into(),
            description: include_str!("description.md").trim().into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "paths": { "type": "array", "items": { "type": "string" }, "minItems": 1, "description": "Globs, files or folders" },
                    "hidden": { "type": "boolean", "description": "Find hidden files too", "default": true },
                    "limit": { "type": "integer", "minimum": 1, "description": "How many at most", "default": LIMIT },
                },
                "required": ["paths"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Shared,
            hidden: false,
        })
    }
}

impl Tool for Find {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        access(arguments)
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let paths = paths(call.arguments);
        if paths.iter().any(|path| path == "/" || path.starts_with("/*")) {
            return Err(ToolError::failed("Searching from root directory '/' is not allowed"));
        }
        let limit = call
            .number("limit")
            .and_then(|limit| usize::try_from(limit).ok())
            .unwrap_or(LIMIT)
            .clamp(1, LIMIT);
        let hidden = call.arguments.get("hidden").and_then(Value::as_bool).unwrap_or(true);
        let found = everywhere(call, &paths, hidden, limit)?;
        Ok(shown(&found, limit))
    }
}

/// Finds in the workspace and in the places outside that were allowed.
fn everywhere(
    call: &Call<'_>,
    paths: &[String],
    hidden: bool,
    limit: usize,
) -> Result<FoundPaths, ToolError> {
    let own = call.services.engine.workspace();
    let root = own.root().to_string_lossy().into_owned();
    let mut inside = Vec::new();
    let mut all = FoundPaths::default();
    let counter = Arc::new(AtomicUsize::new(0));
    let query = |patterns: Vec<String>| FindQuery {
        patterns,
        scope: Scope { hidden, ..Scope::default() },
        limit,
        cached: true,
        counter: Arc::clone(&counter),
        ..FindQuery::default()
    };
    let deadline = Instant::now() + TIME;
    for path in paths {
        let below = path.strip_prefix(&root).and_then(|rest| rest.strip_prefix('/'));
        match path.starts_with(['/', '~']) || path.starts_with("../") {
            _ if below.is_some() => inside.push(below.unwrap_or_default().to_owned()),
            false => inside.push(path.clone()),
            true => {
                let (workspace, prefix, pattern) = outside(call, path)?;
                let mut found = timed(call, &workspace, &query(vec![pattern]), deadline)?;
                found.paths.iter_mut().for_each(|found| found.path = format!("{prefix}{}", found.path));
                add(&mut all, found, path);
            }
        }
    }
    if !inside.is_empty() {
        let found = timed(call, own, &query(inside), deadline)?;
        all.missing.extend(found.missing.clone());
        add(&mut all, FoundPaths { missing: Vec::new(), ..found }, "");
    }
    if all.paths.is_empty() && all.missing.len() == paths.len() {
        return Err(ToolError::failed(format!("Path not found: {}", all.missing.join(", "))));
    }
    all.paths.sort_by_key(|found| std::cmp::Reverse(found.modified));
    all.paths.truncate(limit);
    Ok(all)
}

fn add(all: &mut FoundPaths, found: FoundPaths, path: &str) {
    if !found.missing.is_empty() {
        all.missing.push(path.to_owned());
    }
    all.paths.extend(found.paths);
    all.total += found.total;
    all.unreadable.extend(found.unreadable);
}

/// A folder outside, what comes before its paths, and the pattern in it.
fn outside(call: &Call<'_>, path: &str) -> Result<(Workspace, String, String), ToolError> {
    let (start, glob) = crate::search::begin(path);
    let place = call.services.engine.workspace().place(start, call.services.home.as_deref());
    let place = place.map_err(|error| ToolError::failed(format!("{error}.")))?;
    let missing = || ToolError::failed(format!("Path not found: {}", visible_line(path)));
    let is_folder = place.open_dir().is_ok_and(|dir| dir.is_some());
    let root = if is_folder { Some(place.absolute()) } else { place.absolute().parent() };
    let workspace = Workspace::open(root.ok_or_else(missing)?).map_err(|_| missing())?;
    let name = place.absolute().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let pattern = match (is_folder, glob) {
        (false, _) => name,
        (true, "") => ".".to_owned(),
        // From its folder alone, as it is written.
        (true, glob) => format!("/{glob}"),
    };
    let prefix = format!("{}/", workspace.root().display());
    Ok((workspace, prefix, pattern))
}

/// Finds within the time, and says how far it is.
fn timed(
    call: &Call<'_>,
    workspace: &Workspace,
    query: &FindQuery,
    deadline: Instant,
) -> Result<FoundPaths, ToolError> {
    let whole = call.cancel.clone();
    let cancel = Cancel::watching(move || whole.is_cancelled() || Instant::now() > deadline);
    let done = Cancel::new();
    let found = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut told = Instant::now();
            while !done.is_cancelled() {
                std::thread::sleep(Duration::from_millis(10));
                if told.elapsed() >= PROGRESS {
                    told = Instant::now();
                    let count = query.counter.load(Ordering::Relaxed);
                    (call.update)(Output::text(format!("{count} files seen so far…")));
                }
            }
        });
        let found = workspace.find(query, &cancel);
        done.cancel();
        found
    });
    ToolError::check(call.cancel)?;
    match found {
        Ok(found) if found.is_cancelled => Err(ToolError::failed("find timed out after 5s")),
        Ok(found) => Ok(found),
        Err(SearchError::Missing(missing)) => Ok(FoundPaths { missing, ..FoundPaths::default() }),
        Err(error) => Err(ToolError::failed(error.to_string())),
    }
}

fn shown(found: &FoundPaths, limit: usize) -> Output {
    let mut text: String =
        found.paths.iter().map(|found| format!("{}\n", visible_line(&found.path))).collect();
    if found.paths.is_empty() {
        text.push_str("No files found matching pattern\n");
    }
    if found.total > found.paths.len() {
        text.push_str(&format!(
            "[Showing {} of {} results; narrow the pattern{}]\n",
            found.paths.len(),
            found.total,
            if limit < LIMIT { " or raise the limit" } else { "" }
        ));
    }
    if !found.missing.is_empty() {
        text.push_str(&format!("Skipped missing paths: {}\n", found.missing.join(", ")));
    }
    let details = json!({ "count": found.paths.len(), "total": found.total, "missing": found.missing });
    Output::text(text).with_details(details)
}
