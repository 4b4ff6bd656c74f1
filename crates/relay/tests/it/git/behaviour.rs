//! What git still does for Relay, and how Relay reports what git did not do.

use testkit::TestEnv;

use super::hostile::{Hostile, Site};
use super::table::{Row, rows};
use crate::{codes, json, project, reply};

const STAGING: &str = r#"{"projectId": "shop", "gitStage": true}"#;

fn only(names: &[&str]) -> Vec<Row> {
    rows().into_iter().filter(|row| names.contains(&row.name)).collect()
}

/// A repository with one commit, in a project with `gitStage`.
fn repository(files: &[(&str, &str)]) -> TestEnv {
    let env = project(STAGING);
    files.iter().for_each(|(path, text)| env.write(path, text));
    env.git(&["init", "-q", "-b", "main"]);
    env.git(&["add", "-A"]);
    env.git(&["commit", "-qm", "first"]);
    env
}

fn staged(env: &TestEnv) -> String {
    env.git(&["diff", "--cached", "--name-only"])
}

#[test]
fn programs_that_were_not_run_are_reported_with_their_file() {
    let hostile = Hostile::new(
        Site::Config,
        &only(&[
            "core.fsmonitor",
            "filter.evil.clean",
            "diff.evil.textconv",
            "post-index-change",
            "core.pager",
        ]),
    );
    let run = hostile.relay(&["apply", "--json", "--yes"], &Hostile::reply(1));
    let document = json(&run);
    assert_eq!(
        (run.code, codes(&document)),
        (0, vec!["git-program-not-run".to_owned(), "not-staged".to_owned()])
    );
    let messages: Vec<&str> = document["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["message"].as_str().unwrap())
        .collect();
    assert_eq!(
        messages,
        [
            "git did not use `core.fsmonitor` from `.git/config`, `filter.evil.clean` from `.git/config`, \
             `post-index-change` from `.git/hooks/post-index-change`",
            "it landed, but was not staged without the filter that its attributes ask for: `b.evil` (filter `evil`)",
        ]
    );
    let pack = hostile.relay(&["pack", "--diff", "a.txt"], "").stderr;
    let ask = hostile.relay(&["ask", "--to", "one", "q", "--diff"], "").stderr;
    let review = hostile.relay(&["review", "--to", "one", "--uncommitted"], "").stderr;
    for said in [pack, ask, review] {
        assert!(said.contains("`diff.evil.textconv` from `.git/config`"), "{said}");
    }
    let wrap = hostile.relay(&["wrap", "--yes", "--", "true"], "").stderr;
    assert!(wrap.contains("git did not use `core.fsmonitor` from `.git/config`"), "{wrap}");
}

#[test]
fn every_site_still_gives_a_diff_and_stages() {
    for site in
        [Site::Config, Site::Include, Site::EmbeddedBare, Site::GitFile, Site::Link, Site::LinkedWorkTree]
    {
        let hostile = Hostile::new(site, &only(&["core.fsmonitor"]));
        let pack = hostile.relay(&["pack", "--diff", "a.txt"], "");
        assert!(
            pack.code == 0 && pack.stdout.contains("diff --git a/"),
            "{site:?}: {}{}",
            pack.stdout,
            pack.stderr
        );
        let document = json(&hostile.relay(&["apply", "--json", "--yes"], &Hostile::reply(1)));
        assert_eq!(document["status"], "committed", "{site:?}: {document:#}");
        let git = if site == Site::EmbeddedBare {
            "git --git-dir=.git show :work/a.txt"
        } else {
            "git -C work show :a.txt"
        };
        let index = hostile.env.shell(git).stdout;
        assert_eq!(index, "landed 1\n", "{site:?}: {document:#}");
    }
}

#[test]
fn a_missing_object_is_not_fetched_and_relay_says_so() {
    let hostile = Hostile::new(Site::PartialClone, &[]);
    let run = hostile.relay(&["pack", "--diff", "a.txt"], "");
    assert!(run.code != 0 && run.stderr.contains("Relay fetches no missing objects"), "{}", run.stderr);
    assert!(hostile.marks().is_empty(), "{:?}", hostile.marks());
}

#[test]
fn a_filter_from_the_users_own_config_runs() {
    let env = repository(&[(".gitattributes", "*.up filter=up\n"), ("a.up", "A\n")]);
    env.git(&["config", "--global", "filter.up.clean", "tr a-z A-Z"]);
    // The repository's own definition of the same filter does not count.
    env.git(&["config", "filter.up.clean", "echo hostile"]);
    env.relay(&["apply", "--yes"]).stdin(&reply(1, "a.up", "landed")).success();
    assert_eq!(env.git(&["-c", "core.fsmonitor=false", "show", ":a.up"]), "LANDED\n");
}

#[test]
fn harmless_settings_of_the_repository_still_count() {
    let env = repository(&[("a.txt", "one\n")]);
    env.git(&["config", "core.autocrlf", "input"]);
    env.write("b.txt", "x\r\n");
    env.relay(&["apply", "--yes"]).stdin(&reply(1, "b.txt", "two\r")).success();
    assert!(env.read("b.txt").ends_with("\r\n"));
    assert_eq!(env.git(&["show", ":b.txt"]), "two\n");
    for format in [["--object-format=sha256"], ["--ref-format=reftable"]] {
        let env = project(STAGING);
        env.git(&[&["init", "-q"], &format[..]].concat());
        env.relay(&["apply", "--yes"]).stdin(&reply(1, "a.txt", "new")).success();
        assert_eq!(staged(&env), "a.txt\n", "{format:?}");
    }
}

#[test]
fn the_repository_of_another_folder_is_not_used() {
    for plant in [
        // Each makes `work` look like a work tree of the user's private repository.
        "echo 'gitdir: ../private/.git' >work/.git",
        "ln -s ../private/.git work/.git",
        "git clone -q --bare private bare && echo 'gitdir: ../bare' >work/.git",
        "git -C private worktree add -q ../own && echo 'gitdir: ../private/.git/worktrees/own' >work/.git",
        "git init -q work && echo ../../private/.git >work/.git/commondir",
    ] {
        let env = crate::env();
        env.write("private/secret.txt", "secret\n");
        env.write("work/relaycode.config.json", STAGING);
        env.git(&["-C", "private", "init", "-q", "-b", "main"]);
        env.git(&["-C", "private", "add", "-A"]);
        env.git(&["-C", "private", "commit", "-qm", "first"]);
        let run = env.shell(plant);
        assert_eq!(run.code, 0, "{plant}: {}", run.stderr);
        let pack = env.relay(&["pack", "--diff"]).current_dir("work").run();
        assert!(
            pack.code != 0 && pack.stderr.contains("does not belong to this folder"),
            "{plant}: {}",
            pack.stderr
        );
        assert!(!pack.stdout.contains("secret"));
        env.relay(&["apply", "--yes"]).current_dir("work").stdin(&reply(1, "a.txt", "new")).success();
        assert_eq!(env.git(&["-C", "private", "diff", "--cached", "--name-only"]), "", "{plant}");
    }
}

#[test]
fn nothing_is_staged_through_a_link() {
    for name in ["index", "objects"] {
        let env = repository(&[("a.txt", "one\n")]);
        let run = env.shell(&format!("mv .git/{name} elsewhere && ln -s ../elsewhere .git/{name}"));
        assert_eq!(run.code, 0, "{}", run.stderr);
        let before = env.shell("find elsewhere | sort; sha256sum elsewhere").stdout;
        let run = env.relay(&["apply", "--yes"]).stdin(&reply(1, "a.txt", "new")).success();
        assert!(run.stdout.contains("is a link, so Relay does not write through it"), "{}", run.stdout);
        assert_eq!(env.shell("find elsewhere | sort; sha256sum elsewhere").stdout, before);
    }
}

#[test]
fn nothing_is_left_in_the_temporary_folder() {
    let env = repository(&[("a.txt", "one\n")]);
    env.relay(&["apply", "--yes"]).stdin(&reply(1, "a.txt", "new")).success();
    env.relay(&["pack", "--diff", "a.txt"]).success();
    assert_eq!(env.shell("ls -A \"$TMPDIR\"").stdout, "");
}
