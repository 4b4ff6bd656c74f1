//! The order of undo and redo, compared with an editor's history.

use proptest::prelude::*;

use super::*;

fn named(number: u64) -> UndoOptions {
    UndoOptions { which: Which::One(number.to_string()), ..UndoOptions::default() }
}

impl World {
    fn redo_one(&self, number: u64) -> Outcome {
        redo(&self.engine, &named(number), &mut Nobody, &mut Unobserved)
    }

    /// The numbers of the transactions that a plain undo and a plain redo would be about.
    fn next(&self) -> (Vec<u64>, Vec<u64>) {
        let history = self.engine.history().unwrap();
        let numbers = |next: Option<crate::ledger::history::Next<'_>>| -> Vec<u64> {
            let next = next.filter(|next| next.landed_since.is_none());
            next.iter().flat_map(|next| &next.changes).map(|(entry, _)| entry.record.sequence).collect()
        };
        (numbers(history.next_undo()), numbers(history.next_redo()))
    }
}

#[test]
fn what_a_redo_reapplied_is_undone_first() {
    let world = World::new(&[]);
    world.land(&[("a", Some("A\n"))]);
    world.undo(&UndoOptions::default());
    world.land(&[("b", Some("B\n"))]);
    let refused = world.redo();
    assert_eq!((refused.status, refused.diagnostics[0].code), (Status::Rejected, codes::LANDED_SINCE));
    assert_eq!(messages(&refused), ["there is nothing to redo: #3 landed after #2 undid #1"]);
    assert!(refused.diagnostics[0].hint.as_deref().unwrap().contains("`relay redo 1`"));
    assert_eq!(world.redo_one(1).status, Status::Committed);
    assert_eq!(world.read("a").as_deref(), Some("A\n"));
    let undone = world.undo(&UndoOptions::default());
    assert_eq!(undone.status, Status::Committed);
    assert_eq!((world.read("a"), world.read("b").as_deref()), (None, Some("B\n")));
}

#[test]
fn a_repeated_redo_revives_nothing_older() {
    let world = World::new(&[]);
    world.land(&[("old", Some("1\n"))]);
    world.undo(&UndoOptions::default());
    world.land(&[("new", Some("2\n"))]);
    world.undo(&UndoOptions::default());
    assert_eq!(world.redo().status, Status::Committed);
    assert_eq!(world.redo().diagnostics[0].code, codes::LANDED_SINCE);
    assert_eq!((world.read("old"), world.read("new").as_deref()), (None, Some("2\n")));
}

#[test]
fn what_was_redone_together_is_undone_together() {
    let world = World::new(&[]);
    for path in ["a", "b", "c"] {
        world.land(&[(path, Some("x\n"))]);
    }
    let since = UndoOptions { which: Which::Since("2".to_owned()), ..UndoOptions::default() };
    world.undo(&since);
    assert_eq!(world.next(), (vec![1], vec![3, 2]));
    world.redo();
    assert_eq!(world.next(), (vec![3, 2], vec![]));
    assert_eq!(world.undo(&UndoOptions::default()).undoes.len(), 2);
    assert_eq!((world.read("a").is_some(), world.read("b"), world.read("c")), (true, None, None));
    assert_eq!(world.next(), (vec![1], vec![3, 2]));
}

#[test]
fn a_single_redone_file_is_what_the_next_undo_reverts() {
    let world = World::new(&[]);
    world.land(&[("a", Some("A\n")), ("b", Some("B\n"))]);
    world.undo(&UndoOptions { files: vec!["a".to_owned()], ..named(1) });
    world.redo();
    world.undo(&UndoOptions::default());
    assert_eq!((world.read("a"), world.read("b").as_deref()), (None, Some("B\n")));
    world.undo(&UndoOptions::default());
    assert_eq!((world.read("a"), world.read("b")), (None, None));
}

#[derive(Clone, Copy, Debug)]
enum Move {
    Apply,
    Undo,
    Redo,
    UndoOne(usize),
    RedoOne(usize),
}

fn any_move() -> impl Strategy<Value = Move> {
    prop_oneof![
        2 => Just(Move::Apply),
        3 => Just(Move::Undo),
        3 => Just(Move::Redo),
        1 => (0usize..8).prop_map(Move::UndoOne),
        1 => (0usize..8).prop_map(Move::RedoOne),
    ]
}

/// An editor's history: what is done, and what was undone since the last new change.
#[derive(Default)]
struct Editor {
    landed: Vec<u64>,
    done: Vec<u64>,
    undone: Vec<u64>,
}

impl Editor {
    /// Carries a move out; returns whether there was anything to do.
    fn take(&mut self, step: Move) -> bool {
        let nth = |pick: usize| self.landed.get(pick % self.landed.len().max(1)).copied();
        let moved = match step {
            Move::Apply => return true,
            Move::Undo => self.done.pop(),
            Move::Redo => self.undone.pop(),
            Move::UndoOne(pick) => nth(pick).filter(|number| self.done.contains(number)),
            Move::RedoOne(pick) => nth(pick).filter(|number| !self.done.contains(number)),
        };
        let Some(number) = moved else { return false };
        self.done.retain(|other| *other != number);
        self.undone.retain(|other| *other != number);
        match step {
            Move::Undo | Move::UndoOne(_) => self.undone.push(number),
            _ => self.done.push(number),
        }
        true
    }

    fn land(&mut self, number: u64) {
        self.landed.push(number);
        self.done.push(number);
        self.undone.clear();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Whatever is applied, undone and redone in whatever order, the ledger does what an editor's history does.
    #[test]
    fn undo_and_redo_follow_an_editors_history(moves in prop::collection::vec(any_move(), 1..24)) {
        let world = World::new(&[]);
        let mut editor = Editor::default();
        for step in moves {
            let number = |pick: usize| editor.landed.get(pick % editor.landed.len().max(1)).copied().unwrap_or(999);
            let outcome = match step {
                Move::Apply => {
                    let path = format!("f{}", editor.landed.len());
                    let record = world.land(&[(&path, Some("x\n"))]);
                    editor.land(record.sequence);
                    None
                }
                Move::Undo => Some(world.undo(&UndoOptions::default())),
                Move::Redo => Some(world.redo()),
                Move::UndoOne(pick) => Some(world.undo_one(number(pick))),
                Move::RedoOne(pick) => Some(world.redo_one(number(pick))),
            };
            let expected = if editor.take(step) { Status::Committed } else { Status::Rejected };
            if let Some(outcome) = outcome {
                prop_assert_eq!(outcome.status, expected, "{:?}: {:?}", step, outcome.diagnostics);
            }
            for (at, number) in editor.landed.iter().enumerate() {
                let is_there = world.read(&format!("f{at}")).is_some();
                prop_assert_eq!(is_there, editor.done.contains(number), "#{} after {:?}", number, step);
            }
            let last = |list: &[u64]| -> Vec<u64> { list.last().copied().into_iter().collect() };
            prop_assert_eq!(world.next(), (last(&editor.done), last(&editor.undone)), "after {:?}", step);
        }
    }
}
