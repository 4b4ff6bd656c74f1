//! The list of tasks as a person changes it: by operations on tasks that are named by number or a few letters, or as Markdown.

use std::path::Path;

use relay_tools::{Task, TaskStatus, TodoList, edit_todos};
use serde_json::{Value, json};

use super::{Binary, text};

/// The file of a list without a name.
const FILE: &str = "TODO.md";
/// The largest list that is read.
const LIST_BYTES: u64 = 1 << 20;
/// Where tasks go when there is no phase.
const PHASE: &str = "Todos";

impl Binary {
    pub(super) fn about_todos(&self, command: &str, arguments: &Value) -> Option<Result<Value, String>> {
        (command == "plan_todos").then(|| self.plan_todos(arguments))
    }

    /// What a list is after an edit, whether that differs, and what was wrong. Nothing is kept here.
    fn plan_todos(&self, arguments: &Value) -> Result<Value, String> {
        let before: TodoList =
            serde_json::from_value(arguments.get("phases").cloned().unwrap_or_default()).unwrap_or_default();
        let mut list = before.clone();
        let mut errors = Vec::new();
        let mut file = None;
        if let Some(name) = text(arguments, "importPath") {
            let (read, faults) = TodoList::from_markdown(&self.read_list(name)?);
            (list, errors) = (read, faults);
            file = Some(named(name).to_owned());
        } else if let Some(markdown) = text(arguments, "markdown") {
            (list, errors) = TodoList::from_markdown(markdown);
        } else if let Some(ops) = arguments.get("ops").and_then(Value::as_array) {
            let (known, unknown): (Vec<_>, Vec<_>) =
                ops.iter().map(|op| meant(&list, op)).partition(Result::is_ok);
            let known: Vec<Value> = known.into_iter().flatten().collect();
            errors = edit_todos(&mut list, &known);
            errors.extend(unknown.into_iter().filter_map(Result::err));
            list.0.retain(|phase| !phase.tasks.is_empty());
        }
        let markdown = list.to_markdown();
        if let Some(name) = text(arguments, "exportPath") {
            let place = self.cwd().join(named(name));
            let is_ours = |head: &[u8]| head.starts_with(b"#");
            relay_store::export(&place, markdown.as_bytes(), is_ours).map_err(|error| error.to_string())?;
            file = Some(named(name).to_owned());
        }
        Ok(json!({
            "phases": list, "markdown": markdown, "errors": errors, "changed": list != before, "file": file,
            "purpose": text(arguments, "purpose"),
        }))
    }

    fn read_list(&self, name: &str) -> Result<String, String> {
        let path = named(name);
        let root = self.engine.workspace().root_dir();
        let inside =
            Path::new(path).strip_prefix(self.cwd()).map_or(path, |path| path.to_str().unwrap_or_default());
        let read = root.read(inside, LIST_BYTES).map_err(|error| error.to_string())?;
        let file = read.ok_or_else(|| format!("there is no file {path}"))?;
        String::from_utf8(file.bytes).map_err(|_| format!("{path} is not a text"))
    }
}

fn named(name: &str) -> &str {
    if name.is_empty() { FILE } else { name }
}

/// An operation with the task and the phase that its words mean.
fn meant(list: &TodoList, op: &Value) -> Result<Value, String> {
    let mut op = op.clone();
    let kind = text(&op, "op").unwrap_or_default().to_owned();
    let task = text(&op, "task").filter(|task| !task.is_empty()).map(str::to_owned);
    let Some(fields) = op.as_object_mut() else { return Err("an operation is an object".to_owned()) };
    if kind == "append" {
        if fields.get("phase").and_then(Value::as_str).is_none_or(str::is_empty) {
            fields.insert("phase".to_owned(), usual_phase(list).into());
        }
        return Ok(op);
    }
    let Some(words) = task else { return Ok(op) };
    match one_task(list, &words) {
        Ok(task) => drop(fields.insert("task".to_owned(), task.content.clone().into())),
        Err(why) => {
            // The words may be those of a phase: `/todo done Build`.
            let phase = list.0.iter().find(|phase| phase.name.eq_ignore_ascii_case(&words)).ok_or(why)?;
            fields.remove("task");
            fields.insert("phase".to_owned(), phase.name.clone().into());
        }
    }
    Ok(op)
}

/// The phase that is worked on, or else the last one.
fn usual_phase(list: &TodoList) -> String {
    let is_active = |task: &Task| task.status == TaskStatus::InProgress;
    let active = list.0.iter().find(|phase| phase.tasks.iter().any(is_active));
    active.or(list.0.last()).map_or(PHASE, |phase| phase.name.as_str()).to_owned()
}

/// The only task that these words can mean: its text, its number, or letters that only it has.
fn one_task<'a>(list: &'a TodoList, words: &str) -> Result<&'a Task, String> {
    if let Some(task) = list.find(words) {
        return Ok(task);
    }
    if let Some(task) =
        words.parse::<usize>().ok().and_then(|number| list.tasks().nth(number.checked_sub(1)?))
    {
        return Ok(task);
    }
    let wanted = words.to_lowercase();
    let mut found = list.tasks().filter(|task| task.content.to_lowercase().contains(&wanted));
    match (found.next(), found.next()) {
        (Some(task), None) => Ok(task),
        (Some(one), Some(other)) => {
            Err(format!("`{words}` could be \"{}\" or \"{}\"; write more of it", one.content, other.content))
        }
        (None, _) => Err(format!("no task is called `{words}`; /todo lists them with their numbers")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_named_by_number_or_by_a_few_letters() {
        let (list, _) =
            TodoList::from_markdown("# Build\n- [/] parse it\n- [ ] print it\n# Test\n- [ ] run all\n");
        let task = |words: &str| one_task(&list, words).map(|task| task.content.as_str());
        assert_eq!(
            (task("2"), task("PARSE"), task("run all")),
            (Ok("print it"), Ok("parse it"), Ok("run all"))
        );
        assert!(task("it").unwrap_err().contains("write more"));
        assert!(task("9").is_err());
        let op = |op: Value| meant(&list, &op).unwrap();
        assert_eq!(op(json!({ "op": "done", "task": "build" }))["phase"], "Build");
        assert_eq!(op(json!({ "op": "append", "items": ["x"] }))["phase"], "Build");
        assert_eq!(
            meant(&TodoList::default(), &json!({ "op": "append", "items": ["x"] })).unwrap()["phase"],
            PHASE
        );
    }
}
