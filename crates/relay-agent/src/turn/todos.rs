//! The model's list of tasks: a model that ends while some are open is reminded of them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::happened::Prompt;
use super::state::State;
use super::step::{Effects, say};

/// What the session calls the list of tasks.
pub const TODOS: &str = "todos";

impl State {
    /// Takes note of the list among what the session keeps.
    pub fn note_todos(&mut self, kept: &BTreeMap<String, Value>) {
        self.set_todos(kept.get(TODOS).unwrap_or(&Value::Null));
    }

    /// Takes note of a list: phases with tasks, bare or under `phases`.
    pub(super) fn set_todos(&mut self, data: &Value) {
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
            "<system-reminder>\nYou stopped with {count} todo item(s) open:\n{}\n\nGo on with them, or mark them done or \
             dropped with todo_write. If you need the user, say what for.\n(Reminder {round}/{max})\n</system-reminder>",
            list.join("\n")
        );
        say(vec![Prompt::hidden("todo-reminder", text)], effects);
        true
    }
}
