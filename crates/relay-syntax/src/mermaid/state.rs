//! State diagrams: `[*] --> Idle`, `Idle --> Busy : start`, `state Busy { … }`.
//!
//! A state with states inside is a frame around them. A transition into it leads to its beginning, one out of it comes from
//! its end; where it has none, both are its first state.

use super::graph::{Edge, Graph, Way, label};

/// Reads a state diagram.
pub fn parse(lines: &[(usize, &str)]) -> Result<Graph, String> {
    let mut states = States::new(lines);
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
            // Within a frame everything goes the way of the whole.
            "direction" if states.graph.open.is_some() => {}
            "direction" => {
                let way = line.split_whitespace().nth(1).unwrap_or_default();
                states.graph.way =
                    Way::of(way).ok_or_else(|| wrong(format!("`{way}` is not a direction.")))?;
            }
            "classDef" | "class" | "style" | "hide" | "scale" => {}
            // Regions beside each other have beginnings and ends of their own.
            "--" => states.region += 1,
            "}" if states.graph.end_group() => states.region += 1,
            "}" => return Err(wrong("`}` without a state that it ends.".to_owned())),
            "state" => states.declared(line).map_err(wrong)?,
            _ => states.transition(line).map_err(wrong)?,
        }
    }
    if states.graph.open.is_some() {
        return Err("A state has no `}`.".to_owned());
    }
    states.joined()
}

/// What a transition leads from or to.
#[derive(Clone, Copy, Debug)]
enum End {
    /// A box.
    State(usize),
    /// A state with states inside, as an index of those there are.
    Nested(usize),
}

/// A diagram that is being read.
struct States {
    graph: Graph,
    /// The names of states with states inside, wherever they are described.
    nested: Vec<String>,
    /// The region that is being read: beginnings and ends belong to one.
    region: usize,
    /// Transitions whose ends are boxes only once all states are known.
    transitions: Vec<(End, End, String)>,
    /// Beginnings and ends, with the group they are in.
    starts: Vec<(Option<usize>, usize)>,
    ends: Vec<(Option<usize>, usize)>,
}

/// The name and the title of the state that a line `state … {` begins; the title is empty if there is none.
fn opened(line: &str) -> Option<(&str, &str)> {
    let inner = line.strip_prefix("state")?.trim().strip_suffix('{')?.trim();
    Some(match inner.split_once(" as ") {
        Some((title, id)) => (id.trim(), title),
        None => (inner, ""),
    })
}

impl States {
    fn new(lines: &[(usize, &str)]) -> Self {
        let nested = lines.iter().filter_map(|(_, line)| Some(opened(line)?.0.to_owned())).collect();
        Self {
            graph: Graph::new(Way::Down),
            nested,
            region: 0,
            transitions: Vec::new(),
            starts: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// `state "text" as id`, `state id {`, `state id <<choice>>`
    fn declared(&mut self, line: &str) -> Result<(), String> {
        if let Some((id, title)) = opened(line) {
            checked(id)?;
            self.region += 1;
            self.graph.begin_group(id)?;
            if let Some(group) = self.graph.groups.last_mut().filter(|_| !title.is_empty()) {
                group.title = label(title).join(" ");
            }
            return Ok(());
        }
        let rest = line.strip_prefix("state").unwrap_or(line).trim();
        if let Some((text, id)) = rest.split_once(" as ") {
            return self.described(id.trim(), text);
        }
        let id = rest.split("<<").next().unwrap_or(rest).trim();
        self.end(id, true).map(drop)
    }

    /// `id : text`
    fn described(&mut self, id: &str, text: &str) -> Result<(), String> {
        match self.end(id, true)? {
            End::State(index) => {
                if let Some(node) = self.graph.at(index) {
                    node.parts = vec![label(text)];
                }
            }
            End::Nested(at) => {
                let name = self.nested.get(at).cloned().unwrap_or_default();
                if let Some(group) = self.graph.groups.iter_mut().find(|group| group.id == name) {
                    group.title = label(text).join(" ");
                }
            }
        }
        Ok(())
    }

    fn transition(&mut self, line: &str) -> Result<(), String> {
        let Some((from, rest)) = line.split_once("-->") else {
            let Some((id, text)) = line.split_once(':') else {
                return self.alone(line);
            };
            return self.described(id.trim(), text);
        };
        let (to, words) = rest.split_once(':').unwrap_or((rest, ""));
        let from = self.end(from.trim(), true)?;
        let to = self.end(to.trim(), false)?;
        self.transitions.push((from, to, label(words).join(" ")));
        Ok(())
    }

    /// A name alone is a state.
    fn alone(&mut self, line: &str) -> Result<(), String> {
        match line.contains(char::is_whitespace) {
            true => Err(format!("`{line}` is not a transition.")),
            false => self.end(line, true).map(drop),
        }
    }

    /// What a name means. `[*]` is a beginning or an end, each a box of its own in every region.
    fn end(&mut self, id: &str, is_start: bool) -> Result<End, String> {
        let id = id.split(":::").next().unwrap_or(id).trim();
        if id == "[*]" {
            let kind = if is_start { "start" } else { "end" };
            let region = self.region;
            let index = self.graph.node(&format!("[*] {kind} {region}"))?;
            let open = self.graph.open;
            let (sign, list) = if is_start { ("●", &mut self.starts) } else { ("◎", &mut self.ends) };
            if let Some(node) = self.graph.at(index) {
                (node.round, node.parts) = (true, vec![vec![sign.to_owned()]]);
            }
            if !list.contains(&(open, index)) {
                list.push((open, index));
            }
            return Ok(End::State(index));
        }
        checked(id)?;
        if let Some(at) = self.nested.iter().position(|name| name == id) {
            return Ok(End::Nested(at));
        }
        let index = self.graph.node(id)?;
        if let Some(node) = self.graph.at(index) {
            node.round = true;
        }
        Ok(End::State(index))
    }

    /// The graph, with all transitions from box to box.
    fn joined(mut self) -> Result<Graph, String> {
        // A frame around nothing holds a box with its name.
        for name in self.nested.clone() {
            let Some(group) = self.graph.groups.iter().position(|group| group.id == name) else { continue };
            if self.first_in(group).is_none() {
                self.graph.open = Some(group);
                let title = self.graph.groups.get(group).map(|group| group.title.clone());
                let index = self.graph.node(&format!("{name} alone"))?;
                if let Some(node) = self.graph.at(index) {
                    (node.round, node.parts) = (true, vec![vec![title.unwrap_or(name)]]);
                }
                self.graph.open = None;
            }
        }
        for (from, to, label) in std::mem::take(&mut self.transitions) {
            let (Some(from), Some(to)) = (self.box_of(from, &self.ends), self.box_of(to, &self.starts))
            else {
                continue;
            };
            self.graph.connect(Edge { from, to, label, heads: (true, false), dotted: false })?;
        }
        if self.graph.nodes.is_empty() {
            Err("The diagram has no states.".to_owned())
        } else {
            Ok(self.graph)
        }
    }

    /// The box that stands for an end: for a state with others inside, its own beginning or end, or its first state.
    fn box_of(&self, end: End, marks: &[(Option<usize>, usize)]) -> Option<usize> {
        let at = match end {
            End::State(index) => return Some(index),
            End::Nested(at) => at,
        };
        let name = self.nested.get(at)?;
        let group = self.graph.groups.iter().position(|group| group.id == *name)?;
        let mark = marks.iter().find(|(of, _)| *of == Some(group)).map(|(_, index)| *index);
        mark.or_else(|| self.first_in(group))
    }

    fn first_in(&self, group: usize) -> Option<usize> {
        let is_in = |of: Option<usize>| self.graph.ancestors(of).any(|at| at == group);
        self.graph.nodes.iter().position(|node| is_in(node.group))
    }
}

fn checked(id: &str) -> Result<(), String> {
    let is_name = !id.is_empty() && id.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if is_name { Ok(()) } else { Err(format!("`{id}` is not the name of a state.")) }
}
