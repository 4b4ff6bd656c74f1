//! Places across the layers. Every group has a band of its own, so that frames never overlap and no other box is inside one.

use unicode_width::UnicodeWidthStr;

use super::graph::Graph;
use super::layout::{Item, Plan, SWEEPS};

/// A frame around the boxes of a group.
pub(super) struct Frame {
    pub(super) group: usize,
    /// Where its two sides are on the cross axis.
    pub(super) cross: (usize, usize),
    /// The first and the last layer in it.
    pub(super) layers: (usize, usize),
    /// How many frames are between its borders and the boxes, before the first layer and after the last.
    pub(super) inside: (usize, usize),
}

/// The innermost group that two boxes share.
pub(super) fn shared_band(graph: &Graph, from: usize, to: usize) -> Option<usize> {
    let group = |node: usize| graph.nodes.get(node).and_then(|node| node.group);
    let others: Vec<usize> = graph.ancestors(group(to)).collect();
    graph.ancestors(group(from)).find(|at| others.contains(at))
}

impl Plan<'_> {
    /// Gives places on the cross axis, band by band.
    pub(super) fn spread(&mut self) {
        self.band(None, 0);
    }

    /// Places the boxes of a group and the groups in it from `start` on; where they end.
    fn band(&mut self, group: Option<usize>, start: usize) -> usize {
        let (gap, margin) = match self.is_upright() {
            true => (self.style.padding_x, 2),
            false => (self.style.padding_y.min(2), 1),
        };
        let mut end = start;
        if self.items.iter().any(|item| item.band == group) {
            self.spread_band(group, gap);
            let own = |item: &&mut Item| item.band == group;
            let least =
                self.items.iter().filter(|item| item.band == group).map(|item| item.at).min().unwrap_or(0);
            for item in self.items.iter_mut().filter(own) {
                item.at = item.at - least + start;
                end = end.max(item.at + item.cross);
            }
        }
        for child in 0..self.graph.groups.len() {
            if self.graph.groups.get(child).is_none_or(|inner| inner.parent != group) {
                continue;
            }
            let Some(layers) = self.layers_of(child) else { continue };
            let side = if end > start { end + gap } else { end };
            let inner_end = self.band(Some(child), side + margin);
            let words = self.graph.groups.get(child).map_or(0, |group| group.title.width());
            let least = if self.is_upright() { side + margin + words } else { 0 };
            let other_side = inner_end.max(least) + margin - 1;
            let inside = self.inside(child, layers);
            self.frames.push(Frame { group: child, cross: (side, other_side), layers, inside });
            end = other_side + 1;
        }
        end
    }

    /// The first and the last layer with a box of a group; nothing if it has none.
    fn layers_of(&self, group: usize) -> Option<(usize, usize)> {
        let is_in = |item: &&Item| self.graph.ancestors(item.band).any(|at| at == group);
        let layers =
            || self.items.iter().filter(is_in).filter(|item| item.node.is_some()).map(|item| item.layer);
        Some((layers().min()?, layers().max()?))
    }

    /// How many frames inside a group begin where it does, and end where it does.
    fn inside(&self, group: usize, (first, last): (usize, usize)) -> (usize, usize) {
        let parent = |frame: &&Frame| {
            self.graph.groups.get(frame.group).is_some_and(|inner| inner.parent == Some(group))
        };
        let inner = || self.frames.iter().filter(parent);
        let before = inner().filter(|frame| frame.layers.0 == first).map(|frame| frame.inside.0 + 1).max();
        let after = inner().filter(|frame| frame.layers.1 == last).map(|frame| frame.inside.1 + 1).max();
        (before.unwrap_or(0), after.unwrap_or(0))
    }

    /// Each as near to its neighbours as the layer allows.
    fn spread_band(&mut self, band: Option<usize>, gap: usize) {
        for sweep in 0..SWEEPS {
            let above = sweep % 2 == 0;
            let order: Vec<usize> = match above {
                true => (0..self.layers.len()).collect(),
                false => (0..self.layers.len()).rev().collect(),
            };
            for layer in order {
                self.spread_layer((layer, band), above, gap, sweep == 0);
            }
        }
    }

    /// The mean of the leftmost and the rightmost placement that has no overlap has none either.
    fn spread_layer(
        &mut self,
        (layer, band): (usize, Option<usize>),
        above: bool,
        gap: usize,
        is_first: bool,
    ) {
        // Room to the left, so that boxes can move there.
        const MARGIN: usize = 10_000;
        let in_band = |item: &usize| self.items.get(*item).is_some_and(|item| item.band == band);
        let items: Vec<usize> =
            self.layers.get(layer).into_iter().flatten().copied().filter(in_band).collect();
        let wanted: Vec<usize> = items
            .iter()
            .map(|item| {
                let mut near = self.neighbours(*item, above);
                near.retain(in_band);
                let sum: usize =
                    near.iter().filter_map(|other| self.items.get(*other)).map(Item::center).sum();
                let (at, cross) = self.items.get(*item).map_or((0, 1), |item| (item.at, item.cross));
                match near.len() {
                    0 if is_first => MARGIN,
                    0 => at,
                    count => (sum / count).saturating_sub(cross / 2),
                }
            })
            .collect();
        let cross: Vec<usize> =
            items.iter().filter_map(|item| self.items.get(*item)).map(|item| item.cross).collect();
        let mut left = Vec::with_capacity(items.len());
        let mut end = 0;
        for (wanted, cross) in wanted.iter().zip(&cross) {
            let at = (*wanted).max(end);
            left.push(at);
            end = at + cross + gap;
        }
        let mut right = vec![0; items.len()];
        let mut begin = usize::MAX / 2;
        for (slot, (wanted, cross)) in right.iter_mut().zip(wanted.iter().zip(&cross)).rev() {
            *slot = (*wanted).min(begin.saturating_sub(cross + gap));
            begin = *slot;
        }
        for (item, (left, right)) in items.iter().zip(left.into_iter().zip(right)) {
            if let Some(item) = self.items.get_mut(*item) {
                item.at = usize::midpoint(left, right);
            }
        }
    }
}
