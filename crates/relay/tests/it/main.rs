//! End-to-end tests: the real binary, as a user would type it. One file per command or concern.

#![allow(missing_docs, reason = "tests")]
#![allow(clippy::disallowed_methods, reason = "tests prepare their own folders")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod agent_jobs;
mod agents;
mod apply;
mod approval;
mod ask;
mod ask_models;
mod auth;
mod blame;
mod blocks;
mod budget;
mod capture;
mod chat;
mod checks;
mod clipboard;
mod concurrency;
mod config;
mod confine;
mod context;
mod conversations;
mod corpus;
mod damaged;
mod demo;
mod docs;
mod doctor;
mod encodings;
#[cfg(target_os = "linux")]
mod escapes;
mod foreign_sessions;
mod full_disk;
mod gc;
mod git;
mod help;
mod hostile;
mod init;
mod interrupt;
mod lab;
mod ledger;
mod mail;
mod model_backends;
mod models;
mod modes;
mod nested;
mod offline;
mod pack;
mod pager;
mod pane;
mod partial;
mod prompt;
mod recover;
mod repair;
mod review;
mod rpc;
mod rpc_protocol;
mod run;
mod run_checkpoint;
mod run_ends;
mod run_flags;
mod run_killed;
mod run_modes;
mod sandbox;
mod scenarios;
mod search;
mod sessions;
mod settings;
mod status;
mod swaps;
mod themes;
mod tool_bash;
mod tool_edit;
mod tool_hostile;
mod tool_lab;
mod tool_notebook;
mod tool_oracles;
mod tool_read;
mod tool_search;
mod tool_small;
mod tool_ssh;
mod tool_write;
mod translate;
mod trust;
mod tui;
mod tui_commands;
mod tui_flows;
mod undo;
mod views;
mod watch;
mod wrap;

use serde_json::Value;
use testkit::{Run, TestEnv, wait_for};

/// A hermetic environment with an empty project folder.
fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_relay"))
}

/// An environment with this config in its project.
fn project(config: &str) -> TestEnv {
    let env = env();
    env.write("relaycode.config.json", config);
    env
}

/// The smallest config.
const PLAIN: &str = r#"{"projectId": "shop"}"#;

/// A reply that sets `path` to `content`, for the project `shop`.
fn reply(uuid_end: u32, path: &str, content: &str) -> String {
    format!(
        "Because.\n\n```text // {{{path}}}\n{content}\n```\n\n```yaml\nprojectId: shop\nuuid: {}\n```\n",
        uuid(uuid_end)
    )
}

fn uuid(end: u32) -> String {
    format!("00000000-0000-4000-8000-{end:012}")
}

/// Lands a reply with `--json` and these further arguments.
fn apply(env: &TestEnv, reply: &str, arguments: &[&str]) -> (i32, Value) {
    let run = env.relay(&[&["apply", "--json"], arguments].concat()).stdin(reply).run();
    (run.code, json(&run))
}

/// The one document on standard output.
fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout)
        .unwrap_or_else(|error| panic!("not one JSON document ({error}):\n{}\n{}", run.stdout, run.stderr))
}

/// The codes of all findings.
fn codes(document: &Value) -> Vec<String> {
    let list = document["diagnostics"].as_array().expect("diagnostics");
    list.iter().map(|diagnostic| diagnostic["code"].as_str().expect("code").to_owned()).collect()
}
