//! The long lists of a record: its operations and changes, one entry for each file.
//!
//! Like contents (see `contents`), plain entries are written without the serializer where that gives the same bytes.

use std::fmt::Write as _;

use super::{Change, yaml};
use crate::error::TxnError;
use crate::record::{ChangeRecord, OperationRecord, Record, Stored};

/// What [`push_operations`] replaces.
pub(super) const NO_OPERATIONS: &str = "\noperations: []";
/// What [`push_changes`] replaces.
pub(super) const NO_CHANGES: &str = "\nchanges: []";

/// Appends the operations.
pub(super) fn push_operations(text: &mut String, record: &Record) -> Result<(), TxnError> {
    if record.operations.is_empty() {
        text.push_str(NO_OPERATIONS);
        return Ok(());
    }
    text.push_str("\noperations:\n");
    for operation in &record.operations {
        if !push_operation(text, operation) {
            text.push_str(&yaml(&[operation], record.uuid)?);
        }
    }
    Ok(())
}

/// Appends the changes.
pub(super) fn push_changes(text: &mut String, record: &Record) -> Result<(), TxnError> {
    if record.changes.is_empty() {
        text.push_str(NO_CHANGES);
        return Ok(());
    }
    text.push_str("\nchanges:\n");
    for change in &record.changes {
        if !push_change(text, change) {
            text.push_str(&yaml(&[Change::from(change)], record.uuid)?);
        }
    }
    Ok(())
}

/// Appends an operation, unless it is not plain.
fn push_operation(text: &mut String, operation: &OperationRecord) -> bool {
    let OperationRecord { operation, path, to, dialect, placement } = operation;
    if to.is_some() || ![operation, path, dialect, placement].into_iter().all(|value| is_plain(value)) {
        return false;
    }
    let lines = format_args!(
        "- operation: {operation}\n  path: {path}\n  dialect: {dialect}\n  placement: {placement}\n"
    );
    text.write_fmt(lines).is_ok()
}

/// Appends a change, unless it is not plain.
fn push_change(text: &mut String, change: &ChangeRecord) -> bool {
    let ChangeRecord { path, operation, renamed_from, added, removed, before, after, by } = change;
    let sides = [("before", before), ("after", after)];
    let is_plain = renamed_from.is_none()
        && by.is_none()
        && is_plain(path)
        && sides.iter().all(|(_, stored)| stored.as_ref().is_none_or(is_plain_side));
    if !is_plain {
        return false;
    }
    let lines =
        format_args!("- path: {path}\n  operation: {operation}\n  added: {added}\n  removed: {removed}\n");
    let mut written = text.write_fmt(lines).is_ok();
    for (name, stored) in sides {
        let Some(Stored { hash, size, mode, .. }) = stored else { continue };
        let lines = format_args!("  {name}:\n    hash: {hash}\n    size: {size}\n    mode: \"{mode:06o}\"\n");
        written &= text.write_fmt(lines).is_ok();
    }
    written
}

/// Whether the facts of a file need no quotes and say nothing about an owner. A hash may look like a number.
fn is_plain_side(stored: &Stored) -> bool {
    let is_letter = |byte: u8| matches!(byte, b'a'..=b'd' | b'f');
    stored.belongings.is_none() && stored.hash.bytes().any(is_letter)
}

/// Whether a value is a plain YAML scalar that cannot be taken for a number or a word with a meaning.
pub(super) fn is_plain(value: &str) -> bool {
    const MEANINGFUL: [&str; 11] =
        ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"];
    let is_usual =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'-' | b' ');
    value.starts_with(|first: char| first.is_ascii_alphabetic())
        && value.len() < 200
        && value.bytes().all(is_usual)
        && !value.ends_with(' ')
        && !MEANINGFUL.iter().any(|word| value.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::{Content, Operation, content_hash};

    fn stored(seed: u32, mode: u32) -> Stored {
        let hash = content_hash(&seed.to_le_bytes());
        Stored { hash, size: u64::from(seed), mode, belongings: None, content: Content::Blob }
    }

    proptest! {
        #[test]
        fn plain_entries_are_what_the_serializer_writes(
            words in prop::collection::vec("[A-Za-z0-9_./ -]{0,12}|no|Yes|null|1e5|~", 4),
            seed in any::<u32>(),
        ) {
            let nil = uuid::Uuid::nil();
            let [operation, path, dialect, placement] = words.clone().try_into().unwrap();
            let entry = OperationRecord { operation, path, to: None, dialect, placement };
            let mut written = String::new();
            if push_operation(&mut written, &entry) {
                prop_assert_eq!(written, yaml(&[&entry], nil).unwrap());
            }
            let change = ChangeRecord {
                path: words.concat(),
                operation: Operation::Modify,
                renamed_from: None,
                added: 1,
                removed: usize::try_from(seed).unwrap(),
                before: Some(stored(seed, 0o100_644)).filter(|_| seed % 3 > 0),
                after: Some(stored(seed / 2, 0o120_777)).filter(|_| seed % 5 > 0),
                by: None,
            };
            let mut written = String::new();
            if push_change(&mut written, &change) {
                prop_assert_eq!(written, yaml(&[Change::from(&change)], nil).unwrap());
            }
        }
    }

    #[test]
    fn the_usual_entry_is_plain() {
        let words = |path: &str| OperationRecord {
            operation: "patch".to_owned(),
            path: path.to_owned(),
            to: None,
            dialect: "search-replace".to_owned(),
            placement: "whole file".to_owned(),
        };
        assert!(push_operation(&mut String::new(), &words("src/a_b-c/main.rs")));
        assert!(!push_operation(&mut String::new(), &words("no")));
    }
}
