//! What a command through the tool costs, beside the same command without it: `cargo bench --bench bash` prints a table.
//!
//! The tool runs in this process, as it does in an agent: the shell stays, so only the first command starts one.

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

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use relay_agent::jobs::Jobs;
use relay_agent::policy::Permit;
use relay_agent::tool::{Call, Facts, Services, Tool};
use relay_diagnostics::Cancel;
use relay_engine::Engine;
use relay_store::Store;
use relay_workspace::Workspace;
use serde_json::json;

const RUNS: usize = 200;

fn main() {
    println!("{:<52} {:>12} {:>12}", "", "wall median", "cpu mean");
    let plain = row("bash -c true", RUNS, || {
        assert!(Command::new("bash").args(["-c", "true"]).stdin(Stdio::null()).status().unwrap().success());
    });
    let home = tempfile::tempdir().unwrap();
    let (small, large) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    files(small.path(), 10);
    files(large.path(), 10_000);
    let sandboxed = Permit { confined: true, network: false, writes: true };
    let open = Permit { confined: false, network: true, writes: true };
    let few = through("true through the tool, 10 files", small.path(), home.path(), sandboxed);
    through("true through the tool, 10 files, no sandbox", small.path(), home.path(), open);
    let many = through("true through the tool, 10,000 files", large.path(), home.path(), sandboxed);
    let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
    println!("over bash -c true: {:.2} ms (at most 2)", ms(few) - ms(plain));
    println!("for 10,000 files: {:.2} ms more (at most 15)", ms(many) - ms(few));
}

/// Runs something many times and prints the median.
fn row(name: &str, runs: usize, mut work: impl FnMut()) -> Duration {
    let before = own_cpu();
    let mut walls: Vec<Duration> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    walls.sort();
    let median = walls.get(runs / 2).copied().unwrap_or_default();
    let cpu = (own_cpu() - before) / u32::try_from(runs).unwrap();
    let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
    println!("{name:<52} {:>9.2} ms {:>9.2} ms", ms(median), ms(cpu));
    median
}

/// User and system time of this process and of its children that have ended. On a busy machine it says more than a clock.
fn own_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit_once(')').unwrap().1.split_whitespace();
    // The kernel counts in hundredths of a second here.
    fields.skip(11).take(4).map(|ticks| Duration::from_millis(10 * ticks.parse::<u64>().unwrap())).sum()
}

/// Files in folders of a hundred, old enough to be known by their times.
fn files(root: &Path, count: usize) {
    for number in 0..count {
        let folder = root.join(format!("d{}", number / 100));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("f{number}.txt")), format!("{number}\n")).unwrap();
    }
    std::thread::sleep(Duration::from_millis(2_100));
}

/// The tool in a workspace.
fn through(name: &str, root: &Path, home: &Path, permit: Permit) -> Duration {
    let workspace = Workspace::open(root).unwrap();
    let store = Store::at(home);
    let engine = Engine::open(workspace, store, Cancel::new()).unwrap().without_checks();
    let services = Services {
        relay: Some(env!("CARGO_BIN_EXE_relay").into()),
        jobs: Jobs::new(1),
        ..Services::alone(Arc::new(engine), "bench", std::env::temp_dir())
    };
    let (tools, _notes) = relay_tools::built_in(&services, None);
    let bash: &Arc<dyn Tool> = tools.iter().find(|tool| tool.spec().name == "bash").unwrap();
    let arguments = json!({ "command": "true" });
    let (cancel, facts) = (Cancel::new(), Facts::default());
    let run = || {
        let call = Call {
            id: "call",
            arguments: arguments.as_object().unwrap(),
            cancel: &cancel,
            services: &services,
            permit,
            facts: &facts,
            update: &|_| {},
        };
        let output = bash.run(&call).unwrap();
        assert!(!output.is_error, "{}", output.plain_text());
    };
    // The first command starts the shell, and reads every file once.
    run();
    run();
    row(name, RUNS, run)
}
