//! What Relay tells a person, or a model, about a reply: a stable code, a message, a way out, and where.

use std::fmt;

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

/// Whether a finding refuses the submission or only deserves a look.
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
    /// What to do about it.
    pub hint: Option<String>,
    /// The file it concerns, as written in the reply.
    pub path: Option<String>,
    /// The line in the reply, counted from 1.
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
            message: message.into(),
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

    /// Adds the way out.
    #[must_use]
    pub fn hinted(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Names the file it concerns.
    #[must_use]
    pub fn on(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
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
        // No file that is read has as many lines as that.
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
