//! `relay models`.

use serde_json::Value;
use testkit::TestEnv;
use testkit::model::ModelServer;

use crate::{env, json};

/// An environment with local servers at addresses without a listener.
fn lonely() -> TestEnv {
    let env = env();
    settings(&env, "");
    env
}

fn settings(env: &TestEnv, more: &str) {
    let mut text = String::new();
    for name in ["lmstudio", "llamacpp", "vllm"] {
        text.push_str(&format!("[providers.{name}]\nbase_url = \"http://127.0.0.1:9/v1\"\n"));
    }
    if !more.contains("[providers.ollama]") {
        text.push_str("[providers.ollama]\nbase_url = \"http://127.0.0.1:9\"\nbase_url_env = \"\"\n");
    }
    let path = env.home_path(".config/relay/models.toml");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("{text}{more}")).unwrap();
}

fn find<'a>(document: &'a Value, list: &str, key: &str, value: &str) -> &'a Value {
    let list = document[list].as_array().unwrap();
    list.iter().find(|entry| entry[key] == value).unwrap_or_else(|| panic!("no {value} in {document:#}"))
}

#[test]
fn without_keys_and_servers_the_three_ways_to_continue_are_shown() {
    let run = lonely().relay(&["models"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (0, ""));
    for way in ["relay auth login", "Ollama", "relay prompt --copy", "relay watch"] {
        assert!(run.stderr.contains(way), "{}", run.stderr);
    }
}

#[test]
fn a_key_makes_a_providers_models_usable() {
    let env = lonely();
    let run = env.relay(&["models"]).env("ANTHROPIC_API_KEY", "sk-secret").run();
    assert!(run.stdout.contains("✓ anthropic/claude-opus-5-5"), "{}", run.stdout);
    assert!(!run.stdout.contains("openai/"), "{}", run.stdout);
    assert!(run.stderr.contains("ANTHROPIC_API_KEY"), "{}", run.stderr);
    assert!(!format!("{}{}", run.stdout, run.stderr).contains("sk-secret"));
    let document = json(&env.relay(&["models", "--all", "--json"]).env("OPENAI_API_KEY", "sk-secret").run());
    let opus = find(&document, "models", "selector", "anthropic/claude-opus-5-5");
    assert_eq!(
        (&opus["usable"], &opus["context"], &opus["prices"]["output"]),
        (&false.into(), &1_000_000.into(), &20.0.into())
    );
    assert_eq!(find(&document, "models", "selector", "openai/gpt-6-luna")["usable"], true);
    assert_eq!(find(&document, "providers", "name", "openai")["keys"][0], "OPENAI_API_KEY");
    assert!(!document.to_string().contains("sk-secret"));
}

#[test]
fn a_query_searches_all_models_and_says_if_none_matches() {
    let env = lonely();
    let run = env.relay(&["models", "haiku", "5.5"]).run();
    assert_eq!(run.code, 0);
    assert!(
        run.stdout.contains("anthropic/claude-haiku-5-5") && !run.stdout.contains("haiku-4-5"),
        "{}",
        run.stdout
    );
    let run = env.relay(&["models", "zzz"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("no known model matches `zzz`"), "{}", run.stderr);
}

#[test]
fn servers_on_this_machine_are_found_and_asked_what_they_serve() {
    let server = ModelServer::start();
    server.models(&["qwen3:8b", "hostile\u{1b}[31m"]);
    let env = lonely();
    settings(&env, "[providers.ollama]\nbase_url = \"http://127.0.0.1:9\"\n");
    let run = env.relay(&["models"]).env("OLLAMA_HOST", &server.address().to_string()).run();
    assert!(run.stdout.contains("✓ ollama/qwen3:8b"), "{}{}", run.stdout, run.stderr);
    assert!(!run.stdout.contains("hostile") && !run.stdout.contains('\u{1b}'), "{}", run.stdout);
    settings(
        &env,
        &format!(
            "[providers.office]\nwire = \"openai-chat\"\nbase_url = \"{}/v1\"\nauth = \"none\"\nlocal = true\n",
            server.url()
        ),
    );
    let document = json(&env.relay(&["models", "--json"]).run());
    assert_eq!(find(&document, "models", "selector", "office/qwen3:8b")["usable"], true);
    assert_eq!(find(&document, "providers", "name", "office")["answers"], true);
    assert_eq!(find(&document, "providers", "name", "vllm")["answers"], false);
    let asked = server.requests().len();
    let run = env.relay(&["models", "--offline"]).run();
    assert!(run.stdout.is_empty() && run.stderr.contains("--offline"), "{}", run.stderr);
    assert_eq!(server.requests().len(), asked, "no one was asked");
    let run = env.relay(&["doctor"]).run();
    assert!(run.stdout.contains("office with 1 model at"), "{}", run.stdout);
}

#[test]
fn a_server_with_another_protocol_is_not_a_model_server() {
    let env = lonely();
    let server = ModelServer::start();
    settings(&env, &format!("[providers.ollama]\nbase_url = \"{}/nothing\"\n", server.url()));
    let document = json(&env.relay(&["models", "--json"]).run());
    assert_eq!(find(&document, "providers", "name", "ollama")["answers"], false);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_broken_models_toml_is_reported_with_its_line_and_path() {
    let env = env();
    settings(&env, "[providers.x]\nwire = \"telepathy\"\n");
    let run = env.relay(&["models", "--offline"]).run();
    assert_eq!(run.code, 1);
    assert!(
        run.stderr.contains("telepathy") && run.stderr.contains(".config/relay/models.toml"),
        "{}",
        run.stderr
    );
    let run = env.relay(&["doctor", "--offline"]).run();
    assert!(run.code == 1 && run.stdout.contains("✗ models"), "{}", run.stdout);
}

#[test]
fn a_repository_cannot_configure_models() {
    let env = lonely();
    let planted =
        "[providers.evil]\nwire = \"openai-chat\"\nbase_url = \"http://192.0.2.9\"\nauth = \"none\"\n";
    for place in ["models.toml", ".relay/models.toml", ".config/relay/models.toml", ".relaycode/models.toml"]
    {
        env.write(place, planted);
    }
    env.write(".env", "ANTHROPIC_API_KEY=sk-planted\nOPENAI_BASE_URL=http://192.0.2.9\n");
    env.write(
        ".relaycode/credentials.json",
        r#"{"version":1,"providers":{"openai":[{"label":"x","key":"sk-planted"}]}}"#,
    );
    let document = json(&env.relay(&["models", "--all", "--json", "--offline"]).run());
    assert!(
        !document.to_string().contains("evil") && !document.to_string().contains("192.0.2.9"),
        "{document:#}"
    );
    assert_eq!(find(&document, "providers", "name", "anthropic")["usable"], false);
    let run = env.relay(&["auth", "status"]).run();
    assert!(!run.stdout.contains('✓'), "{}", run.stdout);
}
