//! The contents of the files in a record: by far the most of it, so they are written without a serializer where that gives
//! the same bytes.
//!
//! Nearly every content is plain text below a plain path, and looks the same every time: the path, a bar, and the lines
//! indented. Whatever is not obviously of this form goes through the serializer, which knows the rules of YAML.

use std::collections::BTreeMap;

use super::saved::Saved;
use super::yaml;
use crate::error::TxnError;
use crate::record::{ChangeRecord, Record, Stored};

/// What [`push`] replaces: the form in which the serializer writes a record without contents.
pub(super) const NONE: &str = "\nsnapshot: {}";

/// Appends the contents before and after, each under its key.
pub(super) fn push(text: &mut String, record: &Record) -> Result<(), TxnError> {
    if record.changes.is_empty() {
        text.push_str(NONE);
        return Ok(());
    }
    text.push('\n');
    section(text, record, "snapshot", |change| change.before.as_ref())?;
    section(text, record, "result", |change| change.after.as_ref())
}

/// About how long a record becomes with its files.
pub(super) fn size(record: &Record) -> usize {
    // Four spaces before each line, and what the lists say about the file.
    let stored = |stored: &Option<Stored>| stored.as_ref().map_or(0, |stored| stored.inline().len() * 5 / 4);
    record.changes.iter().map(|change| stored(&change.before) + stored(&change.after) + 640).sum()
}

fn section(
    text: &mut String,
    record: &Record,
    key: &str,
    pick: fn(&ChangeRecord) -> Option<&Stored>,
) -> Result<(), TxnError> {
    text.push_str(key);
    text.push_str(":\n");
    let by_path: BTreeMap<&str, &ChangeRecord> =
        record.changes.iter().map(|change| (change.path.as_str(), change)).collect();
    for (path, change) in by_path {
        let saved = Saved::of(pick(change));
        match &saved {
            Saved::Text(content) if is_plain_path(path) && is_plain_text(content.as_bytes()) => {
                plain(text, path, content);
            }
            _ => {
                let entry = yaml(&BTreeMap::from([(path, &saved)]), record.uuid)?;
                for line in entry.split_inclusive('\n') {
                    text.push_str("  ");
                    text.push_str(line);
                }
            }
        }
    }
    Ok(())
}

fn plain(text: &mut String, path: &str, content: &str) {
    text.push_str("  ");
    text.push_str(path);
    text.push_str(": |\n");
    for line in content.split_inclusive('\n') {
        text.push_str("    ");
        text.push_str(line);
    }
}

/// Whether a path is a plain YAML key that cannot be taken for a number or a word with a meaning.
fn is_plain_path(path: &str) -> bool {
    path.starts_with(|first: char| first.is_ascii_alphabetic())
        && path.contains('/')
        && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'-'))
        && path.len() < 200
}

/// Whether a content is lines of visible ASCII characters and tabs, the first of which is not indented, and ends with one
/// line end.
fn is_plain_text(content: &[u8]) -> bool {
    // Without early exit, so that many bytes are looked at together.
    let is_odd = |byte: u8| (byte < b' ') & (byte != b'\n') & (byte != b'\t') | (byte > b'~');
    content.first().is_some_and(u8::is_ascii_graphic)
        && content.ends_with(b"\n")
        && !content.ends_with(b"\n\n")
        && content.chunks(4096).all(|part| !part.iter().fold(false, |odd, byte| odd | is_odd(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the serializer makes of the same entry.
    #[track_caller]
    fn check(path: &str, content: &str) {
        assert!(is_plain_path(path) && is_plain_text(content.as_bytes()), "{path} {content:?}");
        let mut written = String::from("x:\n");
        plain(&mut written, path, content);
        let entry = BTreeMap::from([("x", BTreeMap::from([(path, content)]))]);
        assert_eq!(written, yaml(&entry, uuid::Uuid::nil()).unwrap());
    }

    #[test]
    fn plain_entries_are_what_the_serializer_writes() {
        check("src/a.rs", "fn a() {}\n");
        check("src/a.rs", "- a: b # c\n\n\tx \n  y\n---\n...\nlast\n");
        check("a-b/c_d.e", "%YAML\n\"q\" 'q' {x} [y], &a *b !t |\n>\n");
        check("Null/yes", "~\n");
        check("e/5", &format!("{}\nshort\n", "long line ".repeat(100)));
    }

    #[test]
    fn anything_else_is_left_to_the_serializer() {
        for path in ["null", "1/2", "a b/c", "a/é", "-a/b", "a"] {
            assert!(!is_plain_path(path), "{path}");
        }
        for content in ["", "\n", " a\n", "\ta\n", "a", "a\n\n", "a\r\n", "é\n", "a\u{7f}\n", "a\u{0}\n"] {
            assert!(!is_plain_text(content.as_bytes()), "{content:?}");
        }
    }
}
