//! The list as Markdown, for a person who edits it: headings, check boxes, notes as quotes.

use super::list::{Phase, Task, TaskStatus, TodoList};

/// The phase of tasks that come before any heading.
const ORPHANS: &str = "Todos";

impl TodoList {
    /// The list as Markdown.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut text = String::new();
        for phase in &self.0 {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&format!("# {}\n", phase.name));
            for task in &phase.tasks {
                let mark = match task.status {
                    TaskStatus::Pending => ' ',
                    TaskStatus::InProgress => '/',
                    TaskStatus::Completed => 'x',
                    TaskStatus::Abandoned => '-',
                };
                text.push_str(&format!("- [{mark}] {}\n", task.content));
                for (at, note) in task.notes.iter().enumerate() {
                    if at > 0 {
                        text.push('\n');
                    }
                    note.lines().for_each(|line| text.push_str(&format!("  > {line}\n")));
                }
            }
        }
        text
    }

    /// Reads a list that a person edited. Lines that are neither headings, tasks nor notes are reported.
    #[must_use]
    pub fn from_markdown(text: &str) -> (Self, Vec<String>) {
        let mut list = Self::default();
        let mut errors = Vec::new();
        let mut note_goes_on = false;
        for (at, raw) in text.lines().enumerate() {
            let line = raw.trim();
            let was_note = std::mem::take(&mut note_goes_on);
            if line.is_empty() {
                continue;
            }
            if line.starts_with('#') {
                let name = line.trim_start_matches('#').trim().to_owned();
                if list.0.iter().any(|phase| phase.name == name) {
                    errors.push(format!("Line {}: Phase \"{name}\" already exists", at + 1));
                }
                list.0.push(Phase { name, tasks: Vec::new() });
            } else if let Some((status, content)) = task(line) {
                if list.0.is_empty() {
                    list.0.push(Phase { name: ORPHANS.to_owned(), tasks: Vec::new() });
                }
                // The text of a task is how it is addressed later.
                if list.find(content).is_some() {
                    errors.push(format!("Line {}: Task \"{content}\" already exists", at + 1));
                } else if let Some(phase) = list.0.last_mut() {
                    phase.tasks.push(Task { content: content.to_owned(), status, ..Task::default() });
                }
            } else if let (Some(note), Some(task)) =
                (line.strip_prefix('>'), list.0.last_mut().and_then(|phase| phase.tasks.last_mut()))
            {
                let note = note.strip_prefix(' ').unwrap_or(note);
                match task.notes.last_mut().filter(|_| was_note) {
                    Some(last) => last.push_str(&format!("\n{note}")),
                    None => task.notes.push(note.to_owned()),
                }
                note_goes_on = true;
            } else {
                errors.push(format!("Line {}: not a heading, a task or a note: {line}", at + 1));
            }
        }
        list.normalize();
        (list, errors)
    }
}

/// `- [x] content`, with any of the marks.
fn task(line: &str) -> Option<(TaskStatus, &str)> {
    let rest = line.strip_prefix(['-', '*', '+'])?.trim_start().strip_prefix('[')?;
    let (mark, content) = rest.split_once(']')?;
    let status = match mark.trim() {
        "" => TaskStatus::Pending,
        "/" | ">" => TaskStatus::InProgress,
        "x" | "X" => TaskStatus::Completed,
        "-" | "~" => TaskStatus::Abandoned,
        _ => return None,
    };
    let content = content.trim();
    (!content.is_empty()).then_some((status, content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_without_loss() {
        let text = "# Build\n- [x] a\n- [/] b\n  > one\n  > two\n\n  > three\n- [-] c\n\n# Test\n- [ ] d\n";
        let (list, errors) = TodoList::from_markdown(text);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(list.0[0].tasks[1].notes, ["one\ntwo", "three"]);
        assert_eq!(list.to_markdown(), text);
    }

    #[test]
    fn what_is_there_twice_is_refused() {
        let (list, errors) = TodoList::from_markdown("# A\n- [ ] a\n- [x] a\n# B\n- [ ] b\n");
        assert_eq!(list.tasks().count(), 2);
        assert_eq!(errors, ["Line 3: Task \"a\" already exists"]);
        assert_eq!(TodoList::from_markdown("# A\n- [ ] a\n# A\n- [ ] b\n").1.len(), 1);
    }

    #[test]
    fn other_marks_and_tasks_without_a_phase() {
        let (list, errors) = TodoList::from_markdown("* [>] a\n+ [~] b\n- [X] c\nwhat is this\n- [?] d\n");
        assert_eq!(list.0[0].name, "Todos");
        let states: Vec<TaskStatus> = list.tasks().map(|task| task.status).collect();
        assert_eq!(states, [TaskStatus::InProgress, TaskStatus::Abandoned, TaskStatus::Completed]);
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(errors[0].starts_with("Line 4:"), "{errors:?}");
    }
}
