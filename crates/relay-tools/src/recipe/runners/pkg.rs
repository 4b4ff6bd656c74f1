//! Scripts of `package.json`, of the project and of its workspaces.

use serde_json::Value;

use super::super::runner::{Runner, Task, quoted};
use super::manifests::Manifests;

const MANIFEST: &str = "package.json";

pub fn detect(files: &Manifests<'_>, is_installed: &dyn Fn(&str) -> bool) -> Option<Runner> {
    let root: Value = serde_json::from_str(&files.read(MANIFEST)?).ok()?;
    let mut tasks: Vec<Task> = scripts(&root).map(|name| task(name.clone(), &name, None)).collect();
    let workspaces = root.get("workspaces");
    let globs = workspaces.and_then(|value| value.get("packages").unwrap_or(value).as_array());
    let mut folders: Vec<String> = globs
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter(|glob| !glob.starts_with('!'))
        .flat_map(|glob| files.folders(glob.trim_end_matches("/package.json")))
        .filter(|folder| !folder.is_empty())
        .collect();
    folders.sort();
    folders.dedup();
    for folder in folders {
        let text = files.read(&format!("{folder}/{MANIFEST}"));
        let package = text.and_then(|text| serde_json::from_str::<Value>(&text).ok());
        let Some(package) = package else { continue };
        let name = package.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        let name = name.unwrap_or(&folder);
        tasks.extend(
            scripts(&package).map(|script| task(format!("{name}/{script}"), &script, Some(folder.clone()))),
        );
    }
    let prefix = manager(files, is_installed);
    Some(Runner { id: "pkg", label: "Package scripts".to_owned(), prefix: prefix.to_owned(), tasks })
}

fn scripts(package: &Value) -> impl Iterator<Item = String> {
    let scripts = package.get("scripts").and_then(Value::as_object);
    scripts.into_iter().flatten().filter(|(_, command)| command.is_string()).map(|(name, _)| name.clone())
}

fn task(name: String, script: &str, cwd: Option<String>) -> Task {
    Task { name, command: quoted(script), cwd, ..Task::default() }
}

/// The package manager: by lock file, else bun where it is installed, else npm.
fn manager(files: &Manifests<'_>, is_installed: &dyn Fn(&str) -> bool) -> &'static str {
    const BY_LOCK: [(&str, &str); 6] = [
        ("bun.lock", "bun run"),
        ("bun.lockb", "bun run"),
        ("pnpm-lock.yaml", "pnpm run"),
        ("yarn.lock", "yarn run"),
        ("package-lock.json", "npm run"),
        ("npm-shrinkwrap.json", "npm run"),
    ];
    let by_lock = BY_LOCK.into_iter().find(|(lock, _)| files.exists(lock));
    match by_lock {
        Some((_, prefix)) => prefix,
        None if is_installed("bun") => "bun run",
        None => "npm run",
    }
}
