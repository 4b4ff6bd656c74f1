//! What a model was shown justifies its edits by line number, and nothing else. Also: lines that occur in a file other
//! than the named one.

use testkit::TestEnv;

use crate::{PLAIN, apply, codes, project};

const FILE: &str = "one\ntwo\nthree\nfour\n";

fn shown(what: &[&str]) -> TestEnv {
    let env = project(PLAIN);
    env.write("a.txt", FILE);
    for what in what {
        env.relay(&["read", what]).success();
    }
    env
}

/// Whether an edit of these lines by number is taken without a question.
fn is_verified(env: &TestEnv, first: usize, last: usize) -> bool {
    let reply =
        format!("[EDIT_FILE path=\"a.txt\" start_line=\"{first}\" end_line=\"{last}\"]\nnew\n[/EDIT_FILE]\n");
    let (_, document) = apply(env, &reply, &["--dry-run"]);
    match document["files"][0]["placement"].as_str() {
        Some("lines as seen") => true,
        Some("lines-unverified") => false,
        other => panic!("{other:?} in {document:#}"),
    }
}

#[test]
fn a_view_vouches_for_the_lines_that_were_shown() {
    let env = shown(&["a.txt:1-2"]);
    assert!(is_verified(&env, 1, 2) && is_verified(&env, 2, 2));
    assert!(!is_verified(&env, 2, 3) && !is_verified(&env, 4, 4));
    env.relay(&["read", "a.txt:3-4"]).success();
    assert!(is_verified(&env, 1, 4));
    assert!(is_verified(&shown(&["a.txt"]), 1, 4));
    assert!(!is_verified(&shown(&[]), 1, 1));
    // Lines with other content are different lines.
    env.write("a.txt", "1\n2\n3\n4\n");
    env.relay(&["read", "a.txt:2"]).success();
    assert!(is_verified(&env, 2, 2) && !is_verified(&env, 3, 3));
}

#[test]
fn nothing_is_inserted_next_to_a_missing_line() {
    let env = shown(&[]);
    let anchors = env.relay(&["read", "--anchors", "a.txt"]).run().stdout;
    let second = anchors.lines().nth(1).unwrap().split('|').next().unwrap().to_owned();
    let reply = format!("§a.txt\n»{second}\nnew\n");
    env.write("a.txt", "zero\none\ntwo\nthree\nfour\n");
    let (code, document) = apply(&env, &reply, &["--dry-run"]);
    assert_eq!(code, 0, "{document:#}");
    env.write("a.txt", "one\nthree\nfour\n");
    let (code, document) = apply(&env, &reply, &[]);
    assert_eq!((code, codes(&document)), (1, vec!["stale-anchor".to_owned()]), "{document:#}");
    assert_eq!(env.read("a.txt"), "one\nthree\nfour\n");
}

#[test]
fn a_view_of_binary_bytes_is_remembered() {
    let env = project(PLAIN);
    std::fs::write(env.path("a.txt"), b"caf\xe9\nb\nc\nd\n").unwrap();
    env.relay(&["read", "a.txt"]).success();
    assert!(is_verified(&env, 2, 4));
    let reply = "[EDIT_FILE path=\"a.txt\" start_line=\"2\" end_line=\"3\"]\nnew\n[/EDIT_FILE]\n";
    let (code, document) = apply(&env, reply, &[]);
    assert_eq!(code, 0, "{document:#}");
    assert_eq!(std::fs::read(env.path("a.txt")).unwrap(), b"caf\xe9\nnew\nd\n");
}

#[test]
fn a_section_may_name_its_file_by_absolute_path() {
    let env = shown(&["a.txt"]);
    let anchors = env.relay(&["read", "--anchors", "a.txt"]).run().stdout;
    let second = anchors.lines().nth(1).unwrap().split('|').next().unwrap().to_owned();
    let root = std::fs::canonicalize(env.path(".")).unwrap();
    let (code, document) = apply(&env, &format!("§{}/a.txt\n»{second}\nnew\n", root.display()), &[]);
    assert_eq!((code, document["files"][0]["path"].as_str()), (0, Some("a.txt")), "{document:#}");
    let (code, document) = apply(&env, "§/elsewhere/a.txt\n»EOF\nnew\n", &[]);
    assert_eq!((code, codes(&document)), (1, vec!["path-absolute".to_owned()]), "{document:#}");
}

#[test]
fn lines_that_end_in_a_carriage_return_are_read_by_number() {
    let env = project(PLAIN);
    env.write("a.txt", "one\rtwo\rthree\r");
    assert_eq!(env.relay(&["read", "a.txt:2"]).run().stdout, "two\r");
    assert!(env.relay(&["read", "--anchors", "a.txt:2-3"]).run().stdout.ends_with("|three\n"));
    assert!(is_verified(&env, 2, 3));
}

#[test]
fn read_accepts_absolute_paths_and_explains_line_ranges() {
    let env = shown(&[]);
    let root = std::fs::canonicalize(env.path(".")).unwrap();
    let read = |what: &str| env.relay(&["read", what]).run();
    assert_eq!(read(&format!("{}/a.txt:2-3", root.display())).stdout, "two\nthree\n");
    for lines in ["3-", "-3", "0", "2,3", "two", "2:3"] {
        let run = read(&format!("a.txt:{lines}"));
        assert_eq!(run.code, 2, "{lines} {}", run.stderr);
        assert!(run.stderr.contains("a.txt:A-B"), "{lines} {}", run.stderr);
    }
    assert!(read("/etc/hosts").stderr.contains("path from the root"));
}

#[test]
fn a_view_of_utf_16_is_remembered() {
    let env = project(PLAIN);
    let wide: Vec<u8> = "\u{feff}one\ntwo\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(env.path("a.txt"), &wide).unwrap();
    assert!(env.relay(&["read", "a.txt"]).run().stdout.ends_with("one\ntwo\n"));
    assert!(is_verified(&env, 2, 2));
}

#[test]
fn the_probably_intended_file_is_named() {
    let env = project(PLAIN);
    env.write("a.txt", FILE);
    env.write("src/b.js", "function other() {\n  return 1;\n}\n");
    env.write("ignored/c.js", "function other() {\n  return 1;\n}\n");
    env.write(".gitignore", "ignored/\n");
    let reply = "a.txt\n<<<<<<< SEARCH\nfunction other() {\n  return 1;\n=======\nx\n>>>>>>> REPLACE\n";
    let hint = |reply: &str| {
        let (code, document) = apply(&env, reply, &[]);
        assert_eq!((code, codes(&document)), (1, vec!["not-found".to_owned()]));
        document["diagnostics"][0]["hint"].as_str().unwrap().to_owned()
    };
    assert!(hint(reply).starts_with("these lines are in `src/b.js`"), "{}", hint(reply));
    env.write("src/d.js", "function other() {\n  return 1;\n}\n");
    assert!(!hint(reply).contains("src/b.js"), "{}", hint(reply));
}
