//! `task`: tasks of a Taskfile, without internal ones.

use serde_json::Value;

use super::super::runner::{Runner, Task, quoted};
use super::manifests::Manifests;

pub fn detect(files: &Manifests<'_>) -> Option<Runner> {
    let name = ["Taskfile.yml", "Taskfile.yaml"].into_iter().find(|name| files.exists(name))?;
    let document: Value = serde_saphyr::from_str(&files.read(name)?).ok()?;
    let tasks = document.get("tasks")?.as_object()?;
    let tasks = tasks
        .iter()
        .filter(|(_, task)| task.get("internal").and_then(Value::as_bool) != Some(true))
        .map(|(name, task)| {
            let text = |key: &str| task.get(key).and_then(Value::as_str).map(str::to_owned);
            Task {
                name: name.clone(),
                command: quoted(name),
                doc: text("desc").or_else(|| text("summary")),
                ..Task::default()
            }
        })
        .collect();
    Some(Runner { id: "task", label: "Taskfile tasks".to_owned(), prefix: "task".to_owned(), tasks })
}
