//! New lines that, moved as the old ones of their hunk were, do not fit the blocks around them.
//!
//! Where old lines are indented otherwise than in the file, new lines are moved with them. An author who moved only some
//! of them shows it: a bracket ends up as deep as what it ends, or a line as deep as the bracket after it. Then it is open how
//! deep the new lines belong.

use std::borrow::Cow;

use crate::HunkLine;
use crate::lines::is_blank;
use crate::matcher::indent::Reindent;
use crate::matcher::index::FileIndex;
use crate::matcher::key::indent;
use crate::matcher::pattern::Pattern;

/// The first new line that does not fit. `map` has the place of each line of the hunk. `+    }` that would be as deep
/// as the line it closes.
pub(crate) fn misfit<'h>(
    pattern: &Pattern<'h>,
    index: &FileIndex<'_>,
    map: &[Option<usize>],
    rule: &Reindent,
) -> Option<&'h str> {
    // One space may be that of a sign, and levels are looked at elsewhere.
    let is_shift = matches!(rule, Reindent::Add(by) | Reindent::Strip(by) if by.len() > 1 || by == b"\t");
    if !is_shift || !pattern.hunk.adds() {
        return None;
    }
    let lines = pattern.hunk.lines.iter().zip(map);
    let lines = lines.filter(|(line, _)| line.is_new() && !is_blank(line.text().as_bytes()));
    let moved = |line: &'h HunkLine, place: Option<usize>| match place {
        Some(place) => Some(Cow::Borrowed(index.lines.text(place))),
        None => rule.apply(line.text().as_bytes()),
    };
    let lines = lines.filter_map(|(line, place)| {
        let depth = indent(&moved(line, *place)?).len();
        let written = if line.is_old() { depth } else { indent(line.text().as_bytes()).len() };
        Some(Line { text: line.text(), is_added: !line.is_old(), depth, written })
    });
    let lines: Vec<Line<'h>> = lines.collect();
    let mut seams = lines.windows(2).filter_map(|pair| match pair {
        [above, below] if above.is_added != below.is_added => Some((above, below)),
        _ => None,
    });
    if let Some(line) = stray(&lines, index) {
        return Some(line);
    }
    // A line of the same kind went from there, which the file has at that very depth.
    let removed = || pattern.hunk.lines.iter().filter(|line| !line.is_new()).map(HunkLine::text);
    let replaces = |line: &Line<'_>| {
        let is_alike = |text: &str| {
            let depth = indent(text.as_bytes()).len();
            let other = Line { text, is_added: false, depth, written: depth };
            depth == line.written && other.closes() && line.closes()
        };
        line.is_added && removed().any(is_alike)
    };
    let misfit = |(above, below): &(&Line<'_>, &Line<'_>)| {
        if replaces(above) || replaces(below) {
            return false;
        }
        let fit = |depth: fn(&Line<'_>) -> usize| fits((above, depth(above)), (below, depth(below)));
        !fit(|line| line.depth) && fit(|line| line.written)
    };
    let (above, below) = seams.find(misfit)?;
    Some(if below.is_added { below.text } else { above.text })
}

/// The first new line that is as deep as lines of the file are and, once it is moved, as deep as none. `+  x`, moved by
/// three spaces in a file of two a level.
fn stray<'h>(lines: &[Line<'h>], index: &FileIndex<'_>) -> Option<&'h str> {
    let first = lines.iter().find(|line| line.is_added)?;
    index.spend(index.lines.len())?;
    let stands = |depth: usize| {
        let mut texts = index.lines.texts().filter(|text| !is_blank(text));
        texts.any(|text| indent(text).len() == depth)
    };
    (stands(first.written) && !stands(first.depth)).then_some(first.text)
}

/// A line that is not blank.
struct Line<'h> {
    text: &'h str,
    is_added: bool,
    /// How deep the file would have it.
    depth: usize,
    /// How deep it is as written where it is new, and in the file where it is not.
    written: usize,
}

/// Whether a line may be above another one, each of them so deep. `}` below `a();` that is deeper; nothing as deep as
/// `return` below it.
fn fits((above, depth): (&Line<'_>, usize), (below, below_depth): (&Line<'_>, usize)) -> bool {
    if below.closes() { depth > below_depth } else { depth != below_depth || !above.leaves() }
}

fn closes(text: &str) -> bool {
    text.trim_start().starts_with(['}', ')', ']'])
}

impl Line<'_> {
    fn closes(&self) -> bool {
        closes(self.text)
    }

    /// Whether nothing as deep as this line is run after it. `return x`; not `return x if y`.
    fn leaves(&self) -> bool {
        const LEAVING: &[&str] = &["return", "raise", "throw", "break", "continue"];
        let mut words = self.words();
        words.next().is_some_and(|word| LEAVING.contains(&word))
            && !words.any(|word| matches!(word, "if" | "unless"))
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.text.trim().split(|sign: char| !sign.is_alphanumeric() && sign != '_')
    }
}
