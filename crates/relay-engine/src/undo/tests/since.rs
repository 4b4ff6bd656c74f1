//! Everything since a transaction, against snapshots of the files: whatever was landed, renamed, undone and redone in
//! between, the files become exactly what they were before it.

use super::*;

const PATHS: [&str; 4] = ["a", "b", "c/d", "e"];

type Tree = BTreeMap<&'static str, String>;

#[derive(Debug, Clone)]
enum Step {
    /// A path gets other lines, or is created.
    Land(usize, usize),
    Delete(usize),
    /// A path goes on under another name, with one line changed.
    Rename(usize, usize),
    /// Undoes the n-th transaction, counted from the newest.
    Undo(usize),
    /// Undoes the n-th undo, counted from the newest.
    Redo(usize),
    /// Undoes everything since the n-th, counted from the newest, and brings it back again.
    Since(usize),
    /// Damages the n-th record; whatever needs it is refused.
    Damaged(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let path = || 0..PATHS.len();
    prop_oneof![
        4 => (path(), 0..6_usize).prop_map(|(path, line)| Step::Land(path, line)),
        1 => path().prop_map(Step::Delete),
        3 => (path(), path()).prop_map(|(from, to)| Step::Rename(from, to)),
        4 => (0..6_usize).prop_map(Step::Undo),
        2 => (0..3_usize).prop_map(Step::Redo),
        2 => (0..8_usize).prop_map(Step::Since),
        1 => (0..8_usize).prop_map(Step::Damaged),
    ]
}

struct Model {
    world: World,
    /// The files before each transaction, oldest first.
    before: Vec<(u64, Tree)>,
}

impl Model {
    fn new() -> Self {
        Self { world: World::new(&[("a", "1\n2\n3\n4\n5\n6\n")]), before: Vec::new() }
    }

    fn tree(&self) -> Tree {
        PATHS.iter().filter_map(|path| Some((*path, self.world.read(path)?))).collect()
    }

    /// Remembers the files as they were before, if a transaction landed.
    fn landed(&mut self, before: Tree) {
        let history = self.world.engine.history().unwrap();
        let newest = history.entries.first().map_or(0, |entry| entry.record.sequence);
        if newest > self.before.last().map_or(0, |(number, _)| *number) {
            self.before.push((newest, before));
        }
    }

    fn nth(&self, n: usize) -> Option<(u64, Tree)> {
        self.before.iter().rev().nth(n).cloned()
    }

    fn since(&self, number: u64) -> Outcome {
        self.world.undo(&UndoOptions { which: Which::Since(number.to_string()), ..UndoOptions::default() })
    }

    fn step(&mut self, step: &Step) -> Result<(), TestCaseError> {
        let before = self.tree();
        match step {
            Step::Land(path, line) => {
                let path = PATHS[*path];
                let mut lines: Vec<String> = before
                    .get(path)
                    .map_or("1\n2\n3\n4\n5\n6\n", String::as_str)
                    .lines()
                    .map(str::to_owned)
                    .collect();
                lines[*line] = format!("{}, {}", lines[*line], self.before.len());
                self.world.land(&[(path, Some(&(lines.join("\n") + "\n")))]);
            }
            Step::Delete(path) => {
                if before.contains_key(PATHS[*path]) {
                    self.world.land(&[(PATHS[*path], None)]);
                }
            }
            Step::Rename(from, to) => {
                let (from, to) = (PATHS[*from], PATHS[*to]);
                if let (Some(text), false) = (before.get(from), before.contains_key(to)) {
                    let text = text.replacen('\n', " renamed\n", 1);
                    self.world.land_renaming(&[(from, None), (to, Some(&text))], Some((from, to)));
                }
            }
            Step::Undo(n) => self.take_back(*n, undo)?,
            Step::Redo(n) => self.take_back(*n, redo)?,
            Step::Since(n) => self.there_and_back(*n)?,
            Step::Damaged(n) => self.damage(*n)?,
        }
        self.landed(before);
        Ok(())
    }

    /// An undo or redo that is refused changes nothing.
    fn take_back(
        &mut self,
        n: usize,
        take: fn(&Engine, &UndoOptions, &mut dyn Approver, &mut dyn Observer) -> Outcome,
    ) -> Result<(), TestCaseError> {
        let Some((number, _)) = self.nth(n) else { return Ok(()) };
        let before = self.tree();
        let options = UndoOptions { which: Which::One(number.to_string()), ..UndoOptions::default() };
        let outcome = take(&self.world.engine, &options, &mut Nobody, &mut Unobserved);
        if outcome.status == Status::Rejected {
            prop_assert_eq!(self.tree(), before);
        }
        Ok(())
    }

    fn there_and_back(&mut self, n: usize) -> Result<(), TestCaseError> {
        let Some((number, snapshot)) = self.nth(n) else { return Ok(()) };
        let now = self.tree();
        let outcome = self.since(number);
        prop_assert!(
            matches!(outcome.status, Status::Committed | Status::Unchanged),
            "since {}: {:?}",
            number,
            outcome.diagnostics
        );
        prop_assert_eq!(self.tree(), snapshot, "since {}", number);
        if outcome.status == Status::Committed {
            self.landed(now.clone());
            let newest = self.before.last().map_or(0, |(number, _)| *number);
            let before = self.tree();
            let again = self.since(newest);
            prop_assert_eq!(again.status, Status::Committed, "{:?}", again.diagnostics);
            prop_assert_eq!(self.tree(), now);
            self.landed(before);
        }
        Ok(())
    }

    fn damage(&mut self, n: usize) -> Result<(), TestCaseError> {
        let Some((number, _)) = self.nth(n) else { return Ok(()) };
        let before = self.tree();
        let uuid = self.world.engine.history().unwrap().find(&number.to_string()).unwrap().record.uuid;
        let path = self.world.at(&format!(".relaycode/{uuid}.yml"));
        let whole = std::fs::read(&path).unwrap();
        let mut bytes = whole.clone();
        let at = bytes.len() / 2;
        bytes[at] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        prop_assert_eq!(self.world.status(number), EntryStatus::Damaged);
        for outcome in [self.since(number), self.since(1), self.world.undo_one(number)] {
            prop_assert_eq!(outcome.status, Status::Rejected);
            prop_assert!(outcome.diagnostics.iter().any(|found| found.code == codes::DAMAGED_STATE));
        }
        prop_assert_eq!(self.tree(), before);
        std::fs::write(&path, whole).unwrap();
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(
        if std::env::var("RELAY_LONG_TESTS").is_ok_and(|value| value == "yes") { 400 } else { 24 }
    ))]

    #[test]
    fn everything_since_restores_every_file_whatever_happened_in_between(
        steps in prop::collection::vec(step(), 2..14),
    ) {
        let mut model = Model::new();
        for step in &steps {
            model.step(step)?;
        }
    }
}

#[test]
fn renames_and_undos_in_between_do_not_count_as_outside_changes() {
    let world = World::new(&[("a", "1\n2\n3\n4\n5\n6\n")]);
    world.land(&[("a", Some("one\n2\n3\n4\n5\n6\n"))]);
    world.land_renaming(&[("a", None), ("b", Some("one\ntwo\n3\n4\n5\n6\n"))], Some(("a", "b")));
    world.undo_one(1);
    world.land(&[("b", Some("ONE\ntwo\n3\n4\n5\n6\n"))]);
    let since = UndoOptions { which: Which::Since("1".to_owned()), ..UndoOptions::default() };
    let outcome = world.undo(&since);
    assert_eq!(outcome.status, Status::Committed, "{:?}", outcome.diagnostics);
    assert_eq!((world.read("a").as_deref(), world.read("b")), (Some("1\n2\n3\n4\n5\n6\n"), None));
}

#[test]
fn lines_that_an_undo_reverted_may_change_afterwards() {
    let world = World::new(&[("a", "1\n2\n3\n"), ("b", "b\n")]);
    world.land(&[("a", Some("one\n2\n3\n"))]);
    world.undo_one(1);
    world.land(&[("b", Some("B\n"))]);
    world.write("a", "mine\n2\n3\n");
    let since = UndoOptions { which: Which::Since("1".to_owned()), ..UndoOptions::default() };
    assert_eq!(world.undo(&since).status, Status::Committed);
    assert_eq!((world.read("a").as_deref(), world.read("b").as_deref()), (Some("mine\n2\n3\n"), Some("b\n")));
}
