//! SEARCH/REPLACE sections: old text, a divider, new text, between two markers.
//!
//! A section whose markers do not add up is refused with the line; guessing which half a line belongs to could
//! delete code.

use super::findings::shorten;
use super::marker::{MOST, Marker, Opened, is_line_marker, marker, unescape};
use super::{Dialect, Kept, Line, OwnedLine, Parsed, Reader, Taken, path_line};
use crate::{Base, Diagnostic, Edit, Hunk, Operation, codes};

/// One section, or what was wrong with it.
pub(crate) type Section = Result<Hunk, Box<Diagnostic>>;

/// Reads all sections of a block's content.
pub(crate) fn sections<'l>(lines: &'l [Line<'l>]) -> impl Iterator<Item = Section> + 'l {
    let mut reader = Sections::default();
    // After the last line comes the end of the block.
    let lines = lines.iter().map(Some).chain([None]);
    lines.filter_map(move |line| match line {
        Some(line) => reader.line(line),
        None => std::mem::take(&mut reader).finish(),
    })
}

/// Whether a line begins a section. `<<<<<<< SEARCH`.
pub(crate) fn begins(text: &str) -> bool {
    matches!(marker(text.trim_start()), Some(Marker::Search(_)))
}

/// Reads one section of a file that was named before it.
#[derive(Debug)]
pub(crate) struct SearchReplace {
    path: Option<String>,
    /// The path is one that the prose speaks of, or that of the section before it.
    presumed: bool,
    /// The path may be a sentence, which must not become the name of a new file.
    is_sentence: bool,
    line: usize,
    /// The white space before the opening marker, which the other lines have too.
    indent: usize,
    sections: Sections,
    parsed: Parsed,
}

impl SearchReplace {
    /// A section of the file that was named before it; `is_sentence` says that the name may be none.
    pub fn new(path: Option<String>, is_sentence: bool) -> Self {
        Self {
            path,
            presumed: false,
            is_sentence,
            line: 0,
            indent: 0,
            sections: Sections::default(),
            parsed: Parsed::default(),
        }
    }

    /// A section without a path of its own, of which the prose or the section before it says this.
    pub fn presuming(path: Option<String>) -> Self {
        Self { presumed: path.is_some(), ..Self::new(path, false) }
    }

    fn take_section(&mut self, section: Section) {
        match (section, &self.path) {
            (Ok(hunk), Some(path)) if self.is_sentence && hunk.old_lines().next().is_none() => {
                self.parsed.findings.push(names_no_file(path, self.line));
            }
            (Ok(hunk), Some(path)) => self.parsed.edits.push(Edit {
                path: path.clone(),
                operation: Operation::Patch {
                    hunks: vec![Hunk { presumed: self.presumed, ..hunk }],
                    base: Base::Sequential,
                },
                dialect: Dialect::SearchReplace,
                line: self.line,
            }),
            (Ok(_), None) => self.parsed.findings.push(
                Diagnostic::error(codes::MISSING_PATH, "this SEARCH/REPLACE section has no path before it")
                    .hinted("write the path of the file on a line of its own, directly before the section or its fence")
                    .at(self.line),
            ),
            (Err(mut finding), path) => {
                finding.path.clone_from(path);
                self.parsed.findings.push(*finding);
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
        true
    }

    fn take(&mut self) -> Option<Parsed> {
        self.parsed.take()
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
    /// The first line of text outside of all sections.
    outside: Option<OwnedLine>,
    /// A section has ended.
    has_sections: bool,
}

/// A section whose end has not come yet.
#[derive(Debug)]
struct Open {
    line: usize,
    markers: Opened,
    body: Kept,
}

impl Open {
    fn new(line: usize, length: usize) -> Self {
        Self { line, markers: Opened::new(length), body: Kept::default() }
    }
}

impl Sections {
    /// Takes one line; returns a section when the line ended one, or a finding when it makes no sense.
    pub fn line(&mut self, line: &Line<'_>) -> Option<Section> {
        let Some(open) = self.open.as_mut() else {
            return match marker(line.text) {
                Some(Marker::Search(length)) => {
                    self.open = Some(Open::new(line.number, length));
                    self.outside()
                }
                Some(_) => Some(Err(broken(
                    line.number,
                    format!("`{}` comes before any `<<<<<<< SEARCH`", line.text.trim()),
                ))),
                None => {
                    self.note_outside(line);
                    None
                }
            };
        };
        match open.markers.read(line.text) {
            Some(Marker::Replace(_)) => {
                let open = self.open.take()?;
                self.has_sections = true;
                Some(close(&open, line.number))
            }
            Some(Marker::Search(_)) => {
                let start = open.line;
                self.open = Some(Open::new(line.number, open.markers.length));
                Some(Err(broken(
                    line.number,
                    format!("the section that begins in line {start} is not closed before the next begins"),
                )))
            }
            _ => {
                open.body.push(*line);
                None
            }
        }
    }

    /// Keeps text outside of all sections.
    fn note_outside(&mut self, line: &Line<'_>) {
        let is_text = !line.text.trim().is_empty()
            && !path_line::is_dots(line.text)
            && path_line::read(line.text).is_none();
        if is_text {
            self.outside.get_or_insert_with(|| (*line).into());
        }
    }

    /// What to say of text outside of all sections: the section above it may have ended at a marker that is part of its text,
    /// and then this is the rest of it.
    fn outside(&mut self) -> Option<Section> {
        let line = self.outside.take()?;
        let message = format!("`{}` belongs to no section", shorten(line.text.trim()));
        let hint = "write explanations outside the block; if a marker above it is text of the file, write a backslash before that";
        Some(Err(Box::new(Diagnostic::error(codes::BAD_MARKERS, message).hinted(hint).at(line.number))))
    }

    /// Ends the block; an open section is a finding.
    pub fn finish(mut self) -> Option<Section> {
        let Some(open) = self.open else { return self.outside().filter(|_| self.has_sections) };
        Some(Err(broken(open.line, "this section has no `>>>>>>> REPLACE`: the reply seems cut off")))
    }
}

/// What to say of a section that makes a file whose name is several words.
pub(crate) fn names_no_file(path: &str, line: usize) -> Diagnostic {
    Diagnostic::error(
        codes::MISSING_PATH,
        format!("`{path}` may be a sentence, and no file is made of that name"),
    )
    .hinted("write the path of a new file alone on the line above; around a path with spaces, put backticks")
    .at(line)
}

fn broken(line: usize, message: impl Into<String>) -> Box<Diagnostic> {
    let finding = Diagnostic::error(codes::BAD_MARKERS, message)
        .hinted("each section is `<<<<<<< SEARCH`, the old lines, `=======`, the new lines, `>>>>>>> REPLACE`, every marker on its own line")
        .at(line);
    Box::new(finding)
}

fn close(open: &Open, end: usize) -> Section {
    let dividers: Vec<(usize, usize)> = open
        .body
        .lines()
        .enumerate()
        .filter_map(|(at, line)| match marker(line.text) {
            Some(Marker::Divider(length)) => Some((at, length)),
            _ => None,
        })
        .collect();
    // Long rules are text, unless the markers are long too.
    let usual = |(_, length): &&(usize, usize)| *length <= MOST || open.markers.length > MOST;
    let dividers: Vec<(usize, usize)> = dividers.iter().filter(usual).copied().collect();
    // When the text itself holds `=====` lines, the divider is the only one as long as the other markers.
    let same: Vec<usize> =
        dividers.iter().filter(|(_, length)| *length == open.markers.length).map(|(at, _)| *at).collect();
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
    let old: Vec<&str> = open.body.range(0..divider).map(|line| line.text).collect();
    let new = || open.body.range(divider + 1..open.body.len());
    if let Some(line) = new().find(|line| is_line_marker(line.text)) {
        let finding = Diagnostic::error(
            codes::BAD_MARKERS,
            "the new text has a line number marker, and would be written into the file",
        )
        .hinted("line numbers go below `<<<<<<< SEARCH`; if the line is content, write a backslash before it")
        .at(line.number);
        return Err(Box::new(finding));
    }
    let (old, hint) = strip_preface(&old);
    let old: Vec<&str> = old.iter().map(|text| unescape(text)).collect();
    let new: Vec<&str> = new().map(|line| unescape(line.text)).collect();
    let mut hunk = Hunk::from_sides(&old, &new, open.line);
    hunk.line_hint = hint;
    Ok(hunk)
}

/// Takes `:start_line:`, `:end_line:` and the `-------` line below them off the front of the old text.
///
/// Dashes alone may be text, such as the line below a heading; whether they are, the file says.
fn strip_preface<'o>(mut old: &'o [&'o str]) -> (&'o [&'o str], Option<usize>) {
    let (mut hint, mut marked) = (None, false);
    while let Some((text, rest)) = old.split_first() {
        let text = text.trim();
        if let Some(number) = text.strip_prefix(":start_line:") {
            let number = number.trim().trim_start_matches('[').trim_end_matches(']');
            hint = number.trim().parse().ok().or(hint);
        } else if text.starts_with(":end_line:") {
            // The end follows from the lines themselves.
        } else if marked && text.len() >= 5 && text.bytes().all(|byte| byte == b'-') {
            return (rest, hint);
        } else {
            break;
        }
        marked = true;
        old = rest;
    }
    (old, hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::lines_of;

    fn parse(text: &str) -> Vec<Section> {
        sections(&lines_of(text)).collect()
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
        check("<<<<<<< SEARCH\n-------\na\n=======\nb\n>>>>>>> REPLACE\n", &["-------", "a"], &["b"]);
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
    fn long_markers_hold_the_usual_ones_as_text() {
        let inner = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE";
        let new: Vec<&str> = inner.lines().collect();
        check(&format!("<<<<<<<<< SEARCH\nx\n=========\n{inner}\n>>>>>>>>> REPLACE\n"), &["x"], &new);
        check(&format!("<<<<<<<<< SEARCH\n{inner}\n=========\nx\n>>>>>>>>> REPLACE\n"), &new, &["x"]);
        // Others may be shorter than the first one.
        check("<<<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n", &["x"], &["y"]);
    }

    /// A marker in a string ends the section, and what follows is the rest of it.
    #[test]
    fn text_between_sections_is_the_rest_of_one() {
        let section = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
        let cut = "<<<<<<< SEARCH\nx\n=======\ny = `\n>>>>>>> REPLACE\n`;\n";
        check_broken(&format!("{cut}{section}"), 6, "belongs to no section");
        check_broken(&format!("{section}z\n"), 6, "belongs to no section");
        for text in ["\n", "...\n", "src/a.ts\n"] {
            let found = parse(&format!("{section}{text}{section}"));
            assert_eq!(found.iter().filter(|section| section.is_ok()).count(), 2, "{text}");
        }
    }

    #[test]
    fn broken_markers_are_reported_with_their_line() {
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
