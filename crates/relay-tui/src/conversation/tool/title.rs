//! What a tool call is about, on one line.

use serde_json::Value;

/// The arguments that say it best, by tool; others are shown as they are.
const BEST: [(&str, &[&str]); 12] = [
    ("bash", &["command"]),
    ("read", &["path", "file_path"]),
    ("edit", &["path", "file_path"]),
    ("write", &["path", "file_path"]),
    ("search", &["pattern", "query"]),
    ("find", &["pattern", "glob"]),
    ("ast_grep", &["pattern", "pat"]),
    ("ast_edit", &["pattern", "path"]),
    ("web_search", &["query"]),
    ("fetch", &["url"]),
    ("goal", &["op", "objective"]),
    ("checkpoint", &["goal"]),
];

/// What a call is about.
#[must_use]
pub fn title(tool: &str, arguments: &Value) -> String {
    let text = |name: &str| {
        arguments.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    };
    match tool {
        "todo_write" => return todos(arguments),
        "ask" => return questions(arguments),
        _ => {}
    }
    let best = BEST.iter().find(|(known, _)| *known == tool).map_or(&[][..], |(_, names)| names);
    let Some(main) = best.iter().find_map(|name| text(name)) else {
        return rest(arguments);
    };
    let main = first_line(main);
    match tool {
        "read" => match (number(arguments, "offset"), number(arguments, "limit")) {
            (Some(from), Some(count)) => format!("{main}:{from}-{}", from + count.saturating_sub(1)),
            (Some(from), None) => format!("{main}:{from}-"),
            _ => main,
        },
        "search" => match text("path") {
            Some(path) => format!("{main} in {path}"),
            None => main,
        },
        _ => main,
    }
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// What is done to the todo list: `done Read it, start Fix it`.
fn todos(arguments: &Value) -> String {
    let said = |op: &Value| {
        let text = |name: &str| op.get(name).and_then(Value::as_str).map(str::trim);
        let what = text("task").or_else(|| text("phase")).map(str::to_owned);
        let what = what.or_else(|| {
            let count: usize = list(op, "list").iter().map(|phase| list(phase, "items").len()).sum();
            let count = count + list(op, "items").len();
            (count > 0).then(|| if count == 1 { "1 task".to_owned() } else { format!("{count} tasks") })
        });
        let op = text("op").unwrap_or_default();
        what.map_or_else(|| op.to_owned(), |what| format!("{op} {what}"))
    };
    list(arguments, "ops").iter().map(said).collect::<Vec<_>>().join(", ")
}

/// The first question, and how many more there are.
fn questions(arguments: &Value) -> String {
    let all = list(arguments, "questions");
    let first = all.first().and_then(|question| question.get("question")?.as_str()).unwrap_or_default();
    match all.len() {
        0 | 1 => first_line(first),
        more => format!("{} (+{})", first_line(first), more - 1),
    }
}

fn number(arguments: &Value, name: &str) -> Option<u64> {
    arguments.get(name)?.as_u64()
}

fn first_line(text: &str) -> String {
    match text.split_once('\n') {
        Some((first, rest)) => format!("{first} (+{} lines)", rest.lines().count()),
        None => text.to_owned(),
    }
}

/// The arguments of a tool that nothing is known about.
fn rest(arguments: &Value) -> String {
    let Some(object) = arguments.as_object() else { return String::new() };
    let shown = object.iter().map(|(name, value)| match value {
        Value::String(text) => format!("{name}: {}", first_line(text)),
        other => format!("{name}: {other}"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_best_argument_is_shown() {
        for (tool, arguments, expected) in [
            ("bash", json!({ "command": "cargo test" }), "cargo test"),
            ("bash", json!({ "command": "a\nb\nc" }), "a (+2 lines)"),
            ("read", json!({ "path": "src/lib.rs", "offset": 10, "limit": 5 }), "src/lib.rs:10-14"),
            ("search", json!({ "pattern": "fn", "path": "src" }), "fn in src"),
            ("oracle", json!({ "question": "all", "n": 3 }), "question: all, n: 3"),
            ("edit", Value::Null, ""),
            (
                "todo_write",
                json!({ "ops": [{ "op": "init", "list": [{ "phase": "A", "items": ["a", "b"] }] }, { "op": "done", "task": "a" }, { "op": "rm" }] }),
                "init 2 tasks, done a, rm",
            ),
            ("todo_write", json!({ "ops": "nonsense" }), ""),
            (
                "ask",
                json!({ "questions": [{ "question": "Which?" }, { "question": "Why?" }] }),
                "Which? (+1)",
            ),
        ] {
            assert_eq!(title(tool, &arguments), expected);
        }
    }
}
