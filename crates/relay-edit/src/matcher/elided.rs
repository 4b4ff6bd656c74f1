//! Hunks in which a `...` stands for lines the author left out.
//!
//! The parts between the elisions are placed one below the other. There must be exactly one way to do so.

use super::indent::Reindent;
use super::index::FileIndex;
use super::key::Key;
use super::ladder::{Candidate, Covered, Search};
use super::pattern::{Pattern, has_identity, is_telling};
use super::proof;
use super::tier::Tier;
use crate::HunkLine;
use crate::elision::elision;

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
        // An insertion's old lines still stand there after the insertion.
        let within =
            |done: &Candidate, place: &Candidate| done.start() <= place.start() && place.end() <= done.end();
        match new.chains(index, tier)?.as_slice() {
            [only]
                if done
                    && candidates.iter().all(|place| within(only, place))
                    && (!candidates.is_empty() || proof::survives(pattern, index, tier.key())?) =>
            {
                return Some(Search::AlreadyApplied(only.start()));
            }
            _ if candidates.is_empty() => {}
            _ => return Some(Search::Found(tier, candidates)),
        }
    }
    Some(Search::Nothing)
}

/// One side of a hunk, cut at its elisions.
#[derive(Debug, Default)]
struct Parts<'h> {
    /// Each part: the positions of its lines on this side, and the lines.
    parts: Vec<Vec<(usize, &'h str)>>,
    /// The number of lines on this side, elisions included.
    len: usize,
    elided: bool,
}

impl<'h> Parts<'h> {
    fn of(pattern: &Pattern<'h>, index: &FileIndex<'_>, on_side: fn(&HunkLine) -> bool) -> Self {
        let mut parts = Self { parts: vec![Vec::new()], ..Self::default() };
        for line in pattern.hunk.lines.iter().filter(|line| on_side(line)) {
            let text = line.text();
            // A line the file has is that line, even if it is made of dots.
            let elided = matches!(line, HunkLine::Context(_))
                && elision(text).is_some()
                && index.places(Key::Trim, text.as_bytes()).is_empty();
            if elided {
                parts.elided = true;
                parts.parts.push(Vec::new());
            } else if let Some(part) = parts.parts.last_mut() {
                part.push((parts.len, text));
            }
            parts.len += 1;
        }
        parts.parts.retain(|part| !part.is_empty());
        parts
    }

    /// Whether any of the lines that were not left out can be recognised.
    fn have_identity(&self) -> bool {
        self.parts.iter().flatten().any(|(_, line)| is_telling(line))
    }

    /// Every way to place the parts one below the other; two are enough to know that there is more than one.
    fn chains(&self, index: &FileIndex<'_>, tier: Tier) -> Option<Vec<Candidate>> {
        let mut starts = Vec::new();
        for part in &self.parts {
            let lines: Vec<&str> = part.iter().map(|(_, line)| *line).collect();
            let found = index.find(tier.key(), &lines)?;
            if found.is_empty() {
                return Some(Vec::new());
            }
            starts.push(found);
        }
        let mut chains = Vec::new();
        let mut steps = 0;
        extend(&self.parts, &starts, &mut Vec::new(), &mut chains, &mut steps);
        if steps > STEPS {
            return None;
        }
        Some(chains.into_iter().filter_map(|chain| self.candidate(index, &chain, tier)).collect())
    }

    fn candidate(&self, index: &FileIndex<'_>, chain: &[usize], tier: Tier) -> Option<Candidate> {
        let mut lines = vec![None; self.len];
        let mut pairs: Vec<(&[u8], &[u8])> = Vec::new();
        for (part, start) in self.parts.iter().zip(chain) {
            for (offset, (position, text)) in part.iter().enumerate() {
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

/// How many partial chains are looked at before the search gives up.
const STEPS: usize = 10_000;

fn extend(
    parts: &[Vec<(usize, &str)>],
    starts: &[Vec<usize>],
    chain: &mut Vec<usize>,
    chains: &mut Vec<Vec<usize>>,
    steps: &mut usize,
) {
    let Some(choices) = starts.get(chain.len()) else {
        chains.push(chain.clone());
        return;
    };
    let after = match (chain.last(), chain.len().checked_sub(1).and_then(|last| parts.get(last))) {
        (Some(start), Some(part)) => start + part.len(),
        _ => 0,
    };
    for start in choices.iter().filter(|start| **start >= after) {
        *steps += 1;
        if chains.len() > 1 || *steps > STEPS {
            return;
        }
        chain.push(*start);
        extend(parts, starts, chain, chains, steps);
        chain.pop();
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

    /// Checks at which lines the old lines stand, for every way to place them.
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

    #[test]
    fn dots_that_stand_in_the_file_are_a_line_of_it() {
        assert_eq!(searched("begin\n...\none\nend\n", ENDS), Some(Search::Nothing));
    }

    #[test]
    fn new_lines_are_indented_as_the_parts_are() {
        let places: &[Option<usize>] = &[Some(0), None, Some(2)];
        let add = Reindent::Add(b"    ".to_vec());
        check("    begin\n    one\n    end\n", ENDS, Tier::Indentation, &add, &[places]);
        // Blanks behind a line say nothing about its depth.
        check("begin \none\nend\n", ENDS, Tier::TrailingWhitespace, &Reindent::Keep, &[places]);
    }

    #[test]
    fn what_stands_there_already_is_applied() {
        assert_eq!(searched("begin\none\nEND\n", ENDS), Some(Search::AlreadyApplied(0)));
        // What only goes leaves nothing that could be recognised.
        assert_eq!(searched("begin\none\n", " begin\n ...\n-end"), Some(Search::Nothing));
    }

    /// The last part stands above all the others, and every way to place those is tried in vain.
    #[test]
    fn too_many_ways_are_given_up() {
        let file = |count: usize| format!("end\n{}{}", "one\n".repeat(count), "two\n".repeat(count));
        let diff = " one\n ...\n two\n ...\n-end\n+END";
        assert_eq!(searched(&file(20), diff), Some(Search::Nothing));
        assert_eq!(searched(&file(200), diff), None);
    }
}
