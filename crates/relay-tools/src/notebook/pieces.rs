//! A notebook that is put together again from cells that stay, change, come, go or move.

use super::splice::Notebook;
use super::text::Source;

/// One cell of a notebook that is put together again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A cell as it is.
    Kept(usize),
    /// A cell with another source.
    Changed(usize, String),
    /// One that is new.
    New { kind: String, source: String },
}

impl Notebook<'_> {
    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether the source of a cell ends with a newline of its own.
    pub fn ends_with_newline(&self, index: usize) -> bool {
        let raw = self.fields(index).ok().and_then(|(fields, _)| fields.source);
        let source: Option<Source> = raw.and_then(|raw| serde_json::from_str(raw.get()).ok());
        source.is_some_and(|source| source.text().ends_with('\n'))
    }

    /// The notebook with these cells. As long as none comes, goes or moves, only sources change.
    ///
    /// # Errors
    /// A cell cannot be read.
    pub fn with_pieces(&self, pieces: &[Piece]) -> Result<Vec<u8>, String> {
        let texts = pieces.iter().enumerate().map(|(at, piece)| match piece {
            Piece::Kept(index) => {
                Ok(self.slice(self.cells.get(*index).copied().unwrap_or_default()).to_owned())
            }
            Piece::Changed(index, source) => self.changed(*index, source),
            Piece::New { kind, source } => Ok(self.new_cell(at, source, kind)),
        });
        let texts: Vec<String> = texts.collect::<Result<_, String>>()?;
        let unit = self.unit();
        let line = |indent: &str| if unit.is_empty() { String::new() } else { format!("\n{indent}") };
        let (Some(first), Some(last)) = (self.cells.first(), self.cells.last()) else {
            let list = texts.join(&format!(",{}", line(&unit.repeat(2))));
            let all = format!("{}{list}{}", line(&unit.repeat(2)), line(unit));
            return Ok(self.with(self.list, if texts.is_empty() { "" } else { &all }));
        };
        let mut all = self.slice((self.list.0, first.0)).to_owned();
        for (at, text) in texts.iter().enumerate() {
            if at > 0 {
                // Between cells is what was there, as long as there was something.
                let between = self.cells.get(at - 1).zip(self.cells.get(at));
                let between = between.map(|(one, next)| self.slice((one.1, next.0)).to_owned());
                all.push_str(&between.unwrap_or_else(|| format!(",{}", line(&self.indent_at(first.0)))));
            }
            all.push_str(text);
        }
        all.push_str(self.slice((last.1, self.list.1)));
        Ok(self.with(self.list, if texts.is_empty() { "" } else { &all }))
    }
}
