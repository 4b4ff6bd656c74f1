//! How fast output of a command goes through `bash` and its sink, with the artifact on disk.
//!
//! The aim is 100,000 lines in a second, whatever their length.

#![allow(missing_docs, reason = "a program, not a library")]
#![allow(clippy::disallowed_methods, reason = "a benchmark prepares its own folders")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run should say so loudly"
)]

use std::sync::Arc;
use std::time::Instant;

use relay_agent::policy::Permit;
use relay_agent::tool::{Call, Facts, Services};
use relay_diagnostics::Cancel;
use relay_engine::Engine;
use relay_store::Store;
use relay_workspace::Workspace;
use serde_json::json;

const RUNS: usize = 5;
const LINES: u32 = 1_000_000;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("project")).unwrap();
    let workspace = Workspace::open(&folder.path().join("project")).unwrap();
    let store = Store::at(&folder.path().join("home"));
    let artifacts = store.sessions().artifacts(&folder.path().join("session.jsonl"));
    let engine = Engine::open(workspace, store, Cancel::new()).unwrap();
    let mut services = Services::alone(Arc::new(engine.without_checks()), "bench", std::env::temp_dir());
    services.artifacts = Some(artifacts);
    let (tools, _) = relay_tools::built_in(&services, None);
    let bash = tools.iter().find(|tool| tool.spec().name == "bash").unwrap();
    let commands = [
        ("numbers", format!("seq 1 {LINES}")),
        ("a line of 80", format!("yes {} | head -n {LINES}", "0123456789".repeat(8))),
        ("colours", format!("yes $'\\e[32mok\\e[0m test a::b::c ... \\e[1mpassed\\e[0m' | head -n {LINES}")),
        ("other scripts", format!("yes 'строка вывода 世界 ✓' | head -n {LINES}")),
    ];
    println!("{:16} {:>14}", "", "lines/s, median");
    for (name, command) in commands {
        let arguments = json!({ "command": command });
        let mut times: Vec<f64> = (0..RUNS)
            .map(|_| {
                let start = Instant::now();
                let call = Call {
                    id: "call",
                    arguments: arguments.as_object().unwrap(),
                    cancel: &Cancel::new(),
                    services: &services,
                    permit: Permit { writes: true, ..Permit::default() },
                    facts: &Facts::default(),
                    update: &|_| {},
                };
                let output = bash.run(&call).unwrap();
                assert!(output.plain_text().contains("artifact://"));
                start.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let median = times.get(RUNS / 2).copied().unwrap_or(f64::NAN);
        println!("{name:16} {:>14.0}", f64::from(LINES) / median);
    }
}
