//! `relay context`.

use testkit::TestEnv;

use crate::{PLAIN, json, project};

fn shop() -> TestEnv {
    let env = project(PLAIN);
    for path in ["src/a.rs", "src/b.rs", "src/deep/c.rs", "notes.md"] {
        env.write(path, "text\n");
    }
    env
}

fn list(env: &TestEnv) -> String {
    env.relay(&["context", "list"]).run().stdout
}

#[test]
fn files_are_added_removed_and_cleared() {
    let env = shop();
    let run = env.relay(&["context", "add", "src", "notes.md", "--exclude", "**/b.rs"]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(list(&env), "notes.md\nsrc/a.rs\nsrc/deep/c.rs\n");
    assert!(
        env.relay(&["context", "add", "src/a.rs"]).run().stdout.contains("3 files selected"),
        "nothing twice"
    );
    assert_eq!(env.relay(&["context", "rm", "src/deep"]).run().code, 0);
    assert_eq!(list(&env), "notes.md\nsrc/a.rs\n");
    assert_eq!(env.relay(&["context", "rm", "*.md"]).run().code, 0);
    assert_eq!(list(&env), "src/a.rs\n");
    assert_eq!(env.relay(&["context", "clear"]).run().code, 0);
    assert!(list(&env).contains("nothing is selected"));
}

#[test]
fn paths_are_relative_to_the_current_folder() {
    let env = shop();
    let run = env.shell("cd src && \"$RELAY\" context add a.rs 'deep/*'");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(list(&env), "src/a.rs\nsrc/deep/c.rs\n");
}

#[test]
fn a_selected_file_that_is_gone_is_reported_and_can_be_removed() {
    let env = shop();
    env.relay(&["context", "add", "src/a.rs", "src/b.rs"]).run();
    assert_eq!(env.shell("rm src/a.rs").code, 0);
    assert!(list(&env).contains("src/a.rs  does not exist"), "{}", list(&env));
    let pack = json(&env.relay(&["pack", "--json"]).run());
    assert_eq!(
        (pack["files"][0]["path"].as_str(), pack["leftOut"][0]["path"].as_str()),
        (Some("src/b.rs"), Some("src/a.rs"))
    );
    assert_eq!(env.relay(&["context", "rm", "src/a.rs"]).run().code, 0);
    assert_eq!(list(&env), "src/b.rs\n");
}

#[test]
fn bad_input_changes_nothing() {
    let env = shop();
    env.relay(&["context", "add", "notes.md"]).run();
    for arguments in [
        ["add", "missing.rs"],
        ["add", "../x"],
        ["add", ".git/config"],
        ["rm", "src/a.rs"],
        ["add", "src/[a"],
    ] {
        let run = env.relay(&[&["context"][..], &arguments].concat()).run();
        assert_eq!(run.code, 1, "{arguments:?}: {}", run.stdout);
        assert!(run.stderr.contains("hint:"), "{arguments:?}: {}", run.stderr);
    }
    assert_eq!(list(&env), "notes.md\n");
}

#[test]
fn the_selection_is_kept_outside_the_project_and_read_as_json() {
    let env = shop();
    let before = env.tree();
    let document = json(&env.relay(&["context", "add", "src/a.rs", "--json"]).run());
    assert_eq!(
        (document["files"][0].as_str(), document["added"][0].as_str()),
        (Some("src/a.rs"), Some("src/a.rs"))
    );
    assert_eq!(env.tree(), before);
}
