//! Answers as large as a provider would send, and larger.

use relay_llm::{ClientOptions, Event};
use testkit::model::{Answer, Delivery, Reply};

use crate::support::{Lab, PROVIDERS, options};

fn huge(bytes: usize) -> Answer {
    let delivery = Delivery { burst_bytes: Some(64 << 10), ..Delivery::default() };
    Answer::from(Reply::text("0123456789abcde\n".repeat(bytes / 16)).delta(32 << 10)).delivery(delivery)
}

/// The guard against repetition would end this answer, so each line differs.
fn varied(bytes: usize) -> Answer {
    let mut text = String::with_capacity(bytes + 32);
    let mut number = 0_u64;
    while text.len() < bytes {
        text.push_str(&number.to_string());
        text.push('\n');
        number += 1;
    }
    text.truncate(bytes);
    let delivery = Delivery { burst_bytes: Some(64 << 10), ..Delivery::default() };
    Answer::from(Reply::text(text).delta(32 << 10)).delivery(delivery)
}

#[test]
fn a_very_long_answer() {
    let is_long = std::env::var("RELAY_LONG_TESTS").is_ok_and(|value| value == "yes");
    let bytes = if is_long { 50_000_000 } else { 2_000_000 };
    for name in PROVIDERS {
        let lab = Lab::new(name);
        let told = lab.ask(varied(bytes));
        assert_eq!((told.outcome().as_str(), told.text().len()), ("done", bytes), "{name}");
    }
}

#[test]
fn an_answer_beyond_the_limit_is_refused() {
    for name in PROVIDERS {
        let lab = Lab::with(name, ClientOptions { answer_limit_bytes: 100_000, ..options() });
        let told = lab.ask(varied(1_000_000));
        assert_eq!(told.outcome(), "TooLarge", "{name}");
        assert!(told.text().len() <= 100_000);
    }
}

#[test]
fn an_answer_that_says_the_same_over_and_over_is_ended() {
    for name in PROVIDERS {
        let lab = Lab::new(name);
        let told = lab.ask(huge(64 << 10));
        assert_eq!(told.outcome(), "Repetition", "{name}");
        let is_told = |event: &Event| matches!(event, Event::Notice(relay_llm::Notice::Repetition { .. }));
        assert!(told.events.iter().any(is_told));
    }
}
