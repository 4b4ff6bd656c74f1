//! The model's list of tasks: a model that ends while some are open is reminded of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::happened::Prompt;
use super::state::State;
use super::step::{Effects, say};

/// What the session calls the list of tasks.
pub const TODOS: &str = "todos";

/// A list that a person edited: as the session keeps it, and as the model reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct EditedTodos {
    /// `{ "phases": […] }`.
    pub data: Value,
    /// What the model reads.
    pub prompt: Prompt,
}

impl EditedTodos {
    /// Reads a list: phases with names and tasks, bare or under `phases`.
    ///
    /// # Errors
    /// It is not one, or two tasks have the same text, which is how tasks are named.
    pub fn read(list: &Value) -> Result<Self, String> {
        let phases = list.get("phases").unwrap_or(list);
        let wrong = |what: &str| format!("the todo list cannot be read: {what}");
        let mut known = BTreeSet::new();
        let mut lines = Vec::new();
        for phase in phases.as_array().ok_or_else(|| wrong("`phases` must be a list"))? {
            let name =
                phase.get("name").and_then(Value::as_str).ok_or_else(|| wrong("a phase has no `name`"))?;
            lines.push(format!("# {name}"));
            for task in phase.get("tasks").and_then(Value::as_array).into_iter().flatten() {
                let content = task.get("content").and_then(Value::as_str);
                let content = content.ok_or_else(|| wrong("a task has no `content`"))?;
                if !known.insert(content) {
                    return Err(format!("Task \"{content}\" already exists"));
                }
                let mark = match task.get("status").and_then(Value::as_str).unwrap_or("pending") {
                    "pending" => " ",
                    "in_progress" => "/",
                    "completed" => "x",
                    "abandoned" => "-",
                    other => return Err(wrong(&format!("`{other}` is not a status"))),
                };
                lines.push(format!("- [{mark}] {content}"));
            }
        }
        let shown = if known.is_empty() { "(empty)".to_owned() } else { lines.join("\n") };
        let text = format!(
            "<system-reminder>\nThe user edited the todo list. It is now:\n{shown}\n\nGo by this list, and do not undo the edit unless the user asks for it.\n</system-reminder>"
        );
        let prompt = Prompt {
            text: "(the todo list was edited)".to_owned(),
            ..Prompt::hidden("user-todo-edit", text)
        };
        Ok(Self { data: json!({ "phases": phases }), prompt })
    }
}

impl State {
    /// Takes note of the list among what the session keeps.
    pub fn note_todos(&mut self, kept: &BTreeMap<String, Value>) {
        self.take_todos(kept.get(TODOS).unwrap_or(&Value::Null));
    }

    /// Takes note of a list: phases with tasks, bare or under `phases`.
    pub fn take_todos(&mut self, data: &Value) {
        let phases = data.get("phases").unwrap_or(data).as_array();
        let tasks = phases.into_iter().flatten().filter_map(|phase| phase.get("tasks")?.as_array()).flatten();
        let open = tasks.filter(|task| {
            matches!(task.get("status").and_then(Value::as_str), None | Some("pending" | "in_progress"))
        });
        self.todos = open.filter_map(|task| task.get("content")?.as_str()).map(str::to_owned).collect();
    }

    /// Reminds the model of open tasks, a few times in a run. Says whether it did.
    pub(super) fn remind_of_todos(&mut self, effects: &mut Effects) -> bool {
        let max = self.settings.todo_reminders;
        if self.todos.is_empty() || self.tries.reminded >= max {
            return false;
        }
        self.tries.reminded += 1;
        let list: Vec<String> = self.todos.iter().map(|task| format!("- {task}")).collect();
        let (count, round) = (list.len(), self.tries.reminded);
        let text = format!(
            "<system-reminder>\nYou stopped with {count} todo item(s) open:\n{}\n\nContinue with them, or mark them done or \
             dropped with todo_write. If you need the user, say what for.\n(Reminder {round}/{max})\n</system-reminder>",
            list.join("\n")
        );
        say(vec![Prompt::hidden("todo-reminder", text)], effects);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Body;

    #[test]
    fn an_edited_list_is_kept_and_shown_to_the_model() {
        let list = json!([
            { "name": "Build", "tasks": [
                { "content": "a", "status": "completed" }, { "content": "b", "status": "in_progress" },
                { "content": "c" }, { "content": "d", "status": "abandoned" },
            ] },
            { "name": "Later" },
        ]);
        let edited = EditedTodos::read(&list).unwrap();
        assert_eq!(edited.data, json!({ "phases": list }));
        let Body::CustomMessage(message) = &edited.prompt.bodies[0] else { panic!("{:?}", edited.prompt) };
        let text = message.content.text("");
        assert!(text.contains("# Build\n- [x] a\n- [/] b\n- [ ] c\n- [-] d\n# Later\n"), "{text}");
        let empty = EditedTodos::read(&json!({ "phases": [] })).unwrap();
        assert!(format!("{:?}", empty.prompt).contains("(empty)"));
    }

    #[test]
    fn lists_that_are_none_or_name_a_task_twice_are_refused() {
        for (list, message) in [
            (json!("x"), "must be a list"),
            (json!([{ "tasks": [] }]), "no `name`"),
            (json!([{ "name": "A", "tasks": [{}] }]), "no `content`"),
            (json!([{ "name": "A", "tasks": [{ "content": "a", "status": "soon" }] }]), "not a status"),
            (
                json!([{ "name": "A", "tasks": [{ "content": "a" }] }, { "name": "B", "tasks": [{ "content": "a" }] }]),
                "Task \"a\" already exists",
            ),
        ] {
            let error = EditedTodos::read(&list).unwrap_err();
            assert!(error.contains(message), "{list}: {error}");
        }
    }
}
