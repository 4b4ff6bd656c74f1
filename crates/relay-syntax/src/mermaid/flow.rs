//! Flowcharts: `A[Start] -->|yes| B{Sure?}`.

use super::graph::{Edge, Graph, Way, label};

/// Lines that say only how things look.
const LOOKS: [&str; 8] =
    ["classDef", "class", "style", "linkStyle", "click", "direction", "accTitle", "accDescr"];
/// Shapes by how they begin and end, the longest first; and whether they are round.
const SHAPES: [(&str, &str, bool); 12] = [
    ("(((", ")))", true),
    ("([", "])", true),
    ("((", "))", true),
    ("[[", "]]", false),
    ("[(", ")]", true),
    ("{{", "}}", false),
    ("[/", "/]", false),
    ("[\\", "\\]", false),
    ("(", ")", true),
    ("[", "]", false),
    ("{", "}", false),
    (">", "]", false),
];

/// Reads a flowchart.
pub fn parse(way: &str, lines: &[(usize, &str)]) -> Result<Graph, String> {
    let way = Way::of(way).ok_or_else(|| format!("`{way}` is not a direction; use TD, TB, BT, LR or RL."))?;
    let mut graph = Graph::new(way);
    for (number, line) in lines {
        let word = line.split_whitespace().next().unwrap_or_default();
        let wrong = |reason: String| format!("Line {number}: {reason}");
        match word {
            "subgraph" => {
                graph.begin_group(line.strip_prefix("subgraph").unwrap_or_default()).map_err(wrong)?;
            }
            "end" => {
                if !graph.end_group() {
                    return Err(wrong("`end` without a subgraph.".to_owned()));
                }
            }
            word if LOOKS.contains(&word) => {}
            _ => line.split(';').try_for_each(|part| statement(&mut graph, part).map_err(wrong))?,
        }
    }
    if graph.open.is_some() {
        return Err("A subgraph has no `end`.".to_owned());
    }
    if graph.nodes.is_empty() {
        return Err("The diagram has no boxes.".to_owned());
    }
    Ok(graph)
}

/// `A & B --> C -- text --> D`
fn statement(graph: &mut Graph, line: &str) -> Result<(), String> {
    let mut rest = line.trim();
    if rest.is_empty() {
        return Ok(());
    }
    let mut before = group(graph, &mut rest)?;
    while !rest.is_empty() {
        let arrow = arrow(&mut rest).ok_or_else(|| format!("`{rest}` is not an arrow."))?;
        let after = group(graph, &mut rest)?;
        for from in &before {
            for to in &after {
                graph.connect(Edge { from: *from, to: *to, ..arrow.clone() })?;
            }
        }
        before = after;
    }
    Ok(())
}

/// `A & B`
fn group(graph: &mut Graph, rest: &mut &str) -> Result<Vec<usize>, String> {
    let mut all = vec![node(graph, rest)?];
    while let Some(more) = rest.strip_prefix('&') {
        *rest = more.trim_start();
        all.push(node(graph, rest)?);
    }
    Ok(all)
}

/// `A`, `A[text]`, `A:::class`
fn node(graph: &mut Graph, rest: &mut &str) -> Result<usize, String> {
    let is_id = |(at, c): (usize, char)| {
        c.is_alphanumeric()
            || c == '_'
            || (matches!(c, '-' | '.') && !starts_arrow(rest.get(at..).unwrap_or_default()))
    };
    let length = rest.char_indices().find(|place| !is_id(*place)).map_or(rest.len(), |(at, _)| at);
    let (id, after) = rest.split_at(length);
    if id.is_empty() {
        return Err(format!(
            "expected the name of a box, found `{}`.",
            rest.chars().take(20).collect::<String>()
        ));
    }
    let index = graph.node(id)?;
    let mut after = after;
    if let Some((open, close, round)) = SHAPES.iter().find(|(open, ..)| after.starts_with(open)) {
        let inner = after.get(open.len()..).unwrap_or_default();
        let end = if let Some(quoted) = inner.strip_prefix('"') {
            quoted.find('"').and_then(|at| inner.get(at + 2..)?.find(close).map(|more| at + 2 + more))
        } else {
            inner.find(close)
        };
        let end = end.ok_or_else(|| format!("`{open}` without its `{close}`."))?;
        if let Some(node) = graph.at(index) {
            node.parts = vec![label(inner.get(..end).unwrap_or_default())];
            node.round = *round;
        }
        after = inner.get(end + close.len()..).unwrap_or_default();
    }
    if let Some(class) = after.strip_prefix(":::") {
        after = class.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
    }
    *rest = after.trim_start();
    Ok(index)
}

fn starts_arrow(text: &str) -> bool {
    ["--", "-.", "==", "~~"].iter().any(|start| text.starts_with(start))
}

/// An arrow with what is written on it.
fn arrow(rest: &mut &str) -> Option<Edge> {
    let mut edge = Edge { from: 0, to: 0, label: String::new(), heads: (false, false), dotted: false };
    let mut text = *rest;
    if let Some(after) = text.strip_prefix(['<', 'o', 'x']).filter(|after| starts_arrow(after)) {
        edge.heads.1 = true;
        text = after;
    }
    if !starts_arrow(text) {
        return None;
    }
    edge.dotted = text.starts_with("-.");
    let line = |c: char| matches!(c, '-' | '.' | '=' | '~');
    let body = text.trim_start_matches(line);
    let ended = body
        .strip_prefix(['>', 'o', 'x'])
        .filter(|after| body.starts_with('>') || after.is_empty() || after.starts_with([' ', '|']));
    let mut after = match ended {
        Some(after) => {
            edge.heads.0 = true;
            after
        }
        // `-- text -->`: the words extend to where the line continues.
        None if body.len() + 2 == text.len()
            && !body.trim_start().starts_with('|')
            && second_line(body).is_some() =>
        {
            let at = second_line(body)?;
            edge.label = label(body.get(..at)?).join(" ");
            let tail = body.get(at..)?.trim_start_matches(line);
            edge.heads.0 = tail.starts_with(['>', 'o', 'x']);
            tail.strip_prefix(['>', 'o', 'x']).unwrap_or(tail)
        }
        None => body,
    };
    after = after.trim_start();
    if let Some((words, tail)) = after.strip_prefix('|').and_then(|inner| inner.split_once('|')) {
        edge.label = label(words).join(" ");
        after = tail;
    }
    *rest = after.trim_start();
    Some(edge)
}

/// Where the line continues after the words on it.
fn second_line(body: &str) -> Option<usize> {
    ["--", ".-", "=="].iter().filter_map(|mark| body.find(mark)).min()
}
