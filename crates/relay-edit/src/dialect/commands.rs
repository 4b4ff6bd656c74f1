//! Bracketed commands: `[CREATE_FILE path="…"]`, `[EDIT_FILE … start_line end_line]`, `[DELETE_FILE …]`.
//!
//! The other commands of that protocol are named in a warning and never run here.

use super::{Dialect, Line, Parsed, Reader, Taken};
use crate::edit::{Anchor, Target};
use crate::{Base, Diagnostic, Edit, Hunk, HunkLine, Operation, codes};

/// Commands with a body and a closing tag.
const WITH_BODY: &[&str] = &["CREATE_FILE", "EDIT_FILE", "RUN_COMMAND", "MESSAGE", "DONE"];
/// Commands without one.
const ALONE: &[&str] = &["DELETE_FILE", "READ_FILE"];

/// Whether a line begins a command.
pub(crate) fn begins(text: &str) -> bool {
    tag(text).is_some()
}

/// The name and the attributes of an opening tag.
fn tag(text: &str) -> Option<(&'static str, &str)> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let name = WITH_BODY.iter().chain(ALONE).find(|name| {
        inner
            .strip_prefix(**name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    })?;
    Some((name, inner.get(name.len()..)?))
}

/// Reads one command.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    open: Option<Open>,
    parsed: Parsed,
}

#[derive(Debug)]
struct Open {
    name: &'static str,
    attributes: String,
    line: usize,
    body: Vec<String>,
}

impl Reader for Commands {
    fn line(&mut self, line: Line<'_>, _fenced: bool) -> Taken {
        let Some(open) = self.open.as_mut() else {
            let Some((name, attributes)) = tag(line.text) else { return Taken::NotMine };
            let open = Open { name, attributes: attributes.to_owned(), line: line.number, body: Vec::new() };
            if ALONE.contains(&name) {
                self.close(open);
                return Taken::Done;
            }
            self.open = Some(open);
            return Taken::More;
        };
        if line.text.trim() == format!("[/{}]", open.name) {
            if let Some(open) = self.open.take() {
                self.close(open);
            }
            return Taken::Done;
        }
        open.body.push(line.text.to_owned());
        Taken::More
    }

    fn owns_fences(&self) -> bool {
        self.open.is_some()
    }

    fn take(&mut self) -> Parsed {
        std::mem::take(&mut self.parsed)
    }

    fn finish(mut self: Box<Self>) -> Parsed {
        if let Some(open) = self.open.take() {
            self.parsed.diagnostics.push(
                Diagnostic::error(
                    codes::UNCLOSED_BLOCK,
                    format!("`[{}]` is never closed: the reply seems cut off", open.name),
                )
                .hinted(format!("end it with a line `[/{}]`", open.name))
                .at(open.line),
            );
        }
        self.parsed
    }
}

impl Commands {
    fn close(&mut self, open: Open) {
        let line = open.line;
        if !matches!(open.name, "CREATE_FILE" | "EDIT_FILE" | "DELETE_FILE") {
            if !matches!(open.name, "MESSAGE" | "DONE") {
                self.parsed.diagnostics.push(
                    Diagnostic::warning(
                        codes::NOT_RUN,
                        format!("`[{}]` is not run when a reply is applied", open.name),
                    )
                    .hinted("run it yourself, or use the mail channel")
                    .at(line),
                );
            }
            return;
        }
        let Some(path) = attribute(&open.attributes, "path").filter(|path| !path.is_empty()) else {
            return self.complain(codes::MISSING_PATH, line, format!("`[{}]` has no path", open.name));
        };
        let operation = match open.name {
            "CREATE_FILE" => {
                let mut content = open.body.join("\n");
                content.truncate(content.trim_end_matches('\n').len());
                content.push('\n');
                Operation::Write { content }
            }
            "DELETE_FILE" => Operation::Delete,
            _ => match range(&open.attributes) {
                Ok(target) => {
                    let mut hunk = Hunk::new(open.body.iter().cloned().map(HunkLine::Added).collect(), line);
                    hunk.target = target;
                    Operation::Patch { hunks: vec![hunk], base: Base::Sequential }
                }
                Err(message) => return self.complain(codes::BAD_ANCHOR, line, message),
            },
        };
        self.parsed.edits.push(Edit { path: path.to_owned(), operation, dialect: Dialect::Commands, line });
    }

    fn complain(&mut self, code: crate::Code, line: usize, message: String) {
        self.parsed.diagnostics.push(
            Diagnostic::error(code, message)
                .hinted("write [EDIT_FILE path=\"src/a.rs\" start_line=\"3\" end_line=\"5\"], [CREATE_FILE path=\"…\"] or [DELETE_FILE path=\"…\"]")
                .at(line),
        );
    }
}

fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    attributes.split_once(&format!("{name}=\""))?.1.split('"').next()
}

fn range(attributes: &str) -> Result<Target, String> {
    let number = |name: &str| {
        let text = attribute(attributes, name).ok_or_else(|| format!("`{name}` is missing"))?;
        text.trim()
            .parse::<usize>()
            .ok()
            .filter(|number| *number > 0)
            .ok_or_else(|| format!("`{name}` is no line number: `{text}`"))
    };
    let (first, last) = (number("start_line")?, number("end_line")?);
    if last < first {
        return Err(format!("`end_line` {last} comes before `start_line` {first}"));
    }
    let anchor = |line| Anchor { line, hash: None };
    Ok(Target::Lines { first: anchor(first), last: anchor(last) })
}
