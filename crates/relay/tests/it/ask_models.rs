//! `relay ask` to models themselves: answers, failures, and fallbacks.

use serde_json::Value;
use testkit::TestEnv;
use testkit::model::{Answer, Delivery, Failure, ModelServer, Reply};

use crate::{PLAIN, json, project};

pub(crate) const MODEL: &str = "anthropic/claude-sonnet-5";

/// A project with a user who has two providers, each a scripted server, and short pauses.
pub(crate) struct Lab {
    pub env: TestEnv,
    pub first: ModelServer,
    pub second: ModelServer,
}

impl Lab {
    pub fn new(retry: &str) -> Self {
        let lab = Self { env: project(PLAIN), first: ModelServer::start(), second: ModelServer::start() };
        for setting in ["baseDelayMs=1", "requestMaxRetries=0", "streamMaxRetries=0"] {
            lab.set(setting);
        }
        retry.split_whitespace().for_each(|setting| lab.set(setting));
        lab
    }

    pub fn set(&self, setting: &str) {
        let (name, value) = setting.split_once('=').unwrap();
        self.env.relay(&["config", "set", &format!("retry.{name}"), value]).success();
    }

    pub fn command(&self, arguments: &[&str]) -> testkit::Command {
        self.relay(&[&["ask", "--to", MODEL], arguments].concat())
    }

    /// Relay, with a key for each of the two.
    pub fn relay(&self, arguments: &[&str]) -> testkit::Command {
        self.env
            .relay(arguments)
            .env("ANTHROPIC_BASE_URL", &self.first.url())
            .env("ANTHROPIC_API_KEY", "sk-first")
            .env("OPENAI_BASE_URL", &format!("{}/v1", self.second.url()))
            .env("OPENAI_API_KEY", "sk-second")
    }

    /// The exit code, the first answer, and the notes.
    pub fn ask(&self, arguments: &[&str]) -> (i32, Value, String) {
        let run = self.command(&[&["--json", "hello"], arguments].concat()).run();
        (run.code, json(&run)["answers"][0].clone(), run.stderr)
    }
}

#[test]
fn an_answer_streams_out_and_is_a_document_with_json() {
    let lab = Lab::new("");
    let run = lab.command(&[]).stdin("from a pipe").run();
    assert_eq!(
        (run.code, run.stdout.as_str(), run.stderr.as_str()),
        (0, "Hello from the scripted model.\n", "")
    );
    assert!(lab.first.prompts()[0].body.to_string().contains("from a pipe"));
    let (code, answer, _) = lab.ask(&[]);
    assert_eq!(
        (code, &answer["text"], &answer["model"]),
        (0, &"Hello from the scripted model.".into(), &MODEL.into())
    );
}

#[test]
fn part_of_a_models_name_is_enough_if_unambiguous() {
    let lab = Lab::new("");
    let ask = |to: &str| lab.relay(&["ask", "--json", "hello", "--to", to]).run();
    assert_eq!(json(&ask("sonnet-5:low"))["answers"][0]["model"], MODEL);
    let run = lab.relay(&["ask", "--json", "hello", "--to", MODEL, "--model", "haiku-5-5"]).run();
    assert_eq!(json(&run)["answers"][0]["model"], "anthropic/claude-haiku-5-5", "--model goes before");
    let run = ask("sonnet");
    assert!(run.code == 2 && run.stdout.contains("may mean anthropic/claude-sonnet"), "{run:?}");
    let run = ask("cladue");
    assert!(run.code == 2 && run.stdout.contains("unsupported backend `cladue`"), "{run:?}");
}

#[test]
fn a_model_is_retried_as_the_settings_say() {
    let lab = Lab::new("maxRetries=2");
    lab.first.respond(|_| Answer::failure(Failure::Overloaded));
    let (code, answer, notes) = lab.ask(&[]);
    assert_eq!((code, lab.first.prompts().len()), (1, 3), "{answer}");
    assert!(notes.contains("note: anthropic: Overloaded; asking anthropic/claude-sonnet-5 in"), "{notes}");
    assert!(answer["hint"].as_str().unwrap().starts_with("Try again later"), "{answer}");

    let lab = Lab::new("enabled=false");
    lab.first.respond(|_| Answer::failure(Failure::Overloaded));
    assert_eq!((lab.ask(&[]).0, lab.first.prompts().len()), (1, 1));

    let lab = Lab::new("requestMaxRetries=1 maxRetries=0");
    lab.first.queue(Answer::failure(Failure::Overloaded));
    assert_eq!((lab.ask(&[]).0, lab.first.prompts().len()), (0, 2));
}

#[test]
fn a_pause_beyond_the_limit_is_reported_instead_of_waited_for() {
    let lab = Lab::new("maxDelayMs=1000");
    lab.first.respond(|_| Answer::rate_limited(400));
    let (code, answer, _) = lab.ask(&[]);
    assert_eq!((code, lab.first.prompts().len()), (1, 1));
    assert!(answer["hint"].as_str().unwrap().contains("wait 400 s"), "{answer}");
}

#[test]
fn a_fallback_model_answers_if_configured() {
    let lab = Lab::new("");
    lab.first.respond(|_| Answer::failure(Failure::Quota));
    assert_eq!(lab.ask(&[]).0, 1);
    assert!(lab.second.requests().is_empty(), "no backend is asked unasked");
    lab.set("fallback=[\"openai/gpt-5\"]");
    let (code, answer, notes) = lab.ask(&[]);
    assert_eq!((code, &answer["model"]), (0, &"openai/gpt-5".into()), "{answer}");
    assert!(notes.contains("asking openai/gpt-5"), "{notes}");
    // A prompt that is too long for this model may be too long for the next one as well.
    lab.first.respond(|_| Answer::failure(Failure::ContextOverflow));
    assert_eq!(lab.ask(&[]).0, 1);
    assert_eq!(lab.second.prompts().len(), 1);
}

#[test]
fn a_partly_shown_answer_is_not_followed_by_another() {
    let lab = Lab::new("fallback=[\"openai/gpt-5\"]");
    lab.first.queue(Answer::from(Reply::text("a".repeat(200))).drop_at(8));
    let run = lab.command(&["hello"]).run();
    assert_eq!((run.code, lab.first.prompts().len(), lab.second.prompts().len()), (1, 1, 0));
    assert!(run.stdout.starts_with("aaa") && run.stdout.ends_with("a\n"), "{:?}", run.stdout);
    assert!(run.stderr.starts_with("✗ anthropic/claude-sonnet-5 failed: "), "{}", run.stderr);
}

#[test]
fn failures_say_what_to_do() {
    let lab = Lab::new("enabled=false");
    for (answer, hint) in [
        (Answer::failure(Failure::Authentication), "relay auth status"),
        (Answer::failure(Failure::NotFound), "relay models"),
        (Answer::html(200), "base URL"),
    ] {
        lab.first.queue(answer);
        let (code, answer, _) = lab.ask(&[]);
        assert!(code == 1 && answer["hint"].as_str().unwrap().contains(hint), "{answer}");
        assert!(!answer.to_string().contains("sk-first"), "{answer}");
    }
    let asked = lab.first.requests().len();
    let run =
        lab.env.relay(&["--offline", "ask", "hello", "--to", MODEL]).env("ANTHROPIC_API_KEY", "k").run();
    assert!(run.code == 1 && run.stderr.contains("Leave out --offline"), "{run:?}");
    assert_eq!(lab.first.requests().len(), asked);
}

#[test]
fn the_time_limit_covers_all_attempts() {
    let lab = Lab::new("maxRetries=1000 baseDelayMs=600000 maxDelayMs=600000");
    lab.first.respond(|_| Answer::failure(Failure::Overloaded));
    // It ends in the pause before the second attempt; on a busy machine, one second may be too short for the first.
    let fails = |seconds: &&str| {
        let (code, answer, _) = lab.ask(&["--timeout", seconds]);
        assert_eq!(code, 1, "{answer}");
        answer["error"].as_str().unwrap().ends_with("Overloaded")
    };
    assert!(["1", "10", "100"].iter().any(fails));
    let stalled = Delivery { stall_at: Some(0), ..Delivery::default() };
    lab.first.respond(move |_| Answer::from(Reply::text("x")).delivery(stalled.clone()));
    let (code, answer, _) = lab.ask(&["--timeout", "1"]);
    assert!(code == 1 && answer["error"].as_str().unwrap().contains("did not answer within 1 s"), "{answer}");
}

#[test]
fn an_interrupt_closes_the_connection() {
    let lab = Lab::new("");
    lab.first.queue(Answer::from(Reply::text("x".repeat(100))).stall_at(3));
    let running = lab.command(&["hello"]).spawn();
    drop(lab.first.wait_for_requests(1));
    running.signal("INT");
    assert_eq!(running.wait().code, 130);
    let _closed = lab.first.wait_for_close(0);
}

#[test]
fn a_model_server_that_is_not_running_fails_at_once_and_says_how_to_start_it() {
    let env = project(PLAIN);
    // A port that was free a moment ago and has no listener.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let host = format!("127.0.0.1:{port}");
    let run = env.relay(&["ask", "--to", "ollama/qwen3:8b", "hello"]).env("OLLAMA_HOST", &host).run();
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains(&format!("no server is running at {host}")), "{}", run.stderr);
    assert!(run.stderr.contains("`ollama serve`"), "{}", run.stderr);
    assert!(!run.stderr.contains("asking again"), "it is not tried again: {}", run.stderr);
}
