//! `relay search` and `relay find`.

use testkit::TestEnv;

use crate::{env, json};

fn prepared() -> TestEnv {
    let env = env();
    env.write(".git/HEAD", "ref: refs/heads/main\n");
    env.write("src/a.rs", "fn alpha() {}\n// needle\nfn beta() {}\n");
    env.write("src/deep/b.rs", "needle needle\n");
    env.write("notes.md", "A Needle.\nneedle \u{1b}[31m\n");
    env.write("target/out.txt", "needle\n");
    env.write(".gitignore", "target/\n");
    env
}

#[test]
fn lines_are_ordered_by_path() {
    let env = prepared();
    let text = env.relay(&["search", "needle"]).success().stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines[0].starts_with("notes.md:2:needle") && !text.contains('\u{1b}'), "{text}");
    assert_eq!(lines[1..], ["src/a.rs:2:// needle", "src/deep/b.rs:1:needle needle"]);
    let context = env.relay(&["search", "needle", "src/a.rs", "-C", "1"]).success().stdout;
    assert_eq!(context, "src/a.rs-1-fn alpha() {}\nsrc/a.rs:2:// needle\nsrc/a.rs-3-fn beta() {}\n");
}

#[test]
fn options_choose_what_is_searched_and_shown() {
    let env = prepared();
    let search = |arguments: &[&str]| env.relay(&[&["search"], arguments].concat()).success().stdout;
    assert_eq!(search(&["-l", "-i", "NEEDLE"]), "notes.md\nsrc/a.rs\nsrc/deep/b.rs\n");
    assert_eq!(search(&["-c", "-i", "needle", "-g", "*.md"]), "notes.md:2\n");
    assert_eq!(search(&["-F", "alpha()", "-t", "rust"]), "src/a.rs:1:fn alpha() {}\n");
    assert_eq!(search(&["-l", "needle", "--no-ignore", "target"]), "target/out.txt\n");
    let here = env.relay(&["search", "-l", "needle"]).current_dir("src/deep").success().stdout;
    assert_eq!(here, "src/deep/b.rs\n");
}

#[test]
fn omitted_matches_are_counted() {
    let env = prepared();
    let run = env.relay(&["search", "needle", "--limit", "1", "--skip", "1"]).success();
    assert_eq!(run.stdout, "src/a.rs:2:// needle\n");
    assert!(run.stderr.contains("showing 1 of 3 matching lines in 3 files"), "{}", run.stderr);
    let document = json(&env.relay(&["search", "needle", "--limit", "1", "--json"]).run());
    assert_eq!((document["matches"].as_u64(), document["matchingFiles"].as_u64()), (Some(3), Some(3)));
    assert_eq!(document["files"].as_array().map(Vec::len), Some(1));
}

#[test]
fn no_matches_and_bad_patterns_have_their_exit_codes() {
    let env = prepared();
    let run = env.relay(&["search", "absent"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("no matches in"), "{}", run.stderr);
    for arguments in [
        &["search", "[a"][..],
        &["search", "x", "nowhere"],
        &["search", "x", "/etc"],
        &["search", "x", "-t", "klingon"],
        &["find", "--fuzzy"],
    ] {
        let run = env.relay(arguments).run();
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
    }
    assert_eq!(env.relay(&["find", "*.zig"]).run().code, 1);
}

#[test]
fn files_are_found_by_glob_and_by_letters() {
    let env = prepared();
    let find = |arguments: &[&str]| env.relay(&[&["find"], arguments].concat()).success().stdout;
    assert_eq!(find(&["*.rs", "--by-path"]), "src/a.rs\nsrc/deep/b.rs\n");
    assert_eq!(find(&["src/*.rs"]), "src/a.rs\n");
    assert_eq!(find(&["--dirs", "--by-path"]), "src\nsrc/deep\n");
    assert_eq!(find(&["-z", "deepb"]), "src/deep/b.rs\n");
    let run = env.relay(&["find", "*.rs", "--limit", "1", "--by-path"]).success();
    assert_eq!(run.stdout, "src/a.rs\n");
    assert!(run.stderr.contains("showing 1 of 2 paths"), "{}", run.stderr);
    let document = json(&env.relay(&["find", "*.rs", "--json"]).run());
    assert_eq!(document["total"], 2);
    let here = env.relay(&["find", "*.rs"]).current_dir("src/deep").success().stdout;
    assert_eq!(here, "src/deep/b.rs\n");
}
