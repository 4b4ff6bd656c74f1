//! `relay prompt --copy` on a real X clipboard.

use crate::{PLAIN, project, wait_for};

#[test]
fn what_was_copied_outlives_the_command_and_another_program_reads_it() {
    let env = project(PLAIN);
    let display = testkit::XDisplay::start();
    let run = env.relay(&["prompt", "--copy"]).env("DISPLAY", display.name()).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stdout, "");
    let pasted = env.shell(&format!("DISPLAY={} xclip -selection clipboard -o", display.name()));
    assert_eq!(pasted.stdout, env.relay(&["prompt"]).run().stdout);
}

#[test]
fn what_holds_the_text_ends_with_the_display() {
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
