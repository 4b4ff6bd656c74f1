//! The real agents against a scripted model: asking, reviewing, writing, failing.
//!
//! `./test` installs codex and `./test --long` all four, and sets `RELAY_AGENTS` to the folder. If that fails, `./test`
//! says so, and these tests do nothing.

use std::path::PathBuf;

use serde_json::{Value, json};
use testkit::model::{Answer, ModelServer, Reply, Request};
use testkit::{Command, Run, TestEnv};

use crate::{PLAIN, json, project};

/// An agent, a repository, and the model that the agent asks.
struct Agent {
    name: &'static str,
    env: TestEnv,
    server: ModelServer,
    path: String,
}

/// The agent of this name, with a repository of one commit; `None` where it is not installed.
fn agent(name: &'static str) -> Option<Agent> {
    let is_quick = name == "codex" || std::env::var("RELAY_LONG_TESTS").is_ok_and(|value| value == "yes");
    let programs = PathBuf::from(std::env::var_os("RELAY_AGENTS")?).join("node_modules/.bin");
    if !is_quick || !programs.join(name).exists() {
        return None;
    }
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let env = project(PLAIN);
    env.write("a.txt", "one\n");
    env.git(&["init", "-q", "-b", "main"]);
    env.git(&["add", "-A"]);
    env.git(&["commit", "-qm", "first"]);
    let agent = Agent { name, env, server: ModelServer::start(), path };
    agent.introduce();
    Some(agent)
}

/// Each agent's name for its writing tool, and the arguments that create `new.txt`.
fn writing(agent: &Agent) -> (&'static str, Value) {
    let path = agent.env.root().canonicalize().unwrap().join("new.txt");
    match agent.name {
        "codex" => ("exec_command", json!({"cmd": "cat a.txt; echo new > new.txt; echo end"})),
        "claude" => ("Write", json!({"file_path": path, "content": "new\n"})),
        "gemini" => ("write_file", json!({"file_path": path, "content": "new\n"})),
        _ => ("write", json!({"filePath": path, "content": "new\n"})),
    }
}

impl Agent {
    /// Writes the settings that make the agent ask the scripted model.
    fn introduce(&self) {
        let home = |path: &str, text: String| {
            let path = self.env.home_path(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let url = self.server.url();
        match self.name {
            // Where commands may write, its sandbox creates an empty `.git` while a command runs, so this must not run
            // beside other tests.
            "codex" => home(
                ".codex/config.toml",
                format!(
                    "model = \"scripted-model\"\nmodel_provider = \"scripted\"\n[model_providers.scripted]\n\
                     name = \"scripted\"\nbase_url = \"{url}/v1\"\nenv_key = \"OPENAI_API_KEY\"\n\
                     wire_api = \"responses\"\nrequest_max_retries = 0\nstream_max_retries = 0\n\
                     [sandbox_workspace_write]\nexclude_slash_tmp = true\n"
                ),
            ),
            "gemini" => home(
                ".gemini/settings.json",
                json!({"security": {"auth": {"selectedType": "gemini-api-key"}}}).to_string(),
            ),
            _ => {}
        }
    }

    fn relay(&self, arguments: &[&str]) -> Command {
        let url = self.server.url();
        let opencode = json!({
            "autoupdate": false, "model": "scripted/scripted-model", "small_model": "scripted/scripted-model",
            "provider": {"scripted": {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": format!("{url}/v1"), "apiKey": "sk-test"},
                "models": {"scripted-model": {}},
            }},
        });
        self.env
            .relay(arguments)
            .env("PATH", &self.path)
            .env("OPENAI_API_KEY", "sk-test")
            .env("ANTHROPIC_API_KEY", "sk-test")
            .env("ANTHROPIC_BASE_URL", &url)
            .env("DISABLE_AUTOUPDATER", "1")
            .env("CLAUDE_CODE_MAX_RETRIES", "1")
            .env("GEMINI_API_KEY", "sk-test")
            .env("GOOGLE_GEMINI_BASE_URL", &url)
            .env("OPENCODE_CONFIG_CONTENT", &opencode.to_string())
            .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
    }

    /// Asks the agent, and returns the exit code and the document.
    fn ask(&self, arguments: &[&str]) -> (i32, Value) {
        let run = self.relay(&[&["ask", "--json", "--to", self.name], arguments].concat()).run();
        (run.code, json(&run))
    }

    /// Makes the model call the agent's own tool once, and then answer with this.
    fn script(&self, (tool, arguments): (&'static str, Value), text: &'static str) {
        self.server.respond(move |request| {
            if asks(request) && !is_result(&request.body.to_string()) {
                Reply::default().tool("call_1", tool, &arguments.to_string()).into()
            } else {
                Reply::text(text).into()
            }
        });
    }

    /// The result of the tool call that the agent sent to the model.
    fn tool_result(&self) -> String {
        let all = self.server.prompts();
        let result = all.iter().rev().map(|request| request.body.to_string()).find(|body| is_result(body));
        result.unwrap_or_else(|| panic!("{} gave the model no result", self.name))
    }
}

/// Whether this request belongs to the main conversation, in which the model has tools. Agents also make side
/// requests, to name a conversation or to choose a model.
fn asks(request: &Request) -> bool {
    request.body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
}

/// Whether the request carries the result of a tool call.
fn is_result(body: &str) -> bool {
    let keys = [
        "\"type\":\"function_call_output\"",
        "\"type\":\"tool_result\"",
        "\"functionResponse\":",
        "\"role\":\"tool\"",
    ];
    keys.iter().any(|key| body.contains(key))
}

fn text(document: &Value) -> &str {
    document["answers"][0]["text"].as_str().unwrap_or_else(|| panic!("no answer: {document:#}"))
}

fn error(document: &Value) -> &str {
    document["answers"][0]["error"].as_str().unwrap_or_else(|| panic!("no error: {document:#}"))
}

/// Asked for the first time, asked again in the same conversation, and streamed.
fn answers(name: &'static str) {
    let Some(agent) = agent(name) else { return };
    let (code, document) = agent.ask(&["What is this?", "--session", "mine"]);
    assert_eq!((code, text(&document)), (0, "Hello from the scripted model."), "{document:#}");
    assert!(agent.env.relay(&["session", "list"]).run().stdout.contains("mine"));
    let asked = agent.server.prompts().len();
    let (code, document) = agent.ask(&["And this?", "--session", "mine"]);
    assert_eq!((code, text(&document)), (0, "Hello from the scripted model."), "{document:#}");
    let again = agent.server.prompts();
    let knows_both = |request: &Request| {
        let body = request.body.to_string();
        body.contains("What is this?") && body.contains("And this?")
    };
    assert!(again.iter().skip(asked).any(knows_both), "{name} went on with the conversation");
    let run = agent.relay(&["ask", "--to", name, "--stream", "What is this?"]).run();
    assert_eq!((run.code, run.stdout.trim()), (0, "Hello from the scripted model."), "{}", run.stderr);
}

/// The model makes the agent write: without permission nothing changes, with permission it is one transaction.
fn writes(name: &'static str) {
    let Some(agent) = agent(name) else { return };
    let before = agent.env.tree();
    agent.script(writing(&agent), "I tried.");
    let (code, document) = agent.ask(&["please write"]);
    assert_eq!((code, text(&document)), (0, "I tried."), "{document:#}");
    assert_eq!(agent.env.tree(), before, "read-only: {}", agent.tool_result());
    let (code, document) = agent.ask(&["please write", "--sandbox", "workspace-write", "--yes"]);
    assert_eq!((code, &document["effect"]["status"]), (0, &json!("committed")), "{document:#}");
    assert_eq!(agent.env.read("new.txt"), "new\n");
    agent.env.relay(&["undo", "--yes"]).success();
    assert_eq!(agent.env.tree(), before);
}

/// A rejected key, and a model that hangs: everything the agent started ends with it.
fn fails(name: &'static str) {
    let Some(agent) = agent(name) else { return };
    agent.server.require_key("another");
    let (code, document) = agent.ask(&["q", "--timeout", "600"]);
    assert!(code == 1 && error(&document).contains("API key"), "{document:#}");
    agent.server.require_key("sk-test");
    agent.server.respond(|_| Answer::from(Reply::text("never whole")).stall_at(1));
    let (code, document) = agent.ask(&["q", "--timeout", "8"]);
    assert!(code == 1 && error(&document).contains("did not answer within 8 s"), "{document:#}");
    assert_eq!(left(&agent), "", "what the agent started has ended");
}

/// The processes whose home is the test's folder.
fn left(agent: &Agent) -> String {
    let home = agent.env.home_path("");
    let home = home.to_str().unwrap().trim_end_matches('/');
    let script = format!("grep -lsz '^HOME={home}$' /proc/[0-9]*/environ | grep -v \"/$$/\\|self\"");
    let found = agent.env.shell(&script).stdout;
    // The shell's own children have exited before they can be inspected.
    found.lines().filter(|line| std::path::Path::new(line).exists()).collect()
}

fn findings() -> String {
    json!({"findings": [
        {"file": "a.txt", "line": 2, "severity": "important", "message": "two is one too many", "fix": null}
    ]})
    .to_string()
}

/// Changes that are not committed are reviewed, and come back as findings.
fn reviews(name: &'static str, words: &str) {
    let Some(agent) = agent(name) else { return };
    agent.env.write("a.txt", "one\ntwo\n");
    agent.server.respond(|request| {
        if request.wants_schema() || asks(request) {
            Reply::text(findings()).into()
        } else {
            ModelServer::hello(request)
        }
    });
    let run = agent.relay(&["review", "--json", "--uncommitted", "--to", name]).run();
    let document = json(&run);
    assert_eq!((run.code, &document["verdict"]), (1, &json!("iterate")), "{document:#}");
    assert_eq!(document["findings"][0]["line"], 2, "{document:#}");
    let asked: String = agent.server.prompts().iter().map(|request| request.body.to_string()).collect();
    assert!(asked.contains(words), "{name} reviewed in its own way, or was given the changes");
}

/// Reviews a diff larger than the limit of a prompt.
fn reviews_a_large_diff(name: &'static str) -> Option<Run> {
    let agent = agent(name)?;
    agent.env.write("a.txt", &format!("one\n{}\n", "x".repeat(300_001)));
    agent.server.respond(|_| Reply::text(findings()).into());
    Some(agent.relay(&["review", "--uncommitted", "--to", name]).run())
}

#[test]
fn codex_answers() {
    answers("codex");
}

#[test]
fn codex_writes_only_with_permission_and_can_read_without() {
    writes("codex");
    let Some(agent) = agent("codex") else { return };
    agent.script(writing(&agent), "I looked.");
    assert_eq!(text(&agent.ask(&["look"]).1), "I looked.");
    let told = agent.tool_result();
    assert!(told.contains("one\\n") && told.contains("end"), "commands that read work: {told}");
}

#[test]
fn codex_fails_cleanly() {
    fails("codex");
}

#[test]
fn codex_reviews_in_its_own_way() {
    reviews("codex", "review");
}

/// Codex reads the diff itself, so the limit of a prompt does not apply.
#[test]
fn codex_reviews_a_diff_of_any_size() {
    let Some(run) = reviews_a_large_diff("codex") else { return };
    assert!(run.code == 1 && run.stdout.contains("two is one too many"), "{}{}", run.stdout, run.stderr);
}

#[test]
fn codex_answers_must_match_the_schema() {
    let Some(agent) = agent("codex") else { return };
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["n"], "properties": {"n": {"type": "integer"}},
    });
    let (code, document) = agent.ask(&["q", "--schema", &schema.to_string()]);
    assert!(code == 0 && document["answers"][0]["data"]["n"].is_i64(), "{document:#}");
    assert!(agent.server.prompts().iter().any(Request::wants_schema), "the model was held to it");
}

#[test]
fn claude_answers() {
    answers("claude");
}

#[test]
fn claude_writes_only_with_permission() {
    writes("claude");
}

#[test]
fn claude_keeps_to_its_limits() {
    let Some(agent) = agent("claude") else { return };
    agent.script(("Read", json!({"file_path": agent.env.root().join("a.txt")})), "I looked.");
    let (code, document) = agent.ask(&["look", "--max-turns", "1"]);
    assert!(
        code == 1 && document["answers"][0]["error"].as_str().unwrap().contains("--max-turns"),
        "{document:#}"
    );
    assert!(document["spent"]["turns"].as_u64() >= Some(1), "{document:#}");
    let (code, document) = agent.ask(&["look", "--max-turns", "9", "--max-cost", "5"]);
    assert_eq!((code, text(&document)), (0, "I looked."), "{document:#}");
    assert!(document["spent"]["cost"].is_f64(), "{document:#}");
}

#[test]
fn claude_fails_cleanly() {
    fails("claude");
}

#[test]
fn claude_is_given_the_changes_to_review() {
    reviews("claude", "+two");
    let Some(run) = reviews_a_large_diff("claude") else { return };
    assert!(run.code == 2 && run.stderr.contains("the diff is too large"), "{}", run.stderr);
}

#[test]
fn gemini_answers() {
    answers("gemini");
}

#[test]
fn gemini_writes_only_with_permission() {
    writes("gemini");
}

#[test]
fn gemini_fails_cleanly() {
    fails("gemini");
}

#[test]
fn opencode_answers() {
    answers("opencode");
}

#[test]
fn opencode_writes_only_with_permission() {
    writes("opencode");
}

#[test]
fn opencode_fails_cleanly() {
    fails("opencode");
}

#[test]
fn installed_agents_are_found() {
    let Some(agent) = agent("codex") else { return };
    let list = json(&agent.relay(&["backends", "--json"]).run());
    let codex = list.as_array().unwrap().iter().find(|backend| backend["name"] == "codex").unwrap();
    assert!(codex["version"].as_str().unwrap().contains('.'), "{codex:#}");
    assert_eq!(codex["loggedIn"], true);
}
