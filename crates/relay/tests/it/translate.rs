//! `relay translate` and `relay read`.

use crate::{PLAIN, apply, codes, json, project, reply, uuid};

const BEFORE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const AFTER: &str = "one\nTWO\nthree\nfour\nfive\nsix\nseven\neight\n";

fn text() -> String {
    "```text // {a.txt} multi-search-replace\n<<<<<<< SEARCH\ntwo\n=======\nTWO\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nseven\n=======\n\
     seven\neight\n>>>>>>> REPLACE\n```\n\n```text // {new.txt}\nfresh\n```\n"
        .to_owned()
}

#[test]
fn a_reply_means_the_same_in_every_dialect() {
    for dialect in
        ["fenced", "unified", "search-replace", "apply-patch", "edit-repl", "hashline", "whole-file"]
    {
        let env = project(PLAIN);
        env.write("a.txt", BEFORE);
        let before = env.tree();
        let run = env.relay(&["translate", "--to", dialect]).stdin(&text()).run();
        assert_eq!(run.code, 0, "{dialect}: {}", run.stderr);
        assert_eq!(env.tree(), before, "nothing is changed");
        let (code, document) = apply(&env, &run.stdout, &["--yes", "--dialect", dialect]);
        assert_eq!(code, 0, "{dialect}: {}\n{document:#}", run.stdout);
        assert_eq!(
            (env.read("a.txt").as_str(), env.read("new.txt").as_str()),
            (AFTER, "fresh\n"),
            "{dialect}"
        );
    }
}

#[test]
fn a_transaction_of_the_ledger_can_be_translated() {
    let env = project(PLAIN);
    env.write("a.txt", BEFORE);
    assert_eq!(apply(&env, &text(), &[]).0, 0);
    let run = env.relay(&["translate", "--to", "unified", "--transaction", "1"]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    env.relay(&["undo"]).success();
    assert_eq!(apply(&env, &run.stdout, &[]).0, 0, "{}", run.stdout);
    assert_eq!((env.read("a.txt").as_str(), env.read("new.txt").as_str()), (AFTER, "fresh\n"));
}

#[test]
fn links_and_bytes_of_the_ledger_are_refused_in_every_dialect() {
    for (command, path) in [("ln -s a.txt ln", "ln"), ("printf 'x\\0y' > data", "data")] {
        let env = project(PLAIN);
        env.write("a.txt", BEFORE);
        env.relay(&["wrap", "--", "sh", "-c", command]).success();
        for dialect in ["fenced", "unified", "hashline", "whole-file", "commands"] {
            let run = env.relay(&["translate", "--to", dialect, "--transaction", "1"]).run();
            assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{dialect}");
            assert!(run.stderr.contains("cannot-say") && run.stderr.contains(path), "{}", run.stderr);
        }
    }
}

#[test]
fn edits_that_a_dialect_cannot_express_are_refused_by_name() {
    let env = project(PLAIN);
    env.write("a.txt", "x\n");
    let run = env
        .relay(&["translate", "--to", "edit-repl"])
        .stdin("```text // {a.txt}\n//TODO: delete this file\n```\n")
        .run();
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("a.txt") && run.stderr.contains("cannot-say"), "{}", run.stderr);
    assert_eq!(env.relay(&["translate", "--to", "unifed"]).stdin("x").run().code, 2);
}

#[test]
fn edits_can_use_anchors_that_were_read() {
    let env = project(PLAIN);
    env.write("src/a.txt", BEFORE);
    let run = env.relay(&["read", "--anchors", "src/a.txt:2-3"]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    let anchor = run.stdout.lines().next().unwrap().split('|').next().unwrap().to_owned();
    assert!(run.stdout.ends_with("|three\n"), "{}", run.stdout);
    // The file changes elsewhere meanwhile: the edit is merged onto it.
    env.write("src/a.txt", &format!("zero\n{BEFORE}"));
    let edit = format!("§src/a.txt\n≔{anchor}..{anchor}\nTWO\n");
    let (code, document) = apply(&env, &edit, &[]);
    assert_eq!(code, 0, "{edit}\n{document:#}");
    assert_eq!(env.read("src/a.txt"), format!("zero\n{}", BEFORE.replace("two", "TWO")));
}

#[test]
fn reading_a_missing_file_suggests_existing_ones() {
    let env = project(PLAIN);
    env.write("src/config.txt", "x\n");
    let run = env.relay(&["read", "src/confg.txt"]).run();
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("src/config.txt"), "{}", run.stderr);
    assert_eq!(env.relay(&["read", "src/config.txt:9-3"]).run().code, 2);
    assert_eq!(env.relay(&["read", "src/config.txt"]).run().stdout, "x\n");
}

#[test]
fn edits_of_files_the_model_did_not_see_are_deferred() {
    let env = project(PLAIN);
    env.write("a.txt", "a\n");
    env.write("b.txt", "b\n");
    let text = format!(
        "```text // {{a.txt}}\nA\n```\n\n```text // {{b.txt}}\nB\n```\n\n```text // {{c.txt}}\nC\n```\n\n\
         ```yaml\nprojectId: shop\nuuid: {}\n```\n",
        uuid(1)
    );
    let (code, document) = apply(&env, &text, &["--context", "a.txt"]);
    assert_eq!((code, document["status"].as_str()), (3, Some("partial")), "{document:#}");
    assert_eq!(
        (env.read("a.txt").as_str(), env.read("b.txt").as_str(), env.read("c.txt").as_str()),
        ("A\n", "b\n", "C\n")
    );
    assert_eq!(codes(&document), ["not-in-context"]);
    assert_eq!(document["notInContext"], serde_json::json!(["b.txt"]));
}

#[test]
fn a_misspelt_context_file_is_reported() {
    let env = project(PLAIN);
    env.write("notes.txt", "a\n");
    let text =
        format!("```text // {{notes.txt}}\nA\n```\n\n```yaml\nprojectId: shop\nuuid: {}\n```\n", uuid(1));
    let (code, document) = apply(&env, &text, &["--context", "note.txt"]);
    assert_eq!((code, env.read("notes.txt").as_str()), (3, "a\n"), "{document:#}");
    assert_eq!(codes(&document), ["no-such-file", "not-in-context"]);
    assert_eq!(document["diagnostics"][0]["hint"], "Did you mean notes.txt?");
}

#[test]
fn lines_by_number_need_a_person_unless_the_model_was_shown_them() {
    let env = project(PLAIN);
    env.write("a.txt", BEFORE);
    let edit = "[EDIT_FILE path=\"a.txt\" start_line=\"2\" end_line=\"2\"]\nTWO\n[/EDIT_FILE]\n";
    assert_eq!(codes(&apply(&env, edit, &[]).1), ["approval-required"]);
    env.relay(&["read", "a.txt"]).success();
    let (code, document) = apply(&env, edit, &[]);
    assert_eq!(code, 0, "{document:#}");
    assert_eq!(env.read("a.txt"), BEFORE.replace("two", "TWO"));
    assert_eq!(json(&env.relay(&["log", "--json"]).run()).as_array().unwrap().len(), 1);
    assert_eq!(apply(&env, &reply(9, "z.txt", "z"), &[]).0, 0);
}

/// Files before and after, as bytes; `None` for a missing file.
type Files<'f> = &'f [(&'f str, Option<&'f [u8]>, Option<&'f [u8]>)];

const FOREIGN: Files<'_> = &[
    ("crlf.txt", Some(b"one\r\ntwo\r\nthree\r\n"), Some(b"one\r\nTWO\r\nthree\r\nfour\r\n")),
    ("mixed.txt", Some(b"one\r\ntwo\nthree\r\n"), Some(b"one\r\nTWO\nthree\r\n")),
    ("mark.txt", Some(b"\xef\xbb\xbfone\ntwo\n"), Some(b"\xef\xbb\xbfONE\ntwo\n")),
    ("above.txt", Some(b"\xef\xbb\xbfone\r\ntwo\r\n"), Some(b"\xef\xbb\xbfzero\r\none\r\ntwo\r\n")),
    ("gone.txt", Some(b"a\nb\n"), None),
    ("gone too.txt", Some(b"a\r\nb"), None),
    ("end.txt", Some(b"x\ny\nz"), Some(b"x\ny\nz\n")),
    ("no end.txt", Some(b"x\ny\nz\n"), Some(b"x\ny\nz")),
    ("longer.txt", Some(b"x\ny"), Some(b"x\ny\nz")),
    ("new file.txt", None, Some(b"fresh\nlines\n")),
    ("unfinished.txt", None, Some(b"fresh")),
    ("emptied.txt", Some(b"x\ny\n"), Some(b"")),
];

fn put(env: &testkit::TestEnv, files: Files<'_>, after: bool) {
    for (path, old, new) in files {
        match if after { new } else { old } {
            Some(bytes) => std::fs::write(env.path(path), bytes).unwrap(),
            None if env.exists(path) => std::fs::remove_file(env.path(path)).unwrap(),
            None => {}
        }
    }
}

#[track_caller]
fn check_files(env: &testkit::TestEnv, files: Files<'_>, after: bool, told: &str) {
    for (path, old, new) in files {
        let found = std::fs::read(env.path(path)).ok();
        assert_eq!(found.as_deref(), if after { *new } else { *old }, "{path}\n{told}");
    }
}

/// Relay's diffs work in other tools: they have all lines of a deleted file, and the file's exact bytes.
#[test]
fn git_and_patch_apply_relays_diffs() {
    let env = project(PLAIN);
    put(&env, FOREIGN, false);
    env.git(&["init", "-q"]);
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "before"]);
    put(&env, FOREIGN, true);
    env.git(&["add", "-A"]);
    let diff = env.shell("git diff --cached > ../diff");
    assert_eq!(diff.code, 0, "{}", diff.stderr);
    env.git(&["reset", "-q"]);
    put(&env, FOREIGN, false);
    let reply = std::fs::read(env.path("../diff")).unwrap();
    let reply = String::from_utf8(reply).unwrap();
    let run = env.relay(&["translate", "--to", "unified"]).stdin(&reply).run();
    assert_eq!(run.code, 0, "{}\n{reply}", run.stderr);
    check_files(&env, FOREIGN, false, "nothing is changed");
    std::fs::write(env.path("../told"), &run.stdout).unwrap();
    for tool in ["git apply ../told", "patch -p1 --binary --no-backup-if-mismatch < ../told"] {
        let applied = env.shell(tool);
        assert_eq!(applied.code, 0, "{tool}: {}{}\n{}", applied.stdout, applied.stderr, run.stdout);
        check_files(&env, FOREIGN, true, tool);
        put(&env, FOREIGN, false);
    }
    let (code, document) = apply(&env, &run.stdout, &[]);
    assert_eq!(code, 0, "{document:#}");
    check_files(&env, FOREIGN, true, &run.stdout);
    // A transaction from the ledger gives the same diff.
    let again = env.relay(&["translate", "--to", "unified", "--transaction", "1"]).run();
    assert_eq!(again.stdout, run.stdout);
}

#[test]
fn one_envelope_holds_all_files() {
    let env = project(PLAIN);
    env.write("a.txt", BEFORE);
    env.write("b.txt", "b\n");
    let text = format!("{}```text // {{b.txt}}\n//TODO: delete this file\n```\n", text());
    let run = env.relay(&["translate", "--to", "apply-patch"]).stdin(&text).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    let of = |marker: &str| run.stdout.lines().filter(|line| *line == marker).count();
    assert_eq!((of("*** Begin Patch"), of("*** End Patch")), (1, 1), "{}", run.stdout);
    assert_eq!(apply(&env, &run.stdout, &[]).0, 0);
    assert_eq!((env.read("a.txt").as_str(), env.exists("b.txt")), (AFTER, false));
}
