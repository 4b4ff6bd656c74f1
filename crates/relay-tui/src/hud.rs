//! Which skill or workflow is under way, and where it is: one line above the editor.
//!
//! A skill that the person started is known from the conversation. Workflows say more about themselves: a phase, a summary and a
//! few chips.

use serde_json::Value;

use crate::text::{Line, clean_line};
use crate::theme::{Symbol, Token};
use crate::view::View;

/// Chips that are shown at most.
const CHIPS: usize = 6;
/// The longest label and value of a chip.
const LABEL: usize = 32;
const VALUE: usize = 80;
/// The priority of a chip that names none.
const PRIORITY: i64 = 50;

/// A fact about a workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Chip {
    text: String,
    severity: String,
    priority: i64,
}

/// A workflow under way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Row {
    skill: String,
    phase: String,
    summary: String,
    chips: Vec<Chip>,
}

/// The line.
#[derive(Clone, Debug, Default)]
pub struct Hud {
    rows: Vec<Row>,
}

fn text(value: &Value, name: &str) -> String {
    clean_line(value.get(name).and_then(Value::as_str).unwrap_or_default()).trim().to_owned()
}

fn short(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn chip(value: &Value) -> Chip {
    let (label, said) = (short(&text(value, "label"), LABEL), short(&text(value, "value"), VALUE));
    Chip {
        text: if said.is_empty() { label } else { format!("{label}={said}") },
        severity: text(value, "severity"),
        priority: value.get("priority").and_then(Value::as_i64).unwrap_or(PRIORITY),
    }
}

impl Hud {
    /// The person started a skill.
    pub fn start(&mut self, skill: &str) {
        self.rows = vec![Row { skill: clean_line(skill).into_owned(), ..Row::default() }];
    }

    /// What workflows say about themselves, in place of what was known.
    pub fn take(&mut self, data: &Value) {
        let row = |value: &Value| {
            let mut chips: Vec<Chip> = list(value, "chips").iter().map(chip).collect();
            chips.sort_by_key(|chip| std::cmp::Reverse(chip.priority));
            chips.truncate(CHIPS);
            Row {
                skill: text(value, "skill"),
                phase: text(value, "phase"),
                summary: text(value, "summary"),
                chips,
            }
        };
        self.rows = list(data, "active").iter().map(row).filter(|row| !row.skill.is_empty()).collect();
    }

    /// The line, if anything is under way.
    #[must_use]
    pub fn line(&self, view: &View<'_>) -> Option<Line> {
        if self.rows.is_empty() {
            return None;
        }
        let mut line = Line::of(format!("  {} ", view.sign(Symbol::IconRelay)), view.fg(Token::Accent));
        for (at, row) in self.rows.iter().enumerate() {
            if at > 0 {
                line.push(" + ", view.fg(Token::Dim));
            }
            line.push(row.skill.clone(), view.fg(Token::CustomMessageLabel).bold());
            if !row.phase.is_empty() {
                line.push(format!(":{}", row.phase), view.fg(Token::CustomMessageLabel));
            }
            if !row.summary.is_empty() {
                line.push(format!(" {}", row.summary), view.fg(Token::Muted));
            }
            for chip in &row.chips {
                let (before, token) = match chip.severity.as_str() {
                    "error" => ("!", Token::Error),
                    "blocked" => ("block:", Token::Error),
                    "warning" => ("warn:", Token::Warning),
                    "success" => ("", Token::Success),
                    _ => ("", Token::Dim),
                };
                line.push(format!(" {before}{}", chip.text), view.fg(token));
            }
        }
        Some(line.truncated(view.width, view.sign(Symbol::Ellipsis)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::app::App;

    #[test]
    fn a_workflow_says_where_it_is_and_cannot_drive_the_terminal() {
        let app = App::new(80, 24);
        let mut hud = Hud::default();
        assert!(hud.line(&app.view()).is_none());
        hud.start("review");
        assert!(hud.line(&app.view()).unwrap().text().ends_with(" review"));
        let chips: Vec<Value> =
            (0..9).map(|number| json!({ "label": format!("c{number}"), "value": "x" })).collect();
        hud.take(&json!({ "active": [
            { "skill": "plan", "phase": "draft", "summary": "two\u{1b}[2J steps", "chips": [
                { "label": "goals", "value": "1/3" },
                { "label": "gate", "value": "open", "severity": "warning", "priority": 90 } ] },
            { "skill": "team", "chips": chips } ] }));
        let text = hud.line(&app.view()).unwrap().text();
        assert!(text.contains("plan:draft two\\x1b[2J steps warn:gate=open goals=1/3 + team c0=x"), "{text}");
        assert!(!text.contains("c6"), "{text}");
    }
}
