//! Opening tags: `[NAME key="value" …]` at the beginning of a line.

/// Commands with a body and a closing tag.
pub(crate) const WITH_BODY: &[&str] = &["CREATE_FILE", "EDIT_FILE", "RUN_COMMAND", "MESSAGE", "DONE"];
/// Commands without one.
pub(crate) const ALONE: &[&str] = &["DELETE_FILE", "READ_FILE"];
/// Commands that change files.
pub(crate) const EDITING: &[&str] = &["CREATE_FILE", "EDIT_FILE", "DELETE_FILE"];
/// Commands whose body is prose, so that it may as well begin beside the tag.
const PROSE: &[&str] = &["RUN_COMMAND", "MESSAGE", "DONE"];

/// An opening tag.
#[derive(Debug)]
pub(crate) struct Tag<'a> {
    /// The command's name.
    pub name: &'a str,
    /// What is after the tag on its line; `None` if the tag never ends.
    pub rest: Option<&'a str>,
    attributes: Vec<(&'a str, &'a str)>,
}

/// The tag a line begins with. A name nobody knows counts only if the tag is whole and has attributes: prose is full of
/// brackets. What follows the name of a command is its tag, unless the word continues. `[EDIT_FILE path="a.ts"
/// lines="3-7"]`.
pub(crate) fn opening(line: &str) -> Option<Tag<'_>> {
    let inner = line.trim().strip_prefix('[')?;
    let end = inner.find(|c: char| !c.is_ascii_uppercase() && c != '_').unwrap_or(inner.len());
    let (name, after) = inner.split_at_checked(end)?;
    if name.is_empty() || !(after.is_empty() || after.starts_with([' ', '\t', ']', '/', ':', '='])) {
        return None;
    }
    let (attributes, rest) = attributes(after);
    let tag = Tag { name, rest, attributes };
    (tag.is_known() || (tag.rest.is_some() && !tag.attributes.is_empty())).then_some(tag)
}

/// Whether a command begins somewhere in a text. `[EDIT_FILE` in the middle of a line.
fn holds_command(text: &str) -> bool {
    let begins = |(at, _): (usize, &str)| text.get(at..).and_then(opening).is_some_and(|tag| tag.is_known());
    text.match_indices('[').any(begins)
}

/// Reads `key="value"` up to the bracket that ends the tag, and returns what follows it. Values may hold brackets.
fn attributes(mut text: &str) -> (Vec<(&str, &str)>, Option<&str>) {
    let mut found = Vec::new();
    loop {
        text = text.trim_start();
        let ended = text.strip_prefix("/]").or_else(|| text.strip_prefix(']'));
        if ended.is_some() {
            return (found, ended);
        }
        let Some((key, value)) = text.split_once('=') else { return (found, None) };
        let Some((value, rest)) = quoted(value.trim_start()) else { return (found, None) };
        found.push((key.trim(), value));
        text = rest;
    }
}

/// A quoted text and what follows it. Programs that a message went through may have made the quotes curly.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let opened = text.chars().next()?;
    let ends: &[char] = match opened {
        '"' => &['"'],
        '\'' => &['\''],
        '\u{201c}' | '\u{201d}' => &['\u{201d}', '\u{201c}'],
        _ => return None,
    };
    let inner = text.get(opened.len_utf8()..)?;
    let (at, end) = inner.char_indices().find(|(_, c)| ends.contains(c))?;
    Some((inner.get(..at)?, inner.get(at + end.len_utf8()..)?))
}

impl<'a> Tag<'a> {
    /// Whether it is the tag of a command. `EDIT_FILE`.
    pub(crate) fn is_known(&self) -> bool {
        WITH_BODY.contains(&self.name) || ALONE.contains(&self.name)
    }

    /// Whether the text around it speaks of the command: a link, a list, a word of a sentence. `[READ_FILE](docs)`, `-
    /// [READ_FILE] reads`.
    pub(crate) fn is_mentioned(&self) -> bool {
        let beside = self.rest.and_then(|rest| rest.chars().next());
        self.attributes.is_empty() && beside.is_some_and(|c| c.is_ascii_punctuation() && c != '[')
    }

    /// What is wrong with the tag itself. `[EDIT_FILE path="a.ts"` without its bracket.
    pub(crate) fn fault(&self) -> Option<String> {
        if !self.is_known() {
            let names = WITH_BODY.iter().chain(ALONE).copied().collect::<Vec<_>>().join(", ");
            return Some(format!("Unknown command; the commands are {names}"));
        }
        let rest = self.rest.map(str::trim);
        match rest {
            None => Some("The tag is not closed: write [NAME key=\"value\"] on one line".to_owned()),
            Some("") => None,
            // Words after a command without a body are a remark (`[DELETE_FILE path="x"] remove it`), another command is not.
            Some(rest) if ALONE.contains(&self.name) => holds_command(rest)
                .then(|| "Another command after the tag: write each command on a line of its own".to_owned()),
            Some(_) if PROSE.contains(&self.name) || self.body_on_its_line().is_some() => None,
            Some(_) => Some("Text after the tag: the body begins on the next line".to_owned()),
        }
    }

    /// The body of a command that is written on one line, closing tag and all. `[CREATE_FILE path="a"]x[/CREATE_FILE]`.
    pub(crate) fn body_on_its_line(&self) -> Option<Vec<String>> {
        let body = self.rest?.trim().strip_suffix(&format!("[/{}]", self.name))?.trim();
        Some(if body.is_empty() { Vec::new() } else { vec![body.to_owned()] })
    }

    /// The value of an attribute.
    pub(crate) fn attribute(&self, key: &str) -> Result<&'a str, String> {
        let found = self.attributes.iter().find(|(name, _)| *name == key);
        found.map(|(_, value)| *value).ok_or_else(|| format!("Missing required attribute '{key}'"))
    }

    /// The attribute `path`.
    pub(crate) fn path(&self) -> Result<String, String> {
        match self.attribute("path")?.trim() {
            "" => Err("The attribute 'path' is empty".to_owned()),
            path => Ok(path.to_owned()),
        }
    }

    /// The attributes `start_line` and `end_line`.
    pub(crate) fn line_range(&self) -> Result<(usize, usize), String> {
        let number = |key: &str| {
            let text = self.attribute(key)?.trim();
            let number = text.parse::<usize>().ok().filter(|number| *number > 0);
            number.ok_or_else(|| format!("Invalid {key} '{text}': it must be a whole number, 1 or more"))
        };
        let (first, last) = (number("start_line")?, number("end_line")?);
        if last < first {
            return Err(format!("Invalid line range: end_line {last} comes before start_line {first}"));
        }
        Ok((first, last))
    }
}
