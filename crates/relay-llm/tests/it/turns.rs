//! Whole turns: tried again and handed on, with what was told marked as void.

use relay_llm::catalog::Catalog;
use relay_llm::keys::Keyring;
use relay_llm::{
    Cancel, Chain, Client, ClientOptions, Event, Key, Notice, Request, RetrySettings, Revert, Turn, Turns,
};
use testkit::model::{Answer, Failure, ModelServer, Reply};

use crate::support::{KEY, model, options, prompt};

fn settings() -> RetrySettings {
    RetrySettings {
        base_delay_ms: 1,
        request_max_retries: 0,
        stream_max_retries: 0,
        ..RetrySettings::default()
    }
}

/// A chain of these servers' models, and what was told of one turn. Every provider has these keys.
fn ask_with(
    servers: &[&ModelServer],
    keys: &[&str],
    cancel_at_discard: bool,
) -> (Result<Turn, relay_llm::Error>, Vec<Event>) {
    let names = ["anthropic", "openai", "google"];
    let stored = |name: &&str| {
        ((*name).to_owned(), keys.iter().map(|key| ((*key).to_owned(), Key::new(*key))).collect())
    };
    let catalog = Catalog::new(None, |_| None).unwrap();
    let keyring = Keyring::new(&catalog, |_| None, &names.iter().map(stored).collect());
    let models: Vec<_> = servers.iter().zip(names).map(|(server, name)| model(name, &server.url())).collect();
    let chain = Chain::new(models.len(), settings(), Revert::default());
    let client = Client::new(ClientOptions { retry: settings(), ..options() });
    let (cancel, mut events) = (Cancel::new(), Vec::new());
    let request: Request = prompt();
    let mut turns = Turns::new(models, chain, &keyring, Some("one conversation".to_owned()));
    let outcome = turns.ask(&client, &request, &cancel, &mut |event| {
        if cancel_at_discard && matches!(event, Event::Notice(Notice::Discarded { .. })) {
            cancel.cancel();
        }
        events.push(event);
    });
    (outcome, events)
}

fn ask(servers: &[&ModelServer], cancel_at_discard: bool) -> (Result<Turn, relay_llm::Error>, Vec<Event>) {
    ask_with(servers, &[KEY], cancel_at_discard)
}

fn discarded(events: &[Event]) -> Vec<(String, String)> {
    let discarded = |event: &Event| match event {
        Event::Notice(Notice::Discarded { turn, model, .. }) => {
            Some((turn.message().plain_text(), model.clone()))
        }
        _ => None,
    };
    events.iter().filter_map(discarded).collect()
}

#[test]
fn a_turn_that_broke_off_is_discarded_and_asked_again() {
    let server = ModelServer::start();
    server.queue(Answer::from(Reply::text("a".repeat(200))).drop_at(8));
    server.queue(Reply::text("All of it."));
    let (outcome, events) = ask(&[&server], false);
    assert_eq!(outcome.unwrap().message().plain_text(), "All of it.");
    let discarded = discarded(&events);
    assert_eq!(discarded.len(), 1);
    assert!(discarded[0].0.starts_with("aaa"), "{discarded:?}");
    let ends =
        events.iter().filter(|event| matches!(event, Event::Done { .. } | Event::Error { .. })).count();
    assert_eq!(ends, 1, "one end, and it is the last");
    assert!(matches!(events.last(), Some(Event::Done { .. })));
}

#[test]
fn a_model_that_lost_its_way_is_discarded_and_asked_again() {
    let leak = "fine();】【analysis to=functions.edit code 大发时时彩";
    let arguments = serde_json::json!({ "input": leak }).to_string();
    for lost in [
        Reply::text(leak),
        Reply::text("Editing.").tool("call_1", "edit", &arguments),
        Reply::text("I will now fix the failing test. ".repeat(1_000)),
    ] {
        let (first, second) = (ModelServer::start(), ModelServer::start());
        first.queue(lost);
        first.queue(Reply::text("Here it is."));
        let (outcome, events) = ask(&[&first, &second], false);
        assert_eq!(outcome.unwrap().message().plain_text(), "Here it is.");
        assert_eq!(discarded(&events).len(), 1);
        assert!(second.requests().is_empty(), "the model is well, so nobody else is asked");
    }
}

#[test]
fn a_reader_who_cannot_take_back_is_told_nothing_twice() {
    let server = ModelServer::start();
    server.queue(Answer::failure(Failure::Overloaded));
    server.queue(Answer::from(Reply::text("a".repeat(200))).drop_at(8));
    let keys = Keyring::of_one("anthropic", "KEY", Key::new(KEY));
    let chain = Chain::new(1, settings(), Revert::default());
    let client = Client::new(ClientOptions { retry: settings(), ..options() });
    let mut turns = Turns::new(vec![model("anthropic", &server.url())], chain, &keys, None);
    turns = turns.keeping_what_was_shown();
    let mut events = Vec::new();
    let outcome = turns.ask(&client, &prompt(), &Cancel::new(), &mut |event| events.push(event));
    assert_eq!(outcome.unwrap_err().kind, relay_llm::ErrorKind::Network);
    assert_eq!(discarded(&events), [(String::new(), "anthropic/scripted-model".to_owned())]);
    assert_eq!(server.prompts().len(), 2, "asked again while nothing was shown, and then no more");
}

#[test]
fn the_next_model_takes_over() {
    let (first, second) = (ModelServer::start(), ModelServer::start());
    first.queue(Answer::failure(Failure::Quota));
    second.queue(Reply::text("From the second."));
    let (outcome, events) = ask(&[&first, &second], false);
    let turn = outcome.unwrap();
    assert_eq!(
        (turn.message().plain_text().as_str(), turn.origin.provider.as_str()),
        ("From the second.", "openai")
    );
    assert_eq!(discarded(&events), [(String::new(), "openai/scripted-model".to_owned())]);
}

#[test]
fn a_conversation_that_is_too_long_goes_to_nobody_else() {
    let (first, second) = (ModelServer::start(), ModelServer::start());
    first.queue(Answer::failure(Failure::ContextOverflow));
    let (outcome, events) = ask(&[&first, &second], false);
    assert_eq!(outcome.unwrap_err().kind, relay_llm::ErrorKind::ContextOverflow);
    assert!(second.requests().is_empty());
    assert!(matches!(events.last(), Some(Event::Error { .. })));
}

#[test]
fn the_budget_of_turns_is_spent_and_no_more() {
    let server = ModelServer::start();
    server.respond(|_| Answer::failure(Failure::Overloaded));
    let (outcome, events) = ask(&[&server], false);
    assert_eq!(outcome.unwrap_err().kind, relay_llm::ErrorKind::Overloaded);
    assert_eq!((server.requests().len(), discarded(&events).len()), (4, 3));
}

#[test]
fn cancelling_between_turns_asks_nobody() {
    let server = ModelServer::start();
    server.queue(Answer::failure(Failure::Overloaded));
    let (outcome, _) = ask(&[&server], true);
    assert_eq!(outcome.unwrap_err().kind, relay_llm::ErrorKind::Aborted);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn another_key_of_the_same_provider_goes_before_another_model() {
    for good in ["key-one", "key-two", "key-three"] {
        let (first, second) = (ModelServer::start(), ModelServer::start());
        first.require_key(good);
        let (outcome, events) = ask_with(&[&first, &second], &["key-one", "key-two", "key-three"], false);
        assert_eq!(outcome.unwrap().origin.provider, "anthropic");
        assert!(discarded(&events).len() <= 2, "each key is tried once");
        assert!(second.requests().is_empty());
    }
}

#[test]
fn when_all_keys_are_refused_the_next_model_is_asked() {
    let (first, second) = (ModelServer::start(), ModelServer::start());
    first.require_key("none of these");
    second.queue(Reply::text("From the second."));
    let (outcome, _) = ask_with(&[&first, &second], &["key-one", "key-two"], false);
    assert_eq!(outcome.unwrap().origin.provider, "openai");
    assert_eq!(first.requests().len(), 2);
}
