//! The tree of a session's entries, as pure functions.

use std::collections::{HashMap, HashSet};

use super::body::Body;
use super::entry::Entry;
use super::labels::Labels;
use super::message::Message;

/// The tree of a log. It is flat, because a chain may be as long as the log.
#[derive(Clone, Debug)]
pub struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    roots: Vec<usize>,
}

/// An entry with what follows it. Other entries are named by their places in the log.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// Its name.
    pub label: Option<&'a str>,
    /// What follows it, oldest first.
    pub children: Vec<usize>,
}

impl<'a> Tree<'a> {
    /// The tree of a log.
    #[must_use]
    pub fn of(entries: &'a [Entry], labels: &'a Labels) -> Self {
        build(entries, labels)
    }

    /// The entries that follow none, oldest first.
    #[must_use]
    pub fn roots(&self) -> &[usize] {
        &self.roots
    }

    /// The entry at a place of the log.
    #[must_use]
    pub fn node(&self, place: usize) -> Option<&Node<'a>> {
        self.nodes.get(place)
    }

    /// Every entry with its depth, each followed by what follows it: the order in which a tree is drawn.
    #[must_use]
    pub fn in_order(&self) -> Vec<(usize, &Node<'a>)> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut waiting: Vec<(usize, usize)> = self.roots.iter().rev().map(|place| (0, *place)).collect();
        while let Some((depth, place)) = waiting.pop() {
            let Some(node) = self.nodes.get(place) else { continue };
            order.push((depth, node));
            waiting.extend(node.children.iter().rev().map(|child| (depth + 1, *child)));
        }
        order
    }
}

/// The entries from the root to `id`. A parent that is missing ends the walk, and so does one that was passed before: a
/// damaged file may have circles.
pub(crate) fn branch<'a>(id: &str, count: usize, find: impl Fn(&str) -> Option<&'a Entry>) -> Vec<&'a Entry> {
    let mut path = Vec::new();
    let mut next = find(id);
    // Without circles no path has more entries than there are.
    while let Some(entry) = next.filter(|_| path.len() < count) {
        path.push(entry);
        next = entry.parent_id().and_then(&find);
    }
    if next.is_some() {
        path.truncate(first_repeated(&path));
    }
    path.reverse();
    path
}

/// Where the first entry is that was passed before.
fn first_repeated(path: &[&Entry]) -> usize {
    let mut passed = HashSet::new();
    path.iter().position(|entry| !passed.insert(entry.id())).unwrap_or(path.len())
}

/// The tree of a log. An entry whose parent is missing is a root; children are in the order of their times, and equal times
/// in the order of the log. In a circle of a damaged file the first entry counts as a root.
fn build<'a>(entries: &'a [Entry], labels: &'a Labels) -> Tree<'a> {
    let places: HashMap<&str, usize> =
        entries.iter().enumerate().map(|(place, entry)| (entry.id(), place)).collect();
    let parent_of = |entry: &Entry| entry.parent_id().and_then(|id| places.get(id)).copied();
    let mut parents: Vec<Option<usize>> = entries.iter().map(parent_of).collect();
    cut_circles(&mut parents);
    let node = |entry: &'a Entry| Node { entry, label: labels.get(entry.id()), children: Vec::new() };
    let mut nodes: Vec<Node<'a>> = entries.iter().map(node).collect();
    let mut roots = Vec::new();
    for (place, parent) in parents.into_iter().enumerate() {
        match parent.and_then(|parent| nodes.get_mut(parent)) {
            Some(parent) => parent.children.push(place),
            None => roots.push(place),
        }
    }
    let time = |place: &usize| entries.get(*place).map(Entry::timestamp);
    roots.sort_by_key(time);
    for node in &mut nodes {
        node.children.sort_by_key(time);
    }
    Tree { nodes, roots }
}

/// Takes the parent from the first entry of every circle. Entries are added after their parents, so only a damaged file
/// has any, and only walks that meet an entry with a later parent can be in one.
fn cut_circles(parents: &mut [Option<usize>]) {
    // Which walk passed an entry first; zero for none.
    let mut passed = vec![0_usize; parents.len()];
    for start in 0..parents.len() {
        let walk = start + 1;
        let mut at = start;
        loop {
            match passed.get_mut(at) {
                Some(mark) if *mark == 0 => *mark = walk,
                Some(mark) if *mark == walk => {
                    cut_circle_at(parents, at);
                    break;
                }
                _ => break,
            }
            match parents.get(at).copied().flatten() {
                Some(parent) => at = parent,
                None => break,
            }
        }
    }
}

/// Takes the parent from the first entry of the circle that `at` is in.
fn cut_circle_at(parents: &mut [Option<usize>], at: usize) {
    let (mut first, mut next) = (at, parents.get(at).copied().flatten());
    while let Some(place) = next.filter(|place| *place != at) {
        first = first.min(place);
        next = parents.get(place).copied().flatten();
    }
    if let Some(parent) = parents.get_mut(first) {
        *parent = None;
    }
}

/// The text that selecting an entry puts into the editor: that of a message of the user or of an extension.
pub(crate) fn editable_text(entry: &Entry) -> Option<String> {
    match entry.body() {
        Body::Message(message) => match &**message {
            Message::User(message) => Some(message.content.text("\n")),
            _ => None,
        },
        Body::CustomMessage(message) => Some(message.content.text("\n")),
        _ => None,
    }
}
