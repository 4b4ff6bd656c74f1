//! Reading a question of the agent: what is asked, what can be answered, and what was answered before.

use serde_json::Value;

use super::{Dialog, Kind, Moves};
use crate::conversation::tool_title;
use crate::editor::Editor;

/// What the last choice is called where one may answer in one's own words.
const OTHER: &str = "Other (type your own)";
/// The same in an approval.
const DECLINE: &str = "No, and say what to do instead";

/// The letters that answers known to every approval have.
const LETTERS: [(&str, char); 8] = [
    ("once", 'y'),
    ("session", 's'),
    ("always", 'a'),
    ("no", 'n'),
    ("deny", 'n'),
    ("network", 'w'),
    ("open", 'o'),
    ("", 't'),
];

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn strings(value: &Value, name: &str) -> Vec<String> {
    let list = value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn is(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or_default()
}

/// Reads a request of the agent.
pub(super) fn read(request: &Value) -> Option<Dialog> {
    let kind = match text(request, "method").as_str() {
        "select" => Kind::Choice,
        "confirm" => Kind::Confirm,
        "input" | "editor" => Kind::Text,
        _ => return None,
    };
    let details = request.get("details").cloned().unwrap_or_default();
    let is_approval = is(&details, "approval");
    let asked = details.get("ask").cloned().unwrap_or_default();
    let options = options(request, kind, is_approval);
    let words = (kind == Kind::Text).then(|| {
        let mut editor = Editor::default();
        editor.set(&text(request, "prefill"));
        editor
    });
    let before = strings(&asked, "selected");
    // Labels may carry a mark such as "(Recommended)" after what was chosen.
    let places = |label: &String| options.iter().position(|(_, shown)| shown.starts_with(label.as_str()));
    let chosen: Vec<usize> = before.iter().filter_map(places).collect();
    let several = is(request, "multiple");
    let recommended = asked.get("recommended").and_then(Value::as_u64);
    let recommended = recommended.and_then(|at| usize::try_from(at).ok()).filter(|at| *at < options.len());
    let part = |names: &[&str]| {
        let found = names.iter().find_map(|name| details.get(name)?.as_str());
        found.map(str::to_owned).filter(|text| !text.is_empty())
    };
    Some(Dialog {
        id: text(request, "id"),
        kind,
        title: text(request, "title"),
        message: text(request, "message"),
        about: is_approval.then(|| about(&details)),
        diff: part(&["diff", "command"]),
        reason: part(&["reason", "why", "text"]).or_else(|| reasons(&details)),
        letters: letters(&options, is_approval || options.iter().any(|(id, _)| id == "open")),
        options,
        several,
        selected: chosen.first().copied().filter(|_| !several).or(recommended).unwrap_or(0),
        chosen: if several { chosen } else { Vec::new() },
        words,
        moves: Moves {
            back: asked.get("back").and_then(Value::as_str).map(str::to_owned),
            forward: asked.get("forward").and_then(Value::as_str).map(str::to_owned),
            words: text(&asked, "customInput"),
            first: 0,
        },
        time: request.get("timeout").and_then(Value::as_u64).map(super::Time::Left),
    })
}

/// Ids and labels of what can be chosen.
fn options(request: &Value, kind: Kind, is_approval: bool) -> Vec<(String, String)> {
    if kind == Kind::Confirm {
        return vec![("yes".to_owned(), "Yes".to_owned()), ("no".to_owned(), "No".to_owned())];
    }
    let (labels, ids) = (strings(request, "options"), strings(request, "optionIds"));
    let mut options: Vec<(String, String)> = labels
        .into_iter()
        .enumerate()
        .map(|(at, label)| (ids.get(at).cloned().unwrap_or_else(|| label.clone()), label))
        .collect();
    if is(request, "allowOther") {
        options.push((String::new(), if is_approval { DECLINE } else { OTHER }.to_owned()));
    }
    options
}

/// One key for each answer of an approval.
fn letters(options: &[(String, String)], has_letters: bool) -> Vec<Option<char>> {
    let letter = |id: &str| LETTERS.iter().find(|(known, _)| *known == id).map(|(_, letter)| *letter);
    options.iter().map(|(id, _)| letter(id).filter(|_| has_letters)).collect()
}

/// What the call is that asks: the tool, and what it is about.
fn about(details: &Value) -> String {
    let tool = text(details, "tool");
    let arguments = details.get("arguments").cloned().unwrap_or_default();
    format!("{tool} {}", tool_title(&tool, &arguments)).trim().to_owned()
}

/// Why the agent has to ask, one line for each reason.
fn reasons(details: &Value) -> Option<String> {
    let list = details.get("reasons")?.as_array()?;
    let lines: Vec<String> =
        list.iter().map(|reason| format!("{}: {}", text(reason, "what"), text(reason, "why"))).collect();
    Some(lines.join("\n")).filter(|lines| !lines.is_empty())
}
