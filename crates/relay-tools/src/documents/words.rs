//! Word documents (docx): paragraphs, headings, lists and tables.

use super::markup::{Token, Tokens, attribute};
use super::package::Package;

/// The document as markdown.
pub fn text(bytes: &[u8]) -> Result<String, String> {
    let document = Package::open(bytes)?.needed("word/document.xml")?;
    let mut reader = Reader::default();
    for token in Tokens::new(&document) {
        match token {
            Token::Open { name, attributes, is_empty } => reader.open(name, attributes, is_empty),
            Token::Close(name) => reader.close(name),
            Token::Text(text) if reader.in_text => reader.paragraph.push_str(&text),
            Token::Text(_) => {}
        }
    }
    Ok(reader.text)
}

#[derive(Default)]
struct Reader {
    text: String,
    paragraph: String,
    prefix: String,
    in_text: bool,
    /// The cells of the row that is being read, for each table around it.
    rows: Vec<Vec<String>>,
}

impl Reader {
    fn open(&mut self, name: &str, attributes: &str, is_empty: bool) {
        match name {
            "p" if is_empty => self.end_paragraph(),
            "t" | "delText" => self.in_text = !is_empty && name == "t",
            "tab" => self.paragraph.push('\t'),
            "br" | "cr" => self.paragraph.push('\n'),
            "pStyle" => {
                let style = attribute(attributes, "val").unwrap_or_default();
                let level = style.strip_prefix("Heading").and_then(|level| level.parse::<usize>().ok());
                match level {
                    Some(level) => self.prefix = format!("{} ", "#".repeat(level.clamp(1, 6))),
                    None if style == "Title" => self.prefix = "# ".to_owned(),
                    None => {}
                }
            }
            "numPr" if self.prefix.is_empty() => self.prefix = "- ".to_owned(),
            "tr" => self.rows.push(Vec::new()),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "t" => self.in_text = false,
            "p" => self.end_paragraph(),
            "tc" => {
                let cell = std::mem::take(&mut self.paragraph);
                if let Some(row) = self.rows.last_mut() {
                    row.push(cell.trim().replace('\n', " "));
                }
            }
            "tr" => {
                if let Some(row) = self.rows.pop() {
                    self.text.push_str(&format!("| {} |\n", row.join(" | ")));
                }
            }
            "tbl" => self.text.push('\n'),
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        // In a cell, paragraphs are pieces of one text.
        if !self.rows.is_empty() {
            self.paragraph.push(' ');
            return;
        }
        let paragraph = std::mem::take(&mut self.paragraph);
        let prefix = std::mem::take(&mut self.prefix);
        self.text.push_str(&prefix);
        self.text.push_str(paragraph.trim_end());
        self.text.push_str(if prefix == "- " { "\n" } else { "\n\n" });
    }
}
