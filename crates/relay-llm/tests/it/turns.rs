//! Whole turns: retried and handed on, with earlier events marked as void.

use relay_diagnostics::Cancel;
use relay_llm::catalog::Catalog;
use relay_llm::keys::Keyring;
use relay_llm::{
    Budget, Chain, Client, ClientOptions, ErrorKind, Event, Key, Limit, Model, Notice, Prices, Request,
    RetrySettings, Revert, Turn, Turns,
};
use std::time::{Duration, Instant};
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

/// A chain of these servers' models, and the events of one turn. Every provider has these keys.
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
        assert!(second.requests().is_empty(), "the model is well, so no other is asked");
    }
}

#[test]
fn a_reader_that_cannot_discard_gets_nothing_twice() {
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
fn a_fallback_stays_while_the_first_rests_or_for_good() {
    for (revert, later) in [(Revert::CooldownExpiry, "anthropic"), (Revert::Never, "openai")] {
        let (first, second) = (ModelServer::start(), ModelServer::start());
        first.queue(Answer::rate_limited(600));
        let keys = |name: &str| (name.to_owned(), vec![("k".to_owned(), Key::new(KEY))]);
        let stored = [keys("anthropic"), keys("openai")].into_iter().collect();
        let keyring = Keyring::new(&Catalog::new(None, |_| None).unwrap(), |_| None, &stored);
        let client = Client::new(ClientOptions { retry: settings(), ..options() });
        let mut chain = Chain::new(2, settings(), revert);
        let mut since = Instant::now();
        let mut ask = |waited: u64| {
            // Instead of waiting, the chain is taken to have begun earlier.
            since -= Duration::from_secs(waited);
            let models = vec![model("anthropic", &first.url()), model("openai", &second.url())];
            let mut turns = Turns::new(models, chain.clone(), &keyring, None).since(since);
            let turn = turns.ask(&client, &prompt(), &Cancel::new(), &mut |_| {});
            chain = turns.into_chain();
            turn.unwrap().origin.provider
        };
        assert_eq!((ask(0).as_str(), ask(1).as_str(), ask(3000).as_str()), ("openai", "openai", later));
    }
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

/// Asks one model within a budget this many times; returns the errors.
fn ask_within(server: &ModelServer, budget: &Budget, times: usize) -> Vec<Option<relay_llm::Error>> {
    let keys = Keyring::of_one("anthropic", "KEY", Key::new(KEY));
    let prices = Some(Prices { output: 10.0, ..Prices::default() });
    let models = vec![Model { prices, ..model("anthropic", &server.url()) }];
    let options = ClientOptions { retry: settings(), no_request_after: budget.ends(), ..options() };
    let client = Client::new(options);
    let mut turns =
        Turns::new(models, Chain::new(1, settings(), Revert::default()), &keys, None).within(budget);
    (0..times).map(|_| turns.ask(&client, &prompt(), &Cancel::new(), &mut |_| {}).err()).collect()
}

fn spent(errors: &[Option<relay_llm::Error>]) -> Vec<Option<&str>> {
    assert!(errors.iter().flatten().all(|error| error.kind == ErrorKind::Budget), "{errors:?}");
    errors.iter().map(|error| error.as_ref().map(|error| error.message.as_str())).collect()
}

#[test]
fn retried_turns_count() {
    let server = ModelServer::start();
    server.respond(|_| Answer::failure(Failure::Overloaded));
    let budget = Budget::new(Limit { turns: Some(2), ..Limit::default() });
    let errors = ask_within(&server, &budget, 2);
    let expected = ["Overloaded; not asked again: only 2 turns are allowed", "only 2 turns are allowed"];
    assert_eq!(spent(&errors), expected.map(Some));
    assert_eq!((server.requests().len(), budget.spent().turns), (2, 2));
}

#[test]
fn money_stops_before_the_next_request_and_not_amid_an_answer() {
    let server = ModelServer::start();
    let usage =
        testkit::model::Usage { input: 0, output: 30_000, cache_read: 0, cache_write: 0, reasoning: 0 };
    server.respond(move |_| Reply::text("x").usage(usage).into());
    let budget = Budget::new(Limit { cost: Some(0.5), ..Limit::default() });
    let errors = ask_within(&server, &budget, 3);
    assert_eq!(spent(&errors), [None, None, Some("the limit of $0.5 is used up ($0.6000 spent)")]);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn nothing_is_asked_when_the_time_is_over() {
    let server = ModelServer::start();
    let budget = Budget::new(Limit { time: Some(Duration::from_nanos(1)), ..Limit::default() });
    assert_eq!(spent(&ask_within(&server, &budget, 1)).len(), 1);
    assert!(server.requests().is_empty());
    // Neither is a request sent again, nor a pause begun that would end too late.
    server.respond(|_| Answer::rate_limited(100));
    let budget = Budget::new(Limit { time: Some(Duration::from_secs(50)), ..Limit::default() });
    let errors = ask_within(&server, &budget, 1);
    assert!(
        spent(&errors)[0].unwrap().ends_with("not asked again: the time limit of 50 s is reached"),
        "{errors:?}"
    );
    assert_eq!(server.requests().len(), 1);
}
