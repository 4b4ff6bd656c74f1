//! Hunks in which a `...` represents lines the author left out.
//!
//! The parts between the elisions are placed one below the other. There must be exactly one way to do so, as far as the
//! parts go that change something: a part of nothing but context may be at several places without making any difference
//! to what is changed, and is taken where it is nearest.

use super::candidate::{Candidate, Covered};
use super::indent::Reindent;
use super::index::FileIndex;
use super::key::Key;
use super::ladder::{Search, exact_or_endings};
use super::pattern::{Pattern, has_identity, is_telling};
use super::proof;
use super::tier::Tier;
use crate::HunkLine;
use crate::elision::elision;
use crate::lines::is_blank;

/// Searches for a hunk with elisions; `Nothing` when it has none.
pub(crate) fn search(pattern: &Pattern<'_>, index: &FileIndex<'_>) -> Option<Search> {
    let old = Parts::of(pattern, index, |line| !matches!(line, HunkLine::Added(_)));
    let new = Parts::of(pattern, index, |line| !matches!(line, HunkLine::Removed(_)));
    if !old.elided || !old.have_identity() {
        return Some(Search::Nothing);
    }
    for tier in Tier::BY_KEY.iter().copied() {
        let candidates = old.chains(index, tier)?;
        let done = pattern.hunk.adds() && !pattern.is_blind(tier.key()) && has_identity(&pattern.new);
        let done = if done { new.chains(index, tier)? } else { Vec::new() };
        match (done.as_slice(), candidates.as_slice()) {
            // An insertion's old lines still are there after the insertion.
            ([done], places)
                if places.iter().all(|place| stands_within(place, done))
                    && (!places.is_empty() || proof::survives(pattern, index, tier.key())?) =>
            {
                return Some(Search::AlreadyApplied(done.start()));
            }
            (_, []) => {}
            // The part that changes was twice. Which of the two is meant only a line number says, and that of a place
            // below is another one by now.
            ([done], [only])
                if pattern.hunk.line_hint != Some(only.start() + 1) || done.end() < only.end() =>
            {
                return Some(Search::HalfDone { found: only.start(), done: done.start() });
            }
            _ if tier == Tier::Exact => {
                return Some(Search::Found(exact_or_endings(index, &candidates), candidates));
            }
            _ => return Some(Search::Found(tier, candidates)),
        }
    }
    Some(Search::Nothing)
}

/// Whether every line that one candidate represents is one that the other represents too. What `a`, `...`, `b` leaves
/// out is done where `a`, `b` of one place are among the lines of the other.
fn stands_within(place: &Candidate, done: &Candidate) -> bool {
    let (Covered::Map(place), Covered::Map(done)) = (&place.lines, &done.lines) else { return false };
    place.iter().flatten().all(|line| done.contains(&Some(*line)))
}

/// Lines of one side of a hunk without an elision between them.
#[derive(Debug, Default)]
struct Part<'h> {
    /// The positions of its lines on this side, and the lines.
    lines: Vec<(usize, &'h str)>,
    /// Where it is makes a difference: a line of it goes, or one comes in.
    changes: bool,
}

/// One side of a hunk, cut at its elisions.
#[derive(Debug, Default)]
struct Parts<'h> {
    parts: Vec<Part<'h>>,
    /// The number of lines on this side, elisions included.
    len: usize,
    elided: bool,
}

impl<'h> Parts<'h> {
    fn of(pattern: &Pattern<'h>, index: &FileIndex<'_>, on_side: fn(&HunkLine) -> bool) -> Self {
        let mut parts = Self { parts: vec![Part::default()], ..Self::default() };
        for (at, line) in pattern.hunk.lines.iter().enumerate() {
            let text = line.text();
            let elided = matches!(line, HunkLine::Context(_))
                && elision(text).is_some()
                && !stands_there(&pattern.hunk.lines, at, index);
            if elided {
                parts.elided = true;
                parts.parts.push(Part::default());
            } else if let Some(part) = parts.parts.last_mut() {
                part.changes |= !matches!(line, HunkLine::Context(_));
                part.lines.extend(on_side(line).then_some((parts.len, text)));
            }
            parts.len += usize::from(on_side(line));
        }
        parts.parts.retain(|part| !part.lines.is_empty());
        if !parts.parts.iter().any(|part| part.changes) {
            parts.parts.iter_mut().for_each(|part| part.changes = true);
        }
        parts
    }

    /// Whether any of the lines that were not left out can be recognised. `...` between `}` and `}` has none.
    fn have_identity(&self) -> bool {
        self.parts.iter().flat_map(|part| &part.lines).any(|(_, line)| is_telling(line))
    }

    /// Every way to place the parts one below the other; two are enough to know that there is more than one.
    fn chains(&self, index: &FileIndex<'_>, tier: Tier) -> Option<Vec<Candidate>> {
        let mut starts = Vec::new();
        for part in &self.parts {
            let lines: Vec<&str> = part.lines.iter().map(|(_, line)| *line).collect();
            let found = index.find(tier.key(), &lines)?;
            if found.is_empty() {
                return Some(Vec::new());
            }
            starts.push(found);
        }
        let mut search = Chains { parts: &self.parts, starts: &starts, found: Vec::new(), steps: 0 };
        search.begin();
        if search.steps > STEPS {
            return None;
        }
        Some(search.found.iter().filter_map(|chain| self.candidate(index, chain, tier)).collect())
    }

    fn candidate(&self, index: &FileIndex<'_>, chain: &[usize], tier: Tier) -> Option<Candidate> {
        let mut lines = vec![None; self.len];
        let mut pairs: Vec<(&[u8], &[u8])> = Vec::new();
        for (part, start) in self.parts.iter().zip(chain) {
            for (offset, (position, text)) in part.lines.iter().enumerate() {
                *lines.get_mut(*position)? = Some(start + offset);
                pairs.push((text.as_bytes(), index.lines.text(start + offset)));
            }
        }
        let reindent = if tier > Tier::TrailingWhitespace {
            Reindent::infer(pairs.into_iter())?
        } else {
            Reindent::Keep
        };
        Some(Candidate { lines: Covered::Map(lines), reindent })
    }
}

/// Whether a line of dots is one of the file: that has such a line below the one that is above it in the hunk, or above the
/// one below it. Brackets, which are anywhere, tell nothing of it. A stub `def f(self):`, `...` in Python is text; the
/// dots in `def f(self):`, `...`, `return x` of a longer function are not.
fn stands_there(lines: &[HunkLine], at: usize, index: &FileIndex<'_>) -> bool {
    let text = lines.get(at).map(HunkLine::text).unwrap_or_default();
    let places = index.places(Key::Trim, text.as_bytes());
    let (above, below) = lines.split_at_checked(at).unwrap_or_default();
    let is_old = |line: &&HunkLine| line.is_old() && !is_blank(line.text().as_bytes());
    let above = above.iter().rfind(is_old).filter(|line| is_telling(line.text()));
    let below = below.iter().skip(1).find(is_old).filter(|line| is_telling(line.text()));
    let is_line = |line: Option<&HunkLine>, place: Option<usize>| {
        let found = place.map(|place| index.lines.text(place));
        line.zip(found).is_some_and(|(line, found)| Key::Trim.unites(line.text().as_bytes(), found))
    };
    let is_written = |place: &usize| !is_blank(index.lines.text(*place));
    let beside = |place: &usize| {
        is_line(above, (0..*place).rfind(is_written))
            || is_line(below, (place + 1..index.lines.len()).find(is_written))
    };
    above.is_none() && below.is_none() && !places.is_empty() || places.iter().any(beside)
}

/// How many partial chains are looked at before the search gives up.
const STEPS: usize = 10_000;

/// The search for ways to place parts one below the other.
struct Chains<'s> {
    parts: &'s [Part<'s>],
    /// Where each part is, in order.
    starts: &'s [Vec<usize>],
    /// For each way that was found the start of each part.
    found: Vec<Vec<usize>>,
    steps: usize,
}

impl Chains<'_> {
    /// Begins with the first part that changes something; what is above it is as near to it as can be.
    fn begin(&mut self) {
        let first = self.parts.iter().position(|part| part.changes).unwrap_or_default();
        for start in self.starts.get(first).into_iter().flatten() {
            self.steps += 1;
            if self.found.len() > 1 || self.steps > STEPS {
                return;
            }
            if let Some(mut chain) = self.above(first, *start) {
                chain.push(*start);
                self.extend(&mut chain);
            }
        }
    }

    /// The nearest places above a line for the parts before one.
    fn above(&self, first: usize, mut limit: usize) -> Option<Vec<usize>> {
        let mut chain = Vec::new();
        for (part, starts) in self.parts.iter().zip(self.starts).take(first).rev() {
            let last = limit.checked_sub(part.lines.len())?;
            limit = starts.iter().rev().find(|start| **start <= last).copied()?;
            chain.push(limit);
        }
        chain.reverse();
        Some(chain)
    }

    fn extend(&mut self, chain: &mut Vec<usize>) {
        let (starts, parts) = (self.starts, self.parts);
        let (Some(choices), Some(part)) = (starts.get(chain.len()), parts.get(chain.len())) else {
            self.found.push(chain.clone());
            return;
        };
        let above = chain.len().checked_sub(1).and_then(|above| parts.get(above));
        let after = chain.last().zip(above).map_or(0, |(start, above)| start + above.lines.len());
        // Of the places of mere context the nearest one will do: from there on everything else is in reach.
        let most = if part.changes { usize::MAX } else { 1 };
        for start in choices.iter().filter(|start| **start >= after).take(most) {
            self.steps += 1;
            if self.found.len() > 1 || self.steps > STEPS {
                return;
            }
            chain.push(*start);
            self.extend(chain);
            chain.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hunk;

    fn searched(file: &str, diff: &str) -> Option<Search> {
        let hunk = Hunk::of_diff(diff);
        search(&Pattern::new(&hunk), &FileIndex::new(file.as_bytes()))
    }

    /// Checks at which lines the old lines are, for every way to place them.
    #[track_caller]
    fn check(file: &str, diff: &str, tier: Tier, reindent: &Reindent, ways: &[&[Option<usize>]]) {
        let candidate = |places: &&[Option<usize>]| Candidate {
            lines: Covered::Map(places.to_vec()),
            reindent: reindent.clone(),
        };
        let candidates = ways.iter().map(candidate).collect();
        assert_eq!(searched(file, diff), Some(Search::Found(tier, candidates)), "{file:?} {diff:?}");
    }

    const ENDS: &str = " begin\n ...\n-end\n+END";

    #[test]
    fn parts_stand_one_below_the_other() {
        let places = [Some(0), None, Some(3)];
        check("begin\none\ntwo\nend\n", ENDS, Tier::Exact, &Reindent::Keep, &[&places]);
        check("begin\nend\n", ENDS, Tier::Exact, &Reindent::Keep, &[&[Some(0), None, Some(1)]]);
        assert_eq!(searched("end\nbegin\n", ENDS), Some(Search::Nothing));
        // A line belongs to one part.
        assert_eq!(searched("one\ntwo\nthree\n", " one\n two\n ...\n two\n-three"), Some(Search::Nothing));
    }

    #[test]
    fn two_ways_are_both_told() {
        let ways: [&[Option<usize>]; 2] = [&[Some(0), None, Some(2)], &[Some(0), None, Some(3)]];
        check("begin\none\nend\nend\n", ENDS, Tier::Exact, &Reindent::Keep, &ways);
    }

    /// Where context is makes no difference to what is changed.
    #[test]
    fn context_is_taken_where_it_is_nearest() {
        let near: &[Option<usize>] = &[Some(2), None, Some(4), None, Some(6)];
        let diff = " begin\n ...\n-end\n+END\n ...\n tail";
        check("begin\none\nbegin\none\nend\ntwo\ntail\ntail\n", diff, Tier::Exact, &Reindent::Keep, &[near]);
        // A new line belongs to the lines it is at.
        let ways: [&[Option<usize>]; 2] = [&[Some(0), None, Some(3)], &[Some(1), None, Some(3)]];
        check("begin\nbegin\none\nend\n", " begin\n+new\n ...\n end", Tier::Exact, &Reindent::Keep, &ways);
        let nearest = &ways[1..];
        check("begin\nbegin\none\nend\n", " begin\n ...\n+new\n end", Tier::Exact, &Reindent::Keep, nearest);
    }

    #[test]
    fn what_is_done_elsewhere_is_in_doubt() {
        let diff = " begin\n ...\n x\n-old\n+new\n y";
        let file = "begin\none\nx\nold\ny\ntwo\nx\nnew\ny\n";
        assert_eq!(searched(file, diff), Some(Search::HalfDone { found: 0, done: 0 }));
        let hunk = Hunk { line_hint: Some(1), ..Hunk::of_diff(diff) };
        let found = search(&Pattern::new(&hunk), &FileIndex::new(file.as_bytes()));
        assert!(matches!(found, Some(Search::Found(Tier::Exact, places)) if places.len() == 1));
    }

    #[test]
    fn dots_that_stand_in_the_file_are_a_line_of_it() {
        assert_eq!(searched("begin\n...\none\nend\n", ENDS), Some(Search::Nothing));
        assert_eq!(searched("begin\none\n\n...\nend\n", ENDS), Some(Search::Nothing));
        // Those are elsewhere.
        let places: &[Option<usize>] = &[Some(0), None, Some(2)];
        check("begin\none\nend\ndef f():\n...\n", ENDS, Tier::Exact, &Reindent::Keep, &[places]);
        // Beside brackets nobody can say.
        assert_eq!(searched("{\none\n}\nx\n...\n", " {\n ...\n-}\n+]"), Some(Search::Nothing));
    }

    #[test]
    fn new_lines_are_indented_as_the_parts_are() {
        let places: &[Option<usize>] = &[Some(0), None, Some(2)];
        let add = Reindent::Add(b"    ".to_vec());
        check("    begin\n    one\n    end\n", ENDS, Tier::Indentation, &add, &[places]);
        // Blanks after a line say nothing about its depth.
        check("begin \none\nend\n", ENDS, Tier::TrailingWhitespace, &Reindent::Keep, &[places]);
    }

    #[test]
    fn what_stands_there_already_is_applied() {
        assert_eq!(searched("begin\none\nEND\n", ENDS), Some(Search::AlreadyApplied(0)));
        // What only goes leaves nothing that could be recognised.
        assert_eq!(searched("begin\none\n", " begin\n ...\n-end"), Some(Search::Nothing));
    }

    /// The last part is above all the others, and every way to place those is tried in vain.
    #[test]
    fn too_many_ways_are_given_up() {
        let file = |count: usize| format!("end\n{}{}", "one\n".repeat(count), "two\n".repeat(count));
        let diff = "-one\n ...\n-two\n ...\n-end\n+END";
        assert_eq!(searched(&file(20), diff), Some(Search::Nothing));
        assert_eq!(searched(&file(200), diff), None);
    }
}
