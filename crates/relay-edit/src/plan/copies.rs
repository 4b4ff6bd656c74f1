//! Lines that a hunk has several times, where it cannot be decided which copy stays.
//!
//! Old and new text that were written whole are brought together line by line, and there may be several ways to do so: of
//! two equal lines one is new and one stays, and it makes no difference which. It does where the file does not have the line
//! as the author wrote it, with blanks at the end or with other quotes: keeping those bytes would put them into one copy or
//! the other by chance. A line that stays in some ways and not in others is therefore written as the author wrote it.

use std::collections::HashSet;

use crate::align::other_ways;
use crate::lines::Lines;
use crate::matcher::{Placement, Tier};
use crate::{Hunk, HunkLine};

/// The hunk with such lines written anew, and where it goes then; `None` when it has none.
pub(crate) fn written_anew(
    hunk: &Hunk,
    placement: &Placement,
    lines: &Lines<'_>,
) -> Option<(Hunk, Placement)> {
    // Where all is to the letter nothing differs, and a slip of the author's is not to be written.
    if matches!(placement.tier, Tier::Exact | Tier::LineEndings | Tier::Fuzzy) {
        return None;
    }
    let changed: HashSet<&str> =
        hunk.lines.iter().filter(|line| !is_context(line)).map(HunkLine::text).collect();
    let is_copy = |line: &HunkLine, place: usize| {
        let text = line.text();
        let wanted = placement.reindent.apply(text.as_bytes());
        is_context(line)
            && !text.trim().is_empty()
            && changed.contains(text)
            && wanted.is_some_and(|wanted| wanted != lines.text(place))
    };
    let copies = || hunk.lines.iter().zip(&placement.map);
    if !copies().any(|(line, place)| place.is_some_and(|place| is_copy(line, place))) {
        return None;
    }
    let surely = surely_kept(hunk);
    let mut result = Vec::with_capacity(hunk.lines.len());
    for ((line, place), surely) in copies().zip(surely) {
        match place {
            Some(at) if !surely && is_copy(line, *at) => {
                result.push((HunkLine::Removed(line.text().to_owned()), *place));
                result.push((HunkLine::Added(line.text().to_owned()), None));
            }
            _ => result.push((line.clone(), *place)),
        }
    }
    let (written, map): (Vec<HunkLine>, Vec<Option<usize>>) = result.into_iter().unzip();
    let anew = written.len() > hunk.lines.len();
    anew.then(|| (Hunk { lines: written, ..hunk.clone() }, Placement { map, ..placement.clone() }))
}

/// For each line of a hunk whether it stays whichever way its sides are brought together.
fn surely_kept(hunk: &Hunk) -> Vec<bool> {
    let (old, new): (Vec<&str>, Vec<&str>) = (hunk.old_lines().collect(), hunk.new_lines().collect());
    let ways = other_ways(&old, &new);
    let (mut at_old, mut at_new) = (0, 0);
    let lines = hunk.lines.iter().map(|line| {
        let pair = (at_old, at_new);
        at_old += usize::from(line.is_old());
        at_new += usize::from(line.is_new());
        is_context(line) && ways.iter().all(|way| way.contains(&pair))
    });
    lines.collect()
}

const fn is_context(line: &HunkLine) -> bool {
    matches!(line, HunkLine::Context(_))
}
