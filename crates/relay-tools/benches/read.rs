//! 300 lines of a file of a gigabyte, and the first summary of a source file, by the tool itself in a process of its own.
//!
//! The aims are 5 ms and 10 MB for the lines, 15 ms for the summary.

#![allow(missing_docs, reason = "a program, not a library")]
#![allow(
    clippy::disallowed_methods,
    reason = "a benchmark prepares its own folders and starts what it measures"
)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run should say so loudly"
)]

use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use relay_agent::policy::Permit;
use relay_agent::tool::{Call, Facts, Services};
use relay_diagnostics::Cancel;
use relay_engine::Engine;
use relay_store::Store;
use relay_workspace::Workspace;
use serde_json::json;

const RUNS: usize = 11;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if let [folder, path] = arguments.as_slice() {
        return measure(Path::new(folder), path);
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    std::fs::create_dir(&root).unwrap();
    let line = format!("{}\n", "some words of a long file ".repeat(3));
    let block = line.repeat((1 << 20) / line.len());
    let mut file = std::fs::File::create(root.join("large.txt")).unwrap();
    for _ in 0..1_030 {
        file.write_all(block.as_bytes()).unwrap();
    }
    let body = "pub fn work(x: u8) -> u8 {\n    let a = x + 1;\n    let b = a * 2;\n    if b > 3 {\n        return b;\n    }\n    a\n}\n\n";
    std::fs::write(root.join("source.rs"), body.repeat(2_000 / 9)).unwrap();
    println!("{:32} {:>10} {:>12}", "", "median", "memory");
    for path in ["large.txt", "large.txt:1000-1299", "source.rs"] {
        let mut rows: Vec<(f64, u64)> = (0..RUNS).map(|_| in_a_process(folder.path(), path)).collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let median = rows.get(RUNS / 2).map_or(0.0, |row| row.0);
        let memory = rows.iter().map(|row| row.1).max().unwrap_or_default();
        println!("{path:32} {median:>8.2}ms {:>10.1}MB", memory as f64 / 1e6);
    }
}

fn in_a_process(folder: &Path, path: &str) -> (f64, u64) {
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this).arg(folder).arg(path).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (time, memory) = text.trim().split_once(' ').unwrap();
    (time.parse().unwrap(), memory.parse().unwrap())
}

/// One read in a process that has read nothing before: milliseconds, and how much its memory grew.
fn measure(folder: &Path, path: &str) {
    let workspace = Workspace::open(&folder.join("project")).unwrap();
    let store = Store::at(&folder.join("home"));
    let engine = Engine::open(workspace, store, Cancel::new()).unwrap().without_checks();
    let services = Services::alone(Arc::new(engine), "bench", std::env::temp_dir());
    let (tools, _) = relay_tools::built_in(&services, None);
    let read = tools.iter().find(|tool| tool.spec().name == "read").unwrap();
    let arguments = json!({ "path": path });
    let call = Call {
        id: "call",
        arguments: arguments.as_object().unwrap(),
        cancel: &Cancel::new(),
        services: &services,
        permit: Permit::default(),
        facts: &Facts::default(),
        update: &|_| {},
    };
    let before = peak();
    let start = Instant::now();
    let output = read.run(&call).unwrap();
    let time = start.elapsed().as_secs_f64() * 1_000.0;
    assert!(output.plain_text().lines().count() > 200);
    println!("{time} {}", peak() - before);
}

/// The most memory this process has had so far, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    kib.and_then(|kib| kib.trim().parse::<u64>().ok()).unwrap_or(0) * 1024
}
