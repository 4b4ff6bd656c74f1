//! Undo against a real ledger: any order, any depth, with edits by others in between.

mod since;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;
use relay_diagnostics::Cancel;
use relay_store::Store;
use relay_txn::{Draft, FileChange, Header, Image, Record, Target, Verdict};
use relay_workspace::{RelPath, Sensitive, Workspace};

use super::*;
use crate::approval::{Decision, Proposal, Unobserved};
use crate::ledger::history::EntryStatus;
use crate::project::config::ConfiguredCommand;

mod order;

/// A project in a temporary folder.
struct World {
    folder: tempfile::TempDir,
    engine: Engine,
}

struct Nobody;

impl Approver for Nobody {
    fn can_approve(&self) -> bool {
        false
    }
    fn approved_by(&self) -> &'static str {
        "nobody"
    }
    fn approve(&mut self, _: &Proposal<'_>) -> Decision {
        Decision::NobodyThere
    }
    fn trust(&mut self, _: &[ConfiguredCommand<'_>], _: bool) -> Decision {
        Decision::NobodyThere
    }
    fn allow_sensitive(&mut self, _: &[(RelPath, Sensitive)]) -> Decision {
        Decision::NobodyThere
    }
}

impl World {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir(&root).unwrap();
        let workspace = Workspace::open(&root).unwrap();
        let engine = Engine::open(workspace, Store::at(&folder.path().join("user")), Cancel::new()).unwrap();
        let world = Self { folder, engine };
        for (path, text) in files {
            world.write(path, text);
        }
        world
    }

    fn at(&self, path: &str) -> std::path::PathBuf {
        self.folder.path().join("project").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        std::fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        std::fs::write(self.at(path), text).unwrap();
    }

    fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.at(path)).ok()
    }

    /// Lands a transaction: each path gets this content, or goes.
    fn land(&self, changes: &[(&str, Option<&str>)]) -> Record {
        self.land_renaming(changes, None)
    }

    fn land_renaming(&self, changes: &[(&str, Option<&str>)], renamed: Option<(&str, &str)>) -> Record {
        let changes = changes.iter().map(|(path, after)| FileChange {
            path: RelPath::new(path).unwrap(),
            before: self.read(path).map(|text| Image::new(text.into_bytes(), 0o100_644)),
            after: after.map(|text| Target::new(text.as_bytes())),
            renamed_from: renamed.filter(|(_, to)| to == path).map(|(from, _)| RelPath::new(from).unwrap()),
            added: 0,
            removed: 0,
        });
        let header = Header { channel: "apply".to_owned(), ..Header::default() };
        let draft = Draft { uuid: Uuid::new_v4(), header, changes: changes.collect(), ..Draft::default() };
        self.engine.ledger().begin(draft).unwrap().commit(Verdict::default()).unwrap()
    }

    fn undo(&self, options: &UndoOptions) -> Outcome {
        undo(&self.engine, options, &mut Nobody, &mut Unobserved)
    }

    fn undo_one(&self, number: u64) -> Outcome {
        self.undo(&UndoOptions { which: Which::One(number.to_string()), ..UndoOptions::default() })
    }

    fn redo(&self) -> Outcome {
        redo(&self.engine, &UndoOptions::default(), &mut Nobody, &mut Unobserved)
    }

    fn status(&self, number: u64) -> EntryStatus {
        self.engine.history().unwrap().find(&number.to_string()).unwrap().status
    }
}

fn placements(outcome: &Outcome) -> Vec<(&str, &str)> {
    outcome.files.iter().map(|file| (file.path.as_str(), file.placement.as_str())).collect()
}

fn messages(outcome: &Outcome) -> Vec<&str> {
    outcome.diagnostics.iter().map(|found| found.message.as_str()).collect()
}

#[test]
fn an_older_transaction_is_merged_out_of_later_ones_and_back_in() {
    let world = World::new(&[("a", "1\n2\n3\n4\n5\n")]);
    world.land(&[("a", Some("one\n2\n3\n4\n5\n"))]);
    world.land(&[("a", Some("one\n2\n3\n4\nfive\n"))]);
    world.write("a", "one\n2\nTHREE\n4\nfive\n");
    let outcome = world.undo_one(1);
    assert_eq!(outcome.status, Status::Committed, "{:?}", outcome.diagnostics);
    assert_eq!(placements(&outcome), [("a", "merged")]);
    assert_eq!(world.read("a").unwrap(), "1\n2\nTHREE\n4\nfive\n");
    assert_eq!(world.status(1), EntryStatus::Undone);
    assert_eq!(world.status(2), EntryStatus::Committed);
    world.write("a", "1\n2\nTHREE\nfour\nfive\n");
    assert_eq!(world.redo().status, Status::Committed);
    assert_eq!(world.read("a").unwrap(), "one\n2\nTHREE\nfour\nfive\n");
    assert_eq!(world.status(1), EntryStatus::Committed);
}

#[test]
fn only_transactions_that_wrote_the_lines_are_named() {
    let world = World::new(&[("a", "1\n2\n3\n4\n5\n")]);
    world.land(&[("a", Some("1\ntwo\n3\n4\n5\n"))]);
    world.land(&[("a", Some("1\ntwo\n3\n4\nfive\n"))]);
    world.land(&[("a", Some("0\n1\nzwei\n3\n4\nfive\n"))]);
    let outcome = world.undo_one(1);
    let hint = outcome.diagnostics[0].hint.as_deref().unwrap();
    assert!(hint.starts_with("Undo #3 first,"), "{hint}");
}

#[test]
fn the_same_lines_changed_since_refuse_it_with_both_versions_and_the_later_transactions() {
    let world = World::new(&[("a", "1\n2\n3\n")]);
    world.land(&[("a", Some("1\ntwo\n3\n"))]);
    world.land(&[("a", Some("1\nzwei\n3\n"))]);
    let outcome = world.undo_one(1);
    assert_eq!(outcome.status, Status::Rejected);
    let [found] = outcome.diagnostics.as_slice() else { panic!("{:?}", outcome.diagnostics) };
    assert_eq!(found.code, codes::UNDO_CONFLICT);
    assert_eq!(found.file_lines, Some((2, 2)));
    for part in ["line 2 of a has changed since", "2 │ zwei", "2 │ 2"] {
        assert!(found.message.contains(part), "{part} in {}", found.message);
    }
    let hint = found.hint.as_deref().unwrap();
    assert!(hint.contains("Undo #2 first") && hint.contains("--force-file a"), "{hint}");
    assert_eq!(world.read("a").unwrap(), "1\nzwei\n3\n");
    assert_eq!(world.status(1), EntryStatus::Committed);
}

#[test]
fn one_conflict_stops_all_files_and_a_forced_file_is_restored_whole_and_can_come_back() {
    let world = World::new(&[("a", "1\n2\n3\n"), ("b", "b\n")]);
    world.land(&[("a", Some("1\ntwo\n3\n")), ("b", Some("B\n"))]);
    world.write("a", "1\nmine\n3\nmore\n");
    assert_eq!(world.undo_one(1).status, Status::Rejected);
    assert_eq!(world.read("b").unwrap(), "B\n");
    let force = UndoOptions { force_files: vec!["a".to_owned()], ..UndoOptions::default() };
    let outcome = world.undo(&force);
    assert_eq!(outcome.status, Status::Committed, "{:?}", outcome.diagnostics);
    assert_eq!(placements(&outcome), [("a", "forced"), ("b", "exact")]);
    assert_eq!(world.read("a").unwrap(), "1\n2\n3\n");
    assert_eq!(world.redo().status, Status::Committed);
    assert_eq!(world.read("a").unwrap(), "1\nmine\n3\nmore\n", "nothing is lost");
    assert_eq!(world.read("b").unwrap(), "B\n");
    let stranger = UndoOptions { force_files: vec!["c".to_owned()], ..UndoOptions::default() };
    let outcome = world.undo(&stranger);
    assert_eq!(messages(&outcome), ["c was not changed by what is undone"]);
}

#[test]
fn the_next_undo_restores_what_a_forced_redo_overwrote() {
    let world = World::new(&[("a", "1\n2\n3\n"), ("b", "b\n")]);
    world.land(&[("a", Some("1\ntwo\n3\n")), ("b", None)]);
    world.undo_one(1);
    world.write("a", "1\nmine\n3\n");
    world.write("b", "also mine\n");
    assert_eq!(world.redo().status, Status::Rejected);
    let force = UndoOptions { force_files: vec!["a".to_owned(), "b".to_owned()], ..UndoOptions::default() };
    let outcome = redo(&world.engine, &force, &mut Nobody, &mut Unobserved);
    assert_eq!(placements(&outcome), [("a", "forced"), ("b", "forced")]);
    assert_eq!((world.read("a").as_deref(), world.read("b")), (Some("1\ntwo\n3\n"), None));
    for again in
        [UndoOptions::default(), UndoOptions { which: Which::One("1".to_owned()), ..UndoOptions::default() }]
    {
        assert_eq!(world.undo(&again).status, Status::Committed);
        assert_eq!(world.read("a").as_deref(), Some("1\nmine\n3\n"), "nothing is lost");
        assert_eq!(world.read("b").as_deref(), Some("also mine\n"));
        assert_eq!(world.status(1), EntryStatus::Undone);
        assert_eq!(world.redo().status, Status::Committed);
        assert_eq!(world.read("a").as_deref(), Some("1\ntwo\n3\n"));
        assert_eq!(world.status(1), EntryStatus::Committed);
    }
}

#[test]
fn one_file_of_several_leaves_the_transaction_partly_undone() {
    let world = World::new(&[("a", "a\n"), ("b", "b\n"), ("c", "c\n")]);
    world.land(&[("a", Some("A\n")), ("b", Some("B\n")), ("c", Some("C\n"))]);
    let only = |files: &[&str]| UndoOptions {
        which: Which::One("1".to_owned()),
        files: files.iter().map(|file| (*file).to_owned()).collect(),
        ..UndoOptions::default()
    };
    assert_eq!(world.undo(&only(&["a"])).status, Status::Committed);
    assert_eq!((world.read("a").unwrap(), world.read("b").unwrap()), ("a\n".to_owned(), "B\n".to_owned()));
    assert_eq!(world.status(1), EntryStatus::PartlyUndone);
    assert_eq!(world.undo(&only(&["a"])).diagnostics[0].code, codes::ALREADY_UNDONE);
    assert_eq!(world.undo(&only(&["x"])).diagnostics[0].code, codes::NOT_IN_TRANSACTION);
    let rest = world.undo_one(1);
    assert_eq!(placements(&rest), [("b", "exact"), ("c", "exact")]);
    assert_eq!(rest.undoes[0].files, ["b", "c"]);
    assert_eq!(world.status(1), EntryStatus::Undone);
    assert_eq!(world.redo().status, Status::Committed);
    assert_eq!(world.status(1), EntryStatus::PartlyUndone);
    assert_eq!((world.read("a").unwrap(), world.read("b").unwrap()), ("a\n".to_owned(), "B\n".to_owned()));
}

#[test]
fn everything_since_is_undone_and_redone_as_one_transaction() {
    let world = World::new(&[("a", "1\n2\n3\n"), ("gone", "x\n")]);
    world.land(&[("other", Some("o\n"))]);
    world.land(&[("a", Some("one\n2\n3\n")), ("made/deep", Some("m\n"))]);
    world.land(&[("a", Some("one\n2\nthree\n")), ("gone", None)]);
    world.undo_one(3);
    world.land(&[("made/deep", Some("m2\n"))]);
    let outcome = world.undo(&UndoOptions { which: Which::Since("2".to_owned()), ..UndoOptions::default() });
    assert_eq!(outcome.status, Status::Committed, "{:?}", outcome.diagnostics);
    assert_eq!(outcome.undoes.len(), 2, "what was undone already stays so");
    assert_eq!(world.read("a").unwrap(), "1\n2\n3\n");
    assert_eq!((world.read("made/deep"), world.read("gone").unwrap()), (None, "x\n".to_owned()));
    assert!(!world.at("made").exists());
    assert_eq!(world.read("other").unwrap(), "o\n");
    assert_eq!([2, 3, 5].map(|number| world.status(number)), [EntryStatus::Undone; 3]);
    assert_eq!(world.redo().status, Status::Committed);
    assert_eq!(world.read("a").unwrap(), "one\n2\n3\n");
    assert_eq!(world.read("made/deep").unwrap(), "m2\n");
    assert_eq!(world.status(3), EntryStatus::Undone);
}

#[test]
fn undoing_everything_since_an_undo_restores_what_it_undid() {
    let world = World::new(&[("a", "1\n")]);
    world.land(&[("a", Some("2\n"))]);
    world.undo_one(1);
    let since = UndoOptions { which: Which::Since("2".to_owned()), ..UndoOptions::default() };
    assert_eq!(world.undo(&since).status, Status::Committed);
    assert_eq!(world.read("a").unwrap(), "2\n");
    assert_eq!(world.status(1), EntryStatus::Committed);
}

#[test]
fn a_renamed_file_gets_its_name_back_with_later_changes_in_it() {
    let world = World::new(&[("old", "1\n2\n3\n4\n")]);
    world.land_renaming(&[("old", None), ("new", Some("1\nTWO\n3\n4\n"))], Some(("old", "new")));
    world.write("new", "1\nTWO\n3\nfour\n");
    let outcome = world.undo_one(1);
    assert_eq!(outcome.status, Status::Committed, "{:?}", outcome.diagnostics);
    assert_eq!(placements(&outcome), [("old", "merged")]);
    assert_eq!(outcome.files[0].renamed_from.as_deref(), Some("new"));
    assert_eq!((world.read("old").unwrap(), world.read("new")), ("1\n2\n3\nfour\n".to_owned(), None));
    assert_eq!(world.redo().status, Status::Committed);
    assert_eq!((world.read("old"), world.read("new").unwrap()), (None, "1\nTWO\n3\nfour\n".to_owned()));
    let by_old_name = UndoOptions {
        which: Which::One("1".to_owned()),
        files: vec!["old".to_owned()],
        ..UndoOptions::default()
    };
    assert_eq!(world.undo(&by_old_name).status, Status::Committed, "either name means the rename");
    assert_eq!(world.status(1), EntryStatus::Undone);
}

#[test]
fn an_edit_is_undone_in_the_file_it_became() {
    let world = World::new(&[("old", "1\n2\n3\n")]);
    world.land(&[("old", Some("one\n2\n3\n"))]);
    world.land_renaming(&[("old", None), ("new", Some("one\n2\n3\n"))], Some(("old", "new")));
    let outcome = world.undo_one(1);
    assert_eq!((outcome.status, placements(&outcome)), (Status::Committed, vec![("new", "exact")]));
    assert_eq!((world.read("old"), world.read("new").unwrap()), (None, "1\n2\n3\n".to_owned()));
}

#[test]
fn files_recreated_deleted_or_edited_since_are_refused_as_a_list() {
    let world = World::new(&[("b", "b\n"), ("c", "c\n")]);
    world.land(&[("a", Some("a\n")), ("b", Some("B\n")), ("c", None)]);
    world.write("a", "a\nmine\n");
    std::fs::remove_file(world.at("b")).unwrap();
    world.write("c", "again\n");
    let outcome = world.undo_one(1);
    let found = messages(&outcome);
    assert!(
        found[0].starts_with("a was created there and has changed since") && found[0].contains("2 │ mine")
    );
    assert_eq!(found[1..], ["b has been deleted since", "c exists again"]);
    let force =
        UndoOptions { force_files: ["a", "b", "c"].map(str::to_owned).to_vec(), ..UndoOptions::default() };
    assert_eq!(world.undo(&force).status, Status::Committed);
    assert_eq!(
        (world.read("a"), world.read("b").unwrap(), world.read("c").unwrap()),
        (None, "b\n".into(), "c\n".into())
    );
}

#[test]
fn files_that_already_are_as_before_need_nothing() {
    let world = World::new(&[("a", "1\n"), ("b", "b\n")]);
    world.land(&[("a", Some("2\n")), ("b", Some("B\n")), ("new", Some("n\n"))]);
    world.write("a", "1\n");
    std::fs::remove_file(world.at("new")).unwrap();
    let outcome = world.undo_one(1);
    assert_eq!(outcome.status, Status::Committed, "{:?}", outcome.diagnostics);
    let unchanged: Vec<&str> = outcome
        .files
        .iter()
        .filter(|file| file.status == FileStatus::Unchanged)
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(unchanged, ["a", "new"]);
    assert_eq!(world.status(1), EntryStatus::Undone);
    assert_eq!(world.redo().status, Status::Committed);
    assert_eq!(world.status(1), EntryStatus::Committed, "as a whole it is in effect again");
    world.write("a", "1\n");
    world.write("b", "b\n");
    assert_eq!(world.undo_one(1).status, Status::Unchanged);
}

#[test]
fn permissions_changed_since_stay() {
    let world = World::new(&[("a", "1\n")]);
    world.land(&[("a", Some("2\n"))]);
    std::fs::set_permissions(world.at("a"), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(world.undo_one(1).status, Status::Committed);
    assert_eq!(world.read("a").unwrap(), "1\n");
    assert_eq!(std::fs::metadata(world.at("a")).unwrap().permissions().mode() & 0o777, 0o755);
}

#[test]
fn redo_accepts_the_undo_or_what_it_undid() {
    let world = World::new(&[("a", "1\n"), ("b", "1\n")]);
    world.land(&[("a", Some("2\n"))]);
    world.land(&[("b", Some("2\n"))]);
    world.undo_one(1);
    world.undo_one(2);
    let redo_one = |name: &str| {
        let options = UndoOptions { which: Which::One(name.to_owned()), ..UndoOptions::default() };
        redo(&world.engine, &options, &mut Nobody, &mut Unobserved)
    };
    assert_eq!(redo_one("1").status, Status::Committed);
    assert_eq!((world.read("a").unwrap(), world.read("b").unwrap()), ("2\n".to_owned(), "1\n".to_owned()));
    assert_eq!(redo_one("1").diagnostics[0].code, codes::NO_SUCH_TRANSACTION);
    assert_eq!(redo_one("4").status, Status::Committed);
    assert_eq!(world.read("b").unwrap(), "2\n");
    let since = UndoOptions { which: Which::Since("1".to_owned()), ..UndoOptions::default() };
    assert_eq!(world.undo(&since).status, Status::Committed);
    assert_eq!(redo_one("2").diagnostics[0].code, codes::AMBIGUOUS_TRANSACTION);
}

#[test]
fn a_link_is_restored_whole_or_not_at_all() {
    let world = World::new(&[("one", "1\n"), ("two", "2\n")]);
    let link = |target: &str, mode| Some(Image::new(target.as_bytes(), mode));
    std::os::unix::fs::symlink("one", world.at("link")).unwrap();
    let change = FileChange {
        path: RelPath::new("link").unwrap(),
        before: link("one", 0o120_777),
        after: Some(Target::new(*b"two").with_mode(0o120_777)),
        renamed_from: None,
        added: 0,
        removed: 0,
    };
    let header = Header { channel: "wrap".to_owned(), ..Header::default() };
    let draft = Draft { uuid: Uuid::new_v4(), header, changes: vec![change], ..Draft::default() };
    world.engine.ledger().begin(draft).unwrap().commit(Verdict::default()).unwrap();
    let aim = || std::fs::read_link(world.at("link")).unwrap().to_str().unwrap().to_owned();
    assert_eq!(aim(), "two");
    assert_eq!(world.undo_one(1).status, Status::Committed);
    assert_eq!(aim(), "one");
    assert_eq!(world.redo().status, Status::Committed);
    std::fs::remove_file(world.at("link")).unwrap();
    world.write("link", "a file now\n");
    assert_eq!(messages(&world.undo_one(1)), ["link has become something else since"]);
}

/// One line per key; a line that is there says which transaction, or which person, wrote it last.
fn render(lines: &BTreeMap<usize, String>) -> String {
    lines.iter().map(|(key, text)| format!("fixed {key}\n{text}\n")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Transactions and people change lines of their own; in whatever order transactions are then undone and
    /// brought back, the file has exactly the lines of those in effect.
    #[test]
    fn undo_in_any_order_equals_a_map_of_lines(
        owners in prop::collection::vec(0usize..4, 2..6),
        steps in prop::collection::vec(0usize..8, 1..8),
    ) {
        let mut lines: BTreeMap<usize, String> = (0..8).map(|key| (key, format!("line {key}"))).collect();
        let world = World::new(&[("a", &render(&lines))]);
        // Transaction n owns the keys n and n + 4 of the file; the person edits only keys that no transaction owns.
        let mut landed: Vec<(u64, usize, bool)> = Vec::new();
        for owner in owners {
            if landed.iter().any(|(_, other, _)| *other == owner) {
                continue;
            }
            for key in [owner, owner + 4] {
                lines.insert(key, format!("changed {key}"));
            }
            let record = world.land(&[("a", Some(&render(&lines)))]);
            landed.push((record.sequence, owner, true));
        }
        for pick in steps {
            let at = pick % landed.len();
            let (number, owner, in_effect) = landed[at];
            let outcome = if in_effect {
                world.undo_one(number)
            } else {
                let options = UndoOptions { which: Which::One(number.to_string()), ..UndoOptions::default() };
                redo(&world.engine, &options, &mut Nobody, &mut Unobserved)
            };
            prop_assert_eq!(outcome.status, Status::Committed, "{:?}", outcome.diagnostics);
            for key in [owner, owner + 4] {
                lines.insert(key, if in_effect { format!("line {key}") } else { format!("changed {key}") });
            }
            landed[at].2 = !in_effect;
            prop_assert_eq!(world.read("a").unwrap(), render(&lines));
            let state = if in_effect { EntryStatus::Undone } else { EntryStatus::Committed };
            prop_assert_eq!(world.status(number), state);
        }
    }
}

/// Agrees to everything, and writes to the file at that moment.
struct Meddler<'a>(&'a World);

impl Approver for Meddler<'_> {
    fn can_approve(&self) -> bool {
        true
    }
    fn approved_by(&self) -> &'static str {
        "meddler"
    }
    fn approve(&mut self, _: &Proposal<'_>) -> Decision {
        Decision::Yes
    }
    fn trust(&mut self, _: &[ConfiguredCommand<'_>], _: bool) -> Decision {
        Decision::Yes
    }
    fn allow_sensitive(&mut self, found: &[(RelPath, Sensitive)]) -> Decision {
        self.0.write(found[0].0.as_str(), "theirs");
        Decision::Yes
    }
}

#[test]
fn a_file_changed_at_the_last_moment_is_refused_with_both_versions_named() {
    let world = World::new(&[(".envrc", "old")]);
    world.land(&[(".envrc", Some("planned"))]);
    let outcome = undo(&world.engine, &UndoOptions::default(), &mut Meddler(&world), &mut Unobserved);
    assert_eq!(outcome.status, Status::Rejected, "{:?}", outcome.diagnostics);
    assert_eq!(world.read(".envrc").as_deref(), Some("theirs"));
    let name = |text: &str| blake3::hash(text.as_bytes()).to_hex()[..12].to_owned();
    let found = &outcome.diagnostics[0];
    assert!(found.message.contains(&name("planned")) && found.message.contains(&name("theirs")), "{found:?}");
    let hint = found.hint.clone().unwrap();
    let kept = hint.split_whitespace().find(|word| word.starts_with(".relaycode/rescued/")).unwrap();
    assert_eq!(world.read(kept.trim_end_matches('.')).as_deref(), Some("planned"));
}

#[test]
fn a_record_with_its_contents_needs_no_further_look_at_the_ledger() {
    let world = World::new(&[]);
    let names: Vec<String> = (0..50).map(|number| format!("f{number}")).collect();
    let changes: Vec<(&str, Option<&str>)> = names.iter().map(|name| (name.as_str(), Some("x\n"))).collect();
    world.land(&changes);
    let looked_up = |record: &Record| {
        let images = record.changes.iter().flat_map(|change| [&change.before, &change.after]).flatten();
        images.filter(|image| format!("{image:?}").contains("Elsewhere")).count()
    };
    let history = world.engine.history().unwrap();
    let listed = &history.entries[0].record;
    assert_eq!(looked_up(listed), 50, "each content of a listed record costs a reading of the whole record");
    assert_eq!(looked_up(&world.engine.with_contents(listed).unwrap()), 0);
}
