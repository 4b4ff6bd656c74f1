//! Context lines without the space that a diff puts before them.
//!
//! A line that is written without it, and begins with a space of its own, reads as if it were indented by one less. Its
//! place is not in doubt, and it keeps the file's bytes anyway; what is in doubt is how deep the new lines belong.

use super::indent::Reindent;
use super::index::FileIndex;
use super::key::indent;
use super::pattern::{Pattern, is_telling};
use crate::HunkLine;
use crate::lines::is_blank;

/// The rule for hunks in which some lines of context lack one space and all others are indented as the file is: the
/// lines that have their sign say that the new ones are as deep as they are written. `def f():` and ` return 1` as
/// context, where the file has `  return 1` and `-    old()` is as deep as in the file.
pub(crate) fn lost_somewhere(pattern: &Pattern<'_>, index: &FileIndex<'_>, start: usize) -> Option<Reindent> {
    let (mut kept, mut lost) = (false, false);
    for (at, old) in pattern.old.iter().enumerate() {
        let (reply, file) = (indent(old.as_bytes()), indent(index.lines.text(start + at)));
        if is_blank(old.as_bytes()) {
            continue;
        }
        if reply == file {
            kept |= pattern.is_removed(at) || !file.is_empty();
        } else if pattern.is_removed(at) || file.strip_prefix(b" ") != Some(reply) {
            return None;
        } else {
            lost = true;
        }
    }
    // Lines without indentation have nothing to lose: what of the file says that the new lines are as deep as written?
    let as_written = || settled(pattern, index, &Reindent::Add(b" ".to_vec())) == Some(Reindent::Keep);
    (kept || lost && as_written()).then_some(Reindent::Keep)
}

/// The rule for a hunk of which some lines lost their indentation, or the first one was copied from where its text begins:
/// the others are indented as the file is, and so are the new ones. `lines` are those of the hunk that are at the place.
/// `return x` for the file's `    return x` as the first line, above `     y = 1` with its sign.
pub(crate) fn lost_in_places(
    pattern: &Pattern<'_>,
    lines: &[&str],
    index: &FileIndex<'_>,
    start: usize,
) -> Option<Reindent> {
    let added = || pattern.hunk.added_lines();
    let stays = matches!(pattern.hunk.lines.first(), Some(HunkLine::Context(_)));
    let (mut kept, mut scattered) = (false, false);
    // A bracket at an end of the hunk that alone lost it may as well be the one that is above or below at its depth.
    let (mut told, mut doubtful) = (false, false);
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !is_blank(line.as_bytes())) {
        let (reply, file) = (indent(line.as_bytes()), indent(index.lines.text(start + at)));
        if reply == file {
            kept |= !file.is_empty();
            continue;
        }
        if is_telling(line) {
            told = true;
        } else {
            doubtful |= at == 0 || at + 1 == lines.len();
        }
        let is_first = at == 0 && stays;
        scattered |= !is_first;
        // A new line that reads like this one would be taken for it next time.
        if !(reply.is_empty() || is_first) || added().any(|text| text.trim() == line.trim()) {
            return None;
        }
    }
    if doubtful && !told {
        return None;
    }
    // Where lines lost it here and there, a new line without any may have lost it as well.
    let is_indented = |text: &str| is_blank(text.as_bytes()) || !indent(text.as_bytes()).is_empty();
    (kept && (!scattered || added().all(is_indented))).then_some(Reindent::Keep)
}

/// The rule for a hunk of which only lines that go are indented otherwise: they need no other indentation. New lines are
/// between lines that are indented as the file is, and so are they. `-x = 1` for the file's `    x = 1`, between ` def
/// f():` and `     y = 2` as the file has them.
pub(crate) fn lost_where_it_goes(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    start: usize,
) -> Option<Reindent> {
    let mut places = start..;
    let mut kept = false;
    // Whether the old line above is indented as the file is, and whether a new line is after it.
    let (mut fits, mut added) = (true, false);
    for line in &pattern.hunk.lines {
        if !line.is_old() {
            added = true;
            if !fits {
                return None;
            }
            continue;
        }
        let (text, found) = (line.text().as_bytes(), index.lines.text(places.next()?));
        fits = is_blank(text) || indent(text) == indent(found);
        kept |= matches!(line, HunkLine::Context(_)) && is_telling(line.text());
        let goes = matches!(line, HunkLine::Removed(_)) && is_telling(line.text());
        if !fits && (added || !goes) {
            return None;
        }
        added = false;
    }
    kept.then_some(Reindent::Keep)
}

/// The first new line, where an author seems to have put a blank between sign and text: each is one space deeper than lines
/// of the file are, and as deep as none of them. `+ x = 1` in a diff whose other new lines are `+     y = 2`, in a file
/// of four spaces a level.
pub(crate) fn apart<'h>(pattern: &Pattern<'h>, index: &FileIndex<'_>) -> Option<&'h str> {
    let added = pattern.hunk.added_lines();
    let added = added.filter(|text| !is_blank(text.as_bytes()));
    let depth = |text: &str| indent(text.as_bytes()).len();
    // Levels have an even number of spaces, so that mostly nothing has to be looked at.
    if added.clone().any(|text| !text.starts_with(' ') || depth(text).is_multiple_of(2)) {
        return None;
    }
    let first = added.clone().next()?;
    index.habit().spaces()?;
    index.spend(index.lines.len())?;
    let stands =
        |wanted: usize| index.lines.texts().any(|text| !is_blank(text) && indent(text).len() == wanted);
    added.map(depth).all(|depth| !stands(depth) && stands(depth - 1)).then_some(first)
}

/// The rule for a hunk that seems indented by one space less than the file throughout.
///
/// If only context says so, either its signs are missing and the new lines are right, or everything was moved. The file
/// decides: one of the two depths occurs in it. `None` where both do, or none.
pub(crate) fn settled(pattern: &Pattern<'_>, index: &FileIndex<'_>, rule: &Reindent) -> Option<Reindent> {
    let is_written = |line: &&HunkLine| !is_blank(line.text().as_bytes());
    let removes =
        pattern.hunk.lines.iter().filter(is_written).any(|line| matches!(line, HunkLine::Removed(_)));
    if *rule != Reindent::Add(b" ".to_vec()) || removes || !pattern.hunk.adds() {
        return Some(rule.clone());
    }
    index.spend(index.lines.len())?;
    let mut depths: Vec<&[u8]> = index.lines.texts().filter(|text| !is_blank(text)).map(indent).collect();
    depths.sort_unstable();
    depths.dedup();
    let added = pattern.hunk.lines.iter().filter(|line| !line.is_old()).filter(is_written);
    if added.clone().next().is_none() {
        return Some(Reindent::Keep);
    }
    let (mut all, mut as_written, mut as_moved) = (0, 0, 0);
    for depth in added.map(|line| indent(line.text().as_bytes())) {
        all += 1;
        as_written += usize::from(depths.binary_search(&depth).is_ok());
        as_moved += usize::from(depths.binary_search(&[b" ", depth].concat().as_slice()).is_ok());
    }
    // A depth that is nowhere may be new; one reading must explain all of them, or the other none.
    let explains = |one: usize, other: usize| one > other && (one == all || other == 0);
    match (explains(as_written, as_moved), explains(as_moved, as_written)) {
        (true, false) => Some(Reindent::Keep),
        (false, true) => Some(rule.clone()),
        _ => None,
    }
}
