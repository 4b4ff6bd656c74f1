//! The agent's `search` and `find`, with ripgrep and fd as oracles.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::json;

use crate::tool_lab::{Lab, lab};

/// A tree with ignored, hidden and binary files.
fn tree() -> Lab {
    let lab = lab();
    lab.env.write(".git/HEAD", "ref: refs/heads/main\n");
    lab.env.write(".gitignore", "ignored/\n*.log\n");
    for folder in 0..30 {
        for file in 0..20 {
            let body = format!("fn work_{file}() {{\n    let x = {folder};\n    needle_{}\n}}\n", file % 7);
            lab.env.write(&format!("src/d{folder}/f{file}.rs"), &body);
        }
    }
    lab.env.write("ignored/a.rs", "needle_0\n");
    lab.env.write("a.log", "needle_0\n");
    lab.env.write(".hidden/h.txt", "needle_0 hidden\n");
    std::fs::write(lab.env.path("b.bin"), b"needle_0\0binary").unwrap();
    lab
}

/// What another program prints, or nothing where it is not installed.
#[allow(clippy::print_stdout, reason = "what is not tested must be seen")]
fn oracle(lab: &Lab, program: &str, arguments: &[&str]) -> Option<BTreeSet<String>> {
    let ran = Command::new(program).args(arguments).current_dir(lab.env.root()).output();
    let Ok(output) = ran else {
        assert!(std::env::var_os("CI").is_none(), "{program} is not installed");
        println!("NOT TESTED: {program} is not installed");
        return None;
    };
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|line| line.trim_start_matches("./").to_owned()).collect())
}

#[test]
fn matches_are_grouped_anchored_and_counted() {
    let lab = tree();
    let shown = lab.call("search", json!({ "pattern": "needle_3", "paths": ["src/d1", "src/d2"] }));
    assert!(shown.starts_with("# src/d1/f10.rs\n 2"), "{shown}");
    assert!(shown.contains("\n*3") && shown.contains("|    needle_3\n 4"), "{shown}");
    let shown = lab.call("search", json!({ "pattern": "needle_" }));
    assert!(shown.contains("[Showing 100 of 601 matches in 601 files; use skip=100 for more"), "{shown}");
    let next = lab.call("search", json!({ "pattern": "needle_", "skip": 500 }));
    assert!(next.contains("[Showing 100 of 601 matches") && next.contains("use skip=600"), "{next}");
    let none = lab.call("search", json!({ "pattern": "absent" }));
    assert_eq!(none, "No matches found\n");
    let beyond = lab.call("search", json!({ "pattern": "needle_", "skip": 900 }));
    assert!(beyond.contains("No matches after the first 900; there are 601"), "{beyond}");
}

#[test]
fn every_page_together_is_what_ripgrep_finds() {
    let lab = tree();
    let expected = oracle(&lab, "rg", &["--hidden", "-g", "!.git", "-l", "needle_[05]"]);
    let Some(expected) = expected else { return };
    let mut found = BTreeSet::new();
    for skip in (0..400).step_by(100) {
        let page = lab.call("search", json!({ "pattern": "needle_[05]", "skip": skip }));
        found.extend(page.lines().filter_map(|line| line.strip_prefix("# ")).map(str::to_owned));
    }
    assert_eq!(found, expected);
}

#[test]
fn patterns_are_repaired_and_errors_named() {
    let lab = lab();
    lab.env.write("a.txt", "call(x) ${platform} {\nNEXT\nline\n");
    let search = |arguments| lab.call("search", arguments);
    assert!(search(json!({ "pattern": "${platform}" })).contains("*1"));
    assert!(search(json!({ "pattern": "call(" })).contains("*1"));
    assert!(search(json!({ "pattern": "next", "i": true })).contains("*2"));
    assert!(search(json!({ "pattern": "NEXT\\nline" })).contains("*3"));
    assert!(search(json!({ "pattern": "[a" })).contains("invalid pattern"));
    assert!(search(json!({ "pattern": "x", "paths": ["none"] })).contains("Path not found: none"));
    let some = search(json!({ "pattern": "NEXT", "paths": ["none", "*.txt"] }));
    assert!(some.contains("# a.txt") && some.contains("Skipped missing paths: none"), "{some}");
    lab.env.write("long.txt", &format!("{}needle\n", "é".repeat(2_000)));
    let long = search(json!({ "pattern": "é", "paths": ["long.txt"] }));
    assert!(long.contains("…") && long.contains("1 long lines are cut") && long.len() < 4_000, "{long}");
    assert!(search(json!({ "pattern": "x", "paths": ["/etc"] })).contains("outside the workspace"));
}

#[test]
fn files_are_found_as_fd_finds_them() {
    let lab = tree();
    let found = lab.call("find", json!({ "paths": ["*.rs"] }));
    let found: BTreeSet<String> = found.lines().map(str::to_owned).collect();
    assert_eq!(found.len(), 600);
    if let Some(expected) = oracle(&lab, "fdfind", &["--hidden", "--type", "f", "-E", ".git", "-g", "*.rs"]) {
        assert_eq!(found, expected);
    }
}

#[test]
fn globs_limits_and_errors_of_find() {
    let lab = tree();
    let find = |arguments| lab.call("find", arguments);
    assert_eq!(find(json!({ "paths": ["src/*.rs"] })), "No files found matching pattern\n");
    assert_eq!(find(json!({ "paths": ["src/d1/f1.rs"] })), "src/d1/f1.rs\n");
    assert_eq!(find(json!({ "paths": ["src/d1/f{1,2}.rs"] })).lines().count(), 2);
    assert_eq!(find(json!({ "paths": ["**/*.txt"], "hidden": false })), "No files found matching pattern\n");
    assert_eq!(find(json!({ "paths": ["**/*.txt"] })), ".hidden/h.txt\n");
    let few = find(json!({ "paths": ["src"], "limit": 5 }));
    assert!(few.contains("[Showing 5 of 600 results; narrow the pattern or raise the limit]"), "{few}");
    assert!(find(json!({ "paths": ["/"] })).contains("Searching from root directory '/' is not allowed"));
    assert!(find(json!({ "paths": ["none"] })).contains("Path not found: none"));
    let some = find(json!({ "paths": ["none", "src/d1/f1.rs"] }));
    assert_eq!(some, "src/d1/f1.rs\nSkipped missing paths: none\n");
}
