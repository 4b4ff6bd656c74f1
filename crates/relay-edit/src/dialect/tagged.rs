//! Tags in place of fences, as aider asks for them where a file holds fences: `<source>python` … `</source>`.
//!
//! Below a path they hold the whole file, or the sections of one. Other tags are HTML and mean nothing here.

use super::findings::never_closed;
use super::{Dialect, Kept, Line, Parsed, Reader, Taken, edit_repl, mistaken, path_line, search_replace};
use crate::{Edit, Operation};

const NAMES: &[&str] = &["source", "code", "pre", "codeblock", "sourcecode"];

/// The name of the tag that a line opens in place of a fence; a language may be after it. `<code>`,
/// `<source>python`.
pub(crate) fn opens(text: &str) -> Option<&'static str> {
    let (name, language) = text.trim().strip_prefix('<')?.split_once('>')?;
    let is_language = language.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-'));
    NAMES.iter().copied().find(|known| *known == name).filter(|_| is_language)
}

/// Whether a line opens or closes such a tag. `</code>`.
pub(crate) fn is_tag(text: &str) -> bool {
    opens(text).is_some() || NAMES.iter().any(|name| closes(text, name))
}

fn closes(text: &str, name: &str) -> bool {
    text.trim().strip_prefix("</").and_then(|rest| rest.strip_suffix('>')) == Some(name)
}

/// Reads what such a tag holds.
#[derive(Debug)]
pub(crate) struct Tagged {
    name: &'static str,
    path: String,
    line: usize,
    /// How far the tag is indented; one that is indented further is a line of the file.
    indent: usize,
    body: Kept,
    closed: bool,
    parsed: Parsed,
}

impl Tagged {
    /// A tag of this name below the path of a file.
    pub fn new(name: &'static str, path: String) -> Self {
        Self {
            name,
            path,
            line: 0,
            indent: 0,
            body: Kept::default(),
            closed: false,
            parsed: Parsed::default(),
        }
    }

    /// Whether this is the first line of an edit, so that the tag is nothing but a fence around it. `<<<<<<< SEARCH`.
    fn is_fence_of(&self, text: &str) -> bool {
        let is_first = self.body.lines().all(|line| line.text.trim().is_empty());
        let begins = search_replace::begins(text) || edit_repl::begins(text);
        is_first && (begins || path_line::read(text).is_some())
    }

    fn close(&mut self) {
        self.closed = true;
        let content = self.body.text(0..self.body.len()).to_owned();
        if let Some(finding) = mistaken::finding(&self.path, content.lines(), self.line) {
            return self.parsed.findings.push(finding.on(&self.path));
        }
        let (path, operation) = (self.path.clone(), Operation::Write { content });
        self.parsed.edits.push(Edit { path, operation, dialect: Dialect::WholeFile, line: self.line });
    }
}

impl Reader for Tagged {
    fn line(&mut self, line: Line<'_>, _fenced: bool) -> Taken {
        let indent = line.indent();
        if self.line == 0 {
            self.line = line.number;
            self.indent = indent;
        } else if closes(line.text, self.name) && indent <= self.indent {
            self.close();
            return Taken::Done;
        } else if self.is_fence_of(line.text) {
            self.closed = true;
            return Taken::NotMine;
        } else {
            self.body.push(line);
        }
        Taken::More
    }

    fn take(&mut self) -> Option<Parsed> {
        self.parsed.take()
    }

    fn finish(mut self: Box<Self>) -> Parsed {
        if !self.closed {
            let hint = format!("end it with a line `</{}>`", self.name);
            let finding = never_closed(&format!("<{}>", self.name), hint, self.line);
            self.parsed.findings.push(finding.on(&self.path));
        }
        self.parsed
    }
}
