//! The list as the model reads it.

use super::list::{Task, TaskStatus, TodoList};

/// What remains, how far the current phase is, and the whole list; errors come first.
pub fn summary(list: &TodoList, errors: &[String]) -> String {
    let mut lines = Vec::new();
    if !errors.is_empty() {
        lines.push(format!("Errors: {}", errors.join("; ")));
    }
    if list.tasks().next().is_none() {
        return lines.pop().unwrap_or_else(|| "Todo list cleared.".to_owned());
    }
    let open: Vec<(&Task, &str)> = list
        .0
        .iter()
        .flat_map(|phase| phase.tasks.iter().map(move |task| (task, phase.name.as_str())))
        .filter(|(task, _)| task.status.is_open())
        .collect();
    if open.is_empty() {
        lines.push("Remaining items: none.".to_owned());
    } else {
        lines.push(format!("Remaining items ({}):", open.len()));
        let line = |(task, phase): &(&Task, &str)| {
            format!("  - {} [{}] ({phase})", task.content, task.status.name())
        };
        lines.extend(open.iter().map(line));
    }
    let current = list.0.iter().position(|phase| phase.tasks.iter().any(|task| task.status.is_open()));
    let current = current.unwrap_or_else(|| list.0.len().saturating_sub(1));
    if let Some(phase) = list.0.get(current) {
        let done = phase.tasks.iter().filter(|task| !task.status.is_open()).count();
        lines.push(format!(
            "Phase {}/{} \"{}\" — {done}/{} tasks complete",
            current + 1,
            list.0.len(),
            phase.name,
            phase.tasks.len()
        ));
    }
    for phase in &list.0 {
        lines.push(format!("  {}:", phase.name));
        phase.tasks.iter().for_each(|task| push(task, &mut lines));
    }
    lines.join("\n")
}

fn push(task: &Task, lines: &mut Vec<String>) {
    let symbol = match task.status {
        TaskStatus::Pending => "○",
        TaskStatus::InProgress => "→",
        TaskStatus::Completed => "✓",
        TaskStatus::Abandoned => "✗",
    };
    let notes = match task.notes.len() {
        0 => String::new(),
        1 => " (+1 note)".to_owned(),
        many => format!(" (+{many} notes)"),
    };
    lines.push(format!("    {symbol} {}{notes}", task.content));
    if task.status == TaskStatus::InProgress {
        for (at, note) in task.notes.iter().enumerate() {
            if at > 0 {
                lines.push("        ---".to_owned());
            }
            lines.extend(note.lines().map(|line| format!("        {line}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ops::apply;
    use super::*;

    #[test]
    fn a_list_in_the_middle_of_its_work() {
        let mut list = TodoList::default();
        let ops = json!([
            { "op": "init", "list": [{ "phase": "Build", "items": ["a", "b"] }, { "phase": "Test", "items": ["c"] }] },
            { "op": "done", "task": "a" },
            { "op": "note", "task": "b", "text": "first\nsecond" },
            { "op": "note", "task": "b", "text": "third" },
            { "op": "start", "task": "zz" },
        ]);
        let errors = apply(&mut list, ops.as_array().unwrap());
        assert_eq!(
            summary(&list, &errors),
            "Errors: Task \"zz\" not found\nRemaining items (2):\n  - b [in_progress] (Build)\n  - c [pending] (Test)\n\
             Phase 1/2 \"Build\" — 1/2 tasks complete\n  Build:\n    ✓ a\n    → b (+2 notes)\n        first\n        second\n        ---\n        third\n  Test:\n    ○ c"
        );
        apply(&mut list, &[json!({ "op": "done" })]);
        assert!(
            summary(&list, &[])
                .starts_with("Remaining items: none.\nPhase 2/2 \"Test\" — 1/1 tasks complete\n")
        );
        assert_eq!(summary(&TodoList::default(), &[]), "Todo list cleared.");
        assert_eq!(summary(&TodoList::default(), &["x".to_owned(), "y".to_owned()]), "Errors: x; y");
    }
}
