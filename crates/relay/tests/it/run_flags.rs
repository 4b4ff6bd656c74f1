//! Options of `relay`, `relay run` and `relay rpc` that people know from other agents.

use serde_json::{Value, json};
use testkit::model::{Answer, Reply};

use crate::lab::Lab;

/// Two models that say their own names, and one that needs a key.
fn lab() -> Lab {
    let lab = Lab::new();
    let keyed = format!(
        "[[providers.lab.models]]\nid = \"m\"\n[[providers.lab.models]]\nid = \"other\"\n\
         [providers.keyed]\nwire = \"openai-chat\"\nbase_url = \"{}/v1\"\nkey_env = [\"KEYED_API_KEY\"]\n",
        lab.server.url()
    );
    lab.models("openai-chat", "/v1", &keyed);
    lab.server.respond(|request| Reply::text(format!("I am {}.", request.model())).into());
    lab
}

/// Standard output of a run that must succeed.
#[track_caller]
fn says(lab: &Lab, arguments: &[&str]) -> String {
    lab.env.relay(arguments).success().stdout.trim().to_owned()
}

#[test]
fn a_model_is_named_through_its_provider() {
    let lab = lab();
    assert_eq!(says(&lab, &["run", "--provider", "lab", "--model", "other", "hi"]), "I am other.");
    assert_eq!(says(&lab, &["run", "--provider", "lab", "hi"]), "I am m.", "its first model");
    let run = lab.env.relay(&["run", "--provider", "lap", "hi"]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("unknown provider `lap`. Did you mean `lab`?"), "{}", run.stderr);
}

#[test]
fn a_key_from_the_command_line_goes_only_to_the_models_provider() {
    let lab = lab();
    let run = lab.env.relay(&["run", "--model", "keyed/x", "hi"]).run();
    assert_eq!(run.code, 2, "there is no key: {}", run.stderr);
    lab.server.require_key("sk-line");
    assert_eq!(says(&lab, &["run", "--model", "keyed/x", "--api-key", "sk-line", "hi"]), "I am x.");
    assert_eq!(lab.server.requests().pop().unwrap().key(), Some("sk-line"));
    let run = lab.env.relay(&["run", "--api-key", "sk-line", "hi"]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("--api-key needs --model or --provider"), "{}", run.stderr);
    let list = lab.env.relay(&["auth", "status"]).success().stdout;
    assert!(!list.contains("command line"), "it is not kept: {list}");
}

#[test]
fn thinking_and_the_providers_session_go_into_the_request() {
    let lab = lab();
    let thinking = "[[providers.lab.models]]\nid = \"m\"\nthinking = \"effort\"\n";
    lab.models("openai-chat", "/v1", thinking);
    says(&lab, &["run", "--model", "lab/m", "--thinking", "high", "--provider-session-id", "mine", "hi"]);
    let body = lab.last_body();
    assert_eq!(
        (&body["reasoning_effort"], &body["prompt_cache_key"]),
        (&json!("high"), &json!("mine")),
        "{body}"
    );
    let run = lab.env.relay(&["run", "--thinking", "hard", "hi"]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("use off, minimal, low"), "{}", run.stderr);
}

#[test]
fn the_small_model_can_be_changed_for_a_run() {
    let lab = lab();
    lab.config("[modelRoles]\nsmol = \"lab/unused\"\n");
    lab.server.respond(|request| match request.model().as_str() {
        "tiny" => Answer::from(Reply::text("Greetings")),
        _ => Answer::from(Reply::text("Hello.").delta(1)).pause(std::time::Duration::from_millis(20)),
    });
    says(&lab, &["run", "--model", "lab/m", "--smol", "lab/tiny", "hello there"]);
    let asked: Vec<String> = lab.server.requests().iter().map(testkit::model::Request::model).collect();
    assert!(asked.contains(&"tiny".to_owned()) && !asked.contains(&"unused".to_owned()), "{asked:?}");
    assert!(says(&lab, &["sessions", "list"]).contains("Greetings"));
}

#[test]
fn the_command_line_chooses_the_models_to_switch_between() {
    let lab = lab();
    let mut client = lab.rpc(&["--models", "lab/m,lab/o*"]);
    let first = client.get("cycle_model", json!({}));
    assert_eq!((&first["model"]["id"], &first["isScoped"]), (&json!("other"), &json!(true)), "{first}");
    assert_eq!(client.get("cycle_model", json!({}))["model"]["id"], "m");
    let run = lab.env.relay(&["run", "--models", "nothing*", "hi"]).run();
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("unknown model `nothing*`"), "{}", run.stderr);
    assert_eq!(says(&lab, &["run", "--models", "lab/other", "hi"]), "I am other.", "the first of them");
}

#[test]
fn models_are_listed_without_a_run() {
    let lab = lab();
    for arguments in [["--list-models", "oth"].as_slice(), &["run", "--list-models", "oth"]] {
        let list = says(&lab, arguments);
        assert!(list.contains("lab/other") && !list.contains("lab/m "), "{list}");
    }
    assert_eq!(lab.env.relay(&["--list-models", "no-such-model"]).run().code, 1);
    assert!(lab.server.prompts().is_empty());
}

#[test]
fn a_copy_of_a_session_continues_and_the_original_stays() {
    let lab = lab();
    let (_, first) = lab.json(&["remember seven"]);
    let id = first["sessionId"].as_str().unwrap();
    let (code, copy) = lab.json(&["--fork", id, "which number?"]);
    assert_eq!(code, 0, "{copy}");
    assert_ne!(copy["sessionId"], first["sessionId"]);
    assert!(lab.last_body().to_string().contains("remember seven"));
    let count = |id: &str| says(&lab, &["sessions", "show", id]).matches("which number?").count();
    assert_eq!((count(id), count(copy["sessionId"].as_str().unwrap())), (0, 1));
    let run = lab.run(&["--fork", id, "--no-session", "x"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
}

#[test]
fn sessions_can_be_kept_in_another_folder() {
    let lab = lab();
    let folder = lab.env.home_path("elsewhere");
    let folder = folder.to_str().unwrap();
    let (code, first) = lab.json(&["--session-dir", folder, "remember seven"]);
    assert_eq!(code, 0, "{first}");
    assert!(says(&lab, &["sessions", "list", "--session-dir", folder]).contains("remember seven"));
    assert!(!says(&lab, &["sessions", "list"]).contains("remember seven"));
    let (code, second) = lab.json(&["--session-dir", folder, "--continue", "which?"]);
    assert_eq!((code, &second["sessionId"]), (0, &first["sessionId"]), "{second}");
    lab.env.write("file", "");
    let run = lab.run(&["--session-dir", "file", "x"]);
    assert_eq!((run.code, run.stderr.contains("it is not a folder")), (2, true), "{}", run.stderr);
}

#[test]
fn a_session_is_written_as_a_page_without_a_run() {
    let lab = lab();
    let (_, first) = lab.json(&["remember seven"]);
    let asked = lab.server.prompts().len();
    let id = first["sessionId"].as_str().unwrap();
    let run = lab.env.relay(&["--export", id, "page.html"]).success();
    assert!(run.stderr.contains("exported to page.html"), "{}", run.stderr);
    assert!(lab.env.read("page.html").contains("remember seven"));
    assert_eq!(lab.server.prompts().len(), asked);
    assert_eq!(lab.env.relay(&["--export", "zzz"]).run().code, 2);
}

#[test]
fn without_a_terminal_the_agent_prints_or_speaks_json() {
    let lab = lab();
    assert_eq!(says(&lab, &["--model", "lab/m", "-p", "hi"]), "I am m.");
    assert_eq!(says(&lab, &["--model", "lab/m", "--print", "--", "hi"]), "I am m.");
    assert_eq!(says(&lab, &["--model", "lab/m", "--mode", "text", "--", "hi"]), "I am m.");
    for arguments in [
        ["run", "--model", "lab/m", "--mode", "json", "hi"].as_slice(),
        &["--model", "lab/m", "--mode", "json", "--", "hi"],
    ] {
        let lines = says(&lab, arguments);
        let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        assert_eq!(first["type"], "agent_start", "{lines}");
    }
    for arguments in
        [["run", "--model", "lab/m", "--mode", "rpc"].as_slice(), &["--model", "lab/m", "--mode", "rpc"]]
    {
        let run = lab.env.relay(arguments).stdin("{\"type\":\"hello\",\"id\":1}\n").success();
        assert!(
            run.stdout.starts_with("{\"type\":\"ready\"") || run.stdout.contains("\"ready\""),
            "{}",
            run.stdout
        );
        assert!(run.stdout.contains("\"command\":\"hello\""), "{}", run.stdout);
    }
    let run = lab.env.relay(&["run", "--mode", "acp", "hi"]).run();
    assert_eq!(run.code, 2, "not there yet: {}", run.stderr);
}

#[test]
fn language_servers_and_terminals_are_switched_off_for_a_run() {
    let lab = lab();
    let mut client = lab.rpc(&["--no-lsp", "--no-pty"]);
    for (key, value) in [("lsp.enabled", "false"), ("bash.noPty", "true")] {
        let setting = client.get("get_setting", json!({ "key": key }));
        assert_eq!(
            (&setting["value"], &setting["source"]),
            (&json!(value), &json!("command line")),
            "{setting}"
        );
    }
}

#[test]
fn skills_are_listed_and_printed() {
    let lab = lab();
    let run = lab.env.relay(&["skills"]).success();
    assert!(run.stderr.contains("no skills yet"), "{}", run.stderr);
    lab.own("skills/wave/SKILL.md", "---\nname: wave\ndescription: Waves slowly\n---\nWave.\n");
    assert!(says(&lab, &["skills"]).contains("wave  Waves slowly"));
    assert!(says(&lab, &["skills", "wave"]).ends_with("Wave."));
    let document: Value = serde_json::from_str(&says(&lab, &["skills", "--json"])).unwrap();
    assert_eq!(
        (&document["skills"][0]["name"], &document["skills"][0]["location"]),
        (&json!("wave"), &json!("user"))
    );
    let run = lab.env.relay(&["skills", "wafe"]).run();
    assert_eq!((run.code, run.stderr.contains("Did you mean `wave`?")), (2, true), "{}", run.stderr);
    lab.config("[skills]\nenabled = false\n");
    let run = lab.env.relay(&["skills"]).success();
    assert!(run.stderr.contains("relay config set skills.enabled true"), "{}", run.stderr);
}
