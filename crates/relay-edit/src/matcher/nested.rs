//! New lines that may be as deep as the file has it already, while the old lines of the reply lost their indentation.
//!
//! Where every line of a reply was moved to the left, the new ones are moved back with the others. An author who strips
//! the old lines only means the new ones as they stand; moved, they would be twice as deep. One old line as deep as a new
//! one tells the two apart, and so does a line that opens a block above them. Nothing else does.

use super::indent::Reindent;
use super::key::indent;
use super::pattern::Pattern;
use crate::HunkLine;
use crate::lines::is_blank;

/// The first new line of which nobody can say how deep it belongs.
pub(crate) fn doubtful<'h>(pattern: &Pattern<'h>, rule: &Reindent) -> Option<&'h str> {
    let Reindent::Add(missing) = rule else { return None };
    let written = || pattern.hunk.lines.iter().filter(|line| !is_blank(line.text().as_bytes()));
    let depth = |line: &HunkLine| indent(line.text().as_bytes()).len();
    let deepest = written().filter(|line| line.is_old()).map(depth).max()?;
    let mut added = written().filter(|line| !line.is_old());
    if !added.all(|line| line.text().as_bytes().starts_with(missing) && depth(line) > deepest) {
        return None;
    }
    let above = written().take_while(|line| line.is_old()).filter(|line| line.is_new()).last();
    let first = written().find(|line| !line.is_old())?;
    (!above.is_some_and(|line| opens(line.text()))).then_some(first.text())
}

/// Whether what follows a line is deeper than it, in one language or another.
fn opens(line: &str) -> bool {
    let line = line.trim_end();
    line.ends_with([':', '{', '(', '[', ',', '=', '|', '>', '\\', '&', '+'])
        || ["then", "do", "else", "begin", "try"].iter().any(|word| line.ends_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hunk;

    #[track_caller]
    fn check(lines: &str, missing: &str, expected: Option<&str>) {
        let line = |line: &str| {
            let text = line[1..].to_owned();
            match &line[..1] {
                "-" => HunkLine::Removed(text),
                "+" => HunkLine::Added(text),
                _ => HunkLine::Context(text),
            }
        };
        let hunk = Hunk::new(lines.lines().map(line).collect(), 1);
        assert_eq!(doubtful(&Pattern::new(&hunk), &Reindent::Add(missing.into())), expected, "{lines}");
    }

    #[test]
    fn lines_that_may_be_right_as_they_stand_are_in_doubt() {
        check("-a: 1\n+    b: 1", "    ", Some("    b: 1"));
        check(" f()\n+    g()", "    ", Some("    g()"));
        check("+    g()\n f()", "    ", Some("    g()"));
        // These were all moved alike.
        check("-a: 1\n+b: 1", "    ", None);
        check(" f()\n+if x:\n+    g()", "    ", None);
        check(" if x:\n+    g()", "    ", None);
        check(" if x:\n     f()\n+    g()", "    ", None);
        check("-f()\n+  g()", "    ", None);
    }
}
