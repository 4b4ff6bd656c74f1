//! Asking for an end, wherever a request is waiting, closes its socket.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use relay_diagnostics::Cancel;
use relay_llm::{ClientOptions, Event, Key, Notice, RetrySettings, StopReason};
use testkit::model::{Answer, Delivery, Failure, Reply};

use crate::support::{KEY, Lab, Told, check, for_every, options, prompt};

/// Asks, cancels at the first event that `when` wants (or at once), and reads on.
fn cancel_when(lab: &Lab, answer: Answer, when: impl Fn(&Event) -> bool) -> Told {
    lab.server.queue(answer);
    let cancel = Cancel::new();
    let stream = lab.client.stream(&lab.model, &Key::new(KEY), &prompt(), &cancel);
    check(stream.inspect(|event| {
        if when(event) {
            cancel.cancel();
        }
    }))
}

#[test]
fn in_the_middle_of_an_answer() {
    for_every(|lab| {
        let answer = Answer::from(Reply::text("a".repeat(1000)).delta(10)).stall_at(6);
        let told = cancel_when(lab, answer, |event| matches!(event, Event::Delta { .. }));
        assert_eq!((told.outcome().as_str(), told.turn.stop), ("Aborted", StopReason::Aborted));
        assert!(told.text().starts_with("aaa"), "what came is kept");
        let _closed = lab.server.wait_for_close(0);
    });
}

#[test]
fn a_cancel_from_another_thread_counts() {
    let lab = Lab::new("anthropic");
    lab.server.queue(Answer::from(Reply::text("a".repeat(1000)).delta(10)).stall_at(6));
    let flag = Arc::new(AtomicBool::new(false));
    let outer = Arc::clone(&flag);
    let cancel = Cancel::watching(move || outer.load(Ordering::SeqCst));
    let stream = lab.client.stream(&lab.model, &Key::new(KEY), &prompt(), &cancel);
    let told = check(stream.inspect(|event| {
        if matches!(event, Event::Delta { .. }) {
            flag.store(true, Ordering::SeqCst);
        }
    }));
    assert_eq!(told.outcome(), "Aborted");
}

#[test]
fn before_the_answer_begins() {
    for_every(|lab| {
        let delivery = Delivery { header_delay: Duration::from_secs(60), ..Delivery::default() };
        lab.server.queue(Answer::from(Reply::text("x")).delivery(delivery));
        let cancel = Cancel::new();
        let stream = lab.client.stream(&lab.model, &Key::new(KEY), &prompt(), &cancel);
        let _received = lab.server.wait_for_requests(1);
        cancel.cancel();
        assert_eq!(check(stream).outcome(), "Aborted");
        let _closed = lab.server.wait_for_close(0);
    });
}

#[test]
fn before_anything() {
    for_every(|lab| {
        let cancel = Cancel::new();
        cancel.cancel();
        let told = check(lab.client.stream(&lab.model, &Key::new(KEY), &prompt(), &cancel));
        assert_eq!(told.outcome(), "Aborted");
        assert!(lab.server.requests().is_empty());
    });
}

#[test]
fn in_the_pause_before_a_retry() {
    for name in crate::support::PROVIDERS {
        let slow = RetrySettings { request_base_delay_ms: 60_000, ..RetrySettings::default() };
        let lab = Lab::with(name, ClientOptions { retry: slow, ..options() });
        let told = cancel_when(&lab, Answer::failure(Failure::Overloaded), |event| {
            matches!(event, Event::Notice(Notice::Retry { .. }))
        });
        assert_eq!(told.outcome(), "Aborted");
        assert_eq!(lab.server.requests().len(), 1);
    }
}

#[test]
fn dropping_the_stream_closes_the_socket() {
    for_every(|lab| {
        lab.server.queue(Answer::from(Reply::text("a".repeat(1000)).delta(10)).stall_at(6));
        let mut stream = lab.client.stream(&lab.model, &Key::new(KEY), &prompt(), &Cancel::new());
        assert!(matches!(stream.next(), Some(Event::Start { .. })));
        drop(stream);
        let _closed = lab.server.wait_for_close(0);
    });
}

#[test]
fn a_reader_that_does_not_read_slows_the_provider_and_can_be_cancelled() {
    for_every(|lab| {
        // Tool calls and texts alternate, so that nothing can be joined and the queue fills up.
        let mut reply = Reply::default();
        for number in 0..2_000 {
            reply = reply.part(testkit::model::Part::Thinking { text: "a".repeat(2_000), signature: None });
            reply = reply.tool(
                &format!("call_{number}"),
                "edit",
                &format!("{{\"a\":\"{}\"}}", "b".repeat(2_000)),
            );
        }
        lab.server.queue(reply.delta(2_000));
        let cancel = Cancel::new();
        let mut stream = lab.client.stream(&lab.model, &Key::new(KEY), &prompt(), &cancel);
        assert!(matches!(stream.next(), Some(Event::Start { .. })));
        std::thread::sleep(Duration::from_millis(100));
        cancel.cancel();
        // The server noticed it in the middle of its answer: it had been held up.
        let _closed = lab.server.wait_for_close(0);
        assert!(matches!(stream.last(), Some(Event::Error { .. })));
    });
}

#[test]
fn the_total_time_is_limited() {
    // The same for every provider. On a busy machine the time may be up before the request has arrived.
    for seconds in [1, 10, 60] {
        let total_timeout = Some(Duration::from_secs(seconds));
        let lab = Lab::with("anthropic", ClientOptions { total_timeout, ..options() });
        let told = lab.ask(Answer::from(Reply::text("a".repeat(1000))).stall_at(5));
        assert_eq!(told.outcome(), "Timeout");
        if !lab.server.requests().is_empty() {
            let _closed = lab.server.wait_for_close(0);
            return;
        }
    }
    panic!("no request arrived");
}
