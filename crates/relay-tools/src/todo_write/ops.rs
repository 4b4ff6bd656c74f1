//! The operations on a list, and what is wrong with those that cannot be applied.

use serde_json::Value;

use super::list::{Phase, Task, TaskStatus, TodoList};

/// Applies operations in order. Those that cannot be applied are reported; the others still are.
pub fn apply(list: &mut TodoList, ops: &[Value]) -> Vec<String> {
    let errors = ops.iter().filter_map(|op| apply_one(list, op).err()).collect();
    list.normalize();
    errors
}

fn apply_one(list: &mut TodoList, op: &Value) -> Result<(), String> {
    let text = |name: &str| op.get(name).and_then(Value::as_str);
    match text("op").unwrap_or_default() {
        "init" => init(list, op.get("list")),
        "start" => start(list, text("task")),
        "done" => set(list, text("task"), text("phase"), TaskStatus::Completed),
        "drop" => set(list, text("task"), text("phase"), TaskStatus::Abandoned),
        "rm" => remove(list, text("task"), text("phase")),
        "append" => append(list, text("phase"), &texts(op.get("items"))),
        "note" => note(list, text("task"), text("text")),
        other => Err(format!("Unknown operation \"{other}\"")),
    }
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn init(list: &mut TodoList, phases: Option<&Value>) -> Result<(), String> {
    let phases = phases.and_then(Value::as_array).ok_or("Missing list for init operation")?;
    let mut new = TodoList::default();
    let mut errors = Vec::new();
    for phase in phases {
        let name = phase.get("phase").and_then(Value::as_str).unwrap_or_default();
        // Names are how tasks and phases are addressed later, so each may appear once.
        let at = new.0.iter().position(|known| known.name == name).unwrap_or_else(|| {
            new.0.push(Phase { name: name.to_owned(), tasks: Vec::new() });
            new.0.len() - 1
        });
        for item in texts(phase.get("items")) {
            if new.find(&item).is_some() {
                errors.push(format!("Task \"{item}\" already exists"));
            } else if let Some(phase) = new.0.get_mut(at) {
                phase.tasks.push(Task::new(item));
            }
        }
    }
    *list = new;
    if errors.is_empty() { Ok(()) } else { Err(errors.join("; ")) }
}

fn start(list: &mut TodoList, task: Option<&str>) -> Result<(), String> {
    let content = existing(list, task)?;
    let mut is_found = false;
    for task in list.tasks_mut() {
        if !is_found && task.content == content {
            is_found = true;
            task.status = TaskStatus::InProgress;
        } else if task.status == TaskStatus::InProgress {
            task.status = TaskStatus::Pending;
        }
    }
    Ok(())
}

/// The text of a task that is there.
fn existing(list: &TodoList, task: Option<&str>) -> Result<String, String> {
    let content = task.filter(|task| !task.is_empty()).ok_or("Missing task content")?;
    if list.find(content).is_some() {
        return Ok(content.to_owned());
    }
    let hint = match list.tasks().next() {
        None => " (todo list is empty; was it replaced or not yet created?)",
        Some(_) => "",
    };
    Err(format!("Task \"{content}\" not found{hint}"))
}

fn phase_of<'a>(list: &'a mut TodoList, name: &str) -> Result<&'a mut Phase, String> {
    if name.is_empty() {
        return Err("Missing phase name".to_owned());
    }
    list.0.iter_mut().find(|phase| phase.name == name).ok_or_else(|| format!("Phase \"{name}\" not found"))
}

fn set(
    list: &mut TodoList,
    task: Option<&str>,
    phase: Option<&str>,
    status: TaskStatus,
) -> Result<(), String> {
    match (task, phase) {
        (Some(_), _) => {
            let content = existing(list, task)?;
            if let Some(task) = list.tasks_mut().find(|task| task.content == content) {
                task.status = status;
            }
        }
        (None, Some(name)) => {
            phase_of(list, name)?.tasks.iter_mut().for_each(|task| task.status = status);
        }
        (None, None) => list.tasks_mut().for_each(|task| task.status = status),
    }
    Ok(())
}

fn remove(list: &mut TodoList, task: Option<&str>, phase: Option<&str>) -> Result<(), String> {
    match (task, phase) {
        (Some(_), _) => {
            let content = existing(list, task)?;
            for phase in &mut list.0 {
                if let Some(at) = phase.tasks.iter().position(|task| task.content == content) {
                    phase.tasks.remove(at);
                    break;
                }
            }
        }
        (None, Some(name)) => phase_of(list, name)?.tasks.clear(),
        (None, None) => list.0.iter_mut().for_each(|phase| phase.tasks.clear()),
    }
    Ok(())
}

fn append(list: &mut TodoList, phase: Option<&str>, items: &[String]) -> Result<(), String> {
    let name = phase.filter(|name| !name.is_empty()).ok_or("Missing phase name for append operation")?;
    if items.is_empty() {
        return Err("Missing items for append operation".to_owned());
    }
    let at = list.0.iter().position(|known| known.name == name).unwrap_or_else(|| {
        list.0.push(Phase { name: name.to_owned(), tasks: Vec::new() });
        list.0.len() - 1
    });
    let mut errors = Vec::new();
    for item in items {
        if list.find(item).is_some() {
            errors.push(format!("Task \"{item}\" already exists"));
        } else if let Some(phase) = list.0.get_mut(at) {
            phase.tasks.push(Task::new(item.clone()));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors.join("; ")) }
}

fn note(list: &mut TodoList, task: Option<&str>, text: Option<&str>) -> Result<(), String> {
    let content = existing(list, task)?;
    let text =
        text.map(str::trim_end).filter(|text| !text.is_empty()).ok_or("Missing text for note operation")?;
    if let Some(task) = list.tasks_mut().find(|task| task.content == content) {
        task.notes.push(text.to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn list() -> TodoList {
        let mut list = TodoList::default();
        let ops = [json!({ "op": "init", "list": [
            { "phase": "Build", "items": ["a", "b"] }, { "phase": "Test", "items": ["c"] },
        ] })];
        assert!(apply(&mut list, &ops).is_empty());
        list
    }

    /// The list as `a> b c` with a mark for every state but pending.
    fn shown(list: &TodoList) -> String {
        let mark = |task: &Task| match task.status {
            TaskStatus::Pending => "",
            TaskStatus::InProgress => ">",
            TaskStatus::Completed => "+",
            TaskStatus::Abandoned => "-",
        };
        list.tasks().map(|task| format!("{}{}", task.content, mark(task))).collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(ops: Value, expected: &str, errors: &[&str]) {
        let mut list = list();
        let found = apply(&mut list, ops.as_array().unwrap());
        assert_eq!(
            (shown(&list).as_str(), found),
            (expected, errors.iter().map(ToString::to_string).collect())
        );
    }

    #[test]
    fn transitions() {
        check(json!([]), "a> b c", &[]);
        check(json!([{ "op": "start", "task": "c" }]), "a b c>", &[]);
        check(json!([{ "op": "done", "task": "a" }]), "a+ b> c", &[]);
        check(json!([{ "op": "done", "task": "a" }, { "op": "start", "task": "a" }]), "a> b c", &[]);
        check(json!([{ "op": "drop", "task": "a" }, { "op": "done", "task": "a" }]), "a+ b> c", &[]);
        check(json!([{ "op": "done", "phase": "Build" }]), "a+ b+ c>", &[]);
        check(json!([{ "op": "done" }]), "a+ b+ c+", &[]);
        check(json!([{ "op": "drop" }]), "a- b- c-", &[]);
        check(json!([{ "op": "rm", "task": "b" }]), "a> c", &[]);
        check(json!([{ "op": "rm", "phase": "Build" }]), "c>", &[]);
        check(json!([{ "op": "rm" }]), "", &[]);
        check(json!([{ "op": "append", "phase": "New", "items": ["d", "e"] }]), "a> b c d e", &[]);
        check(json!([{ "op": "note", "task": "a", "text": "why\n" }]), "a> b c", &[]);
        check(json!([{ "op": "init", "list": [{ "phase": "P", "items": ["x"] }] }]), "x>", &[]);
    }

    #[test]
    fn every_error_has_its_text_and_the_rest_applies() {
        check(
            json!([{ "op": "init" }, { "op": "done", "task": "a" }]),
            "a+ b> c",
            &["Missing list for init operation"],
        );
        check(json!([{ "op": "start" }]), "a> b c", &["Missing task content"]);
        check(json!([{ "op": "start", "task": "z" }]), "a> b c", &["Task \"z\" not found"]);
        check(json!([{ "op": "done", "phase": "" }]), "a> b c", &["Missing phase name"]);
        check(json!([{ "op": "rm", "phase": "Z" }]), "a> b c", &["Phase \"Z\" not found"]);
        check(
            json!([{ "op": "append", "items": ["x"] }]),
            "a> b c",
            &["Missing phase name for append operation"],
        );
        check(json!([{ "op": "append", "phase": "P" }]), "a> b c", &["Missing items for append operation"]);
        check(
            json!([{ "op": "append", "phase": "P", "items": ["a", "x"] }]),
            "a> b c x",
            &["Task \"a\" already exists"],
        );
        check(
            json!([{ "op": "note", "task": "a", "text": " \n" }]),
            "a> b c",
            &["Missing text for note operation"],
        );
        check(
            json!([{ "op": "rm" }, { "op": "rm", "task": "a" }]),
            "",
            &["Task \"a\" not found (todo list is empty; was it replaced or not yet created?)"],
        );
        check(
            json!([{ "op": "init", "list": [{ "phase": "P", "items": ["x", "x"] }, { "phase": "P", "items": ["y"] }] }]),
            "x> y",
            &["Task \"x\" already exists"],
        );
    }

    #[test]
    fn one_task_is_in_progress_whatever_happens() {
        let words = ["init", "start", "done", "drop", "rm", "append", "note"];
        let mut list = list();
        // A fixed walk through all operations on all targets, thousands of steps.
        for step in 0..5_000_usize {
            let target = ["a", "b", "c", "d", "zz"][step * 7 % 5];
            let op = match words[step * 31 % 7 % words.len()] {
                "init" if step % 11 != 0 => continue,
                "append" => json!({ "op": "append", "phase": target, "items": [target] }),
                "init" => json!({ "op": "init", "list": [{ "phase": "P", "items": ["a", "b"] }] }),
                "rm" if step % 3 == 0 => json!({ "op": "rm", "phase": target }),
                word => json!({ "op": word, "task": target, "text": "n" }),
            };
            apply(&mut list, &[op]);
            let active = list.tasks().filter(|task| task.status == TaskStatus::InProgress).count();
            let open = list.tasks().filter(|task| task.status.is_open()).count();
            assert_eq!(active, usize::from(open > 0), "step {step}: {}", shown(&list));
        }
    }
}
