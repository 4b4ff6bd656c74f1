//! Powers stay in their crate: who may depend on what gives a power, and who may name it in the standard library.

use super::packages::{Package, packages};
use super::source::{Source, tracked};

/// A package that gives a power, and the crates that may have it.
const GRANTS: [(&str, &[&str]); 28] = [
    ("arboard", &["relay"]),
    ("cap-std", &["relay-workspace", "relay-txn"]),
    ("clap", &["relay"]),
    ("close_fds", &["relay-exec"]),
    ("command-group", &["relay-exec"]),
    ("crossterm", &["relay-tui"]),
    ("duct", &["relay-exec"]),
    ("grep-searcher", &["relay-workspace"]),
    ("hyper", &["relay-net"]),
    ("ignore", &["relay-workspace"]),
    ("landlock", &["relay-exec"]),
    ("libc", &[]),
    ("nix", &["relay-exec"]),
    ("notify", &["relay-workspace"]),
    ("portable-pty", &["relay-exec"]),
    ("process-wrap", &["relay-exec"]),
    ("pty-process", &["relay-exec"]),
    ("ratatui", &["relay-tui"]),
    ("reqwest", &["relay-net"]),
    ("rusqlite", &["relay-store", "relay-tools", "relay-txn"]),
    (
        "rustix",
        &["relay", "relay-exec", "relay-store", "relay-tui", "relay-txn", "relay-workspace", "testkit"],
    ),
    ("seccompiler", &["relay-exec"]),
    ("signal-hook", &["relay", "relay-exec"]),
    ("tempfile", &["relay", "relay-exec", "testkit"]),
    ("ureq", &["relay-net"]),
    ("walkdir", &["relay-workspace"]),
    ("wl-clipboard-rs", &["relay"]),
    ("x11rb", &["relay"]),
];

/// Crates without I/O may not depend on anything that does it for them.
const PURE: [(&str, &[&str]); 3] = [
    ("relay-diagnostics", &[]),
    (
        "relay-syntax",
        &[
            "thiserror",
            "tree-sitter",
            "tree-sitter-bash",
            "tree-sitter-c",
            "tree-sitter-c-sharp",
            "tree-sitter-cpp",
            "tree-sitter-css",
            "tree-sitter-go",
            "tree-sitter-html",
            "tree-sitter-java",
            "tree-sitter-javascript",
            "tree-sitter-json",
            "tree-sitter-kotlin-ng",
            "tree-sitter-lua",
            "tree-sitter-md",
            "tree-sitter-php",
            "tree-sitter-python",
            "tree-sitter-ruby",
            "tree-sitter-rust",
            "tree-sitter-toml-ng",
            "tree-sitter-typescript",
            "tree-sitter-yaml",
            "unicode-segmentation",
            "unicode-width",
        ],
    ),
    (
        "relay-edit",
        &[
            "blake3",
            "imara-diff",
            "memchr",
            "relay-diagnostics",
            "serde",
            "serde-saphyr",
            "serde_json",
            "strsim",
            "thiserror",
            "unicode-normalization",
        ],
    ),
];

/// Words of the standard library that use a power, and the crates that may use them in product code.
const WORDS: [(&str, &[&str]); 5] = [
    ("process::Command", &["relay-exec"]),
    ("std::fs", &["relay", "relay-exec", "relay-store", "relay-txn", "relay-workspace"]),
    ("std::env", &["relay", "relay-exec", "relay-store", "relay-txn"]),
    ("std::net", &["relay-net"]),
    ("SystemTime", &["relay", "relay-exec", "relay-store", "relay-txn", "relay-workspace"]),
];

/// The one module that calls git.
const GIT: &str = "crates/relay-exec/src/git/";
/// Crates that can start a program, themselves or through `relay-exec`.
const SPAWNERS: [&str; 4] = ["relay", "relay-backends", "relay-engine", "relay-exec"];

/// Lines that name git as a program, outside the module that calls it without what a repository wants to run. A label
/// of a report is not a program.
fn callers_of_git(sources: &[Source]) -> Vec<String> {
    let is_spawner = |source: &&Source| source.crate_name().is_some_and(|name| SPAWNERS.contains(&name));
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.is_product()).filter(is_spawner) {
        for (number, line) in source.product_lines() {
            let code = line.split("//").next().unwrap_or_default();
            let is_named = code.contains("\"git\"") && !code.contains("Finding::new(");
            if (is_named || code.contains("command: \"git")) && !source.path.starts_with(GIT) {
                findings.push(format!("{}:{number}: calls git; `relay_exec::git` does that", source.path));
            }
        }
    }
    findings
}

/// Tests may use anything.
fn dependencies_beyond(packages: &[Package]) -> Vec<String> {
    let mut findings = Vec::new();
    for package in packages.iter().filter(|package| package.is_ours) {
        for dependency in package.dependencies.iter().filter(|dependency| !dependency.is_dev) {
            let name = dependency.name.as_str();
            let granted = GRANTS.iter().find(|(power, _)| *power == name).map(|(_, crates)| crates);
            if granted.is_some_and(|crates| !crates.contains(&package.name.as_str())) {
                findings.push(format!("{} depends on {name}; only {:?} may", package.name, granted.unwrap()));
            }
            let pure = PURE.iter().find(|(pure, _)| *pure == package.name).map(|(_, allowed)| allowed);
            if pure.is_some_and(|allowed| !allowed.contains(&name)) {
                findings.push(format!("{} does no I/O; {name} is not known to do none", package.name));
            }
        }
    }
    findings
}

fn words_beyond(sources: &[Source]) -> Vec<String> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.is_product()) {
        let name = source.crate_name().unwrap_or_default();
        for (number, code) in statements(source) {
            for (word, crates) in WORDS {
                if code.contains(word) && !crates.contains(&name) {
                    findings.push(format!("{}:{number}: {word} in {name}", source.path));
                }
            }
        }
    }
    findings
}

/// The lines of product code without their comments, and in place of each import with braces the paths it stands for.
fn statements(source: &Source) -> Vec<(usize, String)> {
    let mut lines = source
        .product_lines()
        .into_iter()
        .map(|(number, line)| (number, line.split("//").next().unwrap_or_default().trim().to_owned()));
    let mut found = Vec::new();
    while let Some((number, mut code)) = lines.next() {
        let visibility = code.split_once("use ").map_or("-", |(before, _)| before.trim());
        let is_import = visibility.is_empty() || visibility.starts_with("pub") && !visibility.contains(' ');
        while is_import && !code.contains(';') {
            let Some((_, more)) = lines.next() else { break };
            code.push_str(&more);
        }
        match code.split_once("use ").filter(|_| is_import && code.contains('{')) {
            Some((_, tree)) => found.push((number, paths(tree.trim_end_matches(';'), "").join("\n"))),
            None => found.push((number, code)),
        }
    }
    found
}

/// The paths of an import: `std::env` and `std::fs` for `std::{env, fs}`.
fn paths(tree: &str, above: &str) -> Vec<String> {
    let Some((path, rest)) = tree.split_once('{') else { return vec![format!("{above}{}", tree.trim())] };
    let above = format!("{above}{}", path.trim());
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let (mut depth, mut parts) = (0_usize, vec![String::new()]);
    for character in inner.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match (character, parts.last_mut()) {
            (',', _) if depth == 0 => parts.push(String::new()),
            (_, Some(part)) => part.push(character),
            (_, None) => {}
        }
    }
    parts.iter().filter(|part| !part.trim().is_empty()).flat_map(|part| paths(part, &above)).collect()
}

#[test]
fn powers_stay_in_their_crate() {
    super::assert_none("dependencies beyond a crate's power", &dependencies_beyond(&packages()));
    super::assert_none("words beyond a crate's power", &words_beyond(&tracked()));
    super::assert_none("callers of git", &callers_of_git(&tracked()));
}

#[test]
fn a_caller_of_git_is_found() {
    let found = |path: &str, text: &str| callers_of_git(&[Source::new(path, text)]).len();
    assert_eq!(found("crates/relay-engine/src/project/git.rs", "        program: \"git\",\n"), 1);
    assert_eq!(found("crates/relay-exec/src/shell.rs", "    Command::new(\"git\")\n"), 1);
    assert_eq!(found("crates/relay/src/main.rs", "    Shell { command: \"git status\", cwd }\n"), 1);
    assert_eq!(found("crates/relay-exec/src/git/mod.rs", "    find_program(\"git\")\n"), 0);
    assert_eq!(found("crates/relay/src/doctor.rs", "    Finding::new(State::Good, \"git\", path)\n"), 0);
    assert_eq!(found("crates/relay-workspace/src/sensitive.rs", "    tool: \"git\",\n"), 0);
    assert_eq!(
        found("crates/relay-engine/src/project/git.rs", "#[cfg(test)]\nmod tests {\n    x(\"git\");\n}\n"),
        0
    );
}

#[test]
fn a_dependency_beyond_is_found() {
    let found = |package: Package| dependencies_beyond(&[package]).len();
    assert_eq!(found(Package::ours("relay-engine", &[("tempfile", false)])), 1);
    assert_eq!(found(Package::ours("relay-engine", &[("tempfile", true)])), 0);
    assert_eq!(found(Package::ours("relay", &[("tempfile", false)])), 0);
    assert_eq!(found(Package::ours("relay-edit", &[("rustix", false)])), 2);
    assert_eq!(found(Package::ours("relay-edit", &[("rand", false)])), 1);
    assert_eq!(found(Package::ours("relay-diagnostics", &[("serde", false)])), 1);
    let foreign = Package { is_ours: false, ..Package::ours("arboard", &[("rustix", false)]) };
    assert_eq!(found(foreign), 0);
}

#[test]
fn a_word_beyond_is_found() {
    let found = |path: &str, text: &str| words_beyond(&[Source::new(path, text)]).len();
    assert_eq!(found("crates/relay-engine/src/project/git.rs", "use std::process::Command;\n"), 1);
    assert_eq!(found("crates/relay-exec/src/run.rs", "use std::process::Command;\n"), 0);
    assert_eq!(found("crates/relay-edit/src/plan.rs", "    std::fs::read(path)\n"), 1);
    assert_eq!(found("crates/relay-edit/src/plan.rs", "// std::fs is not used here\n"), 0);
    for import in [
        "use std::{env, io};\n",
        "use std::process::{Child, Command};\n",
        "use std::{\n    io,\n    net::{IpAddr, TcpStream},\n};\n",
        "pub(crate) use std::{fs::File};\n",
    ] {
        assert_eq!(found("crates/relay-edit/src/plan.rs", import), 1, "{import}");
    }
    assert_eq!(found("crates/relay-edit/src/plan.rs", "use std::{io, fmt::{self, Write}};\n"), 0);
    assert_eq!(found("crates/relay-edit/src/plan.rs", "#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n"), 0);
    assert_eq!(found("crates/relay-edit/tests/it/main.rs", "use std::fs;\n"), 0);
}
