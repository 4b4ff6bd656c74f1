//! `relay prompt --copy` on a real X clipboard.

use crate::{PLAIN, project};

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
fn without_a_clipboard_it_says_what_to_do() {
    let env = project(PLAIN);
    let run = env.relay(&["prompt", "--copy"]).run();
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("no clipboard") && run.stderr.contains("without --copy"), "{}", run.stderr);
}
