//! Boxes in layers: a line leads from one layer to the next, so that a drawing reads in one direction.
//!
//! Everything is placed along two axes, *main* (from layer to layer) and *cross* (within a layer); only the very last
//! step knows whether main is down, up, right or left. The steps are the usual ones: turn around lines that make a
//! circle, give every box a layer, order each layer so that few lines cross, then give places.

use unicode_width::UnicodeWidthStr;

use super::canvas::Style;
use super::graph::{Edge, Graph, Node, Way};
use super::paint;
use super::spread::{Frame, shared_band};

/// How often the order within layers is improved.
pub(super) const SWEEPS: usize = 6;

/// A box, or a place where a long line passes through a layer.
pub(super) struct Item {
    pub(super) node: Option<usize>,
    pub(super) layer: usize,
    /// Size along the axes.
    pub(super) cross: usize,
    pub(super) main: usize,
    /// Where it begins on the cross axis.
    pub(super) at: usize,
    /// The group whose band it is in.
    pub(super) band: Option<usize>,
}

impl Item {
    pub(super) fn center(&self) -> usize {
        self.at + self.cross / 2
    }
}

/// A line between neighbouring layers.
pub(super) struct Segment {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) edge: usize,
    pub(super) is_first: bool,
    pub(super) is_last: bool,
    /// Where it leaves and arrives on the cross axis.
    pub(super) ports: (usize, usize),
    /// Its place in the channel: the row of its bend, and that of its label.
    pub(super) track: usize,
    pub(super) slot: usize,
}

/// Spans on the cross axis that are taken, row by row.
type Rows = Vec<Vec<(usize, usize)>>;

/// The space between two layers.
#[derive(Clone, Copy, Default)]
pub(super) struct Channel {
    pub(super) tracks: usize,
    pub(super) labels: usize,
}

/// A graph that is being placed.
pub(super) struct Plan<'g> {
    pub(super) graph: &'g Graph,
    pub(super) style: Style,
    pub(super) items: Vec<Item>,
    pub(super) layers: Vec<Vec<usize>>,
    pub(super) segments: Vec<Segment>,
    /// Which lines were turned around.
    pub(super) reversed: Vec<bool>,
    pub(super) channels: Vec<Channel>,
    /// The frames of groups; one that is inside another comes before it.
    pub(super) frames: Vec<Frame>,
}

/// Draws a graph.
pub fn draw(graph: &Graph, style: Style) -> Result<String, String> {
    let mut graph = graph.clone();
    loops_into_boxes(&mut graph);
    let mut plan = Plan::new(&graph, style);
    plan.order();
    plan.spread();
    plan.ports();
    plan.tracks();
    paint::paint(&plan)
}

/// A line from a box to itself becomes a remark in it.
fn loops_into_boxes(graph: &mut Graph) {
    let loops: Vec<Edge> = graph.edges.iter().filter(|edge| edge.from == edge.to).cloned().collect();
    graph.edges.retain(|edge| edge.from != edge.to);
    for edge in loops {
        let remark = format!("↺ {}", edge.label).trim().to_owned();
        if let Some(part) = graph.at(edge.from).and_then(|node| node.parts.last_mut()) {
            part.push(remark);
        }
    }
}

/// Width and height of a box.
fn size(node: &Node, style: Style) -> (usize, usize) {
    let lines = node.parts.iter().flatten();
    let width = lines.map(|line| line.width()).max().unwrap_or(0);
    let height: usize = node.parts.iter().map(|part| part.len().max(1)).sum();
    (width.max(1) + 2 * style.inner + 2, height + node.parts.len().max(1) + 1)
}

impl<'g> Plan<'g> {
    fn new(graph: &'g Graph, style: Style) -> Self {
        let reversed = reversed(graph);
        let ends =
            |edge: &Edge, turned: bool| if turned { (edge.to, edge.from) } else { (edge.from, edge.to) };
        let layers_of = layers(graph, &reversed);
        let is_upright = matches!(graph.way, Way::Down | Way::Up);
        let mut items: Vec<Item> = Vec::new();
        for (index, node) in graph.nodes.iter().enumerate() {
            let (width, height) = size(node, style);
            let (cross, main) = if is_upright { (width, height) } else { (height, width) };
            let layer = layers_of.get(index).copied().unwrap_or(0);
            items.push(Item { node: Some(index), layer, cross, main, at: 0, band: node.group });
        }
        let mut segments = Vec::new();
        for (index, edge) in graph.edges.iter().enumerate() {
            let turned = reversed.get(index).copied().unwrap_or(false);
            let (from, to) = ends(edge, turned);
            let layer = |node: usize| layers_of.get(node).copied().unwrap_or(0);
            let mut before = from;
            let band = shared_band(graph, from, to);
            for between in layer(from) + 1..layer(to) {
                items.push(Item { node: None, layer: between, cross: 1, main: 1, at: 0, band });
                let here = items.len() - 1;
                segments.push(segment(before, here, index, before == from, false));
                before = here;
            }
            segments.push(segment(before, to, index, before == from, true));
        }
        let count = items.iter().map(|item| item.layer + 1).max().unwrap_or(0);
        let mut layers = vec![Vec::new(); count];
        for (index, item) in items.iter().enumerate() {
            if let Some(layer) = layers.get_mut(item.layer) {
                layer.push(index);
            }
        }
        let channels = vec![Channel::default(); count];
        Self { graph, style, items, layers, segments, reversed, channels, frames: Vec::new() }
    }

    pub(super) fn is_upright(&self) -> bool {
        matches!(self.graph.way, Way::Down | Way::Up)
    }

    /// Neighbours of an item in the layer before it, or after it.
    pub(super) fn neighbours(&self, item: usize, above: bool) -> Vec<usize> {
        let pick = |segment: &Segment| match above {
            true => (segment.to == item).then_some(segment.from),
            false => (segment.from == item).then_some(segment.to),
        };
        self.segments.iter().filter_map(pick).collect()
    }

    /// Orders each layer by where its neighbours are.
    fn order(&mut self) {
        for sweep in 0..SWEEPS {
            let above = sweep % 2 == 0;
            let mut place = vec![0usize; self.items.len()];
            for layer in &self.layers {
                for (at, item) in layer.iter().enumerate() {
                    if let Some(place) = place.get_mut(*item) {
                        *place = at;
                    }
                }
            }
            let order: Vec<usize> = match above {
                true => (0..self.layers.len()).collect(),
                false => (0..self.layers.len()).rev().collect(),
            };
            for layer in order {
                let items = self.layers.get(layer).cloned().unwrap_or_default();
                let mut keyed: Vec<(f64, usize)> = items
                    .iter()
                    .map(|item| {
                        let near = self.neighbours(*item, above);
                        let own = place.get(*item).copied().unwrap_or(0);
                        let sum: usize = near.iter().filter_map(|other| place.get(*other)).sum();
                        let key = if near.is_empty() { own as f64 } else { sum as f64 / near.len() as f64 };
                        (key, *item)
                    })
                    .collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                let ordered: Vec<usize> = keyed.into_iter().map(|(_, item)| item).collect();
                for (at, item) in ordered.iter().enumerate() {
                    if let Some(place) = place.get_mut(*item) {
                        *place = at;
                    }
                }
                if let Some(kept) = self.layers.get_mut(layer) {
                    *kept = ordered;
                }
            }
        }
    }

    /// Spreads the lines of a box over its side.
    fn ports(&mut self) {
        for index in 0..self.items.len() {
            for outgoing in [true, false] {
                let mut lines: Vec<(usize, usize)> = self
                    .segments
                    .iter()
                    .enumerate()
                    .filter(|(_, segment)| if outgoing { segment.from == index } else { segment.to == index })
                    .map(|(at, segment)| {
                        let other = if outgoing { segment.to } else { segment.from };
                        (self.items.get(other).map_or(0, Item::center), at)
                    })
                    .collect();
                lines.sort_unstable();
                let count = lines.len();
                let (at, cross) = self.items.get(index).map_or((0, 1), |item| (item.at, item.cross));
                for (number, (_, segment)) in lines.into_iter().enumerate() {
                    let inside = cross.saturating_sub(2);
                    let port = match (cross, inside) {
                        (1, _) => at,
                        (_, 0) => at + cross / 2,
                        _ if count == 1 => at + cross / 2,
                        _ => at + 1 + (inside * (2 * number + 1) / (2 * count)).min(inside - 1),
                    };
                    if let Some(segment) = self.segments.get_mut(segment) {
                        if outgoing {
                            segment.ports.0 = port;
                        } else {
                            segment.ports.1 = port;
                        }
                    }
                }
            }
        }
    }

    /// Gives bends and labels rows of their own where they would touch.
    fn tracks(&mut self) {
        let is_upright = self.is_upright();
        for layer in 0..self.layers.len() {
            let layer_of = |segment: &Segment| self.items.get(segment.from).map_or(0, |item| item.layer);
            let here: Vec<usize> = (0..self.segments.len())
                .filter(|at| self.segments.get(*at).is_some_and(|s| layer_of(s) == layer))
                .collect();
            let (mut bends, mut labels) = (Rows::new(), Rows::new());
            let mut widest = 0;
            let mut ordered = here;
            ordered.sort_by_key(|at| self.segments.get(*at).map(|s| s.ports.0.abs_diff(s.ports.1)));
            for at in ordered {
                let Some(segment) = self.segments.get_mut(at) else { continue };
                let (from, to) = segment.ports;
                if from != to {
                    segment.track = first_free(&mut bends, (from.min(to), from.max(to)));
                }
                let words = self.graph.edges.get(segment.edge).map_or(0, |edge| edge.label.width());
                if segment.is_last && words > 0 {
                    let span = if is_upright {
                        (to.saturating_sub(words / 2 + 1), to + words / 2 + 1)
                    } else {
                        (to, to)
                    };
                    segment.slot = first_free(&mut labels, span);
                    widest = widest.max(words);
                }
            }
            let room = if is_upright { labels.len() } else { labels.len() * (widest + 1) };
            if let Some(channel) = self.channels.get_mut(layer) {
                *channel = Channel { tracks: bends.len(), labels: room };
            }
        }
    }
}

fn segment(from: usize, to: usize, edge: usize, is_first: bool, is_last: bool) -> Segment {
    Segment { from, to, edge, is_first, is_last, ports: (0, 0), track: 0, slot: 0 }
}

/// The first row in which nothing touches a span.
fn first_free(rows: &mut Rows, span: (usize, usize)) -> usize {
    let is_free = |row: &Vec<(usize, usize)>| row.iter().all(|(from, to)| span.1 < *from || span.0 > *to);
    let at = rows.iter().position(is_free).unwrap_or(rows.len());
    if at == rows.len() {
        rows.push(Vec::new());
    }
    if let Some(row) = rows.get_mut(at) {
        row.push(span);
    }
    at
}

/// Lines that lead back to a box they come from are turned around.
fn reversed(graph: &Graph) -> Vec<bool> {
    let mut turned = vec![false; graph.edges.len()];
    // 0 new, 1 on the way, 2 done.
    let mut state = vec![0u8; graph.nodes.len()];
    for start in 0..graph.nodes.len() {
        let mut way: Vec<(usize, usize)> = vec![(start, 0)];
        if state.get(start) != Some(&0) {
            continue;
        }
        if let Some(state) = state.get_mut(start) {
            *state = 1;
        }
        while let Some((node, next)) = way.pop() {
            let Some((index, edge)) =
                graph.edges.iter().enumerate().skip(next).find(|(_, edge)| edge.from == node)
            else {
                if let Some(state) = state.get_mut(node) {
                    *state = 2;
                }
                continue;
            };
            way.push((node, index + 1));
            match state.get(edge.to) {
                Some(1) => turned.get_mut(index).into_iter().for_each(|turned| *turned = true),
                Some(0) => {
                    if let Some(state) = state.get_mut(edge.to) {
                        *state = 1;
                    }
                    way.push((edge.to, 0));
                }
                _ => {}
            }
        }
    }
    turned
}

/// The layer of each box: one more than the deepest of those that lead to it.
fn layers(graph: &Graph, reversed: &[bool]) -> Vec<usize> {
    let mut layers = vec![0usize; graph.nodes.len()];
    for _ in 0..graph.nodes.len() {
        let mut moved = false;
        for (edge, turned) in graph.edges.iter().zip(reversed) {
            let (from, to) = if *turned { (edge.to, edge.from) } else { (edge.from, edge.to) };
            let least = layers.get(from).copied().unwrap_or(0) + 1;
            if let Some(layer) = layers.get_mut(to).filter(|layer| **layer < least) {
                *layer = least;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    layers
}
