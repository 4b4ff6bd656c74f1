//! Older versions of the format, brought up to date.
//!
//! Version 1 was a plain list: entries had no ids, and a compaction counted lines. Version 2 called messages of
//! extensions `hookMessage`. A file that was migrated is written as a whole at once, so every later line can be appended.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::VERSION;
use super::document::{Damage, Document, Kept, Lines};
use super::entry::Entry;
use super::stamp::{Stamps, entry_id};

/// The remaining lines of an old file. Lines that are not objects are kept in the document, as they are.
pub(super) fn objects(lines: &mut Lines, document: &mut Document) -> Vec<(usize, Map<String, Value>)> {
    let mut objects = Vec::new();
    while let Some(line) = lines.next() {
        match line.object() {
            Ok(object) if object.get("type").is_some_and(Value::is_string) => {
                objects.push((line.number, object));
            }
            Ok(_) => document.keep_after(objects.len(), &line, "it has no type".to_owned()),
            Err(reason) => document.keep_after(objects.len(), &line, reason),
        }
    }
    objects
}

/// Turns the objects of a file of an older version into entries.
pub(super) fn to_current(
    document: &mut Document,
    mut objects: Vec<(usize, Map<String, Value>)>,
    version: u64,
    stamps: &mut dyn Stamps,
) {
    // Entries that have ids were never version 1, whatever became of the header: to number them anew would break every
    // reference between them.
    let has_id = |object: &Map<String, Value>| object.get("id").is_some_and(Value::is_string);
    if version < 2 && !objects.iter().any(|(_, object)| has_id(object)) {
        number_entries(&mut objects, stamps);
    }
    for (line, mut object) in objects {
        rename_hook_messages(&mut object);
        let text = Value::Object(object).to_string();
        match Entry::parse(&text) {
            Ok(entry) => document.entries.push(entry),
            Err(reason) => {
                document.kept.push(Kept { after: Some(document.entries.len()), bytes: text.into_bytes() });
                document.damage.push(Damage { line, reason });
            }
        }
    }
    document.kept.sort_by_key(|kept| kept.after);
    document.header.set_version(VERSION);
    document.is_migrated = true;
}

/// Version 1 to 2: ids in the order of the file, each entry the child of the one before it, and compactions that name
/// an entry instead of counting. The header counts as the first.
fn number_entries(objects: &mut [(usize, Map<String, Value>)], stamps: &mut dyn Stamps) {
    let mut ids: Vec<String> = Vec::with_capacity(objects.len());
    let mut taken: HashSet<String> = HashSet::new();
    for _ in objects.iter() {
        let id = entry_id(stamps, |id| taken.contains(id));
        taken.insert(id.clone());
        ids.push(id);
    }
    let mut parent: Option<&str> = None;
    for ((_, object), id) in objects.iter_mut().zip(&ids) {
        let counted = object.shift_remove("firstKeptEntryIndex").and_then(|index| index.as_u64());
        let mut numbered = Map::new();
        numbered.insert("type".to_owned(), object.shift_remove("type").unwrap_or_default());
        numbered.insert("id".to_owned(), id.as_str().into());
        numbered.insert("parentId".to_owned(), parent.into());
        for (key, value) in std::mem::take(object) {
            numbered.entry(key).or_insert(value);
        }
        let kept = counted.and_then(|index| usize::try_from(index).ok()?.checked_sub(1));
        if let Some(kept) = kept.and_then(|index| ids.get(index)) {
            numbered.insert("firstKeptEntryId".to_owned(), kept.as_str().into());
        }
        *object = numbered;
        parent = Some(id);
    }
}

/// Version 2 to 3.
fn rename_hook_messages(object: &mut Map<String, Value>) {
    let role = object.get_mut("message").and_then(|message| message.get_mut("role"));
    if let Some(role) = role.filter(|role| *role == "hookMessage") {
        *role = "custom".into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Body, Message};

    fn parse(text: &str) -> Document {
        Document::parse(text.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn version_1_becomes_a_chain_and_compactions_name_an_entry() {
        let document = parse(concat!(
            "{\"type\":\"session\",\"id\":\"s\",\"timestamp\":\"T\",\"cwd\":\"/p\",\"provider\":\"anthropic\"}\n",
            "{\"type\":\"message\",\"timestamp\":\"T\",\"message\":{\"role\":\"user\",\"content\":\"a\"}}\n",
            "{\"type\":\"message\",\"timestamp\":\"T\",\"message\":{\"role\":\"hookMessage\",\"content\":\"b\",\"odd\":1}}\n",
            "{\"type\":\"compaction\",\"timestamp\":\"T\",\"summary\":\"s\",\"firstKeptEntryIndex\":2,\"tokensBefore\":9}\n",
        ));
        assert!(document.is_migrated && document.damage.is_empty());
        assert_eq!(document.header.version(), 3);
        assert!(document.header.to_line().contains("\"provider\":\"anthropic\""));
        let [first, second, third] = document.entries.as_slice() else { panic!("{:?}", document.entries) };
        assert!(document.entries.iter().all(|entry| entry.id().len() == 8));
        assert_eq!(first.parent_id(), None);
        assert_eq!(second.parent_id(), Some(first.id()));
        assert_eq!(third.parent_id(), Some(second.id()));
        assert!(second.line().contains("\"odd\":1"));
        assert!(matches!(second.message(), Some(Message::Custom(_))));
        let Body::Compaction(compaction) = third.body() else { panic!("{third:?}") };
        assert_eq!(compaction.first_kept_entry_id.as_deref(), Some(second.id()));
        assert!(!third.line().contains("firstKeptEntryIndex"));
        let again = Document::parse(document.to_bytes()).unwrap();
        assert!(!again.is_migrated);
        assert_eq!(again.entries, document.entries);
    }

    #[test]
    fn version_2_renames_the_messages_of_hooks_and_nothing_else() {
        let document = parse(concat!(
            "{\"type\":\"session\",\"version\":2,\"id\":\"s\"}\n",
            "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{\"role\":\"hookMessage\",\"content\":\"b\"}}\n",
            "{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"a\",\"message\":{\"role\":\"user\",\"content\":\"hookMessage\"}}\n",
        ));
        assert!(document.is_migrated);
        let lines: Vec<&str> = document.entries.iter().map(Entry::line).collect();
        assert_eq!(
            lines,
            [
                "{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{\"role\":\"custom\",\"content\":\"b\"}}",
                "{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"a\",\"message\":{\"role\":\"user\",\"content\":\"hookMessage\"}}",
            ]
        );
    }

    #[test]
    fn unreadable_lines_of_an_old_file_are_kept() {
        let document =
            parse("{\"type\":\"session\",\"version\":2,\"id\":\"s\"}\nnot json\n{\"type\":\"custom\"}\n");
        assert_eq!(document.damage.len(), 2);
        let text = String::from_utf8(document.to_bytes()).unwrap();
        assert_eq!(
            text,
            "{\"type\":\"session\",\"version\":3,\"id\":\"s\"}\nnot json\n{\"type\":\"custom\"}\n"
        );
    }
}
