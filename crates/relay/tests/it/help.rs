//! Help, completions, man pages, the reference, and errors that suggest what was meant.

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
fn every_way_to_ask_for_help_shows_the_commands_in_groups() {
    let env = env();
    assert_eq!(env.relay(&["--version"]).run().stdout, concat!("relay ", env!("CARGO_PKG_VERSION"), "\n"));
    assert_eq!(env.relay(&["-V"]).run().stdout, concat!("relay ", env!("CARGO_PKG_VERSION"), "\n"));
    let overview = env.relay(&["help"]).success().stdout;
    for words in
        ["\nStart\n", "\nLand changes\n", "\nLook back\n", "\nTalk to models\n", "\nSet up\n", "relay demo"]
    {
        assert!(overview.contains(words), "{words} in {overview}");
    }
    for line in overview.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
        assert!(line.trim().contains("  "), "a description: {line}");
    }
    for arguments in [&[][..], &["-h"], &["--help"], &["--offline", "--help"], &["--root", ".", "-h"]] {
        assert_eq!(env.relay(arguments).success().stdout, overview, "{arguments:?}");
    }
}

#[test]
fn help_knows_commands_and_topics() {
    let env = env();
    assert!(env.relay(&["help", "mail", "run"]).success().stdout.contains("Usage: relay mail run"));
    assert!(env.relay(&["help", "exit-codes"]).success().stdout.contains("  130  interrupted"));
    assert!(env.relay(&["help", "environment"]).success().stdout.contains("RELAY_PAGER"));
    assert!(env.relay(&["help", "dialects"]).success().stdout.contains("search-replace"));
    let run = env.relay(&["help", "dialect"]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("Did you mean `dialects`"), "{}", run.stderr);
}

/// Lines that were broken for 80 columns are not broken again in the middle.
#[test]
fn topics_wrap_at_the_width_of_the_terminal() {
    let env = env();
    let mut screen = env.pty_shell("stty rows 40 cols 60; \"$RELAY\" help exit-codes");
    assert_eq!(screen.wait(), 0);
    let text = screen.text();
    assert!(
        text.lines().any(|line| line.trim_end() == "       processed, or a dry run that passed"),
        "{text}"
    );
}

#[test]
fn an_unknown_command_leads_to_the_list_or_the_nearest_one() {
    let env = env();
    let run = env.relay(&["help", "nonsense"]).run();
    assert!(run.stderr.ends_with("hint: `relay help` lists all commands and topics.\n"), "{}", run.stderr);
    let run = env.relay(&["log", "-n", "x"]).run();
    assert!(run.code == 2 && run.stderr.contains("expected a whole number"), "{}", run.stderr);
}

#[test]
fn options_of_a_command_come_before_global_ones() {
    let env = env();
    for command in [&["apply"][..], &["log"], &["mail", "run"], &["context", "add"], &["auth", "login"]] {
        let help = env.relay(&[command, &["-h"]].concat()).success().stdout;
        let global = help.find("Global options:").expect("global options");
        assert!(help.find("Options:").is_some_and(|own| own < global), "{help}");
        assert!(help[global..].contains("--root") && !help[..global].contains("--root"), "{help}");
    }
    let help = env.relay(&["mail", "run", "-h"]).success().stdout;
    assert!(help.find("--allow-commands") < help.find("--dir"), "{help}");
}

/// What bash offers at the end of this line.
fn completed(env: &testkit::TestEnv, words: &[&str]) -> Vec<String> {
    let index = words.len().to_string();
    let line = [&["--", "relay"], words].concat();
    let run = env
        .relay(&line)
        .env("RELAY_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", &index)
        .env("_CLAP_COMPLETE_COMP_TYPE", "9")
        .env("_CLAP_COMPLETE_SPACE", "false")
        .env("_CLAP_IFS", "\n")
        .success();
    run.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn completions_complete_commands_and_values() {
    let env = crate::project(crate::PLAIN);
    crate::apply(&env, &crate::reply(7, "a.txt", "x"), &[]);
    assert!(completed(&env, &["ap"]).contains(&"apply".to_owned()));
    assert!(completed(&env, &["apply", "--dialect", "sea"]).contains(&"search-replace".to_owned()));
    let commands = completed(&env, &[""]);
    assert!(commands.contains(&"log".to_owned()) && !commands.iter().any(|name| name.starts_with("__")));
    assert_eq!(completed(&env, &["show", "0000"]), ["00000000"], "a transaction's uuid");
    assert!(completed(&env, &["ask", "--to", "cod"]).contains(&"codex".to_owned()));
    assert!(completed(&env, &["log", "--status", "und"]).contains(&"undone".to_owned()));
    assert_eq!(completed(&env, &["config", "get", "backends.timeo"]), ["backends.timeout"]);
    assert_eq!(completed(&env, &["config", "set", "approvalOn"]), ["approvalOnErrorCount"], "of the project");
    assert_eq!(completed(&env, &["help", "exit"]), ["exit-codes"]);
    assert_eq!(completed(&env, &["man", "trans"]), ["translate"]);
    assert_eq!(completed(&env, &["run", "--policy", "read"]), ["read-only"]);
    assert_eq!(completed(&env, &["themes", "relay-d"]), ["relay-dark"]);
    assert!(completed(&env, &["jobs", "show", ""]).iter().all(|word| word.starts_with('-')));
    assert!(!env.home_path(".local/state/relay/jobs").exists(), "Tab creates nothing");
    let keyed = env
        .relay(&["--", "relay", "ask", "--model", "anthropic/"])
        .env("ANTHROPIC_API_KEY", "k")
        .env("RELAY_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", "3")
        .env("_CLAP_IFS", "\n")
        .success();
    assert!(keyed.stdout.lines().any(|line| line.starts_with("anthropic/")), "{}", keyed.stdout);
}

#[test]
fn every_shell_gets_a_script_that_asks_relay() {
    let env = env();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = env.relay(&["completions", shell]).success();
        assert!(run.stdout.contains("RELAY_COMPLETE"), "{shell}: {}", run.stdout);
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
