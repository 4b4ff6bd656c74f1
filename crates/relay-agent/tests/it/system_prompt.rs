//! The system prompt of a repository with everything in it.

use relay_agent::prompt::{Options, SectionKind, compose};

use crate::repositories::{Fixture, golden};

fn shop() -> Fixture {
    Fixture::new()
        .file("config/AGENTS.md", "Answer in British English.\n")
        .file("config/rules/commits.md", "---\nalwaysApply: true\n---\nNever commit without being asked.\n")
        .file("repo/AGENTS.md", "# Shop\n\nRun `just test` before you say that something works.\n")
        .file("repo/CLAUDE.md", "@AGENTS.md\n")
        .file("repo/api/AGENTS.md", "The API has no breaking changes: add fields, never rename them.\n")
        .file("repo/web/AGENTS.md", "Not on the way to the working folder.\n")
        .file("repo/.relay/rules/errors.md", "---\nalwaysApply: true\n---\nErrors carry the id of the order.\n")
        .file("repo/.relay/rules/no-float.md", "---\ncondition: 'f(32|64)'\n---\nMoney is never a float.\n")
        .file(
            "repo/.cursor/rules/react.mdc",
            "---\ndescription: How components are written\nglobs: *.tsx,*.jsx\nalwaysApply: false\n---\nUse hooks.\n",
        )
        .file("repo/.clinerules/sql.md", "Migrations are never edited.\n")
        .file("repo/.relay/skills/release/SKILL.md", "---\nname: release\ndescription: Make a release.\n---\nSteps.\n")
        .file("repo/.claude/skills/secret/SKILL.md", "---\nname: secret\ndescription: x\nhide: true\n---\nSteps.\n")
        .file("skills/review/SKILL.md", "---\nname: review\ndescription: Review a change.\n---\nLook.\n")
}

#[test]
fn everything_is_in_its_place() {
    let prompt = compose(&shop().material("api", Options::default()));
    testkit::expect_file(golden("system_prompt.md"), &format!("{}\n", prompt.text()));
    assert!(prompt.skipped.is_empty(), "{:?}", prompt.skipped);
    let kinds: Vec<SectionKind> = prompt.sections.iter().map(|section| section.kind).collect();
    use SectionKind::{Base, Environment, Introduction, ProjectFile, Rule, Rules, Skills, UserInstructions};
    assert_eq!(
        kinds,
        [
            Base,
            UserInstructions,
            Rule,
            Introduction,
            ProjectFile,
            ProjectFile,
            Rule,
            Rule,
            Rules,
            Skills,
            Environment
        ]
    );
}

#[test]
fn the_prompt_is_the_same_every_time() {
    let shop = shop();
    let first = compose(&shop.material("api", Options::default()));
    for _ in 0..3 {
        assert_eq!(compose(&shop.material("api", Options::default())), first);
    }
}

#[test]
fn the_user_decides_what_is_in_it() {
    let shop = shop();
    let options = Options {
        system_prompt: Some("You are a pirate.\n".to_owned()),
        append: Some("Be brief.".to_owned()),
        no_rules: true,
        no_files: true,
        skills: relay_agent::skills::Settings { enabled: false, ..Default::default() },
    };
    let prompt = compose(&shop.material("api", options));
    assert!(prompt.text().starts_with("You are a pirate.\n\nBe brief.\n\n# Instructions from the user\n"));
    let sources: Vec<&str> = prompt.sections.iter().map(|section| section.source.as_str()).collect();
    assert_eq!(
        sources,
        ["--system-prompt", "--append-system-prompt", "~/.config/relay/AGENTS.md", "built in"]
    );
}

#[test]
fn the_size_of_every_part_is_known() {
    let prompt = compose(&shop().material("", Options::default()));
    let bytes: usize = prompt.sections.iter().map(|section| section.bytes).sum();
    assert_eq!(bytes + 2 * (prompt.sections.len() - 1), prompt.text().len());
    assert!(prompt.tokens() > 1_000 && prompt.tokens() < 3_000, "{}", prompt.tokens());
    let foreign: Vec<&str> = prompt
        .sections
        .iter()
        .filter(|section| section.of_repository && section.kind == SectionKind::ProjectFile)
        .map(|section| section.source.as_str())
        .collect();
    assert_eq!(foreign, ["AGENTS.md"]);
}
