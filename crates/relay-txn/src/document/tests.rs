//! Whatever is written can be read again, and is then the same.

use proptest::prelude::*;

use super::*;
use crate::record::content_hash;

fn key() -> LedgerKey {
    LedgerKey::new([5; 32])
}

fn stored(text: &str) -> Stored {
    let content = Content::Inline(text.as_bytes().into());
    Stored {
        hash: content_hash(text.as_bytes()),
        size: text.len() as u64,
        mode: 0o100_644,
        belongings: None,
        content,
    }
}

fn belongings(text: &str) -> Belongings {
    let owner = Owner { user: 1000, group: 59 };
    let values = [("user.text".to_owned(), text.into()), (format!("user.{text}"), vec![0, 255])];
    Belongings { owner, extended: Extended(values.into()) }
}

/// A record that carries `text` wherever one can be.
fn record_with(text: &str) -> Record {
    let some = || Some(text.to_owned());
    Record {
        version: RECORD_VERSION,
        uuid: Uuid::from_u128(7),
        sequence: 3,
        created_at: Timestamp::from_second(1_700_000_000).unwrap(),
        header: Header {
            project_id: some(),
            channel: text.to_owned(),
            model: some(),
            group: some(),
            prompt_summary: some(),
            git_commit_msg: some(),
            blocks: Vec::new(),
            reasoning: text.to_owned(),
            submission: some(),
            undoes: vec![
                Undoes { uuid: Uuid::from_u128(9), files: vec!["src/one.rs".to_owned()] },
                Undoes::whole(Uuid::from_u128(8)),
            ],
        },
        operations: vec![OperationRecord {
            operation: "rename".to_owned(),
            path: text.to_owned(),
            to: some(),
            dialect: text.to_owned(),
            placement: text.to_owned(),
        }],
        changes: vec![
            ChangeRecord {
                path: format!("p{text}"),
                operation: Operation::Modify,
                renamed_from: some(),
                added: 1,
                removed: 2,
                before: Some(Stored { belongings: Some(belongings(text)), ..stored(text) }),
                after: Some(stored(&format!("{text}{text}"))),
                by: some(),
            },
            ChangeRecord {
                path: format!("q{text}"),
                operation: Operation::Create,
                renamed_from: None,
                added: 1,
                removed: 2,
                before: None,
                after: Some(Stored { content: Content::Blob, ..stored(text) }),
                by: None,
            },
        ],
        folders: vec![text.to_owned()],
        removed_folders: vec![FolderRecord {
            path: text.to_owned(),
            mode: 0o40_755,
            owner: Some(Owner::default()),
        }],
        checks: vec![CheckRecord {
            name: text.to_owned(),
            command: text.to_owned(),
            status: text.to_owned(),
            exit_code: Some(-1),
            errors: Some(2),
            new_errors: None,
            duration_ms: 3,
            output_tail: text.to_owned(),
        }],
        approved: true,
        approved_by: some(),
    }
}

fn check(text: &str) {
    let record = record_with(text);
    let sealed = write(&record, &key()).unwrap();
    let again = read(sealed.as_bytes(), record.uuid, &key()).unwrap().unwrap();
    assert_eq!(again, record, "{sealed}");
    for (one, other) in again.changes.iter().zip(&record.changes) {
        for (one, other) in [(&one.before, &other.before), (&one.after, &other.after)] {
            let text = |stored: &Option<Stored>| match stored.as_ref().map(|stored| &stored.content) {
                Some(Content::Inline(text)) => Some(text.clone()),
                _ => None,
            };
            assert_eq!(text(one), text(other), "{sealed}");
            let belongings = |stored: &Option<Stored>| stored.as_ref().and_then(|s| s.belongings.clone());
            assert_eq!(belongings(one), belongings(other), "{sealed}");
        }
    }
    let brief = read_brief(&write_brief(&record).unwrap(), record.uuid).unwrap();
    assert_eq!(brief, record);
}

#[test]
fn texts_that_yaml_could_take_for_something_else() {
    for text in [
        "",
        " ",
        "\n",
        "\n\n",
        "a",
        "a\n",
        "a\n\n\n",
        "  a\n b\n",
        "\ta\n\tb",
        "null",
        "~",
        "true",
        "no",
        "1e3",
        "0x1f",
        "010",
        "1:30",
        "- a\n- b\n",
        "a: b\n",
        "# c\n",
        "---\n",
        "...\n",
        "a\n---\nb\n",
        "%YAML 1.2\n",
        "&a *a",
        "!tag",
        "|\n",
        ">\n",
        "a\r\nb\r\n",
        "a\rb",
        "\u{feff}a\n",
        "a\u{85}b\n",
        "a\u{2028}b\n",
        "\u{0}\u{1b}[0m\u{7f}",
        "\"",
        "'",
        "a \n",
        "a\t\n",
        " \n \n",
        "\u{1f600}\u{200d}\n",
        "key: |\n  x\n",
        "mac: 00\n",
        "\u{fffe}\u{ffff}",
        "\\n",
        "{a}",
        "[a",
    ] {
        check(text);
    }
    check(&"long line without an end ".repeat(400));
    check(&format!("{}\nshort\n", "long first line ".repeat(100)));
}

#[test]
fn a_record_without_changes_is_read_again() {
    let record = Record { changes: Vec::new(), operations: Vec::new(), ..record_with("x") };
    let sealed = write(&record, &key()).unwrap();
    assert!(
        sealed.contains("\noperations: []\nchanges: []\n") && sealed.contains("\nsnapshot: {}\n"),
        "{sealed}"
    );
    assert_eq!(read(sealed.as_bytes(), record.uuid, &key()).unwrap(), Some(record));
}

#[test]
fn a_newer_version_is_not_misread() {
    let mut record = record_with("x");
    record.version = RECORD_VERSION + 1;
    let sealed = write(&record, &key()).unwrap();
    assert!(matches!(read(sealed.as_bytes(), record.uuid, &key()), Err(TxnError::Record { .. })));
}

#[test]
fn another_transaction_s_record_is_not_ours() {
    let record = record_with("x");
    let sealed = write(&record, &key()).unwrap();
    assert!(read(sealed.as_bytes(), Uuid::from_u128(9), &key()).unwrap().is_none());
    assert!(read(sealed.as_bytes(), record.uuid, &LedgerKey::new([6; 32])).unwrap().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_survives(text in "(?s).{0,60}") {
        check(&text);
    }

    #[test]
    fn any_awkward_text_survives(text in "[ \\t\\r\\n:#\\-|>&*!%@`'\"\\\\{}\\[\\],?a0\u{85}\u{feff}]{0,40}") {
        check(&text);
    }
}
