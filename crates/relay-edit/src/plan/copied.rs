//! Whole content that was copied from where it is shown: with a number before every line, or with the escapes of a page.
//!
//! Nothing is taken off unless the lines of the file it replaces prove it. A new file may have a column of numbers.

use std::borrow::Cow;
use std::collections::HashSet;

use super::elide::Loss;
use crate::lines::Lines;
use crate::matcher::{Key, has_escapes, without_numbers_in, without_page_in};

/// The content as it is meant; refused where every line has a number and nothing says whether that is a part of it.
pub(crate) fn plain<'c>(before: Option<&[u8]>, content: &'c str) -> Result<Cow<'c, str>, Loss> {
    let Some(before) = before.filter(|before| !before.is_empty()) else { return Ok(Cow::Borrowed(content)) };
    match unnumbered(before, content)? {
        Cow::Borrowed(content) => unescaped(before, content),
        Cow::Owned(content) => unescaped(before, &content).map(|plain| Cow::Owned(plain.into_owned())),
    }
}

/// Whole content without line numbers.
fn unnumbered<'c>(before: &[u8], content: &'c str) -> Result<Cow<'c, str>, Loss> {
    const FEW: usize = 3;
    let numbered = Some(content).filter(|content| content.lines().count() >= FEW);
    let Some(plain) = numbered.and_then(without_numbers_in) else { return Ok(Cow::Borrowed(content)) };
    let known = Known::of(before);
    if known.standing(content) > 0 {
        return Ok(Cow::Borrowed(content));
    }
    if known.standing(&plain) * 2 < written(&plain).count() {
        return Err(Loss::Numbered { text: content.lines().next().unwrap_or_default().to_owned() });
    }
    Ok(Cow::Owned(plain))
}

/// Whole content without the escapes of a page, where lines of the file are in it with them and in no other way. Where no line
/// shows it, and the file has none of them, they are in doubt.
fn unescaped<'c>(before: &[u8], content: &'c str) -> Result<Cow<'c, str>, Loss> {
    let Some(plain) = without_page_in(content) else { return Ok(Cow::Borrowed(content)) };
    let known = Known::of(before);
    let pairs = || content.lines().zip(plain.lines()).filter(|(escaped, plain)| escaped != plain);
    if pairs().any(|(escaped, _)| known.has(escaped)) {
        return Ok(Cow::Borrowed(content));
    }
    if pairs().any(|(_, plain)| known.has(plain)) {
        return Ok(Cow::Owned(plain));
    }
    if has_escapes(before) {
        return Ok(Cow::Borrowed(content));
    }
    let first = pairs().next().map_or("", |(escaped, _)| escaped);
    Err(Loss::Escaped { text: first.trim().to_owned() })
}

fn written(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty())
}

/// The lines of a file, but for the white space after them.
struct Known<'b>(HashSet<Cow<'b, [u8]>>);

impl<'b> Known<'b> {
    fn of(before: &'b [u8]) -> Self {
        Self(Lines::new(before).texts().map(|text| Key::TrimEnd.of(text)).collect())
    }

    fn has(&self, line: &str) -> bool {
        self.0.contains(&Key::TrimEnd.of(line.as_bytes()))
    }

    /// How many lines of a text are in the file.
    fn standing(&self, text: &str) -> usize {
        written(text).filter(|line| self.has(line)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, content: &str, expected: &str) {
        assert_eq!(
            plain(Some(before.as_bytes()), content).as_deref(),
            Ok(expected),
            "{before:?} {content:?}"
        );
    }

    #[test]
    fn escapes_go_where_the_file_shows_that_they_are_none_of_it() {
        let file = "if a < b {\n    c();\n}\n";
        check(file, "if a &lt; b {\n    d(&amp;e);\n}\n", "if a < b {\n    d(&e);\n}\n");
        // One line shows the contrary.
        check(file, "if a &lt; b {\n    c() < 1;\n}\n", "if a &lt; b {\n    c() < 1;\n}\n");
        check("a &lt; b\na < b\n", "a &lt; b\na &lt; b\nc\n", "a &lt; b\na &lt; b\nc\n");
    }

    #[test]
    fn escapes_that_nothing_shows_are_in_doubt() {
        let doubt = Err(Loss::Escaped { text: "if a &lt;= b {".to_owned() });
        let content = "if a &lt;= b {\n    c();\n}\n";
        assert_eq!(plain(Some(b"if a < b {\n    c();\n}\n"), content), doubt);
        check("say(\"&lt;\")\n", content, content);
        assert_eq!(plain(None, content).as_deref(), Ok(content));
    }

    #[test]
    fn numbers_and_escapes_go_together() {
        let content = "1 | if a &lt; b {\n2 |     d();\n3 |     e();\n4 | }\n";
        check("if a < b {\n    c();\n    e();\n}\n", content, "if a < b {\n    d();\n    e();\n}\n");
    }
}
