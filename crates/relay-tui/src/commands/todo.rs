//! `/todo`: the list of tasks, as a person sees and changes it. The model is told of every change.

use serde_json::{Value, json};

use crate::app::{App, Editing};
use crate::conversation::{Block, Level};
use crate::output::Output;
use crate::text::{Line, clean_line};
use crate::theme::{Symbol, Token};

/// What a list is written as, for one that begins in the editor.
const EXAMPLE: &str = "# Todos\n- [ ] \n";

/// What `/todo …` asks for.
#[derive(Debug, PartialEq)]
enum Wish {
    Agent(Value),
    Hide,
    Usage(String),
}

fn op(op: &str, more: Value) -> Wish {
    let mut fields = json!({ "op": op });
    if let (Some(fields), Value::Object(more)) = (fields.as_object_mut(), more) {
        fields.extend(more);
    }
    Wish::Agent(json!({ "type": "edit_todos", "ops": [fields] }))
}

/// What the words after `/todo` mean; `current` is the task that is worked on.
fn wish(rest: &str, current: Option<&str>) -> Wish {
    let (kind, words) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let words = words.trim();
    let usage = |text: &str| Wish::Usage(text.to_owned());
    let look = |purpose: &str| Wish::Agent(json!({ "type": "edit_todos", "purpose": purpose }));
    match (kind, words) {
        ("" | "list" | "show", _) => look("list"),
        ("edit", _) => look("edit"),
        ("copy", _) => look("copy"),
        ("hide", _) => Wish::Hide,
        ("export", file) => Wish::Agent(json!({ "type": "edit_todos", "exportPath": file })),
        ("import", file) => Wish::Agent(json!({ "type": "edit_todos", "importPath": file })),
        ("append" | "add", "") => usage("name the task: /todo append TASK, or /todo append \"PHASE\" TASK"),
        ("append" | "add", words) => match words.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
            Some((phase, task)) if !task.trim().is_empty() => {
                op("append", json!({ "phase": phase, "items": [task.trim()] }))
            }
            _ => op("append", json!({ "items": [words] })),
        },
        ("note", words) => match words.split_once(':') {
            Some((task, text)) if !text.trim().is_empty() => {
                op("note", json!({ "task": task.trim(), "text": text.trim() }))
            }
            _ => usage("name the task and the note: /todo note TASK: TEXT"),
        },
        ("done" | "drop" | "rm", "all") => op(kind, json!({})),
        ("done" | "drop", "") => match current {
            Some(task) => op(kind, json!({ "task": task })),
            None => usage("no task is being worked on; name one by its number or a few letters"),
        },
        ("start" | "rm", "") => {
            Wish::Usage(format!("name the task by its number or a few letters: /todo {kind} TASK"))
        }
        ("start" | "done" | "drop" | "rm", task) => op(kind, json!({ "task": task })),
        _ => Wish::Usage(format!("unknown: /todo {kind}; /help lists what there is")),
    }
}

impl App {
    pub(super) fn todo(&mut self, rest: &str) {
        match wish(rest, self.panels.current_task()) {
            Wish::Agent(command) => {
                self.panels.show();
                self.send(command);
            }
            Wish::Hide => self.panels.toggle(),
            Wish::Usage(text) => self.notice(Level::Warning, &text),
        }
    }

    /// The list after an edit, or as it is.
    pub(super) fn take_todo_edit(&mut self, data: &Value) {
        let text = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let errors = data.get("errors").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for error in errors.iter().filter_map(Value::as_str) {
            self.notice(Level::Warning, error);
        }
        let markdown = text("markdown");
        let is_changed = data.get("changed").and_then(Value::as_bool).unwrap_or_default();
        match (text("purpose").as_str(), text("file").as_str()) {
            ("edit", _) => {
                self.session.meanwhile.editing = Editing::Todos;
                let list = if markdown.is_empty() { EXAMPLE.to_owned() } else { markdown };
                self.push_output(Output::Edit(list));
            }
            ("copy", _) => {
                self.push_output(Output::Copy(markdown));
                self.notice(Level::Success, "copied the todo list");
            }
            ("list", _) => self.show_todos(data.get("phases").unwrap_or(&Value::Null)),
            (_, file) if !file.is_empty() && !is_changed => {
                self.notice(Level::Success, &format!("the todo list is in {file}"));
            }
            _ if is_changed => self.notice(Level::Success, "the todo list is changed, and the model is told"),
            _ if errors.is_empty() => self.notice(Level::Info, "nothing was changed"),
            _ => {}
        }
    }

    /// The person's editor was closed.
    pub(crate) fn take_edited(&mut self, text: &str) {
        match std::mem::take(&mut self.session.meanwhile.editing) {
            Editing::Prompt => self.editor.set(text),
            Editing::Todos => self.send(json!({ "type": "edit_todos", "markdown": text })),
        }
    }

    /// Every task with its number, also those that are done.
    fn show_todos(&mut self, phases: &Value) {
        let view = self.view();
        let mut lines = Vec::new();
        let mut number = 0;
        let list = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
        };
        for phase in phases.as_array().map(Vec::as_slice).unwrap_or_default() {
            let name = phase.get("name").and_then(Value::as_str).unwrap_or_default();
            lines.push(Line::of(format!("  {}", clean_line(name)), view.fg(Token::Accent).bold()));
            for task in list(phase, "tasks") {
                number += 1;
                let text = |name: &str| task.get(name).and_then(Value::as_str).unwrap_or_default();
                let (symbol, token) = match text("status") {
                    "completed" => (Symbol::CheckboxOn, Token::Success),
                    "in_progress" => (Symbol::StatusRunning, Token::Accent),
                    "abandoned" => (Symbol::StatusAborted, Token::Dim),
                    _ => (Symbol::CheckboxOff, Token::Muted),
                };
                let line = Line::of(format!("  {number:>3} "), view.fg(Token::Dim))
                    .and(format!("{} ", view.sign(symbol)), view.fg(token))
                    .and(clean_line(text("content")), view.fg(Token::Text));
                lines.push(line);
                for note in list(&task, "notes").iter().filter_map(Value::as_str) {
                    lines.push(Line::of(format!("        {}", clean_line(note)), view.fg(Token::Muted)));
                }
            }
        }
        if lines.is_empty() {
            return self.notice(Level::Info, "the todo list is empty; /todo append TASK begins one");
        }
        self.conversation.push(Block::Lines(lines));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rest: &str, expected: Value) {
        let Wish::Agent(command) = wish(rest, Some("now")) else { panic!("{rest} asks for nothing") };
        assert_eq!(command["ops"][0], expected, "{rest}");
    }

    #[test]
    fn every_change_is_one_operation() {
        check("append write it down", json!({ "op": "append", "items": ["write it down"] }));
        check(
            "append \"After that\" rest",
            json!({ "op": "append", "phase": "After that", "items": ["rest"] }),
        );
        check("done", json!({ "op": "done", "task": "now" }));
        check("done 3", json!({ "op": "done", "task": "3" }));
        check("rm all", json!({ "op": "rm" }));
        check("note 2: see the issue", json!({ "op": "note", "task": "2", "text": "see the issue" }));
        assert_eq!(wish("edit", None), Wish::Agent(json!({ "type": "edit_todos", "purpose": "edit" })));
        for wrong in ["append", "start", "rm", "note x", "nonsense"] {
            assert!(matches!(wish(wrong, None), Wish::Usage(_)), "{wrong}");
        }
        assert!(matches!(wish("done", None), Wish::Usage(_)), "there is no current task");
    }
}
