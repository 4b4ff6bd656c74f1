//! `relay doctor`.

use crate::{PLAIN, env, json, project};

#[test]
fn a_healthy_project_has_no_problems() {
    let env = project(PLAIN);
    let run = env.relay(&["doctor"]).run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("✓ project      `shop`"), "{}", run.stdout);
}

#[test]
fn missing_programs_come_with_hints() {
    let env = project(r#"{"projectId": "shop", "linter": "no-such-linter ."}"#);
    let run = env.relay(&["doctor"]).run();
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("no-such-linter is not installed"), "{}", run.stdout);
    assert!(run.stdout.contains("Install no-such-linter"), "{}", run.stdout);
    assert!(run.stdout.contains("relay trust"), "{}", run.stdout);
}

#[test]
fn a_broken_config_and_an_unprepared_folder_are_findings_not_failures() {
    let env = project("{");
    let document = json(&env.relay(&["doctor", "--json"]).run());
    let findings = document["findings"].as_array().unwrap();
    assert!(findings.iter().any(|f| f["name"] == "project" && f["state"] == "bad"), "{document:#}");
    let run = crate::env().relay(&["doctor"]).run();
    assert_eq!(run.code, 0, "{}", run.stdout);
    assert!(run.stdout.contains("`relay init` creates one"), "{}", run.stdout);
}

#[test]
fn other_agents_are_seen_without_being_started() {
    let env = project(PLAIN);
    env.write_program("bin/claude", "#!/bin/sh\ntouch \"$RELAY_STARTED\"\n");
    let (bin, started) = (env.path("bin"), env.path("started"));
    let doctor = |path: &str| {
        let run =
            env.relay(&["doctor"]).env("PATH", path).env("RELAY_STARTED", started.to_str().unwrap()).run();
        run.stdout
    };
    assert!(doctor("/usr/bin:/bin").contains("no other agent is installed"));
    let shown = doctor(&format!("{}:/usr/bin:/bin", bin.display()));
    assert!(shown.contains("claude (not logged in)") && !shown.contains("codex"), "{shown}");
    assert!(!env.exists("started"));
}

#[test]
fn doctor_changes_nothing_in_the_project() {
    let env = env();
    let before = env.tree();
    env.relay(&["doctor"]).run();
    assert_eq!(env.tree(), before);
}

/// Bubblewrap is run, not only found.
#[cfg(target_os = "linux")]
#[test]
fn a_missing_or_broken_bubblewrap_is_reported() {
    let env = project(PLAIN);
    let doctor = |path: &str| env.relay(&["doctor"]).env("PATH", path).run().stdout;
    assert!(doctor("/nonexistent").contains("bubblewrap: not installed"));
    env.write_program(
        "bin/bwrap",
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n",
    );
    let shown = doctor(env.path("bin").to_str().unwrap());
    assert!(shown.contains("does not work here (bwrap: No permissions to create new namespace)"), "{shown}");
}
