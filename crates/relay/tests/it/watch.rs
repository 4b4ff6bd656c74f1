//! `relay watch`: a real X clipboard, a real terminal, files and pipes.

use testkit::{Running, Screen, TestEnv, XDisplay};

use crate::{PLAIN, project, reply, uuid, wait_for};

const ASKS: &str = r#"{"projectId": "shop", "approval": "no"}"#;

/// A project and a display with a clipboard that other programs use.
struct Desk {
    env: TestEnv,
    display: XDisplay,
}

impl Desk {
    fn new(config: &str) -> Self {
        Self { env: project(config), display: XDisplay::start() }
    }

    /// Another program copies this text, and holds it until the next one does.
    fn copy(&self, text: &str) {
        let file = self.env.home_path("copied.txt");
        std::fs::write(&file, text).unwrap();
        self.shell(&format!("xclip -selection clipboard -i '{}' >/dev/null 2>&1", file.display()));
    }

    /// Another program copies this text and holds it only until it has been read.
    fn copy_until_taken(&self, text: &str) {
        let file = self.env.home_path("copied.txt");
        std::fs::write(&file, text).unwrap();
        self.shell(&format!(
            "xclip -quiet -loops 1 -selection clipboard -i '{}' >/dev/null 2>&1",
            file.display()
        ));
    }

    fn shell(&self, script: &str) -> String {
        let run = self.env.shell(&format!("export DISPLAY={}; {script}", self.display.name()));
        assert_eq!(run.code, 0, "{script}: {}", run.stderr);
        run.stdout
    }

    /// The watcher in a terminal, once it is ready.
    fn watch(&self, arguments: &str) -> Screen {
        let script = format!("DISPLAY={} exec \"$RELAY\" watch {arguments}", self.display.name());
        let mut screen = self.env.pty_shell(&script);
        screen.expect("waiting");
        screen
    }

    fn quit(screen: &mut Screen) {
        screen.send("q");
        assert_eq!(screen.wait(), 0);
    }

    fn check_file(&self, path: &str, content: &str) {
        assert_eq!(self.env.read(path), format!("{content}\n"), "{path}");
    }
}

#[test]
fn a_reply_copied_by_another_program_lands_once() {
    let desk = Desk::new(PLAIN);
    desk.copy(&reply(1, "before.txt", "old news"));
    let mut screen = desk.watch("");
    desk.copy("hunter2");
    desk.copy(&reply(2, "a.txt", "new"));
    screen.expect("found a reply");
    screen.expect("landed");
    screen.expect("1 landed");
    assert_eq!(desk.env.read("a.txt"), "new\n");
    desk.env.write("a.txt", "changed since\n");
    // Another reply in between, so that a quick repetition of the first does not count as its echo.
    desk.copy(&reply(3, "b.txt", "other"));
    screen.expect("2 landed");
    desk.copy(&reply(2, "a.txt", "new"));
    screen.expect("seen before");
    Desk::quit(&mut screen);
    assert_eq!(desk.env.read("a.txt"), "changed since\n");
    assert!(!desk.env.exists("before.txt"), "what was there before is left alone");
    assert!(!screen.text().contains("hunter2"));
}

#[test]
fn existing_clipboard_content_lands_with_now() {
    let desk = Desk::new(PLAIN);
    desk.copy(&reply(1, "a.txt", "new"));
    let mut screen = desk.watch("--now");
    screen.expect("1 landed");
    desk.check_file("a.txt", "new");
    Desk::quit(&mut screen);
}

#[test]
fn three_replies_copied_quickly_land_in_order() {
    let desk = Desk::new(r#"{"projectId": "shop", "postCommand": "cat a.txt >> order; sleep 0.3"}"#);
    let mut screen = desk.watch("--trust");
    for number in 1..=3 {
        desk.copy_until_taken(&reply(number, "a.txt", &number.to_string()));
    }
    screen.expect("3 landed");
    Desk::quit(&mut screen);
    assert_eq!(desk.env.read("order"), "1\n2\n3\n");
}

#[test]
fn junk_images_and_huge_texts_are_skipped() {
    let desk = Desk::new(PLAIN);
    let mut screen = desk.watch("");
    desk.shell("head -c 300000 /dev/urandom | xclip -selection clipboard >/dev/null 2>&1");
    desk.shell("head -c 5000 /dev/urandom | xclip -selection clipboard -t image/png >/dev/null 2>&1");
    desk.shell("yes 'projectId: shop' | head -c 50000000 | xclip -selection clipboard >/dev/null 2>&1");
    screen.expect("ignored a text of more than 10 MB");
    desk.copy(&reply(1, "a.txt", "new"));
    screen.expect("1 landed");
    desk.check_file("a.txt", "new");
    Desk::quit(&mut screen);
}

#[test]
fn the_keys_answer_show_and_undo() {
    let desk = Desk::new(ASKS);
    let mut screen = desk.watch("");
    desk.copy(&reply(1, "a.txt", "new"));
    screen.expect("+ new");
    screen.expect("keep this change?");
    screen.send("s");
    screen.expect("+ new");
    screen.send("n");
    screen.expect("rolled back");
    assert!(!desk.env.exists("a.txt"));
    screen.expect("1 refused");
    screen.send("a");
    screen.expect("keep this change?");
    screen.send("y");
    screen.expect("1 landed");
    assert_eq!(desk.env.read("a.txt"), "new\n");
    screen.send("l");
    screen.expect("committed");
    screen.expect("waiting");
    screen.send("u");
    screen.expect("keep this change?");
    screen.send("y");
    screen.expect("undone");
    assert!(!desk.env.exists("a.txt"));
    screen.send("?");
    screen.expect("undo the last reply");
    Desk::quit(&mut screen);
}

#[test]
fn typed_ahead_or_pasted_text_answers_nothing() {
    let check = "touch started; while [ ! -e go ]; do sleep 0.05; done";
    let config = serde_json::json!({"projectId": "shop", "approval": "no", "postCommand": check});
    let desk = Desk::new(&config.to_string());
    let mut screen = desk.watch("--trust");
    desk.copy(&reply(1, "a.txt", "new"));
    wait_for("the check starts", || desk.env.exists("started"));
    for _ in 0..3 {
        screen.send("y");
    }
    desk.env.write("go", "");
    screen.expect("keep this change?");
    screen.send("yes please\n");
    screen.send("\u{1b}[A");
    // A key that arrives together with pasted text counts as pasted too.
    wait_for("the answer is taken", || {
        screen.send("n");
        std::thread::sleep(std::time::Duration::from_millis(100));
        !desk.env.exists(&format!(".relaycode/{}.pending.yml", uuid(1)))
    });
    screen.expect("rolled back");
    screen.expect("waiting");
    assert_eq!(screen.send_until_end("q"), 0);
    assert!(!desk.env.exists("a.txt"));
}

#[test]
fn a_pause_leaves_the_clipboard_alone() {
    let desk = Desk::new(PLAIN);
    let mut screen = desk.watch("");
    screen.send("p");
    screen.expect("paused");
    for (number, path) in [(1, "a.txt"), (2, "b.txt")] {
        desk.copy(&reply(number, path, "new"));
        screen.expect("paused: ignored a reply");
    }
    screen.send("p");
    screen.expect("waiting");
    desk.copy(&reply(3, "c.txt", "new"));
    screen.expect("1 landed");
    desk.check_file("c.txt", "new");
    Desk::quit(&mut screen);
    assert!(!desk.env.exists("a.txt") && !desk.env.exists("b.txt"));
}

/// Two files, of which one does not fit.
fn half_wrong() -> String {
    format!(
        "```text // {{a.txt}} multi-search-replace\n<<<<<<< SEARCH\nthirty\n=======\n3\n>>>>>>> REPLACE\n```\n\n\
         ```text // {{b.txt}}\nnew\n```\n\n```yaml\nprojectId: shop\nuuid: {}\n```\n",
        uuid(1)
    )
}

fn answer() -> String {
    half_wrong().replace("thirty", "three").replace("```text // {b.txt}\nnew\n```\n\n", "")
}

#[test]
fn a_refused_reply_is_repaired_through_the_clipboard() {
    for config in [PLAIN, r#"{"projectId": "shop", "repairToClipboard": true}"#] {
        let desk = Desk::new(config);
        desk.env.write("a.txt", "one\nthree\n");
        let mut screen = desk.watch("");
        desk.copy(&half_wrong());
        screen.expect("refused");
        if config == PLAIN {
            screen.expect("waiting");
            screen.send("r");
        }
        screen.expect("on the clipboard");
        let prompt = desk.shell("xclip -selection clipboard -o");
        assert!(prompt.contains("could not be applied") && prompt.contains(&uuid(1)), "{prompt}");
        desk.copy(&answer());
        screen.expect("1 landed");
        desk.check_file("b.txt", "new");
        Desk::quit(&mut screen);
        assert_eq!(desk.env.read("a.txt"), "one\n3\n");
        assert_eq!(screen.text().matches("found a reply").count(), 2, "its own text is not a reply");
    }
}

#[test]
fn instructions_for_the_model_are_not_landed() {
    let desk = Desk::new(PLAIN);
    let mut screen = desk.watch("");
    desk.shell("\"$RELAY\" prompt --copy");
    desk.copy(&reply(1, "a.txt", "new"));
    screen.expect("1 landed");
    desk.check_file("a.txt", "new");
    Desk::quit(&mut screen);
    assert_eq!(screen.text().matches("found a reply").count(), 1);
}

#[test]
fn a_changed_config_is_used_at_once() {
    let desk = Desk::new(r#"{"projectId": "shop", "clipboardPollInterval": 50}"#);
    let mut screen = desk.watch("");
    desk.env.write("relaycode.config.json", r#"{"projectId": "shop", "approval": "maybe"}"#);
    screen.expect("`approval` must be");
    desk.env.write("relaycode.config.json", ASKS);
    screen.expect("the config has changed");
    desk.copy(&reply(1, "a.txt", "new"));
    screen.expect("keep this change?");
    screen.send("y");
    screen.expect("landed");
    Desk::quit(&mut screen);
}

#[test]
fn ctrl_c_while_a_check_runs_rolls_back_and_gives_the_terminal_back() {
    let desk = Desk::new(r#"{"projectId": "shop", "postCommand": "touch started; sleep 60"}"#);
    desk.env.write("a.txt", "old\n");
    let script = format!(
        "trap : INT; DISPLAY={} \"$RELAY\" watch --trust; echo code $?; stty -a",
        desk.display.name()
    );
    let mut screen = desk.env.pty_shell(&script);
    screen.expect("waiting");
    desk.copy(&reply(1, "a.txt", "new"));
    wait_for("the check starts", || desk.env.exists("started"));
    assert_eq!(desk.env.read("a.txt"), "new\n");
    screen.send("\u{3}");
    screen.expect("interrupted");
    screen.expect("code 130");
    screen.expect(" icanon");
    screen.expect(" echo ");
    screen.wait();
    assert_eq!(desk.env.read("a.txt"), "old\n");
    assert!(!desk.env.exists(&format!(".relaycode/{}.pending.yml", uuid(1))));
}

#[test]
fn with_any_every_text_with_edits_is_asked_about() {
    let desk = Desk::new(PLAIN);
    let bare = "```text // {a.txt}\nnew\n```\n";
    let mut screen = desk.watch("--any");
    desk.copy(bare);
    screen.expect("each change needs your approval");
    screen.expect("keep this change?");
    screen.send("y");
    screen.expect("landed");
    Desk::quit(&mut screen);
    let run = desk.env.relay(&["watch", "--any", "--yes", "-"]).stdin(bare).run();
    assert_eq!(run.code, 2, "{}", run.stderr);
    let run = desk.env.relay(&["watch", "--any", "-"]).stdin("```text // {b.txt}\nnew\n```\n").run();
    assert!(run.code == 1 && run.stdout.contains("approval"), "{}{}", run.stdout, run.stderr);
    assert!(!desk.env.exists("b.txt"));
}

#[test]
fn without_a_config_or_a_clipboard_it_says_what_to_do() {
    let run = crate::env().relay(&["watch"]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("no-config") && run.stderr.contains("relay init"), "{}", run.stderr);
    let run = project(PLAIN).relay(&["watch"]).run();
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("no clipboard") && run.stderr.contains("--file"), "{}", run.stderr);
    let run = project(PLAIN).relay(&["watch"]).env("DISPLAY", ":4711").run();
    assert!(run.code == 1 && run.stderr.contains("no clipboard"), "{}", run.stderr);
}

#[test]
fn json_output_has_a_line_even_if_nothing_can_be_watched() {
    for (env, code) in [(project(PLAIN), 1), (crate::env(), 2)] {
        let run = env.relay(&["watch", "--json"]).run();
        assert_eq!((run.code, run.stdout.lines().count()), (code, 1), "{}", run.stdout);
        let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(document["status"], "rejected");
    }
}

#[test]
fn standard_input_carries_replies_with_a_nul_between_them() {
    let env = project(PLAIN);
    let input = format!("{}\0junk\0{}", reply(1, "a.txt", "one"), reply(2, "b.txt", "two"));
    let run = env.relay(&["watch", "-", "--json"]).stdin(&input).run();
    assert_eq!(run.code, 1, "not everything landed: {}", run.stderr);
    let documents: Vec<serde_json::Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(documents.len(), 3, "{documents:#?}");
    let landed = documents.iter().filter(|document| document["status"] == "committed");
    let landed: Vec<_> = landed.map(|document| document["uuid"].as_str().unwrap_or_default()).collect();
    assert_eq!(landed, [uuid(1), uuid(2)]);
    let left = documents.iter().find(|document| document["status"] == "rejected").unwrap();
    assert_eq!(crate::codes(left), ["left-alone"]);
    assert_eq!((env.read("a.txt").as_str(), env.read("b.txt").as_str()), ("one\n", "two\n"));
    assert_eq!(env.relay(&["log", "--json"]).run().stdout.matches("\"watch\"").count(), 2);
    let run = env.relay(&["watch", "-"]).stdin(&half_wrong()).run();
    assert!(run.code == 1 && run.stdout.contains("refused"), "{}{}", run.stdout, run.stderr);
}

#[test]
fn two_hundred_replies_on_standard_input_all_land() {
    let env = project(PLAIN);
    let all: Vec<String> =
        (1..=200).map(|number| reply(number, &format!("{number}.txt"), &number.to_string())).collect();
    let run = env.relay(&["watch", "-", "--json"]).stdin(&all.join("\0")).run();
    assert_eq!((run.code, run.stdout.lines().count()), (0, 200), "{}", run.stderr);
    for number in 1..=200 {
        assert_eq!(env.read(&format!("{number}.txt")), format!("{number}\n"));
    }
}

#[test]
fn the_same_reply_twice_on_standard_input_lands_once_and_is_reported_twice() {
    let env = project(PLAIN);
    let once = reply(1, "a.txt", "new");
    let run = env.relay(&["watch", "-", "--json"]).stdin(&format!("{once}\0{once}")).run();
    assert_eq!((run.code, run.stdout.lines().count()), (0, 2), "{}", run.stderr);
    assert!(run.stdout.contains("already_processed"), "{}", run.stdout);
}

#[test]
fn a_chat_reply_without_a_control_block_gets_a_line_that_says_how_to_land_it() {
    let desk = Desk::new(PLAIN);
    let mut screen = desk.watch("");
    desk.copy("Sure, here it is:\n\n```text // {a.txt}\nnew\n```\n");
    screen.expect("ignored a reply without a control block: it changes `a.txt`");
    Desk::quit(&mut screen);
    assert!(screen.text().contains("relay watch --any"), "{}", screen.text());
    assert!(!desk.env.exists("a.txt"));
}

#[test]
fn partial_and_context_work_as_with_apply() {
    let env = project(PLAIN);
    env.write("a.txt", "one\nthree\n");
    let run = env.relay(&["watch", "-", "--partial"]).stdin(&half_wrong()).run();
    assert_eq!(run.code, 3, "{}{}", run.stdout, run.stderr);
    assert_eq!((env.read("a.txt").as_str(), env.read("b.txt").as_str()), ("one\nthree\n", "new\n"));
    env.write("c.txt", "old\n");
    let unseen = reply(7, "c.txt", "new");
    env.relay(&["watch", "-", "--context", "a.txt", "--json"]).stdin(&unseen).run();
    assert_eq!(env.read("c.txt"), "old\n", "the model has not seen it");
    env.relay(&["watch", "-", "--context", "a.txt,c.txt"]).stdin(&reply(8, "c.txt", "new")).success();
    assert_eq!(env.read("c.txt"), "new\n");
}

#[test]
fn without_a_terminal_replies_that_need_a_person_are_refused() {
    let env = project(ASKS);
    let run = env.relay(&["watch", "-"]).stdin(&reply(1, "a.txt", "new")).run();
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("approval-required") && run.stdout.contains("--yes"), "{}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}') && !run.stderr.contains('\u{1b}'), "plain lines");
    assert!(!env.exists("a.txt"));
    env.relay(&["watch", "-", "--yes"]).stdin(&reply(1, "a.txt", "new")).success();
    assert_eq!(env.read("a.txt"), "new\n");
}

#[test]
fn a_piped_watcher_lands_from_the_clipboard_and_ends_with_a_signal() {
    let desk = Desk::new(PLAIN);
    let watcher: Running = desk.env.relay(&["watch", "--json"]).env("DISPLAY", desk.display.name()).spawn();
    // The watcher ignores text copied before it is ready, so replies are copied until it accepts one.
    let mut number = 0;
    wait_for("a reply lands", || {
        number += 1;
        desk.copy(&reply(number, "a.txt", "new"));
        std::thread::sleep(std::time::Duration::from_millis(200));
        desk.env.relay(&["log", "--json"]).run().stdout.contains("committed")
    });
    watcher.signal("TERM");
    let run = watcher.wait();
    assert_eq!(run.code, 130, "{}", run.stderr);
    assert!(run.stdout.contains("committed"), "{}", run.stdout);
}

#[test]
fn a_file_is_read_whenever_it_changes() {
    let env = project(r#"{"projectId": "shop", "clipboardPollInterval": 50}"#);
    env.write("replies.md", &reply(1, "a.txt", "old news"));
    let mut screen = env.pty(&["watch", "--file", "replies.md"]);
    screen.expect("watching replies.md");
    screen.expect("waiting");
    env.write("replies.md", &reply(2, "b.txt", "new"));
    screen.expect("1 landed");
    std::fs::remove_file(env.path("replies.md")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(120));
    env.write("replies.md", &reply(3, "c.txt", "new"));
    screen.expect("2 landed");
    Desk::quit(&mut screen);
    assert!(!env.exists("a.txt") && env.exists("b.txt") && env.exists("c.txt"));
}

#[test]
fn a_named_pipe_takes_one_reply_from_each_writer() {
    let env = project(PLAIN);
    assert_eq!(env.shell("mkfifo ../home/pipe").code, 0);
    let mut screen = env.pty(&["watch", "--file", "../home/pipe"]);
    screen.expect("waiting");
    for number in 1..=2 {
        std::fs::write(env.home_path("pipe"), reply(number, &format!("{number}.txt"), "new")).unwrap();
        screen.expect(&format!("{number} landed"));
    }
    Desk::quit(&mut screen);
    assert!(env.exists("1.txt") && env.exists("2.txt"));
}

#[test]
fn a_hanging_clipboard_owner_does_not_hang_the_watcher() {
    let desk = Desk::new(PLAIN);
    let file = desk.env.home_path("copied.txt");
    std::fs::write(&file, reply(1, "a.txt", "new")).unwrap();
    // Stopped while it owns the clipboard, it does not answer.
    let owner =
        format!("xclip -quiet -selection clipboard -i '{}' >/dev/null 2>&1 & echo $!", file.display());
    let owner = desk.shell(&owner);
    wait_for("the clipboard is taken", || {
        let targets = "xclip -selection clipboard -o -t TARGETS 2>/dev/null || true";
        desk.shell(targets).contains("UTF8_STRING")
    });
    desk.shell(&format!("kill -STOP {owner}"));
    let mut screen = desk.watch("--now");
    desk.copy(&reply(2, "b.txt", "new"));
    screen.expect("1 landed");
    Desk::quit(&mut screen);
    desk.shell(&format!("kill -KILL {owner}"));
    assert!(!desk.env.exists("a.txt") && desk.env.exists("b.txt"));
}

#[test]
fn two_watchers_land_a_reply_once() {
    let desk = Desk::new(r#"{"projectId": "shop", "postCommand": "echo ran >> ran; sleep 0.2"}"#);
    let mut first = desk.watch("--trust");
    let mut second = desk.watch("--trust");
    assert!(!first.text().contains("already-watched"), "{}", first.text());
    assert!(second.text().contains("already-watched"), "{}", second.text());
    desk.copy(&reply(1, "a.txt", "new"));
    first.expect("✓");
    second.expect("✓");
    first.expect("waiting");
    second.expect("waiting");
    Desk::quit(&mut first);
    Desk::quit(&mut second);
    assert_eq!(desk.env.read("ran"), "ran\n");
    let both = first.text() + &second.text();
    assert_eq!(both.matches("✓ landed").count(), 1, "{both}");
    assert!(both.contains("nothing to do"), "{both}");
}

#[test]
fn the_desktop_is_notified_unless_the_config_says_no() {
    for (wanted, config) in
        [(true, ASKS), (false, r#"{"projectId": "shop", "approval": "no", "notifications": false}"#)]
    {
        let desk = Desk::new(config);
        let log = desk.env.home_path("notified");
        let script =
            format!("#!/bin/sh\nprintf '%s|' \"$@\" >> '{}'\necho >> '{}'\n", log.display(), log.display());
        desk.env.write_program("../home/bin/notify-send", &script);
        let script =
            format!("DISPLAY={} PATH=\"$HOME/bin:$PATH\" exec \"$RELAY\" watch", desk.display.name());
        let mut screen = desk.env.pty_shell(&script);
        screen.expect("waiting");
        desk.copy(&reply(1, "a.txt", "<b>secret</b>"));
        screen.expect("keep this change?");
        screen.send("y");
        screen.expect("1 landed");
        if wanted {
            let said = || std::fs::read_to_string(&log).unwrap_or_default();
            wait_for("both are reported", || said().lines().count() == 2);
            assert!(
                said().contains("--app-name=relay|--|relay: shop|a change waits for your answer|"),
                "{}",
                said()
            );
            assert!(said().contains("|a reply landed: 1 file|") && !said().contains("secret"), "{}", said());
        }
        Desk::quit(&mut screen);
        assert_eq!(screen.raw().contains('\u{7}'), wanted);
        assert_eq!(log.exists(), wanted);
    }
}

#[test]
fn without_its_config_the_watcher_accepts_no_reply() {
    let desk = Desk::new(r#"{"projectId": "shop", "clipboardPollInterval": 50}"#);
    let mut screen = desk.watch("");
    std::fs::remove_file(desk.env.path("relaycode.config.json")).unwrap();
    screen.expect("no-config");
    desk.copy(&reply(1, "a.txt", "new"));
    screen.expect("refused");
    screen.expect("waiting");
    desk.env.write("relaycode.config.json", PLAIN);
    screen.expect("the config has changed");
    screen.send("a");
    screen.expect("1 landed");
    Desk::quit(&mut screen);
}

#[test]
fn a_killed_watcher_leaves_no_permanent_traces() {
    let desk =
        Desk::new(r#"{"projectId": "shop", "postCommand": "test -e go || { touch started; sleep 60; }"}"#);
    let watcher = desk.env.relay(&["watch", "--trust", "--now"]).env("DISPLAY", desk.display.name());
    desk.copy(&reply(1, "a.txt", "new"));
    let watcher = watcher.spawn();
    wait_for("the check starts", || desk.env.exists("started"));
    watcher.signal("KILL");
    drop(watcher.wait());
    desk.env.write("go", "");
    let mut screen = desk.watch("--trust");
    assert!(!desk.env.exists("a.txt"), "the next one has rolled back");
    desk.copy(&reply(2, "b.txt", "new"));
    screen.expect("1 landed");
    Desk::quit(&mut screen);
}

#[test]
fn a_terminal_that_goes_away_ends_the_watcher_and_rolls_back() {
    let desk = Desk::new(r#"{"projectId": "shop", "postCommand": "touch started; sleep 60"}"#);
    let screen = desk.watch("--trust");
    desk.copy(&reply(1, "a.txt", "new"));
    wait_for("the check starts", || desk.env.exists("started"));
    screen.hang_up();
    wait_for("it is rolled back", || !desk.env.exists("a.txt"));
}
