//! Limits of money, turns and time on questions and reviews: they stop before the next request, or refuse a backend
//! that cannot obey them.

use testkit::model::{Answer, Failure, Reply, Usage};

use crate::ask_models::{Lab, MODEL};
use crate::{PLAIN, json, project};

/// The expected error text.
#[track_caller]
fn check(answer: &serde_json::Value, error: &str, hint: &str) {
    assert!(answer["error"].as_str().unwrap().contains(error), "{answer}");
    assert!(answer["hint"].as_str().unwrap().contains(hint), "{answer}");
}

/// Writes the user's `models.toml`.
fn describe(lab: &Lab, text: &str) {
    std::fs::write(lab.env.home_path(".config/relay/models.toml"), text).unwrap();
}

#[test]
fn retried_turns_count() {
    let lab = Lab::new("");
    lab.first.respond(|_| Answer::failure(Failure::Overloaded));
    let run = lab.command(&["--json", "hello", "--max-turns", "2"]).run();
    let document = json(&run);
    assert_eq!((run.code, lab.first.prompts().len()), (1, 2), "{document:#}");
    check(&document["answers"][0], "Overloaded; not asked again: only 2 turns are allowed", "--max-turns");
    assert_eq!(document["spent"]["turns"], 2);
    lab.env.relay(&["config", "set", "backends.maxTurns", "1"]).success();
    assert_eq!((lab.ask(&[]).0, lab.first.prompts().len()), (1, 3), "the setting holds");
    assert_eq!(
        (lab.ask(&["--max-turns", "none"]).0, lab.first.prompts().len()),
        (1, 7),
        "unless it is taken away"
    );
}

#[test]
fn a_fallback_is_a_turn_too() {
    let lab = Lab::new("fallback=[\"openai/gpt-5\"]");
    lab.first.respond(|_| Answer::failure(Failure::Quota));
    let (code, answer, _) = lab.ask(&["--max-turns", "1"]);
    check(&answer, "one turn is allowed", "--max-turns");
    assert_eq!((code, lab.second.prompts().len()), (1, 0));
    assert_eq!((lab.ask(&["--max-turns", "2"]).0, lab.second.prompts().len()), (0, 1));
}

#[test]
fn cost_is_computed_from_the_usage_that_the_provider_reports() {
    let lab = Lab::new("");
    let usage = Usage { input: 1_000_000, output: 10, cache_read: 0, cache_write: 0, reasoning: 0 };
    let broken = move || Answer::from(Reply::text("a".repeat(200)).usage(usage)).drop_at(8);
    lab.first.queue(broken());
    let run = lab.command(&["--json", "hello"]).run();
    let document = json(&run);
    assert_eq!(
        (run.code, lab.first.prompts().len()),
        (0, 2),
        "what was not shown is asked for again: {document:#}"
    );
    let cost = document["spent"]["cost"].as_f64().unwrap();
    assert!((2.0..2.1).contains(&cost), "a million tokens at 2 dollars: {document:#}");
    lab.first.queue(broken());
    let (code, answer, _) = lab.ask(&["--max-cost", "$0.50"]);
    check(&answer, "not asked again: the limit of $0.5 is used up ($2.0", "--max-cost");
    assert_eq!((code, lab.first.prompts().len()), (1, 3));
}

#[test]
fn a_model_without_a_price_is_refused_before_it_is_asked() {
    let lab = Lab::new("");
    let ask = |to: &str| lab.relay(&["ask", "--json", "hello", "--max-cost", "1", "--to", to]).run();
    let run = ask("openai/gpt-of-the-future");
    assert_eq!((run.code, lab.second.requests().len()), (2, 0), "{run:?}");
    assert!(run.stdout.contains("the price of openai/gpt-of-the-future is unknown"), "{}", run.stdout);
    assert!(run.stdout.contains("models.toml"), "{}", run.stdout);
    describe(
        &lab,
        "[[providers.openai.models]]\nid = \"gpt-of-the-future\"\nprice = { input = 1, output = 2 }\n",
    );
    assert_eq!(ask("openai/gpt-of-the-future").code, 0);
    // A fallback model is skipped instead.
    lab.set("fallback=[\"openai/gpt-6\",\"openai/gpt-of-the-future\"]");
    lab.first.respond(|_| Answer::failure(Failure::Quota));
    let document = json(&ask(MODEL));
    assert_eq!(document["answers"][0]["model"], "openai/gpt-of-the-future", "{document:#}");
}

#[test]
fn a_pause_that_would_exceed_the_time_limit_is_not_started() {
    let lab = Lab::new("baseDelayMs=600000 maxDelayMs=600000");
    lab.first.respond(|_| Answer::failure(Failure::Overloaded));
    let (code, answer, _) = lab.ask(&["--max-time", "5m"]);
    check(&answer, "not asked again: the time limit of 300 s is reached", "--max-time");
    assert_eq!((code, lab.first.prompts().len()), (1, 1));
}

#[test]
fn invalid_limits_are_bad_usage() {
    let env = project(PLAIN);
    for (flag, value) in [
        ("--max-cost", "0"),
        ("--max-cost", "much"),
        ("--max-cost", "-1"),
        ("--max-turns", "0"),
        ("--max-turns", "1.5"),
        ("--max-time", "soon"),
    ] {
        for command in ["ask", "review"] {
            let run = env.relay(&[command, &format!("{flag}={value}")]).run();
            assert!(run.code == 2 && run.stderr.contains("expected "), "{command} {flag} {value}: {run:?}");
        }
    }
    assert!(env.relay(&["config", "set", "backends.maxCost", "much"]).run().stderr.contains("0.50 or $2"));
}

#[test]
fn an_agent_that_cannot_obey_a_limit_is_refused_by_name() {
    let env = project(PLAIN);
    env.relay(&["config", "set", "backends.mine.command", "[\"cat\"]"]).success();
    for (name, flag, what) in [
        ("codex", "--max-cost", "codex cannot be limited to an amount of money (--max-cost)"),
        ("gemini", "--max-turns", "gemini cannot be limited to a number of turns (--max-turns)"),
        ("mine", "--max-cost", "mine cannot be limited to an amount of money"),
    ] {
        for command in [&["ask", "hello"][..], &["review", "--uncommitted"]] {
            let run = env.relay(&[command, &["--to", name, flag, "1"]].concat()).run();
            assert!(run.code == 2 && run.stderr.contains(what), "{run:?}");
        }
    }
    // The limits of the settings apply to the review of a reply too, and the hint says so there as well.
    env.relay(&["config", "set", "backends.maxCost", "1"]).success();
    let run = env.relay(&["apply", "--review", "mine"]).stdin(&crate::reply(1, "a.txt", "a")).run();
    assert!(run.code == 2 && run.stderr.contains("`relay config unset backends.maxCost`"), "{run:?}");
    env.relay(&["config", "unset", "backends.maxCost"]).success();
    let list = json(&env.relay(&["backends", "--json"]).run());
    let can = |name: &str| {
        list.as_array().unwrap().iter().find(|one| one["name"] == name).unwrap()["capabilities"]["maxCost"]
            .clone()
    };
    assert_eq!((can("claude"), can("codex")), (true.into(), false.into()));
}

#[test]
fn a_program_is_stopped_when_its_time_is_up() {
    let env = project(PLAIN);
    env.relay(&["config", "set", "backends.slow.command", "[\"sleep\", \"600\"]"]).success();
    let run = env.relay(&["ask", "hello", "--to", "slow", "--max-time", "1s"]).run();
    assert!(
        run.code == 1 && run.stderr.contains("slow was ended: the time limit of 1 s is reached"),
        "{run:?}"
    );
    assert!(run.stderr.contains("--max-time"), "{}", run.stderr);
}

#[test]
fn each_of_several_has_its_own_turns() {
    let lab = Lab::new("");
    let run = lab.command(&["--json", "hello", "--max-turns", "1", "--to", "openai/gpt-5"]).run();
    let document = json(&run);
    assert_eq!((run.code, document["spent"]["turns"].as_u64()), (0, Some(2)), "{document:#}");
}

#[test]
fn limits_apply_to_reviews_too() {
    let lab = Lab::new("");
    lab.env.write("a.txt", "old\n");
    lab.env.git(&["init", "-q", "-b", "main"]);
    lab.env.git(&["add", "-A"]);
    lab.env.git(&["commit", "-qm", "first"]);
    lab.env.write("a.txt", "new\n");
    lab.first.respond(|_| Answer::failure(Failure::Overloaded));
    let review = |arguments: &[&str]| {
        let all = [&["review", "--uncommitted", "--json", "--to", MODEL], arguments].concat();
        let run = lab.relay(&all).run();
        (run.code, json(&run))
    };
    let (code, document) = review(&["--max-turns", "1"]);
    assert_eq!((code, lab.first.prompts().len()), (2, 1), "{document:#}");
    check(&document["failed"][0], "not asked again: only one turn is allowed", "--max-turns");
    assert_eq!(document["spent"]["turns"], 1);
    lab.first.respond(|_| Reply::text("{\"findings\": []}").into());
    assert_eq!(review(&["--max-turns", "1", "--max-cost", "1"]).0, 0);
}

#[test]
fn a_service_tier_is_requested_where_the_provider_has_them() {
    let lab = Lab::new("");
    let body = |at: usize| lab.first.prompts()[at].body["service_tier"].clone();
    assert_eq!(lab.ask(&["--service-tier", "standard_only"]).0, 0);
    assert_eq!(body(0), "standard_only");
    describe(&lab, "[providers.anthropic]\nservice_tier = \"auto\"\n");
    assert_eq!((lab.ask(&[]).0, body(1)), (0, "auto".into()));
    for (to, what) in [("codex", "its own settings"), ("ollama/x", "without service tiers")] {
        let run = lab.env.relay(&["ask", "hello", "--service-tier", "flex", "--to", to]).run();
        assert!(run.code == 2 && run.stderr.contains(what), "{run:?}");
    }
}

#[test]
fn an_answer_with_leaked_routing_is_retried_or_reported() {
    let lab = Lab::new("");
    let leak = || Reply::text("Fine();】【analysis to=functions.edit code 大发时时彩");
    lab.first.queue(leak());
    let (code, answer, notes) = lab.ask(&[]);
    assert_eq!((code, &answer["text"]), (0, &"Hello from the scripted model.".into()), "{answer}");
    assert!(notes.contains("wrote its own routing into the answer; asking"), "{notes}");
    // Printed text cannot be withdrawn.
    lab.first.queue(leak());
    let run = lab.command(&["hello"]).run();
    assert_eq!((run.code, lab.first.prompts().len()), (1, 3));
    assert!(run.stdout.starts_with("Fine();") && run.stderr.contains("ask again"), "{run:?}");
}
