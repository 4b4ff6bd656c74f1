//! Paths and links in documents lead to files that exist.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use super::source::tracked;

/// Endings that make a single name a file and not a word.
const ENDINGS: [&str; 6] = [".rs", ".txt", ".css", ".js", ".jsonl", ".json"];

/// Every file, and every folder that has one.
fn known(files: impl Iterator<Item = String>) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for file in files {
        let mut path = Path::new(&file);
        while let Some(parent) = path.parent() {
            known.insert(path.to_string_lossy().into_owned());
            path = parent;
        }
    }
    known
}

/// Whether a quoted word is a path: `relay-edit/src/dialect/`, `land/`, `mode.rs`, but not `/debug` or `--offline`.
fn is_path(word: &str) -> bool {
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    let names_a_file = ENDINGS.iter().any(|ending| word.ends_with(ending));
    plain && !word.starts_with(['/', '-', '.']) && (word.contains('/') || names_a_file)
}

/// The paths of the architecture that do not exist. A path that begins with a crate's name is complete; a shorter one
/// continues it, so it must be somewhere in a crate that its line names before.
fn missing_paths(text: &str, known: &BTreeSet<String>) -> Vec<String> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let mut crates: Vec<String> = Vec::new();
        for word in line.split('`').skip(1).step_by(2).filter(|word| is_path(word)) {
            let path = word.trim_end_matches('/');
            let first = path.split('/').next().unwrap_or_default();
            let exists = if path.contains('/') && known.contains(&format!("crates/{first}")) {
                crates.push(format!("crates/{first}/"));
                known.contains(&format!("crates/{path}"))
            } else {
                let end = format!("/{path}");
                known.contains(path)
                    || known.iter().any(|file| {
                        file.ends_with(&end) && crates.iter().any(|folder| file.starts_with(folder.as_str()))
                    })
            };
            if !exists {
                findings.push(format!("line {}: {word}", index + 1));
            }
        }
    }
    findings
}

/// A link's target from the root, without `.` and `..`; `None` if it leads out of the repository.
fn target(document: &str, link: &str) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in Path::new(document).parent()?.join(link).components() {
        match part {
            Component::ParentDir => drop(parts.pop()?),
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            _ => {}
        }
    }
    Some(parts.join("/"))
}

/// The relative links of a document that lead nowhere. What is inside code is not a link.
fn broken_links(path: &str, text: &str, known: &BTreeSet<String>) -> Vec<String> {
    let mut findings = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        in_code ^= line.trim_start().starts_with("```");
        if in_code {
            continue;
        }
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("code");
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap_or_default();
            let is_elsewhere = file.is_empty() || file.contains("://") || file.contains(' ');
            if !is_elsewhere && !target(path, file).is_some_and(|file| known.contains(&file)) {
                findings.push(format!("{path}:{}: {link}", index + 1));
            }
        }
    }
    findings
}

#[test]
fn every_path_in_the_architecture_exists() {
    let known = known(tracked().into_iter().map(|source| source.path));
    super::assert_none(
        "paths in ARCHITECTURE.md that do not exist",
        &missing_paths(&super::read("ARCHITECTURE.md"), &known),
    );
}

#[test]
fn every_link_in_the_documents_leads_to_a_file() {
    let sources = tracked();
    let known = known(sources.iter().map(|source| source.path.clone()));
    let is_document =
        |path: &str| path.ends_with(".md") && (!path.contains('/') || path.starts_with("docs/"));
    let documents = sources.iter().filter(|source| is_document(&source.path));
    let findings: Vec<String> =
        documents.flat_map(|source| broken_links(&source.path, &source.text, &known)).collect();
    super::assert_none("links that lead nowhere", &findings);
}

#[test]
fn missing_paths_and_broken_links_are_found() {
    let files = ["crates/a/src/b/c.rs", "docs/x.md", "README.md"];
    let known = known(files.iter().map(|file| (*file).to_owned()));
    assert!(missing_paths("| x | `a/src/b/`; `c.rs` for `/debug` and `--no` |", &known).is_empty());
    assert_eq!(missing_paths("`a/src/d.rs`, `a/src/b`", &known), ["line 1: a/src/d.rs"]);
    assert_eq!(missing_paths("`c.rs`", &known), ["line 1: c.rs"], "no crate before it");
    assert!(broken_links("docs/x.md", "[r](../README.md#top) [w](https://x) `[n](no)`", &known).is_empty());
    assert_eq!(broken_links("docs/x.md", "[r](y.md)", &known), ["docs/x.md:1: y.md"]);
    assert_eq!(broken_links("README.md", "[r](../x.md)", &known), ["README.md:1: ../x.md"]);
}
