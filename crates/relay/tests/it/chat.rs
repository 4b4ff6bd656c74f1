//! Replies as chats write them, with the class of every block: none lands in part, and blocks that are only shown are not
//! written.

use testkit::corpus::{Score, Verdict};

/// The minimum number of replies in the public set.
const LEAST: usize = 300;

#[test]
fn every_block_of_a_chat_reply_is_accounted_for() {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/chat.jsonl");
    let score = Score::of(env!("CARGO_BIN_EXE_relay"), cases);
    println!("{score}");
    let verdicts = [Verdict::Ok, Verdict::Alt, Verdict::Rejected, Verdict::Part, Verdict::Wrong];
    assert!(verdicts.into_iter().map(|verdict| score.count(verdict)).sum::<usize>() >= LEAST);
    assert_eq!((score.count(Verdict::Wrong), score.count(Verdict::Part)), (0, 0), "{score}");
    assert_eq!(score.misread(), 0, "{score}");
    assert!(score.landed() >= 85.0, "{score}");
}
