//! Models as backends: asked without an agent in between, over HTTP.

use serde_json::{Value, json};
use testkit::TestEnv;
use testkit::model::{Failure, ModelServer, Reply, Request};

use crate::{PLAIN, json, project};

/// A project with the scripted server as every provider.
fn served() -> (TestEnv, ModelServer) {
    let (env, server) = (project(PLAIN), ModelServer::start());
    let url = server.url();
    let text = format!(
        "[providers.ollama]\nbase_url = \"{url}\"\nbase_url_env = \"\"\n[providers.anthropic]\nbase_url = \"{url}/v1\"\n"
    );
    let path = env.home_path(".config/relay/models.toml");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    (env, server)
}

fn ask(env: &TestEnv, arguments: &[&str]) -> (i32, Value) {
    let run = env
        .relay(&[&["ask", "--json", "Why?"], arguments].concat())
        .env("ANTHROPIC_API_KEY", "sk-test")
        .env("MY_KEY", "sk-mine")
        .run();
    (run.code, json(&run))
}

const HELLO: &str = "Hello from the scripted model.";

#[test]
fn ollama_a_provider_and_a_custom_server_answer() {
    let (env, server) = served();
    env.relay(&["config", "set", "backends.mine.url", &format!("{}/v1", server.url())]).success();
    env.relay(&["config", "set", "backends.mine.keyVariable", "MY_KEY"]).success();
    env.relay(&["config", "set", "backends.mine.model", "m2"]).success();
    for (arguments, model) in [
        (&["--to", "ollama", "--model", "m1"][..], "m1"),
        (&["--to", "mine"], "m2"),
        (&["--to", "mine", "--model", "m3"], "m3"),
        (&["--to", "anthropic/claude-opus-5-5"], "claude-opus-5-5"),
    ] {
        let (code, document) = ask(&env, arguments);
        assert_eq!((code, &document["answers"][0]["text"]), (0, &json!(HELLO)), "{arguments:?} {document:#}");
        assert_eq!(server.prompts().last().unwrap().model(), model);
    }
    assert!(server.prompts().iter().any(|request| request.key() == Some("sk-mine")));
    assert!(env.relay(&["backends"]).run().stdout.contains("mine  m2"));
    assert_eq!(ask(&env, &["--to", "mine", "--sandbox", "workspace-write"]).0, 2, "it has no hands");
}

#[test]
fn a_models_answer_must_match_the_schema_and_its_failures_are_reported() {
    let (env, server) = served();
    let schema = r#"{"type":"object","additionalProperties":false,"required":["n"],"properties":{"n":{"type":"integer"}}}"#;
    let to = ["--to", "anthropic/claude-opus-5-5"];
    let (code, document) = ask(&env, &[&to[..], &["--schema", schema]].concat());
    assert!(code == 0 && document["answers"][0]["data"]["n"].is_i64(), "{document:#}");
    assert!(server.prompts().iter().any(Request::wants_schema));
    server.queue(testkit::model::Answer::failure(Failure::Authentication));
    let (code, document) = ask(&env, &to);
    assert!(code == 1 && document["answers"][0]["error"].as_str().unwrap().contains("key"), "{document:#}");
}

#[test]
fn a_model_reviews() {
    let (env, server) = served();
    env.write("a.txt", "one\n");
    env.git(&["init", "-q"]);
    env.git(&["add", "-A"]);
    env.git(&["commit", "-qm", "first"]);
    env.write("a.txt", "one\ntwo\n");
    let finding = json!({"file": "a.txt", "line": 2, "severity": "blocker", "message": "no", "fix": null});
    server.queue(Reply::text(json!({"findings": [finding]}).to_string()));
    let arguments = ["review", "--json", "--uncommitted", "--to", "anthropic/claude-opus-5-5"];
    let run = env.relay(&arguments).env("ANTHROPIC_API_KEY", "sk-test").run();
    assert_eq!((run.code, &json(&run)["verdict"]), (1, &json!("iterate")), "{}", run.stdout);
    assert!(server.prompts()[0].body.to_string().contains("+two"));
}
