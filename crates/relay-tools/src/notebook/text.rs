//! A notebook as text: the source of every cell below a line that names it.

use serde::Deserialize;

#[derive(Deserialize)]
struct Document {
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(default)]
    cell_type: String,
    #[serde(default)]
    source: Source,
}

/// A source is a list of lines, or one text.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Source {
    Lines(Vec<String>),
    Text(String),
    Other(serde::de::IgnoredAny),
}

impl Default for Source {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Source {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Lines(lines) => lines.concat(),
            Self::Text(text) => text.clone(),
            Self::Other(_) => String::new(),
        }
    }
}

/// What a line that begins a cell says: its kind, and which cell it was, `# %% [code] cell:0`. A new cell has no number.
pub fn marker(line: &str) -> Option<(&str, Option<usize>)> {
    let (kind, rest) = line.strip_prefix("# %% [")?.split_once(']')?;
    let index = match rest.trim() {
        "" => None,
        named => Some(named.strip_prefix("cell:")?.parse().ok()?),
    };
    matches!(kind, "code" | "markdown" | "raw").then_some((kind, index))
}

/// The cells of a notebook, each below `# %% [code] cell:0`.
///
/// # Errors
/// It is not a notebook.
pub fn as_text(bytes: &[u8]) -> Result<String, String> {
    let value: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|error| format!("This is not valid JSON: {error}."))?;
    if !value.get("cells").is_some_and(serde_json::Value::is_array) {
        return Err("This is not a notebook: it has no list of cells.".to_owned());
    }
    let document: Document =
        serde_json::from_value(value).map_err(|error| format!("This is not a notebook: {error}."))?;
    let mut text = String::new();
    for (index, cell) in document.cells.iter().enumerate() {
        let kind = if cell.cell_type.is_empty() { "raw" } else { &cell.cell_type };
        text.push_str(&format!("# %% [{kind}] cell:{index}\n"));
        let source = cell.source.text();
        text.push_str(&source);
        if !source.is_empty() && !source.ends_with('\n') {
            text.push('\n');
        }
    }
    Ok(text)
}
