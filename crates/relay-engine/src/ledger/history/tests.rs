//! The states of transactions, and the choice from them.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use relay_txn::{ChangeRecord, Header, Operation, Undoes};

use super::*;

fn uuid(number: u64) -> Uuid {
    Uuid::from_u128(u128::from(number))
}

pub(crate) fn record(number: u64, files: &[&str], undoes: &[(u64, &[&str])]) -> Record {
    let change = |path: &&str| ChangeRecord {
        path: (*path).to_owned(),
        operation: Operation::Modify,
        renamed_from: None,
        added: 0,
        removed: 0,
        before: None,
        by: None,
        after: None,
    };
    let undoes = undoes.iter().map(|(target, files)| Undoes {
        uuid: uuid(*target),
        files: files.iter().map(|file| (*file).to_owned()).collect(),
    });
    Record {
        version: 1,
        uuid: uuid(number),
        sequence: number,
        created_at: Timestamp::from_second(i64::try_from(number).unwrap() * 60).unwrap(),
        header: Header { channel: "apply".to_owned(), undoes: undoes.collect(), ..Header::default() },
        operations: Vec::new(),
        changes: files.iter().map(change).collect(),
        folders: Vec::new(),
        removed_folders: Vec::new(),
        checks: Vec::new(),
        approved: true,
        approved_by: None,
    }
}

pub(crate) fn history(records: Vec<Record>) -> History {
    History::new(Entries { records, ..Entries::default() })
}

/// The states from the oldest to the newest: `c`ommitted, `p`artly undone, `u`ndone.
#[track_caller]
fn check(records: Vec<Record>, expected: &str) {
    let found: String = history(records)
        .entries
        .iter()
        .rev()
        .map(|entry| match entry.status {
            EntryStatus::Committed => 'c',
            EntryStatus::PartlyUndone => 'p',
            EntryStatus::Undone => 'u',
            EntryStatus::Damaged => 'd',
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn undo_redo_and_undo_again() {
    let ab = ["a", "b"];
    check(vec![record(1, &ab, &[])], "c");
    check(vec![record(1, &ab, &[]), record(2, &ab, &[(1, &[])])], "uc");
    check(vec![record(1, &ab, &[]), record(2, &ab, &[(1, &[])]), record(3, &ab, &[(2, &[])])], "cuc");
    check(
        vec![
            record(1, &ab, &[]),
            record(2, &ab, &[(1, &[])]),
            record(3, &ab, &[(2, &[])]),
            record(4, &ab, &[(3, &[])]),
        ],
        "ucuc",
    );
    check(
        vec![
            record(1, &ab, &[]),
            record(2, &ab, &[(1, &[])]),
            record(3, &ab, &[(2, &[])]),
            record(4, &ab, &[(1, &[])]),
        ],
        "uucc",
    );
}

#[test]
fn some_files_are_a_part_and_all_parts_are_the_whole() {
    let ab = ["a", "b"];
    check(vec![record(1, &ab, &[]), record(2, &["a"], &[(1, &["a"])])], "pc");
    check(
        vec![record(1, &ab, &[]), record(2, &["a"], &[(1, &["a"])]), record(3, &["b"], &[(1, &["b"])])],
        "ucc",
    );
    // Of an undo of both files, one is undone.
    check(vec![record(1, &ab, &[]), record(2, &ab, &[(1, &[])]), record(3, &["a"], &[(2, &["a"])])], "ppc");
    let partly = history(vec![record(1, &ab, &[]), record(2, &["a"], &[(1, &["a"])])]);
    assert_eq!(partly.entries[1].undone, BTreeSet::from(["a".to_owned()]));
    assert_eq!(partly.entries[1].in_effect(), BTreeSet::from(["b".to_owned()]));
}

#[test]
fn one_undo_of_several() {
    let records = vec![
        record(1, &["a"], &[]),
        record(2, &["a"], &[]),
        record(3, &["b"], &[]),
        record(4, &["a", "b"], &[(3, &[]), (2, &[])]),
    ];
    check(records.clone(), "cuuc");
    let redone = [records, vec![record(5, &["a", "b"], &[(4, &[])])]].concat();
    check(redone, "cccuc");
}

/// The definition, word for word: a file is undone if something that undoes it is in effect there.
fn is_undone(records: &[Record], at: usize, path: &str) -> bool {
    let uuid = records[at].uuid;
    records.iter().enumerate().skip(at + 1).any(|(later, record)| {
        record.header.undoes.iter().any(|target| target.uuid == uuid && target.covers(path))
            && !is_undone(records, later, path)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is undone in whatever files and order, the states are what the definition says.
    #[test]
    fn states_follow_their_definition(
        steps in prop::collection::vec((0u64..12, prop::bool::ANY, 1usize..8), 1..14),
    ) {
        let names = ["a", "b", "c"];
        let mut records: Vec<Record> = Vec::new();
        for (at, (target, is_undo, files)) in (1u64..).zip(steps) {
            let chosen: Vec<&str> =
                names.iter().enumerate().filter(|(bit, _)| files & (1 << bit) != 0).map(|(_, name)| *name).collect();
            let target = target % at;
            records.push(if is_undo && target > 0 {
                record(at, &chosen, &[(target, &chosen)])
            } else {
                record(at, &chosen, &[])
            });
        }
        let found: BTreeMap<Uuid, BTreeSet<String>> =
            history(records.clone()).entries.into_iter().map(|entry| (entry.record.uuid, entry.undone)).collect();
        for (at, record) in records.iter().enumerate() {
            let expected: BTreeSet<String> =
                record.paths().filter(|path| is_undone(&records, at, path)).map(str::to_owned).collect();
            prop_assert_eq!(&found[&record.uuid], &expected, "transaction {}", record.sequence);
        }
    }
}

#[test]
fn a_list_is_limited_by_file_channel_state_and_time() {
    let mut renaming = record(3, &["old", "new"], &[]);
    renaming.changes[1].renamed_from = Some("old".to_owned());
    let mut clipboard = record(4, &["src/deep/x", "srcs"], &[]);
    clipboard.header.channel = "clipboard".to_owned();
    let history = history(vec![
        record(1, &["old"], &[]),
        record(2, &["other"], &[]),
        renaming,
        clipboard,
        record(5, &["new"], &[]),
        record(6, &["other"], &[(2, &[])]),
    ]);
    let numbers = |filter: Filter| -> Vec<u64> {
        filter.choose(&history).iter().map(|entry| entry.record.sequence).collect()
    };
    let path = |path: &str| Filter { path: Some(path.to_owned()), ..Filter::default() };
    assert_eq!(numbers(Filter::default()), [6, 5, 4, 3, 2, 1]);
    assert_eq!(numbers(path("new")), [5, 3, 1], "also under its earlier name");
    assert_eq!(numbers(path("src")), [4], "a folder, and not what only begins like it");
    assert_eq!(numbers(path("sr")), [] as [u64; 0]);
    assert_eq!(numbers(Filter { channel: Some("clipboard".to_owned()), ..Filter::default() }), [4]);
    assert_eq!(numbers(Filter { status: Some(EntryStatus::Undone), ..Filter::default() }), [2]);
    let minute = |minute: i64| Timestamp::from_second(minute * 60).ok();
    assert_eq!(numbers(Filter { since: minute(5), ..Filter::default() }), [6, 5]);
    assert_eq!(numbers(Filter { until: minute(2), ..Filter::default() }), [2, 1]);
    assert_eq!(numbers(Filter { since: minute(2), until: minute(4), ..path("new") }), [3]);
}

#[test]
fn times_as_people_write_them() {
    let now: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
    let zone = TimeZone::fixed(jiff::tz::offset(2));
    let check = |text: &str, edge, expected: &str| {
        let found =
            moment(text, now, &zone, edge).unwrap_or_else(|error| panic!("{text}: {}", error.message));
        assert_eq!(found, expected.parse().unwrap(), "{text}");
    };
    check("2h", Edge::Start, "2026-11-15T10:00:00Z");
    check("90m", Edge::Start, "2026-11-15T10:30:00Z");
    check("3d", Edge::Start, "2026-11-12T12:00:00Z");
    check("2w", Edge::End, "2026-11-01T12:00:00Z");
    check("2026-11-10", Edge::Start, "2026-11-09T22:00:00Z");
    check("2026-11-10", Edge::End, "2026-11-10T21:59:59.999999999Z");
    check("2026-11-10T08:30", Edge::End, "2026-11-10T06:30:00Z");
    check("2026-11-10 08:30", Edge::Start, "2026-11-10T06:30:00Z");
    check("2026-11-10T08:30:00Z", Edge::Start, "2026-11-10T08:30:00Z");
    for bad in ["", "yesterdayish", "3", "d", "-3d", "3 days", "2026-13-01", "99999999999d"] {
        let error = moment(bad, now, &zone, Edge::Start).expect_err(bad);
        assert_eq!((error.code, error.hint.is_some()), (codes::BAD_TIME, true), "{bad}");
    }
    assert_eq!(age("90d").unwrap(), SignedDuration::from_hours(90 * 24));
    assert_eq!(age("12h").unwrap(), SignedDuration::from_hours(12));
    assert_eq!(age("2026-11-10").expect_err("a date is not an age").code, codes::BAD_TIME);
}
