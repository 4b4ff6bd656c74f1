//! The restricted shell: every message, and that nothing else gets through.

use relay_syntax::shell::restricted;

const PREFIXES: [&str; 4] = ["relay ralplan", "relay state", "git log", "ls"];

fn check(command: &str, message: &str) {
    assert_eq!(restricted(command, &PREFIXES).unwrap_err(), message, "{command:?}");
}

#[test]
fn every_refusal_has_its_message() {
    check("ls \"`id`\"", "command substitution is not allowed in restricted bash commands");
    check("ls $(id)", "command substitution is not allowed in restricted bash commands");
    check("ls \"$(id)\"", "command substitution is not allowed in restricted bash commands");
    check("ls $HOME", "shell expansion character '$' is not allowed in restricted bash commands");
    check("ls \"$HOME\"", "shell expansion character '$' is not allowed in restricted bash commands");
    check("ls a\\ b", "backslash escapes are not allowed in restricted bash commands");
    check("ls \"a\\\"\"", "backslash escapes are not allowed in restricted bash commands");
    check("ls\nid", "multiple shell commands are not allowed in restricted bash mode");
    check("ls\rid", "multiple shell commands are not allowed in restricted bash mode");
    for operator in [';', '|', '&', '<', '>', '(', ')'] {
        check(
            &format!("ls {operator} x"),
            &format!("shell control operator '{operator}' is not allowed in restricted bash commands"),
        );
    }
    for expansion in ['*', '?', '[', ']', '{', '}', '~'] {
        check(
            &format!("ls {expansion}"),
            &format!("shell expansion character '{expansion}' is not allowed in restricted bash commands"),
        );
    }
    check("ls 'a", "unterminated quote in restricted bash command");
    check("", "empty command is not allowed in restricted bash mode");
    check("  ", "empty command is not allowed in restricted bash mode");
    check(
        "rm x",
        "restricted role-agent bash only allows commands starting with: relay ralplan, relay state, git log, ls",
    );
    check(
        "lsof",
        "restricted role-agent bash only allows commands starting with: relay ralplan, relay state, git log, ls",
    );
    check(
        "git",
        "restricted role-agent bash only allows commands starting with: relay ralplan, relay state, git log, ls",
    );
}

#[test]
fn relays_own_commands_are_limited_further() {
    check("relay ralplan --read", "restricted role-agent bash only allows `relay ralplan --write ...`");
    check("relay state clear", "restricted role-agent bash does not allow `relay state clear`");
    check(
        "relay state ralplan handoff --to team",
        "restricted role-agent bash does not allow `relay state handoff`",
    );
    check("relay state", "restricted role-agent bash only allows documented `relay state` action shapes");
    check(
        "relay state a b c",
        "restricted role-agent bash only allows documented `relay state` action shapes",
    );
    for command in [
        "relay ralplan --write --artifact 'the text'",
        "relay state read",
        "relay state ralplan write --input '{\"a\": 1}'",
        "relay state --mode team contract",
        "git log --oneline",
        "ls 'a b' \"c\"",
    ] {
        let allowed = restricted(command, &PREFIXES).unwrap_or_else(|error| panic!("{command:?}: {error}"));
        assert!(!allowed.words.is_empty());
    }
    assert_eq!(restricted("ls 'a b' \"c\"", &PREFIXES).unwrap().words, ["ls", "a b", "c"]);
}

#[test]
fn commands_that_the_shell_reads_differently_are_refused() {
    // A comment, an assignment and a keyword are plain words only to a reader that splits at blanks.
    for command in ["ls #x", "A=1 ls", "! ls"] {
        assert!(restricted(command, &["ls", "A=1", "!"]).is_err(), "{command:?}");
    }
}
