//! Files, links and folders that replace each other, by replies, checks and wrapped commands.

use serde_json::Value;
use testkit::TestEnv;

use crate::{PLAIN, apply, codes, json, project, uuid};

/// A file, a folder, a link to a file and one to a folder.
fn things(env: &TestEnv) {
    env.write("file", "a file\n");
    env.write("folder/a", "a\n");
    env.write("folder/deep/b", "b\n");
    env.write("other/c", "c\n");
    std::os::unix::fs::symlink("file", env.path("link")).unwrap();
}

/// Everything becomes something else.
const SWAP: &str = "rm file; mkdir file; echo x > file/in; rm -r folder; echo y > folder; \
                    rm link; mkdir -p link/deep; echo z > link/deep/in; rm -r other; ln -s folder other";

/// Asserts that the command succeeds; returns its JSON output.
fn committed(env: &TestEnv, arguments: &[&str]) -> Value {
    let run = env.relay(&[arguments, &["--json"]].concat()).run();
    let document = json(&run);
    assert_eq!((run.code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    document
}

#[test]
fn a_wrapped_command_may_swap_anything_and_it_is_shown_undone_and_redone() {
    let env = project(PLAIN);
    things(&env);
    let before = env.tree();
    let run = env.relay(&["wrap", "--json", "--", "sh", "-c", SWAP]).run();
    let document = json(&run);
    assert_eq!((run.code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert!(codes(&document).is_empty(), "{document:#}");
    let after = env.tree();
    let shown = env.relay(&["show"]).run();
    for line in ["- a file", "+ x", "+ y", "- a", "+ z"] {
        assert!(shown.stdout.lines().any(|shown| shown.ends_with(line)), "{line}: {}", shown.stdout);
    }
    committed(&env, &["undo", "--yes"]);
    assert_eq!(env.tree(), before);
    committed(&env, &["redo", "--yes"]);
    assert_eq!(env.tree(), after);
    committed(&env, &["undo", "1", "--yes"]);
    assert_eq!(env.tree(), before);
}

#[test]
fn an_empty_folder_in_place_of_a_file_is_undone_too() {
    let env = project(PLAIN);
    things(&env);
    let before = env.tree();
    let line = "rm file link; mkdir file link; echo changed > folder/a";
    assert_eq!(env.relay(&["wrap", "--", "sh", "-c", line]).run().code, 0);
    let after = env.tree();
    committed(&env, &["undo", "--yes"]);
    assert_eq!(env.tree(), before);
    committed(&env, &["redo", "--yes"]);
    assert_eq!(env.tree(), after);
    assert!(env.path("file").is_dir() && env.path("link").is_dir());
}

#[test]
fn a_failed_check_undoes_swaps_including_its_own() {
    let config = serde_json::json!({"projectId": "shop", "postCommand": format!("{SWAP}; exit 1")});
    let env = project(&config.to_string());
    things(&env);
    let before = env.tree();
    let text = "```text // {file}\nnew\n```\n\n```text // {folder/new}\nnew\n```\n";
    let (code, document) = apply(&env, text, &["--trust"]);
    assert_eq!((code, document["status"].as_str()), (1, Some("rolled_back")), "{document:#}");
    assert_eq!(env.tree(), before);
}

#[test]
fn a_new_file_in_a_swapped_folder_blocks_an_undo_until_it_is_removed() {
    let env = project(PLAIN);
    things(&env);
    let before = env.tree();
    assert_eq!(env.relay(&["wrap", "--", "sh", "-c", SWAP]).run().code, 0);
    env.write("file/mine", "mine\n");
    let after = env.tree();
    let run = env.relay(&["undo", "--yes", "--json"]).run();
    let document = json(&run);
    assert_eq!(run.code, 1);
    assert_eq!(codes(&document), ["file-is-folder"], "{document:#}");
    assert!(document["diagnostics"][0]["message"].as_str().unwrap().contains("file/mine"), "{document:#}");
    assert_eq!(env.tree(), after);
    std::fs::rename(env.path("file/mine"), env.path("mine")).unwrap();
    committed(&env, &["undo", "--yes"]);
    assert_eq!(env.read("mine"), "mine\n");
    std::fs::remove_file(env.path("mine")).unwrap();
    assert_eq!(env.tree(), before);
}

#[test]
fn a_reply_that_swaps_is_undone_and_redone_and_git_stages_it() {
    let env = project(r#"{"projectId": "shop", "gitStage": true}"#);
    things(&env);
    env.git(&["init", "-q"]);
    env.git(&["add", "-A"]);
    env.git(&["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "first"]);
    let before = env.tree();
    let text = format!(
        "```json // rename-file\n{{\"from\": \"file\", \"to\": \"file/inside\"}}\n```\n\n\
         ```text // {{folder}}\nnow a file\n```\n\n```text // {{folder/a}}\n//TODO: delete this file\n```\n\n\
         ```text // {{folder/deep/b}}\n//TODO: delete this file\n```\n\n```yaml\nprojectId: shop\nuuid: {}\n```\n",
        uuid(1)
    );
    let (code, document) = apply(&env, &text, &["--dry-run"]);
    assert_eq!((code, document["status"].as_str()), (0, Some("validated")), "{document:#}");
    let (code, document) = apply(&env, &text, &[]);
    assert_eq!((code, document["status"].as_str()), (0, Some("committed")), "{document:#}");
    assert!(codes(&document).is_empty(), "{document:#}");
    assert_eq!((env.read("file/inside"), env.read("folder")), ("a file\n".into(), "now a file\n".into()));
    let staged = env.git(&["diff", "--cached", "--name-status", "--no-renames"]);
    assert_eq!(staged, "D\tfile\nA\tfile/inside\nA\tfolder\nD\tfolder/a\nD\tfolder/deep/b\n");
    let after = env.tree();
    committed(&env, &["undo", "--yes"]);
    assert_eq!(env.tree(), before);
    committed(&env, &["redo", "--yes"]);
    assert_eq!(env.tree(), after);
}
