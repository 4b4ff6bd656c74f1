//! Spreadsheets (xlsx): the cells of each sheet as a table.

use std::collections::BTreeMap;

use super::markup::{Token, Tokens, attribute};
use super::package::Package;

/// The widest row that is shown; a cell far to the right does not make a row of sixteen thousand.
const COLUMNS: usize = 200;
/// The most rows of a sheet.
const ROWS: usize = 50_000;

/// The sheets as markdown.
pub fn text(bytes: &[u8]) -> Result<String, String> {
    let mut package = Package::open(bytes)?;
    let workbook = package.needed("xl/workbook.xml")?;
    let relations = package.part("xl/_rels/workbook.xml.rels")?.unwrap_or_default();
    let targets: BTreeMap<String, String> = opened(&relations, "Relationship")
        .filter_map(|attributes| Some((attribute(attributes, "Id")?, attribute(attributes, "Target")?)))
        .collect();
    let strings = package.part("xl/sharedStrings.xml")?.map(|xml| shared(&xml)).unwrap_or_default();
    let mut text = String::new();
    for (number, attributes) in opened(&workbook, "sheet").enumerate() {
        let name = attribute(attributes, "name").unwrap_or_default();
        let target = attribute(attributes, "id").and_then(|id| targets.get(&id).cloned());
        let target = target.unwrap_or_else(|| format!("worksheets/sheet{}.xml", number + 1));
        let place = match target.strip_prefix('/') {
            Some(absolute) => absolute.to_owned(),
            None => format!("xl/{target}"),
        };
        text.push_str(&format!("## {name}\n\n"));
        match package.part(&place)? {
            Some(sheet) => text.push_str(&rows(&sheet, &strings)),
            None => text.push_str("(this sheet has no cells)\n"),
        }
        text.push('\n');
    }
    Ok(text)
}

/// The attributes of every element of a name.
fn opened<'x>(xml: &'x str, wanted: &'x str) -> impl Iterator<Item = &'x str> {
    Tokens::new(xml).filter_map(move |token| match token {
        Token::Open { name, attributes, .. } if name == wanted => Some(attributes),
        _ => None,
    })
}

fn shared(xml: &str) -> Vec<String> {
    let (mut strings, mut text, mut in_text) = (Vec::new(), String::new(), false);
    for token in Tokens::new(xml) {
        match token {
            Token::Open { name: "t", is_empty, .. } => in_text = !is_empty,
            Token::Close("t") => in_text = false,
            Token::Text(piece) if in_text => text.push_str(&piece),
            Token::Close("si") => strings.push(std::mem::take(&mut text)),
            _ => {}
        }
    }
    strings
}

/// The column of `C7`, from 0.
fn column(reference: &str) -> Option<usize> {
    let letters = reference.bytes().take_while(u8::is_ascii_alphabetic).take(4);
    let number = letters.fold(0usize, |number, letter| {
        number * 26 + usize::from(letter.to_ascii_uppercase().saturating_sub(b'A')) + 1
    });
    number.checked_sub(1)
}

fn rows(xml: &str, strings: &[String]) -> String {
    let mut text = String::new();
    let (mut row, mut count): (Vec<String>, usize) = (Vec::new(), 0);
    let (mut kind, mut at, mut value, mut in_value) = (String::new(), 0, String::new(), false);
    for token in Tokens::new(xml) {
        match token {
            Token::Open { name: "c", attributes, .. } => {
                kind = attribute(attributes, "t").unwrap_or_default();
                at = attribute(attributes, "r").and_then(|place| column(&place)).unwrap_or(row.len());
                value.clear();
            }
            Token::Open { name: "v" | "t", is_empty, .. } => in_value = !is_empty,
            Token::Close("v" | "t") => in_value = false,
            Token::Text(piece) if in_value => value.push_str(&piece),
            Token::Close("c") if at < COLUMNS => {
                let shown = match kind.as_str() {
                    "s" => value
                        .parse::<usize>()
                        .ok()
                        .and_then(|at| strings.get(at).cloned())
                        .unwrap_or_default(),
                    "b" => if value == "1" { "TRUE" } else { "FALSE" }.to_owned(),
                    _ => value.clone(),
                };
                row.resize(row.len().max(at + 1), String::new());
                if let Some(cell) = row.get_mut(at) {
                    *cell = shown.replace(['\n', '\r'], " ");
                }
            }
            Token::Close("row") => {
                text.push_str(&format!("| {} |\n", std::mem::take(&mut row).join(" | ")));
                count += 1;
                if count >= ROWS {
                    text.push_str(&format!("[only the first {ROWS} rows are shown]\n"));
                    break;
                }
            }
            _ => {}
        }
    }
    text
}
