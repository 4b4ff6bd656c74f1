//! The rows of the session tree: who hangs below whom, the lines in front of each, and what is folded away.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::text::clean_line;
use crate::theme::Symbol;
use crate::view::View;

/// One row of the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) id: String,
    /// For each branch it is in, whether another one follows below.
    stem: Vec<bool>,
    /// The last of these branches begins here.
    begins: bool,
    pub(super) label: Option<String>,
    pub(super) text: String,
    pub(super) is_on_path: bool,
    /// How many rows are folded away below it.
    pub(super) hidden: usize,
    /// Whether something hangs below it.
    pub(super) has_children: bool,
}

impl Row {
    /// The lines in front of it.
    pub(super) fn stem(&self, view: &View<'_>) -> String {
        let mut stem = String::new();
        for (at, goes_on) in self.stem.iter().enumerate() {
            let is_own = self.begins && at + 1 == self.stem.len();
            let sign = match (is_own, goes_on) {
                (true, true) => Symbol::TreeBranch,
                (true, false) => Symbol::TreeLast,
                (false, true) => Symbol::TreeVertical,
                (false, false) => {
                    stem.push_str("   ");
                    continue;
                }
            };
            let sign = view.sign(sign);
            let blanks = 3_usize.saturating_sub(crate::text::width(sign)).max(1);
            stem.push_str(sign);
            stem.push_str(&" ".repeat(blanks));
        }
        stem
    }
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// The rows of these entries, which come in the order of the log: children are below their parent, oldest first. Several roots
/// are branches of one that is not shown. Only where a branch begins is there another step to the right.
pub(super) fn rows(entries: &[Value], folded: &HashSet<String>) -> Vec<Row> {
    let places: HashMap<&str, usize> =
        entries.iter().enumerate().filter_map(|(at, entry)| Some((entry.get("id")?.as_str()?, at))).collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); entries.len()];
    let mut roots = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let parent = entry.get("shownParentId").or_else(|| entry.get("parentId")).and_then(Value::as_str);
        // A parent is before its children; anything else would be a circle.
        match parent.and_then(|id| places.get(id)).filter(|parent| **parent < at) {
            Some(parent) => children.get_mut(*parent).into_iter().for_each(|list| list.push(at)),
            None => roots.push(at),
        }
    }
    let mut rows = Vec::new();
    let mut open = branches(&roots, &[]);
    while let Some((at, stem, begins)) = open.pop() {
        let Some(entry) = entries.get(at) else { continue };
        let below = children.get(at).map(Vec::as_slice).unwrap_or_default();
        let is_folded = folded.contains(&text(entry, "id"));
        let hidden = if is_folded { count(at, &children) } else { 0 };
        if !is_folded {
            open.extend(branches(below, &stem));
        }
        rows.push(Row { stem, begins, hidden, has_children: !below.is_empty(), ..row(entry) });
    }
    rows
}

/// What hangs below one place, last first, so that the first is taken from the end.
fn branches(below: &[usize], stem: &[bool]) -> Vec<(usize, Vec<bool>, bool)> {
    let forks = below.len() > 1;
    let place = |(number, at): (usize, &usize)| {
        let mut own = stem.to_vec();
        if forks {
            own.push(number + 1 < below.len());
        }
        (*at, own, forks)
    };
    below.iter().enumerate().rev().map(place).collect()
}

/// How many entries hang below one.
fn count(at: usize, children: &[Vec<usize>]) -> usize {
    let mut open = vec![at];
    let mut count = 0;
    while let Some(at) = open.pop() {
        let below = children.get(at).map(Vec::as_slice).unwrap_or_default();
        count += below.len();
        open.extend(below);
    }
    count
}

fn row(entry: &Value) -> Row {
    let role = match text(entry, "role") {
        role if role.is_empty() => text(entry, "type"),
        role => role,
    };
    let said = clean_line(&text(entry, "text")).into_owned();
    Row {
        id: text(entry, "id"),
        label: entry.get("label").and_then(Value::as_str).map(str::to_owned),
        text: if said.is_empty() { format!("{role} (no text)") } else { format!("{role}: {said}") },
        is_on_path: entry.get("isOnPath").and_then(Value::as_bool).unwrap_or_default(),
        ..Row::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::app::App;

    #[track_caller]
    fn check(entries: &[(&str, Option<&str>)], folded: &[&str], expected: &str) {
        let entries: Vec<Value> = entries
            .iter()
            .map(|(id, parent)| json!({ "id": id, "shownParentId": parent, "role": "user", "text": id }))
            .collect();
        let folded = folded.iter().map(|id| (*id).to_owned()).collect();
        let app = App::new(80, 24);
        let drawn: String = rows(&entries, &folded)
            .iter()
            .map(|row| {
                let more = if row.hidden > 0 { format!(" +{}", row.hidden) } else { String::new() };
                format!("{}{}{more}\n", row.stem(&app.view()), row.id)
            })
            .collect();
        assert_eq!(drawn, expected);
    }

    #[test]
    fn branches_step_to_the_right_and_straight_lines_do_not() {
        let tree = [
            ("a", None),
            ("b", Some("a")),
            ("c", Some("b")),
            ("d", Some("c")),
            ("e", Some("b")),
            ("f", Some("e")),
        ];
        check(&tree, &[], "a\nb\n├─ c\n│  d\n╰─ e\n   f\n");
    }

    #[test]
    fn several_roots_are_branches_and_folding_hides_what_is_below() {
        let tree = [("a", None), ("b", Some("a")), ("x", Some("lost")), ("y", Some("x"))];
        check(&tree, &["a"], "├─ a +1\n╰─ x\n   y\n");
        check(&[], &[], "");
    }
}
