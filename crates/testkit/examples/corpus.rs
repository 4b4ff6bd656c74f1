//! Scores a binary on a corpus: `cargo run -p testkit --example corpus -- target/debug/relay CASES.jsonl`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints a table")]

use std::process::ExitCode;

use testkit::corpus::{Score, Verdict};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [relay, corpus] = arguments.as_slice() else {
        eprintln!("usage: corpus RELAY CASES.jsonl");
        return ExitCode::from(2);
    };
    // Each case runs in a folder of its own.
    let Ok(relay) = std::path::absolute(relay) else {
        eprintln!("{relay} is not the path of a program");
        return ExitCode::from(2);
    };
    let score = Score::of(&relay.display().to_string(), corpus);
    println!("{score}");
    ExitCode::from(u8::from(score.count(Verdict::Wrong) + score.count(Verdict::Part) > 0))
}
