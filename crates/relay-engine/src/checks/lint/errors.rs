//! Errors by name: which ones a linter reported, so that errors from before a change can be distinguished from new
//! ones.
//!
//! An error's name is its file and its message without line numbers, because a change moves what is below it. If a tool
//! reports only the number of errors, only that can be compared.

use std::collections::BTreeMap;

use super::{ErrorCount, Source};

/// What a linter reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors {
    /// The number of errors, and how it is known.
    pub count: ErrorCount,
    /// Those that were listed, by name, with how often each was.
    named: BTreeMap<String, u64>,
}

impl Default for Errors {
    fn default() -> Self {
        Self { count: ErrorCount { errors: 0, source: Source::ExitCode }, named: BTreeMap::new() }
    }
}

impl Errors {
    pub(super) fn new(count: ErrorCount, named: BTreeMap<String, u64>) -> Self {
        Self { count, named }
    }

    /// How many of these errors are new.
    #[must_use]
    pub fn new_since(&self, before: &Errors) -> u64 {
        let named = self
            .named
            .iter()
            .map(|(name, count)| count.saturating_sub(before.named.get(name).copied().unwrap_or_default()));
        let unnamed = self.unnamed().saturating_sub(before.unnamed());
        named.fold(unnamed, u64::saturating_add).min(self.count.errors)
    }

    fn unnamed(&self) -> u64 {
        self.count.errors.saturating_sub(self.named.values().copied().fold(0, u64::saturating_add))
    }

    /// The errors as texts, for storage.
    pub(crate) fn to_texts(&self) -> Vec<String> {
        let named = self.named.iter().map(|(name, count)| format!("{count} {name}"));
        std::iter::once(self.count.errors.to_string()).chain(named).collect()
    }

    /// Reads stored errors; `None` if the data is something else.
    pub(crate) fn from_texts(texts: &[String]) -> Option<Self> {
        let (errors, named) = texts.split_first()?;
        let name = |text: &String| {
            let (count, name) = text.split_once(' ')?;
            Some((name.to_owned(), count.parse().ok()?))
        };
        let count = ErrorCount { errors: errors.parse().ok()?, source: Source::Several };
        Some(Self { count, named: named.iter().map(name).collect::<Option<_>>()? })
    }
}

/// Collects the names of errors while output is read line by line.
#[derive(Debug, Default)]
pub(super) struct Names {
    named: BTreeMap<String, u64>,
    /// The last line that is not indented: what is indented below it belongs to it, as with ESLint's files.
    heading: String,
    /// The error on the line before, which may be followed by its location (` --> src/lib.rs:1:5`).
    open: Option<(String, u64)>,
}

impl Names {
    /// Takes in a line, and how many errors it lists.
    pub(super) fn line(&mut self, text: &str, errors: u64) {
        let is_indented = text.starts_with([' ', '\t']);
        let open = self.open.take();
        if errors > 0 {
            let name = match is_indented {
                true => format!("{}\n{}", self.heading, without_places(text)),
                false => without_places(text),
            };
            self.add(name.clone(), errors);
            self.open = Some((name, errors));
        } else if let Some((name, errors)) = open
            && let Some(place) = text.trim_start().strip_prefix("--> ")
        {
            self.take_away(&name, errors);
            self.add(format!("{name}\n{}", without_places(place)), errors);
        }
        if !is_indented {
            self.heading = without_places(text);
        }
    }

    /// An error with a name of its own, as from a document.
    pub(super) fn add(&mut self, name: String, errors: u64) {
        let count = self.named.entry(name).or_default();
        *count = count.saturating_add(errors);
    }

    fn take_away(&mut self, name: &str, errors: u64) {
        match self.named.get_mut(name) {
            Some(count) if *count > errors => *count -= errors,
            _ => drop(self.named.remove(name)),
        }
    }

    pub(super) fn finish(self) -> BTreeMap<String, u64> {
        self.named
    }
}

/// Output that Relay could not read, as one error: it is the same error only if it says the same, numbers aside.
pub(super) fn unreadable(output: &str) -> String {
    let plain: String = output.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    blake3::hash(plain.as_bytes()).to_hex().to_string()
}

/// The line without the numbers of lines and columns: those after `:`, `(`, `,`, `line` or `col`, and those that begin an
/// indented line. Other numbers belong to the message (`expected 3 arguments`, `TS2322`).
fn without_places(text: &str) -> String {
    let text = text.trim();
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits == 0 {
            plain.push(c);
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            continue;
        }
        let (number, after) = rest.split_at_checked(digits).unwrap_or((rest, ""));
        let is_place = plain.ends_with([':', '(', ','])
            || plain.ends_with("line ")
            || plain.ends_with("col ")
            || plain.ends_with("column ")
            || (plain.is_empty() && after.starts_with(':'));
        if !is_place {
            plain.push_str(number);
        }
        rest = after;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::super::read_errors;
    use super::*;

    /// How many errors of `after` are new since `before`, both from a command that failed.
    fn check(before: &str, after: &str, expected: u64) {
        let (before, after) = (read_errors(before, 1), read_errors(after, 1));
        assert_eq!(after.new_since(&before), expected, "{before:#?}\n{after:#?}");
        let kept = Errors::from_texts(&before.to_texts()).unwrap();
        assert_eq!(after.new_since(&kept), expected, "what is kept says the same");
    }

    #[test]
    fn an_error_that_moved_is_not_new() {
        check(
            "src/a.ts(1,7): error TS2322: Type 'x'.\n",
            "src/a.ts(9,2): error TS2322: Type 'x'.\nsrc/a.ts(10,2): error TS2345: Argument.\n",
            1,
        );
        check("a.c:7:24: error: no\n", "a.c:8:24: error: no\n", 0);
        check("a.c:7:24: error: no\n", "b.c:7:24: error: no\n", 1);
        check("a.c:7:24: error: expected 3\n", "a.c:7:24: error: expected 4\n", 1);
    }

    #[test]
    fn the_same_error_once_more_is_new() {
        let one = "a.py:1:8: F401 [*] `os` imported but unused\n";
        check(one, &one.repeat(3), 2);
        check(&one.repeat(3), one, 0);
    }

    #[test]
    fn a_file_above_or_below_the_message_counts() {
        let eslint = |file: &str| format!("/p/{file}.js\n  1:5  error  'x' is not defined  no-undef\n\n");
        check(&eslint("a"), &format!("{}{}", eslint("a"), eslint("b")), 1);
        let rustc = |file: &str| format!("error[E0425]: cannot find value `x`\n --> src/{file}.rs:1:5\n\n");
        check(&rustc("a"), &rustc("a"), 0);
        check(&rustc("a"), &rustc("b"), 1);
        let ruff = |file: &str| format!("F401 [*] `os` imported but unused\n --> {file}.py:1:8\n\n");
        check(&ruff("a"), &ruff("b"), 1);
    }

    #[test]
    fn documents_name_their_errors() {
        let eslint = |file: &str, line: u32| {
            format!(
                "[{{\"filePath\": \"{file}\", \"errorCount\": 1, \"messages\": \
                 [{{\"ruleId\": \"no-undef\", \"severity\": 2, \"message\": \"x\", \"line\": {line}}}]}}]\n"
            )
        };
        check(&eslint("a.js", 1), &eslint("a.js", 5), 0);
        check(&eslint("a.js", 1), &eslint("b.js", 1), 1);
        let mypy = |text: &str| {
            format!("{{\"file\": \"a.py\", \"line\": 1, \"message\": \"{text}\", \"severity\": \"error\"}}\n")
        };
        check(&mypy("x"), &mypy("x"), 0);
        check(&mypy("x"), &mypy("y"), 1);
    }

    #[test]
    fn a_number_is_compared_with_a_number() {
        check("Found 3 errors.\n", "Found 3 errors.\n", 0);
        check("Found 3 errors.\n", "Found 5 errors.\n", 2);
        check("", "Found 2 errors.\n", 2);
    }

    #[test]
    fn output_that_cannot_be_read_is_the_same_error_only_if_it_says_the_same() {
        check("boom after 3 s\n", "boom after 4 s\n", 0);
        check("boom\n", "crash\n", 1);
    }
}
