//! Mermaid diagrams as drawings of characters.
//!
//! Flowcharts, states, classes and entities are all one thing, a `Graph` of boxes and lines that `layout` puts into layers;
//! sequence diagrams have their own shape. `canvas` joins lines where they meet.

mod boxes;
mod canvas;
mod flow;
mod graph;
mod layout;
mod paint;
mod sequence;
mod spread;
mod state;

pub use canvas::Style;

/// The longest diagram that is drawn.
const SOURCE_BYTES: usize = 64 << 10;

/// Draws a diagram.
///
/// ```
/// use relay_syntax::mermaid::{Style, draw};
/// let drawing = draw("graph LR\n A --> B", Style::default()).unwrap();
/// assert!(drawing.contains("│ A │") || drawing.contains("│ A ├"));
/// ```
///
/// # Errors
/// What is wrong with it, and in which line.
pub fn draw(source: &str, style: Style) -> Result<String, String> {
    if source.len() > SOURCE_BYTES {
        return Err(format!("The diagram has more than {} KiB; draw a part of it.", SOURCE_BYTES >> 10));
    }
    let lines = lines(source);
    let Some(((number, head), body)) = lines.split_first() else {
        return Err("The diagram is empty.".to_owned());
    };
    // `graph TD; A --> B` has its first statement in the same line.
    let (head, first) = head.split_once(';').unwrap_or((head, ""));
    let first = std::iter::once((*number, first.trim())).filter(|(_, line)| !line.is_empty());
    let body: Vec<(usize, &str)> = first.chain(body.iter().copied()).collect();
    let body = body.as_slice();
    let mut words = head.split_whitespace();
    let kind = words.next().unwrap_or_default();
    match kind {
        "graph" | "flowchart" => {
            flow::parse(words.next().unwrap_or("TD"), body).and_then(|graph| layout::draw(&graph, style))
        }
        "sequenceDiagram" => sequence::draw(body, style),
        "stateDiagram" | "stateDiagram-v2" => {
            state::parse(body).and_then(|graph| layout::draw(&graph, style))
        }
        "classDiagram" => boxes::classes(body).and_then(|graph| layout::draw(&graph, style)),
        "erDiagram" => boxes::entities(body).and_then(|graph| layout::draw(&graph, style)),
        other => Err(format!(
            "Line {number}: `{other}` cannot be drawn. Begin with graph, flowchart, sequenceDiagram, stateDiagram, classDiagram or erDiagram."
        )),
    }
}

/// The lines that say something, with their numbers: no comments, no front matter, no directives.
fn lines(source: &str) -> Vec<(usize, &str)> {
    let source = source.trim().trim_start_matches("```mermaid").trim_end_matches("```");
    let mut in_front = false;
    let mut said = Vec::new();
    for (number, line) in source.lines().enumerate() {
        let line = line.split("%%").next().unwrap_or_default().trim().trim_end_matches(';').trim();
        if line == "---" && (said.is_empty() || in_front) {
            in_front = !in_front;
        } else if !line.is_empty() && !in_front {
            said.push((number + 1, line));
        }
    }
    said
}

#[cfg(test)]
mod tests;
