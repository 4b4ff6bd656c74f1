//! New lines that write tabs as spaces, for files that are indented by both.
//!
//! Where lines are aligned with spaces after tabs, or some blocks are indented by spaces, this many spaces of a reply may be
//! a tab of the file or spaces of its own. If white space means nothing in the file, new lines then stay as their author
//! wrote them. Elsewhere they are in doubt if the file has lines that deep which are written otherwise.

use crate::HunkLine;
use crate::lines::is_blank;
use crate::matcher::indent::{Reindent, widened};
use crate::matcher::index::FileIndex;
use crate::matcher::key::indent;
use crate::matcher::pattern::Pattern;

/// A file is indented by both if one of this many lines has spaces that may be a tab of the reply.
const NOW_AND_THEN: usize = 100;

/// The rule for the new lines of a hunk, where the old ones follow a rule about tabs. `map` has the place of each line.
pub(crate) fn settled(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    map: &[Option<usize>],
    rule: Reindent,
) -> Reindent {
    let Some(tab) = rule.tab() else { return rule };
    let has_tabs = |line: &str| !is_blank(line.as_bytes()) && indent(line.as_bytes()).contains(&b'\t');
    // Where some have tabs, all are written as the file is.
    let as_written = || pattern.hunk.added_lines().any(has_tabs) || is_free_form(index);
    if has_both(pattern, index, map, tab) && as_written() { Reindent::Written(tab.to_vec()) } else { rule }
}

/// The first new line that the file would write otherwise than a rule about tabs does, as it does with another that deep.
/// `+        x` for two tabs, in a file that has a tab and four spaces at that depth.
pub(crate) fn doubtful<'h>(
    pattern: &Pattern<'h>,
    index: &FileIndex<'_>,
    map: &[Option<usize>],
    rule: &Reindent,
) -> Option<&'h str> {
    let tab = rule.tab()?;
    if let Some(line) = too_deep(pattern, index, map, rule) {
        return Some(line);
    }
    if !has_both(pattern, index, map, tab) {
        return None;
    }
    let is_other = |line: &&str| {
        let depth = indent(line.as_bytes());
        let written = rule.indentation(depth);
        let mut found = index.lines.texts().filter(|line| !is_blank(line)).map(indent);
        !is_blank(line.as_bytes())
            && found.any(|found| widened(found, tab) == depth && Some(found) != written.as_deref())
    };
    pattern.hunk.added_lines().find(is_other)
}

/// A new line below an old one that ends in a brace, and more than one tab deeper: its spaces were none of them tabs.
/// `+            x` below `\tif y {`, which four spaces a tab would make three tabs deep.
fn too_deep<'h>(
    pattern: &Pattern<'h>,
    index: &FileIndex<'_>,
    map: &[Option<usize>],
    rule: &Reindent,
) -> Option<&'h str> {
    let lines = pattern.hunk.lines.iter().zip(map);
    let written: Vec<_> =
        lines.filter(|(line, _)| line.is_new() && !is_blank(line.text().as_bytes())).collect();
    let pairs = written.windows(2).filter_map(|pair| match pair {
        [(_, Some(above)), (HunkLine::Added(line), None)] => Some((index.lines.text(*above), line.as_str())),
        _ => None,
    });
    let tabs = |depth: &[u8]| depth.iter().filter(|byte| **byte == b'\t').count();
    let mut deep = pairs.filter(|(above, line)| {
        let depth = rule.indentation(indent(line.as_bytes())).unwrap_or_default();
        above.trim_ascii_end().ends_with(b"{") && tabs(&depth) > tabs(indent(above)) + 1
    });
    deep.next().map(|(_, line)| line)
}

/// Whether new lines begin with spaces that may be a tab, in a file that has both, or at a place that has. `\tif (a`
/// above `\t    && b`.
fn has_both(pattern: &Pattern<'_>, index: &FileIndex<'_>, map: &[Option<usize>], tab: &[u8]) -> bool {
    let may_be_tab = |line: &str| !is_blank(line.as_bytes()) && line.as_bytes().starts_with(tab);
    let work = index.lines.len().saturating_mul(pattern.hunk.lines.len());
    if !pattern.hunk.added_lines().any(may_be_tab) || index.spend(work).is_none() {
        return false;
    }
    let is_aligned = |line: &[u8]| indent(line).windows(tab.len()).any(|spaces| spaces == tab);
    let indented = index.lines.texts().filter(|line| !is_blank(line) && !indent(line).is_empty());
    let (indented, aligned) = indented
        .fold((0, 0), |(indented, aligned), line| (indented + 1, aligned + usize::from(is_aligned(line))));
    let is_here = || map.iter().flatten().any(|place| is_aligned(index.lines.text(*place)));
    aligned > 0 && (aligned * NOW_AND_THEN >= indented || is_here())
}

/// Whether white space means nothing in a file: its statements end with semicolons, and its blocks have braces. `a();`
/// and `if (x) {`.
fn is_free_form(index: &FileIndex<'_>) -> bool {
    let ends_with = |sign: u8| index.lines.texts().any(|line| line.trim_ascii_end().last() == Some(&sign));
    ends_with(b';') && ends_with(b'{')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hunk;

    /// Checks how new lines are written where the reply has four spaces for a tab; `None` for one that is in doubt.
    #[track_caller]
    fn check(file: &str, new: &[&str], expected: Option<&[&str]>) {
        let lines: Vec<String> = new.iter().map(|line| format!("+{line}")).collect();
        let hunk = Hunk::of_diff(&lines.join("\n"));
        let (pattern, index) = (Pattern::new(&hunk), FileIndex::new(file.as_bytes()));
        let rule = Reindent::Units { reply: b"    ".to_vec(), file: b"\t".to_vec() };
        let rule = settled(&pattern, &index, &[], rule);
        let written = |line: &&str| {
            String::from_utf8(rule.apply(line.as_bytes()).expect("a line").into_owned()).expect("text")
        };
        let written: Vec<String> = new.iter().map(written).collect();
        let written = doubtful(&pattern, &index, &[], &rule).is_none().then_some(written);
        assert_eq!(written.map(|lines| lines.join("\n")), expected.map(|lines| lines.join("\n")), "{file:?}");
    }

    #[test]
    fn tabs_are_written_where_the_file_has_hardly_anything_else() {
        check("a {\n\tb;\n\t/*\n\t * c\n", &["    d", "        e"], Some(&["\td", "\t\te"]));
        let rarely = format!("{}\t    b\n", "\ta;\n".repeat(200));
        check(&rarely, &["    d"], Some(&["\td"]));
    }

    #[test]
    fn lines_of_a_file_with_both_stay_as_they_are() {
        let file = "a {\n\tb(c,\n\t    d);\n\t\te;\n}\n";
        check(file, &["    f", "        g", "\t    h"], Some(&["    f", "        g", "\t    h"]));
    }

    #[test]
    fn where_white_space_means_something_they_are_in_doubt() {
        let makefile = "SOURCES = a \\\n        b\nall:\n\tcc\n";
        check(makefile, &["    ld", "            d"], Some(&["\tld", "\t\t\td"]));
        // Either what a recipe goes on with, or one more source.
        check(makefile, &["    ld", "        d"], None);
    }

    #[test]
    fn lines_beside_others_with_tabs_are_meant_as_they_are() {
        let file = "def a(\n    b):\n\tc\n";
        check(file, &["def f(", "    d):", "\te"], Some(&["def f(", "    d):", "\te"]));
    }
}
