//! The hermetic environment keeps what it promises. A shell takes the place of the binary under test.

use testkit::TestEnv;

fn env() -> TestEnv {
    TestEnv::new("/bin/sh")
}

#[test]
fn nothing_of_the_machines_settings_gets_in() {
    let env = env();
    let run = env.relay(&["-c", "env"]).success();
    for line in run.stdout.lines() {
        let (name, value) = line.split_once('=').unwrap();
        let expected =
            ["PATH", "PWD", "OLDPWD", "SHLVL", "_", "HOME", "TMPDIR", "LANG", "TZ", "RELAY", "TESTED_BINARY"]
                .contains(&name)
                || name.starts_with("GIT_");
        assert!(expected, "{line}");
        if name == "HOME" || name == "TMPDIR" || name == "GIT_CONFIG_GLOBAL" {
            assert!(value.starts_with(env.root().parent().unwrap().to_str().unwrap()), "{line}");
        }
    }
    assert!(run.stdout.contains("TZ=UTC\n") && run.stdout.contains("LANG=C.UTF-8\n"));
}

#[test]
fn input_output_exit_code_and_folder() {
    let env = env();
    env.write("below/a.txt", "x");
    let script = "cat; pwd; echo \"$COLOUR\"; echo no >&2; exit 7";
    let run = env.relay(&["-c", script]).stdin("yes\n").env("COLOUR", "red").current_dir("below").run();
    let below = env.path("below").canonicalize().unwrap();
    assert_eq!(run.stdout, format!("yes\n{}\nred\n", below.display()));
    assert_eq!((run.stderr.as_str(), run.code), ("no\n", 7));
}

#[test]
fn a_program_that_does_not_read_its_input_is_not_a_failure() {
    let env = env();
    assert_eq!(env.relay(&["-c", "exit 0"]).stdin(&"x".repeat(1_000_000)).run().code, 0);
}

#[test]
fn a_signal_ends_it_with_its_number() {
    let env = env();
    let running = env.relay(&["-c", "exec sleep 60"]).spawn();
    running.signal("KILL");
    assert_eq!(running.wait().code, 128 + 9);
}

#[test]
#[should_panic(expected = "it said no")]
fn success_panics_with_the_output() {
    let env = env();
    drop(env.relay(&["-c", "echo it said no >&2; exit 1"]).success());
}

#[test]
fn the_tree_sees_contents_modes_links_and_empty_folders_but_not_state() {
    let env = env();
    env.write("a.txt", "a");
    env.write(".git/config", "x");
    env.write(".relaycode/lock", "x");
    let before = env.tree();
    assert_eq!(before.keys().collect::<Vec<_>>(), ["a.txt"]);
    for change in ["printf b > a.txt", "chmod 700 a.txt", "ln -s a.txt link", "mkdir empty", "mkfifo pipe"] {
        let earlier = env.tree();
        assert_eq!(env.shell(change).code, 0);
        assert_ne!(env.tree(), earlier, "{change}");
    }
}

#[test]
fn git_commits_without_any_settings() {
    let env = env();
    env.git(&["init", "-q"]);
    env.write("a.txt", "a");
    env.git(&["add", "."]);
    env.git(&["commit", "-q", "-m", "first"]);
    assert_eq!(env.git(&["log", "--format=%an <%ae> %s"]), "Test <test@example.com> first\n");
}
