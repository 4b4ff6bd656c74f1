//! Sequence diagrams: messages between participants, from top to bottom.

use std::collections::BTreeMap;

use unicode_width::UnicodeWidthStr;

use super::canvas::{Canvas, Style};
use super::graph::label;

/// Arrows, the longest first: how they are written, whether they are dotted, and their head.
const ARROWS: [(&str, bool, char); 10] = [
    ("<<-->>", true, '>'),
    ("<<->>", false, '>'),
    ("-->>", true, '>'),
    ("->>", false, '>'),
    ("--x", true, 'x'),
    ("--)", true, '>'),
    ("-->", true, ' '),
    ("-x", false, 'x'),
    ("-)", false, '>'),
    ("->", false, ' '),
];
/// Words that open a part, and those that divide it.
const OPENING: [&str; 7] = ["loop", "alt", "opt", "par", "critical", "break", "rect"];
const DIVIDING: [&str; 3] = ["else", "and", "option"];
/// The most rows and people.
const STEPS: usize = 500;
const PEOPLE: usize = 40;

/// Something that happens.
enum Step {
    Message {
        from: usize,
        to: usize,
        text: String,
        dotted: bool,
        head: char,
    },
    Note {
        from: usize,
        to: usize,
        text: Vec<String>,
    },
    /// A line across everything: a part begins, is divided, or ends.
    Mark(String),
}

#[derive(Default)]
struct Diagram {
    names: Vec<Vec<String>>,
    ids: BTreeMap<String, usize>,
    steps: Vec<Step>,
    is_numbered: bool,
    open: usize,
}

/// Draws a sequence diagram.
pub fn draw(lines: &[(usize, &str)], style: Style) -> Result<String, String> {
    let mut diagram = Diagram::default();
    for (number, line) in lines {
        diagram.line(line).map_err(|reason| format!("Line {number}: {reason}"))?;
    }
    if diagram.open > 0 {
        return Err("A part (loop, alt, …) has no `end`.".to_owned());
    }
    if diagram.names.is_empty() {
        return Err("The diagram has no participants.".to_owned());
    }
    if diagram.steps.len() > STEPS || diagram.names.len() > PEOPLE {
        return Err(format!(
            "The diagram has more than {STEPS} steps or {PEOPLE} participants; draw a part of it."
        ));
    }
    diagram.paint(style)
}

impl Diagram {
    fn person(&mut self, id: &str) -> Result<usize, String> {
        let id = id.trim().trim_start_matches(['+', '-']).trim();
        if id.is_empty() || id.contains([':', '>', '<']) {
            return Err(format!("`{id}` is not the name of a participant."));
        }
        if let Some(at) = self.ids.get(id) {
            return Ok(*at);
        }
        self.names.push(label(id));
        self.ids.insert(id.to_owned(), self.names.len() - 1);
        Ok(self.names.len() - 1)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word.to_ascii_lowercase().as_str() {
            "participant" | "actor" => {
                let (id, name) = rest.split_once(" as ").unwrap_or((rest, rest));
                let at = self.person(id)?;
                if let Some(shown) = self.names.get_mut(at) {
                    *shown = label(name);
                }
            }
            "activate" | "deactivate" | "title" | "box" | "link" | "links" | "create" | "destroy" => {}
            "autonumber" => self.is_numbered = true,
            "note" => self.note(rest)?,
            "end" if self.open == 0 => return Err("`end` without a part that it ends.".to_owned()),
            "end" => {
                self.open -= 1;
                self.steps.push(Step::Mark("end".to_owned()));
            }
            lower if OPENING.contains(&lower) || (DIVIDING.contains(&lower) && self.open > 0) => {
                self.open += usize::from(OPENING.contains(&lower));
                self.steps.push(Step::Mark(format!("{lower} {rest}").trim().to_owned()));
            }
            _ => self.message(line)?,
        }
        Ok(())
    }

    /// `over A,B: text`, `left of A: text`
    fn note(&mut self, rest: &str) -> Result<(), String> {
        let (whom, text) = rest.split_once(':').ok_or("a note needs `: text`.")?;
        let people = ["over", "left of", "right of"].iter().find_map(|place| whom.trim().strip_prefix(place));
        let people = people.ok_or("a note is `over`, `left of` or `right of` someone.")?;
        let ids: Result<Vec<usize>, String> = people.split(',').map(|id| self.person(id)).collect();
        let ids = ids?;
        let (from, to) = (ids.iter().min().copied().unwrap_or(0), ids.iter().max().copied().unwrap_or(0));
        self.steps.push(Step::Note { from, to, text: label(text) });
        Ok(())
    }

    fn message(&mut self, line: &str) -> Result<(), String> {
        let found = ARROWS.iter().filter_map(|arrow| line.find(arrow.0).map(|at| (at, arrow)));
        let (at, (mark, dotted, head)) = found
            .min_by_key(|(at, arrow)| (*at, usize::MAX - arrow.0.len()))
            .ok_or_else(|| format!("`{line}` is not a message; write `A->>B: text`."))?;
        let (from, rest) =
            (line.get(..at).unwrap_or_default(), line.get(at + mark.len()..).unwrap_or_default());
        let (to, text) = rest.split_once(':').ok_or("a message needs `: text`.")?;
        let (from, to) = (self.person(from)?, self.person(to)?);
        let text = label(text).join(" ");
        self.steps.push(Step::Message { from, to, text, dotted: *dotted, head: *head });
        Ok(())
    }

    /// Where each lifeline is: far enough apart for names, messages and notes.
    fn columns(&self, style: Style) -> Vec<usize> {
        let width = |at: usize| {
            self.names.get(at).into_iter().flatten().map(|line| line.width()).max().unwrap_or(0)
                + 2 * style.inner
                + 2
        };
        let count = self.names.len();
        let mut columns = vec![width(0) / 2];
        for at in 1..count {
            let before = columns.last().copied().unwrap_or(0);
            let mut next = before + usize::midpoint(width(at - 1), width(at)) + style.padding_x.max(1);
            for (number, step) in self.steps.iter().enumerate() {
                let (from, to, wide) = match step {
                    Step::Message { from, to, text, .. } if from == to && *from + 1 == at => {
                        (*from, at, text.width() + 8)
                    }
                    Step::Message { from, to, text, .. } => {
                        let numbers = if self.is_numbered { number.to_string().len() + 2 } else { 0 };
                        (*from.min(to), *from.max(to), text.width() + 4 + numbers)
                    }
                    Step::Note { from, to, text } => {
                        let wide = text.iter().map(|line| line.width()).max().unwrap_or(0) + 6;
                        if from == to && *from + 1 == at {
                            (*from, at, wide / 2 + 3)
                        } else {
                            (*from, *to, wide)
                        }
                    }
                    Step::Mark(_) => continue,
                };
                if to == at && from < at {
                    next = next.max(columns.get(from).copied().unwrap_or(0) + wide);
                }
            }
            columns.push(next);
        }
        columns
    }

    fn paint(&self, style: Style) -> Result<String, String> {
        let columns = self.columns(style);
        let margin = self.margin(&columns);
        let columns: Vec<usize> = columns.into_iter().map(|x| x + margin).collect();
        let head = self.names.iter().map(Vec::len).max().unwrap_or(1) + 2;
        let rows: usize = self.steps.iter().map(rows_of).sum();
        let right = columns.last().copied().unwrap_or(0) + margin + 40;
        let mut canvas = Canvas::new(right + 1, rows + 2 * head + 3, style.ascii)?;
        let bottom = head + rows + 1;
        for (at, x) in columns.iter().enumerate() {
            self.person_box(&mut canvas, at, *x, 0, style);
            self.person_box(&mut canvas, at, *x, bottom, style);
            canvas.line((*x, head - 1), (*x, bottom), false);
        }
        let mut y = head;
        let mut number = 0;
        for step in &self.steps {
            number += usize::from(matches!(step, Step::Message { .. }));
            self.step(&mut canvas, step, (y, number), &columns, style);
            y += rows_of(step);
        }
        Ok(canvas.finish())
    }

    /// Notes of the first one may stick out to the left.
    fn margin(&self, columns: &[usize]) -> usize {
        let needed = self.steps.iter().map(|step| match step {
            Step::Note { from, to, text } if from == to => {
                let half = text.iter().map(|line| line.width()).max().unwrap_or(0) / 2 + 3;
                half.saturating_sub(columns.get(*from).copied().unwrap_or(0))
            }
            _ => 0,
        });
        needed.max().unwrap_or(0)
    }

    fn person_box(&self, canvas: &mut Canvas, at: usize, x: usize, y: usize, style: Style) {
        let Some(lines) = self.names.get(at) else { return };
        let inside = lines.iter().map(|line| line.width()).max().unwrap_or(0) + 2 * style.inner;
        let left = x.saturating_sub((inside + 2) / 2);
        canvas.frame((left, y), (inside + 2, lines.len() + 2), false);
        for (row, line) in lines.iter().enumerate() {
            canvas.text(left + 1 + (inside - line.width()) / 2, y + 1 + row, line);
        }
    }

    fn step(
        &self,
        canvas: &mut Canvas,
        step: &Step,
        (y, number): (usize, usize),
        columns: &[usize],
        style: Style,
    ) {
        let column = |at: usize| columns.get(at).copied().unwrap_or(0);
        match step {
            Step::Mark(text) => {
                let right = columns.last().copied().unwrap_or(0) + 2;
                canvas.line((0, y), (right, y), true);
                canvas.text(2, y, &format!("[{text}]"));
            }
            Step::Note { from, to, text } => {
                let wide = text.iter().map(|line| line.width()).max().unwrap_or(0) + 4;
                let (left, right) = (column(*from), column(*to));
                let wide = wide.max(right - left + 3);
                let start = usize::midpoint(left, right).saturating_sub(wide / 2);
                for (row, line) in text.iter().enumerate() {
                    canvas.text(start + 1, y + 1 + row, &" ".repeat(wide - 2));
                    canvas.text(start + 2, y + 1 + row, line);
                }
                canvas.frame((start, y), (wide, text.len() + 2), true);
            }
            Step::Message { from, to, text, dotted, head } => {
                let words = if self.is_numbered { format!("{number}. {text}") } else { text.clone() };
                if from == to {
                    let x = column(*from);
                    canvas.text(x + 2, y, &words);
                    canvas.line((x, y + 1), (x + 4, y + 1), *dotted);
                    canvas.line((x + 4, y + 1), (x + 4, y + 2), *dotted);
                    canvas.line((x, y + 2), (x + 4, y + 2), *dotted);
                    canvas.text(x + 1, y + 2, head_of(*head, false, style.ascii));
                    return;
                }
                let (a, b) = (column(*from), column(*to));
                let (left, right) = (a.min(b), a.max(b));
                canvas.text(
                    usize::midpoint(left, right).saturating_sub(words.width() / 2).max(left + 1),
                    y,
                    &words,
                );
                canvas.line((left, y + 1), (right, y + 1), *dotted);
                if *head != ' ' {
                    let place = if b > a { b - 1 } else { b + 1 };
                    canvas.text(place, y + 1, head_of(*head, b > a, style.ascii));
                }
            }
        }
    }
}

fn head_of(head: char, to_right: bool, ascii: bool) -> &'static str {
    match (head, to_right, ascii) {
        ('x', _, true) => "x",
        ('x', _, false) => "✕",
        (_, true, true) => ">",
        (_, false, true) => "<",
        (_, true, false) => "►",
        (_, false, false) => "◄",
    }
}

fn rows_of(step: &Step) -> usize {
    match step {
        Step::Message { from, to, .. } if from == to => 4,
        Step::Message { .. } => 3,
        Step::Note { text, .. } => text.len() + 3,
        Step::Mark(_) => 2,
    }
}
