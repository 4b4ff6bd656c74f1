//! Boxes and the lines between them, before anything has a place.

use std::collections::BTreeMap;

/// How many boxes and lines are drawn at most.
const BOXES: usize = 200;
const EDGES: usize = 400;

/// Which way layers follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Way {
    Down,
    Up,
    Right,
    Left,
}

impl Way {
    /// `TD`, `LR` and the like.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "TD" | "TB" => Self::Down,
            "BT" => Self::Up,
            "LR" => Self::Right,
            "RL" => Self::Left,
            _ => return None,
        })
    }
}

/// A box: its lines, in compartments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Texts, each compartment below a line.
    pub parts: Vec<Vec<String>>,
    /// Whether its corners are round.
    pub round: bool,
    /// The group it belongs to, as an index.
    pub group: Option<usize>,
}

/// Boxes with a frame around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What lines name it by.
    pub id: String,
    /// What is written on the frame.
    pub title: String,
    /// The group it is in.
    pub parent: Option<usize>,
}

/// A line between two boxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// From and to, as indices of boxes.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// What is written on it.
    pub label: String,
    /// Whether it has a head at its end, and at its beginning.
    pub heads: (bool, bool),
    /// Whether it is dotted.
    pub dotted: bool,
}

/// Boxes and lines.
#[derive(Clone, Debug)]
pub struct Graph {
    /// Which way layers follow each other.
    pub way: Way,
    /// The boxes.
    pub nodes: Vec<Node>,
    /// The lines.
    pub edges: Vec<Edge>,
    /// The groups; one that is inside another comes after it.
    pub groups: Vec<Group>,
    /// The group whose boxes are being read.
    pub open: Option<usize>,
    ids: BTreeMap<String, usize>,
}

impl Graph {
    pub fn new(way: Way) -> Self {
        Self {
            way,
            nodes: Vec::new(),
            edges: Vec::new(),
            groups: Vec::new(),
            open: None,
            ids: BTreeMap::new(),
        }
    }

    /// The box of an id, made with its id as text if it is new.
    pub fn node(&mut self, id: &str) -> Result<usize, String> {
        if let Some(at) = self.ids.get(id) {
            // A box belongs to the first group that names it.
            if let Some(node) = self.nodes.get_mut(*at) {
                node.group = node.group.or(self.open);
            }
            return Ok(*at);
        }
        // A line to a group leads to its first box.
        let group = self.groups.iter().position(|group| group.id == id);
        let is_in = |node: &Node| group.is_some() && self.ancestors(node.group).any(|at| Some(at) == group);
        if let Some(first) = self.nodes.iter().position(is_in) {
            return Ok(first);
        }
        if self.nodes.len() >= BOXES {
            return Err(format!("The diagram has more than {BOXES} boxes; draw a part of it."));
        }
        self.nodes.push(Node { parts: vec![vec![id.to_owned()]], round: false, group: self.open });
        self.ids.insert(id.to_owned(), self.nodes.len() - 1);
        Ok(self.nodes.len() - 1)
    }

    /// A group and those it is in, innermost first.
    pub fn ancestors(&self, group: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(group, |at| self.groups.get(*at)?.parent)
    }

    /// Begins a group: `id [Title]`, or a title alone.
    pub fn begin_group(&mut self, written: &str) -> Result<(), String> {
        if self.groups.len() >= BOXES {
            return Err(format!("The diagram has more than {BOXES} groups; draw a part of it."));
        }
        let written = written.trim();
        let (id, title) = match written.split_once('[') {
            Some((id, title)) => (id.trim(), title.trim_end().trim_end_matches(']')),
            None => (written, written),
        };
        let title = label(title).join(" ");
        self.groups.push(Group { id: id.trim_matches('"').to_owned(), title, parent: self.open });
        self.open = Some(self.groups.len() - 1);
        Ok(())
    }

    /// Ends the group that was begun last; whether there was one.
    pub fn end_group(&mut self) -> bool {
        let Some(group) = self.open else { return false };
        self.open = self.groups.get(group).and_then(|group| group.parent);
        true
    }

    /// The box at an index.
    pub fn at(&mut self, index: usize) -> Option<&mut Node> {
        self.nodes.get_mut(index)
    }

    pub fn connect(&mut self, edge: Edge) -> Result<(), String> {
        if self.edges.len() >= EDGES {
            return Err(format!("The diagram has more than {EDGES} lines; draw a part of it."));
        }
        self.edges.push(edge);
        Ok(())
    }
}

/// A text as it is shown: without quotes, with its line breaks.
pub fn label(text: &str) -> Vec<String> {
    let text = text.trim().trim_matches('"').trim_matches('`');
    let text = text.replace("<br/>", "\n").replace("<br>", "\n").replace("<br />", "\n").replace("\\n", "\n");
    text.lines().map(|line| line.trim().to_owned()).collect()
}
