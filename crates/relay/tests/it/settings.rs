//! `relay config` and `relay backends`: the user's own settings.

use crate::{PLAIN, env, json, project};

#[test]
fn a_setting_is_set_shown_and_unset() {
    let env = env();
    assert_eq!(env.relay(&["config", "get", "backends.default"]).run().stdout, "codex\n");
    env.relay(&["config", "set", "backends.default", "claude"]).success();
    assert_eq!(env.relay(&["config", "get", "backends.default"]).run().stdout, "claude\n");
    let shown = env.relay(&["config", "show", "--sources"]).run().stdout;
    assert!(shown.contains("backends.default = claude") && shown.contains("config.toml"), "{shown}");
    let run = env.relay(&["config", "show", "--json"]).env("RELAY_BACKEND", "gemini").run();
    assert_eq!(json(&run)["backends.default"]["value"], "gemini");
    assert_eq!(json(&run)["backends.default"]["source"], "environment: RELAY_BACKEND");
    env.relay(&["config", "unset", "backends.default"]).success();
    assert_eq!(env.relay(&["config", "get", "backends.default"]).run().stdout, "codex\n");
    assert_eq!(env.relay(&["config", "get", "backends.reviewBase"]).run().code, 1, "it has no value");
}

#[test]
fn invalid_settings_are_refused_and_change_nothing() {
    let env = env();
    for arguments in [
        ["backends.timeout", "soon"],
        ["backends.timeout", "0"],
        ["backends.sandbox", "none"],
        ["no.such.key", "1"],
        ["backends.x.command", "not a list"],
    ] {
        let run = env.relay(&[&["config", "set"], &arguments[..]].concat()).run();
        assert!(run.code == 2 && !run.stderr.is_empty(), "{arguments:?}: {}", run.stderr);
    }
    assert_eq!(env.relay(&["config", "show", "--sources"]).run().stdout.matches("config.toml").count(), 0);
    let run = env.relay(&["config", "show"]).env("PHONE_A_FRIEND_TIMEOUT", "x").run();
    assert!(run.code == 2 && run.stderr.contains("PHONE_A_FRIEND_TIMEOUT"), "{}", run.stderr);
}

#[test]
fn the_agents_settings_can_be_set_and_listed() {
    let env = env();
    for (key, value) in [
        ("compaction.strategy", "handoff"),
        ("todo.reminders", "false"),
        ("todo.reminders.max", "5"),
        ("cycleOrder", "[\"default\", \"smol\"]"),
        ("modelRoles.smol", "anthropic/claude-haiku-4-5"),
        ("temperature", "0.2"),
    ] {
        env.relay(&["config", "set", key, value]).success();
        assert_eq!(env.relay(&["config", "get", key]).run().stdout, format!("{value}\n"), "{key}");
    }
    let changed = env.relay(&["config", "show"]).run().stdout;
    assert!(
        changed.contains("compaction.strategy = handoff") && !changed.contains("lsp.enabled"),
        "{changed}"
    );
    let all = env.relay(&["config", "list", "--all", "--sources"]).run().stdout;
    assert!(all.contains("lsp.enabled = true") && all.contains("(built in)"), "{all}");
    let run = env.relay(&["config", "set", "compaction.strategy", "never"]).run();
    assert!(run.code == 2 && run.stderr.contains("context-full, handoff or off"), "{}", run.stderr);
    let run = env.relay(&["config", "set", "compaction.stratgy", "off"]).run();
    assert!(run.code == 2 && run.stderr.contains("Did you mean `compaction.strategy`?"), "{}", run.stderr);
}

#[test]
fn old_names_are_still_read() {
    let env = env();
    env.write_program(
        "ed.sh",
        "#!/bin/sh\nprintf '[ask]\\nbackend = \"claude\"\\nmax_turns = 2\\n' > \"$1\"\n",
    );
    env.relay(&["config", "edit"]).env("VISUAL", "./ed.sh").success();
    for key in ["ask.backend", "backends.default"] {
        assert_eq!(env.relay(&["config", "get", key]).run().stdout, "claude\n", "{key}");
    }
    assert_eq!(env.relay(&["config", "get", "backends.maxTurns"]).run().stdout, "2\n");
    let run = env.relay(&["config", "get", "backends.default"]).env("PHONE_A_FRIEND_BACKEND", "gemini").run();
    assert_eq!(run.stdout, "gemini\n");
    env.relay(&["config", "unset", "ask.backend"]).success();
    assert_eq!(env.relay(&["config", "get", "backends.default"]).run().stdout, "codex\n");
}

#[test]
fn a_repository_sets_nothing() {
    let env = project(PLAIN);
    let planted = "[ask]\nbackend = \"evil\"\n[backends.evil]\ncommand = [\"evil\"]\n";
    for path in ["config.toml", ".relay/config.toml", ".relaycode/config.toml", ".phone-a-friend.toml"] {
        env.write(path, planted);
    }
    assert_eq!(env.relay(&["config", "get", "backends.default"]).run().stdout, "codex\n");
    assert!(!env.relay(&["backends"]).run().stdout.contains("evil"));
}

#[test]
fn the_editor_opens_the_file_and_errors_in_it_are_reported() {
    let env = env();
    let run = env.relay(&["config", "edit"]).env("VISUAL", "").env("EDITOR", "").run();
    assert!(run.code == 1 && run.stderr.contains("EDITOR"), "{}", run.stderr);
    env.write_program("ed.sh", "#!/bin/sh\necho 'backends.timeout = 7' > \"$1\"\n");
    env.relay(&["config", "edit"]).env("VISUAL", "./ed.sh").success();
    assert_eq!(env.relay(&["config", "get", "backends.timeout"]).run().stdout, "7\n");
    env.write_program("ed.sh", "#!/bin/sh\necho 'backends.timeout = ' > \"$1\"\n");
    let run = env.relay(&["config", "edit"]).env("VISUAL", "./ed.sh").run();
    assert!(run.code == 2 && run.stderr.contains("config.toml cannot be read"), "{}", run.stderr);
}

#[test]
fn backends_are_listed_with_whether_they_are_installed() {
    let env = env();
    env.relay(&["config", "set", "backends.mine.command", "[\"sh\"]"]).success();
    env.relay(&["config", "set", "backends.lost.command", "[\"no-such-program\"]"]).success();
    let run = env.relay(&["backends", "--json"]).env("PATH", "/usr/bin:/bin").run();
    let list = json(&run);
    let find = |name: &str| list.as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone();
    for name in ["codex", "claude", "gemini", "opencode"] {
        assert!(find(name)["remedy"].as_str().unwrap().contains("npm install"), "{name}");
    }
    assert!(find("lost")["version"].is_null() && !find("mine")["version"].is_null(), "{list:#}");
}
