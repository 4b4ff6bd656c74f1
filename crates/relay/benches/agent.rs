//! What the agent costs beside codex, against the same scripted model: `cargo bench --bench agent`.
//!
//! A one-shot `hello`, and ten turns with a shell tool. It prints user + system time, peak memory, and the gap per turn:
//! the time from a request to the next one, in which the agent runs the tool. codex comes from the folder in
//! `RELAY_AGENTS`, where `./test` installs it; without it, only Relay's row is printed.
//!
//! Limits: `hello` at most 0.1 of codex's time and 25 MB; ten turns at most 0.25 of its time and 0.35 of its gap.

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

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;
use testkit::measure::watch;
use testkit::model::{ModelServer, Reply};

const RUNS: usize = 5;
const TURNS: usize = 10;

/// An agent to measure.
#[derive(Clone)]
enum Agent {
    Relay,
    Codex(PathBuf),
}

/// The measurements of one run.
struct Measured {
    cpu: Duration,
    peak_bytes: u64,
    gap: Duration,
}

fn main() {
    let codex =
        std::env::var_os("RELAY_AGENTS").map(|place| Path::new(&place).join("node_modules/.bin/codex"));
    let codex = codex.filter(|program| program.exists());
    println!("{:<8} {:>6} {:>12} {:>10} {:>14}", "agent", "turns", "cpu ms", "peak MB", "gap ms per turn");
    for turns in [0, TURNS] {
        let relay = row(&Agent::Relay, turns);
        let Some(program) = &codex else { continue };
        let codex = row(&Agent::Codex(program.clone()), turns);
        let ratio = |one: Duration, other: Duration| one.as_secs_f64() / other.as_secs_f64().max(1e-9);
        println!(
            "{:<8} {turns:>6} {:>12.2} {:>10} {:>14.2}",
            "ratio",
            ratio(relay.cpu, codex.cpu),
            "",
            ratio(relay.gap, codex.gap)
        );
    }
    if codex.is_none() {
        println!("codex is not installed (RELAY_AGENTS), so there is nothing to compare with");
    }
}

/// Prints the median of several runs.
fn row(agent: &Agent, turns: usize) -> Measured {
    let mut runs: Vec<Measured> = (0..RUNS).map(|_| once(agent, turns)).collect();
    let median = |runs: &mut Vec<Measured>, key: fn(&Measured) -> Duration| {
        runs.sort_by_key(key);
        runs.get(RUNS / 2).map(key).unwrap()
    };
    let measured = Measured {
        cpu: median(&mut runs, |run| run.cpu),
        gap: median(&mut runs, |run| run.gap),
        peak_bytes: runs.iter().map(|run| run.peak_bytes).max().unwrap(),
    };
    let name = if matches!(agent, Agent::Relay) { "relay" } else { "codex" };
    println!(
        "{name:<8} {turns:>6} {:>12.1} {:>10.1} {:>14.1}",
        measured.cpu.as_secs_f64() * 1e3,
        measured.peak_bytes as f64 / 1e6,
        measured.gap.as_secs_f64() * 1e3
    );
    measured
}

fn once(agent: &Agent, turns: usize) -> Measured {
    let folder = tempfile::tempdir().unwrap();
    let (home, project) = (folder.path().join("home"), folder.path().join("project"));
    std::fs::create_dir_all(&project).unwrap();
    let server = ModelServer::start();
    let (tool, key) = match agent {
        Agent::Relay => ("bash", "command"),
        Agent::Codex(_) => ("exec_command", "cmd"),
    };
    for at in 0..turns {
        server.queue(Reply::text("").tool(&format!("call_{at}"), tool, &json!({ key: "true" }).to_string()));
    }
    server.queue(Reply::text("Hello."));
    introduce(&server, &home);
    let mut command = match agent {
        Agent::Relay => {
            let mut command = Command::new(env!("CARGO_BIN_EXE_relay"));
            command.args(["run", "--model", "lab/m", "--policy", "full", "hello"]);
            command
        }
        Agent::Codex(program) => {
            let mut command = Command::new(program);
            let bypass = "--dangerously-bypass-approvals-and-sandbox";
            command.args(["exec", "--skip-git-repo-check", bypass, "hello"]);
            command
        }
    };
    command.current_dir(&project).env("HOME", &home).env("OPENAI_API_KEY", "sk-test");
    command.env_remove("XDG_CONFIG_HOME").env_remove("XDG_DATA_HOME").env_remove("CODEX_HOME");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let cost = watch(&mut command);
    assert_eq!(cost.code, Some(0), "the run failed");
    let asked: Vec<_> = server.prompts().iter().map(|request| request.received).collect();
    let gaps: Vec<Duration> =
        asked.windows(2).filter_map(|pair| Some(pair.get(1)?.duration_since(*pair.first()?))).collect();
    let gap = gaps.iter().sum::<Duration>() / u32::try_from(gaps.len().max(1)).unwrap();
    Measured { cpu: cost.cpu, peak_bytes: cost.peak_bytes, gap }
}

/// The settings with which both agents ask the scripted model, in the same wire format.
fn introduce(server: &ModelServer, home: &Path) {
    let url = server.url();
    let files = [
        (
            ".codex/config.toml",
            format!(
                "model = \"scripted-model\"\nmodel_provider = \"scripted\"\n[model_providers.scripted]\n\
                 name = \"scripted\"\nbase_url = \"{url}/v1\"\nenv_key = \"OPENAI_API_KEY\"\n\
                 wire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n"
            ),
        ),
        (
            ".config/relay/models.toml",
            format!(
                "[providers.lab]\nwire = \"openai-responses\"\nbase_url = \"{url}/v1\"\n\
                 key_env = [\"OPENAI_API_KEY\"]\n"
            ),
        ),
    ];
    for (name, text) in files {
        let path = home.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}
