//! Which files a conversation read and changed, over all its compactions.
//!
//! They are taken from tool calls and from what tools report about themselves. A file that was changed is not also
//! listed as read. Lists of earlier compactions and branch summaries are carried on, so nothing is forgotten.

use serde_json::{Value, json};

use crate::session::content::ToolCall;
use crate::session::{Body, Entry, Message};

/// How many files are listed; the ones seen last stay.
const FILES_LIMIT: usize = 500;
/// Longer names are not paths.
const PATH_LIMIT_BYTES: usize = 1_024;

/// Tools that change the file at their path.
const CHANGING: [&str; 8] =
    ["write", "edit", "ast_edit", "apply_patch", "notebook", "multi_edit", "str_replace", "rename"];
/// Tools that show the file at their path.
const READING: [&str; 3] = ["read", "view", "inspect_image"];
/// Fields that hold a path, or several.
const PATH_FIELDS: [&str; 5] = ["path", "file_path", "filePath", "notebook_path", "file"];
/// Lines of an edit's text that begin with one of these name a file.
const HEADERS: [&str; 5] = ["§", "*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];

/// The files a conversation read and changed, each in the order in which they were first seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileLists {
    /// Read and not changed.
    pub read: Vec<String>,
    /// Changed.
    pub modified: Vec<String>,
}

impl FileLists {
    /// The lists of an earlier summary.
    #[must_use]
    pub fn from_details(details: Option<&Value>) -> Self {
        let list = |name: &str| {
            let values = details.and_then(|details| details.get(name)).and_then(Value::as_array);
            let texts = values.into_iter().flatten().filter_map(Value::as_str).filter_map(as_path);
            texts.collect::<Vec<_>>()
        };
        let mut lists = Self::default();
        list("readFiles").into_iter().for_each(|path| lists.reads(path));
        list("modifiedFiles").into_iter().for_each(|path| lists.changes(path));
        lists
    }

    /// Adds what an entry did.
    pub fn add(&mut self, entry: &Entry) {
        match entry.body() {
            Body::Message(message) => match &**message {
                Message::Assistant(said) => said.tool_calls().for_each(|call| self.add_call(call)),
                Message::ToolResult(result)
                    if CHANGING.contains(&result.tool_name.as_str()) && !result.is_error =>
                {
                    reported(result.details.as_ref()).into_iter().for_each(|path| self.changes(path));
                }
                Message::FileMention(mention) => {
                    mention
                        .files
                        .iter()
                        .filter_map(|file| as_path(&file.path))
                        .for_each(|path| self.reads(path));
                }
                _ => {}
            },
            Body::BranchSummary(branch) => self.join(Self::from_details(branch.details.as_ref())),
            _ => {}
        }
    }

    fn add_call(&mut self, call: &ToolCall) {
        let is_change = CHANGING.contains(&call.name.as_str());
        if !is_change && !READING.contains(&call.name.as_str()) {
            return;
        }
        for path in named(call) {
            if is_change { self.changes(path) } else { self.reads(path) }
        }
    }

    /// Adds other lists.
    pub fn join(&mut self, other: Self) {
        other.read.into_iter().for_each(|path| self.reads(path));
        other.modified.into_iter().for_each(|path| self.changes(path));
    }

    fn reads(&mut self, path: String) {
        if !self.modified.contains(&path) {
            push(&mut self.read, path);
        }
    }

    fn changes(&mut self, path: String) {
        self.read.retain(|known| *known != path);
        push(&mut self.modified, path);
    }

    /// Stores them for the next summary.
    pub(crate) fn details(&self) -> Value {
        json!({ "readFiles": self.read, "modifiedFiles": self.modified })
    }

    /// The text for the model; empty if there are none.
    #[must_use]
    pub fn shown(&self) -> String {
        let block = |tag: &str, paths: &[String]| match paths {
            [] => String::new(),
            paths => format!("\n\n<{tag}>\n{}\n</{tag}>", paths.join("\n")),
        };
        block("read-files", &self.read) + &block("modified-files", &self.modified)
    }
}

fn push(list: &mut Vec<String>, path: String) {
    if !list.contains(&path) {
        list.push(path);
    }
    if list.len() > FILES_LIMIT {
        list.remove(0);
    }
}

/// The paths a call names: in its fields, in a list of edits, or in the headers of a patch.
fn named(call: &ToolCall) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut take = |object: &serde_json::Map<String, Value>| {
        let fields = PATH_FIELDS.iter().filter_map(|name| object.get(*name)).filter_map(Value::as_str);
        paths.extend(fields.filter_map(as_path));
    };
    take(&call.arguments);
    for list in call.arguments.values().filter_map(Value::as_array) {
        list.iter().filter_map(Value::as_object).for_each(&mut take);
    }
    if let Some(list) = call.arguments.get("paths").and_then(Value::as_array) {
        paths.extend(list.iter().filter_map(Value::as_str).filter_map(as_path));
    }
    for text in ["input", "patch", "diff"].iter().filter_map(|name| call.arguments.get(*name)?.as_str()) {
        paths.extend(text.lines().filter_map(header));
    }
    paths
}

/// The path in a line that heads a file's edits.
pub(crate) fn header(line: &str) -> Option<String> {
    HEADERS.iter().find_map(|header| line.strip_prefix(header)).and_then(as_path)
}

/// The paths that a tool reports to have changed.
fn reported(details: Option<&Value>) -> Vec<String> {
    let Some(details) = details else { return Vec::new() };
    let path = |value: &Value| value.get("path").and_then(Value::as_str).and_then(as_path);
    let lists = ["files", "perFileResults"].iter().filter_map(|name| details.get(*name)?.as_array());
    path(details).into_iter().chain(lists.flatten().filter_map(path)).collect()
}

/// A path on one line, without a line selector; `None` if it is an address.
fn as_path(text: &str) -> Option<String> {
    let text = text.trim();
    let is_selector = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b',' | b'L'))
            || part == "raw"
    };
    let path = match text.rsplit_once(':') {
        Some((path, selector)) if is_selector(selector) => path,
        _ => text,
    };
    let is_path = !path.is_empty()
        && path.len() <= PATH_LIMIT_BYTES
        && !path.contains("://")
        && !path.contains(char::is_control)
        && !path.contains(['<', '>']);
    is_path.then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: Value) -> FileLists {
        let line = json!({ "type": "message", "id": "a", "message": { "role": "assistant",
            "content": [{ "type": "toolCall", "id": "c", "name": name, "arguments": arguments }] } });
        let mut lists = FileLists::default();
        lists.add(&Entry::parse(&line.to_string()).unwrap());
        lists
    }

    fn check(name: &str, arguments: Value, read: &[&str], modified: &[&str]) {
        let lists = call(name, arguments);
        assert_eq!((lists.read, lists.modified), (owned(read), owned(modified)), "{name}");
    }

    fn owned(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn paths_are_found_wherever_tools_put_them() {
        check("read", json!({ "path": "src/a.rs:10-20" }), &["src/a.rs"], &[]);
        check("read", json!({ "path": "skill://x" }), &[], &[]);
        check("read", json!({ "path": "C:\\a.rs" }), &["C:\\a.rs"], &[]);
        check("write", json!({ "path": "b", "content": "§not a header" }), &[], &["b"]);
        check("edit", json!({ "input": "§src/a.ts\n»4fb\nx\n§b.ts\n" }), &[], &["src/a.ts", "b.ts"]);
        check("edit", json!({ "path": "a", "edits": [{ "path": "b" }] }), &[], &["a", "b"]);
        check(
            "apply_patch",
            json!({ "input": "*** Begin Patch\n*** Update File: x y.rs\n" }),
            &[],
            &["x y.rs"],
        );
        check("bash", json!({ "command": "cat a", "path": "a" }), &[], &[]);
        check("read", json!({ "path": "</read-files>" }), &[], &[]);
        check("read", json!({ "path": 7 }), &[], &[]);
    }

    #[test]
    fn changed_files_are_not_listed_as_read() {
        let mut lists = call("read", json!({ "path": "a" }));
        lists.join(call("edit", json!({ "path": "a" })));
        lists.join(call("read", json!({ "path": "a" })));
        lists.join(call("read", json!({ "path": "b" })));
        assert_eq!((lists.read.clone(), lists.modified.clone()), (owned(&["b"]), owned(&["a"])));
        assert_eq!(
            lists.shown(),
            "\n\n<read-files>\nb\n</read-files>\n\n<modified-files>\na\n</modified-files>"
        );
        assert_eq!(FileLists::from_details(Some(&lists.details())), lists);
    }

    #[test]
    fn odd_details_and_endless_lists_do_no_harm() {
        let odd = json!({ "readFiles": [1, "", "a", ["b"]], "modifiedFiles": "x" });
        assert_eq!(FileLists::from_details(Some(&odd)).read, ["a"]);
        let many: Vec<String> = (0..2_000).map(|n| format!("f{n}")).collect();
        let lists = FileLists::from_details(Some(&json!({ "readFiles": many })));
        assert_eq!((lists.read.len(), lists.read.last().map(String::as_str)), (FILES_LIMIT, Some("f1999")));
    }
}
