//! Ctrl-C at any point rolls back; so does being killed.

use crate::{PLAIN, project, reply, uuid, wait_for};

#[test]
fn ctrl_c_while_a_check_runs_rolls_back_and_ends_the_check() {
    let env = project(r#"{"projectId": "shop", "postCommand": "touch started; sleep 60; touch finished"}"#);
    env.write("a.txt", "old\n");
    env.write("reply.md", &reply(1, "a.txt", "new"));
    let mut screen = env.pty(&["apply", "--trust", "reply.md"]);
    wait_for("the check starts", || env.exists("started"));
    assert_eq!(env.read("a.txt"), "new\n");
    screen.send("\u{3}");
    screen.expect("interrupted");
    assert_eq!(screen.wait(), 130);
    assert_eq!(env.read("a.txt"), "old\n");
    assert!(!env.exists(&format!(".relaycode/{}.pending.yml", uuid(1))));
}

#[test]
fn ctrl_c_at_the_question_rolls_back() {
    let env = project(r#"{"projectId": "shop", "approval": "no"}"#);
    env.write("reply.md", &reply(1, "a.txt", "new"));
    let mut screen = env.pty(&["apply", "reply.md"]);
    screen.expect("keep this change?");
    screen.send("\u{3}");
    assert_eq!(screen.wait(), 130);
    assert!(!env.exists("a.txt"));
}

#[test]
fn a_terminate_signal_rolls_back_too() {
    let env = project(r#"{"projectId": "shop", "postCommand": "touch started; sleep 60"}"#);
    let child = env.relay(&["apply", "--trust"]).stdin(&reply(1, "a.txt", "new")).spawn();
    wait_for("the check starts", || env.exists("started"));
    child.signal("TERM");
    let run = child.wait();
    assert_eq!(run.code, 130, "{}", run.stderr);
    assert!(!env.exists("a.txt"));
}

#[test]
fn a_killed_transaction_is_rolled_back_by_the_next_command() {
    let env = project(r#"{"projectId": "shop", "postCommand": "touch started; sleep 60"}"#);
    env.write("a.txt", "old\n");
    env.write("gone.txt", "bye\n");
    let text = reply(1, "a.txt", "new").replace(
        "```yaml",
        "```text // {gone.txt}\n//TODO: delete this file\n```\n\n```text // {made/b.txt}\nb\n```\n\n```yaml",
    );
    let child = env.relay(&["apply", "--trust"]).stdin(&text).spawn();
    wait_for("the check starts", || env.exists("started"));
    child.signal("KILL");
    assert_eq!(child.wait().code, 128 + 9);
    assert_eq!(env.read("a.txt"), "new\n", "killed in the middle");
    assert!(env.exists(&format!(".relaycode/{}.pending.yml", uuid(1))));

    let run = env.relay(&["log"]).run();
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("recovered"), "one line says so: {}", run.stderr);
    assert_eq!((env.read("a.txt").as_str(), env.read("gone.txt").as_str()), ("old\n", "bye\n"));
    assert!(!env.exists("made"));
    assert!(!env.exists(&format!(".relaycode/{}.pending.yml", uuid(1))));
    let run = env.relay(&["recover"]).run();
    assert!(run.stdout.contains("nothing to recover"), "{}", run.stdout);
}

#[test]
fn whichever_command_recovers_says_so_beside_its_answer() {
    let env = project(r#"{"projectId": "shop", "postCommand": "kill -9 $PPID"}"#);
    env.write("a.txt", "old\n");
    for command in
        [["log", "--json"].as_slice(), &["blame", "a.txt"], &["read", "a.txt"], &["mail", "list", "--json"]]
    {
        assert_eq!(env.relay(&["apply", "--trust"]).stdin(&reply(1, "a.txt", "new")).run().code, 128 + 9);
        let run = env.relay(command).success();
        assert!(run.stderr.contains("its 1 file(s) are as they were before"), "{command:?}: {}", run.stderr);
        assert!(!run.stdout.contains("recovered"), "{command:?}: {}", run.stdout);
        assert_eq!(env.relay(command).success().stderr.matches("recovered").count(), 0, "it is said once");
    }
    assert_eq!(env.read("a.txt"), "old\n");
}

#[test]
fn a_waiting_transaction_is_not_recovered_by_another_process() {
    let env = project(
        r#"{"projectId": "shop", "postCommand": "touch started; while [ ! -e go ]; do sleep 0.05; done"}"#,
    );
    let child = env.relay(&["apply", "--trust"]).stdin(&reply(1, "a.txt", "new")).spawn();
    wait_for("the check starts", || env.exists("started"));
    assert!(env.relay(&["recover"]).run().stdout.contains("nothing to recover"));
    assert_eq!(env.read("a.txt"), "new\n");
    env.write("go", "");
    assert_eq!(child.wait().code, 0);
    assert_eq!(env.read("a.txt"), "new\n");
}

#[test]
fn a_closed_pipe_does_not_crash() {
    let env = project(PLAIN);
    for number in 1..=30 {
        crate::apply(&env, &reply(number, &format!("f{number}.txt"), "x"), &[]);
    }
    let run =
        env.shell("\"$RELAY\" log | head -n 1; \"$RELAY\" --help | head -n 1; \"$RELAY\" prompt | head -n 1");
    assert_eq!(run.code, 0);
    assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
}
