//! `relay auth`.

use std::os::unix::fs::PermissionsExt as _;

use crate::{env, json};

const CREDENTIALS: &str = ".local/share/relay/credentials.json";

#[test]
fn a_piped_key_is_stored_listed_by_label_and_forgotten() {
    let env = env();
    let run = env.relay(&["auth", "login", "anthropic"]).stdin("  sk-one\n").success();
    assert_eq!(run.stdout, "stored the key `default` of anthropic\n");
    env.relay(&["auth", "login", "anthropic", "--label", "work"]).stdin("sk-two").success();
    let run = env.relay(&["auth", "login", "anthropic", "--label", "work"]).stdin("sk-three").success();
    assert_eq!(run.stdout, "replaced the key `work` of anthropic\n");
    let file = std::fs::read_to_string(env.home_path(CREDENTIALS)).unwrap();
    assert!(file.contains("\"sk-one\"") && file.contains("sk-three") && !file.contains("sk-two"), "{file}");
    let mode = std::fs::metadata(env.home_path(CREDENTIALS)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let run = env.relay(&["auth", "status"]).success();
    assert!(run.stdout.contains("✓ anthropic    stored as `default`, stored as `work`"), "{}", run.stdout);
    let document = json(&env.relay(&["auth", "status", "--json"]).success());
    assert!(
        document.to_string().contains("stored as `work`") && !document.to_string().contains("sk-"),
        "{document}"
    );
    let doctor = env.relay(&["doctor", "--offline"]).run().stdout;
    assert!(
        doctor.contains("anthropic (stored as `default`, stored as `work`)") && !doctor.contains("sk-"),
        "{doctor}"
    );
    assert_eq!(
        env.relay(&["auth", "logout", "anthropic", "--label", "work"]).success().stdout,
        "removed 1 key of anthropic\n"
    );
    assert_eq!(env.relay(&["auth", "logout", "anthropic"]).success().stdout, "removed 1 key of anthropic\n");
    assert_eq!(env.relay(&["auth", "logout", "anthropic"]).run().code, 1);
}

#[test]
fn a_key_is_typed_without_being_shown() {
    let env = env();
    let mut screen = env.pty(&["auth", "login", "openai"]);
    screen.expect("key of openai (it is not shown): ");
    screen.send("sk-typed\n");
    screen.expect("stored the key `default` of openai");
    assert_eq!(screen.wait(), 0);
    assert!(!screen.raw().contains("sk-typed"), "{}", screen.raw());
    assert!(std::fs::read_to_string(env.home_path(CREDENTIALS)).unwrap().contains("sk-typed"));
}

#[test]
fn ctrl_c_stores_nothing_and_gives_the_terminal_back() {
    let env = env();
    let mut screen = env
        .pty_shell("trap : INT; \"$RELAY\" auth login openai; echo \"exit $?\"; stty -a | grep -o ' echo '");
    screen.expect("it is not shown");
    screen.send("sk-half\u{3}");
    screen.expect("exit 130");
    screen.expect(" echo ");
    assert_eq!(screen.wait(), 0);
    assert!(!env.home_path(CREDENTIALS).exists());
}

#[test]
fn a_key_in_the_arguments_is_refused_and_not_repeated() {
    let env = env();
    let run = env.relay(&["auth", "login", "openai", "sk-leaked"]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("not accepted as arguments"), "{}", run.stderr);
    assert!(!format!("{}{}", run.stdout, run.stderr).contains("sk-leaked"), "{}", run.stderr);
    assert!(!env.home_path(CREDENTIALS).exists());
}

#[test]
fn invalid_keys_are_refused_without_being_quoted() {
    let env = env();
    for input in ["", "  \n", "sk-two words", "sk-first\nsk-second", "sk-ä", &"k".repeat(9_000)] {
        let run = env.relay(&["auth", "login", "openai"]).stdin(input).run();
        assert_eq!(run.code, 2, "{input:?}");
        assert!(!run.stderr.contains("sk-") && run.stderr.contains("Nothing was stored"), "{}", run.stderr);
    }
    assert!(!env.home_path(CREDENTIALS).exists());
}

#[test]
fn unknown_providers_get_did_you_mean_and_local_ones_need_no_key() {
    let env = env();
    let run = env.relay(&["auth", "login", "antropic"]).stdin("sk-x").run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("Did you mean `anthropic`"), "{}", run.stderr);
    assert_eq!(
        env.relay(&["auth", "login", "ollama"]).stdin("sk-x").success().stdout,
        "ollama needs no key\n"
    );
}

#[test]
fn the_environment_wins_and_relay_says_so() {
    let env = env();
    let run = env.relay(&["auth", "login", "google"]).env("GOOGLE_API_KEY", "g").stdin("sk-x").success();
    assert!(run.stderr.contains("GOOGLE_API_KEY is set and is used instead"), "{}", run.stderr);
    let run = env.relay(&["auth", "status"]).env("GOOGLE_API_KEY", "g").success();
    assert!(run.stdout.contains("✓ google       GOOGLE_API_KEY\n"), "{}", run.stdout);
}

#[test]
fn keys_that_others_can_read_are_refused_with_a_way_out() {
    let env = env();
    env.relay(&["auth", "login", "openai"]).stdin("sk-x").success();
    std::fs::set_permissions(env.home_path(CREDENTIALS), std::fs::Permissions::from_mode(0o644)).unwrap();
    for arguments in [&["auth", "status"][..], &["models", "--offline"], &["auth", "logout", "openai"]] {
        let run = env.relay(arguments).run();
        assert_eq!(run.code, 1, "{arguments:?}");
        assert!(run.stderr.contains("chmod 600") && !run.stderr.contains("sk-x"), "{}", run.stderr);
    }
}
