//! What proves that a hunk was applied whose old lines are nowhere.
//!
//! That its new lines are somewhere is not enough: `pass` is in many files, and a hunk that fits nowhere would count as
//! done. What it left of its old text must name the place, or the author must, or the new lines must be too many to be
//! there by chance.

use std::ops::Range;

use crate::HunkLine;
use crate::align::differences;
use crate::elision::elision;
use crate::matcher::index::FileIndex;
use crate::matcher::key::{Key, indent};
use crate::matcher::pattern::{Pattern, has_identity, is_telling};
use crate::matcher::scope;

/// This many new lines that tell something are not together by chance.
const SEVERAL: usize = 3;
/// With how many of the lines that go a new line is compared.
const COMPARED: usize = 64;

/// Whether new lines that begin at a line, and are at no other place, are there because the hunk was applied; `None` when that
/// is too much work to find out.
pub(crate) fn is_applied(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    key: Key,
    start: usize,
) -> Option<bool> {
    let block = start..start + pattern.new.len();
    if keeps_depth(pattern, index, start) {
        return Some(false);
    }
    // With a line number the header is a tool's, and names whatever block is above.
    if pattern.hunk.line_hint.is_none() && !pattern.hunk.scope.is_empty() {
        let regions = scope::regions(pattern, index)?;
        let named = regions.iter().any(|region| block.start <= region.end && region.start < block.end);
        if named || regions.iter().any(scope::opens_block) {
            return Some(named);
        }
    }
    let is_whole = block.start == 0 && block.end == index.lines.len();
    Some(is_whole || survives(pattern, index, key)? || is_changed(pattern, index, &block)?)
}

/// Whether new lines that are to be less or more deep than those they replace are as deep as those: then they were not put there
/// by the hunk, which has no line that stays to tell how far it was moved as a whole. `-  a`, `+    a` where the file
/// has `  a`.
pub(crate) fn keeps_depth(pattern: &Pattern<'_>, index: &FileIndex<'_>, start: usize) -> bool {
    let first = |side: fn(&HunkLine) -> bool| {
        let mut lines = pattern.hunk.lines.iter().filter(|line| side(line));
        lines.find(|line| is_telling(line.text())).map(|line| indent(line.text().as_bytes()))
    };
    let mut new = pattern.new.iter().enumerate();
    let found = new.find(|(_, line)| is_telling(line)).map(|(at, _)| indent(index.lines.text(start + at)));
    let stays =
        pattern.hunk.lines.iter().any(|line| matches!(line, HunkLine::Context(text) if is_telling(text)));
    let (old, added) = (first(|line| !line.is_new()), first(|line| !line.is_old()));
    !stays && old.is_some() && old == found && old != added
}

/// Whether lines that stay are at one place only, or the new ones are several. ` def only_once():` above `+x = 1`; or
/// `+one()`, `+two()` next to each other.
pub(crate) fn survives(pattern: &Pattern<'_>, index: &FileIndex<'_>, key: Key) -> Option<bool> {
    if pattern.hunk.added_lines().filter(|line| is_telling(line)).count() >= SEVERAL {
        return Some(true);
    }
    let stays = |line: &HunkLine| matches!(line, HunkLine::Context(text) if elision(text).is_none());
    for run in pattern.hunk.lines.split(|line| !stays(line)) {
        let run: Vec<&str> = run.iter().map(HunkLine::text).collect();
        if has_identity(&run) && index.find_some(key, &run, 1)?.len() == 1 {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether a new line is one of the old ones changed, and no other line of the file can be that. `-port = 3000`, `+port
/// = 8080`, where no other line of the file begins with `port =`.
fn is_changed(pattern: &Pattern<'_>, index: &FileIndex<'_>, block: &Range<usize>) -> Option<bool> {
    let removed = pattern.hunk.lines.iter().filter(|line| !line.is_new()).map(HunkLine::text);
    let removed: Vec<&str> = removed.filter(|line| is_telling(line)).take(COMPARED).collect();
    let new = pattern.hunk.lines.iter().filter(|line| line.is_new());
    for (place, line) in block.clone().zip(new) {
        let HunkLine::Added(added) = line else { continue };
        for old in &removed {
            if let Some(common) = Common::of(old, added)
                && !common.stands_elsewhere(index, place, block)?
            {
                return Some(true);
            }
        }
    }
    Some(false)
}

/// The words and signs that a line has in common with what it was before.
#[derive(Debug)]
struct Common<'l> {
    tokens: Vec<&'l [u8]>,
    /// Also how deep it is.
    depth: bool,
}

impl<'l> Common<'l> {
    /// `None` when that is less than half of the words, or no word at all: one is not the other changed.
    fn of(old: &'l str, new: &'l str) -> Option<Self> {
        let [before, after] = [old, new].map(|line| tokens(line.as_bytes()).collect::<Vec<_>>());
        let mut kept = vec![true; before.len()];
        for difference in differences(&before, &after) {
            kept.get_mut(difference.before)?.fill(false);
        }
        let words = |tokens: &[&[u8]]| {
            tokens.iter().filter(|token| token.first().copied().is_some_and(is_word_byte)).count()
        };
        let fewer = words(&before).min(words(&after));
        let tokens: Vec<&[u8]> =
            before.into_iter().zip(kept).filter_map(|(token, kept)| kept.then_some(token)).collect();
        let is_name = |token: &&[u8]| token.iter().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
        let depth = indent(old.as_bytes()) == indent(new.as_bytes());
        (tokens.iter().any(is_name) && words(&tokens) * 2 >= fewer).then_some(Self { tokens, depth })
    }

    /// Whether a line outside the block has all of it, in this order. `port =` in another line of the file, as deep.
    fn stands_elsewhere(&self, index: &FileIndex<'_>, place: usize, block: &Range<usize>) -> Option<bool> {
        let longest = self.tokens.iter().max_by_key(|token| token.len())?;
        let depth = indent(index.lines.text(place));
        let mut seen = None;
        for at in memchr::memmem::find_iter(index.lines.bytes(), longest) {
            let line = index.lines.line_at(at);
            if seen == Some(line) || block.contains(&line) {
                continue;
            }
            seen = Some(line);
            index.spend(1)?;
            let text = index.lines.text(line);
            let mut others = tokens(text);
            let has_all = self.tokens.iter().all(|token| others.any(|other| other == *token));
            if has_all && (!self.depth || indent(text) == depth) {
                return Some(true);
            }
        }
        Some(false)
    }
}

/// The words of a line, and each other sign by itself.
fn tokens(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = line.trim_ascii();
    std::iter::from_fn(move || {
        let first = rest.first()?;
        let length = if is_word_byte(*first) {
            rest.iter().take_while(|byte| is_word_byte(**byte)).count()
        } else {
            1
        };
        let (token, others) = rest.split_at(length);
        rest = others.trim_ascii_start();
        Some(token)
    })
}

const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::{Failure, Located, Strictness, locate};
    use crate::{EndOfFile, Hunk};

    const FILE: &str =
        "def a():\n    return None\n\n\ndef b():\n    y = 2\n    return y\n\n\nclass C:\n    pass\n";

    /// At which line of the file a hunk counts as applied; `None` when it is nowhere. To the letter, none ever does.
    #[track_caller]
    fn check(file: &str, hunk: &Hunk, expected: Option<usize>) {
        for strictness in Strictness::ALL {
            let expected = expected.filter(|_| *strictness > Strictness::Exact);
            let found = match locate(hunk, &FileIndex::new(file.as_bytes()), *strictness) {
                Ok(Located::AlreadyApplied(line)) => Some(line + 1),
                Err(Failure::NotFound(_)) => None,
                other => panic!("{other:?}"),
            };
            assert_eq!(found, expected, "{strictness:?} {hunk:?}");
        }
    }

    fn of_diff(diff: &str) -> Hunk {
        Hunk::of_diff(diff)
    }

    #[test]
    fn an_ordinary_line_somewhere_proves_nothing() {
        for change in [
            "-    foo()\n+    pass",
            "-    q = 9\n+    y = 2",
            "-    foo()\n-    bar()\n+    y = 2\n+    return y",
            "-    return 7\n+    return y",
        ] {
            check(FILE, &of_diff(change), None);
        }
    }

    #[test]
    fn lines_that_stay_name_the_place() {
        check(FILE, &of_diff(" class C:\n-    foo()\n+    pass"), Some(10));
        check(FILE, &of_diff("-    foo()\n+    y = 2\n     return y"), Some(6));
        // They are elsewhere too, so that it may have been there.
        check(
            "if a:\n    one\nelse:\n    pass\nelse:\n    two\n",
            &of_diff(" else:\n-    foo()\n+    pass"),
            None,
        );
    }

    #[test]
    fn a_line_that_was_changed_is_recognised_where_no_other_is_like_it() {
        check(FILE, &of_diff("-    y = 1\n+    y = 2"), Some(6));
        check("port = 8080\nlisten(port)\n", &of_diff("-port = 3000\n+port = 8080"), Some(1));
        let [red, blue] = ["a {\n  color: blue;\n}\n", "b {\n  color: green;\n}\n"];
        check(red, &of_diff("-  color: red;\n+  color: blue;"), Some(2));
        check(&format!("{red}{blue}"), &of_diff("-  color: red;\n+  color: blue;"), None);
        // Numbers and signs are no words to be recognised by.
        check("y = 0\n\n", &of_diff("-x = 0\n+y = 0"), None);
        check("bar(a, c)\n\n", &of_diff("-foo(a, b)\n+bar(a, c)"), None);
    }

    #[test]
    fn a_number_a_header_or_the_end_name_the_place() {
        let change = of_diff("-    foo()\n+    pass");
        let at = |line: usize| Hunk { line_hint: Some(line), ..change.clone() };
        check(FILE, &at(11), Some(11));
        check(FILE, &at(2), None);
        let below = |scope: &str| Hunk { scope: vec![scope.to_owned()], ..change.clone() };
        check(FILE, &below("class C:"), Some(11));
        check(FILE, &below("def a():"), None);
        check(FILE, &Hunk { end: EndOfFile::Reached, ..change.clone() }, Some(11));
        // What the header names speaks against a line like the old one, too.
        let other = Hunk { scope: vec!["class C:".to_owned()], ..of_diff("-    y = 1\n+    y = 2") };
        check(FILE, &other, None);
    }

    /// The line that goes is written in other case, and the file has it as deep as it was.
    #[test]
    fn a_line_that_should_be_less_deep_is_not_done_where_it_is_as_deep_as_before() {
        let file = "a {\n        \"resources\": {\n}\n";
        let change = of_diff("-        \"RESOURCES\": {\n+    \"resources\": {");
        check(file, &Hunk { line_hint: Some(2), ..change }, None);
        let change = of_diff("-        \"RESOURCES\": {\n+        \"resources\": {");
        check(file, &Hunk { line_hint: Some(2), ..change }, Some(2));
    }

    #[test]
    fn several_lines_and_whole_files_are_no_chance() {
        let three = "-    foo()\n+def b():\n+    y = 2\n+    return y";
        check(FILE, &of_diff(three), Some(5));
        check("pass\n", &of_diff("-foo()\n+pass"), Some(1));
    }
}
