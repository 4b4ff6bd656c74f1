//! Whether what looks like leaked routing is only quoted: by a code span, by quotation marks, or by a fence of plain text.

/// How a text is written, which decides what quoting looks like in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Words for people, in Markdown: answers and documents.
    Prose,
    /// The source of a program.
    Source,
    /// JSON as it was written, in which a line end is `\n` and everything is in quotation marks.
    Json,
}

impl Form {
    /// How a file of this name is written.
    #[must_use]
    pub fn of_file(path: &str) -> Self {
        if crate::elision::is_prose_file(path) { Form::Prose } else { Form::Source }
    }

    const fn line_end(self) -> &'static str {
        match self {
            Form::Prose | Form::Source => "\n",
            Form::Json => "\\n",
        }
    }
}

/// Info strings of fences that show text as it is.
const PLAIN: [&str; 9] = ["text", "txt", "plain", "plaintext", "md", "markdown", "console", "log", "none"];

/// Whether the leak that begins at `start`, with its marker before `end`, is quoted.
pub(super) fn is_quoted(text: &str, start: usize, end: usize, form: Form, is_whole: bool) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    let fence = if form == Form::Source { None } else { open_fence(before, form) };
    if fence.is_some_and(|info| info.is_empty() || PLAIN.contains(&info)) {
        return true;
    }
    let line = before.rsplit(form.line_end()).next().unwrap_or(before);
    let Some(mark) = open_mark(line, form) else { return false };
    // In prose a code span may go on in the next line; in code a string does not.
    if form == Form::Json || (mark == '`' && form == Form::Prose && fence.is_none()) {
        return true;
    }
    let (rest, has_end) = match after.split_once('\n') {
        Some((rest, _)) => (rest, true),
        None => (after, is_whole),
    };
    rest.contains(mark) || !has_end
}

/// The first word after the fence that is open at the end of the text.
fn open_fence(before: &str, form: Form) -> Option<&str> {
    let mut open: Option<(usize, &str)> = None;
    for line in before.split(form.line_end()) {
        let line = line.trim_start_matches([' ', '"']);
        let length = line.len() - line.trim_start_matches('`').len();
        if length < 3 {
            continue;
        }
        let info = line.get(length..).unwrap_or_default().trim();
        open = match open {
            Some((opened, _)) if length >= opened && info.is_empty() => None,
            Some(open) => Some(open),
            None => Some((length, info.split_whitespace().next().unwrap_or_default())),
        };
    }
    open.map(|(_, info)| info)
}

/// What would close the code span or the quotation that is open at the end of a line's beginning.
fn open_mark(line: &str, form: Form) -> Option<char> {
    let (mut open, mut last, mut is_escaped) = (None, ' ', false);
    for c in line.chars() {
        if std::mem::take(&mut is_escaped) {
            last = c;
            continue;
        }
        match (open, c) {
            (_, '\\') if form != Form::Prose => is_escaped = true,
            (Some(mark), _) if mark == c => open = None,
            (Some(_), _) => {}
            (None, '`') => open = Some('`'),
            (None, '"') if form != Form::Json => open = Some('"'),
            (None, '“') if form != Form::Json => open = Some('”'),
            // One after a letter is an apostrophe.
            (None, '\'') if form != Form::Json && !last.is_alphanumeric() => open = Some('\''),
            (None, _) => {}
        }
        last = c;
    }
    open
}
