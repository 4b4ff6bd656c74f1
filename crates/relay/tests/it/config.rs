//! The config file: messages that name the key, warnings that lose nothing.

use crate::{apply, codes, env, json, project, reply};

#[test]
fn a_wrong_value_refuses_with_the_key_named_and_nothing_changed() {
    let env = project(r#"{"projectId": "shop", "approval": "maybe", "approvalOnErrorCount": "three"}"#);
    let before = env.tree();
    let (code, document) = apply(&env, &reply(1, "a.txt", "x"), &[]);
    assert_eq!((code, codes(&document)), (1, vec!["invalid-config".to_owned(), "invalid-config".to_owned()]));
    let messages = document["diagnostics"].to_string();
    assert!(messages.contains("`approval` must be") && messages.contains("`approvalOnErrorCount` must be"));
    assert_eq!(env.tree(), before);
}

#[test]
fn broken_json_is_reported_with_line_and_column() {
    let env = project("{\n  \"projectId\": \"shop\",\n}");
    let run = env.relay(&["apply"]).stdin(&reply(1, "a.txt", "x")).run();
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("line 3"), "{}", run.stderr);
}

#[test]
fn an_unknown_key_is_a_warning_with_the_nearest_one() {
    let env = project(r#"{"projectId": "shop", "aproval": "no"}"#);
    let (code, document) = apply(&env, &reply(1, "a.txt", "x"), &[]);
    assert_eq!((code, codes(&document)), (0, vec!["unknown-config-key".to_owned()]));
    assert_eq!(document["diagnostics"][0]["hint"], "Did you mean `approval`?");
}

#[test]
fn without_a_config_the_project_is_not_checked_and_relay_says_so() {
    let env = env();
    let (code, document) = apply(&env, &reply(1, "a.txt", "x"), &[]);
    assert_eq!((code, codes(&document)), (0, vec!["project-unchecked".to_owned()]));
}

#[test]
fn a_config_that_is_a_link_is_not_followed() {
    let env = env();
    env.write("../elsewhere.json", r#"{"projectId": "shop", "postCommand": "touch ran"}"#);
    std::os::unix::fs::symlink("../elsewhere.json", env.path("relaycode.config.json")).unwrap();
    let run = env.relay(&["apply", "--json", "--trust"]).stdin(&reply(1, "a.txt", "x")).run();
    assert_eq!(run.code, 1);
    assert_eq!(codes(&json(&run)), ["file-symlink"]);
    assert!(!env.exists("ran"));
}

#[test]
fn the_projects_settings_are_set_shown_and_unset() {
    let env = project("{\"projectId\": \"shop\", \"own\": {\"n\": 123456789012345678901234567890}}\n");
    env.relay(&["config", "set", "gitStage", "true"]).success();
    env.relay(&["config", "set", "--project", "command_timeout_ms", "5000"]).success();
    env.relay(&["config", "set", "approval", "no"]).success();
    assert_eq!(
        env.read("relaycode.config.json"),
        "{\n  \"projectId\": \"shop\",\n  \"approval\": \"no\",\n  \"commandTimeoutMs\": 5000,\n  \"gitStage\": true,\n  \
         \"own\": {\"n\": 123456789012345678901234567890}\n}\n"
    );
    assert_eq!(env.relay(&["config", "get", "gitStage"]).run().stdout, "true\n");
    let shown = env.relay(&["config", "show", "--sources"]).run().stdout;
    assert!(shown.contains("approval = no  (relaycode.config.json)"), "{shown}");
    assert!(shown.contains("backends.default = codex") && !shown.contains("linter"), "{shown}");
    let shown = env.relay(&["config", "show", "--project"]).run().stdout;
    assert!(shown.contains("linterBaseline = true") && !shown.contains("backends"), "{shown}");
    env.relay(&["config", "unset", "gitStage"]).success();
    let run = env.relay(&["config", "get", "gitStage", "--json"]).run();
    assert_eq!((&json(&run)["value"], &json(&run)["source"]), (&false.into(), &"built in".into()));
    assert!(!env.read("relaycode.config.json").contains("gitStage"));
}

#[test]
fn an_invalid_project_setting_is_refused_and_changes_nothing() {
    let env = project(crate::PLAIN);
    let before = env.tree();
    for (arguments, way_out) in [
        (&["set", "gitStage", "maybe"][..], "`gitStage` must be true or false"),
        (&["set", "clipboardPollInterval", "10"], "50 or more"),
        (&["set", "match", "vague"], "\"whitespace\""),
        (&["unset", "projectId"], "relay config set projectId NAME"),
        (&["set", "--project", "lintr", "x"], "Did you mean `linter`?"),
        (&["set", "aproval", "no"], "Did you mean the project's `approval`?"),
        (&["set", "--project", "backends.default", "x"], "leave out --project"),
    ] {
        let run = env.relay(&[&["config"], arguments].concat()).run();
        assert!(run.code == 2 && run.stderr.contains(way_out), "{arguments:?}: {}", run.stderr);
    }
    assert_eq!(env.tree(), before);
}

#[test]
fn without_a_config_project_settings_say_how_to_create_one() {
    let env = env();
    let run = env.relay(&["config", "set", "gitStage", "true", "--json"]).run();
    assert_eq!((run.code, codes(&json(&run))), (1, vec!["no-config".to_owned()]));
    assert!(!env.exists("relaycode.config.json"));
}

#[test]
fn a_wrong_value_can_be_corrected_one_at_a_time() {
    let env = project(r#"{"projectId": "shop", "approval": "maybe", "gitStage": 3}"#);
    let shown = env.relay(&["config", "show", "--project"]).run();
    assert!(shown.code == 0 && shown.stdout.contains("approval = maybe"), "{shown:?}");
    let run = env.relay(&["config", "set", "approval", "no"]).run();
    assert!(run.code == 0 && run.stderr.contains("`gitStage` must be"), "{run:?}");
    let run = env.relay(&["config", "unset", "gitStage"]).run();
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "nothing is wrong any more");
}

#[test]
fn a_config_that_is_not_json_is_left_alone() {
    for text in ["{\"projectId\": \"shop\",}", "[]"] {
        let env = project(text);
        let run = env.relay(&["config", "set", "gitStage", "true"]).run();
        assert!(run.code == 1 && run.stderr.contains("relay init"), "{run:?}");
        assert_eq!(env.read("relaycode.config.json"), text);
        assert_eq!(
            env.relay(&["config", "show"]).run().code,
            0,
            "the user's own settings are shown all the same"
        );
    }
}

#[test]
fn setting_a_command_does_not_trust_it() {
    let env = project(crate::PLAIN);
    let run = env.relay(&["config", "set", "postCommand", "touch ran"]).run();
    assert!(run.code == 0 && run.stderr.contains("relay trust"), "{run:?}");
    let (code, document) = apply(&env, &reply(1, "a.txt", "x"), &[]);
    assert_eq!((code, codes(&document)), (1, vec!["untrusted-commands".to_owned()]));
    assert!(!env.exists("ran"));
}

#[test]
fn every_setting_is_listed_with_its_meaning() {
    let env = project(crate::PLAIN);
    let all = env.relay(&["config", "show", "--all"]).run().stdout;
    assert!(all.contains("shellPath (not set)\n    the shell that commands run in"), "{all}");
    assert!(all.contains("gitStage = false\n    Add what landed"), "{all}");
    let document = json(&env.relay(&["config", "show", "--all", "--json"]).run());
    assert!(document["shellPath"]["value"].is_null() && document["shellPath"]["meaning"].is_string());
}

#[test]
fn a_lone_old_time_limit_is_noted() {
    let env = env();
    env.relay(&["config", "set", "ask.timeout", "30"]).success();
    let run = env.relay(&["config", "show"]).run();
    assert!(run.stderr.contains("`backends.timeout`"), "{run:?}");
    env.relay(&["config", "set", "backends.timeout", "30"]).success();
    assert_eq!(env.relay(&["config", "show"]).run().stderr, "");
}

#[test]
fn without_a_command_the_settings_are_listed() {
    let env = crate::project(crate::PLAIN);
    let listed = env.relay(&["config"]).success().stdout;
    assert_eq!(listed, env.relay(&["config", "show"]).success().stdout);
    assert!(listed.contains("projectId = shop"), "{listed}");
}
