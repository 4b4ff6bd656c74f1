//! A corpus of realistic edit cases, if available: none applied wrongly or in part, and few refused.

use testkit::corpus::{Score, Verdict};

/// The corpus is not part of the project. `RELAY_CORPUS` says where it is.
#[test]
fn the_corpus_is_applied_correctly_or_not_at_all() {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/practice.jsonl");
    let corpus = std::env::var("RELAY_CORPUS").unwrap_or_else(|_| beside.to_owned());
    if !std::path::Path::new(&corpus).exists() {
        println!("no corpus at {corpus}: set RELAY_CORPUS to score one");
        return;
    }
    let score = Score::of(env!("CARGO_BIN_EXE_relay"), &corpus);
    println!("{score}");
    assert_eq!((score.count(Verdict::Wrong), score.count(Verdict::Part)), (0, 0), "{score}");
    assert!(score.worst_dialect() >= 97.0, "{score}");
}

/// What the test suites of other tools expect from an applier of edits, in cases written for Relay. Where a tool
/// guesses and Relay refuses, the case says why.
#[test]
fn the_cases_of_other_tools_land_correctly_or_are_refused_for_a_reason() {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/peers.jsonl");
    let score = Score::of(env!("CARGO_BIN_EXE_relay"), cases);
    println!("{score}");
    let count = |verdict| score.count(verdict);
    assert_eq!((count(Verdict::Wrong), count(Verdict::Part), count(Verdict::Rejected)), (0, 0, 0), "{score}");
    assert_eq!(score.unexplained(), 0, "{score}");
}
