//! Blank lines and rules that an author leaves between the markers of a section and its text.
//!
//! They belong to neither side. Only where the old text is nowhere with them are they taken off, from both sides alike.

use super::index::FileIndex;
use super::key::Key;
use crate::lines::is_blank;
use crate::{EndOfFile, Hunk, HunkLine};

/// The hunk without the blank lines around its old text; `None` when there are none.
pub(crate) fn without_margins(hunk: &Hunk, index: &FileIndex<'_>) -> Option<Hunk> {
    let (old, new) = (hunk.old_lines().collect::<Vec<_>>(), hunk.new_lines().collect::<Vec<_>>());
    let blank = |line: &&&str| is_blank(line.as_bytes());
    let (above, below) = (old.iter().take_while(blank).count(), old.iter().rev().take_while(blank).count());
    if above + below == 0 || above == old.len() || bounds_a_change(hunk, index) || parts_a_change(hunk) {
        return None;
    }
    let first = new.iter().take_while(blank).take(above).count();
    let last = new.iter().skip(first).rev().take_while(blank).take(below).count();
    // Where both sides have some, one that only the old side has is a line that goes.
    let [above, below] = [(above, first), (below, last)].map(|(old, new)| if new == 0 { old } else { new });
    let old = old.get(above..old.len() - below)?;
    let new = new.get(first..new.len() - last)?;
    let inner = Hunk::from_sides(old, new, hunk.line);
    let line_hint = hunk.line_hint.map(|line| line + above);
    Some(Hunk { line_hint, scope: hunk.scope.clone(), end: hunk.end, ..inner })
}

/// The hunk without any blank lines around its old and its new text; `None` when there are none around the old one.
pub(crate) fn without_all_margins(hunk: &Hunk, index: &FileIndex<'_>) -> Option<Hunk> {
    let (old, new) = (hunk.old_lines().collect::<Vec<_>>(), hunk.new_lines().collect::<Vec<_>>());
    let (core, above) = without_blanks(&old)?;
    let new = without_blanks(&new).map_or(&[] as &[&str], |(core, _)| core);
    let inner = Hunk::from_sides(core, new, hunk.line);
    let line_hint = hunk.line_hint.map(|line| line + above);
    (core.len() < old.len() && !bounds_a_change(hunk, index) && !parts_a_change(hunk)).then(|| Hunk {
        line_hint,
        scope: hunk.scope.clone(),
        end: hunk.end,
        ..inner
    })
}

/// Whether several blank lines are right above or below what changes, in a file that parts its blocks so: then they are
/// quoted, and where they are not in the file, something between them and the change is missing. Two blank lines and
/// `+def g():` below `def f():` in Python, where the file has them between all functions.
fn bounds_a_change(hunk: &Hunk, index: &FileIndex<'_>) -> bool {
    const SEVERAL: usize = 2;
    let is_margin = |line: &&HunkLine| matches!(line, HunkLine::Context(text) if is_blank(text.as_bytes()));
    let bounds = |blanks: usize, next: Option<&HunkLine>| {
        blanks >= SEVERAL && next.is_some_and(|next| !matches!(next, HunkLine::Context(_)))
    };
    let (above, below) = (
        hunk.lines.iter().take_while(is_margin).count(),
        hunk.lines.iter().rev().take_while(is_margin).count(),
    );
    let parts = || index.find_some(Key::TrimEnd, &[""; SEVERAL], 1).is_none_or(|places| !places.is_empty());
    (bounds(above, hunk.lines.get(above)) || bounds(below, hunk.lines.iter().rev().nth(below))) && parts()
}

/// Whether new lines are beyond a blank line that stays at an end of the old text: then that line is where they belong, and
/// where it is not in the file, nothing says so. ` a`, a blank line that stays, and `+b` below it.
fn parts_a_change(hunk: &Hunk) -> bool {
    let is_written = |line: &HunkLine| !is_blank(line.text().as_bytes());
    let parts = |lines: &mut dyn Iterator<Item = &HunkLine>| {
        let mut outer = lines.take_while(|line| !(line.is_old() && is_written(line)));
        let new = outer.by_ref().find(|line| !line.is_old() && is_written(line));
        new.is_some() && outer.any(|line| matches!(line, HunkLine::Context(_)))
    };
    parts(&mut hunk.lines.iter()) || parts(&mut hunk.lines.iter().rev())
}

/// Lines without the blank ones around them, and how many of those are above; `None` when there are no others.
fn without_blanks<'l, 't>(lines: &'l [&'t str]) -> Option<(&'l [&'t str], usize)> {
    let written = |line: &&str| !is_blank(line.as_bytes());
    let (first, last) = (lines.iter().position(written)?, lines.iter().rposition(written)?);
    Some((lines.get(first..=last)?, first))
}

/// The hunk without the blank line at its end, which is then the end of the file: after the last newline some authors see
/// one more line. `None` when there is none, or when it stays and the hunk is not there.
pub(crate) fn without_last_blank(hunk: &Hunk, index: &FileIndex<'_>) -> Option<Hunk> {
    let (last, lines) = hunk.lines.split_last()?;
    let rest = Hunk { lines: lines.to_vec(), end: EndOfFile::Reached, ..hunk.clone() };
    let old: Vec<&str> = rest.old_lines().collect();
    let stands_last = || {
        let start = index.lines.len().checked_sub(old.len());
        start.is_some_and(|start| index.stands_at(Key::TrimEnd, &old, start))
    };
    let mut added = rest.lines.iter().filter(|line| !line.is_old());
    let adds_blanks = added.any(|line| is_blank(line.text().as_bytes()));
    let extra = is_blank(last.text().as_bytes())
        && match last {
            HunkLine::Removed(_) => rest.removes(),
            // Where blank lines come, how many there are is what the author says.
            HunkLine::Context(_) => !old.is_empty() && !adds_blanks && stands_last(),
            HunkLine::Added(_) => false,
        };
    extra.then_some(rest)
}

/// The hunk without the sentences after it, which its header counts as lines: they are after a blank line and have no
/// sign, and the file does not have them. `None` when there are none.
pub(crate) fn without_prose(hunk: &Hunk, index: &FileIndex<'_>) -> Option<Hunk> {
    let (lines, prose) = hunk.lines.split_at_checked(hunk.lines.len().checked_sub(hunk.unsigned)?)?;
    let is_sentence = |line: &str| {
        line.starts_with(char::is_uppercase)
            && line.contains(' ')
            && line.trim_end().ends_with(['.', '!', '?', ':'])
    };
    let is_known = |line: &str| !index.places(Key::Folded, line.as_bytes()).is_empty();
    let mut written = prose.iter().map(HunkLine::text).filter(|line| !is_blank(line.as_bytes())).peekable();
    let apart = prose.first().is_some_and(|first| first.text().is_empty()) && written.peek().is_some();
    if !apart || !written.all(|line| is_sentence(line) && !is_known(line)) {
        return None;
    }
    Some(Hunk { lines: lines.to_vec(), unsigned: 0, ..hunk.clone() })
}

/// The hunk without the line of dashes that some tools ask for below the opening marker; `None` when there is none.
pub(crate) fn without_rule(hunk: &Hunk) -> Option<Hunk> {
    let (old, new) = (hunk.old_lines().collect::<Vec<_>>(), hunk.new_lines().collect::<Vec<_>>());
    let (rule, old) = old.split_first()?;
    if rule.len() < 5 || rule.bytes().any(|byte| byte != b'-') || old.is_empty() {
        return None;
    }
    let new = new.strip_prefix(&[*rule]).unwrap_or(&new);
    let inner = Hunk::from_sides(old, new, hunk.line);
    Some(Hunk { line_hint: hunk.line_hint, scope: hunk.scope.clone(), end: hunk.end, ..inner })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &[&str], new: &[&str], expected: Option<(&[&str], &[&str])>) {
        let found = without_margins(&Hunk::from_sides(old, new, 1), &FileIndex::new(b""));
        let sides = found
            .as_ref()
            .map(|hunk| (hunk.old_lines().collect::<Vec<_>>(), hunk.new_lines().collect::<Vec<_>>()));
        assert_eq!(sides, expected.map(|(old, new)| (old.to_vec(), new.to_vec())));
    }

    #[test]
    fn a_rule_goes_only_from_the_top() {
        let rule = |old: &[&str], new: &[&str]| without_rule(&Hunk::from_sides(old, new, 1));
        let found = rule(&["-------", "a"], &["b"]).expect("a rule");
        assert_eq!((found.old_lines().collect::<Vec<_>>(), found.new_lines().count()), (vec!["a"], 1));
        assert_eq!(rule(&["a", "-------"], &["b"]), None);
        assert_eq!(rule(&["-------"], &["b"]), None);
        assert_eq!(rule(&["    -------", "a"], &["b"]), None);
        assert_eq!(rule(&["----", "a"], &["b"]), None);
    }

    #[test]
    fn all_margins_go() {
        let rest = |old: &[&str], new: &[&str]| {
            without_all_margins(&Hunk::from_sides(old, new, 1), &FileIndex::new(b""))
        };
        let found = rest(&["", "", "a", "", "b", ""], &["", "c", ""]).expect("margins");
        assert_eq!(found.old_lines().collect::<Vec<_>>(), ["a", "", "b"]);
        assert_eq!(found.new_lines().collect::<Vec<_>>(), ["c"]);
        assert_eq!(rest(&["", "a"], &[""]).map(|found| found.adds()), Some(false));
        assert_eq!(rest(&["a"], &["", "b"]), None);
        assert_eq!(rest(&["", ""], &["b"]), None);
    }

    /// The blank line is what the new line is after, or before.
    #[test]
    fn a_blank_line_with_new_ones_beyond_it_is_no_margin() {
        check(&["a", ""], &["a", "", "x"], None);
        check(&["", "a"], &["x", "", "a"], None);
        check(&["a", ""], &["a", "x", ""], Some((&["a"], &["a", "x"])));
        check(&["", "a"], &["", "x", "a"], Some((&["a"], &["x", "a"])));
        let all = |old: &[&str], new: &[&str]| {
            without_all_margins(&Hunk::from_sides(old, new, 1), &FileIndex::new(b""))
        };
        assert_eq!(all(&["a", ""], &["a", "", "x"]), None);
        assert_eq!(all(&["", "a"], &["x", "", "a"]), None);
    }

    #[test]
    fn a_last_blank_goes_where_something_else_goes_too() {
        let file = FileIndex::new(b"a\nb\n");
        let rest = |old: &[&str], new: &[&str]| without_last_blank(&Hunk::from_sides(old, new, 1), &file);
        let found = rest(&["a", "b", ""], &["a"]).expect("a blank line");
        assert_eq!((found.old_lines().collect::<Vec<_>>(), found.end), (vec!["a", "b"], EndOfFile::Reached));
        assert_eq!(rest(&["a", ""], &["a"]), None);
        assert_eq!(rest(&["a", "", "b"], &["b"]), None);
        // One that stays does so only at the end of the file.
        assert!(rest(&["b", ""], &["c", ""]).is_some());
        assert_eq!(rest(&["a", ""], &["c", ""]), None);
    }

    #[test]
    fn what_else_a_hunk_says_stays() {
        let sides = |old: &[&str]| Hunk {
            line_hint: Some(7),
            scope: vec!["fn main() {".to_owned()],
            end: EndOfFile::Reached,
            ..Hunk::from_sides(old, &["b"], 3)
        };
        let inner = sides(&["a"]);
        assert_eq!(without_rule(&sides(&["-----", "a"])), Some(inner.clone()));
        assert_eq!(
            without_margins(&sides(&["", "", "a"]), &FileIndex::new(b"")),
            Some(Hunk { line_hint: Some(9), ..inner })
        );
    }

    #[test]
    fn margins_go_from_both_sides_alike() {
        check(&["", "a", ""], &["", "b", ""], Some((&["a"], &["b"])));
        check(&["", "a"], &["b"], Some((&["a"], &["b"])));
        check(&["", "a"], &["", "", "b"], Some((&["a"], &["", "b"])));
        check(&["", "", "a"], &["", "b"], Some((&["", "a"], &["b"])));
        check(&["a", "", "b"], &["c"], None);
        check(&["", ""], &["c"], None);
    }
}
