//! `--copy` and `relay apply --clipboard` on a real X clipboard.

use crate::{PLAIN, json, project, reply, uuid, wait_for};

#[test]
fn copied_text_outlives_the_command_and_another_program_reads_it() {
    let env = project(PLAIN);
    let display = testkit::XDisplay::start();
    let run = env.relay(&["prompt", "--copy"]).env("DISPLAY", display.name()).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stdout, "");
    let pasted = env.shell(&format!("DISPLAY={} xclip -selection clipboard -o", display.name()));
    assert_eq!(pasted.stdout, env.relay(&["prompt"]).run().stdout);
}

#[test]
fn the_process_that_holds_the_text_ends_with_the_display() {
    let env = project(PLAIN);
    let display = testkit::XDisplay::start();
    env.relay(&["prompt", "--copy"]).env("DISPLAY", display.name()).success();
    let holders = || {
        let all = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        let is_ours = |path: &std::path::PathBuf| {
            let holds = |name: &str, text: &str| {
                let bytes = std::fs::read(path.join(name)).unwrap_or_default();
                String::from_utf8_lossy(&bytes).contains(text)
            };
            holds("cmdline", "__hold-clipboard")
                && holds("environ", env.home_path("").to_str().unwrap().trim_end_matches('/'))
        };
        all.filter(is_ours).count()
    };
    assert_eq!(holders(), 1);
    drop(display);
    wait_for("it ends", || holders() == 0);
}

#[test]
fn without_a_clipboard_it_says_what_to_do() {
    let env = project(PLAIN);
    let run = env.relay(&["prompt", "--copy"]).run();
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("no clipboard") && run.stderr.contains("without --copy"), "{}", run.stderr);
}

/// Another program copies this text.
fn copy(env: &testkit::TestEnv, display: &testkit::XDisplay, text: &str) {
    let file = env.home_path("copied.txt");
    std::fs::write(&file, text).unwrap();
    let script = format!(
        "DISPLAY={} xclip -selection clipboard -i '{}' >/dev/null 2>&1",
        display.name(),
        file.display()
    );
    assert_eq!(env.shell(&script).code, 0);
}

#[test]
fn a_reply_lands_from_the_clipboard() {
    let env = project(PLAIN);
    let display = testkit::XDisplay::start();
    let apply = |arguments: &[&str]| {
        let arguments = [&["apply", "--clipboard"], arguments].concat();
        env.relay(&arguments).env("DISPLAY", display.name()).run()
    };
    let empty = apply(&[]);
    assert!(empty.code == 1 && empty.stderr.contains("it contains no text"), "{}", empty.stderr);
    copy(&env, &display, &reply(1, "a.txt", "new"));
    let run = apply(&["--json"]);
    assert_eq!((run.code, json(&run)["uuid"].as_str()), (0, Some(uuid(1).as_str())), "{}", run.stderr);
    assert_eq!(env.read("a.txt"), "new\n");
    assert_eq!(apply(&["reply.md"]).code, 2, "one source at a time");
}

#[test]
fn the_message_that_asks_for_a_repair_goes_to_the_clipboard() {
    let env = project(PLAIN);
    env.write("a.txt", "one\nthree\n");
    let display = testkit::XDisplay::start();
    let apply = |arguments: &[&str]| {
        let arguments = [&["apply", "--clipboard"], arguments].concat();
        env.relay(&arguments).env("DISPLAY", display.name()).run()
    };
    let refused = format!(
        "```text // {{a.txt}} multi-search-replace\n<<<<<<< SEARCH\nthirty\n=======\n3\n>>>>>>> REPLACE\n```\n\n\
         ```yaml\nprojectId: shop\nuuid: {}\n```\n",
        uuid(1)
    );
    copy(&env, &display, &refused);
    let run = apply(&["--repair-prompt", "--copy"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("refused") && !run.stdout.contains("Your reply"), "{}", run.stdout);
    assert!(run.stderr.contains("on the clipboard"), "{}", run.stderr);
    let pasted = env.shell(&format!("DISPLAY={} xclip -selection clipboard -o", display.name()));
    assert!(pasted.stdout.starts_with("Your reply could not be applied."), "{}", pasted.stdout);
    copy(&env, &display, &refused.replace("thirty", "three"));
    assert_eq!(apply(&[]).code, 0);
    assert_eq!(env.read("a.txt"), "one\n3\n");
}

#[test]
fn without_a_clipboard_the_message_is_printed() {
    let env = project(PLAIN);
    let run = env.relay(&["apply", "--repair-prompt", "--copy"]).stdin("Nothing to see.\n").run();
    assert_eq!(run.code, 1);
    assert!(run.stdout.starts_with("Your reply could not be applied."), "{}", run.stdout);
    assert!(run.stderr.contains("no clipboard"), "{}", run.stderr);
    assert_eq!(env.relay(&["apply", "--copy"]).stdin("x").run().code, 2, "only with --repair-prompt");
}

/// A picture that another program copied is taken as PNG, whatever its format, without any other program.
#[test]
fn a_picture_is_pasted_into_a_prompt() {
    const PICTURES: [(&str, &str); 2] = [
        (
            "image/png",
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
        ),
        ("image/gif", "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"),
    ];
    let display = testkit::XDisplay::start();
    for (kind, data) in PICTURES {
        let pane = crate::pane::Pane::new(90, 30);
        let copied = pane.env.shell(&format!(
            "printf %s '{data}' | base64 -d > \"$HOME/copied\" && \
             DISPLAY={} xclip -selection clipboard -t {kind} -i \"$HOME/copied\" >/dev/null 2>&1",
            display.name()
        ));
        assert_eq!(copied.code, 0, "{}", copied.stderr);
        pane.line(&format!("export DISPLAY={}", display.name()));
        pane.server.queue(testkit::model::Reply::text("I see a dot."));
        pane.start("");
        pane.keys("C-v");
        pane.expect("▣ 1");
        pane.line("what is it");
        pane.expect("I see a dot.");
        let body = pane.server.prompts().pop().unwrap().body.to_string();
        assert!(body.contains("data:image/png;base64,iVBOR"), "{kind}: {body}");
        pane.keys("C-d");
    }
}

/// Over SSH the terminal is asked to put the text on its clipboard (OSC 52), if there is no display here.
#[test]
fn over_ssh_the_terminal_takes_the_text() {
    let env = project(PLAIN);
    let script =
        "env -u DISPLAY -u WAYLAND_DISPLAY SSH_CONNECTION='10.0.0.1 5 10.0.0.2 22' \"$RELAY\" prompt --copy";
    let mut screen = env.pty_shell(script);
    assert_eq!(screen.wait(), 0, "{}", screen.text());
    let raw = screen.raw();
    let sent =
        raw.split("\x1b]52;c;").nth(1).and_then(|rest| rest.split("\x1b\\").next()).unwrap_or_default();
    let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, sent).unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), env.relay(&["prompt"]).run().stdout);
}
