//! The tree of a session's entries, by their places in the log.
//!
//! An entry follows one that was written before it. What names itself or a later entry as its parent is damaged or
//! malicious; it becomes a root, so that there are no cycles.

use std::collections::HashMap;

use crate::session::{Body, Entry};

/// The tree.
#[derive(Debug)]
pub(super) struct Tree {
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    roots: Vec<usize>,
    is_active: Vec<bool>,
    labels: HashMap<usize, String>,
}

impl Tree {
    pub(super) fn new(entries: &[Entry], leaf: Option<&str>) -> Self {
        let places: HashMap<&str, usize> =
            entries.iter().enumerate().map(|(at, entry)| (entry.id(), at)).collect();
        let parent = |(at, entry): (usize, &Entry)| {
            entry.parent_id().and_then(|id| places.get(id).copied()).filter(|parent| *parent < at)
        };
        let parents: Vec<Option<usize>> = entries.iter().enumerate().map(parent).collect();
        let (mut children, mut roots) = (vec![Vec::new(); entries.len()], Vec::new());
        for (at, parent) in parents.iter().enumerate() {
            match parent.and_then(|parent| children.get_mut(parent)) {
                Some(siblings) => siblings.push(at),
                None => roots.push(at),
            }
        }
        let mut labels = HashMap::new();
        for entry in entries {
            if let Body::Label(label) = entry.body()
                && let Some(target) = places.get(label.target_id.as_str())
            {
                match &label.label {
                    Some(name) => drop(labels.insert(*target, name.clone())),
                    None => drop(labels.remove(target)),
                }
            }
        }
        let mut is_active = vec![false; entries.len()];
        let mut at = leaf.and_then(|id| places.get(id).copied()).or_else(|| entries.len().checked_sub(1));
        while let Some(place) = at {
            if let Some(flag) = is_active.get_mut(place) {
                *flag = true;
            }
            at = parents.get(place).copied().flatten();
        }
        Self { parents, children, roots, is_active, labels }
    }

    /// The entry that this one follows.
    pub(super) fn parent(&self, at: usize) -> Option<usize> {
        self.parents.get(at).copied().flatten()
    }

    /// Whether the entry is on the current branch.
    pub(super) fn is_active(&self, at: usize) -> bool {
        self.is_active.get(at).copied().unwrap_or_default()
    }

    /// The entry's label.
    pub(super) fn label(&self, at: usize) -> Option<&str> {
        self.labels.get(&at).map(String::as_str)
    }

    /// The entries of the current branch, from the root.
    pub(super) fn active(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.is_active.len()).filter(|at| self.is_active(*at))
    }

    /// All entries with their depth: at a fork, branches that were left come first and one step further in; the current
    /// one, or else the latest, goes on at the same depth.
    pub(super) fn walk(&self) -> Vec<(usize, usize)> {
        let mut order = Vec::with_capacity(self.parents.len());
        let mut waiting = Vec::new();
        self.schedule(&self.roots, 0, &mut waiting);
        while let Some((at, depth)) = waiting.pop() {
            order.push((at, depth));
            if let Some(children) = self.children.get(at) {
                self.schedule(children, depth, &mut waiting);
            }
        }
        order
    }

    /// Puts siblings on the stack, so that the last one to be taken is the one that goes on.
    fn schedule(&self, siblings: &[usize], depth: usize, waiting: &mut Vec<(usize, usize)>) {
        let main =
            siblings.iter().copied().find(|at| self.is_active(*at)).or_else(|| siblings.last().copied());
        waiting.extend(main.map(|at| (at, depth)));
        let others = siblings.iter().rev().filter(|at| Some(**at) != main);
        waiting.extend(others.map(|at| (*at, depth + 1)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(tree: &[(&str, Option<&str>)]) -> Vec<Entry> {
        let body = || Body::from(crate::session::Message::user("x"));
        tree.iter().map(|(id, parent)| Entry::new(id, *parent, "T", body())).collect()
    }

    fn walk(tree: &[(&str, Option<&str>)], leaf: Option<&str>) -> String {
        let entries = entries(tree);
        let tree = Tree::new(&entries, leaf);
        let mark = |at: usize| if tree.is_active(at) { "*" } else { "" };
        let line = |(at, depth): (usize, usize)| format!("{}{}{depth}", entries[at].id(), mark(at));
        tree.walk().into_iter().map(line).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn branches_that_were_left_come_first_and_further_in() {
        let tree = [("a", None), ("b", Some("a")), ("c", Some("b")), ("d", Some("a")), ("e", Some("d"))];
        assert_eq!(walk(&tree, None), "a*0 b1 c1 d*0 e*0");
        assert_eq!(walk(&tree, Some("c")), "a*0 d1 e1 b*0 c*0");
        assert_eq!(walk(&tree, Some("unknown")), "a*0 b1 c1 d*0 e*0");
    }

    #[test]
    fn cycles_and_missing_parents_become_roots() {
        let tree = [("a", Some("a")), ("b", Some("c")), ("c", Some("b")), ("d", Some("gone"))];
        assert_eq!(walk(&tree, None), "a1 b1 c1 d*0");
        assert_eq!(walk(&[], None), "");
    }

    #[test]
    fn a_long_conversation_is_walked_without_recursion() {
        let ids: Vec<String> = (0..100_000).map(|number| number.to_string()).collect();
        let tree: Vec<(&str, Option<&str>)> = ids
            .iter()
            .enumerate()
            .map(|(at, id)| (id.as_str(), at.checked_sub(1).map(|before| ids[before].as_str())))
            .collect();
        assert_eq!(Tree::new(&entries(&tree), None).walk().len(), 100_000);
    }
}
