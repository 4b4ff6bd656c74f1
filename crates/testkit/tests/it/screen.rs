//! The pseudo-terminal is a real one: programs see a terminal, keys become input, Ctrl-C becomes a signal.

use testkit::TestEnv;

fn env() -> TestEnv {
    TestEnv::new("/bin/sh")
}

#[test]
fn a_program_sees_a_terminal_and_reads_keys() {
    let mut screen =
        env().pty(&["-c", "test -t 0 && test -t 1 && echo ready; read answer; echo \"got $answer\"; exit 5"]);
    screen.expect("ready");
    screen.send("tea\n");
    screen.expect("got tea");
    assert_eq!(screen.wait(), 5);
}

#[test]
fn ctrl_c_interrupts() {
    let env = env();
    let mut screen = env.pty_shell("trap 'echo caught; exit 3' INT; echo ready; sleep 60 & wait");
    screen.expect("ready");
    screen.send("\u{3}");
    screen.expect("caught");
    assert_eq!(screen.wait(), 3);
}

#[test]
fn colours_are_in_the_raw_output_only() {
    let env = env();
    let mut screen = env.pty_shell("printf '\\033[31mred\\033[0m\\n'");
    screen.expect("red");
    assert_eq!(screen.wait(), 0);
    assert!(screen.raw().contains("\u{1b}[31m"));
    assert_eq!(screen.text().trim_end(), "red");
}

#[test]
#[should_panic(expected = "it ended without showing \"tea\"")]
fn a_text_that_never_appears_fails_the_test() {
    let env = env();
    env.pty_shell("echo coffee").expect("tea");
}
