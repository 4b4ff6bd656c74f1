//! `cargo`: binaries, examples and tests of the packages of a workspace, by the rules that cargo finds targets with.

use std::collections::BTreeSet;

use relay_workspace::Kind;
use toml::{Table, Value};

use super::super::runner::{Runner, Task, quoted};
use super::manifests::{Manifests, join};

/// How many packages of a workspace are looked at.
const PACKAGES: usize = 500;

/// A kind of target: what tasks are called, what runs one, where its files are.
struct Target {
    word: &'static str,
    run: &'static str,
    folder: &'static str,
    auto: &'static str,
}

const TARGETS: [Target; 3] = [
    Target { word: "bin", run: "run", folder: "src/bin", auto: "autobins" },
    Target { word: "example", run: "run", folder: "examples", auto: "autoexamples" },
    Target { word: "test", run: "test", folder: "tests", auto: "autotests" },
];

pub fn detect(files: &Manifests<'_>) -> Option<Runner> {
    let packages = packages(files)?;
    let several = packages.len() > 1;
    let mut seen = BTreeSet::new();
    let mut tasks = Vec::new();
    for (folder, manifest) in &packages {
        let Some(package) = name(manifest) else { continue };
        for target in &TARGETS {
            for name in targets(files, folder, manifest, target) {
                let (run, word) = (target.run, target.word);
                let (label, prefix) = match several {
                    true => (
                        format!("{package}/{word}/{name}"),
                        format!("cargo {run} --package {} --{word}", quoted(package)),
                    ),
                    false => (format!("{word}/{name}"), format!("cargo {run} --{word}")),
                };
                if seen.insert(label.clone()) {
                    tasks.push(Task {
                        name: label,
                        command: quoted(&name),
                        prefix: Some(prefix),
                        ..Task::default()
                    });
                }
            }
        }
    }
    Some(Runner { id: "cargo", label: "Cargo targets".to_owned(), prefix: "cargo".to_owned(), tasks })
}

fn name(manifest: &Table) -> Option<&str> {
    manifest.get("package")?.get("name")?.as_str()
}

/// The packages: the root's, the members', and those that members depend on by a path inside the workspace.
fn packages(files: &Manifests<'_>) -> Option<Vec<(String, Table)>> {
    let read = |folder: &str| files.read(&join(folder, "Cargo.toml"))?.parse::<Table>().ok();
    let root = read("")?;
    let texts = |key: &str| -> Vec<String> {
        let list = root.get("workspace").and_then(|workspace| workspace.get(key)?.as_array());
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let excluded = texts("exclude");
    let is_workspace = root.get("workspace").is_some();
    let mut queue: Vec<String> = texts("members").iter().flat_map(|glob| files.folders(glob)).collect();
    if is_workspace {
        queue.extend(paths("", &root));
    }
    let mut found = vec![(String::new(), root.clone())];
    let mut seen: BTreeSet<String> = BTreeSet::from([String::new()]);
    while let Some(folder) = queue.pop() {
        if excluded.contains(&folder) || !seen.insert(folder.clone()) || found.len() >= PACKAGES {
            continue;
        }
        let Some(manifest) = read(&folder) else { continue };
        queue.extend(paths(&folder, &manifest));
        found.push((folder, manifest));
    }
    found.retain(|(_, manifest)| name(manifest).is_some());
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Some(found)
}

/// The folders of dependencies that are named by a path.
fn paths(folder: &str, manifest: &Table) -> Vec<String> {
    let tables = ["dependencies", "dev-dependencies", "build-dependencies"];
    let of = |table: &Table| -> Vec<String> {
        let all = tables.iter().filter_map(|name| table.get(*name)?.as_table());
        all.flat_map(|table| table.values())
            .filter_map(|value| value.get("path")?.as_str())
            .filter_map(|path| normal(folder, path))
            .collect()
    };
    let mut found = of(manifest);
    if let Some(workspace) = manifest.get("workspace").and_then(Value::as_table) {
        found.extend(of(workspace));
    }
    found
}

/// A path relative to a folder, without `..`; none if it leaves the workspace.
fn normal(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    if path.starts_with('/') {
        return None;
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The names of a package's targets of one kind.
fn targets(files: &Manifests<'_>, folder: &str, manifest: &Table, target: &Target) -> Vec<String> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for declared in manifest.get(target.word).and_then(Value::as_array).into_iter().flatten() {
        names.extend(declared.get("name").and_then(Value::as_str).map(str::to_owned));
        taken.extend(declared.get("path").and_then(Value::as_str).map(str::to_owned));
    }
    let package = manifest.get("package");
    let is_auto = package.and_then(|package| package.get(target.auto)?.as_bool()).unwrap_or(true);
    if !is_auto {
        return names.into_iter().collect();
    }
    if target.word == "bin"
        && !taken.contains("src/main.rs")
        && files.exists(&join(folder, "src/main.rs"))
        && let Some(package) = name(manifest)
    {
        names.insert(package.to_owned());
    }
    let place = join(folder, target.folder);
    for (entry, kind) in files.entries(&place) {
        let path = format!("{}/{entry}", target.folder);
        match kind {
            Kind::File if !taken.contains(&path) => {
                names.extend(entry.strip_suffix(".rs").map(str::to_owned));
            }
            Kind::Directory
                if !taken.contains(&format!("{path}/main.rs"))
                    && files.exists(&format!("{place}/{entry}/main.rs")) =>
            {
                names.insert(entry);
            }
            _ => {}
        }
    }
    names.into_iter().collect()
}
