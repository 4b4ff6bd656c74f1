//! `task`: tasks of a Taskfile and of those it includes, without internal ones.

use serde_json::Value;

use super::super::runner::{Runner, Task, quoted};
use super::manifests::{Manifests, join};

/// The names of a Taskfile, in the order in which `task` looks for them.
const NAMES: [&str; 8] = [
    "Taskfile.yml",
    "taskfile.yml",
    "Taskfile.yaml",
    "taskfile.yaml",
    "Taskfile.dist.yml",
    "taskfile.dist.yml",
    "Taskfile.dist.yaml",
    "taskfile.dist.yaml",
];
/// How many files deep includes are followed.
const DEPTH: usize = 5;

pub fn detect(files: &Manifests<'_>) -> Option<Runner> {
    let name = NAMES.into_iter().find(|name| files.exists(name))?;
    let document: Value = serde_saphyr::from_str(&files.read(name)?).ok()?;
    let mut tasks = Vec::new();
    add(files, &document, ("", ""), DEPTH, &mut tasks);
    if tasks.is_empty() && document.get("tasks").is_none() {
        return None;
    }
    Some(Runner { id: "task", label: "Taskfile tasks".to_owned(), prefix: "task".to_owned(), tasks })
}

/// Adds a file's tasks and those of the files it includes; `at` is its folder and what its tasks' names begin with.
fn add(files: &Manifests<'_>, document: &Value, at: (&str, &str), depth: usize, tasks: &mut Vec<Task>) {
    let (folder, namespace) = at;
    let is_internal = |value: &Value| value.get("internal").and_then(Value::as_bool) == Some(true);
    let own = document.get("tasks").and_then(Value::as_object);
    for (name, task) in own.into_iter().flatten().filter(|(_, task)| !is_internal(task)) {
        let text = |key: &str| task.get(key).and_then(Value::as_str).map(str::to_owned);
        let name = format!("{namespace}{name}");
        if tasks.iter().any(|known| known.name == name) {
            continue;
        }
        let doc = text("desc").or_else(|| text("summary"));
        tasks.push(Task { command: quoted(&name), name, doc, ..Task::default() });
    }
    let included = document.get("includes").and_then(Value::as_object);
    for (name, include) in included.into_iter().flatten().filter(|(_, include)| !is_internal(include)) {
        let named = include.as_str().or_else(|| include.get("taskfile")?.as_str());
        let Some((path, text)) = named.and_then(|named| find(files, folder, named)) else { continue };
        let Ok(inner) = serde_saphyr::from_str::<Value>(&text) else { continue };
        let is_flat = include.get("flatten").and_then(Value::as_bool) == Some(true);
        let namespace = if is_flat { namespace.to_owned() } else { format!("{namespace}{name}:") };
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if depth > 0 {
            add(files, &inner, (folder, &namespace), depth - 1, tasks);
        }
    }
}

/// The file that an include names: itself, or the Taskfile of a folder. An address of elsewhere is neither.
fn find(files: &Manifests<'_>, folder: &str, named: &str) -> Option<(String, String)> {
    let path = join(folder, named.trim_start_matches("./").trim_end_matches('/'));
    let inside = NAMES.iter().map(|name| join(&path, name));
    std::iter::once(path.clone()).chain(inside).find_map(|place| Some((place.clone(), files.read(&place)?)))
}
