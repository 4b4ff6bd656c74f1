//! New lines that may be as deep as the file has it already, while the old lines of the reply are indented otherwise.
//!
//! Where every line of a reply was moved, the new ones are moved back with the others. An author who moved the old lines
//! only means the new ones as they are; moved, they would be too deep, or not deep enough. New lines as deep as their
//! neighbours in the reply tell that all were moved, and new lines as deep as their neighbours in the file tell that
//! they were not. Deeper ones tell nothing, unless the line above them opens a block.

use crate::HunkLine;
use crate::lines::is_blank;
use crate::matcher::indent::Reindent;
use crate::matcher::index::FileIndex;
use crate::matcher::key::indent;
use crate::matcher::pattern::{Pattern, is_block_end};

/// The first new line of which nobody can say how deep it belongs. `map` has the place of each line of the hunk. ` a()`
/// and `+    b()` for the file's `    a()`: is `b()` beside `a()`, or below it?
pub(crate) fn doubtful<'h>(
    pattern: &Pattern<'h>,
    index: &FileIndex<'_>,
    map: &[Option<usize>],
    rule: &Reindent,
) -> Option<&'h str> {
    // Tabs for spaces tell by themselves which lines were written otherwise.
    let same_kind = match rule {
        Reindent::Units { reply, file } => reply.first() == file.first(),
        Reindent::Written(_) => false,
        Reindent::Keep | Reindent::Add(_) | Reindent::Strip(_) => true,
    };
    if *rule == Reindent::Keep || !same_kind || !pattern.hunk.adds() {
        return None;
    }
    let lines = pattern.hunk.lines.iter().zip(map).filter(|(line, _)| !is_blank(line.text().as_bytes()));
    let lines: Vec<Written<'h, '_>> = lines
        .map(|(line, place)| Written { line, found: place.map(|place| indent(index.lines.text(place))) })
        .collect();
    let readings = Readings::of(&lines);
    // What is between others may be as deep as one of them by chance.
    readings.kept.filter(|_| !readings.surely_moved).or_else(|| match rule {
        Reindent::Keep | Reindent::Written(_) => None,
        Reindent::Strip(_) => off_grid(&lines, index, rule),
        Reindent::Units { file, .. } if !readings.moved => whole_levels(&lines, file.len()),
        Reindent::Units { .. } => None,
        Reindent::Add(missing) => {
            let written: Vec<&HunkLine> = lines.iter().map(|written| written.line).collect();
            let deeper = if readings.surely_moved { None } else { deeper(&written) };
            // That the first line was moved says nothing of those below it.
            let trimmed = || trimmed(&written, index, map, missing);
            deeper.or_else(trimmed).or_else(|| off_grid(&lines, index, rule))
        }
    })
}

/// A line of a hunk that is not blank, and the indentation of the line of the file it represents.
struct Written<'h, 'i> {
    line: &'h HunkLine,
    found: Option<&'i [u8]>,
}

/// What the first new line of each change tells about all of them.
struct Readings<'h> {
    /// Some are as deep as a neighbour in the reply, and as no neighbour in the file.
    moved: bool,
    /// One of these replaces a line that deep, or would be less deep than both its neighbours in the file.
    surely_moved: bool,
    /// This one is as deep as a neighbour in the file, and as no neighbour in the reply.
    kept: Option<&'h str>,
}

impl<'h> Readings<'h> {
    fn of(lines: &[Written<'h, '_>]) -> Self {
        let is_kept = |written: &Written<'_, '_>| matches!(written.line, HunkLine::Context(_));
        let groups = lines.chunk_by(|one, other| is_kept(one) == is_kept(other));
        let groups: Vec<&[Written<'h, '_>]> = groups.collect();
        let mut readings = Self { moved: false, surely_moved: false, kept: None };
        for (at, group) in groups.iter().enumerate() {
            let Some(added) = group.iter().find(|written| !written.line.is_old()) else { continue };
            let replaced = group.iter().find(|written| written.line.is_old());
            let above = at.checked_sub(1).and_then(|above| groups.get(above)?.last());
            let below = groups.get(at + 1).and_then(|below| below.first());
            // What follows a line that opens a block is as deep as the block, and so is what is before its end.
            let above = above.filter(|above| !opens(above.line.text()));
            let is_inside =
                |below: &&Written<'_, '_>| !closes(below.line.text()) || closes(added.line.text());
            let below = below.filter(is_inside);
            let neighbours =
                || replaced.into_iter().chain(above.into_iter().chain(below).filter(|_| replaced.is_none()));
            let depth = indent(added.line.text().as_bytes());
            let as_in_reply = neighbours().any(|other| indent(other.line.text().as_bytes()) == depth);
            let as_in_file = neighbours().any(|other| other.found == Some(depth));
            readings.moved |= as_in_reply && !as_in_file;
            let outside = |other: Option<&Written<'_, '_>>| {
                other.and_then(|other| other.found).is_some_and(|found| depth.len() < found.len())
            };
            readings.surely_moved |= match replaced {
                Some(_) => {
                    as_in_reply && !as_in_file || is_above_all(group, lines) || is_above_all(group, group)
                }
                None => as_in_reply && outside(above) && outside(below),
            };
            if as_in_file && !as_in_reply {
                readings.kept = readings.kept.or(Some(added.line.text()));
            }
        }
        readings
    }
}

/// Whether a new line of a change is as deep as the shallowest old line of the hunk in the reply: as it is, it would be
/// less deep than everything the file has there. `+x` beside `-y`, both at the margin, where the file has `    y`.
fn is_above_all(group: &[Written<'_, '_>], lines: &[Written<'_, '_>]) -> bool {
    let old = || lines.iter().filter(|written| written.line.is_old());
    let in_reply = old().map(|written| depth(written.line)).min();
    let in_file = old().filter_map(|written| written.found).map(<[u8]>::len).min();
    let mut added = group.iter().filter(|written| !written.line.is_old()).map(|written| depth(written.line));
    added.any(|depth| Some(depth) == in_reply && in_file.is_some_and(|in_file| depth < in_file))
}

/// A new line, where all of them are whole levels of the file deep: what is written in smaller levels mostly has some that
/// are not. `+    x` in a reply of two spaces a level and a file of four.
fn whole_levels<'h>(lines: &[Written<'h, '_>], level: usize) -> Option<&'h str> {
    let added = || lines.iter().filter(|written| !written.line.is_old()).map(|written| written.line);
    let whole = added().all(|line| depth(line).is_multiple_of(level));
    added().find(|line| depth(line) > 0).filter(|_| whole).map(HunkLine::text)
}

fn depth(line: &HunkLine) -> usize {
    indent(line.text().as_bytes()).len()
}

/// A new line that is deeper than its neighbour without a line above it that opens a block; where no other new line is as deep
/// as its neighbour. ` a()`, `+  b()`: nothing above `b()` opens a block.
fn deeper<'h>(written: &[&'h HunkLine]) -> Option<&'h str> {
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
        // Between lines that are equally deep there is no block, whatever the first one ends with.
        let level = |above: &HunkLine| {
            below.is_some_and(|below| depth(below) <= depth(above) && !closes(below.text()))
        };
        let nested = replaced.is_none() && above.is_some_and(|above| opens(above.text()) && !level(above));
        if !nested {
            doubtful = doubtful.or(Some(added.text()));
        }
    }
    doubtful
}

/// A new line that may be as deep as the file has it, because both texts lost the white space around them as a whole, and with it
/// the first line alone its indentation: it is the very line of the file, or all below the first are so deep, and no block
/// that begins above it says why. `a()` for `b()`, `    c()`, where the file has `    a()`: only the first line lost
/// its indentation.
fn trimmed<'h>(
    written: &[&'h HunkLine],
    index: &FileIndex<'_>,
    map: &[Option<usize>],
    missing: &[u8],
) -> Option<&'h str> {
    // Of several old lines only the first one would have lost its indentation.
    let mut old = written.iter().filter(|line| line.is_old());
    let (Some(only), None) = (old.next(), old.next()) else { return None };
    let is_found = |line: &HunkLine| {
        let mut found = map.iter().flatten().map(|place| index.lines.text(*place));
        found.any(|found| line.text().as_bytes() == found)
    };
    let new: Vec<&HunkLine> = written.iter().copied().filter(|line| line.is_new()).collect();
    let jumps = |above: &HunkLine, line: &HunkLine| depth(line) > depth(above) && !heads(above.text());
    let copy = written.iter().copied().filter(|line| !line.is_old() && is_found(line)).find(|copy| {
        let mut pairs = new.iter().zip(new.iter().skip(1));
        pairs.any(|(above, line)| std::ptr::eq(*line, *copy) && jumps(above, line))
    });
    if let Some(copy) = copy {
        return Some(copy.text());
    }
    let mut added = written.iter().copied().filter(|line| !line.is_old());
    let (first, second) = (added.next()?, added.next()?);
    let all = depth(second) >= missing.len() && added.all(|line| depth(line) >= missing.len());
    if depth(only) + depth(first) > 0 || !all {
        return None;
    }
    let level = if missing.contains(&b'\t') { 1 } else { index.habit().spaces().unwrap_or(missing.len()) };
    let is_block = heads(first.text()) && depth(second) == level;
    (!is_block).then(|| second.text())
}

/// A new line that would be no whole number of levels deep, in a file of whole levels and among old lines none of which is
/// off by as much; as it is, or with levels written otherwise, it would be. `+     x` that would be five deep in a file
/// of four, and is four deep as it is written.
fn off_grid<'h>(lines: &[Written<'h, '_>], index: &FileIndex<'_>, rule: &Reindent) -> Option<&'h str> {
    let added = || lines.iter().filter(|written| !written.line.is_old()).map(|written| written.line);
    let moved = |line: &HunkLine| rule.apply(line.text().as_bytes()).map(|moved| indent(&moved).len());
    let first = added().next()?;
    let unit = index.habit().spaces()?;
    let whole = |depth: usize| depth.is_multiple_of(unit);
    let aligned = |by: usize| {
        let mut found = lines.iter().filter_map(|written| written.found);
        by == 0 || found.any(|found| found.len() % unit == by)
    };
    let off = added().any(|line| moved(line).is_some_and(|depth| !aligned(depth % unit)));
    // A line that is aligned with something is off in every reading. Half as deep are new lines only beside such old ones.
    let mut old = lines.iter().filter_map(|written| Some((depth(written.line), written.found?.len())));
    let other = added().all(|line| whole(depth(line)))
        || old.all(|(depth, found)| found == depth * 2) && added().all(|line| whole(depth(line) * 2));
    (off && other).then_some(first.text())
}

/// Whether a line ends a block. `}`, `end`.
pub(crate) fn closes(line: &str) -> bool {
    line.trim_start().starts_with(['}', ')', ']']) || is_block_end(line)
}

/// Whether what follows a line is deeper than it, in one language or another. `if x:`, `f(`, `then`.
pub(crate) fn opens(line: &str) -> bool {
    let line = line.trim_end();
    line.ends_with([':', '{', '(', '[', ',', '=', '|', '>', '\\', '&', '+'])
        || ["then", "do", "else", "begin", "try"].iter().any(|word| line.ends_with(word))
}

/// Whether a line opens a block by itself: a comma does only where a bracket is open. `f(a,` does, `a,` does not.
fn heads(line: &str) -> bool {
    let count = |brackets: [char; 3]| line.matches(brackets).count();
    opens(line) && (!line.trim_end().ends_with(',') || count(['(', '[', '{']) > count([')', ']', '}']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hunk;

    #[track_caller]
    fn check(lines: &str, missing: &str, expected: Option<&str>) {
        let hunk = Hunk::of_diff(lines);
        let pattern = Pattern::new(&hunk);
        // The file as the old lines of the hunk would have it, and some more lines of its kind.
        let old = pattern.old.iter().map(|line| format!("{missing}{line}\n")).collect::<String>();
        let file = format!("{old}{}", "    x\n        y\n".repeat(20));
        let map = pattern.spread((0..pattern.old.len()).map(Some));
        let found =
            doubtful(&pattern, &FileIndex::new(file.as_bytes()), &map, &Reindent::Add(missing.into()));
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

    /// As it is, the second new line would be less deep than everything it comes for.
    #[test]
    fn a_line_that_would_leave_its_block_was_moved() {
        check(
            "     if x:\n         f()\n-    else:\n-        g()\n+        return\n+    g()\n h()",
            "    ",
            None,
        );
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
        check("-f(a)\n+f(a,\n+      b)\n g()", "    ", None);
    }

    /// Either everything lost its indentation, or the first lines alone.
    #[test]
    fn texts_that_were_trimmed_as_a_whole_are_in_doubt() {
        check("-\"b\",\n+added(50)\n+    \"b\",", "    ", Some("    \"b\","));
        check("-\"b\",\n+\"a\",\n+    \"b\",", "    ", Some("    \"b\","));
        check("-f()\n+g()\n+        h()", "        ", Some("        h()"));
        check("-f()\n+if x:\n+        h()", "    ", Some("        h()"));
        check("-f()\n+if x:\n+    h()", "    ", None);
        check("-f()\n+g()\n+h()", "    ", None);
        check("-f()\n+g(a,\n+    b)", "    ", None);
        check("-f()\n+if x:\n+    h()\n+i()", "        ", None);
        // What is above was moved as well.
        check(" a(\n-    b.c()\n-        .d()\n+    b(\n+        c()\n+            .d()\n )", "    ", None);
    }

    /// Checks lines of a reply that indents by two, in a file that indents by four.
    #[track_caller]
    fn check_units(lines: &str, expected: Option<&str>) {
        let hunk = Hunk::of_diff(lines);
        let pattern = Pattern::new(&hunk);
        let file: String =
            pattern.old.iter().map(|line| format!("{}\n", line.replace("  ", "    "))).collect();
        let map = pattern.spread((0..pattern.old.len()).map(Some));
        let rule = Reindent::Units { reply: b"  ".to_vec(), file: b"    ".to_vec() };
        assert_eq!(doubtful(&pattern, &FileIndex::new(file.as_bytes()), &map, &rule), expected, "{lines}");
    }

    #[test]
    fn smaller_levels_show_in_a_new_line() {
        check_units(" if x {\n   f()\n+  g()\n }", None);
        check_units(" if x {\n+  g()\n   f()\n }", None);
        // As it is, or two levels deep: nothing else is as deep.
        check_units(" if x {\n+    g()\n }", Some("    g()"));
        check_units(" if x {\n+  if y {\n+    g()\n+  }\n }", None);
    }

    #[test]
    fn blocks_end_and_begin_in_many_languages() {
        for line in ["}", "  });", ")", "]", "</div>", "end", "endif"] {
            assert!(closes(line), "{line}");
        }
        for line in [
            "if x:", "fn f() {", "f(", "[", "a,", "x =", "|", "<div>", "a \\", "a &", "a +", "if x; then",
            "do", "else", "begin", "try",
        ] {
            assert!(opens(line) && opens(&format!("{line}  ")) && !closes(line), "{line}");
        }
        assert!(!closes("f() }") && !opens("f();"));
    }
}
