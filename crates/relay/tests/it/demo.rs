//! `relay demo`: what a newcomer sees first.

use crate::env;

#[test]
fn the_demo_shows_all_six_steps_and_touches_nothing() {
    let env = env();
    let before = env.tree();
    let run = env.relay(&["demo"]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    for words in [
        "✓ landed",
        "✗ rolled back",
        "identical",
        "✗ refused",
        "committed",
        "✓ undone",
        "relay init",
        "expected 0, got 1",
        "count.sh can count",
        "begins at 0 now",
    ] {
        assert!(run.stdout.contains(words), "{words} in\n{}", run.stdout);
    }
    assert!(!run.stdout.contains('\u{1b}'), "plain when piped");
    assert_eq!(env.tree(), before);
    assert!(!env.home_path(".local/share/relay").exists(), "the user's own data is not touched");
}

#[test]
fn in_a_terminal_it_is_coloured_unless_the_user_wants_none() {
    let env = env();
    let mut screen = env.pty(&["demo"]);
    screen.expect("On your own project");
    assert_eq!(screen.wait(), 0);
    assert!(screen.raw().contains("\u{1b}[32m"));
    let mut screen = env.pty_shell("NO_COLOR=1 \"$RELAY\" demo");
    screen.expect("On your own project");
    assert_eq!(screen.wait(), 0);
    assert!(!screen.raw().contains("\u{1b}[32m"));
}

#[test]
fn keep_leaves_a_project_that_works() {
    let env = env();
    let run = env.relay(&["demo", "--keep"]).run();
    let root = run.stdout.lines().find_map(|line| line.strip_prefix("The demo project is in ")).unwrap();
    assert!(std::path::Path::new(root).join("greet.sh").exists());
    assert!(env.relay(&["--root", root, "log"]).run().stdout.contains("demo"));
    std::fs::remove_dir_all(root).unwrap();
}
