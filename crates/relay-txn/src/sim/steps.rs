//! The steps of the model test, and how streams of them are made up.

use proptest::prelude::*;

use super::scenario::{Ending, Entry, file, link};

/// Few paths and contents, so that steps meet each other. Some paths lie below others: a file, a link and a folder can
/// take each other's places.
pub(super) const PATHS: [&str; 8] = ["a", "b", "b/c", "b/d", "e", "e/f", "e/f/g", "e/h"];
const CONTENTS: usize = 7;

pub(super) fn content(n: usize) -> Entry {
    match n {
        0 => file(b"one\n"),
        1 => file(b"two\r\n"),
        2 => file(b""),
        3 => file(&[0, 255, 10]),
        4 => link("b/c"),
        5 => link("nowhere"),
        _ => file(b"b/c"),
    }
}

/// What one step asks for: for each chosen path a content, or none.
pub(super) type Wish = Vec<(usize, Option<usize>)>;

/// How a captured command ends.
#[derive(Debug, Clone)]
pub(super) enum Fate {
    Ends(Ending),
    /// The power fails before some operation, with some of it surviving.
    Crash(usize, u64),
}

#[derive(Debug, Clone)]
pub(super) enum Step {
    Commit(Wish),
    Rollback(Wish),
    /// Begins, lets another program write one of the paths, then rolls back.
    Disturbed(Wish, usize),
    /// Dies before some operation, with some of it surviving; then recovers.
    Crash(Wish, usize, u64),
    /// A command does it, and that becomes a transaction.
    Captured(Wish, Fate),
    ForeignWrite(usize, usize),
    ForeignRemove(usize),
    /// Undoes the n-th transaction, counted from the newest: an undo, or, if that one is an undo, a redo.
    Undo(usize),
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let wish = || proptest::collection::vec((0..PATHS.len(), proptest::option::of(0..CONTENTS)), 1..5);
    let fate = prop_oneof![
        Just(Fate::Ends(Ending::Commit)),
        Just(Fate::Ends(Ending::Rollback)),
        (0..60_usize, any::<u64>()).prop_map(|(n, seed)| Fate::Crash(n, seed)),
    ];
    prop_oneof![
        4 => wish().prop_map(Step::Commit),
        2 => wish().prop_map(Step::Rollback),
        2 => (wish(), 0..CONTENTS).prop_map(|(wish, content)| Step::Disturbed(wish, content)),
        3 => (wish(), 0..80_usize, any::<u64>()).prop_map(|(wish, n, seed)| Step::Crash(wish, n, seed)),
        3 => (wish(), fate).prop_map(|(wish, fate)| Step::Captured(wish, fate)),
        2 => (0..PATHS.len(), 0..CONTENTS).prop_map(|(path, content)| Step::ForeignWrite(path, content)),
        1 => (0..PATHS.len()).prop_map(Step::ForeignRemove),
        3 => (0..3_usize).prop_map(Step::Undo),
    ]
}
