//! `relay ask`: questions, answers, and what backends write to files.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::TestEnv;

use crate::{PLAIN, codes, json, project, wait_for};

/// A project with a backend that is a shell line; its prompt is on standard input.
fn backend(line: &str) -> TestEnv {
    let env = project(PLAIN);
    set(&env, "one", line);
    env
}

fn set(env: &TestEnv, name: &str, line: &str) {
    let command = json!(["sh", "-c", line]).to_string();
    env.relay(&["config", "set", &format!("backends.{name}.command"), &command]).success();
}

/// A backend's sleep time, which identifies its process and is unique to one test.
fn seconds(number: u32) -> String {
    // All have the same length, so that none is a prefix of another.
    format!("{number}.{:010}", std::process::id())
}

/// How many processes have this in their command line.
fn count(env: &TestEnv, pattern: &str) -> String {
    env.shell(&format!("pgrep -f '{pattern}' | wc -l")).stdout.trim().to_owned()
}

fn ask(env: &TestEnv, arguments: &[&str]) -> (i32, Value) {
    let run = env.relay(&[&["ask", "--json", "--to", "one"], arguments].concat()).run();
    (run.code, json(&run))
}

fn text(document: &Value) -> &str {
    document["answers"][0]["text"].as_str().unwrap_or_else(|| panic!("no answer: {document:#}"))
}

#[test]
fn the_envelope_is_what_a_backend_reads() {
    let env = backend("cat");
    let root = env.root().canonicalize().unwrap();
    let (code, document) = ask(&env, &["Why?", "--context-text", "It is new."]);
    assert_eq!(code, 0, "{document:#}");
    let expected = format!(
        "You are helping another coding agent by reviewing or advising on work in a local repository.\n\
         Repository path: {}\nUse the repository files for context when needed.\n\
         Respond with concise, actionable feedback.\n\nRequest:\nWhy?\n\nAdditional Context:\nIt is new.\n",
        root.display()
    );
    assert_eq!(text(&document), expected);
}

#[test]
fn the_prompt_may_come_from_standard_input_and_streams_out() {
    let env = backend("cat >/dev/null; echo 'one \u{1b}[31mred'; echo two");
    let run = env.relay(&["ask", "--to", "one"]).stdin("Why?\n").run();
    assert_eq!((run.code, run.stdout.as_str()), (0, "one \\x1b[31mred\ntwo\n"), "{}", run.stderr);
}

#[test]
fn errors_are_reported_in_a_fixed_order() {
    let env = backend("touch asked; cat");
    let context = "x".repeat(200_001);
    env.write("large.txt", &context);
    let cases: [(&[&str], &str); 9] = [
        (&["", "--timeout", "0"], "Prompt is required"),
        (&["q", "--timeout", "0", "--repo", "nowhere"], "Timeout must be greater than zero"),
        (&["q", "--repo", "nowhere", "--to", "nobody"], "invalid repo path"),
        (&["q", "--to", "nobody"], "unsupported backend `nobody`"),
        (&["q", "--context-file", "large.txt", "--context-text", "t"], "not both"),
        (&["q", "--context-file", "missing.txt"], "cannot be read"),
        (&["q", "--context-file", "."], "cannot be read"),
        (&["q", "--context-file", "large.txt"], "the context is too large: 200001 bytes, at most 200000"),
        (&["q", "--schema", "{\"type\":\"nothing\"}"], "the schema cannot be used"),
    ];
    for (arguments, words) in cases {
        let run = env.relay(&[&["ask", "--to", "one"], arguments].concat()).run();
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{arguments:?}: {}", run.stderr);
    }
    let prompt = "x".repeat(500_001);
    let run = env.relay(&["ask", "--to", "one", "-"]).stdin(&prompt).run();
    assert!(run.code == 2 && run.stderr.contains("the prompt is too large"), "{}", run.stderr);
    for (variable, value, words) in [
        ("PHONE_A_FRIEND_DEPTH", "1", "depth limit reached"),
        ("PHONE_A_FRIEND_HOST", "one", "by one itself"),
    ] {
        let run = env.relay(&["ask", "--to", "one", "q"]).env(variable, value).run();
        assert!(run.code == 2 && run.stderr.contains(words), "{variable}: {}", run.stderr);
    }
    assert!(!env.exists("asked"), "no one was asked");
}

#[test]
fn a_backend_knows_its_nesting_depth() {
    let env = backend("cat >/dev/null; echo $PHONE_A_FRIEND_DEPTH");
    assert_eq!(text(&ask(&env, &["q"]).1), "1\n");
    assert_eq!(
        env.relay(&["ask", "--to", "one", "q"]).env("PHONE_A_FRIEND_DEPTH", "1abc").run().stdout,
        "1\n"
    );
}

#[test]
fn the_latest_changes_are_included_on_request() {
    let env = backend("cat");
    assert!(!text(&ask(&env, &["q", "--diff"]).1).contains("Git Diff"), "no repository is not a fault");
    env.write("a.txt", "one\n");
    env.git(&["init", "-q"]);
    env.git(&["add", "-A"]);
    env.git(&["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "first"]);
    env.write("a.txt", "two\n");
    assert!(text(&ask(&env, &["q", "--diff"]).1).contains("Git Diff:\ndiff --git a/a.txt"));
    assert!(!text(&ask(&env, &["q"]).1).contains("Git Diff"));
    assert!(!text(&ask(&env, &["q", "--diff", "--no-diff"]).1).contains("Git Diff"));
    env.write("a.txt", &format!("{}\n", "x".repeat(300_001)));
    let run = env.relay(&["ask", "--to", "one", "q", "--diff"]).run();
    assert!(run.code == 2 && run.stderr.contains("the diff is too large"), "{}", run.stderr);
}

#[test]
fn a_backend_that_fails_hangs_floods_or_is_missing_is_reported() {
    let env = backend("cat >/dev/null; echo 'no credit' >&2; exit 3");
    let failed = |arguments: &[&str]| {
        let (code, document) = ask(&env, &[&["q"], arguments].concat());
        (code, document["answers"][0]["error"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(failed(&[]), (1, "one failed (exit code 3): no credit".to_owned()));
    set(&env, "one", "sleep 300 & sleep 300");
    let (code, error) = failed(&["--timeout", "1"]);
    assert!(code == 1 && error.contains("did not answer within 1 s"), "{error}");
    set(&env, "one", "yes 'all work and no play'");
    let (code, error) = failed(&[]);
    assert!(code == 1 && error.contains("printed more than 16777216 bytes"), "{error}");
    set(&env, "one", "cat >/dev/null");
    let (code, error) = failed(&[]);
    assert!(code == 1 && error.contains("ended without an answer"), "{error}");
    env.relay(&["config", "set", "backends.one.command", "[\"no-such-program\"]"]).success();
    let (code, error) = failed(&[]);
    assert!(code == 1 && error.contains("not installed"), "{error}");
}

#[test]
fn a_read_only_backend_cannot_write_and_a_writing_one_is_a_transaction() {
    let env = backend("cat >/dev/null; echo changed > a.txt; mkdir -p b; echo new > b/c.txt; echo done");
    env.write("a.txt", "kept\n");
    let before = env.tree();
    let (code, document) = ask(&env, &["q"]);
    assert_eq!((code, env.read("a.txt").as_str()), (0, "kept\n"), "{document:#}");
    let (code, document) = ask(&env, &["write it", "--sandbox", "workspace-write", "--yes"]);
    assert_eq!((code, document["effect"]["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert_eq!((env.read("a.txt"), env.read("b/c.txt")), ("changed\n".to_owned(), "new\n".to_owned()));
    let log = env.relay(&["log", "--json"]).run();
    assert_eq!(json(&log)[0]["channel"], "ask", "{}", log.stdout);
    env.relay(&["undo", "--yes"]).success();
    assert_eq!(env.tree(), before);
}

/// It may write to the workspace, its own folder and a temporary one, but not to the user's shell startup files or a
/// neighbouring folder.
#[test]
fn a_backend_that_writes_stays_in_the_workspace() {
    let env = backend(
        "cat >/dev/null; echo in > a.txt; echo out > ../outside.txt; echo out >> ~/.bashrc; echo out > /tmp/$NAME; \
         echo own > \"$OWN/mine\"; echo temporary > \"$TMPDIR/file\" && cat \"$TMPDIR/file\"",
    );
    let (own, bashrc) = (env.home_path(".mine"), env.home_path(".bashrc"));
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(&bashrc, "kept\n").unwrap();
    let name = format!("relay-outside-{}", std::process::id());
    env.relay(&["config", "set", "backends.one.folders", &json!([own]).to_string()]).success();
    let arguments = ["ask", "write it", "--to", "one", "--json", "--sandbox", "workspace-write", "--yes"];
    let run = env.relay(&arguments).env("NAME", &name).env("OWN", own.to_str().unwrap()).run();
    let document = json(&run);
    assert_eq!((run.code, document["effect"]["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert!(document.to_string().contains("temporary"), "{document:#}");
    assert_eq!((env.read("a.txt").as_str(), env.exists("../outside.txt")), ("in\n", false));
    assert_eq!(std::fs::read_to_string(bashrc).unwrap(), "kept\n");
    assert_eq!(std::fs::read_to_string(own.join("mine")).unwrap(), "own\n");
    assert!(!std::path::Path::new("/tmp").join(name).exists());
}

#[test]
fn full_access_can_write_anywhere() {
    let env = backend("cat >/dev/null; echo out > ../outside.txt; echo done");
    let (code, document) = ask(&env, &["q", "--sandbox", "danger-full-access", "--yes"]);
    assert_eq!((code, env.exists("../outside.txt")), (0, true), "{document:#}");
}

#[test]
fn if_read_only_cannot_be_enforced_relay_warns_and_records_changes() {
    let env = project(r#"{"projectId": "shop", "approval": "no", "postCommand": "false"}"#);
    set(&env, "one", "cat >/dev/null; echo changed > a.txt; echo done");
    env.write("a.txt", "kept\n");
    let before = env.tree();
    // Landlock can only grant rights: a program may write to its own folder, and here that is the repository.
    let own = json!([env.path("")]).to_string();
    env.relay(&["config", "set", "backends.one.folders", &own]).success();
    let run = env.relay(&["ask", "q", "--to", "one", "--json"]).run();
    assert!(run.stderr.contains("only their own rules keep one from writing here"), "{}", run.stderr);
    let document = json(&run);
    assert_eq!((run.code, document["effect"]["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert_eq!(codes(&document["effect"]), ["changed-meanwhile"]);
    assert_eq!(
        env.read("a.txt"),
        "changed\n",
        "it may be another program's work, and is not undone by itself"
    );
    env.relay(&["undo", "--yes"]).success();
    assert_eq!(env.tree(), before);
}

#[test]
fn what_a_backend_writes_is_checked_and_rolled_back() {
    let env = project(r#"{"projectId": "shop", "postCommand": "! grep -q bad a.txt"}"#);
    env.write("a.txt", "good\n");
    set(&env, "one", "cat >/dev/null; echo bad > a.txt; echo done");
    let (code, document) = ask(&env, &["q", "--sandbox", "workspace-write", "--yes", "--trust"]);
    assert_eq!((code, document["effect"]["status"].as_str()), (1, Some("rolled_back")), "{document:#}");
    assert_eq!(env.read("a.txt"), "good\n");
    assert!(!codes(&document["effect"]).is_empty());
    set(&env, "two", "cat");
    let run = env.relay(&["ask", "q", "--to", "one,two", "--sandbox", "workspace-write"]).run();
    assert!(run.code == 2 && run.stderr.contains("only one backend"), "{}", run.stderr);
}

#[test]
fn several_come_back_as_one_comparison() {
    let env = backend("cat >/dev/null; echo first");
    set(&env, "two", "cat >/dev/null; echo second; exit 1");
    set(&env, "three", "cat >/dev/null; echo third");
    let run = env.relay(&["ask", "q", "--to", "one,two,three"]).run();
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("── one") && run.stdout.contains("first\n"), "{}", run.stdout);
    assert!(run.stdout.contains("── three") && run.stdout.contains("third\n"), "{}", run.stdout);
    assert!(run.stderr.contains("two failed"), "{}", run.stderr);
}

#[test]
fn an_answer_must_match_its_schema() {
    let schema = r#"{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}"#;
    let env = backend(r#"cat >/dev/null; echo '```json'; echo '{"n": 7}'; echo '```'"#);
    let (code, document) = ask(&env, &["q", "--schema", schema]);
    assert_eq!((code, &document["answers"][0]["data"]), (0, &json!({"n": 7})), "{document:#}");
    env.write("schema.json", schema);
    assert_eq!(ask(&env, &["q", "--schema", "schema.json"]).0, 0);
    set(&env, "one", r#"cat >/dev/null; echo '{"n": "seven"}'"#);
    let (code, document) = ask(&env, &["q", "--schema", schema]);
    assert_eq!(code, 1);
    assert!(document["answers"][0]["error"].as_str().unwrap().contains("/n"), "{document:#}");
}

#[test]
fn a_job_is_answered_in_the_background_and_its_result_stays() {
    let env = backend("cat >/dev/null; echo later");
    let start = |prompt: &str| {
        env.relay(&["ask", "--to", "one", "--background", prompt]).success().stdout.trim().to_owned()
    };
    let id = start("q");
    let run = env.relay(&["jobs", "wait", &id, "--timeout", "600"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (0, "later\n"), "{}", run.stderr);
    assert_eq!(env.relay(&["jobs", "show", &id]).run().stdout, "later\n");
    set(&env, "one", "cat >/dev/null; sleep 300");
    let slow = start("slow one");
    let listed = env.relay(&["jobs", "list"]).run().stdout;
    assert!(listed.contains(&slow) && listed.contains("running") && listed.contains("slow one"), "{listed}");
    env.relay(&["jobs", "cancel", &slow]).success();
    let run = env.relay(&["jobs", "show", &slow, "--json"]).run();
    assert_eq!(json(&run)["state"], "cancelled");
    assert_eq!(env.relay(&["jobs", "prune"]).run().stdout, "2 jobs removed\n");
    for id in ["nothing", "../x"] {
        assert_eq!(env.relay(&["jobs", "show", id]).run().code, 2, "{id}");
    }
}

#[test]
fn an_interrupt_ends_everything_that_was_started() {
    let seconds = seconds(301);
    let env = backend(&format!("cat >/dev/null; sleep {seconds} & echo begun; sleep {seconds}"));
    let running = env.relay(&["ask", "--to", "one", "q"]).spawn();
    wait_for("both sleep", || count(&env, &format!("^sleep {seconds}")) == "2");
    running.signal("INT");
    assert_eq!(running.wait().code, 130);
    assert_eq!(count(&env, &format!("[s]leep {seconds}")), "0");
}

#[test]
fn processes_that_a_backend_leaves_running_end_with_it() {
    let seconds = seconds(303);
    let env = backend(&format!("cat >/dev/null; sleep {seconds} & echo ok"));
    assert_eq!(text(&ask(&env, &["q"]).1), "ok\n");
    // Even a process that left the session and lost its parents is found when Relay stops the backend early.
    let line = format!("cat >/dev/null; (setsid sleep {seconds} >/dev/null 2>&1 &); sleep {seconds}");
    set(&env, "one", &line);
    assert_eq!(ask(&env, &["q", "--timeout", "1"]).0, 1);
    assert_eq!(count(&env, &format!("[s]leep {seconds}")), "0");
}

#[test]
fn a_flood_of_output_uses_little_memory() {
    let is_long = std::env::var("RELAY_LONG_TESTS").is_ok_and(|value| value == "yes");
    let bytes = if is_long { 1_000_000_000 } else { 480_000_000 };
    for (line, end) in [
        ("cat >/dev/null; head -c BYTES /dev/zero >&2; echo ok", "ok"),
        // A line without an end is not an answer.
        ("cat >/dev/null; head -c BYTES /dev/zero", "one ended without an answer"),
        ("cat >/dev/null; yes | head -c BYTES", "printed more than 16777216 bytes"),
    ] {
        let env = backend(&line.replace("BYTES", &bytes.to_string()));
        // Less than the flood, counting everything that is mapped.
        let run = env.shell("ulimit -v 450000; exec \"$RELAY\" ask --to one --no-stream q");
        assert!(format!("{}{}", run.stdout, run.stderr).contains(end), "{line}: {}", run.stderr);
    }
}

#[test]
fn a_terminal_shows_the_answer_as_it_comes_and_ctrl_c_ends_it() {
    let seconds = seconds(304);
    let env = backend(&format!("cat >/dev/null; echo begun; sleep {seconds}; echo never"));
    let mut screen = env.pty(&["ask", "--to", "one", "q"]);
    screen.expect("begun");
    screen.send("\u{3}");
    assert_eq!(screen.wait(), 130);
    assert_eq!(count(&env, &format!("[s]leep {seconds}")), "0");
}

#[test]
fn without_the_stream_a_terminal_shows_how_long_it_takes() {
    let env = backend("cat >/dev/null; echo partial; while [ ! -e ~/go ]; do sleep 0.05; done; echo whole");
    let mut screen = env.pty(&["ask", "--to", "one", "--no-stream", "q"]);
    for _ in 0..4 {
        screen.expect("asking one  ");
    }
    let shown = screen.text();
    let times: BTreeSet<&str> = shown
        .split("asking one  ")
        .skip(1)
        .filter_map(|rest| rest.split_once(" s").map(|(time, _)| time))
        .collect();
    assert!(times.len() > 1, "{shown}");
    std::fs::write(env.home_path("go"), "").unwrap();
    screen.expect("partial\r\nwhole");
    assert_eq!(screen.wait(), 0, "{}", screen.text());
}

#[test]
fn the_first_of_several_errors_in_the_documented_order_is_reported() {
    let env = project(PLAIN);
    let all = [
        "--timeout",
        "0",
        "--repo",
        "missing",
        "--to",
        "nobody",
        "--sandbox",
        "none",
        "--context-file",
        "gone",
    ];
    let faults = [
        ("", "Prompt is required"),
        ("hi", "Timeout must be greater than zero"),
        ("hi", "invalid repo path"),
        ("hi", "nobody"),
        ("hi", "invalid sandbox `none`"),
        ("hi", "the context file `gone`"),
    ];
    // Fixes one error after another, and checks that the next one appears.
    for (fixed, (prompt, expected)) in faults.into_iter().enumerate() {
        let mut arguments = vec!["ask", prompt];
        for (at, pair) in all.chunks(2).enumerate() {
            match (at + 1 < fixed, pair[0]) {
                (false, _) => arguments.extend(pair),
                (true, "--to") => arguments.extend(["--to", "ollama/qwen3:8b"]),
                (true, _) => {}
            }
        }
        let run = env.relay(&arguments).run();
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{arguments:?}: {}", run.stderr);
    }
}
