//! Rows as a table of characters.

use relay_syntax::cells::{Ellipsis, truncate, width};
use rusqlite::types::ValueRef;

/// The widest table.
const WIDTH: usize = 120;
/// The widest column.
const COLUMN: usize = 40;
/// Values have no tabs; this is the usual width.
const TAB: usize = 3;
/// The longest text that is taken of a value that has a line of its own.
const VALUE_CHARS: usize = 4_000;

/// A value in one line.
pub fn text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => format!("{number:?}"),
        ValueRef::Text(bytes) => {
            let mut text = String::new();
            for character in String::from_utf8_lossy(bytes).chars().take(VALUE_CHARS) {
                match character {
                    '\n' => text.push_str("\\n"),
                    '\r' => text.push_str("\\r"),
                    '\t' => text.push_str("\\t"),
                    control if control.is_control() => text.push('\u{fffd}'),
                    character => text.push(character),
                }
            }
            if bytes.len() > text.len() && text.chars().count() >= VALUE_CHARS {
                text.push('…');
            }
            text
        }
        ValueRef::Blob(bytes) => format!("<{} bytes>", bytes.len()),
    }
}

/// The rows below their columns' names, none wider than the limits; what is cut ends in `…`.
pub fn draw(columns: &[String], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = columns.iter().map(|name| width(name, TAB).clamp(1, COLUMN)).collect();
    for row in rows {
        for (widest, cell) in widths.iter_mut().zip(row) {
            *widest = (*widest).max(width(cell, TAB).min(COLUMN));
        }
    }
    fit(&mut widths);
    let line = |cells: &[String]| {
        let cells: Vec<String> = cells
            .iter()
            .zip(&widths)
            .map(|(cell, width)| truncate(cell, *width, Ellipsis::Unicode, true, TAB))
            .collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let mut drawn = line(columns);
    drawn.push_str(&format!("|-{}-|\n", rule.join("-|-")));
    rows.iter().for_each(|row| drawn.push_str(&line(row)));
    drawn
}

/// Takes from the widest columns until the table fits, or every column is down to one character.
fn fit(widths: &mut [usize]) {
    let total = |widths: &[usize]| widths.iter().sum::<usize>() + widths.len() * 3 + 1;
    while total(widths) > WIDTH {
        match widths.iter_mut().max() {
            Some(widest) if *widest > 1 => *widest -= 1,
            _ => return,
        }
    }
}
