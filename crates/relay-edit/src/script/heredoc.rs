//! Here-documents: the text below a command that goes into a file or into a program.

use super::simple::{self, below, words};
use super::{Changing, Effect, Script};
use crate::dialect::Dialect;
use crate::{Edit, Operation};

/// The command that a here-document belongs to.
#[derive(Debug)]
pub(super) struct Document {
    command: String,
    /// The word that ends the text.
    end: String,
    /// The shell puts values into the text.
    expands: bool,
    /// Tabs before the text are not part of it.
    strips_tabs: bool,
}

/// Reads a line that opens a here-document. `cat > a.ts <<'EOF'`.
pub(super) fn begin(line: &str) -> Option<Document> {
    let (before, after) = line.split_once("<<")?;
    let after = after.strip_prefix('<').map_or(Some(after), |_| None)?;
    let (strips_tabs, after) = after.strip_prefix('-').map_or((false, after), |rest| (true, rest));
    let after = after.trim_start();
    let quote = after.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let (end, rest) = match quote {
        Some(quote) => after.strip_prefix(quote)?.split_once(quote)?,
        None => {
            let escaped = after.strip_prefix('\\').unwrap_or(after);
            let length =
                escaped.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(escaped.len());
            escaped.split_at_checked(length)?
        }
    };
    let is_word = end.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let expands = quote.is_none() && !after.starts_with('\\');
    is_word.then(|| Document {
        command: format!("{before} {rest}"),
        end: end.to_owned(),
        expands,
        strips_tabs,
    })
}

impl Document {
    /// Whether a line ends the text. `EOF`.
    pub fn ends(&self, line: &str) -> bool {
        let line = if self.strips_tabs { line.trim_start_matches('\t') } else { line };
        line.trim_end() == self.end
    }

    /// What the command does with the text.
    pub fn settle(&self, body: &[&str], folder: &str, line: usize, script: &mut Script) {
        let mut inner = folder.to_owned();
        let (before, own) = self.command.rsplit_once("&&").unwrap_or(("", &self.command));
        simple::note(before, &mut inner, script);
        let parts: Vec<&str> = own.split('|').collect();
        let words: Vec<String> = parts.iter().flat_map(|part| words(part)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "sudo").collect();
        let text = self.text(body);
        let write = |path: &str| {
            let (path, content) = (below(&inner, path), text.clone()?);
            let operation = Operation::Write { content };
            Some(Edit { path, operation, dialect: Dialect::Shell, line })
        };
        let edit = match words.as_slice() {
            ["cat", ">", path] | ["tee", path] | ["tee", path, ">", "/dev/null"] | ["cat", "tee", path] => {
                write(path)
            }
            ["cat", "tee", path, ">", "/dev/null"] => write(path),
            ["cat"] => return,
            _ => {
                let known = script.changes.len();
                simple::note(own, &mut inner.clone(), script);
                if script.changes.len() > known || is_harmless(&words, body) {
                    return;
                }
                None
            }
        };
        match edit {
            Some(edit) => script.edits.push(edit),
            None => script.changes.push(Changing {
                command: own.trim().to_owned(),
                operands: Vec::new(),
                effect: Effect::Any,
            }),
        }
    }

    /// The text as the shell hands it on; `None` when it puts values in that are not known here.
    fn text(&self, body: &[&str]) -> Option<String> {
        let mut text = String::new();
        for line in body {
            let line = if self.strips_tabs { line.trim_start_matches('\t') } else { line };
            match self.expands {
                true => text.push_str(&expanded(line)?),
                false => text.push_str(line),
            }
            text.push('\n');
        }
        Some(text)
    }
}

/// A line without the backslashes that keep the shell from expanding it. `price: $5` for `price: \$5`.
fn expanded(line: &str) -> Option<String> {
    let mut text = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.push(chars.next_if(|next| matches!(next, '$' | '`' | '\\')).unwrap_or('\\')),
            '`' => return None,
            '$' if chars
                .peek()
                .is_some_and(|next| next.is_alphanumeric() || matches!(next, '{' | '(' | '_')) =>
            {
                return None;
            }
            c => text.push(c),
        }
    }
    Some(text)
}

/// Whether a program gets text in which nothing writes a file: a query, a request, a short script that prints. `psql
/// <<SQL`, `SELECT 1;`.
fn is_harmless(words: &[&str], body: &[&str]) -> bool {
    const WRITERS: &[&str] =
        &["write", "open(", "sed ", "mv ", "rm ", "replace", "unlink", "rename", "> ", "dump("];
    let redirects = words.iter().any(|word| matches!(*word, ">" | ">>"));
    !redirects && !body.iter().any(|line| WRITERS.iter().any(|word| line.contains(word)))
}
