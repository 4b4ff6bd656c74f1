//! `relay init`.

use crate::{apply, env, json, project};

#[test]
fn init_does_its_six_steps_and_says_so() {
    let env = env();
    env.write("package.json", r#"{"name": "web-shop", "devDependencies": {"typescript": "5"}}"#);
    env.write(".gitignore", "node_modules\n");
    let run = with_tools(&env, &["bun", "tsc"]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    let config: serde_json::Value = serde_json::from_str(&env.read("relaycode.config.json")).unwrap();
    assert_eq!(config["projectId"], "web-shop");
    assert_eq!(config["linter"], "bun tsc --noEmit");
    assert_eq!(config["clipboardPollInterval"], 2000);
    assert_eq!(
        (config["approval"].as_str(), config["approvalOnErrorCount"].as_u64()),
        (Some("yes"), Some(0))
    );
    assert!(env.exists(".relaycode"));
    assert_eq!(env.read(".gitignore"), "node_modules\n/.relaycode/\n");
    assert!(run.stdout.contains("web-shop") && run.stdout.contains("package.json"), "{}", run.stdout);
    assert!(run.stdout.contains("bun tsc --noEmit"), "{}", run.stdout);
    assert!(run.stdout.contains("relay prompt"), "where to get the instructions: {}", run.stdout);
    assert!(run.stdout.lines().count() < 12, "a summary, not the instructions: {}", run.stdout);
}

#[test]
fn a_second_init_changes_nothing_and_says_so() {
    let env = env();
    env.relay(&["init", "--yes"]).success();
    let before = env.tree();
    let run = env.relay(&["init"]).run();
    assert_eq!(run.code, 0);
    assert!(run.stdout.contains("nothing was changed"), "{}", run.stdout);
    assert_eq!(env.tree(), before);
}

/// `relay init --yes` where nothing but these tools is installed.
fn with_tools(env: &testkit::TestEnv, tools: &[&str]) -> testkit::Command {
    for tool in tools {
        env.write_program(&format!("../home/bin/{tool}"), "#!/bin/sh\n");
    }
    env.relay(&["init", "--yes"]).env("PATH", env.home_path("bin").to_str().unwrap())
}

#[test]
fn the_linter_fits_the_project_and_is_installed() {
    for (file, text, tools, linter) in [
        ("tsconfig.json", "{}", &["bun", "tsc"][..], "bun tsc --noEmit"),
        ("tsconfig.json", "{}", &["bun"], ""),
        ("Cargo.toml", "[package]\nname = \"x\"\n", &["cargo"], "cargo check --message-format=short"),
        ("Cargo.toml", "[package]\nname = \"x\"\n", &["go"], ""),
        ("go.mod", "module example.com/x\n", &["go"], "go vet ./..."),
        ("pyproject.toml", "[project]\nname = \"x\"\n", &["ruff"], "ruff check ."),
        ("pyproject.toml", "[project]\nname = \"x\"\n", &[], ""),
        ("notes.txt", "hello", &["cargo", "go"], ""),
    ] {
        let env = env();
        env.write(file, text);
        let run = with_tools(&env, tools).success();
        let config: serde_json::Value = serde_json::from_str(&env.read("relaycode.config.json")).unwrap();
        assert_eq!(config["linter"], linter, "{file} {tools:?}");
        let says_why = run.stdout.contains("not installed") || !linter.is_empty() || file == "notes.txt";
        assert!(says_why, "{file} {tools:?}: {}", run.stdout);
    }
    let env = env();
    env.write("tsconfig.json", "{}");
    env.write_program("node_modules/.bin/tsc", "#!/bin/sh\n");
    with_tools(&env, &["npx"]).success();
    assert!(env.read("relaycode.config.json").contains("npx tsc --noEmit"), "the project's own tsc");
}

#[test]
fn the_ignore_entry_is_added_once() {
    let env = env();
    env.relay(&["init", "--yes"]).success();
    assert_eq!(env.read(".gitignore"), "/.relaycode/\n");
    for existing in [".relaycode/\n", "/.relaycode\n", "a\n.relaycode", "/.relaycode/\r\nb\r\n"] {
        let env = crate::env();
        env.write(".gitignore", existing);
        env.relay(&["init", "--yes"]).success();
        assert_eq!(env.read(".gitignore"), existing);
    }
    let env = crate::env();
    env.write(".gitignore", "last line without newline");
    env.relay(&["init", "--yes"]).success();
    assert_eq!(env.read(".gitignore"), "last line without newline\n/.relaycode/\n");
}

#[test]
fn init_trusts_what_it_wrote_and_not_what_a_clone_brought() {
    let env = env();
    env.write("Cargo.toml", "[package]\nname = \"x\"\n");
    with_tools(&env, &["cargo"]).success();
    assert_eq!(
        json(&env.relay(&["doctor", "--json"]).run())["findings"].to_string().matches("are trusted").count(),
        1
    );

    let env = project(r#"{"projectId": "shop", "postCommand": "touch ran"}"#);
    env.relay(&["init", "--yes"]).success();
    assert_eq!(
        apply(&env, &crate::reply(1, "a.txt", "x"), &[]).0,
        1,
        "an existing config is not trusted by init"
    );
}

#[test]
fn at_a_terminal_it_asks_first() {
    let env = env();
    let mut screen = env.pty(&["init"]);
    screen.expect("write it?");
    screen.send("n\n");
    assert_eq!(screen.wait(), 1);
    assert!(!env.exists("relaycode.config.json"));
    let mut screen = env.pty(&["init"]);
    screen.expect("write it?");
    screen.send("y\n");
    assert_eq!(screen.wait(), 0);
    assert!(env.exists("relaycode.config.json"));
}
