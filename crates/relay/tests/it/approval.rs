//! The question whether to keep a change, asked in a real terminal.

use crate::{apply, codes, project, reply, uuid};

const ASKS: &str = r#"{"projectId": "shop", "approval": "no"}"#;

#[test]
fn without_a_terminal_a_change_that_needs_approval_is_never_applied() {
    let env = project(r#"{"projectId": "shop", "approval": "no", "postCommand": "touch ran"}"#);
    let (code, document) = apply(&env, &reply(1, "a.txt", "x"), &["--trust"]);
    assert_eq!((code, document["status"].as_str()), (1, Some("rejected")));
    assert_eq!(codes(&document), ["approval-required"]);
    assert!(document["diagnostics"][0]["hint"].as_str().unwrap().contains("--yes"));
    assert!(!env.exists("a.txt") && !env.exists("ran"));
}

#[test]
fn yes_lands_it_and_the_ledger_knows_who_approved() {
    let env = project(ASKS);
    env.write("a.txt", "old\n");
    env.write("reply.md", &reply(1, "a.txt", "new"));
    let mut screen = env.pty(&["apply", "reply.md"]);
    screen.expect("- old");
    screen.expect("+ new");
    screen.expect("keep this change?");
    screen.send("y\n");
    screen.expect("landed");
    assert_eq!(screen.wait(), 0);
    assert_eq!(env.read("a.txt"), "new\n");
    let entry = crate::json(&env.relay(&["show", &uuid(1), "--json"]).run());
    assert_eq!(entry["approvedBy"], "user");
}

#[test]
fn no_quit_and_just_enter_roll_back() {
    for answer in ["n\n", "q\n", "\n"] {
        let env = project(ASKS);
        env.write("reply.md", &reply(1, "a.txt", "new"));
        let mut screen = env.pty(&["apply", "reply.md"]);
        screen.expect("keep this change?");
        screen.send(answer);
        screen.expect("rolled back");
        assert_eq!(screen.wait(), 1, "{answer:?}");
        assert!(!env.exists("a.txt"));
    }
}

#[test]
fn one_file_can_be_shown_whole_and_a_wrong_key_asks_again() {
    let env = project(ASKS);
    let long: String = (0..500).map(|n| format!("line number {n}\n")).collect();
    env.write("reply.md", &reply(1, "a.txt", long.trim_end()));
    let mut screen = env.pty(&["apply", "reply.md"]);
    screen.expect("300 more lines");
    screen.expect("keep this change?");
    screen.send("x\n");
    screen.expect("answer with one of the letters");
    screen.send("s\n");
    screen.expect("which one?");
    screen.send("1\n");
    screen.expect("line number 499");
    screen.expect("keep this change?");
    screen.send("y\n");
    assert_eq!(screen.wait(), 0);
}

#[test]
fn a_piped_reply_is_asked_about_in_the_terminal() {
    let env = project(ASKS);
    env.write("reply.md", &reply(1, "a.txt", "new"));
    let mut screen = env.pty_shell("\"$RELAY\" apply - < reply.md");
    screen.expect("keep this change?");
    screen.send("y\n");
    assert_eq!(screen.wait(), 0);
    assert!(env.exists("a.txt"));
}

#[test]
fn the_linters_result_is_shown_with_the_question() {
    let env = project(
        r#"{"projectId": "shop", "linter": "test -e a.txt || exit 0; echo 'a.ts(1,1): error TS1: bad'; exit 2"}"#,
    );
    env.write("reply.md", &reply(1, "a.txt", "new"));
    let mut screen = env.pty(&["apply", "--trust", "reply.md"]);
    screen.expect("1 new error");
    screen.expect("error TS1: bad");
    screen.expect("keep this change?");
    screen.send("n\n");
    assert_eq!(screen.wait(), 1);
}

#[test]
fn a_reply_cannot_control_the_terminal() {
    let env = project(ASKS);
    env.write("reply.md", &reply(1, "a.txt", "\u{1b}]0;owned\u{7}\u{1b}[2Jhidden \u{202e}txet"));
    let mut screen = env.pty(&["apply", "reply.md"]);
    screen.expect("\\x1b]0;owned");
    screen.expect("<U+202E>");
    screen.expect("invisible or direction-changing");
    screen.expect("keep this change?");
    screen.send("n\n");
    assert_eq!(screen.wait(), 1);
    assert!(!screen.raw().contains("\u{1b}]0;owned"));
}

#[test]
fn content_that_may_be_only_part_of_a_file_needs_a_person() {
    let env = project(crate::PLAIN);
    let file: String = (0..30).map(|at| format!("line {at}\n")).collect();
    env.write("a.py", &file);
    let part = "a.py\n```\nline 1\nline two\n```\n";
    for flags in [&["--dry-run"][..], &[], &["--yes"]] {
        let (code, document) = apply(&env, part, flags);
        assert_eq!((code, codes(&document)), (1, vec!["part-of-file".to_owned()]), "{flags:?}: {document:#}");
    }
    assert_eq!(env.read("a.py"), file);
    env.write("reply.md", part);
    let mut screen = env.pty(&["apply", "reply.md"]);
    screen.expect("is this the whole file");
    screen.send("n\n");
    assert_eq!(screen.wait(), 1);
    assert_eq!(env.read("a.py"), file);
    assert_eq!(apply(&env, part, &["--allow-shrink"]).0, 0);
    assert_eq!(env.read("a.py"), "line 1\nline two\n");
}

#[test]
fn a_title_that_may_name_a_new_file_needs_a_person() {
    let env = project(crate::PLAIN);
    env.write("m.py", "x = 1\n");
    env.write("bin/old", "#!/bin/sh\n");
    let section = "m.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n";
    for title in
        ["### Input/Output", "**Before/After**", "## TCP/IP", "### Node.js", "v1.2.3", "N/A", "Example.com"]
    {
        let text = format!("{title}\n\n```\nsome output\n```\n\n{section}");
        let (code, document) = apply(&env, &text, &["--dry-run"]);
        assert_eq!((code, codes(&document)), (0, vec!["doubtful-name".to_owned()]), "{title}");
        let (code, document) = apply(&env, &text, &[]);
        assert_eq!((code, codes(&document)), (1, vec!["approval-required".to_owned()]), "{title}");
    }
    assert_eq!(env.read("m.py"), "x = 1\n");
    // An existing folder, an extension and a common name indicate a file, and so does an existing file.
    for path in ["bin/run", "src/new.py", "Makefile", ".gitignore", "bin/old"] {
        let (code, document) = apply(&env, &format!("{path}\n```\ntext of {path}\n```\n"), &[]);
        assert_eq!(code, 0, "{document:#}");
    }
}
