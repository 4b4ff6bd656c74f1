//! Relay contacts only what the user asked for: every command runs in a network namespace without a network, with a name
//! server that records all queries.

use testkit::Traced;

use crate::{PLAIN, env, project, reply};

#[track_caller]
fn quiet(traced: Traced) {
    assert_eq!(traced.attempts, Vec::<String>::new(), "{:?}", traced.run);
    assert_eq!(traced.names.unwrap_or_default(), Vec::<String>::new(), "{:?}", traced.run);
    assert_ne!(traced.run.code, 2, "bad usage says nothing about connections: {:?}", traced.run);
}

#[test]
fn offline_reaches_nobody() {
    let env = project(PLAIN);
    let keys = [
        ("ANTHROPIC_API_KEY", "sk-test"),
        ("OLLAMA_HOST", "models.example"),
        ("ANTHROPIC_BASE_URL", "http://192.0.2.7"),
    ];
    for arguments in [
        &["models", "--offline"][..],
        &["--offline", "models", "--all", "--json"],
        &["--offline", "models", "opus"],
        &["--offline", "doctor"],
        &["--offline", "auth", "status"],
    ] {
        quiet(env.traced(arguments, &keys, ""));
    }
}

#[test]
fn without_it_only_model_servers_are_looked_for() {
    let env = project(PLAIN);
    for arguments in [&["models"][..], &["doctor"]] {
        let traced = env.traced(arguments, &[], "");
        let ports: Vec<u16> = traced.attempts.iter().map(|line| loopback_port(line)).collect();
        for port in [11434, 1234, 8080, 8000] {
            assert!(ports.contains(&port), "{port}: {:?}", traced.attempts);
        }
        assert!(ports.iter().all(|port| [11434, 1234, 8080, 8000].contains(port)), "{:?}", traced.attempts);
        assert_eq!(traced.names.unwrap_or_default(), Vec::<String>::new());
    }
    let traced = env.traced(&["models"], &[("OLLAMA_HOST", "models.example")], "");
    assert!(traced.attempts.iter().any(|line| line.contains("htons(53)")), "the watch sees names looked up");
    let is_models = |name: &String| name == "models.example.";
    assert!(traced.names.is_none_or(|names| names.iter().all(is_models) && !names.is_empty()));
}

/// The port of an attempt to connect to this machine.
#[track_caller]
fn loopback_port(line: &str) -> u16 {
    assert!(line.contains("\"127.0.0.1\""), "not this machine: {line}");
    line.split("htons(").nth(1).and_then(|rest| rest.split(')').next()).unwrap().parse().unwrap()
}

#[test]
fn commands_that_ask_no_model_make_no_connections() {
    let env = project(PLAIN);
    env.write("b.txt", "b\n");
    quiet(env.traced(&["apply", "--yes"], &[], &reply(1, "a.txt", "a")));
    for arguments in [
        &["log"][..],
        &["show"],
        &["blame", "a.txt"],
        &["read", "a.txt"],
        &["undo", "--yes"],
        &["redo", "--yes"],
        &["wrap", "--yes", "--", "touch", "c.txt"],
        &["gc", "--yes"],
        &["recover"],
        &["trust"],
        &["prompt"],
        &["init", "--yes"],
        &["auth", "status"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
    ] {
        quiet(env.traced(arguments, &[("ANTHROPIC_API_KEY", "sk-test")], ""));
    }
    quiet(env.traced(&["auth", "login", "anthropic"], &[], "sk-test"));
    quiet(env.traced(&["auth", "logout", "anthropic"], &[], ""));
    quiet(crate::env().traced(&["demo"], &[], ""));
}

#[test]
fn a_project_cannot_name_servers_to_contact() {
    let env = env();
    env.write("models.toml", "[providers.ollama]\nbase_url = \"http://192.0.2.9\"\n");
    env.write(".env", "OLLAMA_HOST=192.0.2.9\n");
    let traced = env.traced(&["models"], &[], "");
    assert!(!traced.attempts.iter().any(|line| line.contains("192.0.2.9")), "{:?}", traced.attempts);
}

#[test]
fn the_agent_connects_ahead_of_time_only_when_it_may() {
    let env = project(PLAIN);
    let keys = [("ANTHROPIC_API_KEY", "sk-test"), ("ANTHROPIC_BASE_URL", "https://192.0.2.7")];
    let model = ["--model", "anthropic/claude-opus-5-5"];
    let hello = "{\"type\":\"get_state\"}\n";
    quiet(env.traced(&[&["--offline", "rpc"], &model[..]].concat(), &keys, hello));
    quiet(env.traced(&[&["--offline", "run"], &model[..], &["hi"]].concat(), &keys, ""));
}

#[test]
fn other_agents_are_not_started_offline() {
    let env = project(PLAIN);
    let run = env.relay(&["--offline", "review", "--uncommitted"]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("connects to its provider"), "{}", run.stderr);
    let traced = env.traced(&["--offline", "ask", "hi", "--to", "codex"], &[], "");
    assert_eq!((traced.run.code, traced.attempts), (2, Vec::new()));
    assert!(traced.run.stderr.contains("connects to its provider"), "{}", traced.run.stderr);
}

#[test]
fn a_model_is_not_asked_offline() {
    let env = project(PLAIN);
    let key = [("ANTHROPIC_API_KEY", "sk-test")];
    let arguments = ["--offline", "ask", "hi", "--to", "anthropic/claude-opus-5-5"];
    quiet(env.traced(&arguments, &key, ""));
}
