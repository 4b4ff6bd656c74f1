//! Help, completions, man pages, the reference, and errors that say what was meant.

use crate::env;

#[test]
fn the_reference_is_what_help_says() {
    let run = env().relay(&["man", "--format", "markdown"]).run();
    testkit::expect_file("../../docs/cli.md", &run.stdout);
}

#[test]
fn a_misspelt_command_or_flag_gets_did_you_mean() {
    let env = env();
    let run = env.relay(&["aply"]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("'apply'"), "{}", run.stderr);
    let run = env.relay(&["apply", "--dryrun"]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("'--dry-run'"), "{}", run.stderr);
}

#[test]
fn version_and_help_and_nothing() {
    let env = env();
    assert_eq!(env.relay(&["--version"]).run().stdout, concat!("relay ", env!("CARGO_PKG_VERSION"), "\n"));
    assert_eq!(env.relay(&["-V"]).run().stdout, concat!("relay ", env!("CARGO_PKG_VERSION"), "\n"));
    assert!(env.relay(&["--help"]).run().stdout.contains("relay demo"));
    let run = env.relay(&[]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("Usage"), "{}", run.stderr);
}

#[test]
fn completions_know_the_commands_and_bash_accepts_them() {
    let env = env();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = env.relay(&["completions", shell]).run();
        assert!(run.code == 0 && run.stdout.contains("apply"), "{shell}");
        assert!(!run.stdout.contains("hold-clipboard"), "{shell} offers something internal");
    }
    let run = env.shell("\"$RELAY\" completions bash > c.bash && bash -n c.bash");
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let env = env();
    let overview = env.relay(&["man"]).run().stdout;
    assert!(overview.contains(".TH relay 1"), "{overview}");
    for command in
        ["demo", "init", "prompt", "apply", "log", "show", "undo", "redo", "recover", "trust", "doctor"]
    {
        let run = env.relay(&["man", command]).run();
        assert!(run.code == 0 && run.stdout.contains(".TH"), "{command}");
    }
    assert_eq!(env.relay(&["man", "nonsense"]).run().code, 2);
}
