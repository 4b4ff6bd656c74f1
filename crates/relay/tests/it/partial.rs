//! `--partial`, `--match`, `--allow-shrink` and `--stage`.

use crate::{PLAIN, apply, codes, project, reply, uuid};

#[test]
fn partial_lands_what_fits_and_lists_the_rest() {
    let env = project(PLAIN);
    env.write("a.txt", "a\n");
    env.write("b.txt", "b\n");
    let text = "```text // {a.txt}\nA\n```\n\n```text // {../out.txt}\nx\n```\n\n\
                ```text // {b.txt} multi-search-replace\n<<<<<<< SEARCH\nnowhere\n=======\nx\n>>>>>>> REPLACE\n```\n";
    let before = env.tree();
    let (_, refused) = apply(&env, text, &[]);
    assert_eq!(refused["status"], "rejected");
    assert_eq!(
        (refused["files"][0]["path"].as_str(), refused["files"][0]["status"].as_str()),
        (Some("../out.txt"), Some("skipped"))
    );
    let told = env.relay(&["apply"]).stdin(text).run();
    let told = told.stdout + &told.stderr;
    assert!(told.contains("../out.txt  skipped"), "{told}");
    assert_eq!(env.tree(), before);
    let (code, document) = apply(&env, text, &["--partial"]);
    assert_eq!((code, document["status"].as_str()), (3, Some("partial")), "{document:#}");
    assert_eq!(codes(&document), ["path-parent-folder", "not-found"]);
    let statuses: Vec<(&str, &str)> = document["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["path"].as_str().unwrap(), file["status"].as_str().unwrap()))
        .collect();
    assert_eq!(statuses, [("a.txt", "applied"), ("b.txt", "failed"), ("../out.txt", "skipped")]);
    assert_eq!((env.read("a.txt").as_str(), env.read("b.txt").as_str()), ("A\n", "b\n"));
    env.relay(&["undo"]).success();
    assert_eq!(env.tree(), before);
}

#[test]
fn only_what_landed_is_counted_and_the_first_line_names_the_rest() {
    let env = project(PLAIN);
    env.write("a.txt", "a\n");
    env.write("b.txt", "b\n");
    env.write("c.txt", "c\n");
    let section = |path: &str, old: &str| {
        format!("{path}\n<<<<<<< SEARCH\n{old}\n=======\n{old}\nnew\n>>>>>>> REPLACE\n\n")
    };
    let text = section("a.txt", "a") + &section("b.txt", "nowhere") + &section("c.txt", "nothing");
    let before = env.tree();
    let headline = |arguments: &[&str]| {
        let run = env.relay(&[&["apply"], arguments].concat()).stdin(&text).run();
        let shown = run.stdout + &run.stderr;
        (run.code, shown.lines().find(|line| line.contains("in part ")).unwrap().to_owned())
    };
    let (code, first) = headline(&["--partial", "--dry-run"]);
    assert_eq!(
        (code, first.as_str()),
        (3, "! would land in part  1 file  +1 −0  missing: b.txt (failed), c.txt (failed)")
    );
    assert_eq!(env.tree(), before);
    let (code, document) = apply(&env, &text, &["--partial", "--dry-run"]);
    assert_eq!(
        (code, document["status"].as_str(), document["dryRun"].as_bool()),
        (3, Some("partial"), Some(true))
    );
    assert_eq!(document["files"][0]["status"], "validated");
    assert_eq!(document["missing"][1], serde_json::json!({"path": "c.txt", "reason": "failed"}));
    let (code, first) = headline(&["--partial"]);
    assert!(code == 3 && first.starts_with("! landed in part "), "{first}");
    assert!(first.ends_with("1 file  +1 −0  missing: b.txt (failed), c.txt (failed)"), "{first}");
}

#[test]
fn the_good_files_of_a_refused_reply_say_what_they_would_have_changed() {
    let env = project(PLAIN);
    env.write("a.txt", "a\n");
    env.write("b.txt", "b\n");
    let text = "```text // {a.txt}\na\nb\nc\n```\n\n\
                b.txt\n<<<<<<< SEARCH\nnowhere\n=======\nx\n>>>>>>> REPLACE\n";
    let (code, document) = apply(&env, text, &[]);
    let file = &document["files"][0];
    assert_eq!(
        (code, file["path"].as_str(), file["status"].as_str()),
        (1, Some("a.txt"), Some("not_applied"))
    );
    assert_eq!((file["added"].as_u64(), file["removed"].as_u64()), (Some(2), Some(0)), "{document:#}");
    let shown = env.relay(&["apply"]).stdin(text).run();
    assert!(shown.stdout.contains("M a.txt  +2 −0  fits, not applied"), "{}", shown.stdout);
}

#[test]
fn edits_outside_the_context_make_it_partial_and_a_folder_means_everything_below() {
    let env = project(PLAIN);
    for path in ["src/a.txt", "src/deep/b.txt", "lib/c.txt"] {
        env.write(path, "old\n");
    }
    let block = |path: &str| format!("```text // {{{path}}}\nnew\n```\n\n");
    let text = ["src/a.txt", "src/deep/b.txt", "lib/c.txt"].map(block).concat();
    let run = env.relay(&["apply", "--context", "src/", "--dry-run"]).stdin(&text).run();
    assert!(
        run.code == 3 && run.stdout.contains("! would land in part  2 files  +2 −2  missing: lib/c.txt"),
        "{}",
        run.stdout
    );
    let (code, document) = apply(&env, &text, &["--context", "src"]);
    assert_eq!((code, document["status"].as_str()), (3, Some("partial")), "{document:#}");
    assert_eq!(document["missing"], serde_json::json!([{"path": "lib/c.txt", "reason": "not_in_context"}]));
    assert_eq!(codes(&document), ["not-in-context"], "a folder that is there is not misspelt");
    assert_eq!((env.read("src/deep/b.txt").as_str(), env.read("lib/c.txt").as_str()), ("new\n", "old\n"));
    // Nothing lands at all: no transaction, and the reply may come again.
    let run = env.relay(&["apply", "--context", "src"]).stdin(&block("lib/c.txt")).run();
    assert_eq!(run.code, 3);
    assert!(run.stdout.starts_with("! nothing landed  missing: lib/c.txt (deferred"), "{}", run.stdout);
    assert_eq!(apply(&env, &block("lib/c.txt"), &["--context", "."]).0, 0);
}

#[test]
fn a_file_of_which_one_edit_landed_is_reported_in_part() {
    let env = project(PLAIN);
    env.write("a.txt", "one\ntwo\n");
    let section =
        |old: &str, new: &str| format!("a.txt\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n\n");
    let text = section("one", "new") + &section("nowhere", "other");
    let (code, document) = apply(&env, &text, &["--partial"]);
    assert_eq!((code, document["files"][0]["status"].as_str()), (3, Some("partial")), "{document:#}");
    assert_eq!(codes(&document), ["not-found"]);
    assert_eq!(env.read("a.txt"), "new\ntwo\n");
    // Without the option nothing of it lands.
    let (code, document) = apply(&env, &text, &[]);
    assert_eq!((code, document["files"][0]["status"].as_str()), (1, Some("failed")), "{document:#}");
}

#[test]
fn partial_with_nothing_that_fits_is_a_refusal() {
    let env = project(PLAIN);
    let (code, document) = apply(&env, &reply(1, "../out.txt", "x"), &["--partial"]);
    assert_eq!((code, document["status"].as_str()), (1, Some("rejected")));
    assert_eq!(codes(&document), ["path-parent-folder"]);
}

#[test]
fn a_reply_that_was_cut_off_lands_only_with_partial() {
    let env = project(PLAIN);
    let text = "```text // {a.txt}\nwhole\n```\n\n```text // {b.txt}\ncut";
    assert_eq!(apply(&env, text, &[]).0, 1);
    assert!(!env.exists("a.txt"));
    let (code, _) = apply(&env, text, &["--partial"]);
    assert_eq!(code, 3);
    assert!(env.exists("a.txt") && !env.exists("b.txt"));
}

#[test]
fn the_hunk_a_diff_was_cut_off_in_does_not_land() {
    let env = project(PLAIN);
    let lines: String = (1..=40).map(|number| format!("line {number}\n")).collect();
    env.write("a.txt", &lines);
    let text = "--- a/a.txt\n+++ b/a.txt\n@@ -9,3 +9,3 @@\n line 9\n-line 10\n+LINE 10\n line 11\n\
                @@ -19,3 +19,3 @@\n line 19\n-line 20\n+LINE 2";
    let (code, document) = apply(&env, text, &["--partial"]);
    assert_eq!((code, codes(&document)), (3, vec!["unclosed-block".to_owned()]), "{document:#}");
    assert_eq!(document["diagnostics"][0]["path"], "a.txt", "{document:#}");
    assert_eq!(env.read("a.txt"), lines.replace("line 10\n", "LINE 10\n"));
}

#[test]
fn a_file_is_not_renamed_without_its_changed_lines() {
    let env = project(PLAIN);
    env.write("b.txt", "hello\nworld\n");
    env.write("a.txt", "a\n");
    let text = "*** Begin Patch\n*** Update File: b.txt\n*** Move to: c.txt\n@@\n-hexxo\n+hallo\n world\n\
                *** Update File: a.txt\n@@\n-a\n+A\n*** End Patch\n";
    let (code, document) = apply(&env, text, &["--partial"]);
    assert_eq!((code, codes(&document)), (3, vec!["not-found".to_owned()]), "{document:#}");
    assert_eq!((env.read("b.txt").as_str(), env.read("a.txt").as_str()), ("hello\nworld\n", "A\n"));
    assert!(!env.exists("c.txt"));
}

#[test]
fn a_reply_with_leaked_routing_lands_only_with_partial_and_only_up_to_the_leak() {
    let env = project(PLAIN);
    let leak = "f();】【\"】【analysis to=functions.edit code above เงินไทยฟรีuser to=functions.edit code";
    let block = |path: &str, text: &str| format!("```text // {{{path}}}\n{text}\n```\n\n");
    let text = block("a.js", "whole();") + &block("b.js", leak) + &block("c.js", "after();");
    let (code, document) = apply(&env, &text, &[]);
    assert_eq!((code, codes(&document)), (1, vec!["leaked-routing".to_owned()]), "{document:#}");
    assert!(!env.exists("a.js"));
    let (code, document) = apply(&env, &text, &["--partial"]);
    assert_eq!((code, codes(&document)), (3, vec!["leaked-routing".to_owned()]), "{document:#}");
    assert!(env.exists("a.js") && !env.exists("b.js") && !env.exists("c.js"));
    // A file about leaks is a file like any other.
    let about = include_str!("../../../relay-edit/tests/it/leaks/errata.md");
    let (code, document) = apply(&env, &format!("````md // {{ERRATA.md}}\n{about}````\n"), &[]);
    assert_eq!((code, env.read("ERRATA.md").as_str()), (0, about), "{document:#}");
}

#[test]
fn the_strictness_of_matching_can_be_chosen_and_configured() {
    let text = "```text // {a.txt} multi-search-replace\n<<<<<<< SEARCH\nport: 3000,\nhost: x,\n=======\nport: 1,\nhost: x,\n>>>>>>> REPLACE\n```\n";
    let env = project(PLAIN);
    env.write("a.txt", "  port: 3000,\n  host: x,\n");
    assert_eq!(codes(&apply(&env, text, &["--match", "exact"]).1), ["not-found"]);
    assert_eq!(apply(&env, text, &["--match", "whitespace"]).1["files"][0]["placement"], "indentation");
    let env = project(r#"{"projectId": "shop", "match": "exact"}"#);
    env.write("a.txt", "  port: 3000,\n  host: x,\n");
    assert_eq!(apply(&env, text, &[]).0, 1);
    assert_eq!(apply(&env, text, &["--match", "fuzzy"]).0, 0);
    assert_eq!(env.relay(&["apply", "--match", "vague"]).stdin(text).run().code, 2);
}

#[test]
fn a_reply_that_would_gut_a_file_is_refused_unless_allowed() {
    let env = project(PLAIN);
    let lines: String = (1..=100).map(|n| format!("fn f{n}() {{}}\n")).collect();
    env.write("a.rs", &lines);
    let text = reply(1, "a.rs", "fn f1() {}\n// ... rest of the code unchanged ...");
    assert_eq!(apply(&env, &text, &[]).0, 1);
    assert_eq!(env.read("a.rs"), lines);
}

#[test]
fn staging_adds_exactly_what_landed() {
    let env = project(PLAIN);
    env.git(&["init", "-q"]);
    env.write("old.txt", "old\n");
    env.write("-dash *.txt", "d\n");
    env.git(&["add", "-A"]);
    env.git(&["commit", "-qm", "start"]);
    env.write("unrelated.txt", "mine\n");
    let text = format!(
        "```text // {{new.txt}}\nnew\n```\n\n```text // {{old.txt}}\n//TODO: delete this file\n```\n\n\
         ```text // {{-dash *.txt}}\nD\n```\n\n```yaml\nprojectId: shop\nuuid: {}\n```\n",
        uuid(1)
    );
    assert_eq!(apply(&env, &text, &["--stage"]).0, 0);
    assert_eq!(env.git(&["diff", "--cached", "--name-status"]), "M\t-dash *.txt\nA\tnew.txt\nD\told.txt\n");
}

#[test]
fn staging_by_config_and_its_failure_is_a_warning() {
    let env = project(r#"{"projectId": "shop", "gitStage": true}"#);
    let (code, document) = apply(&env, &reply(1, "a.txt", "x"), &[]);
    assert_eq!((code, codes(&document)), (0, vec!["not-staged".to_owned()]), "there is no repository");
    assert!(env.exists("a.txt"));
}

#[test]
fn a_path_that_cannot_be_written_refuses_the_reply_in_every_form_unless_a_part_is_wanted() {
    let long = "a".repeat(4000);
    for path in [
        "file:///etc/x",
        ".",
        "src/",
        &long,
        "a\u{1}b",
        "../x",
        ".git/hooks/pre-commit",
        "relaycode.config.json",
    ] {
        let forms = [
            format!("```text // {{{path}}}\nevil\n```\n\n```text // {{ok.txt}}\nfine\n```\n"),
            format!(
                "```diff\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+evil\n--- /dev/null\n+++ b/ok.txt\n@@ -0,0 +1 @@\n+fine\n```\n"
            ),
            format!(
                "*** Begin Patch\n*** Add File: {path}\n+evil\n*** Add File: ok.txt\n+fine\n*** End Patch\n"
            ),
        ];
        for text in forms {
            let env = project(PLAIN);
            let (code, document) = apply(&env, &text, &["--yes"]);
            assert_eq!((code, document["status"].as_str()), (1, Some("rejected")), "{text}\n{document:#}");
            assert!(!env.exists("ok.txt"), "{text}");
            let (code, document) = apply(&env, &text, &["--yes", "--partial"]);
            assert_eq!((code, document["status"].as_str()), (3, Some("partial")), "{text}\n{document:#}");
            assert!(env.exists("ok.txt"), "{text}");
        }
    }
}
