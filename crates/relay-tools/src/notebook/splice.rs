//! A notebook's cells by where they are in the file, so that one can change and nothing else does.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::text::Source;

/// What is done to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'a> {
    /// Its source is replaced.
    Edit(&'a str),
    /// A new one is put before it.
    Insert { source: &'a str, cell_type: &'a str },
    /// It is removed.
    Delete,
}

/// What came of it.
pub struct Done {
    /// The file.
    pub bytes: Vec<u8>,
    /// The cell's type and source: the new one, or the one that was removed.
    pub cell_type: String,
    pub source: String,
    /// How many cells there are now.
    pub cells: usize,
}

/// A notebook and where its cells are.
pub struct Notebook<'a> {
    pub(super) text: &'a str,
    /// The bytes between the brackets of the list.
    pub(super) list: (usize, usize),
    pub(super) cells: Vec<(usize, usize)>,
    major: u64,
    minor: u64,
}

#[derive(Deserialize)]
struct Top<'a> {
    #[serde(borrow)]
    cells: Option<&'a RawValue>,
    #[serde(default)]
    nbformat: Option<u64>,
    #[serde(default)]
    nbformat_minor: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Fields<'a> {
    #[serde(default)]
    cell_type: String,
    #[serde(borrow, default)]
    pub(super) source: Option<&'a RawValue>,
}

impl<'a> Notebook<'a> {
    /// Finds the cells.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| "Invalid JSON in notebook: it is not UTF-8.".to_owned())?;
        let top: Top<'a> =
            serde_json::from_str(text).map_err(|error| format!("Invalid JSON in notebook: {error}."))?;
        let raw = top.cells.map(RawValue::get).unwrap_or_default();
        if !raw.starts_with('[') {
            return Err("Invalid notebook structure: missing or invalid `cells` array.".to_owned());
        }
        let cells: Vec<&'a RawValue> =
            serde_json::from_str(raw).map_err(|error| format!("Invalid JSON in notebook: {error}."))?;
        let start = offset(text, raw);
        Ok(Self {
            text,
            list: (start + 1, start + raw.len() - 1),
            cells: cells.iter().map(|cell| span(text, cell.get())).collect(),
            major: top.nbformat.unwrap_or(4),
            minor: top.nbformat_minor.unwrap_or(0),
        })
    }

    pub(super) fn slice(&self, (start, end): (usize, usize)) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    pub(super) fn with(&self, (start, end): (usize, usize), new: &str) -> Vec<u8> {
        let before = self.text.get(..start).unwrap_or_default();
        let after = self.text.get(end..).unwrap_or_default();
        [before, new, after].concat().into_bytes()
    }

    /// Changes one cell.
    pub fn change(&self, index: usize, change: &Change<'_>) -> Result<Done, String> {
        let count = self.cells.len();
        let is_insert = matches!(change, Change::Insert { .. });
        let in_range = if is_insert { index <= count } else { index < count };
        if !in_range {
            let most =
                if is_insert { format!("0-{count}") } else { format!("0-{}", count.saturating_sub(1)) };
            let range = if !is_insert && count == 0 {
                "there are no cells".to_owned()
            } else {
                format!("use {most}")
            };
            return Err(format!("Cell index {index} out of range; {range}."));
        }
        match change {
            Change::Edit(source) => self.edit(index, source),
            Change::Insert { source, cell_type } => Ok(self.insert(index, source, cell_type)),
            Change::Delete => self.delete(index),
        }
    }

    pub(super) fn fields(&self, index: usize) -> Result<(Fields<'a>, (usize, usize)), String> {
        let here = self.cells.get(index).copied().unwrap_or_default();
        let fields: Fields<'a> = serde_json::from_str(self.slice(here))
            .map_err(|error| format!("Invalid notebook structure: cell {index}: {error}."))?;
        Ok((fields, here))
    }

    fn edit(&self, index: usize, source: &str) -> Result<Done, String> {
        let (fields, place) = self.fields(index)?;
        let bytes = self.with(place, &self.changed(index, source)?);
        Ok(Done { bytes, cell_type: fields.cell_type, source: source.to_owned(), cells: self.cells.len() })
    }

    /// A cell with another source.
    pub(super) fn changed(&self, index: usize, source: &str) -> Result<String, String> {
        let (fields, (start, end)) = self.fields(index)?;
        let cell = self.slice((start, end));
        let Some(raw) = fields.source else {
            let body = cell.strip_prefix('{').unwrap_or(cell);
            let comma = if body.trim_start().starts_with('}') { "" } else { "," };
            return Ok(format!("{{\"source\":{}{comma}{body}", lines_of(source, "", "")));
        };
        let (from, to) = span(self.text, raw.get());
        // Lines below one another if the old ones were, as deep as the field itself is.
        let lines = lines_of(source, self.unit(), &self.indent_at(from));
        Ok([self.slice((start, from)), &lines, self.slice((to, end))].concat())
    }

    /// The text of a new cell.
    pub(super) fn new_cell(&self, index: usize, source: &str, cell_type: &str) -> String {
        let mut cell = serde_json::Map::new();
        cell.insert("cell_type".to_owned(), cell_type.into());
        if cell_type == "code" {
            cell.insert("execution_count".to_owned(), Value::Null);
        }
        // Cells have ids since version 4.5 of the format.
        if (self.major, self.minor) >= (4, 5) {
            cell.insert("id".to_owned(), self.new_id(index).into());
        }
        cell.insert("metadata".to_owned(), json!({}));
        if cell_type == "code" {
            cell.insert("outputs".to_owned(), json!([]));
        }
        cell.insert("source".to_owned(), split(source).into());
        let unit = self.unit();
        let own = match self.cells.first() {
            Some((start, _)) => self.indent_at(*start),
            None => unit.repeat(2),
        };
        written(&Value::Object(cell), unit, &own)
    }

    fn insert(&self, index: usize, source: &str, cell_type: &str) -> Done {
        let unit = self.unit();
        let own = match self.cells.first() {
            Some((start, _)) => self.indent_at(*start),
            None => unit.repeat(2),
        };
        let written = self.new_cell(index, source, cell_type);
        let line = if unit.is_empty() { String::new() } else { format!("\n{own}") };
        let bytes = match (self.cells.get(index), self.cells.last()) {
            (Some((start, _)), _) => self.with((*start, *start), &format!("{written},{line}")),
            (None, Some((_, end))) => self.with((*end, *end), &format!(",{line}{written}")),
            (None, None) => {
                let close = if unit.is_empty() { String::new() } else { format!("\n{unit}") };
                self.with(self.list, &format!("{line}{written}{close}"))
            }
        };
        Done {
            bytes,
            cell_type: cell_type.to_owned(),
            source: source.to_owned(),
            cells: self.cells.len() + 1,
        }
    }

    fn delete(&self, index: usize) -> Result<Done, String> {
        let (fields, (start, end)) = self.fields(index)?;
        let before = index.checked_sub(1).and_then(|at| self.cells.get(at)).map(|(_, end)| *end);
        let after = self.cells.get(index + 1).map(|(start, _)| *start);
        let gone = match (before, after) {
            // The comma goes with it.
            (_, Some(next)) => (start, next),
            (Some(previous), None) => (previous, end),
            (None, None) => self.list,
        };
        let raw: Option<Source> = fields.source.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let source = raw.unwrap_or_default().text();
        Ok(Done {
            bytes: self.with(gone, ""),
            cell_type: fields.cell_type,
            source,
            cells: self.cells.len() - 1,
        })
    }

    /// One step of indentation: as the file has it, else a blank, which is what Jupyter writes. A file in one line has none.
    pub(super) fn unit(&self) -> &'a str {
        let inner = self.text.trim_start().strip_prefix('{').unwrap_or_default();
        let Some(after) = inner.strip_prefix("\r\n").or_else(|| inner.strip_prefix('\n')) else {
            return if self.text.trim_end().contains('\n') { " " } else { "" };
        };
        let length = after.find(|c: char| c != ' ' && c != '\t').unwrap_or(0);
        after.get(..length).filter(|unit| !unit.is_empty()).unwrap_or(" ")
    }

    /// The blanks at the beginning of the line that a byte is in.
    pub(super) fn indent_at(&self, at: usize) -> String {
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
    }

    /// An id that no cell has. The same notebook and place give the same one, so that a session replays.
    fn new_id(&self, index: usize) -> String {
        let mut number = self.text.bytes().fold(index as u64 ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        loop {
            let id = format!("{:08x}", number & 0xffff_ffff);
            if !self.text.contains(&id) {
                return id;
            }
            number = number.wrapping_add(1);
        }
    }
}

/// Where a piece of a text is in it.
fn offset(text: &str, piece: &str) -> usize {
    piece.as_ptr() as usize - text.as_ptr() as usize
}

fn span(text: &str, piece: &str) -> (usize, usize) {
    let start = offset(text, piece);
    (start, start + piece.len())
}

/// The lines of a source: all but the last keep their end.
fn split(source: &str) -> Vec<&str> {
    source.split_inclusive('\n').collect()
}

/// The lines as a list in JSON, one below the other unless there is no indentation at all.
fn lines_of(source: &str, unit: &str, indent: &str) -> String {
    written(&split(source).into(), unit, indent)
}

/// JSON with this indentation, whose first line is already indented.
fn written(value: &Value, unit: &str, indent: &str) -> String {
    let inner = format!("{indent}{unit}");
    let line = |indent: &str| if unit.is_empty() { String::new() } else { format!("\n{indent}") };
    match value {
        Value::Array(items) if !items.is_empty() => {
            let items: Vec<String> =
                items.iter().map(|item| format!("{}{}", line(&inner), written(item, unit, &inner))).collect();
            format!("[{}{}]", items.join(","), line(indent))
        }
        Value::Object(fields) if !fields.is_empty() => {
            let space = if unit.is_empty() { "" } else { " " };
            let fields: Vec<String> = fields
                .iter()
                .map(|(key, value)| {
                    format!(
                        "{}{}:{space}{}",
                        line(&inner),
                        Value::from(key.as_str()),
                        written(value, unit, &inner)
                    )
                })
                .collect();
            format!("{{{}{}}}", fields.join(","), line(indent))
        }
        value => value.to_string(),
    }
}
