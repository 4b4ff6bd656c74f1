//! `make`: targets of a makefile, read as text.

use std::collections::BTreeSet;

use super::super::runner::{Runner, Task};
use super::manifests::Manifests;

pub fn detect(files: &Manifests<'_>) -> Option<Runner> {
    let name = ["GNUmakefile", "makefile", "Makefile"].into_iter().find(|name| files.exists(name))?;
    let tasks = targets(&files.read(name)?);
    Some(Runner { id: "make", label: "Make targets".to_owned(), prefix: "make".to_owned(), tasks })
}

/// The targets. Where some are declared phony, file targets are only listed if they are documented.
fn targets(text: &str) -> Vec<Task> {
    let joined = text.replace("\\\n", " ");
    let mut phony = BTreeSet::new();
    let mut tasks: Vec<Task> = Vec::new();
    let mut comment: Option<String> = None;
    for line in joined.lines() {
        if line.starts_with('\t') {
            continue;
        }
        if let Some(text) = line.strip_prefix('#') {
            comment = Some(text.trim_start_matches('#').trim().to_owned());
            continue;
        }
        let before = comment.take();
        let Some((names, rest)) = line.split_once(':') else { continue };
        if names.trim() == ".PHONY" {
            phony.extend(rest.split_whitespace().map(str::to_owned));
            // A comment above `.PHONY: x` is about the target below it.
            comment = before;
            continue;
        }
        if rest.starts_with('=') || rest.starts_with(":=") || names.contains(['=', '$', '%', '#']) {
            continue;
        }
        let doc = rest.split_once("##").map(|(_, doc)| doc.trim().to_owned()).or(before);
        for name in names.split_whitespace().filter(|name| is_target(name)) {
            match tasks.iter_mut().find(|task| task.name == name) {
                Some(known) => known.doc = known.doc.take().or_else(|| doc.clone()),
                None => tasks.push(Task {
                    name: name.to_owned(),
                    command: name.to_owned(),
                    doc: doc.clone().filter(|doc| !doc.is_empty()),
                    ..Task::default()
                }),
            }
        }
    }
    if phony.is_empty() {
        return tasks;
    }
    let listed = tasks.into_iter().filter_map(|mut task| {
        if !phony.contains(&task.name) {
            task.doc = Some(format!("{} (file target)", task.doc?));
        }
        Some(task)
    });
    listed.collect()
}

fn is_target(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
}
