//! `relay prompt`.

use crate::{PLAIN, env, project};

#[test]
fn the_prompt_names_the_project_and_every_operation() {
    let env = project(PLAIN);
    let run = env.relay(&["prompt"]).run();
    assert_eq!(run.code, 0);
    for word in
        ["projectId: shop", "new-unified", "multi-search-replace", "delete this file", "rename-file", "uuid"]
    {
        assert!(run.stdout.contains(word), "{word}");
    }
}

#[test]
fn it_works_without_a_project_and_refuses_an_unknown_dialect_by_name() {
    let env = env();
    assert_eq!(env.relay(&["prompt", "--dialect", "fenced"]).run().code, 0);
    let run = env.relay(&["prompt", "--dialect", "esperanto"]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("fenced"), "{}", run.stderr);
}
