//! `todo_write`: the list of tasks that the agent keeps and a person sees.
//!
//! The list lives in the session's log as what tools keep there, so a resumed session has it, and `relay rpc` can set it.

mod list;
mod markdown;
mod ops;
mod summary;

use jiff::Timestamp;
use relay_agent::tool::{Access, Call, Facts, Output, Signal, Spec, Tool, ToolError};
use serde_json::{Map, Value, json};

pub use list::{Phase, Task, TaskStatus, TodoList};

use crate::spec::{conversational, only_conversation};

/// What the session calls the list.
pub const KEPT: &str = relay_agent::turn::TODOS;

pub struct TodoWrite(Spec);

impl TodoWrite {
    pub fn new() -> Self {
        let strings = json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 });
        let mut items = strings.clone();
        if let Some(items) = items.as_object_mut() {
            items.insert("description".to_owned(), "Tasks to append".into());
        }
        let entry = json!({
            "type": "object",
            "properties": {
                "op": { "type": "string", "enum": ["init", "start", "done", "rm", "drop", "append", "note"] },
                "list": {
                    "type": "array",
                    "description": "The whole new list; for init",
                    "items": {
                        "type": "object",
                        "properties": { "phase": { "type": "string" }, "items": strings },
                        "required": ["phase", "items"],
                        "additionalProperties": false,
                    },
                },
                "task": { "type": "string", "description": "The exact text of a task" },
                "phase": { "type": "string", "description": "The exact name of a phase" },
                "items": items,
                "text": { "type": "string", "description": "The note" },
            },
            "required": ["op"],
            "additionalProperties": false,
        });
        let properties = json!({ "ops": { "type": "array", "items": entry, "minItems": 1 } });
        Self(conversational("todo_write", include_str!("description.md"), properties, &["ops"]))
    }
}

impl Tool for TodoWrite {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, _: &Map<String, Value>) -> Vec<Access> {
        only_conversation()
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let now = Timestamp::now().as_millisecond();
        let mut list = kept(call.facts);
        let delay = call.services.number("tasks.todoClearDelay", 60.0);
        if delay >= 0.0 {
            list.fade(now, whole(delay * 1000.0));
        }
        let ops = call.arguments.get("ops").and_then(Value::as_array);
        let errors = ops::apply(&mut list, ops.map_or(&[][..], Vec::as_slice));
        list.stamp(now);
        let storage = if call.services.artifacts.is_some() { "session" } else { "memory" };
        let details = json!({ "phases": list.without_times(), "storage": storage });
        let keep = Signal::Keep { kind: KEPT.to_owned(), data: json!({ "phases": list }) };
        Ok(Output::text(summary::summary(&list, &errors)).with_details(details).signalling(keep))
    }
}

/// Applies operations to a list, as the tool does: what could not be applied, and why.
pub fn edit(list: &mut TodoList, ops: &[Value]) -> Vec<String> {
    ops::apply(list, ops)
}

/// The list as the session keeps it; clients of RPC may have set it as a bare list of phases.
fn kept(facts: &Facts) -> TodoList {
    let Some(kept) = facts.kept.get(KEPT) else { return TodoList::default() };
    let phases = kept.get("phases").unwrap_or(kept);
    serde_json::from_value(phases.clone()).unwrap_or_default()
}

#[expect(clippy::cast_possible_truncation, reason = "a cast from a float saturates")]
fn whole(number: f64) -> i64 {
    number as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finished_tasks_fade() {
        let (mut list, _) = TodoList::from_markdown("# A\n- [x] a\n- [ ] b\n# B\n- [-] c\n");
        list.stamp(1_000);
        list.fade(60_999, 60_000);
        assert_eq!(list.tasks().count(), 3);
        list.fade(61_000, 60_000);
        assert_eq!(list.to_markdown(), "# A\n- [/] b\n");
        let (mut list, _) = TodoList::from_markdown("# A\n- [x] a\n- [ ] b\n");
        list.keep_open();
        assert_eq!(list.tasks().count(), 1);
    }

    #[test]
    fn both_forms_of_a_kept_list_are_read() {
        let phases = json!([{ "name": "A", "tasks": [{ "content": "a", "status": "in_progress" }] }]);
        for data in [phases.clone(), json!({ "phases": phases })] {
            let mut facts = Facts::default();
            facts.kept.insert(KEPT.to_owned(), data);
            assert_eq!(kept(&facts).find("a").unwrap().status, TaskStatus::InProgress);
        }
        let mut facts = Facts::default();
        facts.kept.insert(KEPT.to_owned(), json!("nonsense"));
        assert_eq!(kept(&facts), TodoList::default());
    }
}
