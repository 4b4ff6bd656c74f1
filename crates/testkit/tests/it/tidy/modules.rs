//! Every source file says what it is for, is compiled, and tests are one binary per crate.

use std::collections::BTreeSet;

use super::source::{Source, tracked};

fn without_purpose(sources: &[Source]) -> Vec<String> {
    let opens_with_it = |source: &&Source| !source.text.starts_with("//! ");
    sources
        .iter()
        .filter(|source| source.is_rust())
        .filter(opens_with_it)
        .map(|source| source.path.clone())
        .collect()
}

/// Files that no `mod` leads to. Nothing in them is compiled, and tests in them never run.
fn unregistered(sources: &[Source]) -> Vec<String> {
    let rust: Vec<&Source> = sources.iter().filter(|source| source.is_rust()).collect();
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<&Source> = rust.iter().copied().filter(|source| is_root(&source.path)).collect();
    while let Some(source) = waiting.pop() {
        if reached.insert(source.path.as_str()) {
            let children = children(source);
            waiting.extend(rust.iter().copied().filter(|other| children.contains(&other.path)));
        }
    }
    let missed =
        |source: &&&Source| source.path.starts_with("crates/") && !reached.contains(source.path.as_str());
    rust.iter().filter(missed).map(|source| source.path.clone()).collect()
}

/// Whether cargo begins with this file.
fn is_root(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["crates", _, rest @ ..] => {
            matches!(rest, ["build.rs"] | ["src", "lib.rs" | "main.rs"] | ["src", "bin", _])
                || matches!(rest, ["tests", "it", "main.rs"] | ["benches" | "examples", _])
        }
        _ => false,
    }
}

/// The paths a file's `mod name;` lines may mean.
fn children(source: &Source) -> BTreeSet<String> {
    let (folder, name) = source.path.rsplit_once('/').unwrap_or(("", &source.path));
    let base = if is_root(&source.path) || name == "mod.rs" {
        folder.to_owned()
    } else {
        source.path.trim_end_matches(".rs").to_owned()
    };
    let mut paths = BTreeSet::new();
    let mut explicit: Option<&str> = None;
    for line in source.text.lines().map(str::trim) {
        if let Some(path) = line.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]")) {
            explicit = Some(path);
        } else if let Some(name) = module_name(line) {
            match explicit.take() {
                Some(path) => paths.extend([format!("{folder}/{path}")]),
                None => paths.extend([format!("{base}/{name}.rs"), format!("{base}/{name}/mod.rs")]),
            }
        }
    }
    paths
}

/// `name` of `pub(crate) mod name;`
fn module_name(line: &str) -> Option<&str> {
    let line = line.strip_suffix(';')?;
    let (visibility, name) = line.rsplit_once("mod ")?;
    let is_visibility = visibility.is_empty() || (visibility.starts_with("pub") && visibility.ends_with(' '));
    is_visibility.then_some(name)
}

/// Files directly in `tests/` would each be a binary of their own.
fn further_binaries(sources: &[Source]) -> Vec<String> {
    let is_further = |source: &&Source| {
        let parts: Vec<&str> = source.path.split('/').collect();
        matches!(parts.as_slice(), ["crates", _, "tests", file] if file.ends_with(".rs"))
            || matches!(parts.as_slice(), ["crates", _, "tests", folder, "main.rs"] if *folder != "it")
    };
    sources.iter().filter(is_further).map(|source| source.path.clone()).collect()
}

#[test]
fn every_file_says_what_it_is_for() {
    super::assert_none("files that do not open with `//! `", &without_purpose(&tracked()));
}

#[test]
fn every_file_is_compiled() {
    super::assert_none("files that no `mod` leads to", &unregistered(&tracked()));
}

#[test]
fn tests_are_one_binary_per_crate() {
    super::assert_none("tests outside tests/it", &further_binaries(&tracked()));
}

#[test]
fn a_file_without_a_purpose_is_found() {
    let found = |text: &str| without_purpose(&[Source::new("crates/x/src/a.rs", text)]).len();
    assert_eq!(found("//! What it is.\n"), 0);
    for text in ["", "use std::fs;\n", "// What it is.\n", "\n//! Too late.\n"] {
        assert_eq!(found(text), 1, "{text:?}");
    }
}

#[test]
fn a_forgotten_file_is_found() {
    let sources = [
        Source::new("crates/x/src/lib.rs", "pub mod a;\nmod b;\n#[path = \"odd/name.rs\"]\nmod c;\n"),
        Source::new("crates/x/src/a.rs", "pub(crate) mod inner;\nmod inline {\n}\n"),
        Source::new("crates/x/src/a/inner.rs", ""),
        Source::new("crates/x/src/b/mod.rs", "mod deep;\n"),
        Source::new("crates/x/src/b/deep.rs", ""),
        Source::new("crates/x/src/odd/name.rs", ""),
        Source::new("crates/x/tests/it/main.rs", "mod one;\n"),
        Source::new("crates/x/tests/it/one.rs", ""),
    ];
    assert!(unregistered(&sources).is_empty(), "{:?}", unregistered(&sources));
    for path in ["crates/x/tests/it/two.rs", "crates/x/src/a/other.rs", "crates/x/src/inner.rs"] {
        let more = [&sources[..], &[Source::new(path, "")]].concat();
        assert_eq!(unregistered(&more), [path]);
    }
}

#[test]
fn a_second_test_binary_is_found() {
    for (path, count) in [
        ("crates/x/tests/it/main.rs", 0),
        ("crates/x/tests/it/one.rs", 0),
        ("crates/x/tests/slow.rs", 1),
        ("crates/x/tests/slow/main.rs", 1),
    ] {
        assert_eq!(further_binaries(&[Source::new(path, "")]).len(), count, "{path}");
    }
}
