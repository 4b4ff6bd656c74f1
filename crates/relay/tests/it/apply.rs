//! `relay apply`: reading replies, uuids, exit codes, files on disk.

use std::os::unix::fs::PermissionsExt;

use crate::{PLAIN, apply, codes, env, json, project, reply, uuid};

#[test]
fn a_reply_from_a_file_lands_and_says_what_it_did() {
    let env = project(PLAIN);
    env.write("a.txt", "old\n");
    env.write("reply.md", &reply(1, "a.txt", "new"));
    let run = env.relay(&["apply", "reply.md"]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(env.read("a.txt"), "new\n");
    assert!(run.stdout.contains("✓ landed 00000000"), "{}", run.stdout);
    assert!(run.stdout.contains("M a.txt  +1 −1"), "{}", run.stdout);
    assert!(run.stdout.contains("relay undo"), "{}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}'), "no colours when piped");
}

#[test]
fn standard_input_is_read_with_and_without_a_dash() {
    let env = env();
    for (number, arguments) in [(1, &["apply"][..]), (2, &["apply", "-"])] {
        let path = format!("f{number}.txt");
        let run = env.relay(arguments).stdin(&reply(number, &path, "x")).run();
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(env.read(&path), "x\n");
    }
}

#[test]
fn the_document_has_every_documented_field() {
    let env = project(PLAIN);
    env.write("a.txt", "old\n");
    let (code, document) = apply(&env, &reply(1, "a.txt", "new"), &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")));
    assert_eq!(document["uuid"], uuid(1));
    let file = &document["files"][0];
    assert_eq!(file["path"], "a.txt");
    assert_eq!(file["operation"], "modify");
    assert_eq!(file["status"], "applied");
    assert_eq!((file["added"].as_u64(), file["removed"].as_u64()), (Some(1), Some(1)));
    assert_eq!(file["placement"], "whole file");
    assert!(document["checks"].as_array().unwrap().is_empty());
    assert!(document["diagnostics"].as_array().unwrap().is_empty());
}

#[test]
fn the_same_reply_twice_lands_once() {
    let env = project(PLAIN);
    let text = reply(1, "a.txt", "new");
    assert_eq!(apply(&env, &text, &[]).1["status"], "committed");
    env.write("a.txt", "edited since\n");
    let (code, document) = apply(&env, &text, &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("already_processed")));
    assert_eq!(env.read("a.txt"), "edited since\n");
    let crlf = text.replace('\n', "\r\n") + "  \r\n";
    assert_eq!(
        apply(&env, &crlf, &[]).1["status"],
        "already_processed",
        "a clipboard may change line endings"
    );
}

#[test]
fn another_reply_under_a_used_uuid_is_refused_not_swallowed() {
    let env = project(PLAIN);
    assert_eq!(apply(&env, &reply(1, "a.txt", "one"), &[]).0, 0);
    let (code, document) = apply(&env, &reply(1, "a.txt", "two"), &[]);
    assert_eq!((code, codes(&document)), (1, vec!["uuid-reused".to_owned()]));
    assert_eq!(env.read("a.txt"), "one\n");
}

#[test]
fn an_uppercase_or_braced_uuid_is_the_same_uuid() {
    let env = project(PLAIN);
    let text = reply(0xabcd, "a.txt", "x").replace(&uuid(0xabcd), "ABCDEF00-0000-4000-8000-000000000001");
    assert_eq!(apply(&env, &text, &[]).1["uuid"], "abcdef00-0000-4000-8000-000000000001");
    assert!(env.exists(".relaycode/abcdef00-0000-4000-8000-000000000001.yml"));
}

#[test]
fn a_rolled_back_uuid_may_be_tried_again_and_an_undone_one_stays_processed() {
    let env = project(r#"{"projectId": "shop", "postCommand": "test -e allow"}"#);
    let text = reply(1, "a.txt", "new");
    assert_eq!(apply(&env, &text, &["--trust"]).1["status"], "rolled_back");
    env.write("allow", "");
    assert_eq!(apply(&env, &text, &["--trust"]).1["status"], "committed");
    assert_eq!(env.relay(&["undo", "--yes"]).run().code, 0);
    let (_, document) = apply(&env, &text, &["--trust"]);
    assert_eq!(document["status"], "already_processed");
    assert!(document["diagnostics"][0]["hint"].as_str().unwrap().contains("relay redo"));
    assert!(!env.exists("a.txt"));
}

#[test]
fn it_works_in_a_folder_without_a_config() {
    let env = env();
    let run = env.relay(&["apply", "--json"]).stdin("```text // {deep/er/a.txt}\nhello\n```\n").run();
    let document = json(&run);
    assert_eq!(document["status"], "committed");
    assert!(uuid_like(document["uuid"].as_str().unwrap()));
    assert_eq!(env.read("deep/er/a.txt"), "hello\n");
    assert_eq!(env.read(".relaycode/.gitignore"), "*\n");
}

fn uuid_like(text: &str) -> bool {
    text.len() == 36 && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

#[test]
fn the_project_is_found_from_a_folder_below_and_by_root() {
    let env = project(PLAIN);
    env.write("sub/dir/x.txt", "");
    let run = env.relay(&["apply"]).current_dir("sub/dir").stdin(&reply(1, "top.txt", "x")).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(env.read("top.txt"), "x\n");

    env.write("other/relaycode.config.json", PLAIN);
    let run = env.relay(&["--root", "other", "apply"]).stdin(&reply(2, "top.txt", "y")).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(env.read("other/top.txt"), "y\n");
    assert_eq!(env.read("top.txt"), "x\n");
}

#[test]
fn modes_survive_a_change_a_rename_and_a_rollback() {
    let env = project(r#"{"projectId": "shop", "postCommand": "test ! -e stop"}"#);
    env.write("tool.sh", "one\n");
    let file = env.path("tool.sh");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o750)).unwrap();
    let mode = |name: &str| std::fs::metadata(env.path(name)).unwrap().permissions().mode() & 0o7777;

    assert_eq!(apply(&env, &reply(1, "tool.sh", "two"), &["--trust"]).0, 0);
    assert_eq!((env.read("tool.sh").as_str(), mode("tool.sh")), ("two\n", 0o750));
    env.write("stop", "");
    assert_eq!(apply(&env, &reply(2, "tool.sh", "three"), &["--trust"]).1["status"], "rolled_back");
    assert_eq!((env.read("tool.sh").as_str(), mode("tool.sh")), ("two\n", 0o750));
    std::fs::remove_file(env.path("stop")).unwrap();
    let rename = "```json // rename-file\n{\"from\": \"tool.sh\", \"to\": \"bin/tool.sh\"}\n```\n";
    assert_eq!(apply(&env, rename, &["--trust"]).0, 0);
    assert_eq!((env.read("bin/tool.sh").as_str(), mode("bin/tool.sh")), ("two\n", 0o750));
}

#[test]
fn a_dry_run_shows_the_diff_runs_nothing_and_writes_nothing() {
    let env = project(r#"{"projectId": "shop", "preCommand": "touch ran", "postCommand": "touch ran"}"#);
    env.write("a.txt", "old\n");
    let before = env.tree();
    let run = env.relay(&["apply", "--dry-run"]).stdin(&reply(1, "a.txt", "new")).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("- old") && run.stdout.contains("+ new"), "{}", run.stdout);
    assert!(run.stdout.contains("would land"), "{}", run.stdout);
    assert_eq!(env.tree(), before);
    let (code, document) = apply(&env, &reply(1, "../a.txt", "new"), &["--dry-run"]);
    assert_eq!((code, document["status"].as_str()), (1, Some("rejected")));
}

#[test]
fn input_that_cannot_be_read_is_a_usage_error() {
    let env = env();
    let run = env.relay(&["apply", "no-such-file.md"]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("no-such-file.md cannot be read"), "{}", run.stderr);
    let run = env.relay(&["apply", "--json", "no-such-file.md"]).run();
    assert_eq!((run.code, codes(&json(&run))), (2, vec!["unreadable-input".to_owned()]));
    std::fs::write(env.path("binary.md"), b"\xff\xfe\x00\x01").unwrap();
    assert_eq!(env.relay(&["apply", "binary.md"]).run().code, 2);
    assert_eq!(env.relay(&["apply", "--nonsense"]).run().code, 2);
    assert_eq!(env.relay(&["apply", "--root", "nowhere"]).stdin("x").run().code, 2);
}

#[test]
fn all_failures_are_reported_together_with_their_lines() {
    let env = project(PLAIN);
    env.write("a.txt", "one\n");
    let text = "```text // {a.txt} multi-search-replace\n<<<<<<< SEARCH\nmissing\n=======\nx\n>>>>>>> REPLACE\n```\n\n\
                ```text // {b.txt}\n//TODO: delete this file\n```\n";
    let (code, document) = apply(&env, text, &[]);
    assert_eq!(code, 1);
    let found: Vec<(String, u64)> = document["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| (d["code"].as_str().unwrap().to_owned(), d["line"].as_u64().unwrap_or(0)))
        .collect();
    assert_eq!(found, [("not-found".to_owned(), 2), ("missing-file".to_owned(), 9)]);
    assert!(document["diagnostics"].as_array().unwrap().iter().all(|d| d["hint"].is_string()));
}

#[test]
fn a_dry_run_refuses_what_the_real_run_would() {
    let env = project(PLAIN);
    env.write("folder/inside.txt", "x\n");
    env.write("linked.txt", "x\n");
    std::fs::hard_link(env.path("linked.txt"), env.path("other.txt")).unwrap();
    env.write("file", "x\n");
    for (number, path) in (1..).zip(["folder", "linked.txt", "file/below.txt"]) {
        let reply = reply(number, path, "new");
        let before = env.tree();
        let (dry_code, dry) = apply(&env, &reply, &["--dry-run"]);
        let (code, real) = apply(&env, &reply, &[]);
        assert_eq!((dry_code, codes(&dry)), (code, codes(&real)), "{path}: {dry:#} {real:#}");
        assert_eq!((code, env.tree()), (1, before), "{path}");
    }
}

#[test]
fn whole_content_does_not_create_a_duplicate_of_the_intended_file() {
    let env = project(PLAIN);
    let lines: String = (1..=12).map(|number| format!("line number {number}\n")).collect();
    env.write("src/util/text.py", &lines);
    let changed = lines.replace("number 7", "number seven");
    for (number, path) in
        [(1, "text.py"), (2, "util/text.py"), (3, "repo/src/util/text.py"), (4, "src/util/Text.py")]
            .into_iter()
    {
        let (code, document) = apply(&env, &reply(number, path, changed.trim_end()), &[]);
        assert_eq!((code, document["status"].as_str()), (1, Some("rejected")), "{document}");
        let finding = &document["diagnostics"][0];
        assert_eq!(finding["code"], "path-mismatch");
        assert!(finding["message"].as_str().unwrap().contains("`src/util/text.py`"), "{finding}");
        assert!(!env.exists(path));
    }
    // A copy, a file with other content, and a replacement for the other file are new files.
    assert_eq!(apply(&env, &reply(5, "util/text.py", lines.trim_end()), &[]).0, 0);
    assert_eq!(apply(&env, &reply(6, "text.py", "something else"), &[]).0, 0);
    let moved = reply(7, "src/util/Text.py", changed.trim_end())
        .replace("```yaml", "```py // {src/util/text.py}\n//TODO: delete this file\n```\n\n```yaml");
    let (code, document) = apply(&env, &moved, &[]);
    assert_eq!(code, 0, "{document}");
    assert!(env.exists("src/util/Text.py") && !env.exists("src/util/text.py"));
}

#[test]
fn a_reply_saved_in_the_project_is_not_taken_for_the_intended_file() {
    let env = project(PLAIN);
    env.write("src/a.py", "def a():\n    return 1\n");
    env.write("src/b.py", "x = 1\n");
    let section =
        "<<<<<<< SEARCH\ndef a():\n    return 1\n=======\ndef a():\n    return 2\n>>>>>>> REPLACE\n";
    env.write("reply.md", &format!("src/b.py\n{section}"));
    let run = env.relay(&["apply", "reply.md"]).run();
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("these lines are in `src/a.py`"), "{}", run.stdout);
    env.write("src/a.py", "y = 1\n");
    let run = env.relay(&["apply", "reply.md"]).run();
    assert!(run.stdout.contains("were not found"), "{}", run.stdout);
    assert!(!run.stdout.contains("these lines are in"), "{}", run.stdout);
}

#[test]
fn a_uuid_that_is_not_random_lands_with_a_warning() {
    let env = project(PLAIN);
    let counted = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
    let (code, document) = apply(&env, &reply(1, "a.txt", "a").replace(&uuid(1), counted), &[]);
    assert_eq!((code, codes(&document)), (0, vec!["uuid-not-v4".to_owned()]), "{document:#}");
    assert_eq!((document["uuid"].as_str(), env.read("a.txt").as_str()), (Some(counted), "a\n"));
}

#[test]
fn a_reply_that_changes_nothing_counts_as_processed() {
    let env = project(PLAIN);
    env.write("a.txt", "a\n");
    let text = reply(1, "a.txt", "a");
    assert_eq!(apply(&env, &text, &["--dry-run"]).1["status"], "unchanged");
    assert_eq!(apply(&env, &text, &[]).1["status"], "unchanged");
    assert!(env.exists(&format!(".relaycode/{}.yml", uuid(1))));
    assert_eq!(apply(&env, &text, &[]).1["status"], "already_processed");
    let (code, document) = apply(&env, &reply(1, "b.txt", "other"), &[]);
    assert_eq!((code, codes(&document)), (1, vec!["uuid-reused".to_owned()]));
    // It is not a step of the history.
    let run = env.relay(&["undo", "--json"]).run();
    assert_eq!((run.code, codes(&json(&run))), (1, vec!["no-such-transaction".to_owned()]));
    assert_eq!(env.relay(&["show", "1"]).run().code, 0);
    assert_eq!(env.read("a.txt"), "a\n");
}

#[test]
fn a_path_that_leaves_a_folder_and_returns_stays_inside() {
    let env = project(PLAIN);
    env.write("src/a.txt", "a\n");
    let (code, document) = apply(&env, &reply(1, "src/../src/a.txt", "b"), &[]);
    assert_eq!((code, document["files"][0]["path"].as_str()), (0, Some("src/a.txt")), "{document:#}");
    assert_eq!(env.read("src/a.txt"), "b\n");
    let (code, document) = apply(&env, &reply(2, "src/../../out.txt", "b"), &[]);
    assert_eq!((code, codes(&document)), (1, vec!["path-parent-folder".to_owned()]));
}
