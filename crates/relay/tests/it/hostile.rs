//! Malicious replies and repositories. The scenarios cover names; these tests need a real file system.

use std::os::unix::fs::symlink;

use crate::{PLAIN, apply, codes, project, reply};

#[test]
fn a_link_in_the_way_is_refused_wherever_it_points() {
    let env = project(PLAIN);
    env.write("../outside/secret.txt", "secret\n");
    env.write("real/file.txt", "real\n");
    symlink("../outside", env.path("dir-link")).unwrap();
    symlink("../outside/secret.txt", env.path("file-link")).unwrap();
    symlink("real", env.path("inner-link")).unwrap();
    symlink("nowhere", env.path("dangling")).unwrap();
    for (number, path) in
        ["dir-link/secret.txt", "file-link", "inner-link/file.txt", "dangling", "dir-link/new.txt"]
            .iter()
            .enumerate()
    {
        let (code, document) = apply(&env, &reply(number as u32, path, "evil"), &["--yes"]);
        assert_eq!((code, codes(&document)), (1, vec!["file-symlink".to_owned()]), "{path}");
    }
    assert_eq!(env.read("../outside/secret.txt"), "secret\n");
    assert_eq!(env.read("real/file.txt"), "real\n");
    assert!(!env.exists("../outside/new.txt"));
}

#[test]
fn pipes_and_folders_are_not_files() {
    let env = project(PLAIN);
    env.write("folder/x.txt", "x\n");
    assert!(env.shell("mkfifo pipe").code == 0);
    for (number, path, expected) in [(1, "pipe", "file-not-regular"), (2, "folder", "file-is-folder")] {
        let (code, document) = apply(&env, &reply(number, path, "evil"), &["--yes"]);
        assert_eq!((code, codes(&document)), (1, vec![expected.to_owned()]), "{path}");
    }
}

#[test]
fn hard_linked_files_are_refused_unless_allowed() {
    let env = project(PLAIN);
    env.write("a.txt", "old\n");
    std::fs::hard_link(env.path("a.txt"), env.path("../other-name.txt")).unwrap();
    let (code, document) = apply(&env, &reply(1, "a.txt", "new"), &["--yes"]);
    assert_eq!((code, codes(&document)), (1, vec!["hard-linked".to_owned()]));
    assert!(document["diagnostics"][0]["hint"].as_str().unwrap().contains("--break-links"));
    assert_eq!(apply(&env, &reply(1, "a.txt", "new"), &["--break-links"]).0, 0);
    assert_eq!((env.read("a.txt").as_str(), env.read("../other-name.txt").as_str()), ("new\n", "old\n"));
}

#[test]
fn sensitive_files_need_their_own_approval() {
    let env = project(PLAIN);
    let text = reply(1, ".github/workflows/ci.yml", "on: push");
    let (code, document) = apply(&env, &text, &["--yes"]);
    assert_eq!((code, codes(&document)), (1, vec!["sensitive-path".to_owned()]));
    assert!(!env.exists(".github"));
    env.write("reply.md", &text);
    let mut screen = env.pty(&["apply", "--yes", "reply.md"]);
    screen.expect(".github/workflows/ci.yml");
    screen.expect("[y/N]");
    screen.send("n\n");
    assert_eq!(screen.wait(), 1);
    assert_eq!(apply(&env, &text, &["--allow-sensitive"]).0, 0);
    assert!(env.exists(".github/workflows/ci.yml"));
}

#[test]
fn a_shipped_state_folder_can_neither_run_nor_redirect() {
    let env = project(PLAIN);
    env.write("../outside/keep.txt", "keep\n");
    symlink("../outside", env.path(".relaycode")).unwrap();
    let run = env.relay(&["apply"]).stdin(&reply(1, "a.txt", "x")).run();
    assert_ne!(run.code, 0);
    assert!(!run.stderr.is_empty());
    assert_eq!(
        std::fs::read_dir(env.path("../outside")).unwrap().count(),
        1,
        "nothing was written through the link"
    );
    assert!(!env.exists("a.txt"));
}

#[test]
fn a_file_that_cannot_be_written_leaves_the_others_alone() {
    let env = project(PLAIN);
    env.write("a.txt", "a\n");
    env.write("full/b.txt", "b\n");
    let before = env.tree();
    // A name at the limit is valid in the reply, but the disk has no room for anything longer.
    let long = "x".repeat(255);
    let text = format!("```text // {{a.txt}}\nnew\n```\n\n```text // {{full/b.txt/{long}}}\nnew\n```\n");
    let (code, _) = apply(&env, &text, &["--yes"]);
    assert_eq!(code, 1);
    assert_eq!(env.tree(), before);
}

#[test]
fn planted_state_files_are_named_with_a_hint() {
    for planted in [
        "mkfifo .relaycode/lock",
        "mkdir .relaycode/lock",
        "ln -s /etc/passwd .relaycode/lock",
        "mkfifo .relaycode/blobs",
        "ln -s /tmp .relaycode/stage",
        "rmdir .relaycode; ln -s /tmp .relaycode",
    ] {
        let env = project(PLAIN);
        assert_eq!(env.shell(&format!("mkdir .relaycode; {planted}")).code, 0);
        let (code, document) = apply(&env, &reply(1, "a.txt", "x"), &["--yes"]);
        assert_eq!(
            (code, codes(&document)),
            (1, vec!["foreign-state".to_owned()]),
            "{planted}: {document:#}"
        );
        assert!(document["diagnostics"][0]["hint"].as_str().unwrap().contains("remove it"), "{planted}");
        assert!(!env.exists("a.txt"));
    }
}

#[test]
fn files_planted_in_the_capture_folder_block_no_reader_and_are_reported_before_a_command_runs() {
    for (planted, expected) in [
        ("mkfifo .relaycode/capture/lock", &["foreign-state"][..]),
        ("ln -s /etc/passwd .relaycode/capture/lock", &["foreign-state"]),
        // Here the journal can be read, and is not valid.
        ("mkfifo .relaycode/lock", &["damaged-state", "foreign-state"]),
    ] {
        let env = project(PLAIN);
        let plant = format!("mkdir -p .relaycode/capture; touch .relaycode/capture/open-1; {planted}");
        assert_eq!(env.shell(&plant).code, 0);
        assert_eq!(env.relay(&["log"]).run().code, 0, "{planted}");
        let run = env.relay(&["wrap", "--json", "--", "touch", "ran.txt"]).run();
        let found = codes(&crate::json(&run));
        assert_eq!(
            (run.code, found.iter().map(String::as_str).collect()),
            (1, expected.to_vec()),
            "{planted}"
        );
        assert!(!env.exists("ran.txt"), "{planted}");
    }
}

#[test]
fn a_document_escapes_characters_that_could_mislead_a_reader() {
    let env = project(PLAIN);
    let line = "x\u{202e}y\u{9b}31m\u{e0041}";
    assert_eq!(apply(&env, &reply(1, "a.txt", line), &[]).0, 0);
    for command in [["show", "1", "--json"], ["blame", "a.txt", "--json"]] {
        let run = env.relay(&command).success();
        let hidden: Vec<char> = run.stdout.chars().filter(|c| !c.is_ascii() && *c != '−').collect();
        assert_eq!(hidden, [], "{command:?}");
    }
    let document = crate::json(&env.relay(&["blame", "a.txt", "--json"]).success());
    assert_eq!(document["lines"][0]["text"], line, "a program reads the text itself");
}

/// A name of a megabyte is a mistake or an attack; either way it is unreadable.
#[test]
fn very_long_text_of_a_reply_is_quoted_in_part() {
    let env = project(PLAIN);
    env.write("a.txt", "one\n");
    let long = "x".repeat(1_000_000);
    for (text, expected) in [
        (reply(1, &long, "x"), "path-too-long"),
        (format!("--- a/{long}\n+++ b/{long}\n@@\n-a\n+b\n"), "path-too-long"),
        (format!("```text // {{a.txt}} {long}\nx\n```\n"), "unknown-strategy"),
        (format!("```text // {{a.txt}}\nx\n```\n```yaml\nuuid: {long}\n```\n"), "invalid-uuid"),
    ] {
        let (code, document) = apply(&env, &text, &[]);
        assert_eq!(code, 1);
        assert!(codes(&document).contains(&expected.to_owned()), "{expected}: {:?}", codes(&document));
        assert!(document.to_string().len() < 5_000, "{expected}");
        for arguments in [&["apply"][..], &["apply", "--repair-prompt"]] {
            let run = env.relay(arguments).stdin(&text).run();
            let shown = run.stdout + &run.stderr;
            assert!(shown.len() < 10_000 && shown.contains("characters left out"), "{expected}");
        }
    }
}

#[test]
fn a_model_reads_the_file_byte_for_byte() {
    let env = project(PLAIN);
    let text = "a \u{1b}[31mred\u{1b}[0m\r\n\u{1b}]0;title\u{7}b\n";
    env.write("a.txt", text);
    assert_eq!(env.relay(&["read", "a.txt"]).success().stdout, text);
}

#[test]
fn a_dry_run_announces_the_questions_of_the_real_run() {
    let env = project(r#"{"projectId": "shop", "postCommand": "true"}"#);
    let text = reply(1, ".github/workflows/ci.yml", "on: push");
    let (code, document) = apply(&env, &text, &["--dry-run"]);
    assert_eq!(code, 0);
    assert_eq!(codes(&document), ["sensitive-path", "untrusted-commands"], "{document:#}");
    let (_, document) = apply(&env, &text, &["--dry-run", "--allow-sensitive", "--trust"]);
    assert_eq!(codes(&document), Vec::<String>::new());
}

#[test]
fn confusable_names_are_pointed_out() {
    let none: [&str; 0] = [];
    let cases: [(&str, &[&str], &str); 9] = [
        (
            "lib/B.ts lib/b.ts",
            &["similar-path"],
            "`lib/b.ts` is new and differs only in case from `lib/B.ts`",
        ),
        ("SRC/new.ts", &["similar-path"], "`SRC` is new and differs only in case from `src`"),
        (
            "src/p\u{430}y.ts",
            &["look-alike-path", "similar-path"],
            "U+0430 in its name, which only looks like a Latin letter",
        ),
        ("\u{441}\u{43E}\u{440}\u{443}.txt", &["similar-path"], "looks like `copy.txt`"),
        ("src/%2e%2e/x.ts", &["escaped-path"], "has the escape `%2e` in its name"),
        ("a%2Fb.txt", &["escaped-path"], "`%2F`"),
        ("src/new.ts", &none, ""),
        ("\u{43C}\u{438}\u{440}.txt", &none, ""),
        ("src/pay.ts", &none, ""),
    ];
    for (paths, expected, words) in cases {
        let env = project(PLAIN);
        env.write("src/pay.ts", "old\n");
        env.write("copy.txt", "old\n");
        let add = |path: &str| format!("*** Add File: {path}\n+new\n");
        let change = |path: &str| {
            if path == "src/pay.ts" {
                "*** Update File: src/pay.ts\n@@\n-old\n+new\n".to_owned()
            } else {
                add(path)
            }
        };
        let body: String = paths.split(' ').map(change).collect();
        let (code, document) = apply(&env, &format!("*** Begin Patch\n{body}*** End Patch\n"), &["--yes"]);
        assert_eq!(code, 0, "{paths}: {document:#}");
        let found: Vec<String> =
            codes(&document).into_iter().filter(|code| code.ends_with("-path")).collect();
        assert_eq!(found, expected, "{paths}: {document:#}");
        assert!(document["diagnostics"].to_string().contains(words), "{paths}: {document:#}");
    }
}

#[test]
fn a_file_that_only_changes_the_case_of_its_name_is_not_pointed_out() {
    let env = project(PLAIN);
    env.write("Makefile.txt", "old\n");
    let patch = "*** Begin Patch\n*** Update File: Makefile.txt\n*** Move to: makefile.txt\n@@\n-old\n+new\n*** End Patch\n";
    let (code, document) = apply(&env, patch, &["--yes"]);
    assert_eq!(code, 0, "{document:#}");
    assert!(!codes(&document).contains(&"similar-path".to_owned()), "{document:#}");
}
