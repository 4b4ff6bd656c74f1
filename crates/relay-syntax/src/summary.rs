//! A file in short: its declarations, with the bodies of functions left out.
//!
//! A model that reads a file of a thousand lines needs to know what is in it before it needs any of it. Lines are either
//! shown as they are or left out whole, so that every shown line keeps its number and can be edited.

use tree_sitter::Node;

use crate::Language;
use crate::shape::Shape;

/// The largest text that is summarised.
pub const MAX_SUMMARY_BYTES: usize = 2 << 20;
/// The most lines that are summarised.
pub const MAX_SUMMARY_LINES: usize = 20_000;
/// From which level of nesting data is left out.
const DATA_LEVEL: usize = 3;
/// How deep a tree is followed.
const MAX_DEPTH: usize = 200;

/// What may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SummarySettings {
    /// Whether text for people is summarised too.
    pub prose: bool,
    /// How many lines a body must have to be left out.
    pub min_body_lines: usize,
    /// How many lines a comment must have to be left out.
    pub min_comment_lines: usize,
}

impl Default for SummarySettings {
    fn default() -> Self {
        Self { prose: false, min_body_lines: 4, min_comment_lines: 6 }
    }
}

/// A part of a summary. Line numbers are from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment {
    /// Lines that are shown.
    Shown {
        /// The first one.
        first: usize,
        /// The last one.
        last: usize,
    },
    /// Lines that are left out, shown as `...`.
    Elided {
        /// The first one.
        first: usize,
        /// The last one.
        last: usize,
    },
    /// Lines that are left out between a line that opens a bracket and one that only closes it: one line, `fn f() { ... }`.
    Folded {
        /// The line that opens.
        open: usize,
        /// The line that closes.
        close: usize,
    },
}

/// A file in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its parts, in order; together they are the whole file.
    pub segments: Vec<Segment>,
    /// How many lines the file has.
    pub lines: usize,
    /// How many lines are left out.
    pub elided_lines: usize,
    /// In how many places.
    pub elided_spans: usize,
}

impl Summary {
    /// The last line of a summary: how to get what was left out.
    #[must_use]
    pub fn footer(&self, path: &str) -> String {
        format!(
            "[{} lines across {} elided regions; read {path}:raw or a line range like {path}:1-9999 for verbatim content]",
            self.elided_lines, self.elided_spans
        )
    }

    /// The summary as text, each line with what `prefix` says of its number.
    #[must_use]
    pub fn text(&self, source: &str, prefix: impl Fn(usize, &str) -> String) -> String {
        let lines: Vec<&str> = source.lines().collect();
        let line = |number: usize| lines.get(number.wrapping_sub(1)).copied().unwrap_or_default();
        let mut text = String::new();
        for segment in &self.segments {
            match *segment {
                Segment::Shown { first, last } => {
                    for number in first..=last {
                        text.push_str(&format!("{}{}\n", prefix(number, line(number)), line(number)));
                    }
                }
                Segment::Elided { .. } => text.push_str("...\n"),
                Segment::Folded { open, close } => {
                    let opening = line(open);
                    text.push_str(&format!(
                        "{}{} ... {}\n",
                        prefix(open, opening),
                        opening.trim_end(),
                        line(close).trim()
                    ));
                }
            }
        }
        text
    }
}

/// Summarises a text; nothing if it is too large, if nothing can be left out, or if it is prose and that is not wanted.
#[must_use]
pub fn summarise(language: Language, text: &str, settings: &SummarySettings) -> Option<Summary> {
    if text.len() > MAX_SUMMARY_BYTES || (language.is_prose() && !settings.prose) {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() > MAX_SUMMARY_LINES {
        return None;
    }
    let tree = language.parse(text)?;
    let mut finder = Finder { text, settings, shape: language.shape(), spans: Vec::new(), comment: None };
    finder.node(tree.root_node(), 0, 0);
    finder.end_comment();
    if language == Language::Markdown {
        finder.sections(tree.root_node(), 0);
    }
    let spans = disjoint(finder.spans);
    if spans.is_empty() {
        return None;
    }
    let elided_lines = spans.iter().map(|(first, last)| last - first + 1).sum();
    Some(Summary {
        segments: segments(&spans, &lines),
        lines: lines.len(),
        elided_lines,
        elided_spans: spans.len(),
    })
}

/// Finds the lines that can be left out, as pairs of rows from 0.
struct Finder<'a> {
    text: &'a str,
    settings: &'a SummarySettings,
    shape: Shape,
    spans: Vec<(usize, usize)>,
    /// A run of comment lines.
    comment: Option<(usize, usize)>,
}

impl Finder<'_> {
    fn node(&mut self, node: Node<'_>, depth: usize, data_level: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let kind = node.kind();
        if self.shape.comments.contains(&kind) {
            self.comment_lines(node);
            return;
        }
        if self.shape.functions.contains(&kind)
            && let Some(body) = self.body(node)
            && self.leave_out(node, body)
        {
            return;
        }
        let mut level = data_level;
        if self.shape.data.contains(&kind) {
            level += 1;
            if level >= DATA_LEVEL && self.leave_out(node, node) {
                return;
            }
        }
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            self.node(child, depth + 1, level);
        }
    }

    fn body<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let by_kind = || {
            let mut cursor = node.walk();
            node.children(&mut cursor).find(|child| self.shape.bodies.contains(&child.kind()))
        };
        node.child_by_field_name("body").or_else(by_kind)
    }

    /// Leaves out the inner lines of a body; says whether it did.
    fn leave_out(&mut self, node: Node<'_>, body: Node<'_>) -> bool {
        // A body with a mistake in it may end anywhere.
        if body.has_error() {
            return false;
        }
        let inner = self.text.get(body.byte_range()).unwrap_or_default();
        let opens = inner.starts_with(['{', '[', '(']);
        let closes = inner.trim_end().ends_with(['}', ']', ')']) && opens;
        let first = if opens || body.start_position().row == node.start_position().row {
            body.start_position().row + 1
        } else {
            body.start_position().row
        };
        let end = body.start_position().row + inner.trim_end().matches('\n').count();
        let last = if closes { end.saturating_sub(1) } else { end };
        if last < first || last - first + 1 < self.settings.min_body_lines {
            return false;
        }
        self.spans.push((first, last));
        true
    }

    /// Joins comments on consecutive lines.
    fn comment_lines(&mut self, node: Node<'_>) {
        let inner = self.text.get(node.byte_range()).unwrap_or_default().trim_end();
        let first = node.start_position().row;
        let last = first + inner.matches('\n').count();
        match &mut self.comment {
            Some((_, end)) if *end + 1 == first => *end = last,
            _ => {
                self.end_comment();
                self.comment = Some((first, last));
            }
        }
    }

    /// The first line of a long comment says what it is about; the others are left out.
    fn end_comment(&mut self) {
        if let Some((first, last)) = self.comment.take()
            && last - first + 1 >= self.settings.min_comment_lines
        {
            self.spans.push((first + 1, last));
        }
    }

    /// Leaves out the text of sections below their headings.
    fn sections(&mut self, node: Node<'_>, depth: usize) {
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            if child.kind() == "section" && depth < MAX_DEPTH {
                self.sections(child, depth + 1);
            } else if node.kind() == "section" && !child.kind().contains("heading") {
                let first = child.start_position().row;
                let inner = self.text.get(child.byte_range()).unwrap_or_default().trim_end();
                let last = first + inner.matches('\n').count();
                if last - first + 1 >= self.settings.min_body_lines {
                    self.spans.push((first, last));
                }
            }
        }
    }
}

/// Sorted, with spans inside others or touching them joined.
fn disjoint(mut spans: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    spans.sort_unstable();
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (first, last) in spans {
        match joined.last_mut() {
            Some((_, end)) if first <= *end + 1 => *end = (*end).max(last),
            _ => joined.push((first, last)),
        }
    }
    joined
}

fn segments(spans: &[(usize, usize)], lines: &[&str]) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut next = 1;
    for (first, last) in spans.iter().map(|(first, last)| (first + 1, last + 1)) {
        let line = |number: usize| lines.get(number - 1).map_or("", |line| line.trim());
        let opens = first > next && line(first - 1).ends_with(['{', '[', '(']);
        let closer = line(last + 1).trim_end_matches([',', ';']);
        let folds = opens && last < lines.len() && matches!(closer, "}" | "]" | ")" | "})" | "))" | "];");
        let shown_to = if folds { first - 2 } else { first - 1 };
        if shown_to >= next {
            segments.push(Segment::Shown { first: next, last: shown_to });
        }
        if folds {
            segments.push(Segment::Folded { open: first - 1, close: last + 1 });
            next = last + 2;
        } else {
            segments.push(Segment::Elided { first, last });
            next = last + 1;
        }
    }
    if next <= lines.len() {
        segments.push(Segment::Shown { first: next, last: lines.len() });
    }
    segments
}
