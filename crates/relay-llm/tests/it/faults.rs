//! What goes wrong at providers and on the way, and how Relay handles it.

use std::time::Duration;

use relay_llm::{Arguments, Block, ClientOptions, Notice, RetrySettings};
use testkit::model::{Answer, Delivery, Failure, Reply};

use crate::support::{Lab, Told, for_every, options};

fn retries(told: &Told) -> Vec<(u32, u64, String)> {
    let retry = |notice: &&Notice| match notice {
        Notice::Retry { attempt, delay_ms, error, .. } => {
            Some((*attempt, *delay_ms, format!("{:?}", error.kind)))
        }
        _ => None,
    };
    told.notices().iter().filter_map(retry).collect()
}

/// Fails once, then answers; returns the events.
fn after(lab: &Lab, first: impl Into<Answer>) -> Told {
    lab.server.queue(first);
    lab.ask(Reply::text("Better now."))
}

fn check_retried(lab: &Lab, first: impl Into<Answer>, kind: &str) {
    let told = after(lab, first);
    assert_eq!((told.outcome().as_str(), told.text().as_str()), ("done", "Better now."));
    let retries = retries(&told);
    assert_eq!(retries.iter().map(|(_, _, kind)| kind.as_str()).collect::<Vec<_>>(), [kind]);
    assert_eq!(lab.server.prompts().len(), 2);
}

fn check_final(lab: &Lab, answer: impl Into<Answer>, kind: &str) {
    let told = lab.ask(answer);
    assert_eq!((told.outcome().as_str(), retries(&told).len()), (kind, 0), "{:?}", told.error);
    assert_eq!(lab.server.prompts().len(), 1, "asked once only");
}

#[test]
fn passing_failures_are_tried_again() {
    for_every(|lab| check_retried(lab, Answer::failure(Failure::Internal), "Server"));
    for_every(|lab| check_retried(lab, Answer::failure(Failure::Overloaded), "Overloaded"));
    for_every(|lab| check_retried(lab, Answer::status(529, Failure::Overloaded), "Overloaded"));
}

#[test]
fn lasting_failures_are_not() {
    for_every(|lab| check_final(lab, Answer::failure(Failure::Authentication), "Auth"));
    for_every(|lab| check_final(lab, Answer::failure(Failure::Permission), "Auth"));
    for_every(|lab| check_final(lab, Answer::failure(Failure::Quota), "Quota"));
    for_every(|lab| check_final(lab, Answer::failure(Failure::NotFound), "NotFound"));
    for_every(|lab| check_final(lab, Answer::failure(Failure::BadRequest), "BadRequest"));
    for_every(|lab| check_final(lab, Answer::failure(Failure::ContextOverflow), "ContextOverflow"));
}

#[test]
fn a_rate_limit_with_a_hint_is_waited_for() {
    for_every(|lab| {
        let limited = Answer::failure(Failure::RateLimited).header("retry-after-ms", "30");
        let told = after(lab, limited);
        assert_eq!(told.outcome(), "done");
        let retries = retries(&told);
        assert_eq!(retries.len(), 1);
        assert!((30..=38).contains(&retries[0].1), "{retries:?}");
    });
}

#[test]
fn a_rate_limit_without_a_hint_is_tried_again() {
    for_every(|lab| {
        let limited = if lab.name == "google" {
            // Google's usual failure has its hint in the body.
            let body = r#"{"error":{"code":429,"message":"Too many","status":"RESOURCE_EXHAUSTED"}}"#;
            Answer::raw(429, "application/json", body)
        } else {
            Answer::failure(Failure::RateLimited)
        };
        check_retried(lab, limited, "RateLimit");
    });
}

#[test]
fn hints_are_read_wherever_they_stand() {
    for_every(|lab| {
        for (name, value, ms) in [
            ("retry-after", "0.03", 30),
            ("x-ratelimit-reset-ms", "40", 40),
            ("x-ratelimit-reset", "0.05", 50),
        ] {
            let body = r#"{"error":{"code":429,"message":"Too many"}}"#;
            let told = after(lab, Answer::raw(429, "application/json", body).header(name, value));
            let retries = retries(&told);
            assert!(
                retries.len() == 1 && (ms..=ms + ms / 4 + 1).contains(&retries[0].1),
                "{name}: {retries:?}"
            );
        }
    });
}

#[test]
fn a_hint_beyond_the_longest_pause_ends_it() {
    for_every(|lab| check_final(lab, Answer::rate_limited(3600), "RateLimit"));
}

#[test]
fn the_budget_of_requests_is_spent_and_no_more() {
    for_every(|lab| {
        let options = ClientOptions {
            retry: RetrySettings {
                request_max_retries: 2,
                request_base_delay_ms: 1,
                ..RetrySettings::default()
            },
            ..options()
        };
        let lab = Lab::with(lab.name, options);
        lab.server.respond(|_| Answer::failure(Failure::Overloaded));
        let told = lab.request(&crate::support::prompt());
        assert_eq!((told.outcome().as_str(), retries(&told).len()), ("Overloaded", 2));
        assert_eq!(lab.server.prompts().len(), 3);
    });
}

#[test]
fn no_request_is_sent_after_the_last_moment() {
    for_every(|lab| {
        let no_request_after = Some(std::time::Instant::now() + Duration::from_secs(50));
        let lab = Lab::with(lab.name, ClientOptions { no_request_after, ..options() });
        // The pause it asks for would end too late.
        check_final(&lab, Answer::rate_limited(100), "RateLimit");
    });
}

#[test]
fn dropped_before_the_answer() {
    for_every(|lab| {
        let delivery = Delivery { drop_before_headers: true, ..Delivery::default() };
        check_retried(lab, Answer::from(Reply::text("x")).delivery(delivery), "Network");
    });
}

#[test]
fn dropped_before_anything_was_seen() {
    for_every(|lab| check_retried(lab, Answer::from(Reply::text("x")).drop_at(0), "Network"));
}

#[test]
fn dropped_after_something_was_seen_is_never_asked_again() {
    for_every(|lab| {
        let reply = Reply::text("a".repeat(400)).tool(
            "call_1",
            "edit",
            &format!("{{\"a\":\"{}\"}}", "b".repeat(400)),
        );
        let told = lab.ask(Answer::from(reply).drop_at(if ["ollama", "google"].contains(&lab.name) {
            20
        } else {
            70
        }));
        assert_eq!((told.outcome().as_str(), retries(&told).len()), ("Network", 0));
        assert_eq!(lab.server.prompts().len(), 1);
        assert!(told.text().starts_with("aaaa"), "what came is kept");
        for block in &told.turn.content {
            if let Block::ToolCall(call) = block {
                assert!(matches!(call.arguments, Arguments::Malformed { .. }), "no tool runs on half a call");
            }
        }
    });
}

#[test]
fn dropped_after_the_last_event_is_an_answer() {
    for_every(|lab| {
        let delivery = Delivery { drop_at_end: true, ..Delivery::default() };
        let told = lab.ask(Answer::from(Reply::text("All of it.")).delivery(delivery));
        assert_eq!((told.outcome().as_str(), told.text().as_str()), ("done", "All of it."));
    });
}

#[test]
fn an_answer_without_its_last_event() {
    for_every(|lab| {
        let delivery = Delivery { without_terminator: true, ..Delivery::default() };
        let told = lab.ask(Answer::from(Reply::text("All of it.")).delivery(delivery));
        assert_eq!(told.text(), "All of it.");
        // Where the reason to stop comes earlier, nothing is missing.
        let expected = if ["openai", "google", "ollama"].contains(&lab.name) { "Network" } else { "done" };
        assert_eq!(told.outcome(), expected);
    });
}

#[test]
fn a_stalled_stream_ends() {
    for name in crate::support::PROVIDERS {
        let impatient = ClientOptions {
            idle_timeout: Duration::from_millis(150),
            retry: RetrySettings { enabled: false, ..RetrySettings::default() },
            ..options()
        };
        let lab = Lab::with(name, impatient);
        for event in [0, 4] {
            let told = lab.ask(Answer::from(Reply::text("a".repeat(100))).stall_at(event));
            assert_eq!(told.outcome(), "Timeout", "{name} at {event}");
        }
    }
}

#[test]
fn a_malformed_event_ends_the_answer() {
    for_every(|lab| {
        let delivery = Delivery { malformed_at: Some(6), ..Delivery::default() };
        let told = lab.ask(Answer::from(Reply::text("a".repeat(400))).delivery(delivery));
        assert_eq!((told.outcome().as_str(), retries(&told).len()), ("Malformed", 0));
        assert!(!told.text().is_empty());
    });
}

#[test]
fn a_malformed_first_event_is_asked_for_again() {
    for_every(|lab| {
        let delivery = Delivery { malformed_at: Some(0), ..Delivery::default() };
        check_retried(lab, Answer::from(Reply::text("x")).delivery(delivery), "Malformed");
    });
}

#[test]
fn a_call_the_provider_itself_cannot_read_is_asked_for_again() {
    let reply = Reply::default().tool("call_1", "read", r#"{"path": "a"#);
    check_retried(&Lab::new("google"), reply, "Malformed");
}

#[test]
fn a_web_page_is_not_an_answer() {
    for_every(|lab| check_final(lab, Answer::html(200), "Malformed"));
    for_every(|lab| check_retried(lab, Answer::html(502), "Server"));
}

#[test]
fn json_without_a_stream_is_not_an_answer() {
    for_every(|lab| {
        if lab.name != "ollama" {
            check_final(lab, Answer::raw(200, "application/json", r#"{"id":"x","choices":[]}"#), "Malformed");
        }
    });
}

#[test]
fn a_redirect_is_not_followed() {
    for_every(|lab| {
        let elsewhere = Answer::raw(307, "text/plain", "moved").header("location", "/elsewhere/v1/messages");
        let told = lab.ask(elsewhere);
        assert_eq!(told.outcome(), "BadRequest");
        assert_eq!(lab.server.requests().len(), 1);
    });
}

#[test]
fn a_failure_inside_the_stream_before_anything_was_seen_is_tried_again() {
    for_every(|lab| {
        let delivery = Delivery { fail_at: Some((0, Failure::Overloaded)), ..Delivery::default() };
        check_retried(lab, Answer::from(Reply::text("x")).delivery(delivery), "Overloaded");
    });
}

#[test]
fn a_failure_inside_the_stream_ends_it() {
    for_every(|lab| {
        let delivery = Delivery { fail_at: Some((9, Failure::Internal)), ..Delivery::default() };
        let told = lab.ask(Answer::from(Reply::text("a".repeat(400))).delivery(delivery));
        assert_eq!((told.outcome().as_str(), retries(&told).len()), ("Server", 0), "{:?}", told.error);
    });
}

#[test]
fn nobody_at_home() {
    for_every(|lab| {
        // A port that the system never assigns, not one that was free a moment ago.
        let free = "127.0.0.1:9";
        let options = ClientOptions {
            retry: RetrySettings { enabled: false, ..RetrySettings::default() },
            ..options()
        };
        let away = Lab {
            model: crate::support::model(lab.name, &format!("http://{free}")),
            ..Lab::with(lab.name, options)
        };
        let told = away.request(&crate::support::prompt());
        assert_eq!(told.outcome(), "NotRunning");
        let message = told.error.unwrap().to_string();
        let refused = format!("{}: no server is running at {free}", lab.name);
        assert_eq!(message, refused, "the cause, and not the layers it came through");
    });
}
