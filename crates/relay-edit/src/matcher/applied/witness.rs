//! Which lines of a file are the lines that an applied hunk leaves: what the certificate says about it.
//!
//! The searches that find a hunk applied compare blocks, with or without blank lines and elisions, and only say where the
//! block is. This names the line of the file for each line of the hunk.

use crate::elision::elision;
use crate::lines::is_blank;
use crate::matcher::index::FileIndex;
use crate::matcher::key::Key;
use crate::{Hunk, HunkLine};

/// How far from the place that a search names the first new line may be.
const REACH: usize = 512;

/// For each line of a hunk the line of the file it is, around a place where the hunk was found applied.
pub(crate) fn witness(hunk: &Hunk, index: &FileIndex<'_>, place: usize) -> Option<Vec<Option<usize>>> {
    let above = hunk.added_lines().count().min(REACH);
    let starts: Vec<usize> =
        (0..=above).filter_map(|count| place.checked_sub(count)).chain(place + 1..=place + above).collect();
    [Key::TrimEnd, Key::Trim, Key::Folded].into_iter().find_map(|key| {
        index.spend(starts.len() * hunk.lines.len())?;
        starts.iter().find_map(|start| walk(hunk, index, *start, key))
    })
}

/// The lines of the file that the new lines of a hunk are, from a line on.
fn walk(hunk: &Hunk, index: &FileIndex<'_>, start: usize, key: Key) -> Option<Vec<Option<usize>>> {
    let is =
        |text: &str, at: usize| at < index.lines.len() && key.unites(text.as_bytes(), index.lines.text(at));
    let blank = |at: usize| at < index.lines.len() && is_blank(index.lines.text(at));
    let mut map = Vec::with_capacity(hunk.lines.len());
    let (mut at, mut gap) = (start, false);
    for line in &hunk.lines {
        let text = line.text();
        if !line.is_new() {
            map.push(None);
        } else if is(text, at) {
            (map, at, gap) = (pushed(map, at), at + 1, false);
        } else if matches!(line, HunkLine::Context(_)) && elision(text).is_some() {
            map.push(None);
            gap = true;
        } else if is_blank(text.as_bytes()) {
            map.push(None);
        } else {
            let mut next = at;
            while next < index.lines.len() && (gap || blank(next)) && !is(text, next) {
                next += 1;
            }
            if !is(text, next) || map.iter().all(Option::is_none) && next != start {
                return None;
            }
            (map, at, gap) = (pushed(map, next), next + 1, false);
        }
    }
    Some(map)
}

fn pushed(mut map: Vec<Option<usize>>, at: usize) -> Vec<Option<usize>> {
    map.push(Some(at));
    map
}
