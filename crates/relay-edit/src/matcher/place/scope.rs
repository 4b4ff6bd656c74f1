//! The part of a file that a line named above a hunk speaks for.
//!
//! `@@ class B:` means the lines of that class, not everything below it: a place outside does not fit, however
//! near it is. Where a block ends is read from the indentation, so no language has to be known.

use std::borrow::Cow;
use std::ops::Range;

use crate::lines::is_blank;
use crate::matcher::candidate::Candidate;
use crate::matcher::index::FileIndex;
use crate::matcher::key::{Key, indent};
use crate::matcher::pattern::Pattern;

/// Where the innermost named lines are and how far each of them speaks; `None` when that is too much work.
pub(crate) fn regions(pattern: &Pattern<'_>, index: &FileIndex<'_>) -> Option<Vec<Range<usize>>> {
    let mut outer: Option<Vec<Range<usize>>> = None;
    for scope in &pattern.hunk.scope {
        let exact = index.places(Key::Trim, scope.as_bytes());
        let places: Cow<'_, [usize]> = if exact.is_empty() {
            index.spend(index.lines.len())?;
            Cow::Owned(beginning_with(index, scope))
        } else {
            Cow::Borrowed(exact)
        };
        let lines: Cow<'_, [usize]> = match outer {
            None => places,
            Some(outer) => {
                let below = |region: &Range<usize>| {
                    let first = places.partition_point(|place| *place <= region.start);
                    places.get(first).copied().filter(|place| *place < region.end)
                };
                outer.iter().filter_map(below).collect()
            }
        };
        let mut found = Vec::with_capacity(lines.len().min(MOST));
        for line in lines.iter().copied().take(MOST) {
            let region = region(index, line);
            index.spend(region.len())?;
            found.push(region);
        }
        outer = Some(found);
    }
    Some(outer.unwrap_or_default())
}

/// Of a line that is at more places than this, the others say nothing more.
const MOST: usize = 1_000;

/// Whether a place lies in one of the regions, or around the line that begins it.
pub(crate) fn holds(regions: &[Range<usize>], candidate: &Candidate) -> bool {
    regions.iter().any(|region| candidate.start() < region.end && region.start < candidate.end())
}

/// Whether a place lies in or directly after one of the regions: a diff names the last header above its lines, and
/// those may begin where the next block does. `@@ fn a() {` above a hunk whose place begins with the first line of `fn
/// b()`.
pub(crate) fn touches(regions: &[Range<usize>], candidate: &Candidate) -> bool {
    holds(regions, candidate) || regions.iter().any(|region| candidate.start() == region.end)
}

/// Whether the named line opens a block at all, rather than being some line above the hunk. `fn f() {` with its lines
/// does, `import os` does not.
pub(crate) fn opens_block(region: &Range<usize>) -> bool {
    region.len() > 1
}

/// Whether a line above a hunk names a block of code that is nowhere, be it as a call: not in the file, and not in the new
/// lines of any hunk, which may make it or give it another name. `@@ class Gone:` in a file without `Gone`.
pub(crate) fn is_unknown(patterns: &[Pattern<'_>], index: &FileIndex<'_>, scope: &str) -> bool {
    const KINDS: &[&str] = &[
        "class", "def", "enum", "fn", "func", "function", "impl", "interface", "module", "namespace",
        "struct", "trait",
    ];
    let mut words = words(scope);
    let Some(name) = words.find(|word| KINDS.contains(word)).and_then(|_| words.next()) else { return false };
    let names = |text: &str| self::words(text).any(|word| word == name);
    let mut new = patterns.iter().flat_map(|pattern| pattern.new.iter());
    let mut lines = index.lines.texts();
    !new.any(|line| names(line)) && !lines.any(|line| names(&String::from_utf8_lossy(line)))
}

/// What a line says, without its signs.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric() && character != '_')
        .filter(|word| !word.is_empty())
}

/// From a named line to the next one that is indented no deeper, without the blank lines before that.
fn region(index: &FileIndex<'_>, header: usize) -> Range<usize> {
    let text = index.lines.text(header);
    let depth = indent(text).len();
    let section = text.trim_ascii_start().starts_with(b"[");
    let mut end = header + 1;
    for line in header + 1..index.lines.len() {
        let text = index.lines.text(line);
        let found = indent(text).len();
        // Remarks and preprocessor lines are at the margin wherever they are, so they end nothing.
        if is_blank(text) || found <= depth && is_remark(text) {
            continue;
        }
        if found < depth || found == depth && !goes_on(text, section) {
            break;
        }
        end = line + 1;
    }
    header..end
}

/// Whether a line is a comment, an attribute or meant for a preprocessor. `#[test]`, `#ifdef X`, `// note`.
fn is_remark(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    text.starts_with(b"#") || text.starts_with(b"//")
}

/// Whether a line as deep as the header belongs to its block: a bracket, a label for the members that follow, or,
/// below a `[section]`, everything up to the next one.
fn goes_on(text: &[u8], section: bool) -> bool {
    let text = text.trim_ascii();
    if section {
        return !text.starts_with(b"[");
    }
    matches!(text.first(), Some(b'{' | b'}' | b')' | b']'))
        || matches!(text, b"public:" | b"protected:" | b"private:")
}

/// git cuts a header here, also amid a word.
const HEADER_BYTES: usize = 79;

/// Lines that begin with what was named, for authors who leave the end of a line off; where there is none, the only one that
/// holds it. `fn bake` names `fn bake(` and not `fn bake_all(`.
fn beginning_with(index: &FileIndex<'_>, scope: &str) -> Vec<usize> {
    let scope = scope.trim().as_bytes();
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let ends = |rest: &[u8]| scope.len() >= HEADER_BYTES || !(is_word(scope.last()) && is_word(rest.first()));
    let begins = |text: &[u8]| text.trim_ascii_start().strip_prefix(scope).is_some_and(ends);
    let holds = |text: &[u8]| {
        memchr::memmem::find_iter(text, scope).any(|at| {
            let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + scope.len()..));
            !(is_word(before.last()) && is_word(scope.first())) && after.is_some_and(ends)
        })
    };
    let lines_that = |rule: &dyn Fn(&[u8]) -> bool| -> Vec<usize> {
        let fits = |(_, text): &(usize, &[u8])| !scope.is_empty() && rule(text);
        index.lines.texts().enumerate().filter(fits).map(|(line, _)| line).collect()
    };
    let found = lines_that(&begins);
    let within = if found.is_empty() { lines_that(&holds) } else { Vec::new() };
    if within.len() == 1 { within } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, header: usize, expected: Range<usize>) {
        assert_eq!(region(&FileIndex::new(file.as_bytes()), header), expected, "{file}");
    }

    #[test]
    fn a_region_ends_where_the_indentation_does() {
        check("class A:\n    x\n\n    y\n\nclass B:\n    z\n", 0, 0..4);
        check("class A:\n    def f():\n        x\n    def g():\n        y\n", 1, 1..3);
        check("a\nb\n", 0, 0..1);
    }

    #[test]
    fn brackets_and_sections_belong_to_it() {
        check("void f()\n{\n    x;\n#ifdef A\n    y;\n#endif\n}\n\nvoid g()\n", 0, 0..7);
        check("class A {\npublic:\n  x;\n};\n// b\nclass B {};\n", 0, 0..4);
        check("def f():\n    x\n# y\n    z\n\n# g\ndef g():\n", 0, 0..4);
        check("fn f(\n    a: u8,\n) {\n    x\n}\nfn g() {}\n", 0, 0..5);
        check("[a]\nx = 1\n\n[b]\nx = 1\n", 0, 0..2);
    }

    #[test]
    fn a_header_names_whole_words() {
        let file = "pub fn bake(t: Tin) {\n    a\n}\n\nfn bake_all(t: Tin) {\n    a\n}\n\nfn cool(\n";
        let check = |scope: &str, expected: &[usize]| {
            assert_eq!(beginning_with(&FileIndex::new(file.as_bytes()), scope), expected, "{scope}");
        };
        check("fn bake", &[0]);
        check("fn bake(t", &[0]);
        check("pub fn bake", &[0]);
        check("fn bake_all", &[4]);
        check("fn cool", &[8]);
        check("fn", &[4, 8]);
        check("t: Tin", &[]);
    }
}
