//! The contents of the files in a record: by far its largest part, so they are written without a serializer if that gives
//! the same bytes.
//!
//! Nearly every content is plain text below a plain path, and looks the same every time: the path, a bar, and the lines
//! indented. Whatever is not obviously of this form goes through the serializer, which knows the rules of YAML.

use std::collections::BTreeMap;

use super::lists::is_plain;
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
            Saved::Text(content) if is_plain_path(path) && is_plain_text(content) => {
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

/// Appends a content as a literal block. Its header says how many line ends follow the last line: none (`|-`), one (`|`)
/// or several (`|+`).
fn plain(text: &mut String, path: &str, content: &str) {
    let lines = content.trim_end_matches('\n');
    let line_ends = content.len() - lines.len();
    text.push_str("  ");
    text.push_str(path);
    text.push_str(match line_ends {
        0 => ": |-\n",
        1 => ": |\n",
        _ => ": |+\n",
    });
    for line in lines.split('\n') {
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
    }
    for _ in 1..line_ends {
        text.push_str("    \n");
    }
}

/// Whether a path is a plain YAML key that cannot be taken for a number or a word with a meaning.
fn is_plain_path(path: &str) -> bool {
    !path.contains(' ') && is_plain(path)
}

/// Whether a content is lines of characters that a literal block can hold, the first of which is not indented.
fn is_plain_text(content: &str) -> bool {
    // Without early exit, so that many bytes are looked at together.
    let is_odd = |byte: u8| (byte < b' ') & (byte != b'\n') & (byte != b'\t') | (byte > b'~');
    let has_odd = |part: &[u8]| part.iter().fold(false, |odd, byte| odd | is_odd(*byte));
    let can_be_held = |c: char| match c {
        '\n' | '\t' | ' '..='~' => true,
        '\u{a0}'..='\u{fffd}' => !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}'),
        _ => c >= '\u{10000}',
    };
    content.starts_with(|first: char| first.is_ascii_graphic())
        && content.contains('\n')
        && (content.as_bytes().chunks(4096).all(|part| !has_odd(part)) || content.chars().all(can_be_held))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What the serializer makes of the same entry.
    #[track_caller]
    fn check(path: &str, content: &str) {
        assert!(is_plain_path(path) && is_plain_text(content), "{path} {content:?}");
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
        check("Cargo.toml", "no end\nof the last line");
        check("Makefile", "ends\n\n\n");
        check("src/a.rs", "// Zürich … 東京 🙂\nfn a() {}\n");
        check("e/5", &format!("{}\nshort\n", "long line ".repeat(100)));
    }

    proptest! {
        #[test]
        fn any_plain_entry_is_what_the_serializer_writes(
            path in "[A-Za-z][A-Za-z0-9_./-]{0,12}|no|Null|e5|nan",
            content in "[!-~][ -~\\n\\té…東🙂]{0,30}\n{0,3}",
        ) {
            if is_plain_path(&path) && is_plain_text(&content) {
                check(&path, &content);
            }
        }
    }

    #[test]
    fn anything_else_is_left_to_the_serializer() {
        for path in ["null", "No", "1/2", "a b/c", "a/é", "-a/b"] {
            assert!(!is_plain_path(path), "{path}");
        }
        for content in
            ["", "\n", " a\n", "\ta\n", "a", "a\r\n", "a\u{7f}\n", "a\u{0}\n", "a\u{85}\n", "a\u{feff}\n"]
        {
            assert!(!is_plain_text(content), "{content:?}");
        }
    }
}
