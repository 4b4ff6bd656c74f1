//! Places as tools write them: `path:line:column`, `path(line,column)`, and the words that follow.
//!
//! A path may hold colons and blanks (`C:\a b\größe: neu.ts`), so a place is found from its numbers, not from its
//! path.

use super::tally::Worth;

/// A path with the numbers after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Location<'a> {
    /// Everything before the numbers; it may begin with other words, such as a task runner's prefix.
    pub(super) path: &'a str,
    /// How many numbers there are: line, column, end line, end column.
    pub(super) numbers: usize,
    /// What follows the numbers, with its separator.
    pub(super) rest: &'a str,
}

impl<'a> Location<'a> {
    /// The message, when the place is followed by `: message`.
    pub(super) fn message(&self) -> Option<&'a str> {
        let message = self.rest.strip_prefix(':')?.trim_start();
        (!message.is_empty()).then_some(message)
    }

    /// Whether the file's name ends in one of these, such as `.py`.
    pub(super) fn has_extension(&self, extensions: &[&str]) -> bool {
        extensions.iter().any(|extension| self.path.ends_with(extension))
    }
}

/// Every `path:1` or `path:1:2` in the line, from left to right; the line is walked once.
pub(super) fn places(line: &str) -> impl Iterator<Item = Location<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = from + line.get(from..)?.find(':')?;
            let (path, mut rest) = line.split_at_checked(at)?;
            let mut numbers = 0;
            while let Some(after) = rest.strip_prefix(':').and_then(skip_digits) {
                rest = after;
                numbers += 1;
            }
            from = (line.len() - rest.len()).max(at + 1);
            if numbers > 0 && !path.is_empty() {
                return Some(Location { path, numbers, rest });
            }
        }
    })
}

/// The text after the leading digits, if there are any.
pub(super) fn skip_digits(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < text.len()).then_some(rest)
}

/// What follows a `line:column` at the start of an indented line, as in ESLint's and Ruff's grouped lists.
pub(super) fn indented_place(line: &str) -> Option<&str> {
    let text = line.trim_start();
    if text.len() == line.len() {
        return None;
    }
    let rest = skip_digits(skip_digits(text)?.strip_prefix(':')?)?;
    rest.starts_with(' ').then(|| rest.trim_start())
}

/// How serious a message says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Severity {
    Error,
    /// A warning, a note, a hint: anything that is not an error.
    Lesser,
}

impl Severity {
    /// What a line with such a message is worth to a tool that ends with a summary.
    pub(super) const fn worth(self) -> Worth {
        match self {
            Severity::Error => Worth::Listed(1),
            Severity::Lesser => Worth::Nothing,
        }
    }
}

/// The severity a message begins with: `error: …`, `fatal error: …`, `error[E0425]: …`, `warning: …`.
pub(super) fn severity(message: &str) -> Option<Severity> {
    #[rustfmt::skip]
    const LESSER: [&str; 12] = [
        "warning", "note", "info", "information", "hint", "help", "remark", "style", "convention",
        "refactor", "debug", "suggestion",
    ];
    let end = message.find([':', '[', ']', '('])?;
    let (word, rest) = message.split_at_checked(end)?;
    if rest.starts_with(']') || rest.starts_with('(') {
        return None;
    }
    let word = word.trim_end();
    // MSVC puts a code between the word and the colon: `error C2065:`.
    let (word, code) = match word.rsplit_once(' ') {
        Some((before, last)) if last.ends_with(|c: char| c.is_ascii_digit()) => (before, last),
        _ => (word, ""),
    };
    if word.is_empty() {
        // `[error] …`, as yamllint writes it.
        let tag = rest.strip_prefix('[')?.split_once(']')?.0;
        return severity_word(tag, &LESSER);
    }
    if !code.chars().all(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    severity_word(word, &LESSER)
}

fn severity_word(word: &str, lesser: &[&str]) -> Option<Severity> {
    if ["error", "fatal error", "fatal"].iter().any(|known| word.eq_ignore_ascii_case(known)) {
        Some(Severity::Error)
    } else if lesser.iter().any(|known| word.eq_ignore_ascii_case(known)) {
        Some(Severity::Lesser)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Severity, indented_place, places, severity};

    fn check(line: &str, expected: &[(&str, usize, &str)]) {
        let found: Vec<_> = places(line).map(|p| (p.path, p.numbers, p.rest)).collect();
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn places_are_found_by_their_numbers() {
        check("a.c:3:4: error: x", &[("a.c", 2, ": error: x")]);
        check("a.py:3: error: x", &[("a.py", 1, ": error: x")]);
        check("a.py:3:1:3:9: note", &[("a.py", 4, ": note")]);
        check("no place: here", &[]);
        check(":1:2", &[]);
        check("a:", &[]);
    }

    #[test]
    fn paths_may_hold_colons_and_blanks() {
        check(r"C:\my files\a.py:3: error", &[(r"C:\my files\a.py", 1, ": error")]);
        check("web:lint: größe: neu.ts:1:14 - x", &[("web:lint: größe: neu.ts", 2, " - x")]);
        check("a:7: b.c:1:2: x", &[("a", 1, ": b.c:1:2: x"), ("a:7: b.c", 2, ": x")]);
    }

    #[test]
    fn indented_places() {
        assert_eq!(indented_place("  1:5   error  x"), Some("error  x"));
        assert_eq!(indented_place("1:5 error"), None);
        assert_eq!(indented_place("  1:5"), None);
        assert_eq!(indented_place("  15 error"), None);
    }

    #[test]
    fn severities() {
        let error = Some(Severity::Error);
        let lesser = Some(Severity::Lesser);
        for (message, expected) in [
            ("error: x", error),
            ("Error: x", error),
            ("fatal error: x.h: no", error),
            ("error[E0425]: x", error),
            ("error C2065: x", error),
            ("fatal error LNK1120: x", error),
            ("[error] too long", error),
            ("[warning] too long", lesser),
            ("warning: x", lesser),
            ("note: x", lesser),
            ("undefined: x", None),
            ("errors: 3", None),
            ("no error here", None),
            ("error", None),
            ("[F401] unused", None),
        ] {
            assert_eq!(severity(message), expected, "{message}");
        }
    }
}
