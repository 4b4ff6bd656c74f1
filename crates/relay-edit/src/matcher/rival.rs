//! A place that is like the old lines in another way than the one that was found.
//!
//! Lines that stand somewhere with other white space may be meant where all but one of them stand as they are written, and
//! that one has a slip, or others have characters that look alike. Which of the two is meant nobody can say, unless the line
//! number does.

use super::fuzzy::is_slip;
use super::index::FileIndex;
use super::key::{Key, indent};
use super::ladder::Candidate;
use super::pattern::{Pattern, is_telling};
use super::tier::Tier;

/// Lines that stand at more places than this propose none.
const PLACES: usize = 64;
/// With fewer old lines, all but one of them say too little.
const LEAST: usize = 3;

/// The line, counted from 0, from which on all old lines stand to the letter but for that, and not where they were
/// found.
pub(crate) fn place(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    found: &Candidate,
    tier: Tier,
) -> Option<usize> {
    let named = pattern.hunk.line_hint == Some(found.start() + 1);
    if tier <= Tier::TrailingWhitespace || named || pattern.old.len() < LEAST {
        return None;
    }
    let telling = pattern.old.iter().enumerate().filter(|(_, line)| is_telling(line));
    // One of two lines that tell something stands there.
    let proposed = telling.flat_map(|(at, line)| {
        let places = index.places(Key::TrimEnd, line.as_bytes());
        let places = if places.len() > PLACES { &[] } else { places };
        places.iter().filter_map(move |place| place.checked_sub(at))
    });
    let mut proposed: Vec<usize> = proposed.collect();
    proposed.sort_unstable();
    proposed.dedup();
    index.spend(proposed.len() * pattern.old.len())?;
    let apart = |start: &usize| *start >= found.end() || start + pattern.old.len() <= found.start();
    proposed.into_iter().filter(apart).find(|start| stands_almost(pattern, index, *start))
}

/// Whether all lines stand there to the letter, but for a slip in one that stays and characters that look alike.
fn stands_almost(pattern: &Pattern<'_>, index: &FileIndex<'_>, start: usize) -> bool {
    if start + pattern.old.len() > index.lines.len() {
        return false;
    }
    let pairs = pattern.old.iter().enumerate().map(|(at, line)| (at, *line, index.lines.text(start + at)));
    let other = pairs.filter(|(_, line, found)| !Key::TrimEnd.unites(line.as_bytes(), found));
    let is_alike = |line: &str, found: &[u8]| {
        indent(line.as_bytes()) == indent(found) && Key::Folded.unites(line.as_bytes(), found)
    };
    let (alike, other): (Vec<_>, Vec<_>) = other.partition(|(_, line, found)| is_alike(line, found));
    let slipped = |(at, line, found): &(usize, &str, &[u8])| {
        !pattern.is_removed(*at) && is_slip(line.trim_end(), String::from_utf8_lossy(found).trim_end())
    };
    alike.len() + other.len() > 0 && other.len() < 2 && other.iter().all(slipped)
}
