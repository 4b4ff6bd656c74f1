//! The bracketed commands of the mail protocol: what a model may ask for in one message.
//!
//! `docs/formats/mail.md` describes the syntax. Parsing never fails: what cannot be understood becomes a
//! [`Command::Malformed`] in its place, so that the model learns about it and can correct itself. Nothing is carried
//! out here, and no path is checked. The `commands` dialect reads the same tags, but only those that edit files.

pub(crate) mod tag;
#[cfg(test)]
mod tests;

use crate::dialect::{is_text, unfenced};
use crate::edit::{Anchor, Target};
use crate::{Base, Dialect, Edit, Hunk, HunkLine, Operation, leak};
use tag::{ALONE, Tag, opening};

/// The instructions that every outbox carries: each command, the rules for paths, and how to work.
pub const PROTOCOL: &str = include_str!("protocol.md");

/// One command of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `[CREATE_FILE]`: sets a file to exactly this text.
    Create {
        /// The path as written, not checked yet.
        path: String,
        /// The body, every line ended.
        content: String,
    },
    /// `[EDIT_FILE]`: replaces some lines of a file.
    Edit {
        /// The path as written.
        path: String,
        /// The first line that goes, counted from 1.
        first: usize,
        /// The last line that goes.
        last: usize,
        /// The lines that come instead.
        lines: Vec<String>,
    },
    /// `[DELETE_FILE]`.
    Delete {
        /// The path as written.
        path: String,
    },
    /// `[READ_FILE]`: the next message will show this file.
    Read {
        /// The path as written.
        path: String,
        /// The first and the last line, if not all of it.
        lines: Option<(usize, usize)>,
    },
    /// `[RUN_COMMAND]`.
    Run {
        /// The line, or lines, for the shell.
        command: String,
    },
    /// `[MESSAGE]`: something for the user to read.
    Message {
        /// The text.
        text: String,
    },
    /// `[DONE]`: the task is finished.
    Done {
        /// What was achieved.
        summary: String,
    },
    /// Something that was meant to be a command and is none.
    Malformed {
        /// The name in its tag.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// A command, and where it is in the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The command.
    pub command: Command,
    /// The line of its opening tag, counted from 1.
    pub line: usize,
    /// The block as it was written, with its tags.
    pub source: String,
}

impl Written {
    /// Whether the lines of the file were written inside a fence, which was taken off.
    #[must_use]
    pub fn lost_fence(&self) -> bool {
        let (Command::Create { path, .. } | Command::Edit { path, .. }) = &self.command else { return false };
        let lines: Vec<String> = self.source.lines().skip(1).map(str::to_owned).collect();
        let body = lines.split_last().map_or(&[][..], |(_closing_tag, body)| body);
        without_fence(path, body).is_some()
    }

    /// Whether a line is the closing tag of this command once more.
    fn is_ended_by(&self, line: &str) -> bool {
        let is_read = !matches!(self.command, Command::Malformed { .. });
        is_read && line.trim() == format!("[/{}]", self.command.name())
    }
}

impl Command {
    /// The name in its tag.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Command::Create { .. } => "CREATE_FILE",
            Command::Edit { .. } => "EDIT_FILE",
            Command::Delete { .. } => "DELETE_FILE",
            Command::Read { .. } => "READ_FILE",
            Command::Run { .. } => "RUN_COMMAND",
            Command::Message { .. } => "MESSAGE",
            Command::Done { .. } => "DONE",
            Command::Malformed { name, .. } => name,
        }
    }

    /// The command as an edit, if it is one of a file; `line` is where it is in the message.
    #[must_use]
    pub fn as_edit(&self, line: usize) -> Option<Edit> {
        let (path, operation) = match self {
            Command::Create { path, content } => (path, Operation::Write { content: content.clone() }),
            Command::Delete { path } => (path, Operation::Delete),
            Command::Edit { path, first, last, lines } => {
                let mut hunk = Hunk::new(lines.iter().cloned().map(HunkLine::Added).collect(), line);
                hunk.target = lines_target(*first, *last);
                (path, Operation::Patch { hunks: vec![hunk], base: Base::Sequential })
            }
            _ => return None,
        };
        Some(Edit { path: path.clone(), operation, dialect: Dialect::Commands, line })
    }
}

/// The place of an edit that names lines by their numbers only.
pub(crate) const fn lines_target(first: usize, last: usize) -> Target {
    Target::Lines { first: Anchor { line: first, hash: None }, last: Anchor { line: last, hash: None } }
}

/// Reads the commands of a message, in their order. Text around them means nothing.
///
/// ```
/// use relay_edit::commands::{Command, parse};
///
/// let found = parse("Let me look first.\n[READ_FILE path=\"src/a.rs\"]\n");
/// assert_eq!(found[0].command, Command::Read { path: "src/a.rs".to_owned(), lines: None });
/// assert_eq!(found[0].line, 2);
/// ```
#[must_use]
pub fn parse(text: &str) -> Vec<Written> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    let mut found = Vec::new();
    while let Some((line, written)) = lines.next() {
        let Some(tag) = opening(written) else {
            if let Some(last) = found.last_mut().filter(|last: &&mut Written| last.is_ended_by(written)) {
                // The first one may be a line of the body, and what is between them the rest of it.
                let reason = format!(
                    "There is a second closing tag on line {line}: only one may be alone on its line"
                );
                last.command = Command::Malformed { name: last.command.name().to_owned(), reason };
            }
            continue;
        };
        let mut source = vec![written];
        let command = if let Some(reason) = tag.fault() {
            malformed(&tag, reason)
        } else if ALONE.contains(&tag.name) {
            alone(&tag)
        } else {
            let body = match tag.body_on_its_line() {
                Some(body) => Some(body),
                None => collect(&tag, &mut lines, &mut source),
            };
            body.map_or_else(
                || {
                    let reason = format!(
                        "Missing closing tag [/{}]: it was opened on line {line}, and nothing after that was carried out",
                        tag.name
                    );
                    malformed(&tag, reason)
                },
                |body| with_body(&tag, body),
            )
        };
        let written = Written { command, line, source: source.join("\n") };
        if has_leaked(&written) {
            // What a model writes after its own routing is addressed to no one, so reading ends here.
            found.push(Written { command: malformed(&tag, LEAKED), ..written });
            break;
        }
        found.push(written);
    }
    found
}

/// The message to the model about a command with leaked routing.
const LEAKED: &str = "Your own routing (to=functions.…) leaked into this command; neither it nor anything after it was \
carried out. Send them again; put routing that is meant as text in backticks or quotation marks";

/// Whether a model's own routing leaked into what a command would do.
fn has_leaked(written: &Written) -> bool {
    match &written.command {
        _ if !leak::may_be_in(&written.source) => false,
        Command::Run { command } => leak::find(command, leak::Form::Source).is_some(),
        command => command.as_edit(written.line).is_some_and(|edit| leak::of_edit(&edit).is_some()),
    }
}

/// The lines up to the closing tag; `None` if there is none.
fn collect<'t>(
    tag: &Tag<'_>,
    lines: &mut impl Iterator<Item = (usize, &'t str)>,
    source: &mut Vec<&'t str>,
) -> Option<Vec<String>> {
    let end = format!("[/{}]", tag.name);
    let mut body = Vec::new();
    for (_, line) in lines {
        source.push(line);
        if line.trim() == end {
            return Some(body);
        }
        body.push(line.to_owned());
    }
    None
}

fn malformed(tag: &Tag<'_>, reason: impl Into<String>) -> Command {
    Command::Malformed { name: tag.name.to_owned(), reason: reason.into() }
}

fn alone(tag: &Tag<'_>) -> Command {
    let command = tag.path().and_then(|path| {
        let is_part = tag.attribute("start_line").is_ok() || tag.attribute("end_line").is_ok();
        Ok(match tag.name {
            "DELETE_FILE" => Command::Delete { path },
            _ if is_part => Command::Read { path, lines: Some(tag.line_range()?) },
            _ => Command::Read { path, lines: None },
        })
    });
    command.unwrap_or_else(|reason| malformed(tag, reason))
}

fn with_body(tag: &Tag<'_>, body: Vec<String>) -> Command {
    let text = |body: &[String]| body.join("\n").trim().to_owned();
    match tag.name {
        "MESSAGE" => Command::Message { text: text(&body) },
        "DONE" => Command::Done { summary: text(&body) },
        "RUN_COMMAND" if text(&body).is_empty() => malformed(tag, "There is no command between the tags"),
        "RUN_COMMAND" => Command::Run { command: text(&body) },
        _ => file(tag, body).unwrap_or_else(|reason| malformed(tag, reason)),
    }
}

/// The lines between the fences that an author put around a file's lines; `None` where there are none, or where they may be
/// lines of the file: documents and plain texts hold fences.
pub(crate) fn without_fence<'b>(path: &str, body: &'b [String]) -> Option<&'b [String]> {
    if is_text(path) { None } else { unfenced(body) }
}

fn file(tag: &Tag<'_>, body: Vec<String>) -> Result<Command, String> {
    let path = tag.path()?;
    let body = without_fence(&path, &body).map_or_else(|| body.clone(), <[String]>::to_vec);
    if tag.name == "CREATE_FILE" {
        let content = body.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        return Ok(Command::Create { path, content });
    }
    let (first, last) = tag.line_range()?;
    Ok(Command::Edit { path, first, last, lines: body })
}
