//! What a tool call is about: its subject in a line, and the change to a file that it asks for.
//!
//! Tools of different programs name the same things differently; all names that are in use are known here.

use serde_json::{Map, Value};

use crate::session::content::ToolCall;
use crate::session::message::ToolResultMessage;

/// Arguments that say in a line what a call is about, the most telling first.
const SUBJECTS: [&str; 16] = [
    "command",
    "cmd",
    "path",
    "file_path",
    "filePath",
    "pattern",
    "query",
    "url",
    "name",
    "description",
    "task",
    "prompt",
    "code",
    "notebook_path",
    "input",
    "intent",
];

/// Arguments that name a file.
const PATHS: [&str; 5] = ["path", "file_path", "filePath", "notebook_path", "file"];

/// Text before and after.
const PAIRS: [(&str, &str); 5] = [
    ("old_string", "new_string"),
    ("oldText", "newText"),
    ("old_text", "new_text"),
    ("oldString", "newString"),
    ("old_str", "new_str"),
];

/// A change to a file that a call asks for.
pub(super) enum Change<'a> {
    /// Parts of a file before and after.
    Parts(Vec<(&'a str, &'a str)>),
    /// A patch or diff in some written form.
    Patch(&'a str),
    /// The whole file.
    Whole(&'a str),
}

fn text<'a>(arguments: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    arguments.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// What the call is about, in a line.
pub(super) fn subject(call: &ToolCall) -> Option<String> {
    let found = SUBJECTS.iter().find_map(|key| match call.arguments.get(*key)? {
        Value::String(text) => Some(text.clone()),
        // Codex once passed a command as a list of words.
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            words.map(|words| words.join(" "))
        }
        _ => None,
    });
    found.map(|text| text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned())
}

/// The file that the call names.
pub(super) fn path(call: &ToolCall) -> Option<&str> {
    PATHS.iter().find_map(|key| text(&call.arguments, key))
}

/// The shell command or program text that the call runs, and its language.
pub(super) fn script(call: &ToolCall) -> Option<(&str, &'static str)> {
    let arguments = &call.arguments;
    let shell = text(arguments, "command").or_else(|| text(arguments, "cmd")).map(|text| (text, "bash"));
    shell.or_else(|| text(arguments, "code").map(|text| (text, "python")))
}

/// The change to a file that the call asks for; what the tool reports it did counts more.
pub(super) fn change<'a>(call: &'a ToolCall, result: Option<&'a ToolResultMessage>) -> Option<Change<'a>> {
    let arguments = &call.arguments;
    let reported = result.and_then(|result| result.details.as_ref()).and_then(Value::as_object);
    if let Some(diff) = reported.and_then(|details| text(details, "diff")) {
        return Some(Change::Patch(diff));
    }
    if let Some(Value::Array(edits)) = arguments.get("edits") {
        let pairs: Vec<(&str, &str)> = edits.iter().filter_map(|edit| pair(edit.as_object()?)).collect();
        if !pairs.is_empty() {
            return Some(Change::Parts(pairs));
        }
    }
    if let Some(pair) = pair(arguments) {
        return Some(Change::Parts(vec![pair]));
    }
    let patch = ["patch", "diff", "input", "command", "cmd"].iter().filter_map(|key| text(arguments, key));
    if let Some(patch) = patch.into_iter().find_map(patch_in) {
        return Some(Change::Patch(patch));
    }
    let content = text(arguments, "content").or_else(|| text(arguments, "file_text"));
    content.filter(|_| path(call).is_some()).map(Change::Whole)
}

fn pair(arguments: &Map<String, Value>) -> Option<(&str, &str)> {
    let get = |key: &str| arguments.get(key).and_then(Value::as_str);
    PAIRS.iter().find_map(|(old, new)| Some((get(old)?, get(new)?)))
}

/// The patch in a text, also where a shell command carries it.
fn patch_in(text: &str) -> Option<&str> {
    const END: &str = "*** End Patch";
    if let Some(start) = text.find("*** Begin Patch") {
        let patch = text.get(start..)?;
        let end = patch.find(END).map_or(patch.len(), |at| at + END.len());
        return patch.get(..end);
    }
    (text.starts_with("--- ") || text.starts_with("diff --git ")).then_some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(arguments: Value) -> ToolCall {
        ToolCall { arguments: arguments.as_object().cloned().unwrap(), ..ToolCall::default() }
    }

    fn shape(arguments: Value) -> String {
        match change(&call(arguments), None) {
            Some(Change::Parts(parts)) => format!("parts {parts:?}"),
            Some(Change::Patch(patch)) => format!("patch {patch}"),
            Some(Change::Whole(text)) => format!("whole {text}"),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn the_edits_of_every_program_are_known() {
        assert_eq!(
            shape(json!({"file_path": "a", "old_string": "x", "new_string": ""})),
            r#"parts [("x", "")]"#
        );
        assert_eq!(shape(json!({"path": "a", "oldText": "x", "newText": "y"})), r#"parts [("x", "y")]"#);
        assert_eq!(shape(json!({"edits": [{"oldText": "x", "newText": "y"}, 7]})), r#"parts [("x", "y")]"#);
        let patch = "*** Begin Patch\n*** End Patch";
        assert_eq!(shape(json!({"cmd": format!("apply_patch <<'E'\n{patch}\nE")})), format!("patch {patch}"));
        assert_eq!(shape(json!({"path": "a", "content": "x"})), "whole x");
        assert_eq!(shape(json!({"content": "x"})), "none");
    }

    #[test]
    fn a_call_is_about_its_most_telling_argument() {
        assert_eq!(
            subject(&call(json!({"description": "d", "command": "\n ls -l\nb"}))).as_deref(),
            Some("ls -l")
        );
        assert_eq!(subject(&call(json!({"command": ["git", "log"]}))).as_deref(), Some("git log"));
        assert_eq!(subject(&call(json!({"x": 1}))), None);
    }
}
