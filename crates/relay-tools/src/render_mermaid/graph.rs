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
    ids: BTreeMap<String, usize>,
}

impl Graph {
    pub fn new(way: Way) -> Self {
        Self { way, nodes: Vec::new(), edges: Vec::new(), ids: BTreeMap::new() }
    }

    /// The box of an id, made with its id as text if it is new.
    pub fn node(&mut self, id: &str) -> Result<usize, String> {
        if let Some(at) = self.ids.get(id) {
            return Ok(*at);
        }
        if self.nodes.len() >= BOXES {
            return Err(format!("The diagram has more than {BOXES} boxes; draw a part of it."));
        }
        self.nodes.push(Node { parts: vec![vec![id.to_owned()]], round: false });
        self.ids.insert(id.to_owned(), self.nodes.len() - 1);
        Ok(self.nodes.len() - 1)
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
