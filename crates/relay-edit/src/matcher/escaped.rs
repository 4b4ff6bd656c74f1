//! Backslashes that an author put before quotes and tabs, as in a string of another program: `say(\"hello\")`.
//!
//! Only where the old text is nowhere with them are they taken off, from both sides alike, and only where the old
//! lines show that they are not part of the code: every quote of that kind has one, and no other backslash is in the hunk.

use std::collections::BTreeSet;

use super::index::FileIndex;
use super::pattern::Pattern;
use crate::Hunk;

/// What some authors put a backslash before, besides a tab in the indentation.
const ESCAPED: &[char] = &['"', '\'', '`', '$'];

/// The hunk without the backslashes; `None` when there are none, or when they may mean something.
pub(crate) fn without_escapes(hunk: &Hunk) -> Option<Hunk> {
    let read: Vec<Escapes> = hunk.lines.iter().map(|line| Escapes::of(line.text())).collect::<Option<_>>()?;
    let sides = |old: bool| {
        let lines = hunk.lines.iter().zip(&read).filter(move |(line, _)| line.is_old() == old);
        lines.map(|(_, escapes)| escapes)
    };
    let proven: BTreeSet<char> = sides(true).flat_map(|line| &line.with).copied().collect();
    let contradicted = read.iter().flat_map(|line| &line.without).any(|sign| proven.contains(sign));
    let unproven = sides(false).flat_map(|line| &line.with).any(|sign| !proven.contains(sign));
    if proven.is_empty() || contradicted || unproven {
        return None;
    }
    let lines = hunk.lines.iter().zip(read).map(|(line, Escapes { text, .. })| line.saying(text));
    Some(Hunk { lines: lines.collect(), ..hunk.clone() })
}

/// The first new line that quotes something with backslashes before its quotes and has no other quotes, where no line of the
/// hunk has a quote without one and no line of the file a quote with one. Old lines that have no quotes prove nothing.
/// `+say(\"hello\")` in a file that has `say("hi")`.
pub(crate) fn doubtful<'h>(pattern: &Pattern<'h>, index: &FileIndex<'_>) -> Option<&'h str> {
    const QUOTE: &str = "\\\"";
    let is_quoted = |text: &&str| text.matches(QUOTE).count() > 1 && !text.contains(['\'', '`']);
    let first = pattern.hunk.added_lines().find(is_quoted)?;
    let is_plain = |text: &str| text.replace(QUOTE, "").contains('"');
    if pattern.hunk.lines.iter().any(|line| is_plain(line.text())) {
        return None;
    }
    index.spend(index.lines.len())?;
    memchr::memmem::find(index.lines.bytes(), QUOTE.as_bytes()).is_none().then_some(first)
}

/// A line as it would be without its escapes.
#[derive(Debug, Default)]
struct Escapes {
    text: String,
    /// Which signs have a backslash before them, and which have none.
    with: BTreeSet<char>,
    without: BTreeSet<char>,
}

impl Escapes {
    /// Reads a line; `None` when a backslash is before anything else.
    fn of(line: &str) -> Option<Self> {
        let mut escapes = Self::default();
        let mut rest = line;
        let mut indented = true;
        while let Some(sign) = rest.chars().next() {
            let behind = rest.get(sign.len_utf8()..).unwrap_or_default();
            let (sign, set, behind) = match behind.chars().next() {
                Some('t') if sign == '\\' && indented => ('\t', &mut escapes.with, behind.get(1..)?),
                Some(next) if sign == '\\' && ESCAPED.contains(&next) => {
                    (next, &mut escapes.with, behind.get(1..)?)
                }
                _ if sign == '\\' => return None,
                _ => (sign, &mut escapes.without, behind),
            };
            if ESCAPED.contains(&sign) || sign == '\t' && indented {
                set.insert(sign);
            }
            indented &= matches!(sign, ' ' | '\t');
            escapes.text.push(sign);
            rest = behind;
        }
        Some(escapes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &[&str], new: &[&str], expected: Option<(&[&str], &[&str])>) {
        let found = without_escapes(&Hunk::from_sides(old, new, 1));
        let sides = found
            .as_ref()
            .map(|hunk| (hunk.old_lines().collect::<Vec<_>>(), hunk.new_lines().collect::<Vec<_>>()));
        assert_eq!(sides, expected.map(|(old, new)| (old.to_vec(), new.to_vec())));
    }

    #[test]
    fn escapes_go_where_the_old_lines_prove_them() {
        check(&[r#"say(\"a\")"#], &[r#"say(\"b\")"#], Some((&[r#"say("a")"#], &[r#"say("b")"#])));
        check(&[r"s = `\${a}`"], &[r"s = `\${b}`"], Some((&["s = `${a}`"], &["s = `${b}`"])));
        check(&[r"\t\ta()", r"\tb()"], &[r"\t\tc()"], Some((&["\t\ta()", "\tb()"], &["\t\tc()"])));
        check(&[r"say(\'a\')"], &["tell()"], Some((&["say('a')"], &["tell()"])));
    }

    #[test]
    fn escapes_that_may_mean_something_stay() {
        check(&["say()"], &[r#"say(\"b\")"#], None);
        check(&[r#"say(\"a\", "b")"#], &[r#"say(\"b\")"#], None);
        check(&[r#"say(\"a\")"#], &[r#"say("b")"#], None);
        check(&[r#"say(\"a\")"#], &[r"say(\'b\')"], None);
        check(&[r#"say(\"a\n\")"#], &[r#"say(\"b\")"#], None);
        check(&[r#"say(\"a\")"#], &[r#"say(\"b\n\")"#], None);
        check(&[r"a\tb"], &[r"a\tc"], None);
        check(&["\ta()", r"\tb()"], &[r"\tc()"], None);
    }

    #[test]
    fn new_lines_alone_are_in_doubt() {
        let doubt = |file: &str, diff: &str| {
            let hunk = Hunk::of_diff(diff);
            doubtful(&Pattern::new(&hunk), &FileIndex::new(file.as_bytes())).is_some()
        };
        assert!(doubt("a\n", " a\n+say(\\\"b\\\")"));
        assert!(!doubt("a\nsay(\\\"c\\\")\n", " a\n+say(\\\"b\\\")"));
        assert!(!doubt("a\n", " a\n+say(\"\\\"b\\\"\")"));
        assert!(!doubt("a\n", " a\n+say('\\\"b\\\"')"));
        assert!(!doubt("a\n", " a\n+f\\\"ur"));
        assert!(!doubt("\"a\"\n", " \"a\"\n+say(\\\"b\\\")"));
    }
}
