//! State diagrams: `[*] --> Idle`, `Idle --> Busy : start`.

use super::graph::{Edge, Graph, Way, label};

/// Reads a state diagram. States inside states are drawn beside each other.
pub fn parse(lines: &[(usize, &str)]) -> Result<Graph, String> {
    let mut graph = Graph::new(Way::Down);
    let mut in_note = false;
    for (number, line) in lines {
        let wrong = |reason: String| format!("Line {number}: {reason}");
        let word = line.split_whitespace().next().unwrap_or_default();
        if in_note || word == "note" {
            let is_short = word == "note" && line.contains(':');
            in_note = !is_short && !line.ends_with("end note");
            continue;
        }
        match word {
            "direction" => {
                let way = line.split_whitespace().nth(1).unwrap_or_default();
                graph.way = Way::of(way).ok_or_else(|| wrong(format!("`{way}` is not a direction.")))?;
            }
            "classDef" | "class" | "style" | "hide" | "scale" | "}" | "--" => {}
            "state" => declared(&mut graph, line).map_err(wrong)?,
            _ => transition(&mut graph, line).map_err(wrong)?,
        }
    }
    if graph.nodes.is_empty() { Err("The diagram has no states.".to_owned()) } else { Ok(graph) }
}

/// `state "text" as id`, `state id {`, `state id <<choice>>`
fn declared(graph: &mut Graph, line: &str) -> Result<(), String> {
    let rest = line.strip_prefix("state").unwrap_or(line).trim().trim_end_matches('{').trim();
    if let Some((text, id)) = rest.split_once(" as ") {
        let index = named(graph, id.trim(), true)?;
        if let Some(node) = graph.at(index) {
            node.parts = vec![label(text)];
        }
        return Ok(());
    }
    let id = rest.split("<<").next().unwrap_or(rest).trim();
    named(graph, id, true).map(drop)
}

/// The box of a state. `[*]` is a beginning or an end, each a box of its own.
fn named(graph: &mut Graph, id: &str, is_start: bool) -> Result<usize, String> {
    let id = id.split(":::").next().unwrap_or(id).trim();
    let is_name = !id.is_empty() && id.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if id != "[*]" && !is_name {
        return Err(format!("`{id}` is not the name of a state."));
    }
    let key = match (id, is_start) {
        ("[*]", true) => "[*] start",
        ("[*]", false) => "[*] end",
        (id, _) => id,
    };
    let index = graph.node(key)?;
    if let Some(node) = graph.at(index) {
        node.round = true;
        if id == "[*]" {
            node.parts = vec![vec![if is_start { "●" } else { "◎" }.to_owned()]];
        }
    }
    Ok(index)
}

fn transition(graph: &mut Graph, line: &str) -> Result<(), String> {
    let Some((from, rest)) = line.split_once("-->") else {
        // `id : text` describes a state.
        let (id, text) = line.split_once(':').ok_or_else(|| format!("`{line}` is not a transition."))?;
        let index = named(graph, id, true)?;
        if let Some(node) = graph.at(index) {
            node.parts = vec![label(text)];
        }
        return Ok(());
    };
    let (to, words) = rest.split_once(':').unwrap_or((rest, ""));
    let from = named(graph, from.trim(), true)?;
    let to = named(graph, to.trim(), false)?;
    let label = label(words).join(" ");
    graph.connect(Edge { from, to, label, heads: (true, false), dotted: false })
}
