//! SEARCH/REPLACE sections: old text, a divider, new text, between two markers.
//!
//! A section whose markers do not add up is refused with the line; guessing which half a line belongs to could
//! delete code.

use super::{Dialect, Line, Parsed, Reader, Taken};
use crate::{Base, Diagnostic, Edit, Hunk, Operation, codes};

/// What a line means inside or outside a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    /// `<<<<<<< SEARCH` or `------- SEARCH`, with the number of marker characters.
    Search(usize),
    /// `=======`, with the number of marker characters.
    Divider(usize),
    /// `>>>>>>> REPLACE` or `+++++++ REPLACE`.
    Replace(usize),
}

/// Reads a line as a marker, if it is one. Between five and nine marker characters count.
pub(crate) fn marker(text: &str) -> Option<Marker> {
    let text = text.trim_end();
    let first = text.chars().next().filter(|first| matches!(first, '<' | '-' | '=' | '>' | '+'))?;
    let rest = text.trim_start_matches(first);
    let length = text.len() - rest.len();
    if !(5..=9).contains(&length) {
        return None;
    }
    let word = rest.trim().trim_end_matches(['>', '<', ':']).to_ascii_uppercase();
    match (first, word.as_str()) {
        ('<' | '-', "SEARCH") | ('<', "ORIGINAL") => Some(Marker::Search(length)),
        ('=', "") => Some(Marker::Divider(length)),
        ('>' | '+', "REPLACE") | ('>', "UPDATED") => Some(Marker::Replace(length)),
        _ => None,
    }
}

/// One section, or what was wrong with it.
pub(crate) type Section = Result<Hunk, Box<Diagnostic>>;

/// Reads all sections of a block's content.
pub(crate) fn parse_sections(lines: &[Line<'_>]) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut reader = Sections::default();
    for line in lines {
        sections.extend(reader.line(line));
    }
    sections.extend(reader.finish());
    sections
}

/// Whether a line begins a section.
pub(crate) fn begins(text: &str) -> bool {
    matches!(marker(text.trim_start()), Some(Marker::Search(_)))
}

/// Reads one section of a file that was named before it.
#[derive(Debug)]
pub(crate) struct SearchReplace {
    path: Option<String>,
    line: usize,
    /// The white space before the opening marker, which the other lines have too.
    indent: usize,
    sections: Sections,
    parsed: Parsed,
}

impl SearchReplace {
    /// A section of the file that was named before it.
    pub fn new(path: Option<String>) -> Self {
        Self { path, line: 0, indent: 0, sections: Sections::default(), parsed: Parsed::default() }
    }

    fn take_section(&mut self, section: Section) {
        match (section, &self.path) {
            (Ok(hunk), Some(path)) => self.parsed.edits.push(Edit {
                path: path.clone(),
                operation: Operation::Patch { hunks: vec![hunk], base: Base::Sequential },
                dialect: Dialect::SearchReplace,
                line: self.line,
            }),
            (Ok(_), None) => self.parsed.diagnostics.push(
                Diagnostic::error(codes::MISSING_PATH, "no path stands before this SEARCH/REPLACE section")
                    .hinted("write the path of the file on a line of its own, directly before the section or its fence")
                    .at(self.line),
            ),
            (Err(mut finding), path) => {
                finding.path.clone_from(path);
                self.parsed.diagnostics.push(*finding);
            }
        }
    }
}

impl Reader for SearchReplace {
    fn line(&mut self, line: Line<'_>, _fenced: bool) -> Taken {
        if self.line == 0 {
            self.line = line.number;
            self.indent = line.text.len() - line.text.trim_start().len();
        }
        let spaces = line.text.bytes().take(self.indent).take_while(u8::is_ascii_whitespace).count();
        let text = line.text.get(spaces..).unwrap_or(line.text);
        if let Some(section) = self.sections.line(&Line { text, ..line }) {
            self.take_section(section);
        }
        if self.sections.open.is_some() { Taken::More } else { Taken::Done }
    }

    fn owns_fences(&self) -> bool {
        self.sections.open.is_some()
    }

    fn take(&mut self) -> Parsed {
        std::mem::take(&mut self.parsed)
    }

    fn finish(mut self: Box<Self>) -> Parsed {
        if let Some(section) = std::mem::take(&mut self.sections).finish() {
            self.take_section(section);
        }
        self.parsed
    }
}

/// Reads sections line by line.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    open: Option<Open>,
}

/// A section whose end has not come yet.
#[derive(Debug)]
struct Open {
    line: usize,
    length: usize,
    hint: Option<usize>,
    body: Vec<(usize, String)>,
}

impl Sections {
    /// Takes one line; returns a section when the line ended one, or a finding when it makes no sense.
    pub fn line(&mut self, line: &Line<'_>) -> Option<Section> {
        let Some(open) = self.open.as_mut() else {
            return match marker(line.text) {
                Some(Marker::Search(length)) => {
                    self.open = Some(Open { line: line.number, length, hint: None, body: Vec::new() });
                    None
                }
                Some(_) => Some(Err(broken(
                    line.number,
                    format!("`{}` stands before any `<<<<<<< SEARCH`", line.text.trim()),
                ))),
                None => None,
            };
        };
        match marker(line.text) {
            Some(Marker::Replace(_)) => {
                let open = self.open.take()?;
                Some(close(open, line.number))
            }
            Some(Marker::Search(_)) => {
                let start = open.line;
                self.open =
                    Some(Open { line: line.number, length: open.length, hint: None, body: Vec::new() });
                Some(Err(broken(
                    line.number,
                    format!("the section that begins in line {start} is not closed before the next begins"),
                )))
            }
            _ => {
                open.body.push((line.number, line.text.to_owned()));
                None
            }
        }
    }

    /// Ends the block; an open section is a finding.
    pub fn finish(self) -> Option<Section> {
        let open = self.open?;
        Some(Err(broken(open.line, "this section has no `>>>>>>> REPLACE`: the reply seems cut off")))
    }
}

fn broken(line: usize, message: impl Into<String>) -> Box<Diagnostic> {
    let finding = Diagnostic::error(codes::BAD_MARKERS, message)
        .hinted("each section is `<<<<<<< SEARCH`, the old lines, `=======`, the new lines, `>>>>>>> REPLACE`, every marker on its own line")
        .at(line);
    Box::new(finding)
}

fn close(open: Open, end: usize) -> Section {
    let dividers: Vec<(usize, usize)> = open
        .body
        .iter()
        .enumerate()
        .filter_map(|(at, (_, text))| match marker(text) {
            Some(Marker::Divider(length)) => Some((at, length)),
            _ => None,
        })
        .collect();
    // When the text itself holds `=====` lines, the divider is the only one as long as the other markers.
    let same: Vec<usize> =
        dividers.iter().filter(|(_, length)| *length == open.length).map(|(at, _)| *at).collect();
    let divider = match (dividers.as_slice(), same.as_slice()) {
        ([(only, _)], _) | (_, [only]) => *only,
        ([], _) => {
            return Err(broken(
                end,
                format!("the section that begins in line {} has no `=======` line", open.line),
            ));
        }
        _ => {
            let finding = Diagnostic::error(
                codes::BAD_MARKERS,
                format!("the section that begins in line {} has several `=======` lines, so it is open where the new text begins", open.line),
            )
            .hinted("make the three markers longer than every `===` line in the text: nine characters each")
            .at(open.line);
            return Err(Box::new(finding));
        }
    };
    let (old, new) = open.body.split_at_checked(divider).unwrap_or((&[], &[]));
    let new = new.get(1..).unwrap_or_default();
    let (old, hint) = strip_preface(old, open.hint);
    let old: Vec<&str> = old.iter().map(|(_, text)| unescape(text)).collect();
    let new: Vec<&str> = new.iter().map(|(_, text)| unescape(text)).collect();
    let (old, new, number) = strip_numbers(old, new);
    let mut hunk = Hunk::from_sides(&old, &new, open.line);
    hunk.line_hint = hint.or(number);
    Ok(hunk)
}

/// Takes the line numbers off text that was copied with them, such as `12 | let a = 1;`.
///
/// All lines must have one, and those of the old text must count up; anything else is the text itself.
fn strip_numbers<'t>(old: Vec<&'t str>, new: Vec<&'t str>) -> (Vec<&'t str>, Vec<&'t str>, Option<usize>) {
    let split = |line: &'t str| -> Option<(usize, &'t str)> {
        let (number, text) = line.split_once('|')?;
        let text = text.strip_prefix(' ').or_else(|| text.is_empty().then_some(text))?;
        Some((number.trim().parse().ok()?, text))
    };
    let numbered: Option<Vec<(usize, &str)>> = old.iter().map(|line| split(line)).collect();
    let replaced: Option<Vec<(usize, &str)>> = new.iter().map(|line| split(line)).collect();
    let (Some(numbered), Some(replaced)) = (numbered, replaced) else { return (old, new, None) };
    let Some(first) = numbered.first().map(|(number, _)| *number) else { return (old, new, None) };
    if !numbered.iter().zip(first..).all(|((number, _), expected)| *number == expected) {
        return (old, new, None);
    }
    let texts = |lines: Vec<(usize, &'t str)>| lines.into_iter().map(|(_, text)| text).collect();
    (texts(numbered), texts(replaced), Some(first))
}

/// Takes `:start_line:`, `:end_line:` and the `-------` line off the front of the old text.
fn strip_preface(
    mut old: &[(usize, String)],
    mut hint: Option<usize>,
) -> (&[(usize, String)], Option<usize>) {
    while let Some(((_, text), rest)) = old.split_first() {
        let text = text.trim();
        if let Some(number) = text.strip_prefix(":start_line:") {
            let number = number.trim().trim_start_matches('[').trim_end_matches(']');
            hint = number.trim().parse().ok().or(hint);
        } else if text.starts_with(":end_line:") {
            // The end follows from the lines themselves.
        } else if text.len() >= 5 && text.bytes().all(|byte| byte == b'-') {
            return (rest, hint);
        } else {
            break;
        }
        old = rest;
    }
    (old, hint)
}

/// A content line that looks like a marker may be written with a backslash before it.
fn unescape(text: &str) -> &str {
    match text.strip_prefix('\\') {
        Some(rest) if marker(rest).is_some() => rest,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::lines_of;

    fn parse(text: &str) -> Vec<Section> {
        parse_sections(&lines_of(text))
    }

    fn check(text: &str, old: &[&str], new: &[&str]) {
        let sections = parse(text);
        let [Ok(hunk)] = sections.as_slice() else { panic!("{text}: {sections:?}") };
        assert_eq!(hunk.old_lines().collect::<Vec<_>>(), old, "{text}");
        assert_eq!(hunk.new_lines().collect::<Vec<_>>(), new, "{text}");
    }

    fn check_broken(text: &str, line: usize, message: &str) {
        let sections = parse(text);
        let finding = sections.iter().find_map(|section| section.as_ref().err()).expect("a finding");
        assert_eq!(finding.line, Some(line), "{finding:?}");
        assert!(finding.message.contains(message), "{finding:?}");
        assert!(finding.hint.is_some());
    }

    #[test]
    fn reads_sections_in_every_spelling() {
        check("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", &["a"], &["b"]);
        check("<<<<<<< SEARCH\n-------\na\n=======\nb\n>>>>>>> REPLACE\n", &["a"], &["b"]);
        check("------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n", &["a"], &["b"]);
        check("<<<<< SEARCH\na\n=====\nb\n>>>>> REPLACE\n", &["a"], &["b"]);
        check("<<<<<<<<< SEARCH>\na\n=========\nb\n>>>>>>>>> REPLACE\n", &["a"], &["b"]);
        check("<<<<<<< SEARCH\n=======\nb\n>>>>>>> REPLACE\n", &[], &["b"]);
        check("<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n", &["a"], &[]);
    }

    #[test]
    fn reads_line_hints() {
        let sections =
            parse("<<<<<<< SEARCH\n:start_line:12\n:end_line:13\n-------\na\n=======\nb\n>>>>>>> REPLACE\n");
        assert_eq!(sections[0].as_ref().expect("a hunk").line_hint, Some(12));
        let bracketed = "<<<<<<< SEARCH\n:start_line: [7]\n-------\na\n=======\nb\n>>>>>>> REPLACE\n";
        assert_eq!(parse(bracketed)[0].as_ref().expect("a hunk").line_hint, Some(7));
    }

    #[test]
    fn copied_line_numbers_are_taken_off() {
        check("<<<<<<< SEARCH\n 7 | a\n 8 |\n=======\n 7 | b\n>>>>>>> REPLACE\n", &["a", ""], &["b"]);
        check(
            "<<<<<<< SEARCH\n7 | a\n9 | c\n=======\n7 | b\n>>>>>>> REPLACE\n",
            &["7 | a", "9 | c"],
            &["7 | b"],
        );
        check("<<<<<<< SEARCH\n7 | a\n=======\nb\n>>>>>>> REPLACE\n", &["7 | a"], &["b"]);
    }

    #[test]
    fn text_may_look_like_a_divider_when_the_markers_are_longer() {
        check(
            "<<<<<<<<< SEARCH\nTitle\n=======\n=========\nOther\n=======\n>>>>>>>>> REPLACE\n",
            &["Title", "======="],
            &["Other", "======="],
        );
        check("<<<<<<< SEARCH\n\\=======\n=======\nb\n>>>>>>> REPLACE\n", &["======="], &["b"]);
        check_broken("<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n", 1, "several");
    }

    #[test]
    fn broken_markers_are_told_with_their_line() {
        check_broken("<<<<<<< SEARCH\na\n=======\nb\n", 1, "no `>>>>>>> REPLACE`");
        check_broken("<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", 3, "no `=======`");
        check_broken("a\n=======\nb\n>>>>>>> REPLACE\n", 2, "before any");
        check_broken(
            "<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n",
            5,
            "not closed",
        );
    }
}
