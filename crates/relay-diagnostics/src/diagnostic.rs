//! What Relay reports to a person or a model about a reply: a stable code, a message, a hint, and a place.

use std::borrow::Cow;
use std::fmt;

/// The longest line of a message that is shown whole, in bytes. A reply may contain a line of megabytes.
const LINE_BYTES: usize = 2_000;

/// The longest path a file can have, in bytes. A longer one is only ever displayed, so it may be shortened.
const PATH_BYTES: usize = 4_096;

/// A stable, documented name for one kind of finding, such as `unknown-strategy`.
///
/// Every crate defines its own codes as constants; they are listed in `docs/formats/json-output.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(&'static str);

impl Code {
    /// Makes a code; names are lower-case words joined by hyphens.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The name as it appears in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Whether a finding refuses the submission or is only a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The submission cannot land.
    Error,
    /// The submission can land; a person should know.
    Warning,
}

/// One finding about a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable name of this kind of finding.
    pub code: Code,
    /// Whether it refuses the submission.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// A hint: what to do about it.
    pub hint: Option<String>,
    /// The file it concerns, as written in the reply.
    pub path: Option<String>,
    /// The line in the reply, starting at 1.
    pub line: Option<usize>,
    /// The lines of the file it is about, first and last, counted from 1.
    pub file_lines: Option<(u32, u32)>,
}

impl Diagnostic {
    /// A finding that refuses the submission.
    #[must_use]
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: shortened_lines(message.into()),
            hint: None,
            path: None,
            line: None,
            file_lines: None,
        }
    }

    /// A finding that does not.
    #[must_use]
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// Adds the hint.
    #[must_use]
    pub fn hinted(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(shortened_lines(hint.into()));
        self
    }

    /// Names the file it concerns.
    #[must_use]
    pub fn on(mut self, path: impl Into<String>) -> Self {
        let path = path.into();
        self.path = Some(if path.len() > PATH_BYTES { shortened(&path).into_owned() } else { path });
        self
    }

    /// Names the line in the reply, counted from 1.
    #[must_use]
    pub fn at(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    /// Names the lines of the file it is about, first and last, counted from 1.
    #[must_use]
    pub fn about_lines(mut self, first: usize, last: usize) -> Self {
        // Files that Relay reads have fewer lines than that.
        let number = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        self.file_lines = Some((number(first), number(last)));
        self
    }

    /// Whether this finding refuses the submission.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// A text with every line short enough to read.
fn shortened_lines(text: String) -> String {
    if text.len() <= LINE_BYTES {
        return text;
    }
    text.split('\n').map(shortened).collect::<Vec<_>>().join("\n")
}

/// A line without its middle, if it is too long. Both ends matter: the quotation, and the statement about it.
fn shortened(line: &str) -> Cow<'_, str> {
    const BEGINNING: usize = 300;
    const END: usize = 200;
    if line.len() <= LINE_BYTES {
        return Cow::Borrowed(line);
    }
    let (beginning, rest) = line.split_at(line.floor_char_boundary(BEGINNING));
    let (middle, end) = rest.split_at(rest.ceil_char_boundary(rest.len() - END));
    Cow::Owned(format!("{beginning}… ({} characters left out) …{end}", middle.chars().count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_shown_without_their_middle() {
        let long = "x".repeat(1_000_000);
        let finding = Diagnostic::error(Code::new("some-code"), format!("`{long}` is wrong\nsee `{long}`"));
        let finding = finding.hinted(format!("not `{long}`")).on(format!("{long}.rs"));
        let shown = |before: &str, behind: &str| {
            let (beginning, end) = ("x".repeat(300 - before.len()), "x".repeat(200 - behind.len()));
            let left_out = long.len() - beginning.len() - end.len();
            format!("{before}{beginning}… ({left_out} characters left out) …{end}{behind}")
        };
        assert_eq!(finding.message, format!("{}\n{}", shown("`", "` is wrong"), shown("see `", "`")));
        assert_eq!(finding.hint, Some(shown("not `", "`")));
        assert_eq!(finding.path, Some(shown("", ".rs")));
    }

    #[test]
    fn characters_are_not_cut() {
        let shown = shortened_lines(format!("a{}", "ä".repeat(2_000)));
        let (beginning, end) = ("ä".repeat(149), "ä".repeat(100));
        assert_eq!(shown, format!("a{beginning}… (1751 characters left out) …{end}"));
    }

    #[test]
    fn short_texts_are_shown_whole() {
        let path = "p/".repeat(PATH_BYTES / 2);
        let line = "x".repeat(LINE_BYTES);
        let text = format!("{line}\n{line}");
        let finding = Diagnostic::warning(Code::new("some-code"), &text).hinted(&text).on(&path);
        assert_eq!((finding.message, finding.hint, finding.path), (text.clone(), Some(text), Some(path)));
    }
}
