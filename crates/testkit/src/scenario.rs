//! Scenario folders: `before/`, `reply.md`, `after/`, `report.json`, and optionally `config.json` and `args`.
//!
//! The reply is applied to a copy of `before` with `--json`. The project must then equal `after` (or `before`, when there
//! is no `after`), and what the report says of the outcome must equal `report.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::TestEnv;
use crate::expect::{expect_file, updating};

/// Runs every scenario below `folder`, grouped by dialect.
///
/// # Panics
/// Any of them ends otherwise than it should; all failures are listed.
pub fn run_all(relay: &str, folder: &str) {
    let mut failures = Vec::new();
    let mut count = 0;
    for dialect in folders(Path::new(folder)) {
        for scenario in folders(&dialect) {
            count += 1;
            let outcome = std::panic::catch_unwind(|| run(relay, &scenario));
            if let Err(panic) = outcome {
                let message =
                    panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "panicked".to_owned());
                failures.push(format!("{}:\n{message}", scenario.display()));
            }
        }
    }
    assert!(count > 0, "no scenarios in {folder}");
    assert!(
        failures.is_empty(),
        "{} of {count} scenarios failed:\n\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

fn run(relay: &str, scenario: &Path) {
    let env = TestEnv::new(relay);
    let before = files(&scenario.join("before"));
    for (path, bytes) in &before {
        let path = env.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    if let Ok(config) = std::fs::read_to_string(scenario.join("config.json")) {
        env.write("relaycode.config.json", &config);
    }
    let extra = std::fs::read_to_string(scenario.join("args")).unwrap_or_default();
    let reply = std::fs::read_to_string(scenario.join("reply.md")).unwrap();
    let arguments: Vec<&str> = ["apply", "--json"].into_iter().chain(extra.lines()).collect();
    let run = env.relay(&arguments).stdin(&reply).run();

    let document: Value = serde_json::from_str(&run.stdout)
        .unwrap_or_else(|error| panic!("no JSON document ({error}): {}{}", run.stdout, run.stderr));
    expect_file(scenario.join("report.json"), &format!("{:#}\n", report(run.code, &document)));

    let after = if scenario.join("after").exists() { files(&scenario.join("after")) } else { before };
    let mut found = files(&env.root());
    found.remove("relaycode.config.json");
    found.retain(|path, _| !path.starts_with(".relaycode/"));
    compare(&after, &found);
    let landed = document["status"] == "committed";
    assert!(
        landed || !updating() || !scenario.join("after").exists(),
        "it did not land, but there is an after/"
    );
}

/// What of the document a scenario pins down: everything that does not change from run to run.
fn report(code: i32, document: &Value) -> Value {
    let findings: Vec<Value> = document["diagnostics"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|finding| json!({ "code": finding["code"], "line": finding["line"], "message": finding["message"] }))
        .collect();
    json!({ "exit": code, "status": document["status"], "files": document["files"], "diagnostics": findings })
}

fn compare(expected: &BTreeMap<String, Vec<u8>>, found: &BTreeMap<String, Vec<u8>>) {
    let show = |bytes: Option<&Vec<u8>>| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    for path in expected.keys().chain(found.keys()) {
        let (expected, found) = (expected.get(path), found.get(path));
        assert_eq!(show(found), show(expected), "{path} differs (found, then expected)");
        assert_eq!(found, expected, "{path} differs in bytes that are not text");
    }
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(next) = waiting.pop() {
        for entry in std::fs::read_dir(&next).unwrap_or_else(|error| panic!("{}: {error}", next.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                files.insert(name, std::fs::read(path).unwrap());
            }
        }
    }
    files
}
