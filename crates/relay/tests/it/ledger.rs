//! `relay log`, `relay show`, `relay recover` and the state files.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::{PLAIN, apply, env, json, project, reply, uuid};

fn log(env: &testkit::TestEnv, arguments: &[&str]) -> Value {
    json(&env.relay(&[&["log", "--json"], arguments].concat()).run())
}

#[test]
fn the_log_is_newest_first_with_states() {
    let env = project(PLAIN);
    for number in 1..=3 {
        apply(&env, &reply(number, &format!("f{number}.txt"), "x"), &[]);
    }
    env.relay(&["undo", "2"]).success();
    let entries = log(&env, &[]);
    let rows: Vec<(u64, &str, &str)> = entries
        .as_array()
        .unwrap()
        .iter()
        .map(|e| {
            (e["number"].as_u64().unwrap(), e["status"].as_str().unwrap(), e["channel"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        rows,
        [
            (4, "committed", "undo"),
            (3, "committed", "apply"),
            (2, "undone", "apply"),
            (1, "committed", "apply")
        ]
    );
    assert_eq!(entries[0]["undoes"], uuid(2));
    assert_eq!(entries[3]["uuid"], uuid(1));
    assert_eq!(entries[3]["files"][0]["path"], "f1.txt");
    assert!(entries[3]["createdAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(log(&env, &["-n", "1"]).as_array().unwrap().len(), 1);
    assert_eq!(log(&env, &["-n", "0"]).as_array().unwrap().len(), 4);
}

#[test]
fn an_empty_ledger_is_an_empty_array_and_makes_no_folder() {
    let env = env();
    assert_eq!(log(&env, &[]), Value::Array(vec![]));
    let run = env.relay(&["log"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
    assert!(run.stderr.contains("nothing has landed here yet"));
    assert!(!env.exists(".relaycode"));
}

#[test]
fn the_log_shows_what_each_one_was_about() {
    let env = project(PLAIN);
    let text = reply(1, "a.txt", "x").replace("uuid:", "promptSummary: make an a\nuuid:");
    apply(&env, &text, &[]);
    apply(&env, &reply(2, "b.txt", "x"), &[]);
    let run = env.relay(&["log"]).run();
    assert!(run.stdout.contains("make an a") && run.stdout.contains("Because."), "{}", run.stdout);
}

#[test]
fn the_log_shows_time_files_lines_and_state_in_a_few_lines() {
    let env = project(PLAIN);
    env.write("a.txt", "old\n");
    let text = "```text // {a.txt}\nnew\n```\n\n```text // {b.txt}\nb\n```\n\n\
                ```yaml\nprojectId: shop\nuuid: 00000000-0000-4000-8000-000000000001\npromptSummary: two files\n```\n";
    apply(&env, text, &[]);
    env.relay(&["undo", "1", "--file", "a.txt"]).success();
    let run = env.relay(&["log"]).success();
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].contains("undo") && lines[0].contains("1 file"), "{}", run.stdout);
    assert!(lines[1].contains("undo of 00000000, only a.txt"), "{}", run.stdout);
    assert!(lines[3].contains("just now") && lines[3].contains("apply"), "{}", run.stdout);
    assert!(lines[3].contains("undone in 1 of 2 files  2 files  +2 −1"), "{}", run.stdout);
    assert!(lines[4].contains("two files") && lines[5].contains("a.txt, b.txt"), "{}", run.stdout);
}

#[test]
fn the_log_is_limited_by_its_options() {
    let env = project(PLAIN);
    env.write("src/old.txt", "1\n");
    apply(&env, &reply(1, "src/old.txt", "2"), &[]);
    let rename = "```json // rename-file\n{\"from\": \"src/old.txt\", \"to\": \"src/new.txt\"}\n```\n";
    apply(&env, rename, &[]);
    apply(&env, &reply(3, "other.txt", "x"), &[]);
    env.relay(&["undo", "3"]).success();
    let numbers = |arguments: &[&str]| -> Vec<u64> {
        let entries = log(&env, arguments);
        entries.as_array().unwrap().iter().map(|entry| entry["number"].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers(&["--path", "src/new.txt"]), [2, 1], "also under its earlier name");
    assert_eq!(numbers(&["--path", "./src/"]), [2, 1]);
    assert_eq!(numbers(&["--channel", "undo"]), [4]);
    assert_eq!(numbers(&["--status", "undone"]), [3]);
    assert_eq!(numbers(&["--status", "partly-undone"]), [] as [u64; 0]);
    assert_eq!(numbers(&["--since", "1h", "--path", "other.txt"]), [4, 3]);
    assert_eq!(numbers(&["--until", "2020-01-01"]), [] as [u64; 0]);
    assert_eq!(numbers(&["--since", "2020-01-01T00:00:00Z", "-n", "1"]), [4]);
    let here = env.relay(&["log", "--json", "--path", "new.txt"]).current_dir("src").run();
    assert_eq!(json(&here).as_array().unwrap().len(), 2, "a path is meant from the folder one is in");
    assert_eq!(numbers(&["--path", "."]).len(), 4, "the project's folder is everything");
    let run = env.relay(&["log", "--path", "unknown.txt"]).success();
    assert!(run.stderr.contains("none of the 4 transactions match"), "{}", run.stderr);
}

#[test]
fn an_invalid_limit_is_refused_with_a_hint() {
    let env = project(PLAIN);
    for (arguments, expected) in [
        (["--since", "soon"], "2026-11-15T10:30"),
        (["--until", "3"], "an age"),
        (["--status", "lost"], "committed, partly_undone, undone"),
        (["--path", "../outside"], "../outside"),
        (["--path", ".git/config"], "git"),
    ] {
        let run = env.relay(&[&["log"], &arguments[..]].concat()).run();
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn the_log_has_the_checks_and_only_show_has_what_they_printed() {
    let env = project(r#"{"projectId": "shop", "postCommand": "echo fine"}"#);
    apply(&env, &reply(1, "a.txt", "x"), &["--trust"]);
    let check = log(&env, &[])[0]["checks"][0].clone();
    assert_eq!(
        (check["name"].as_str(), check["status"].as_str()),
        (Some("postCommand"), Some("passed")),
        "{check}"
    );
    assert!(check.get("outputTail").is_none());
    let shown = json(&env.relay(&["show", "--json"]).run())["checks"][0]["outputTail"].clone();
    assert_eq!(shown, "fine\n");
    assert!(env.relay(&["log"]).success().stdout.contains("1 check passed"));
}

#[test]
fn show_says_how_each_edit_was_placed() {
    let env = project(PLAIN);
    env.write("a.txt", "one\ntwo\nthree\n");
    let text =
        "```text // {a.txt} multi-search-replace\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n```\n";
    apply(&env, text, &[]);
    let document = json(&env.relay(&["show", "--json"]).run());
    let edit = &document["files"][0]["edits"][0];
    assert_eq!((edit["operation"].as_str(), edit["path"].as_str()), (Some("patch"), Some("a.txt")), "{edit}");
    let placement = edit["placement"].as_str().unwrap();
    assert!(placement.starts_with("exact"), "{placement}");
    let run = env.relay(&["show"]).success();
    assert!(run.stdout.contains(&format!("a.txt: {placement} (")), "{}", run.stdout);
}

#[test]
fn show_takes_a_number_a_uuid_or_its_beginning_and_gives_the_diff() {
    let env = project(PLAIN);
    env.write("a.txt", "old\n");
    apply(&env, &reply(1, "a.txt", "new"), &[]);
    let text = reply(2, "b.txt", "x").replace(&uuid(2), "abcd0000-0000-4000-8000-000000000000");
    apply(&env, &text, &[]);
    for selector in ["1", "#1", &uuid(1), "00000000"] {
        let document = json(&env.relay(&["show", selector, "--json"]).run());
        assert_eq!(document["uuid"], uuid(1), "{selector}");
    }
    assert_eq!(json(&env.relay(&["show", "ABCD", "--json"]).run())["files"][0]["path"], "b.txt");
    assert_eq!(
        json(&env.relay(&["show", "--json"]).run())["files"][0]["path"],
        "b.txt",
        "the newest by default"
    );
    let document = json(&env.relay(&["show", "1", "--json"]).run());
    assert_eq!(document["reasoning"], "Because.");
    let diff = document["diff"].as_str().unwrap();
    assert!(diff.contains("--- a/a.txt\n+++ b/a.txt\n") && diff.contains("-old\n+new\n"), "{diff}");
    let run = env.relay(&["show", "1"]).run();
    assert!(run.stdout.contains("- old") && run.stdout.contains("+ new"), "{}", run.stdout);
    // A valid number never means a uuid that happens to begin with it.
    for selector in ["77", "0000", "abc"] {
        let run = env.relay(&["show", selector]).run();
        assert_eq!(run.code, 1, "{selector}");
        assert!(run.stderr.contains("relay log"), "{}", run.stderr);
    }
}

#[test]
fn an_ambiguous_prefix_is_refused_with_the_candidates() {
    let env = project(PLAIN);
    apply(&env, &reply(1, "a.txt", "x"), &[]);
    apply(&env, &reply(2, "b.txt", "x"), &[]);
    let run = env.relay(&["show", "00000000"]).run();
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains(&uuid(1)) && run.stderr.contains(&uuid(2)), "{}", run.stderr);
}

#[test]
fn the_diff_in_show_is_one_that_git_applies() {
    let env = project(PLAIN);
    env.write("a.txt", "one\ntwo\nthree\n");
    env.write("no-newline.txt", "end");
    env.git(&["init", "-q"]);
    env.git(&["add", "-A"]);
    env.git(&["commit", "-qm", "start"]);
    let text = "```text // {a.txt}\none\n2\nthree\n```\n\n```text // {new file.txt}\nnew\n```\n\n\
                ```text // {no-newline.txt} multi-search-replace\n<<<<<<< SEARCH\nend\n=======\nfin\n>>>>>>> REPLACE\n```\n";
    apply(&env, text, &[]);
    let diff = json(&env.relay(&["show", "--json"]).run())["diff"].as_str().unwrap().to_owned();
    let landed = env.read("a.txt") + &env.read("new file.txt") + &env.read("no-newline.txt");
    env.git(&["stash", "-qu"]);
    env.write("../show.patch", &diff);
    env.git(&["apply", "../show.patch"]);
    assert_eq!(env.read("a.txt") + &env.read("new file.txt") + &env.read("no-newline.txt"), landed);
}

#[test]
fn a_state_file_has_the_documented_content_and_is_private() {
    let env = project(PLAIN);
    env.write("a.txt", "old\n");
    std::fs::write(env.path("b.bin"), vec![0u8; 100_000]).unwrap();
    let text = reply(1, "a.txt", "new")
        .replace("```yaml", "```bin // {b.bin}\n//TODO: delete this file\n```\n\n```yaml");
    apply(&env, &text, &[]);
    let state = env.read(&format!(".relaycode/{}.yml", uuid(1)));
    for key in
        ["uuid:", "projectId: shop", "createdAt:", "reasoning:", "operations:", "snapshot:", "approved: true"]
    {
        assert!(state.contains(key), "{key} in\n{state}");
    }
    assert!(state.len() < 10_000, "large contents are blobs, not in the record");
    let mode = |path: &str| std::fs::metadata(env.path(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(".relaycode"), 0o700);
    assert_eq!(mode(&format!(".relaycode/{}.yml", uuid(1))), 0o600);
    assert!(!state.contains("pending"));
    let pending = std::fs::read_dir(env.path(".relaycode"))
        .unwrap()
        .any(|entry| entry.unwrap().file_name().to_string_lossy().contains("pending"));
    assert!(!pending, "nothing is left pending");
}

#[test]
fn a_planted_record_is_ignored_and_reported() {
    let env = project(PLAIN);
    apply(&env, &reply(1, "a.txt", "x"), &[]);
    let own = env.read(&format!(".relaycode/{}.yml", uuid(1)));
    env.write(
        &format!(".relaycode/{}.yml", uuid(9)),
        &own.replace(&uuid(1), &uuid(9)).replace("a.txt", "victim.txt"),
    );
    let entries = log(&env, &[]);
    assert_eq!(entries.as_array().unwrap().len(), 2);
    assert_eq!((&entries[1]["status"], &entries[1]["number"]), (&"damaged".into(), &Value::Null));
    assert!(env.relay(&["log"]).run().stderr.contains("not written by you"));
    assert_eq!(env.relay(&["undo", &uuid(9)]).run().code, 1);
}

#[test]
fn recover_has_nothing_to_do_in_a_healthy_project() {
    let env = project(PLAIN);
    apply(&env, &reply(1, "a.txt", "x"), &[]);
    let run = env.relay(&["recover"]).run();
    assert_eq!(run.code, 0);
    assert!(run.stdout.contains("nothing to recover"), "{}", run.stdout);
    assert_eq!(json(&env.relay(&["recover", "--json"]).run())["diagnostics"], Value::Array(vec![]));
}

#[test]
fn the_ledger_knows_the_model_and_the_group() {
    let env = project(PLAIN);
    let text = reply(1, "a.txt", "x").replace("uuid:", "model: said-so\nuuid:");
    apply(&env, &text, &["--group", "g1"]);
    apply(&env, &text.replace("000001", "000002").replace("a.txt", "b.txt"), &["--model", "asked\u{1b}[1m"]);
    apply(&env, &reply(3, "c.txt", "x"), &[]);
    let entries = log(&env, &[]);
    let of = |key: &str| -> Vec<&Value> { entries.as_array().unwrap().iter().map(|e| &e[key]).collect() };
    assert_eq!(of("model"), [&Value::Null, &Value::from("asked\u{1b}[1m"), &Value::from("said-so")]);
    assert_eq!(of("group"), [&Value::Null, &Value::Null, &Value::from("g1")]);
    assert_eq!(log(&env, &["--group", "g1"])[0]["number"], 1);
    assert_eq!(log(&env, &["--group", "g"]), Value::Array(vec![]));
    let text = env.relay(&["log"]).success().stdout;
    assert!(text.contains("apply (said-so)") && text.contains("group g1"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(env.relay(&["show", "1"]).success().stdout.contains("apply (said-so)"));
    assert!(env.relay(&["blame", "a.txt"]).success().stdout.contains("apply (said-so)"));
    let blame = json(&env.relay(&["blame", "a.txt", "--json"]).run());
    assert_eq!(blame["transactions"][uuid(1)]["model"], "said-so");
}

/// The first text between two lines after an offset.
fn between<'t>(text: &'t str, first: &str, last: &str) -> &'t str {
    let from = text.find(first).unwrap() + first.len();
    let length = text[from..].find(last).unwrap();
    &text[from..from + length]
}

#[test]
fn the_documented_record_is_what_relay_writes() {
    let page = include_str!("../../../../docs/formats/state-file.md");
    let example = between(page, "\n````markdown\n", "````\n");
    let documented = between(&page[page.find("````\n\n```yaml").unwrap()..], "```yaml\n", "```\n");
    let env = project(r#"{"projectId": "demo"}"#);
    env.write("src/server.ts", "listen(3000);\n");
    assert_eq!(apply(&env, example, &[]).0, 0);
    let written = env.read(".relaycode/7a0f9c1e-2f6b-4c57-9a56-0d3c5c0f3b10.yml");
    assert_eq!(written.lines().count(), documented.lines().count(), "{written}");
    for (real, said) in written.lines().zip(documented.lines()) {
        let key = said.split(':').next().unwrap();
        let is_same = match key {
            "createdAt" | "mac" => real.starts_with(&format!("{key}:")) && real.len() >= said.len() - 3,
            _ => match said.strip_suffix('…') {
                Some(start) => real.starts_with(start),
                None => real == said,
            },
        };
        assert!(is_same, "documented: {said}\n  written: {real}");
    }
    // Every key that records have is in the table.
    for key in written
        .lines()
        .filter(|line| !line.starts_with([' ', '-']))
        .map(|line| line.split(':').next().unwrap())
    {
        assert!(page.contains(&format!("| `{key}` ")), "{key}");
    }
}

#[test]
fn the_documented_channels_and_approvals_are_those_of_records() {
    let page = include_str!("../../../../docs/formats/state-file.md");
    let row =
        |key: &str| page.lines().find(|line| line.starts_with(&format!("| `{key}` "))).unwrap().to_owned();
    let env = project(PLAIN);
    apply(&env, &reply(1, "a.txt", "a"), &[]);
    env.relay(&["undo", "--yes"]).success();
    env.relay(&["redo"]).success();
    env.relay(&["wrap", "--yes", "--", "sh", "-c", "echo x > b.txt"]).run();
    let entries = log(&env, &[]);
    let entries = entries.as_array().unwrap();
    assert_eq!(entries.len(), 4, "{entries:#?}");
    for entry in entries {
        for key in ["channel", "approvedBy"] {
            let value = entry[key].as_str().unwrap();
            assert!(row(key).contains(&format!("`{value}`")), "{key}: {value}");
        }
    }
}
