//! `relay sessions`: listing, reading, searching, naming, copying and deleting.

use std::path::PathBuf;

use testkit::TestEnv;

use crate::env;

/// Where the project's sessions are kept.
fn folder(env: &TestEnv, project: &std::path::Path) -> PathBuf {
    let name = project.to_str().unwrap().trim_start_matches('/').replace('/', "-");
    env.home_path(".local/share/relay/sessions").join(format!("--{name}--"))
}

/// A session with a question, an answer that cost something, and a second branch.
fn session(env: &TestEnv, project: &std::path::Path, id: &str, question: &str) -> PathBuf {
    let folder = folder(env, project);
    std::fs::create_dir_all(&folder).unwrap();
    let cwd = project.to_str().unwrap();
    let text = format!(
        concat!(
            "{{\"type\":\"session\",\"version\":3,\"id\":\"{id}\",\"timestamp\":\"2026-02-16T10:20:30.000Z\",\"cwd\":\"{cwd}\",\"unknown\":1}}\n",
            "{{\"type\":\"message\",\"id\":\"aaaaaaa1\",\"parentId\":null,\"timestamp\":\"2026-02-16T10:20:31.000Z\",\"message\":{{\"role\":\"user\",\"content\":\"{question}\"}}}}\n",
            "{{\"type\":\"message\",\"id\":\"aaaaaaa2\",\"parentId\":\"aaaaaaa1\",\"timestamp\":\"2026-02-16T10:20:32.000Z\",\"message\":{{\"role\":\"assistant\",\"provider\":\"anthropic\",\"model\":\"claude-sonnet-4-5\",\"content\":[{{\"type\":\"text\",\"text\":\"First answer.\"}}],\"usage\":{{\"cost\":{{\"total\":0.25}}}}}}}}\n",
            "{{\"type\":\"message\",\"id\":\"aaaaaaa3\",\"parentId\":\"aaaaaaa1\",\"timestamp\":\"2026-02-16T10:20:33.000Z\",\"message\":{{\"role\":\"assistant\",\"provider\":\"anthropic\",\"model\":\"claude-haiku-4-5\",\"content\":[{{\"type\":\"text\",\"text\":\"Second\\u001b[31m answer.\"}}],\"usage\":{{\"cost\":{{\"total\":0.5}}}}}}}}\n",
        ),
        id = id,
        cwd = cwd,
        question = question,
    );
    let path = folder.join(format!("2026-02-16T10-20-30-000Z_{id}.jsonl"));
    std::fs::write(&path, text).unwrap();
    path
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_list_shows_this_project_or_all() {
    let env = env();
    assert!(env.relay(&["sessions", "list"]).success().stdout.contains("no sessions in this project"));
    session(&env, &env.root(), "0123456789abcdef", "fix the parser");
    session(&env, std::path::Path::new("/elsewhere"), "fedcba9876543210", "other work");
    let text = env.relay(&["sessions", "list"]).success().stdout;
    for words in ["01234567", "just now", "3 messages", "$0.75", "claude-haiku-4-5", "fix the parser"] {
        assert!(text.contains(words), "{words} in {text}");
    }
    assert!(!text.contains("other work"));
    let all = env.relay(&["sessions", "list", "--all"]).success().stdout;
    assert!(all.contains("other work") && all.contains("/elsewhere"), "{all}");
    let list = json(&env.relay(&["sessions", "list", "--json"]).success().stdout);
    assert_eq!(list.as_array().unwrap().len(), 1);
    assert_eq!(list[0]["id"], "0123456789abcdef");
    assert_eq!((list[0]["messages"].as_u64(), list[0]["cost"].as_f64()), (Some(3), Some(0.75)));
    assert_eq!(list[0]["model"], "anthropic/claude-haiku-4-5");
    assert_eq!(list[0]["project"], env.root().to_str().unwrap());
}

#[test]
fn a_list_follows_what_changed_and_reports_what_is_not_a_session() {
    let env = env();
    let path = session(&env, &env.root(), "0123456789abcdef", "fix the parser");
    env.relay(&["sessions", "list"]).success();
    let line = "{\"type\":\"message\",\"id\":\"aaaaaaa4\",\"parentId\":\"aaaaaaa3\",\"message\":{\"role\":\"assistant\",\"model\":\"m\",\"usage\":{\"cost\":{\"total\":1}}}}\n";
    let grown = std::fs::read_to_string(&path).unwrap() + line;
    std::fs::write(&path, grown).unwrap();
    let garbage = path.with_file_name("2026_garbage.jsonl");
    std::fs::write(&garbage, "not a session").unwrap();
    let run = env.relay(&["sessions", "list", "--json"]).success();
    let list = json(&run.stdout);
    assert_eq!((list[0]["messages"].as_u64(), list[0]["cost"].as_f64()), (Some(4), Some(1.75)));
    assert!(run.stderr.contains("garbage.jsonl") && run.stderr.contains("left out"), "{}", run.stderr);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(
        json(&env.relay(&["sessions", "list", "--json"]).success().stdout).as_array().unwrap().len(),
        0
    );
    assert_eq!(std::fs::read_to_string(garbage).unwrap(), "not a session");
}

#[test]
fn a_session_is_shown_as_a_conversation_a_tree_or_a_document() {
    let env = env();
    session(&env, &env.root(), "0123456789abcdef", "fix the parser");
    let text = env.relay(&["sessions", "show", "0123"]).success().stdout;
    assert!(text.contains("fix the parser") && text.contains("Second"), "{text}");
    assert!(!text.contains("First answer") && !text.contains('\u{1b}'), "{text}");
    let tree = env.relay(&["sessions", "show", "0123", "--tree"]).success().stdout;
    assert!(tree.contains("aaaaaaa2") && tree.contains("First answer") && tree.contains("• "), "{tree}");
    let document = json(&env.relay(&["sessions", "show", "0123", "--json"]).success().stdout);
    assert_eq!(document["header"]["unknown"], 1);
    assert_eq!(document["entries"].as_array().unwrap().len(), 3);
    assert_eq!(document["leaf"], "aaaaaaa3");
}

#[test]
fn search_finds_words_in_any_session() {
    let env = env();
    session(&env, &env.root(), "0123456789abcdef", "fix the parser");
    session(&env, std::path::Path::new("/elsewhere"), "fedcba9876543210", "Parser of dates");
    let hits = json(&env.relay(&["sessions", "search", "--json", "PARSER"]).success().stdout);
    assert_eq!(hits.as_array().unwrap().len(), 2);
    let hits = json(&env.relay(&["sessions", "search", "--json", "dates", "parser"]).success().stdout);
    assert_eq!((hits[0]["entry"].as_str(), hits[0]["role"].as_str()), (Some("aaaaaaa1"), Some("user")));
    assert_eq!(hits[0]["session"]["project"], "/elsewhere");
    assert!(env.relay(&["sessions", "search", "nothing like it"]).success().stdout.contains("no session"));
}

#[test]
fn an_id_may_be_short_but_not_ambiguous() {
    let env = env();
    session(&env, &env.root(), "0123456789abcdef", "one");
    session(&env, &env.root(), "0123ffff00000000", "two");
    let run = env.relay(&["sessions", "show", "0123"]).run();
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("0123456789abcdef") && run.stderr.contains("0123ffff00000000"),
        "{}",
        run.stderr
    );
    assert!(env.relay(&["sessions", "show", "01234"]).success().stdout.contains("one"));
    let run = env.relay(&["sessions", "show", "9"]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("Session \"9\" not found."), "{}", run.stderr);
}

#[test]
fn a_session_is_named_labelled_and_copied() {
    let env = env();
    let path = session(&env, &env.root(), "0123456789abcdef", "fix the parser");
    let lines_before: Vec<String> =
        std::fs::read_to_string(&path).unwrap().lines().skip(1).map(str::to_owned).collect();
    env.relay(&["sessions", "rename", "0123", "my", "work"]).success();
    env.relay(&["sessions", "label", "0123", "aaaaaaa2", "good idea"]).success();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.lines().next().unwrap().contains("\"unknown\":1,\"title\":\"my work\",\"titleSource\":\"user\""),
        "{text}"
    );
    assert_eq!(text.lines().skip(1).take(3).collect::<Vec<_>>(), lines_before);
    assert!(env.relay(&["sessions", "list"]).success().stdout.contains("my work"));
    assert!(env.relay(&["sessions", "show", "0123", "--tree"]).success().stdout.contains("[good idea]"));
    std::fs::create_dir(path.with_extension("")).unwrap();
    std::fs::write(path.with_extension("").join("0.bash.log"), "output").unwrap();
    let id = env.relay(&["sessions", "fork", "0123"]).success().stdout.trim().to_owned();
    let copy = json(&env.relay(&["sessions", "show", &id, "--json"]).success().stdout);
    assert_eq!(copy["header"]["parentSession"], path.to_str().unwrap());
    assert_eq!(copy["entries"].as_array().unwrap().len(), 4);
    let artifact = PathBuf::from(copy["path"].as_str().unwrap()).with_extension("").join("0.bash.log");
    assert_eq!(std::fs::read_to_string(artifact).unwrap(), "output");
    let id = env.relay(&["sessions", "fork", "0123", "--at", "aaaaaaa2"]).success().stdout.trim().to_owned();
    let branch = env.relay(&["sessions", "show", &id, "--tree"]).success().stdout;
    assert!(
        branch.contains("First answer") && branch.contains("[good idea]") && !branch.contains("Second"),
        "{branch}"
    );
    let run = env.relay(&["sessions", "label", "0123", "ffff"]).run();
    assert_eq!(run.code, 2);
}

#[test]
fn deleting_needs_a_yes() {
    let env = env();
    let path = session(&env, &env.root(), "0123456789abcdef", "fix the parser");
    let run = env.relay(&["sessions", "delete", "0123"]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("--yes") && path.exists(), "{}", run.stderr);
    std::fs::create_dir(path.with_extension("")).unwrap();
    env.relay(&["sessions", "delete", "0123", "--yes"]).success();
    assert!(!path.exists() && !path.with_extension("").exists());
}

/// A session file of another program, as it wrote it.
fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../relay-agent/tests/fixtures/{name}.jsonl"))
}

#[test]
fn a_session_is_exported_to_standard_output_or_a_file() {
    let env = env();
    session(&env, &env.root(), "0123456789abcdef", "fix the <b>parser</b>");
    let page = env.relay(&["sessions", "export", "0123"]).success().stdout;
    assert!(
        page.starts_with("<!doctype html>") && page.contains("fix the &lt;b&gt;parser&lt;/b&gt;"),
        "{page}"
    );
    let text = env.relay(&["sessions", "export", "0123", "--format", "md"]).success().stdout;
    assert!(text.contains("## You\n\nfix the <b>parser</b>"), "{text}");
    let document = json(&env.relay(&["sessions", "export", "0123", "--format", "json"]).success().stdout);
    assert_eq!(document["entries"].as_array().unwrap().len(), 3);
    assert_eq!(document["usage"]["total"]["cost"], 0.75);
    // A name with a space works; a file that Relay exported is replaced, and any other is not.
    for _ in 0..2 {
        env.relay(&["sessions", "export", "0123", "-o", "my page.html"]).success();
    }
    assert_eq!(std::fs::read_to_string(env.root().join("my page.html")).unwrap(), page);
    env.write("mine.html", "<p>mine</p>");
    let run = env.relay(&["sessions", "export", "0123", "-o", "mine.html"]).run();
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert_eq!(std::fs::read_to_string(env.root().join("mine.html")).unwrap(), "<p>mine</p>");
}

#[test]
fn sessions_of_other_programs_are_imported_once() {
    let env = env();
    for (name, program) in [("claude", "Claude Code"), ("codex", "Codex"), ("pi", "pi"), ("oh-my-pi", "pi")] {
        let path = fixture(name);
        let run = env.relay(&["sessions", "import", path.to_str().unwrap(), "--json"]).success();
        let document = json(&run.stdout);
        assert_eq!(
            (&document[0]["status"], &document[0]["program"]),
            (&"imported".into(), &program.into()),
            "{document}"
        );
        let id = document[0]["id"].as_str().unwrap();
        let shown = env.relay(&["sessions", "show", id]).success().stdout;
        assert!(shown.contains("You are welcome."), "{shown}");
        let page = env.relay(&["sessions", "export", id]).success().stdout;
        assert!(page.contains("You are welcome.") && page.contains("missing-folder"), "{name}");
        let again = env.relay(&["sessions", "import", path.to_str().unwrap()]).success();
        assert!(again.stderr.contains("was imported before"), "{}", again.stderr);
    }
    let listed = json(&env.relay(&["sessions", "list", "--all", "--json"]).success().stdout);
    assert_eq!(listed.as_array().unwrap().len(), 4);
    assert!(listed[0]["project"] == "/home/me/greeter", "{listed}");
    let run = env.relay(&["sessions", "import", fixture("claude").to_str().unwrap(), "missing.jsonl"]).run();
    assert_eq!(run.code, 3, "{}", run.stderr);
}

#[test]
fn sessions_are_found_where_programs_keep_them() {
    let env = env();
    for (place, name) in [
        (".claude/projects/-home-me-greeter/5d1f799c.jsonl", "claude"),
        (".codex/sessions/2026/11/18/rollout-2026-11-18T08-19-52-01a1.jsonl", "codex"),
        (".pi/agent/sessions/--home-me-greeter--/a.jsonl", "pi"),
        (".omp/agent/sessions/-home-me-greeter/b.jsonl", "oh-my-pi"),
    ] {
        let path = env.home_path(place);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(fixture(name), path).unwrap();
    }
    let listed = env.relay(&["sessions", "import", "--from", "claude", "--list"]).success().stdout;
    assert!(listed.contains("5d1f799c.jsonl") && listed.lines().count() == 1, "{listed}");
    let run = env.relay(&["sessions", "import", "--from", "codex"]).success();
    assert!(run.stderr.contains("(Codex, 12 entries)") && run.stderr.contains("left out:"), "{}", run.stderr);
    let document = json(&env.relay(&["sessions", "import", "--from", "pi", "--json"]).success().stdout);
    assert_eq!(document.as_array().unwrap().len(), 2, "{document}");
}

#[test]
fn a_hostile_import_stays_in_its_folder() {
    let env = env();
    env.write(
        "evil.jsonl",
        "{\"type\":\"session\",\"version\":3,\"id\":\"../../../evil\",\"timestamp\":\"../x\",\"cwd\":\"../..\"}\n\
         {\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"data\":\"blob:sha256:../../etc/passwd\",\"mimeType\":\"image/png\"}]}}\n",
    );
    env.write("text.jsonl", "not a session\n");
    let run = env.relay(&["sessions", "import", "evil.jsonl"]).success();
    assert!(run.stderr.contains("1 × stored pictures that are missing"), "{}", run.stderr);
    let listed = json(&env.relay(&["sessions", "list", "--json"]).success().stdout);
    let path = PathBuf::from(listed[0]["path"].as_str().unwrap());
    assert_eq!(path.parent().unwrap(), folder(&env, &env.root()), "{listed}");
    let run = env.relay(&["sessions", "import", "text.jsonl"]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("not a session of pi"), "{}", run.stderr);
}
