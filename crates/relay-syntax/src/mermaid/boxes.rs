//! Class and entity-relationship diagrams: boxes with compartments, and relations between them.

use super::graph::{Edge, Graph, Way, label};

/// Relations between classes, the longest first: how they are written, and whether they have heads at the right and at
/// the left and are dotted.
const RELATIONS: [(&str, bool, bool, bool); 15] = [
    ("<|--", false, true, false),
    ("--|>", true, false, false),
    ("<|..", false, true, true),
    ("..|>", true, false, true),
    ("<-->", true, true, false),
    ("*--", false, true, false),
    ("--*", true, false, false),
    ("o--", false, true, false),
    ("--o", true, false, false),
    ("-->", true, false, false),
    ("<--", false, true, false),
    ("..>", true, false, true),
    ("<..", false, true, true),
    ("--", false, false, false),
    ("..", false, false, true),
];

/// Reads a class diagram.
pub fn classes(lines: &[(usize, &str)]) -> Result<Graph, String> {
    let mut graph = Graph::new(Way::Down);
    let mut inside: Option<usize> = None;
    for (number, line) in lines {
        let wrong = |reason: String| format!("Line {number}: {reason}");
        let word = line.split_whitespace().next().unwrap_or_default();
        if let Some(index) = inside {
            match *line {
                "}" => inside = None,
                line => member(&mut graph, index, line),
            }
            continue;
        }
        match word {
            "direction" => {
                let way = line.split_whitespace().nth(1).unwrap_or_default();
                graph.way = Way::of(way).ok_or_else(|| wrong(format!("`{way}` is not a direction.")))?;
            }
            "class" => {
                let rest = line.strip_prefix("class").unwrap_or_default().trim();
                let (name, body) =
                    rest.split_once('{').map_or((rest, None), |(name, body)| (name, Some(body)));
                let index = class(&mut graph, name.trim()).map_err(wrong)?;
                match body.map(str::trim) {
                    Some(body) if body.ends_with('}') => {
                        member(&mut graph, index, body.trim_end_matches('}').trim());
                    }
                    Some(_) => inside = Some(index),
                    None => {}
                }
            }
            "note" | "style" | "classDef" | "cssClass" | "click" | "link" | "callback" | "namespace"
            | "}" => {}
            word if word.starts_with("<<") => {}
            _ => relation(&mut graph, line).map_err(wrong)?,
        }
    }
    if inside.is_some() {
        return Err("A class has no `}`.".to_owned());
    }
    if graph.nodes.is_empty() { Err("The diagram has no classes.".to_owned()) } else { Ok(graph) }
}

fn class(graph: &mut Graph, written: &str) -> Result<usize, String> {
    let name = written.split(":::").next().unwrap_or(written).trim().trim_matches('`');
    let (id, shown) = match name.split_once('[') {
        Some((id, text)) => (id.trim(), text.trim_end_matches(']').trim_matches('"').to_owned()),
        None => (name, generic(name)),
    };
    let is_name =
        !id.is_empty() && id.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '~'));
    if !is_name {
        return Err(format!("`{id}` is not the name of a class."));
    }
    let index = graph.node(id.split('~').next().unwrap_or(id))?;
    if let Some(node) = graph.at(index)
        && node.parts.len() == 1
        && shown != id
    {
        node.parts = vec![vec![shown]];
    }
    Ok(index)
}

/// Methods have parentheses and a compartment of their own.
fn member(graph: &mut Graph, index: usize, line: &str) {
    let Some(node) = graph.at(index).filter(|_| !line.is_empty()) else { return };
    if line.starts_with("<<") {
        if let Some(head) = node.parts.first_mut() {
            head.insert(0, line.to_owned());
        }
        return;
    }
    node.parts.resize(node.parts.len().max(3), Vec::new());
    let part = if line.contains('(') { 2 } else { 1 };
    if let Some(part) = node.parts.get_mut(part) {
        part.push(line.to_owned());
    }
}

/// `A <|-- B : label`, `A "1" --> "many" B`, `A : +member`
fn relation(graph: &mut Graph, line: &str) -> Result<(), String> {
    // What follows a colon is words.
    let ends = line.split(':').next().unwrap_or(line);
    let found = RELATIONS.iter().filter_map(|relation| ends.find(relation.0).map(|at| (at, relation)));
    let Some((at, (mark, right, left, dotted))) =
        found.min_by_key(|(at, (mark, ..))| (*at, usize::MAX - mark.len()))
    else {
        let (name, text) = line.split_once(':').ok_or_else(|| format!("`{line}` is not a relation."))?;
        let index = class(graph, name.trim())?;
        member(graph, index, text.trim());
        return Ok(());
    };
    let (before, after) =
        (line.get(..at).unwrap_or_default(), line.get(at + mark.len()..).unwrap_or_default());
    let (after, words) = after.split_once(" :").or_else(|| after.split_once(':')).unwrap_or((after, ""));
    let (from, many_from) = counted(before);
    let (to, many_to) = counted(after);
    let (from, to) = (class(graph, from)?, class(graph, to)?);
    let words: Vec<String> =
        [many_from, label(words).join(" "), many_to].into_iter().filter(|word| !word.is_empty()).collect();
    graph.connect(Edge { from, to, label: words.join(" "), heads: (*right, *left), dotted: *dotted })
}

/// A name and the number in quotes beside it.
fn counted(text: &str) -> (&str, String) {
    let text = text.trim();
    match (text.find('"'), text.rfind('"')) {
        (Some(first), Some(last)) if first < last => {
            let number = text.get(first + 1..last).unwrap_or_default().to_owned();
            let name = if first == 0 { text.get(last + 1..) } else { text.get(..first) };
            (name.unwrap_or_default().trim(), number)
        }
        _ => (text, String::new()),
    }
}

/// Reads an entity-relationship diagram.
pub fn entities(lines: &[(usize, &str)]) -> Result<Graph, String> {
    let mut graph = Graph::new(Way::Down);
    let mut inside: Option<usize> = None;
    for (number, line) in lines {
        let wrong = |reason: String| format!("Line {number}: {reason}");
        if let Some(index) = inside {
            match *line {
                "}" => inside = None,
                line => {
                    if let Some(node) = graph.at(index) {
                        node.parts.resize(2, Vec::new());
                        if let Some(fields) = node.parts.get_mut(1) {
                            fields.push(line.replace('"', ""));
                        }
                    }
                }
            }
            continue;
        }
        match line.strip_suffix('{') {
            Some(name) if !name.contains("--") && !name.contains("..") => {
                inside = Some(entity(&mut graph, name).map_err(wrong)?);
            }
            _ if line.contains("--") || line.contains("..") => related(&mut graph, line).map_err(wrong)?,
            _ if line.starts_with("direction") => {
                let way = line.split_whitespace().nth(1).unwrap_or_default();
                graph.way = Way::of(way).ok_or_else(|| wrong(format!("`{way}` is not a direction.")))?;
            }
            _ => drop(entity(&mut graph, line).map_err(wrong)?),
        }
    }
    if inside.is_some() {
        return Err("An entity has no `}`.".to_owned());
    }
    if graph.nodes.is_empty() { Err("The diagram has no entities.".to_owned()) } else { Ok(graph) }
}

fn entity(graph: &mut Graph, written: &str) -> Result<usize, String> {
    let name = written.trim();
    let (id, shown) =
        name.split_once('[').map_or((name, None), |(id, text)| (id, Some(text.trim_end_matches(']'))));
    let id = id.trim().trim_matches('"');
    let is_name = !id.is_empty() && id.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' '));
    if !is_name {
        return Err(format!("`{id}` is not the name of an entity."));
    }
    let index = graph.node(id)?;
    if let (Some(shown), Some(node)) = (shown, graph.at(index)) {
        node.parts = vec![label(shown)];
    }
    Ok(index)
}

/// How many there are, as the marks say it.
fn many(mark: &str) -> Option<&'static str> {
    Some(match mark {
        "||" => "1",
        "|o" | "o|" => "0..1",
        "}o" | "o{" => "0..*",
        "}|" | "|{" => "1..*",
        _ => return None,
    })
}

/// `CUSTOMER ||--o{ ORDER : places`
fn related(graph: &mut Graph, line: &str) -> Result<(), String> {
    let (relation, words) = line.split_once(':').unwrap_or((line, ""));
    let mut parts = relation.split_whitespace();
    let (Some(from), Some(mark), Some(to), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(format!("`{line}` is not a relation; write `A ||--o{{ B : label`."));
    };
    let (left, right) = mark.split_once("--").or_else(|| mark.split_once("..")).unwrap_or((mark, ""));
    let (Some(left), Some(right)) = (many(left), many(right)) else {
        return Err(format!("`{mark}` is not a relation; use marks like ||--o{{."));
    };
    let (from, to) = (entity(graph, from)?, entity(graph, to)?);
    let words = label(words).join(" ");
    let label = [left, words.as_str(), right]
        .iter()
        .filter(|word| !word.is_empty())
        .copied()
        .collect::<Vec<_>>()
        .join(" ");
    graph.connect(Edge { from, to, label, heads: (false, false), dotted: mark.contains("..") })
}

/// `List~int~` as `List<int>`.
fn generic(name: &str) -> String {
    match name.split_once('~') {
        Some((outer, inner)) => format!("{outer}<{}>", inner.trim_end_matches('~')),
        None => name.to_owned(),
    }
}
