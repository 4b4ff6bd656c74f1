//! Draws boxes and lines that have their places, whichever way the layers follow each other.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::canvas::Canvas;
use super::graph::{Edge, Way};
use super::layout::{Item, Plan, Segment};

/// Draws a graph that has its places.
pub(super) fn paint(plan: &Plan<'_>) -> Result<String, String> {
    let main_of = |layer: &Vec<usize>| {
        layer.iter().filter_map(|item| plan.items.get(*item)).map(|item| item.main).max().unwrap_or(1)
    };
    let gap = if plan.is_upright() { plan.style.padding_y } else { plan.style.padding_x };
    let mut starts = Vec::new();
    // The first frames have nothing above them, but a blank below.
    let mut main = match borders(plan, 0).0 {
        0 => 0,
        frames => frames + 1,
    };
    for (number, (layer, channel)) in plan.layers.iter().zip(&plan.channels).enumerate() {
        let deep = main_of(layer);
        starts.push((main, deep));
        // A way out, the bends, the frames that end, the labels, the frames that begin, and the head.
        let frames = borders(plan, number).1 + borders(plan, number + 1).0;
        main += deep + gap.max(channel.tracks + channel.labels + 2) + frames;
    }
    let after = match borders(plan, plan.layers.len().saturating_sub(1)).1 {
        0 => 0,
        frames => frames + 1,
    };
    let total = starts.last().map_or(0, |(start, deep)| start + deep) + after;
    let frames = plan.frames.iter().map(|frame| frame.cross.1 + 1);
    let cross = plan.items.iter().map(|item| item.at + item.cross).chain(frames).max().unwrap_or(0);
    // Labels may stick out on both sides.
    let margin = plan.graph.edges.iter().map(|edge| edge.label.width()).max().unwrap_or(0) / 2 + 1;
    let (width, height) = match plan.is_upright() {
        true => (cross + 2 * margin, total),
        false => (total, cross + 2),
    };
    let painter = Painter { plan, starts, total, margin };
    let mut canvas = Canvas::new(width + 1, height + 1, plan.style.ascii)?;
    painter.frames(&mut canvas);
    painter.lines(&mut canvas);
    painter.boxes(&mut canvas);
    painter.words(&mut canvas);
    Ok(canvas.finish())
}

/// How many frames begin before a layer, one inside the other, and how many end after it.
fn borders(plan: &Plan<'_>, layer: usize) -> (usize, usize) {
    let before = plan.frames.iter().filter(|frame| frame.layers.0 == layer).map(|frame| frame.inside.0 + 1);
    let after = plan.frames.iter().filter(|frame| frame.layers.1 == layer).map(|frame| frame.inside.1 + 1);
    (before.max().unwrap_or(0), after.max().unwrap_or(0))
}

/// Knows which way main is.
struct Painter<'p, 'g> {
    plan: &'p Plan<'g>,
    /// Where each layer begins on the main axis, and how deep it is.
    starts: Vec<(usize, usize)>,
    total: usize,
    margin: usize,
}

impl Painter<'_, '_> {
    fn point(&self, cross: usize, main: usize) -> (usize, usize) {
        let back = self.total.saturating_sub(main + 1);
        match self.plan.graph.way {
            Way::Down => (cross + self.margin, main),
            Way::Up => (cross + self.margin, back),
            Way::Right => (main, cross),
            Way::Left => (back, cross),
        }
    }

    /// Where an item begins and ends on the main axis.
    fn span(&self, item: &Item) -> (usize, usize) {
        let (start, deep) = self.starts.get(item.layer).copied().unwrap_or((0, 1));
        // A line passes through the whole layer.
        if item.node.is_none() {
            return (start, start + deep - 1);
        }
        let begin = start + (deep - item.main.min(deep)) / 2;
        (begin, begin + item.main - 1)
    }

    /// The frames of groups, each with its title on its upper side.
    fn frames(&self, canvas: &mut Canvas) {
        for frame in &self.plan.frames {
            let (first, last) = frame.layers;
            let start = self.starts.get(first).map_or(0, |(start, _)| *start);
            let (end, deep) = self.starts.get(last).copied().unwrap_or((0, 1));
            let tracks = self.plan.channels.get(last).map_or(0, |channel| channel.tracks.max(1));
            let begin = start.saturating_sub(2 + frame.inside.0);
            let stop = end + deep + tracks + frame.inside.1;
            let (a, b) = (self.point(frame.cross.0, begin), self.point(frame.cross.1, stop));
            let corner = (a.0.min(b.0), a.1.min(b.1));
            let size = (a.0.abs_diff(b.0) + 1, a.1.abs_diff(b.1) + 1);
            canvas.frame(corner, size, false);
            let title = self.plan.graph.groups.get(frame.group).map_or("", |group| group.title.as_str());
            let room = size.0.saturating_sub(4);
            let mut used = 0;
            let shown: String = title
                .chars()
                .take_while(|c| {
                    used += c.width().unwrap_or(0);
                    used <= room
                })
                .collect();
            if !shown.is_empty() {
                canvas.text(corner.0 + 1, corner.1, &format!(" {shown} "));
            }
        }
    }

    fn lines(&self, canvas: &mut Canvas) {
        for item in self.plan.items.iter().filter(|item| item.node.is_none()) {
            let (begin, end) = self.span(item);
            let dotted = self.plan.segments.iter().any(|segment| {
                std::ptr::eq(self.item(segment.to), item)
                    && self.edge(segment).is_some_and(|edge| edge.dotted)
            });
            canvas.line(self.point(item.at, begin), self.point(item.at, end), dotted);
        }
        for segment in &self.plan.segments {
            let dotted = self.edge(segment).is_some_and(|edge| edge.dotted);
            let (_, begin) = self.span(self.item(segment.from));
            let (end, _) = self.span(self.item(segment.to));
            let (from, to) = segment.ports;
            let (start, deep) = self.starts.get(self.item(segment.from).layer).copied().unwrap_or((0, 1));
            let bend = start + deep + segment.track;
            let head = self.has_head(segment, true);
            let last = if head { end.saturating_sub(1) } else { end };
            if from == to {
                canvas.line(self.point(from, begin), self.point(to, last), dotted);
                continue;
            }
            canvas.line(self.point(from, begin), self.point(from, bend), dotted);
            canvas.line(self.point(from, bend), self.point(to, bend), dotted);
            canvas.line(self.point(to, bend), self.point(to, last), dotted);
        }
    }

    fn item(&self, index: usize) -> &Item {
        // Every segment was made from items that are there.
        static NOTHING: Item = Item { node: None, layer: 0, cross: 1, main: 1, at: 0, band: None };
        self.plan.items.get(index).unwrap_or(&NOTHING)
    }

    fn edge(&self, segment: &Segment) -> Option<&Edge> {
        self.plan.graph.edges.get(segment.edge)
    }

    /// Whether a line has a head at its end, or at its beginning, as it is drawn.
    fn has_head(&self, segment: &Segment, at_end: bool) -> bool {
        let turned = self.plan.reversed.get(segment.edge).copied().unwrap_or(false);
        let heads = self.edge(segment).map_or((false, false), |edge| edge.heads);
        let (end, beginning) = if turned { (heads.1, heads.0) } else { heads };
        if at_end { segment.is_last && end } else { segment.is_first && beginning }
    }

    fn boxes(&self, canvas: &mut Canvas) {
        for item in &self.plan.items {
            let Some(node) = item.node.and_then(|node| self.plan.graph.nodes.get(node)) else { continue };
            let (begin, end) = self.span(item);
            let (a, b) = (self.point(item.at, begin), self.point(item.at + item.cross - 1, end));
            let corner = (a.0.min(b.0), a.1.min(b.1));
            let size = (a.0.abs_diff(b.0) + 1, a.1.abs_diff(b.1) + 1);
            canvas.frame(corner, size, node.round);
            let mut y = corner.1 + 1;
            for (number, part) in node.parts.iter().enumerate() {
                if number > 0 {
                    canvas.line((corner.0, y), (corner.0 + size.0 - 1, y), false);
                    y += 1;
                }
                for line in part {
                    let inside = size.0 - 2;
                    // Members are listed, names are in the middle.
                    let indent = if number == 0 {
                        inside.saturating_sub(line.width()) / 2
                    } else {
                        self.plan.style.inner
                    };
                    canvas.text(corner.0 + 1 + indent, y, line);
                    y += 1;
                }
                y += usize::from(part.is_empty());
            }
        }
    }

    fn words(&self, canvas: &mut Canvas) {
        let heads = match (self.plan.graph.way, self.plan.style.ascii) {
            (Way::Down, false) => ["▼", "▲"],
            (Way::Up, false) => ["▲", "▼"],
            (Way::Right, false) => ["►", "◄"],
            (Way::Left, false) => ["◄", "►"],
            (Way::Down, true) => ["v", "^"],
            (Way::Up, true) => ["^", "v"],
            (Way::Right, true) => [">", "<"],
            (Way::Left, true) => ["<", ">"],
        };
        for segment in &self.plan.segments {
            let [end_head, begin_head] = heads;
            let (_, begin) = self.span(self.item(segment.from));
            let (end, _) = self.span(self.item(segment.to));
            self.label(canvas, segment);
            if self.has_head(segment, true) {
                let (x, y) = self.point(segment.ports.1, end.saturating_sub(1));
                canvas.text(x, y, end_head);
            }
            if self.has_head(segment, false) {
                let (x, y) = self.point(segment.ports.0, begin + 1);
                canvas.text(x, y, begin_head);
            }
        }
    }

    fn label(&self, canvas: &mut Canvas, segment: &Segment) {
        let Some(edge) = self.edge(segment).filter(|edge| segment.is_last && !edge.label.is_empty()) else {
            return;
        };
        let (start, deep) = self.starts.get(self.item(segment.from).layer).copied().unwrap_or((0, 1));
        let tracks =
            self.plan.channels.get(self.item(segment.from).layer).map_or(0, |channel| channel.tracks);
        let frames = borders(self.plan, self.item(segment.from).layer).1;
        let first = start + deep + tracks.max(1) + frames;
        let words = edge.label.width();
        let to = segment.ports.1;
        match self.plan.is_upright() {
            true => {
                let (x, y) = self.point(to, first + segment.slot);
                canvas.text(x.saturating_sub(words / 2), y, &edge.label);
            }
            false => {
                let main = first + segment.slot * (words + 1);
                let (a, b) = (self.point(to, main), self.point(to, main + words.saturating_sub(1)));
                canvas.text(a.0.min(b.0), a.1, &edge.label);
            }
        }
    }
}
