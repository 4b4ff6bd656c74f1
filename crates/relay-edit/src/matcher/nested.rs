//! New lines that may be as deep as the file has it already, while the old lines of the reply lost some indentation.
//!
//! Where every line of a reply was moved to the left, the new ones are moved back with the others. An author who moved the
//! old lines only means the new ones as they stand; moved, they would be too deep. New lines as deep as their neighbours
//! in the reply tell that all were moved. Deeper ones do not, unless the line above them opens a block.

use super::indent::Reindent;
use super::index::FileIndex;
use super::key::indent;
use super::pattern::Pattern;
use crate::HunkLine;
use crate::lines::is_blank;

/// The first new line of which nobody can say how deep it belongs.
pub(crate) fn doubtful<'h>(
    pattern: &Pattern<'h>,
    index: &FileIndex<'_>,
    start: usize,
    rule: &Reindent,
) -> Option<&'h str> {
    let Reindent::Add(missing) = rule else { return None };
    let written = pattern.hunk.lines.iter().filter(|line| !is_blank(line.text().as_bytes()));
    let written: Vec<&HunkLine> = written.collect();
    deeper(&written, missing.len()).or_else(|| off_grid(pattern, &written, index, start, rule))
}

fn depth(line: &HunkLine) -> usize {
    indent(line.text().as_bytes()).len()
}

/// A new line that is deeper than its neighbour, by at least what is missing before that or as no old line is; where no other
/// new line is as deep as its neighbour.
fn deeper<'h>(written: &[&'h HunkLine], missing: usize) -> Option<&'h str> {
    let is_kept = |line: &HunkLine| matches!(line, HunkLine::Context(_));
    let groups = written.chunk_by(|one, other| is_kept(one) == is_kept(other));
    let groups: Vec<&[&HunkLine]> = groups.collect();
    let mut doubtful = None;
    for (at, group) in groups.iter().enumerate() {
        let Some(added) = group.iter().find(|line| !line.is_old()) else { continue };
        let replaced = group.iter().find(|line| line.is_old());
        let above = at.checked_sub(1).and_then(|above| groups.get(above)?.last());
        let below = groups.get(at + 1).and_then(|below| below.first());
        let Some(neighbour) = replaced.or(above).or(below) else { continue };
        if depth(added) <= depth(neighbour) {
            return None;
        }
        let nested = replaced.is_none() && above.is_some_and(|above| opens(above.text()));
        let known = written.iter().any(|line| line.is_old() && depth(line) == depth(added));
        if !nested && (!known || depth(added) >= depth(neighbour) + missing) {
            doubtful = doubtful.or(Some(added.text()));
        }
    }
    doubtful
}

/// A new line that would be no whole number of levels deep, in a file and among old lines that all are; as it stands, or with
/// levels written otherwise, it would be.
fn off_grid<'h>(
    pattern: &Pattern<'h>,
    written: &[&'h HunkLine],
    index: &FileIndex<'_>,
    start: usize,
    rule: &Reindent,
) -> Option<&'h str> {
    let added = || written.iter().filter(|line| !line.is_old());
    let moved = |line: &&&'h HunkLine| rule.apply(line.text().as_bytes()).map(|moved| indent(&moved).len());
    let first = added().next()?;
    let unit = index.habit().spaces()?;
    let whole = |depth: usize| depth.is_multiple_of(unit);
    let found = (start..start + pattern.old.len()).map(|line| index.lines.text(line));
    let regular = found.filter(|text| !is_blank(text)).all(|text| whole(indent(text).len()));
    let off = added().any(|line| moved(&line).is_some_and(|depth| !whole(depth)));
    // A line that is aligned with something is off in every reading.
    let other = added().all(|line| whole(depth(line))) || added().all(|line| whole(depth(line) * 2));
    (regular && off && other).then_some(first.text())
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
        let pattern = Pattern::new(&hunk);
        // The file as the old lines of the hunk would have it, and some more lines of its kind.
        let old = pattern.old.iter().map(|line| format!("{missing}{line}\n")).collect::<String>();
        let file = format!("{old}{}", "    x\n        y\n".repeat(20));
        let found = doubtful(&pattern, &FileIndex::new(file.as_bytes()), 0, &Reindent::Add(missing.into()));
        assert_eq!(found, expected, "{lines}");
    }

    #[test]
    fn lines_that_may_be_right_as_they_stand_are_in_doubt() {
        check("-a: 1\n+    b: 1", "    ", Some("    b: 1"));
        check(" f()\n+    g()", "    ", Some("    g()"));
        check("+    g()\n f()", "    ", Some("    g()"));
        check("-f()\n+  g()", "    ", Some("  g()"));
        // These were all moved alike.
        check("-a: 1\n+b: 1", "    ", None);
        check(" f()\n+if x:\n+    g()", "    ", None);
        check(" if x:\n+    g()", "    ", None);
        check(" if x:\n     f()\n+    g()", "    ", None);
        check(" if x:\n-    f()\n+    g()", "    ", None);
    }

    #[test]
    fn the_levels_of_the_file_tell_what_was_moved() {
        // Two spaces are missing before the old lines, and none before the new one.
        check("-  f()\n+    g()", "  ", Some("    g()"));
        // One level is two spaces in the reply and four in the file.
        check("     f()\n+    if x {\n+      g()\n+    }", "    ", Some("    if x {"));
        check("     f()\n+    if x {\n+        g()\n+    }", "    ", None);
        // Aligned with the bracket above.
        check("     f()\n+    f(a,\n+       b)", "    ", None);
    }
}
