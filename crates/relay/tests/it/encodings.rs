//! Files that are not plain UTF-8 with `\n`: text that the edit does not change keeps its bytes, and text that it
//! quotes is found.

use crate::{PLAIN, apply, project};

/// UTF-16 with its byte order mark.
fn utf16(text: &str, big_endian: bool) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(|unit: u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

fn search_replace(old: &str, new: &str) -> String {
    format!("f.txt\n```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n")
}

fn unified(hunk: &str) -> String {
    format!("--- a/f.txt\n+++ b/f.txt\n{hunk}")
}

/// Lands a reply on `f.txt`, compares its bytes, and undoes it.
#[track_caller]
fn check(before: &[u8], reply: &str, after: &[u8]) {
    let env = project(PLAIN);
    std::fs::write(env.path("f.txt"), before).unwrap();
    let (code, document) = apply(&env, reply, &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert_eq!(show(&std::fs::read(env.path("f.txt")).unwrap()), show(after));
    let counts = (document["files"][0]["added"].as_u64(), document["files"][0]["removed"].as_u64());
    assert!(counts > (Some(0), Some(0)), "changed lines are counted in any encoding: {document:#}");
    assert_eq!(env.relay(&["undo", "--yes"]).run().code, 0);
    assert_eq!(show(&std::fs::read(env.path("f.txt")).unwrap()), show(before), "undone");
}

/// Checks that a reply is refused with a code and the file stays as it is.
#[track_caller]
fn check_refused(before: &[u8], reply: &str, code: &str) {
    let env = project(PLAIN);
    std::fs::write(env.path("f.txt"), before).unwrap();
    let (exit, document) = apply(&env, reply, &[]);
    assert_eq!(exit, 1, "{document:#}");
    assert!(crate::codes(&document).contains(&code.to_owned()), "{document:#}");
    assert_eq!(std::fs::read(env.path("f.txt")).unwrap(), before);
}

/// Bytes in a form that a failed test can print.
fn show(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

#[test]
fn a_byte_order_mark_is_neither_needed_nor_lost() {
    for mark in ["", "\u{feff}"] {
        let file = |line: &str| format!("{mark}{line}\nzwei: größer\n").into_bytes();
        check(&file("one"), &search_replace("one\n", "uno\n"), &file("uno"));
        check(&file("one"), &unified("@@ -1,2 +1,2 @@\n-one\n+uno\n zwei: größer\n"), &file("uno"));
        check(&file("one"), "```text // {f.txt}\nuno\nzwei: größer\n```\n", &file("uno"));
    }
}

#[test]
fn utf_16_is_edited_in_every_dialect_and_stays_utf_16() {
    for (big_endian, ending) in [(false, "\n"), (true, "\n"), (false, "\r\n"), (true, "\r\n")] {
        let file =
            |middle: &str| utf16(&format!("first 😀{ending}{middle}{ending}last ü{ending}"), big_endian);
        let after = file("new “line”");
        check(&file("middle"), &search_replace("middle\n", "new “line”\n"), &after);
        check(
            &file("middle"),
            &unified("@@ -1,3 +1,3 @@\n first 😀\n-middle\n+new “line”\n last ü\n"),
            &after,
        );
        check(&file("middle"), "```text // {f.txt}\nfirst 😀\nnew “line”\nlast ü\n```\n", &after);
        let envelope =
            "*** Begin Patch\n*** Update File: f.txt\n@@\n first 😀\n-middle\n+new “line”\n*** End Patch\n";
        check(&file("middle"), envelope, &after);
    }
}

#[test]
fn utf_16_without_a_final_newline_and_with_a_tolerated_match() {
    let before = utf16("if x {\n    call();\n    done();\n}", false);
    check(
        &before,
        &search_replace("call();\ndone();\n", "call();\nagain();\ndone();\n"),
        &utf16("if x {\n    call();\n    again();\n    done();\n}", false),
    );
}

#[test]
fn a_renamed_utf_16_file_is_edited_under_its_new_name() {
    let env = project(PLAIN);
    std::fs::write(env.path("f.txt"), utf16("one\n", true)).unwrap();
    let reply = "diff --git a/f.txt b/g.txt\nrename from f.txt\nrename to g.txt\n--- a/f.txt\n+++ b/g.txt\n@@ -1 +1 @@\n-one\n+two\n";
    assert_eq!(apply(&env, reply, &[]).0, 0);
    assert_eq!(std::fs::read(env.path("g.txt")).unwrap(), utf16("two\n", true));
    assert!(!env.exists("f.txt"));
}

#[test]
fn a_dry_run_shows_the_lines_of_a_utf_16_file() {
    let env = project(PLAIN);
    std::fs::write(env.path("f.txt"), utf16("one\ntwo\n", false)).unwrap();
    let run = env.relay(&["apply", "--dry-run"]).stdin(&search_replace("two\n", "zwei\n")).run();
    assert!(run.stdout.contains("- two") && run.stdout.contains("+ zwei"), "{}", run.stdout);
}

#[test]
fn lines_that_end_with_a_lone_carriage_return_are_counted_and_shown() {
    let env = project(PLAIN);
    let file: String = (1..=9).map(|line| format!("line {line}\r")).collect();
    for bytes in [file.clone().into_bytes(), utf16(&file, false)] {
        std::fs::write(env.path("f.txt"), bytes).unwrap();
        let reply = search_replace("line 5\n", "five\nfive and a half\n");
        let run = env.relay(&["apply", "--dry-run"]).stdin(&reply).run();
        for shown in ["+2 −1", "@@ line 2 @@", "- line 5", "+ five", "+ five and a half"] {
            assert!(run.stdout.contains(shown), "{shown}: {}", run.stdout);
        }
        assert!(!run.stdout.contains("line 1") && !run.stdout.contains("line 9"), "{}", run.stdout);
        let (_, document) = apply(&env, &reply, &["--dry-run"]);
        let counts = (document["files"][0]["added"].as_u64(), document["files"][0]["removed"].as_u64());
        assert_eq!(counts, (Some(2), Some(1)));
    }
}

#[test]
fn a_broken_utf_16_file_is_not_touched() {
    let mut broken = utf16("one\ntwo\n", false);
    broken.extend(0xd800_u16.to_le_bytes());
    check_refused(&broken, &search_replace("one\n", "uno\n"), "not-found");
}

#[test]
fn binary_bytes_survive_outside_the_edit() {
    let before = b"caf\xe9 au lait\nprice: 5\n\xff\xfe\xfd\n";
    let after = b"caf\xe9 au lait\nprice: 6\n\xff\xfe\xfd\n";
    check(before, &search_replace("price: 5\n", "price: 6\n"), after);
    check(before, &unified("@@ -2 +2 @@\n-price: 5\n+price: 6\n"), after);
}

#[test]
fn new_lines_take_the_ending_of_their_neighbours() {
    check(b"a\r\nb\r\nc\r\n", &search_replace("b\n", "B\nB2\n"), b"a\r\nB\r\nB2\r\nc\r\n");
    check(b"a\r\nb\nc\r\nd\n", &search_replace("b\n", "B\n"), b"a\r\nB\nc\r\nd\n");
    check(b"a\rb\rc\r", &search_replace("b\n", "B\n"), b"a\rB\rc\r");
    check(b"a\r\nb\r\nc", &unified("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"), b"a\r\nB\r\nc");
    // The reply itself may have travelled through a clipboard that changes endings.
    check(b"a\nb\nc\n", &search_replace("b\n", "B\n").replace('\n', "\r\n"), b"a\nB\nc\n");
}

#[test]
fn the_end_of_the_file_stays_as_it_is() {
    check(b"a\nb", &search_replace("b\n", "B\n"), b"a\nB");
    check(b"a\nb", &search_replace("a\n", "A\n"), b"A\nb");
    check(b"a\nb", "```text // {f.txt}\na\nB\n```\n", b"a\nB");
    check(b"a\nb", &unified("@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n"), b"a\nB\n");
    check(b"a\nb\n", &unified("@@ -1,2 +1,2 @@\n a\n-b\n+B\n\\ No newline at end of file\n"), b"a\nB");
}

#[test]
fn form_feeds_and_other_odd_white_space_are_part_of_their_line() {
    check(b"a\n\x0c\nb\n", &search_replace("b\n", "B\n"), b"a\n\x0c\nB\n");
    check(b"a\n\x0cb\nc\n", &unified("@@ -1,3 +1,3 @@\n a\n \x0cb\n-c\n+C\n"), b"a\n\x0cb\nC\n");
    check(
        "a\u{a0}b\u{2028}x\nc\n".as_bytes(),
        &search_replace("c\n", "C\n"),
        "a\u{a0}b\u{2028}x\nC\n".as_bytes(),
    );
}

#[test]
fn python_blocks_keep_their_nesting() {
    let before =
        b"class A:\n    def f(self):\n        if x:\n            y()\n\n    def g(self):\n        z()\n";
    let after = b"class A:\n    def f(self):\n        if x:\n            y()\n        else:\n            n()\n\n    def g(self):\n        z()\n";
    // The model wrote the method as if it began at the left margin.
    let old = "def f(self):\n    if x:\n        y()\n";
    let new = "def f(self):\n    if x:\n        y()\n    else:\n        n()\n";
    check(before, &search_replace(old, new), after);
    // A line with different nesting cannot be shifted: guessing would change the program's meaning.
    check_refused(
        before,
        &search_replace("  def f(self):\n  if x:\n      y()\n", "  def f(self):\n  pass\n"),
        "not-found",
    );
}

#[test]
fn yaml_lists_keep_their_level() {
    let before = b"on:\n  push:\n    branches:\n      - main\n  pull_request:\n    branches:\n      - dev\n";
    let after = b"on:\n  push:\n    branches:\n      - main\n      - next\n  pull_request:\n    branches:\n      - dev\n";
    check(
        before,
        &search_replace("push:\n  branches:\n    - main\n", "push:\n  branches:\n    - main\n    - next\n"),
        after,
    );
    check_refused(before, &search_replace("branches:\n", "tags:\n"), "ambiguous");
}

#[test]
fn makefile_recipes_keep_their_tabs() {
    let before = b"all: a b\n\tcc -o $@ a b\n\nclean:\n\trm -f all\n";
    let after = b"all: a b\n\tcc -O2 -o $@ a b\n\tstrip $@\n\nclean:\n\trm -f all\n";
    // Chat windows turn tabs into spaces.
    let old = "all: a b\n    cc -o $@ a b\n";
    let new = "all: a b\n    cc -O2 -o $@ a b\n    strip $@\n";
    check(before, &search_replace(old, new), after);
    check(before, &search_replace(&old.replace("    ", "\t"), &new.replace("    ", "\t")), after);
}

#[test]
fn a_small_reply_replaces_a_long_file_with_mixed_endings_in_little_memory() {
    let env = project(PLAIN);
    std::fs::write(env.path("f.txt"), "\n\r\n".repeat(500_000)).unwrap();
    env.write("reply.md", &format!("```text // {{f.txt}}\nfirst\n{}```\n", "z\n".repeat(50_000)));
    // A table of strings for a million lines would take twice that.
    let run = env.shell("ulimit -d 150000; \"$RELAY\" apply --yes --allow-shrink reply.md");
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(env.read("f.txt").starts_with("first\r\nz\r\n"));
}
