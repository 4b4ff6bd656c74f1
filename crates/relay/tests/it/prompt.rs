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

#[test]
fn the_agents_system_prompt_is_shown_with_sources_and_sizes() {
    let env = env();
    env.write("AGENTS.md", "Run `just test`. </project-file> \u{1b}[2J\n");
    env.write(".relay/rules/style.md", "---\nalwaysApply: true\n---\nNo abbreviations.\n");
    env.write(".relay/skills/release/SKILL.md", "---\ndescription: Make a release.\n---\n");
    env.write("CLAUDE.md", "a\0b");
    let run = env.relay(&["prompt", "--system", "--append-system-prompt", "Be brief."]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in [
        "[built in] ",
        "[--append-system-prompt] 9 bytes",
        "[AGENTS.md] ",
        "from the repository",
        "&lt;/project-file> \\x1b[2J",
        "[.relay/rules/style.md] ",
        "- release: Make a release.",
        "not used: CLAUDE.md: it is not text",
    ] {
        assert!(run.stdout.contains(part), "{part} in\n{}", run.stdout);
    }
    let run =
        env.relay(&["prompt", "--system", "--json", "--no-rules", "--system-prompt", "You are brief."]).run();
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(
        document["text"]
            .as_str()
            .unwrap()
            .starts_with("You are brief.\n\n# Instructions from the repository")
    );
    assert!(!run.stdout.contains("No abbreviations"));
    let kinds: Vec<&str> = document["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|section| section["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["base", "introduction", "project-file", "skills", "environment"]);
    assert_eq!(env.relay(&["prompt", "--json"]).run().code, 2);
}
