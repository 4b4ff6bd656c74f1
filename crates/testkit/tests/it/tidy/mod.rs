//! The tidy test: rules about the repository itself that no compiler checks.
//!
//! Every rule is a function from what it looks at to the places that break it. Its file runs it on the repository and
//! shows with bad samples that it can fail.

mod codes;
mod graph;
mod helped;
mod licences;
mod modules;
mod packages;
mod paths;
mod pinned;
mod powers;
mod sizes;
mod source;
mod text;
mod words;

use std::path::PathBuf;

/// The repository's root.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The text of a file of the repository.
fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Fails with a list of what was found, as long as a person reads it.
fn assert_none(rule: &str, findings: &[String]) {
    let shown = findings.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n  ");
    assert!(findings.is_empty(), "{rule} ({}):\n  {shown}\n", findings.len());
}
