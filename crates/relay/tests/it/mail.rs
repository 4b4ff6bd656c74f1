//! `relay mail`: whole sessions through the real binary.

use std::os::unix::fs::symlink;
use std::time::Duration;

use serde_json::Value;
use testkit::{Run, TestEnv};

use crate::{PLAIN, codes, json, project, wait_for};

const MAIL: &str = ".relaycode/mail";

/// A project with a session, and the session's id.
fn started(files: &[(&str, &str)]) -> (TestEnv, String) {
    let env = project(PLAIN);
    files.iter().for_each(|(path, text)| env.write(path, text));
    let run = env.relay(&["mail", "start", "Make", "it", "better", "--json"]).success();
    let id = json(&run)["session"]["sessionId"].as_str().unwrap().to_owned();
    (env, id)
}

fn step(env: &TestEnv, reply: &str, arguments: &[&str]) -> (i32, Value) {
    let run = env.relay(&[&["mail", "step", "-", "--json"], arguments].concat()).stdin(reply).run();
    (run.code, json(&run))
}

/// The results of the last reply as the model reads them.
fn results(env: &TestEnv) -> String {
    let outbox = env.relay(&["mail", "show", "--outbox"]).success().stdout;
    let rest = outbox.split("## Previous Command Results\n").nth(1).expect("results").to_owned();
    rest.split("\n\n").next().unwrap().to_owned()
}

fn inbox(env: &TestEnv, name: &str, text: &str) {
    env.write(&format!("{MAIL}/inbox/{name}"), text);
}

/// Runs a shell line that must succeed.
#[track_caller]
fn sh(env: &TestEnv, line: &str) {
    let run = env.shell(line);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

/// The names in a folder of the mailbox, sorted.
fn names(env: &TestEnv, folder: &str) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(env.path(&format!("{MAIL}/{folder}"))) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

const CREATE: &str = "[CREATE_FILE path=\"src/calc.py\"]\ndef add(a, b):\n    return a + b\n[/CREATE_FILE]\n";

#[test]
fn nothing_after_leaked_routing_is_carried_out() {
    let (env, _) = started(&[]);
    let leak = "[RUN_COMMAND]\ntouch x】【analysis to=functions.bash code เงินไทยฟรี\n[/RUN_COMMAND]\n";
    let after = "[CREATE_FILE path=\"b.txt\"]\nb\n[/CREATE_FILE]\n";
    let (_, document) = step(&env, &format!("{CREATE}{leak}{after}"), &["--yes"]);
    assert!(env.exists("src/calc.py") && !env.exists("b.txt"), "{document:#}");
    assert!(results(&env).contains("leaked into this command"), "{}", results(&env));
}

#[test]
fn the_first_message_follows_the_protocol_exactly() {
    let (env, id) = started(&[("a.txt", "one\n"), ("src/b.txt", "")]);
    assert!(id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    let outbox = env.read(&format!("{MAIL}/outbox/{id}_seq0001.txt"));
    let head =
        format!("=== HEADER ===\nSession: {id}\nSequence: 1\nTask: Make it better\n\n=== PROTOCOL ===\n");
    assert!(outbox.starts_with(&head), "{outbox}");
    let tail = "\n=== CONTEXT ===\n## Workspace Files\n  a.txt (4 bytes)\n  src/b.txt (0 bytes)\n\n=== PROMPT ===\nMake it better\n";
    assert!(outbox.ends_with(tail), "{outbox}");
    let session: Value = serde_json::from_str(&env.read(&format!("{MAIL}/sessions/{id}.json"))).unwrap();
    let keys: Vec<&str> = session.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "sessionId",
        "task",
        "sequenceNumber",
        "isComplete",
        "createdAt",
        "updatedAt",
        "lastResults",
        "readFileRequests",
    ];
    assert_eq!(keys[..8], expected);
    assert_eq!((&session["sequenceNumber"], &session["isComplete"]), (&Value::from(1), &Value::from(false)));
    assert!(session["createdAt"].as_str().unwrap().ends_with('Z'));
    let empty = project(PLAIN);
    empty.relay(&["mail", "start", "x"]).success();
    assert!(empty.relay(&["mail", "show", "--outbox"]).success().stdout.contains("\n(empty workspace)\n"));
}

#[test]
fn a_whole_session_from_start_to_done() {
    let (env, id) = started(&[]);
    let protocol = |number: u32| {
        let text = env.read(&format!("{MAIL}/outbox/{id}_seq{number:04}.txt"));
        text.split("=== PROTOCOL ===").nth(1).unwrap().split("=== CONTEXT ===").next().unwrap().to_owned()
    };
    let (code, document) =
        step(&env, &format!("Session: {id}\nSequence: 1\n{CREATE}[READ_FILE path=\"src/calc.py\"]\n"), &[]);
    assert_eq!(code, 0, "{document:#}");
    let outbox = document["outbox"].as_str().unwrap();
    assert!(outbox.ends_with(&format!("{id}_seq0002.txt")), "{outbox}");
    assert_eq!(document["session"]["readFileRequests"][0], "src/calc.py");
    let text = std::fs::read_to_string(outbox).unwrap();
    let context = text.split("=== CONTEXT ===\n").nth(1).unwrap();
    assert_eq!(
        context,
        "## Workspace Files\n  src/calc.py (32 bytes)\n\n## Previous Command Results\n\
         [OK] CREATE_FILE: Created 'src/calc.py'\n[OK] READ_FILE: Read 'src/calc.py' (32 bytes)\n\n\
         ## Requested File Contents\n--- src/calc.py ---\n1| def add(a, b):\n2|     return a + b\n--- end src/calc.py ---\n\n\
         === PROMPT ===\nContinue working on the task based on the results above. If the task is complete, send [DONE] with a summary.\n"
    );
    assert_eq!(protocol(1), protocol(2));
    let (code, document) = step(&env, "[DONE]\nAdded \u{1b}[31mit.\n[/DONE]\n", &[]);
    assert_eq!((code, &document["session"]["isComplete"]), (0, &Value::from(true)), "{document:#}");
    assert_eq!(document["outbox"], Value::Null);
    let saved: Value = serde_json::from_str(&env.read(&format!("{MAIL}/sessions/{id}.json"))).unwrap();
    assert_eq!((&saved["isComplete"], &saved["status"]), (&Value::from(true), &Value::from("done")));
    let run = env.relay(&["mail", "step", "-"]).stdin(CREATE).run();
    assert!(run.code == 1 && run.stderr.contains("no session is open"), "{}", run.stderr);
    let listed = json(&env.relay(&["mail", "list", "--json"]).success());
    assert_eq!((&listed[0]["sessionId"], &listed[0]["status"]), (&Value::from(id), &Value::from("done")));
}

#[test]
fn every_mistake_becomes_a_result_the_model_can_read() {
    let (env, _) = started(&[("a.txt", "1\n2\n3\n"), ("bin.dat", "a\0b")]);
    env.git(&["init", "-q"]);
    symlink("a.txt", env.path("link.txt")).unwrap();
    std::fs::create_dir(env.path("folder")).unwrap();
    let reply = "[CREATE_FILE]\nx\n[/CREATE_FILE]\n[READ_FILE]\n\
        [EDIT_FILE path=\"a.txt\" start_line=\"one\" end_line=\"2\"]\nx\n[/EDIT_FILE]\n\
        [EDIT_FILE path=\"a.txt\" start_line=\"2\"]\nx\n[/EDIT_FILE]\n\
        [EDIT_FILE path=\"a.txt\" start_line=\"3\" end_line=\"4\"]\nx\n[/EDIT_FILE]\n\
        [EDIT_FILE path=\"missing.txt\" start_line=\"1\" end_line=\"1\"]\nx\n[/EDIT_FILE]\n\
        [DELETE_FILE path=\"missing.txt\"]\n[READ_FILE path=\"missing.txt\"]\n[READ_FILE path=\"bin.dat\"]\n\
        [CREATE_FILE path=\"../../../etc/passwd\"]\nx\n[/CREATE_FILE]\n[READ_FILE path=\"/etc/passwd\"]\n\
        [DELETE_FILE path=\"~/x\"]\n[CREATE_FILE path=\".git/config\"]\nx\n[/CREATE_FILE]\n\
        [READ_FILE path=\"link.txt\"]\n[EDIT_FILE path=\"link.txt\" start_line=\"1\" end_line=\"1\"]\nx\n[/EDIT_FILE]\n\
        [CREATE_FILE path=\"folder\"]\nx\n[/CREATE_FILE]\n[RENAME_FILE path=\"a.txt\" to=\"b.txt\"]\n\
        [RUN_COMMAND]\nls\n[/RUN_COMMAND]\n[CREATE_FILE path=\"open.txt\"]\nx\n";
    let before = env.tree();
    let (code, document) = step(&env, reply, &[]);
    assert_eq!(code, 3, "{document:#}");
    assert_eq!(env.tree(), before);
    let expected = "[FAILED] CREATE_FILE: Missing required attribute 'path'\n\
        [FAILED] READ_FILE: Missing required attribute 'path'\n\
        [FAILED] EDIT_FILE: Invalid start_line 'one': it must be a whole number, 1 or more\n\
        [FAILED] EDIT_FILE: Missing required attribute 'end_line'\n\
        [FAILED] EDIT_FILE: Invalid line range 3-4: 'a.txt' has 3 lines\n\
        [FAILED] EDIT_FILE: File 'missing.txt' not found\n\
        [FAILED] DELETE_FILE: File 'missing.txt' not found\n\
        [FAILED] READ_FILE: File 'missing.txt' not found\n\
        [FAILED] READ_FILE: 'bin.dat' is not a text file\n\
        [FAILED] CREATE_FILE: REJECTED: Path is outside workspace: '../../../etc/passwd'\n\
        [FAILED] READ_FILE: REJECTED: Path is outside workspace: '/etc/passwd'\n\
        [FAILED] DELETE_FILE: REJECTED: Path is outside workspace: '~/x'\n\
        [FAILED] CREATE_FILE: REJECTED: `.git/config` leads into git's own folder. Use git itself to change what git keeps.\n\
        [FAILED] READ_FILE: REJECTED: `link.txt` is a symbolic link\n\
        [FAILED] EDIT_FILE: REJECTED: `link.txt` is a symbolic link\n\
        [FAILED] CREATE_FILE: REJECTED: `folder` is a folder\n\
        [FAILED] RENAME_FILE: Unknown command; the commands are CREATE_FILE, EDIT_FILE, RUN_COMMAND, MESSAGE, DONE, DELETE_FILE, READ_FILE\n\
        [FAILED] RUN_COMMAND: Not run 'ls': commands are not allowed here; the user can allow them with --allow-commands\n\
        [FAILED] CREATE_FILE: Missing closing tag [/CREATE_FILE]: it was opened on line 39, and nothing after that was carried out";
    assert_eq!(results(&env), expected);
    step(&env, "I have nothing to say.", &[]);
    assert!(results(&env).starts_with("[FAILED] RESPONSE: No command was found"), "{}", results(&env));
}

#[test]
fn words_after_a_tag_are_a_remark_and_a_removed_fence_is_reported() {
    let (env, _) = started(&[("x.txt", "x\n")]);
    let reply = "[DELETE_FILE path=\"x.txt\"] remove it\n[CREATE_FILE path=\"a.py\"]\n```python\nx = 1\n```\n[/CREATE_FILE]\n";
    let (code, document) = step(&env, reply, &[]);
    assert_eq!(code, 0, "{document:#}");
    assert!(!env.exists("x.txt"));
    assert_eq!(env.read("a.py"), "x = 1\n");
    assert_eq!(
        results(&env),
        "[OK] DELETE_FILE: Deleted 'x.txt'\n\
         [OK] CREATE_FILE: Created 'a.py'; the fence around its lines was taken off, write them without one"
    );
}

#[test]
fn commands_run_in_the_root_are_limited_and_their_effect_can_be_undone() {
    let (env, id) = started(&[("a.txt", "one\n")]);
    let reply = "[RUN_COMMAND]\npwd; echo two >> a.txt; echo made > made.txt\n[/RUN_COMMAND]\n\
        [RUN_COMMAND]\necho oops >&2; exit 3\n[/RUN_COMMAND]\n[RUN_COMMAND]\nseq 1 5000\n[/RUN_COMMAND]\n\
        [RUN_COMMAND]\nno-such-program-anywhere\n[/RUN_COMMAND]\n[RUN_COMMAND]\nkill -TERM $$\n[/RUN_COMMAND]\n";
    let (code, document) = step(&env, reply, &["--allow-commands"]);
    assert_eq!(code, 3);
    let found = &document["replies"][0]["results"];
    assert_eq!(found[0]["output"], env.root().canonicalize().unwrap().to_str().unwrap(), "{document:#}");
    let summaries: Vec<&str> =
        found.as_array().unwrap().iter().map(|result| result["summary"].as_str().unwrap()).collect();
    assert_eq!(
        summaries,
        [
            "Ran 'pwd; echo two >> a.txt; echo made > made.txt' (exit code 0)",
            "Ran 'echo oops >&2; exit 3' (exit code 3)",
            "Ran 'seq 1 5000' (exit code 0)",
            "Ran 'no-such-program-anywhere' (exit code 127)",
            "Ran 'kill -TERM $$' (exit code 143)",
        ]
    );
    assert_eq!((&found[1]["success"], &found[1]["output"]), (&Value::from(false), &Value::from("oops")));
    let long = found[2]["output"].as_str().unwrap();
    assert!(long.chars().count() <= 4000 && long.starts_with("1\n2\n") && long.ends_with("4999\n5000"));
    assert!(
        results(&env)
            .contains("[FAILED] RUN_COMMAND: Ran 'echo oops >&2; exit 3' (exit code 3)\n  Output: oops\n")
    );
    assert_eq!(env.read("a.txt"), "one\ntwo\n");
    let entry = &json(&env.relay(&["log", "--json"]).run())[0];
    assert_eq!(
        (&entry["channel"], &entry["group"]),
        (&Value::from("mail"), &Value::from(format!("mail:{id}:1")))
    );
    env.relay(&["undo", "--yes"]).success();
    assert_eq!(env.read("a.txt"), "one\n");
    assert!(!env.exists("made.txt"));
}

#[test]
fn a_terminal_is_asked_before_a_command_runs() {
    let (env, _) = started(&[]);
    env.write("reply.txt", "[RUN_COMMAND]\ntouch ran.txt; printf '\\033[2J'\n[/RUN_COMMAND]\n[RUN_COMMAND]\ntouch no.txt\n[/RUN_COMMAND]\n");
    let mut screen = env.pty(&["mail", "step", "reply.txt"]);
    screen.expect("wants to run a command");
    screen.expect("touch ran.txt");
    screen.expect("run it?");
    screen.send("y\n");
    screen.expect("run it?");
    screen.send("n\n");
    assert_eq!(screen.wait(), 3);
    assert!(env.exists("ran.txt") && !env.exists("no.txt"));
    assert!(
        screen.text().contains("the user said no") && !screen.raw().contains("\u{1b}[2J"),
        "{}",
        screen.text()
    );
}

#[test]
fn each_command_is_a_transaction_and_a_message_a_group() {
    let (env, id) = started(&[("a.txt", "1\n2\n3\n"), ("old.txt", "old\n")]);
    let before = env.tree();
    let reply = format!(
        "{CREATE}[EDIT_FILE path=\"a.txt\" start_line=\"2\" end_line=\"2\"]\ntwo\n[/EDIT_FILE]\n[DELETE_FILE path=\"old.txt\"]\n"
    );
    step(&env, &reply, &["--model", "a-model"]);
    let log = json(&env.relay(&["log", "--json"]).run());
    assert_eq!(log.as_array().unwrap().len(), 3);
    assert!(log.as_array().unwrap().iter().all(|entry| entry["model"] == "a-model"), "{log:#}");
    env.relay(&["undo", "--yes"]).success();
    assert!(env.exists("old.txt") && env.read("a.txt") == "1\ntwo\n3\n", "one command");
    env.relay(&["redo", "--yes"]).success();
    let run = env.relay(&["undo", "--yes", "--group", &format!("mail:{id}:1")]).run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert_eq!(env.tree(), before, "the whole message");
}

#[test]
fn run_takes_files_oldest_first_moves_them_aside_and_ends_with_done() {
    let (env, id) = started(&[]);
    inbox(&env, "second.txt", "[CREATE_FILE path=\"b.txt\"]\nb\n[/CREATE_FILE]\n");
    inbox(
        &env,
        "first.txt",
        "[CREATE_FILE path=\"a.txt\"]\na\n[/CREATE_FILE]\n[MESSAGE]\nhello\n[/MESSAGE]\n",
    );
    inbox(&env, "not-a-reply.md", "[DONE]\n[/DONE]\n");
    sh(
        &env,
        "touch -d '1 hour ago' .relaycode/mail/inbox/first.txt; touch -d '1 minute ago' .relaycode/mail/inbox/second.txt",
    );
    let running = env.relay(&["mail", "run"]).spawn();
    wait_for("the second answer", || env.exists("b.txt"));
    inbox(&env, "last.txt", "[DONE]\nBoth files are there.\n[/DONE]\n");
    let run = running.wait();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    for words in [
        "waiting for the answer to message 1",
        "outbox",
        "inbox",
        "│ hello",
        "is done",
        "Both files are there.",
    ] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    let processed = [
        format!("{id}_seq0001_first.txt"),
        format!("{id}_seq0002_second.txt"),
        format!("{id}_seq0003_last.txt"),
    ];
    assert_eq!(names(&env, "inbox/processed"), processed);
    assert_eq!(names(&env, "inbox"), ["not-a-reply.md", "processed"]);
    assert_eq!(names(&env, "outbox").len(), 3);
}

#[test]
fn hostile_files_in_the_inbox_are_moved_aside_and_reported() {
    let (env, _) = started(&[("secret.txt", "[DONE]\nno\n[/DONE]\n")]);
    symlink(env.path("secret.txt"), env.path(&format!("{MAIL}/inbox/1-link.txt"))).unwrap();
    sh(&env, "mkfifo .relaycode/mail/inbox/2-pipe.txt");
    std::fs::write(env.path(&format!("{MAIL}/inbox/3-latin.txt")), b"caf\xe9 [DONE]\n").unwrap();
    sh(&env, "truncate -s 65M .relaycode/mail/inbox/4-large.txt");
    let mut utf16 = vec![0xff, 0xfe];
    utf16.extend("[DONE]\nfrom an old editor\n[/DONE]\n".encode_utf16().flat_map(u16::to_le_bytes));
    std::fs::write(env.path(&format!("{MAIL}/inbox/5-utf16.txt")), utf16).unwrap();
    sh(&env, "cd .relaycode/mail/inbox; for n in 1 2 3 4 5; do touch -h -d \"2020-01-0$n\" $n-*; done");
    for (name, reason) in [
        ("1-link", "symbolic link"),
        ("2-pipe", "not a regular file"),
        ("3-latin", "UTF-8"),
        ("4-large", "more than"),
    ] {
        let run = env.relay(&["mail", "step", "--json"]).run();
        let message = json(&run)["diagnostics"][0]["message"].as_str().unwrap().to_owned();
        assert_eq!((run.code, codes(&json(&run))), (1, vec!["bad-reply".to_owned()]), "{name}: {message}");
        assert!(message.contains(name) && message.contains(reason), "{message}");
    }
    assert_eq!(names(&env, "inbox/refused").len(), 4);
    inbox(&env, "0-empty.txt", "\n");
    sh(&env, "touch -d 2019-01-01 .relaycode/mail/inbox/0-empty.txt");
    let run = env.relay(&["mail", "step", "--json"]).run();
    assert!(json(&run)["diagnostics"][0]["message"].as_str().unwrap().contains("is empty"), "{}", run.stdout);
    let (code, document) = {
        let run = env.relay(&["mail", "step", "--json"]).run();
        (run.code, json(&run))
    };
    assert_eq!(
        (code, &document["session"]["summary"]),
        (0, &Value::from("from an old editor")),
        "{document:#}"
    );
    let run = env.relay(&["mail", "step", "--json"]).run();
    assert_eq!(codes(&json(&run)), ["no-session"]);
}

#[test]
fn wrong_sessions_and_old_answers_are_refused_with_a_hint() {
    let (env, first) = started(&[]);
    let second =
        json(&env.relay(&["mail", "start", "another", "--json"]).success())["session"]["sessionId"].clone();
    let second = second.as_str().unwrap();
    let check = |run: Run, code: &str| {
        assert_eq!((run.code, codes(&json(&run))), (1, vec![code.to_owned()]), "{}", run.stdout);
    };
    let hand_over = |reply: &str, arguments: &[&str]| {
        env.relay(&[&["mail", "step", "-", "--json"], arguments].concat()).stdin(reply).run()
    };
    check(hand_over(CREATE, &[]), "which-session");
    check(env.relay(&["mail", "run", "--json"]).run(), "which-session");
    check(hand_over(&format!("Session: {first}\n{CREATE}"), &["--session", second]), "wrong-session");
    check(hand_over("Session: 00000000\n[DONE]\n[/DONE]\n", &[]), "no-session");
    check(hand_over(&format!("Session: {second}\nSequence: 7\n{CREATE}"), &[]), "out-of-order");
    assert!(!env.exists("src/calc.py"));
    // In the inbox, a file for the other session stays, and Relay does not guess the session of a file that names
    // none.
    inbox(&env, "theirs.txt", &format!("Session: {first}\n{CREATE}"));
    check(env.relay(&["mail", "step", "--session", second, "--json"]).run(), "wrong-session");
    assert_eq!(names(&env, "inbox"), ["theirs.txt"]);
    let run = env.relay(&["mail", "step", "--json"]).run();
    assert_eq!(
        (run.code, json(&run)["session"]["sessionId"].as_str()),
        (0, Some(first.as_str())),
        "{}",
        run.stdout
    );
    check(
        hand_over(&format!("Session: {first}\nSequence: 1\n[READ_FILE path=\"x\"]\n"), &[]),
        "out-of-order",
    );
    let (code, _) =
        step(&env, &format!("Session: {first}\nSequence: 1\n[MESSAGE]\nx\n[/MESSAGE]\n"), &["--again"]);
    assert_eq!(code, 0);
    env.relay(&["mail", "close", second]).success();
    check(hand_over(&format!("Session: {second}\n{CREATE}"), &[]), "session-ended");
    let (code, document) = step(&env, "[DONE]\nyes\n[/DONE]\n", &[]);
    assert_eq!(
        (code, document["session"]["sessionId"].as_str()),
        (0, Some(first.as_str())),
        "the only one open"
    );
}

#[test]
fn the_same_answer_twice_is_recognised() {
    let (env, id) = started(&[]);
    step(&env, CREATE, &[]);
    env.write("src/calc.py", "mine\n");
    let (code, document) = step(&env, &CREATE.replace('\n', "\r\n"), &[]);
    assert_eq!((code, &document["replies"][0]["repeated"]), (0, &Value::from(true)), "{document:#}");
    inbox(&env, "copy.txt", CREATE);
    let run = env.relay(&["mail", "step"]).success();
    assert!(run.stdout.contains("already carried out, as number 1"), "{}", run.stdout);
    assert_eq!(names(&env, "inbox/processed"), [format!("{id}_seq0001_copy.txt")]);
    assert_eq!(
        (env.read("src/calc.py").as_str(), document["session"]["sequenceNumber"].as_u64()),
        ("mine\n", Some(2))
    );
}

#[test]
fn a_killed_run_continues_without_repeating_anything() {
    let (env, id) = started(&[("count.txt", "")]);
    let reply = format!(
        "{CREATE}[RUN_COMMAND]\necho ran >> count.txt; kill -9 $PPID; sleep 1\n[/RUN_COMMAND]\n\
         [EDIT_FILE path=\"src/calc.py\" start_line=\"1\" end_line=\"1\"]\ndef plus(a, b):\n[/EDIT_FILE]\n"
    );
    inbox(&env, "answer.txt", &reply);
    let run = env.relay(&["mail", "step", "--allow-commands"]).run();
    assert_eq!(run.code, 137, "{}{}", run.stdout, run.stderr);
    assert!(env.relay(&["mail", "list"]).success().stdout.contains("unfinished"));
    let run = env.relay(&["mail", "step", "--allow-commands", "--json"]).run();
    assert_eq!(run.code, 3, "{}{}", run.stdout, run.stderr);
    assert_eq!(env.read("count.txt"), "ran\n");
    assert_eq!(env.read("src/calc.py"), "def plus(a, b):\n    return a + b\n");
    assert!(
        results(&env).contains("interrupted; what it did until then is unknown, and it was not run again")
    );
    assert_eq!(names(&env, "inbox/processed"), [format!("{id}_seq0001_answer.txt")]);
}

#[test]
fn ctrl_c_while_waiting_leaves_a_session_that_can_continue() {
    let (env, _) = started(&[]);
    let mut screen = env.pty(&["mail", "run"]);
    screen.expect("waiting for the answer to message 1");
    screen.send("\u{3}");
    assert_eq!(screen.wait(), 130);
    inbox(&env, "a.txt", "[DONE]\nfine\n[/DONE]\n");
    let run = env.relay(&["mail", "run", "--json"]).success();
    assert_eq!(json(&run)["session"]["summary"], "fine", "{}", run.stderr);
}

#[test]
fn a_chosen_folder_works_and_one_the_model_could_write_to_is_refused() {
    let (env, _) = started(&[]);
    let stick = env.home_path("stick");
    let dir = stick.to_str().unwrap();
    let run = env.relay(&["mail", "start", "x", "--dir", dir, "--json"]).run();
    assert_eq!(
        (run.code, codes(&json(&run))),
        (1, vec!["mail-folder".to_owned()]),
        "a stick that is not there"
    );
    assert!(!stick.exists());
    std::fs::create_dir(&stick).unwrap();
    let id =
        json(&env.relay(&["mail", "start", "x", "--dir", dir, "--json"]).success())["session"]["sessionId"]
            .as_str()
            .unwrap()
            .to_owned();
    assert!(stick.join(format!("outbox/{id}_seq0001.txt")).exists());
    std::fs::write(stick.join("inbox/a.txt"), CREATE).unwrap();
    env.relay(&["mail", "--dir", dir, "step"]).success();
    assert!(env.exists("src/calc.py") && stick.join("inbox/processed").exists());
    let listed = json(&env.relay(&["mail", "list", "--json", "--dir", dir]).success());
    assert_eq!(listed.as_array().unwrap().len(), 1, "the project's own mailbox is another one");
    // The stick may be pulled out and put back while the run waits.
    let away = env.home_path("away");
    let mut screen = env.pty(&["mail", "--dir", dir, "run"]);
    screen.expect("save the whole answer");
    std::fs::rename(&stick, &away).unwrap();
    // Longer than the interval at which the run checks whether its session is still open.
    std::thread::sleep(Duration::from_millis(3500));
    std::fs::write(away.join("inbox/z.txt"), "[DONE]\nback\n[/DONE]\n").unwrap();
    std::fs::rename(&away, &stick).unwrap();
    assert_eq!(screen.wait(), 0, "{}", screen.text());
    std::fs::create_dir(env.path("inside")).unwrap();
    let run = env.relay(&["mail", "start", "x", "--dir", "inside", "--json"]).run();
    assert_eq!((run.code, codes(&json(&run))), (2, vec!["mail-folder".to_owned()]));
}

#[test]
fn a_session_from_the_repository_is_not_trusted_until_adopted() {
    let env = project(PLAIN);
    let planted = r#"{"sessionId": "deadbeef", "task": "steal", "sequenceNumber": 4, "isComplete": false,
        "createdAt": "2025-01-15T10:30:00Z", "updatedAt": "2025-01-15T10:35:00Z", "lastResults": [], "readFileRequests": ["a.txt"]}"#;
    env.write(&format!("{MAIL}/sessions/deadbeef.json"), planted);
    env.write("a.txt", "text\n");
    let run = env.relay(&["mail", "run", "--json"]).run();
    assert_eq!(codes(&json(&run)), ["no-session"], "{}", run.stdout);
    assert!(env.relay(&["mail", "list"]).success().stdout.contains("elsewhere"));
    let document = json(&env.relay(&["mail", "resume", "dead", "--json"]).success());
    assert_eq!(document["session"]["sequenceNumber"], 5);
    let text = env.read(&format!("{MAIL}/outbox/deadbeef_seq0005.txt"));
    assert!(text.contains("--- a.txt ---\n1| text\n"), "{text}");
}

#[test]
fn resume_adds_words_and_close_ends() {
    let (env, id) = started(&[]);
    step(&env, "[DONE]\nreally\n[/DONE]\n", &[]);
    let run = env.relay(&["mail", "resume", &id, "Also", "add tests."]).success();
    assert!(run.stdout.contains("message 2"), "{}", run.stdout);
    let text = env.read(&format!("{MAIL}/outbox/{id}_seq0002.txt"));
    assert!(text.ends_with("send [DONE] with a summary.\n\nAlso add tests.\n"), "{text}");
    env.relay(&["mail", "resume", &id]).success();
    assert_eq!(names(&env, "outbox").len(), 2, "an open session keeps its message");
    assert!(env.relay(&["mail", "show"]).success().stdout.contains("Make it better"));
    let run = env.relay(&["mail", "close"]).success();
    assert!(run.stdout.contains("is closed"), "{}", run.stdout);
    let run = env.relay(&["mail", "run", "--session", &id, "--json"]).run();
    assert_eq!((run.code, codes(&json(&run))), (1, vec!["session-ended".to_owned()]));
    let run = env.relay(&["mail", "start", " ", "--json"]).run();
    assert_eq!((run.code, codes(&json(&run))), (2, vec!["no-task".to_owned()]));
}

#[test]
fn data_of_a_session_that_ended_long_ago_is_deleted() {
    let (env, id) = started(&[]);
    let gc = |arguments: &[&str]| {
        json(&env.relay(&[&["gc", "--json"], arguments].concat()).success())["mailSessions"].clone()
    };
    assert_eq!(gc(&["--older-than", "0s"]), 0, "an open session is never forgotten");
    step(&env, "[DONE]\nreally\n[/DONE]\n", &[]);
    assert_eq!(gc(&[]), 0, "it is young");
    assert_eq!(gc(&["--older-than", "0s", "--dry-run"]), 1);
    assert_eq!(gc(&["--older-than", "0s"]), 1);
    assert_eq!(gc(&["--older-than", "0s"]), 0);
    assert!(env.relay(&["mail", "list"]).success().stdout.contains("elsewhere"));
    let run = env.relay(&["mail", "resume", &id, "More."]).success();
    assert!(run.stdout.contains("message 2"), "its file lets it be opened again: {}", run.stdout);
}

#[test]
fn checks_and_approval_apply_to_each_command() {
    let env = project(r#"{"projectId": "shop", "postCommand": "! grep -rq broken src"}"#);
    env.relay(&["mail", "start", "x"]).success();
    let good = "[CREATE_FILE path=\"src/good.txt\"]\nfine\n[/CREATE_FILE]\n";
    let run = env.relay(&["mail", "step", "-", "--json"]).stdin(good).run();
    assert_eq!(
        (run.code, codes(&json(&run))),
        (1, vec!["untrusted-commands".to_owned()]),
        "nothing is used up"
    );
    let bad = format!("{good}[CREATE_FILE path=\"src/bad.txt\"]\nbroken\n[/CREATE_FILE]\n");
    let (code, document) = step(&env, &bad, &["--trust"]);
    assert_eq!(code, 3, "{document:#}");
    assert!(env.exists("src/good.txt") && !env.exists("src/bad.txt"));
    assert!(
        results(&env).contains("[FAILED] CREATE_FILE: 'src/bad.txt' was not changed: postCommand"),
        "{}",
        results(&env)
    );
    let asks = project(r#"{"projectId": "shop", "approval": "no"}"#);
    asks.relay(&["mail", "start", "x"]).success();
    let run = asks.relay(&["mail", "step", "-", "--json"]).stdin(good).run();
    assert_eq!(codes(&json(&run)), ["approval-required"]);
    assert_eq!(step(&asks, good, &["--yes"]).0, 0);
    let workflow = "[CREATE_FILE path=\".github/workflows/ci.yml\"]\nx\n[/CREATE_FILE]\n";
    assert_eq!(step(&asks, workflow, &["--yes"]).0, 3);
    assert!(results(&asks).contains(".github/workflows/ci.yml"), "{}", results(&asks));
    assert!(!asks.exists(".github"));
}

#[test]
fn the_clipboard_carries_messages_out_and_answers_in() {
    let (env, id) = started(&[]);
    let display = testkit::XDisplay::start();
    let running = env.relay(&["mail", "run", "--copy"]).env("DISPLAY", display.name()).spawn();
    let paste =
        || env.shell(&format!("DISPLAY={} timeout 5 xclip -selection clipboard -o", display.name())).stdout;
    let copy = |text: &str| {
        env.write("answer", text);
        sh(&env, &format!("DISPLAY={} xclip -selection clipboard -i answer >/dev/null 2>&1", display.name()));
    };
    let wait = |number: u32| {
        wait_for(&format!("message {number}"), || paste().contains(&format!("Sequence: {number}\n")));
    };
    wait(1);
    // Commands that name no session are refused if there is no one to ask.
    copy("[CREATE_FILE path=\"stray.txt\"]\nx\n[/CREATE_FILE]\n");
    std::thread::sleep(Duration::from_millis(700));
    copy(&format!("Session: {id}\nSequence: 1\n{CREATE}"));
    wait(2);
    copy(&format!("Session: {id}\nSequence: 2\n[DONE]\nby clipboard\n[/DONE]\n"));
    let run = running.wait();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("by clipboard") && env.exists("src/calc.py") && !env.exists("stray.txt"));
}

#[test]
fn an_answer_is_taken_from_the_clipboard_and_secrets_are_counted() {
    let token = ["ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let (env, _) = started(&[("c.py", &format!("T = '{token}'\n"))]);
    let display = testkit::XDisplay::start();
    env.write("answer", "[READ_FILE path=\"c.py\"]\n");
    sh(&env, &format!("DISPLAY={} xclip -selection clipboard -i answer >/dev/null 2>&1", display.name()));
    let run = env.relay(&["mail", "step", "--paste"]).env("DISPLAY", display.name()).success();
    assert!(run.stdout.contains("Read 'c.py'") && run.stdout.contains("1 secret masked"), "{}", run.stdout);
    assert!(!env.relay(&["mail", "show", "--outbox"]).success().stdout.contains(&token));
    let run = env.relay(&["mail", "step", "--paste"]).run();
    assert!(run.code == 1 && run.stderr.contains("save it to a file"), "{}", run.stderr);
}

#[test]
fn a_hanging_command_is_stopped_with_everything_it_started() {
    if std::env::var_os("RELAY_LONG_TESTS").is_none_or(|value| value != "yes") {
        return;
    }
    let (env, _) = started(&[]);
    let reply = "[RUN_COMMAND]\necho begun; (sleep 100; touch late.txt) & sleep 100\n[/RUN_COMMAND]\n";
    let (code, _) = step(&env, reply, &["--allow-commands"]);
    assert_eq!(code, 3);
    let expected = "[FAILED] RUN_COMMAND: Command 'echo begun; (sleep 100; touch late.txt) & sleep 100' \
                    timed out after 30 seconds and was stopped\n  Output: begun";
    assert_eq!(results(&env), expected);
}

#[test]
fn a_run_that_is_killed_at_any_time_carries_out_each_command_once() {
    let kills: u64 = std::env::var("RELAY_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(6);
    let commands: String =
        (0..4).map(|n| format!("[CREATE_FILE path=\"new{n}.txt\"]\nmade {n}\n[/CREATE_FILE]\n")).collect();
    let edit = "[EDIT_FILE path=\"a.txt\" start_line=\"1\" end_line=\"1\"]\none\ntwo\n[/EDIT_FILE]\n";
    for n in 0..kills {
        let (env, id) = started(&[("a.txt", "1\n")]);
        inbox(&env, "answer.txt", "[READ_FILE path=\"a.txt\"]\n");
        env.relay(&["mail", "step"]).success();
        inbox(&env, "answer.txt", &format!("{commands}{edit}"));
        let running = env.relay(&["mail", "step"]).spawn();
        // Spread over its lifetime: from before it starts until after it is done.
        std::thread::sleep(Duration::from_millis(n * 37 % 300));
        running.signal("KILL");
        drop(running.wait());
        let run = env.relay(&["mail", "step", "--json"]).run();
        let context = format!("kill {n}: {}{}", run.stdout, run.stderr);
        for n in 0..4 {
            assert_eq!(env.read(&format!("new{n}.txt")), format!("made {n}\n"), "{context}");
        }
        assert_eq!(env.read("a.txt"), "one\ntwo\n", "{context}");
        let log = json(&env.relay(&["log", "--json"]).success());
        assert_eq!(log.as_array().unwrap().len(), 5, "{context}");
        assert_eq!(names(&env, "inbox/processed").len(), 2, "{context}");
        assert!(env.exists(&format!("{MAIL}/outbox/{id}_seq0003.txt")), "{context}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn processes_that_a_command_leaves_running_are_stopped_and_named() {
    let (env, _) = started(&[]);
    let reply = "[RUN_COMMAND]\nsetsid sh -c 'echo $$ > ../home/pid; sleep 300' </dev/null >/dev/null 2>&1 &\n\
        while [ ! -s ../home/pid ]; do sleep 0.01; done\n[/RUN_COMMAND]\n";
    let (code, document) = step(&env, reply, &["--allow-commands"]);
    assert_eq!(code, 0, "{document:#}");
    assert!(document.to_string().contains("RUN_COMMAND left something running"), "{document:#}");
    assert!(!env.is_running("../home/pid"));
}
