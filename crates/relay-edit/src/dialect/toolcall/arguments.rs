//! What the arguments of a tool call mean, whatever the tool is called.
//!
//! Tools differ in their names more than in what they ask for: a path with an old and a new text replaces, a path with
//! content writes, a patch is read as one. A name decides only where the arguments leave it open.

use serde_json::{Map, Value};

use super::super::header::looks_like_path;
use super::super::{Dialect, parse};
use super::Calls;
use super::keys::{self, normal};
use crate::edit::{Anchor, Base, Hunk, HunkLine, Target};
use crate::{Edit, Operation};

/// What a call says apart from the edits in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around<'a> {
    /// The name of the tool; empty where there is none.
    pub name: &'a str,
    /// The file that the call around it names.
    pub path: Option<&'a str>,
    /// Where the block begins in the reply.
    pub line: usize,
}

/// The result of reading a value that may be a call or a list of calls; `None` if it is neither.
pub(super) fn read_value(value: &Value, around: Around<'_>) -> Option<Calls> {
    match value {
        Value::Array(items) => {
            let mut calls = Calls::default();
            for item in items {
                calls.extend(read_value(item, around)?);
            }
            Some(calls)
        }
        Value::Object(map) => read_object(map, around),
        _ => None,
    }
}

fn read_object(map: &Map<String, Value>, around: Around<'_>) -> Option<Calls> {
    let name = text_of(map, keys::NAME).unwrap_or(around.name);
    let around = Around { name, ..around };
    for (key, value) in map {
        if !keys::ARGUMENTS.contains(&normal(key).as_str()) {
            continue;
        }
        match value {
            Value::Object(inner) => return read_object(inner, around).or_else(|| Some(unknown(around))),
            Value::String(inner) => {
                if let Ok(Value::Object(inner)) = serde_json::from_str(inner) {
                    return read_object(&inner, around).or_else(|| Some(unknown(around)));
                }
            }
            _ => {}
        }
    }
    read_arguments(map, around)
}

/// What the arguments of one call ask for.
pub(super) fn read_arguments(map: &Map<String, Value>, around: Around<'_>) -> Option<Calls> {
    let path = text_of(map, keys::PATH).or(around.path);
    if let Some(calls) = read_lists(map, Around { path, ..around }) {
        return Some(calls);
    }
    if let Some(calls) = read_patch(map, path, around) {
        return Some(calls);
    }
    if let Some(calls) = read_command(map, path, around) {
        return Some(calls);
    }
    let is_meant = |path: &&str| is_path(path) || is_named_path(path, map, around);
    let operation = path.filter(is_meant).and_then(|path| Some((path, operation(map, around)?)));
    if let Some((path, operation)) = operation {
        return Some(edits(vec![edit(path, operation, around.line)]));
    }
    named_only(map, path, around)
}

/// The operation on one file that the arguments spell out.
fn operation(map: &Map<String, Value>, around: Around<'_>) -> Option<Operation> {
    let (old, new) = (text_of(map, keys::OLD), text_of(map, keys::NEW));
    let insertion = number_of(map, &["insert_line", "insertline", "line", "line_number", "after_line"]);
    match (old, new, text_of(map, keys::CONTENT)) {
        // An empty old text means the whole of a new file.
        (Some(""), Some(new), _) => Some(Operation::Write { content: new.to_owned() }),
        (Some(old), Some(new), _) => Some(replacement(old, new, around.line)),
        (None, new, content) if insertion.is_some() => {
            let text = new.or(content).or_else(|| text_of(map, &["insert_text"]))?;
            let is_before = normal(around.name).contains("insert_content");
            Some(insertion_at(insertion?, is_before, text, around.line))
        }
        (None, None, Some(content)) if !appends(map, around) && is_all_known(map) => {
            Some(Operation::Write { content: content.to_owned() })
        }
        _ => None,
    }
}

/// Whether every argument is understood. One that is not may say that the content is for a part of the file: `symbol`, `range`.
fn is_all_known(map: &Map<String, Value>) -> bool {
    let is_known = |key: &String| {
        let key = normal(key);
        [keys::PATH, keys::CONTENT, keys::REMARKS, keys::NAME]
            .iter()
            .any(|known| known.contains(&key.as_str()))
    };
    map.keys().all(is_known)
}

/// Content that is added to a file says nothing about the rest of it.
fn appends(map: &Map<String, Value>, around: Around<'_>) -> bool {
    let is_append = |text: &str| ["append", "insert", "partial"].iter().any(|word| text.contains(word));
    is_append(&normal(around.name)) || text_of(map, &["mode", "type", "action"]).is_some_and(is_append)
}

/// An old text and the new one in its place. Models write both with or without a last newline, and mean the same.
fn replacement(old: &str, new: &str, line: usize) -> Operation {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    Operation::Patch { hunks: vec![Hunk::from_sides(&old, &new, line)], base: Base::Sequential }
}

fn insertion_at(at: usize, before: bool, text: &str, line: usize) -> Operation {
    let added = text.lines().map(|line| HunkLine::Added(line.to_owned())).collect();
    let anchor = Anchor { line: at, hash: None };
    let target = match (at, before) {
        (0, _) => Target::Start,
        (_, true) => Target::Before(anchor),
        (_, false) => Target::After(anchor),
    };
    Operation::Patch { hunks: vec![Hunk { target, ..Hunk::new(added, line) }], base: Base::Sequential }
}

/// Edits or calls in lists below one name, and files in a map from path to content.
fn read_lists(map: &Map<String, Value>, around: Around<'_>) -> Option<Calls> {
    let mut found = None;
    for (key, value) in map {
        if !keys::LISTS.contains(&normal(key).as_str()) {
            continue;
        }
        let calls = match value {
            Value::Array(items) if items.iter().all(Value::is_object) => read_value(value, around),
            Value::Object(files) => read_files(files, around.line),
            _ => None,
        };
        match calls {
            Some(calls) => found.get_or_insert_with(Calls::default).extend(calls),
            // A list of edits of which one cannot be read is not read at all.
            None if value.as_array().is_some_and(|items| items.iter().any(Value::is_object)) => {
                return (!around.name.is_empty() || around.path.is_some_and(is_path))
                    .then(|| unknown(around));
            }
            None => {}
        }
    }
    found.filter(|calls| !calls.is_empty())
}

fn read_files(files: &Map<String, Value>, line: usize) -> Option<Calls> {
    let write = |(path, content): (&String, &Value)| {
        let content = content.as_str()?.to_owned();
        is_path(path).then(|| edit(path, Operation::Write { content }, line))
    };
    files.iter().map(write).collect::<Option<Vec<_>>>().map(edits)
}

/// A patch or diff as one text, in any dialect that can be parsed.
fn read_patch(map: &Map<String, Value>, path: Option<&str>, around: Around<'_>) -> Option<Calls> {
    let text = text_of(map, keys::PATCH).filter(|text| text.contains('\n'))?;
    // A patch without headers belongs to the file that the call names.
    let addressed = path.map(|path| format!("{path}\n```diff\n{}\n```\n", text.trim_end_matches('\n')));
    let sections = path.map(|path| format!("{path}\n{text}\n"));
    let readings = [Some(text.to_owned()), sections, addressed];
    readings.into_iter().flatten().find_map(|text| read_edits(&text, around)).map(edits)
}

/// The edits in a text that is read like a reply, if all of them have a place.
fn read_edits(text: &str, around: Around<'_>) -> Option<Vec<Edit>> {
    let reply = parse(text, None);
    let is_clean = !reply.diagnostics.iter().any(crate::Diagnostic::is_error);
    let is_patch = reply.edits.iter().all(|edit| edit.dialect != Dialect::WholeFile && !edit.path.is_empty());
    let mut found = Some(reply.edits).filter(|edits| is_clean && is_patch && !edits.is_empty())?;
    for edit in &mut found {
        edit.line = around.line;
        if let Operation::Patch { hunks, .. } = &mut edit.operation {
            hunks.iter_mut().for_each(|hunk| hunk.line = around.line);
        }
    }
    Some(found)
}

/// A command for a shell, as one text or as words; `str_replace` and the like are subcommands of an editor.
fn read_command(map: &Map<String, Value>, path: Option<&str>, around: Around<'_>) -> Option<Calls> {
    let value = map.iter().find(|(key, _)| matches!(normal(key).as_str(), "command" | "cmd" | "script"))?.1;
    let command = match value {
        Value::String(text) => text.clone(),
        // `["bash", "-lc", "…"]` runs its last word, `["apply_patch", "…"]` hands it to a program.
        Value::Array(words) => {
            words.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?.last()?.to_string()
        }
        _ => return None,
    };
    if let Some(found) = read_edits(&command, around).filter(|_| command.contains('\n')) {
        return Some(edits(found));
    }
    let is_subcommand = !command.contains(char::is_whitespace) && path.is_some();
    if is_subcommand && matches!(command.as_str(), "view" | "undo_edit") {
        return Some(Calls { harmless: vec![command], ..Calls::default() });
    }
    let runs = matches_any(around.name, keys::RUNS) || around.name.is_empty();
    (!is_subcommand && runs).then(|| Calls { commands: vec![command], ..Calls::default() })
}

/// Calls whose name says more than their arguments: deleting, moving, reading.
fn named_only(map: &Map<String, Value>, path: Option<&str>, around: Around<'_>) -> Option<Calls> {
    let name = normal(around.name);
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let to = text_of(map, &["new_path", "destination", "to", "dest", "target_path", "to_path"]);
    let from = text_of(map, &["old_path", "source", "from", "source_path", "from_path"]).or(path);
    if name.is_empty() {
        return None;
    }
    if let (true, Some(from), Some(to)) = (has(&["rename", "move", "mv"]), from, to) {
        let operation = Operation::Rename { to: to.to_owned() };
        return Some(edits(vec![edit(from, operation, around.line)]));
    }
    if let (true, Some(path)) = (has(&["delete", "remove", "rm"]), path.filter(|path| is_path(path))) {
        return Some(edits(vec![edit(path, Operation::Delete, around.line)]));
    }
    let changes = has(&["edit", "write", "replace", "create", "insert", "patch", "update", "save", "append"]);
    if matches_any(around.name, keys::HARMLESS) && !changes {
        return Some(Calls { harmless: vec![around.name.to_owned()], ..Calls::default() });
    }
    // A map with a name is not always a call: so is every package.
    (changes || path.is_some() && map.len() <= 4).then(|| unknown(around))
}

/// Whether one of the words of a name is in a list.
fn matches_any(name: &str, list: &[&str]) -> bool {
    let name = normal(name);
    let mut words = name.split(['_', '.', ':']);
    list.contains(&name.as_str()) || words.any(|word| list.contains(&word))
}

/// The first of these arguments that is a text.
fn text_of<'m>(map: &'m Map<String, Value>, names: &[&str]) -> Option<&'m str> {
    let named = |name: &&str| map.iter().find(|(key, _)| normal(key) == **name)?.1.as_str();
    names.iter().find_map(named)
}

/// The first of these arguments that is a number, also one that is written as a text.
fn number_of(map: &Map<String, Value>, names: &[&str]) -> Option<usize> {
    let (_, value) = map.iter().find(|(key, _)| names.contains(&normal(key).as_str()))?;
    let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())?;
    usize::try_from(number).ok()
}

fn is_path(path: &str) -> bool {
    let path = path.trim();
    looks_like_path(path) || path.contains('/') && !path.contains("://") && !path.contains('\n')
}

/// Whether a word that does not look like a path is one anyway, because a tool call or a pair of old and new text uses it as
/// such: `LICENSE-MIT`. Without either it may be data: `{"path": "home", "content": "Welcome"}`.
fn is_named_path(path: &str, map: &Map<String, Value>, around: Around<'_>) -> bool {
    let is_word = !path.is_empty() && !path.contains(|c: char| c.is_whitespace() || c.is_control());
    let is_call = !around.name.is_empty() || text_of(map, keys::OLD).is_some();
    is_word && is_call && !path.contains("://")
}

fn edit(path: &str, operation: Operation, line: usize) -> Edit {
    Edit { path: path.trim().to_owned(), operation, dialect: Dialect::ToolCall, line }
}

fn edits(edits: Vec<Edit>) -> Calls {
    Calls { edits, ..Calls::default() }
}

fn unknown(around: Around<'_>) -> Calls {
    let name = if around.name.is_empty() { "a tool" } else { around.name };
    Calls { unknown: vec![name.to_owned()], ..Calls::default() }
}
