//! Calls in tags: `<write_to_file>`, `<invoke name="…">`, `<file path="…">`, `<edit>` and their like.
//!
//! Models do not escape the text between such tags, so this is not XML: an element ends with the tag that closes it, and
//! its arguments are the attributes and the elements directly inside it.

use serde_json::{Map, Value};

use super::super::findings::never_closed;
use super::super::{Line, Parsed, Reader, Taken, edit_repl, search_replace};
use super::arguments::{Around, read_arguments};
use super::keys::{self, normal};
use super::{Calls, json};
use crate::lead::is_file_name;

/// Elements that are calls by their name alone.
const CALLS: &[&str] = &[
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "insert_content",
    "search_and_replace",
    "edit_file",
    "create_file",
    "write_file",
    "new_file",
    "update_file",
    "modify_file",
    "delete_file",
    "rename_file",
    "move_file",
    "str_replace",
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "apply_patch",
    "multi_edit",
    "multiedit",
    "invoke",
    "tool_call",
    "tool_use",
    "function_call",
    "boltaction",
    "lov_write",
    "lov_delete",
    "lov_rename",
    "dyad_write",
    "dyad_search_replace",
    "dyad_delete",
    "dyad_rename",
    "code_edit",
    "read_file",
    "list_files",
    "search_files",
    "execute_command",
    "run_command",
    "browser_action",
    "attempt_completion",
    "ask_followup_question",
    "use_mcp_tool",
    "access_mcp_resource",
    "new_task",
    "switch_mode",
    "update_todo_list",
    "list_code_definition_names",
];

/// Elements that are calls when they name a file.
const FILES: &[&str] =
    &["edit", "file", "change", "write", "patch", "update", "replace", "create", "modify", "delete"];

/// Elements whose content is a list of arguments or edits, never a text.
const STRUCTURE: &[&str] =
    &["args", "arguments", "parameters", "files", "file", "edits", "edit", "changes", "change"];

/// Whether a line begins an element that is a call.
pub(crate) fn begins(text: &str) -> bool {
    let Some(tag) = Tag::first(text.trim_start()) else { return false };
    let name = tag.plain_name();
    if CALLS.contains(&name.as_str()) || name == "function" && tag.equated.is_some() {
        return true;
    }
    if FILES.contains(&name.as_str()) {
        // Without a path of its own it must be alone on its line, with its arguments below.
        return tag.path().is_some() || tag.attributes.is_empty() && tag.rest.trim().is_empty();
    }
    // Whatever it is called, what is between tags that name a file may be that file: `<artifact path="src/a.ts">`.
    tag.path().is_some_and(is_file_name) && tag.rest.trim().is_empty()
}

/// Whether a line of prose begins an argument of a call whose own tag is not known: `<old_string>`, `<parameter=path>`.
pub(crate) fn is_argument(text: &str) -> bool {
    let Some(tag) = Tag::first(text.trim_start()) else { return false };
    match tag.plain_name().as_str() {
        "parameter" => tag.equated.is_some() || tag.attribute("name").is_some(),
        "old_string" | "new_string" | "old_str" | "new_str" | "old_text" | "new_text" => true,
        _ => false,
    }
}

/// The file that an opening tag names.
pub(crate) fn path_of(text: &str) -> Option<String> {
    Tag::first(text.trim_start())?.path().map(str::to_owned)
}

/// Reads the elements in a text that begins with one; `None` when it holds something else.
pub(super) fn read(text: &str, line: usize) -> Option<Calls> {
    let mut lines = text.lines().skip_while(|line| line.trim().is_empty() || wraps(line)).peekable();
    if !lines.peek().is_some_and(|line| begins(line)) {
        return None;
    }
    let mut calls = Calls::default();
    let mut open: Option<Open> = None;
    for text in lines {
        let mut element = match open.take() {
            Some(element) => element,
            None if begins(text) => Open::new(text),
            None => continue,
        };
        element.push(text);
        if element.is_closed() {
            calls.extend(element.read(line)?);
        } else {
            open = Some(element);
        }
    }
    open.is_none().then_some(calls)
}

/// Whether a line is nothing but a tag around calls.
fn wraps(line: &str) -> bool {
    let name = line.trim().trim_start_matches(['<', '/']);
    line.trim().starts_with('<') && name.ends_with('>') && !begins(line) && !name.contains("</")
}

/// Reads one element in the prose of a reply, line by line.
#[derive(Debug)]
pub(crate) struct Element {
    open: Open,
    line: usize,
    /// Nothing has come since the opening tag.
    is_empty: bool,
    parsed: Parsed,
    closed: bool,
}

impl Element {
    /// The element that this line begins.
    pub fn new(line: Line<'_>) -> Self {
        let open = Open::new(line.text);
        Self { open, line: line.number, is_empty: true, parsed: Parsed::default(), closed: false }
    }

    /// Whether the tag is nothing but a fence around sections: this is the first line of one.
    fn is_fence_of(&self, line: Line<'_>) -> bool {
        self.is_empty
            && FILES.contains(&self.open.name.as_str())
            && (search_replace::begins(line.text) || edit_repl::begins(line.text))
    }
}

impl Reader for Element {
    fn line(&mut self, line: Line<'_>, _fenced: bool) -> Taken {
        if self.is_fence_of(line) {
            self.closed = true;
            return Taken::NotMine;
        }
        self.is_empty &= line.number == self.line || line.text.trim().is_empty();
        self.open.push(line.text);
        if !self.open.is_closed() {
            return Taken::More;
        }
        self.closed = true;
        match self.open.read(self.line) {
            Some(calls) => self.parsed.calls = Some(calls.all_or_nothing()),
            None => {
                let unknown = vec![self.open.name.clone()];
                self.parsed.calls = Some(Calls { unknown, ..Calls::default() });
            }
        }
        Taken::Done
    }

    fn take(&mut self) -> Option<Parsed> {
        self.parsed.take()
    }

    fn finish(mut self: Box<Self>) -> Parsed {
        if !self.closed {
            let name = &self.open.name;
            let hint = format!("send the rest of the reply, up to `</{name}>`");
            self.parsed.findings.push(never_closed(&format!("<{name}>"), hint, self.line));
        }
        self.parsed
    }
}

/// An element whose end has not come yet.
#[derive(Debug)]
struct Open {
    name: String,
    text: String,
    /// Elements of the same name that are open inside it, itself included.
    depth: usize,
}

impl Open {
    fn new(text: &str) -> Self {
        let name = Tag::first(text.trim_start()).map_or_else(String::new, |tag| tag.name.to_owned());
        Self { name, text: String::new(), depth: 0 }
    }

    fn push(&mut self, text: &str) {
        let (opening, closing) = (format!("<{}", self.name), format!("</{}>", self.name));
        let is_whole = |(at, _): &(usize, &str)| {
            let next = text.get(at + opening.len()..).and_then(|rest| rest.chars().next());
            next.is_none_or(|next| !next.is_alphanumeric() && !matches!(next, '_' | '-' | ':'))
        };
        self.depth += text.match_indices(&opening).filter(is_whole).count();
        let closes_itself = self.text.is_empty() && text.trim_end().ends_with("/>");
        self.depth = self.depth.saturating_sub(text.matches(&closing).count() + usize::from(closes_itself));
        self.text.push_str(text);
        self.text.push('\n');
    }

    const fn is_closed(&self) -> bool {
        self.depth == 0
    }

    fn read(&self, line: usize) -> Option<Calls> {
        let tag = Tag::first(self.text.trim_start())?;
        let body = tag.rest.rsplit_once(&format!("</{}>", tag.name)).map_or("", |(body, _)| body);
        let body = unwrapped(body);
        let tool = tag.attribute("name").unwrap_or_else(|| tag.equated.unwrap_or(tag.name));
        if body.trim_start().starts_with(['{', '['])
            && tag.attributes.len() <= 1
            && tag.path().is_none()
            && !FILES.contains(&tag.name)
        {
            return json::read(body, line);
        }
        let mut map = Map::new();
        for (key, value) in &tag.attributes {
            map.insert(normal(key), Value::String((*value).to_owned()));
        }
        if let Some(path) = tag.path() {
            map.insert("path".to_owned(), Value::String(path.to_owned()));
        }
        let is_command = tag.attribute("type") == Some("shell");
        match children(body) {
            // A page has elements too: `<file path="index.html"><html>…`.
            Some(children) if are_arguments(&children, tag.path()) => add_all(&mut map, children),
            _ if is_command => add_all(&mut map, vec![("command".to_owned(), Value::String(edges(body)))]),
            _ if body.trim().is_empty() => {}
            _ => add_all(&mut map, vec![("content".to_owned(), Value::String(ended(body)))]),
        }
        let name = if is_command { "shell" } else { tool };
        // `<tool_call>` around `<function=…>` and its like.
        if let Some(inner) = body.trim_start().strip_prefix("<function").filter(|_| !map.contains_key("path"))
        {
            let mut open = Open::new("<function");
            open.push(&format!("<function{inner}"));
            return open.read(line);
        }
        read_arguments(&map, Around { name, path: None, line })
    }
}

/// Whether elements are the arguments of a call, and not the content of the file that its tag names.
fn are_arguments(children: &[(String, Value)], path: Option<&str>) -> bool {
    let lists = [keys::PATH, keys::OLD, keys::NEW, keys::CONTENT, keys::PATCH, STRUCTURE];
    let is_known = |(key, _): &(String, Value)| lists.iter().any(|list| list.contains(&key.as_str()));
    !children.is_empty() && (path.is_none() || children.iter().any(is_known))
}

/// Adds arguments; a name that comes again makes a list.
fn add_all(map: &mut Map<String, Value>, children: Vec<(String, Value)>) {
    for (key, value) in children {
        let key = match (&value, key.as_str()) {
            (Value::Object(_), "edit" | "change" | "file" | "replacement") => "edits".to_owned(),
            (Value::Object(inner), _) => {
                map.extend(inner.clone());
                continue;
            }
            _ => key,
        };
        match map.get_mut(&key) {
            Some(Value::Array(list)) => list.push(value),
            Some(first) if value.is_object() => *first = Value::Array(vec![first.take(), value]),
            Some(_) => {}
            None if value.is_object() => {
                map.insert(key, Value::Array(vec![value]));
            }
            None => {
                map.insert(key, value);
            }
        }
    }
}

/// The elements that a text consists of; `None` when it is anything else.
fn children(text: &str) -> Option<Vec<(String, Value)>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let tag = Tag::first(rest)?;
        let closing = format!("</{}>", tag.name);
        let end = matching_end(tag.rest, tag.name)?;
        let (value, after) = (tag.rest.get(..end)?, tag.rest.get(end + closing.len()..)?);
        let key = normal(tag.attribute("name").or(tag.equated).unwrap_or(tag.name));
        let is_structure = STRUCTURE.contains(&key.as_str()) && value.trim_start().starts_with('<');
        let inner = if is_structure { children(value) } else { None };
        let value = match inner {
            Some(inner) => {
                let mut map = Map::new();
                for (key, value) in &tag.attributes {
                    map.insert(normal(key), Value::String((*value).to_owned()));
                }
                add_all(&mut map, inner);
                Value::Object(map)
            }
            None if keys::CONTENT.contains(&key.as_str()) => Value::String(ended(unwrapped(value))),
            None => Value::String(edges(unwrapped(value))),
        };
        found.push((key, value));
        rest = after.trim_start();
    }
    Some(found)
}

/// Where the element ends that was opened before this text.
fn matching_end(text: &str, name: &str) -> Option<usize> {
    let (opening, closing) = (format!("<{name}>"), format!("</{name}>"));
    let (mut depth, mut from) = (1_usize, 0);
    loop {
        let rest = text.get(from..)?;
        let close = rest.find(&closing)?;
        match rest.find(&opening).filter(|open| *open < close) {
            Some(open) => {
                depth += 1;
                from += open + opening.len();
            }
            None => {
                depth -= 1;
                if depth == 0 {
                    return Some(from + close);
                }
                from += close + closing.len();
            }
        }
    }
}

/// Text without the marks of character data, or the `<content>` of a diff, around it.
fn unwrapped(text: &str) -> &str {
    let inner = text.trim();
    let data = inner.strip_prefix("<![CDATA[").and_then(|inner| inner.strip_suffix("]]>"));
    let content = inner.strip_prefix("<content>").and_then(|inner| inner.strip_suffix("</content>"));
    data.or(content).unwrap_or(text)
}

/// Text without the line breaks next to its tags.
fn edges(text: &str) -> String {
    let text = text.strip_prefix('\r').unwrap_or(text);
    let text = text.strip_prefix('\n').unwrap_or(text);
    let last = text.rfind('\n').filter(|at| text.get(*at..).is_some_and(|rest| rest.trim().is_empty()));
    last.and_then(|at| text.get(..at)).unwrap_or(text).to_owned()
}

/// The same, as the whole content of a file.
fn ended(text: &str) -> String {
    let mut text = edges(text);
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// An opening tag.
#[derive(Debug)]
struct Tag<'t> {
    name: &'t str,
    /// The text after `=`, directly after the name: `<function=edit>`.
    equated: Option<&'t str>,
    attributes: Vec<(&'t str, &'t str)>,
    /// The text after the tag.
    rest: &'t str,
}

impl<'t> Tag<'t> {
    /// The tag that a text begins with.
    fn first(text: &'t str) -> Option<Self> {
        let inner = text.strip_prefix('<')?;
        let end = inner.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':' | '.')))?;
        let (name, after) = inner.split_at_checked(end)?;
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        if let Some(equated) = after.strip_prefix('=') {
            let (value, rest) = equated.split_once('>')?;
            return Some(Self { name, equated: Some(value.trim_matches('"')), attributes: Vec::new(), rest });
        }
        let (attributes, rest) = attributes(after)?;
        Some(Self { name, equated: None, attributes, rest })
    }

    /// The name without a namespace, in the spelling of the lists.
    fn plain_name(&self) -> String {
        normal(self.name.rsplit(':').next().unwrap_or(self.name))
    }

    /// The file that its attributes name; `<file name="src/a.ts">` does it by its name.
    fn path(&self) -> Option<&'t str> {
        let is_path = |(key, _): &&(&str, &str)| keys::PATH.contains(&normal(key).as_str());
        let named = || self.attribute("name").filter(|name| FILES.contains(&self.name) && is_file_name(name));
        // `<antArtifact type="application/vnd.ant.code" title="src/a.ts">`
        let titled = || self.attribute("title").filter(|title| is_file_name(title));
        self.attributes.iter().find(is_path).map(|(_, path)| *path).or_else(named).or_else(titled)
    }

    fn attribute(&self, name: &str) -> Option<&'t str> {
        self.attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }
}

/// The attributes of a tag and what is after its end.
fn attributes(text: &str) -> Option<(Vec<(&str, &str)>, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '/']);
        if let Some(behind) = rest.strip_prefix('>') {
            return Some((found, behind));
        }
        let (key, value) = rest.split_once('=').filter(|(key, _)| !key.contains(['>', '<', '\n', ' ']))?;
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (value, after) = value.strip_prefix(quote)?.split_once(quote)?;
        found.push((key, value));
        rest = after;
    }
}
