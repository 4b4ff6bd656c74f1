//! Settles each hunk: the places that the ladder found become one answer, or a reason why there is none.
//!
//! A line number, a named line above the hunk and the order of the hunks may decide between places that are
//! equally good; they never make a bad place good, and what decided is written into the certificate.

use std::ops::Range;

use super::choice::choose;
use super::neighbours::{Neighbours, nearest_known};
use crate::EndOfFile;
use crate::matcher::candidate::Candidate;
use crate::matcher::diagnose::nearest;
use crate::matcher::index::FileIndex;
use crate::matcher::key::Key;
use crate::matcher::ladder::Search;
use crate::matcher::movable::{check_indentation, oddly_spaced};
use crate::matcher::pattern::{Pattern, has_identity, is_telling};
use crate::matcher::{
    Failure, Located, Placement, Reindent, Strictness, Tie, Tier, alike, enclosed, escaped, ladder, marked,
    nested, page, rival, scope, shape, sign, spelled, standing, units,
};

/// Turns what the ladder found into one answer for each hunk.
pub(crate) fn settle(
    patterns: &[Pattern<'_>],
    searches: Vec<Search>,
    index: &FileIndex<'_>,
    strictness: Strictness,
) -> Vec<Result<Located, Failure>> {
    let pinned: Vec<Option<(usize, usize)>> = searches
        .iter()
        .map(|search| match search {
            Search::Found(_, candidates) => match candidates.as_slice() {
                [only] => Some((only.start(), only.end())),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let nearest = nearest_known(&pinned);
    let (mut grown, mut applied) = (0, true);
    let hunks = patterns.iter().zip(searches).zip(nearest).enumerate();
    let settled = hunks.map(|(at, ((pattern, search), (earlier, later)))| {
        let neighbours = Neighbours { grown, applied, ..Neighbours::of(earlier, later, &pinned, patterns) };
        grown += pattern.new.len().cast_signed() - pattern.old.len().cast_signed();
        let search =
            if search == Search::Crowd { ladder::search(pattern, index, strictness) } else { search };
        let located = Question { at, patterns, pattern, index, neighbours, strictness }.settle(search);
        let located = located.and_then(|located| standing::proven(pattern, index, located));
        applied &= matches!(located, Ok(Located::AlreadyApplied(_)));
        located
    });
    let mut settled: Vec<Result<Located, Failure>> = settled.collect();
    refuse_disorder(&mut settled);
    if strictness > Strictness::Exact {
        units::share(patterns, index, &mut settled);
    }
    settled
}

/// A loose match that breaks the order of the exact ones is in the wrong place more often than not.
fn refuse_disorder(settled: &mut [Result<Located, Failure>]) {
    let is_loose = |located: &Result<Located, Failure>| matches!(located, Ok(Located::Placed(placement)) if placement.tier > Tier::TrailingWhitespace);
    if !settled.iter().any(is_loose) {
        return;
    }
    let exact: Vec<Option<usize>> = settled
        .iter()
        .map(|located| match located {
            Ok(Located::Placed(placement)) if placement.tier <= Tier::TrailingWhitespace => {
                Some(placement.first_line())
            }
            _ => None,
        })
        .collect();
    for (located, (before, after)) in settled.iter_mut().zip(nearest_known(&exact)) {
        let Ok(Located::Placed(placement)) = located else { continue };
        let start = placement.first_line();
        let [before, after] = [before, after].map(|other| exact.get(other?).copied().flatten());
        let in_order = before.is_none_or(|line| line <= start) && after.is_none_or(|line| start <= line);
        if placement.tier > Tier::TrailingWhitespace && !in_order {
            *located = Err(Failure::Disorder(start));
        }
    }
}

/// What is asked about one hunk, and all that is known to answer it.
struct Question<'q, 't> {
    /// Which hunk it is.
    at: usize,
    patterns: &'q [Pattern<'t>],
    pattern: &'q Pattern<'t>,
    index: &'q FileIndex<'q>,
    neighbours: Neighbours,
    strictness: Strictness,
}

impl Question<'_, '_> {
    fn settle(&self, search: Search) -> Result<Located, Failure> {
        if let Some(line) = standing::unchanged(self.pattern, self.index, self.strictness) {
            return Ok(Located::AlreadyApplied(line));
        }
        let (tier, candidates) = match self.found(search)? {
            Ok(found) => found,
            Err(located) => return Ok(located),
        };
        // A line number says more than the header a tool put beside it, unless there is something to choose.
        let regions = match candidates.as_slice() {
            [_] if self.pattern.hunk.line_hint.is_some() => Vec::new(),
            _ => scope::regions(self.pattern, self.index).ok_or(Failure::TooMuchWork)?,
        };
        let already =
            |shifts: &[isize]| standing::already(self.pattern, self.index, &candidates, shifts, &regions);
        let moved = self.neighbours.applied.then(|| already(&[self.neighbours.grown])).flatten();
        if let Some(line) = moved.or_else(|| already(&self.neighbours.shifts())) {
            return Ok(Located::AlreadyApplied(line));
        }
        let (candidate, tie) = self.chosen(&candidates, &regions)?;
        if standing::inserted(self.pattern, self.index, candidate, tier) {
            return Ok(Located::AlreadyApplied(candidate.start()));
        }
        if tie.is_none() {
            self.check_alone(candidate, &regions, tier)?;
        }
        self.check_text(candidate, tier)?;
        let (map, reindent) = self.depth(candidate, tier)?;
        Ok(Located::Placed(Placement {
            hunk: self.at,
            tier,
            map,
            insert_at: candidate.start(),
            readings: Vec::new(),
            reindent,
            candidates: candidates.len(),
            tie,
        }))
    }

    /// The places that the ladder found; or what became of the hunk without one.
    fn found(&self, search: Search) -> Result<Result<(Tier, Vec<Candidate>), Located>, Failure> {
        let Self { pattern, index, .. } = *self;
        match search {
            Search::Found(tier, mut candidates) => {
                for candidate in candidates.iter_mut().filter(|candidate| candidate.reindent.tab().is_some())
                {
                    let rule = std::mem::take(&mut candidate.reindent);
                    candidate.reindent = spelled::settled(pattern, index, &candidate.spread(pattern), rule);
                }
                Ok(Ok((tier, candidates)))
            }
            Search::AlreadyApplied(line) => Ok(Err(Located::AlreadyApplied(line))),
            Search::Doubtful(places) => {
                let len = pattern.hunk.old_lines().count();
                Err(Failure::Ambiguous(places.iter().map(|start| *start..start + len).collect()))
            }
            Search::HalfDone { found, done } => Err(Failure::Applied { found, done }),
            Search::NoOldLines => without_old_lines(self.at, pattern, index).map(Err),
            Search::Standing(line) if standing::is_named(pattern, index, line, &self.neighbours.shifts()) => {
                Ok(Err(Located::AlreadyApplied(line)))
            }
            Search::Standing(_) if pattern.old.is_empty() => Err(Failure::NoAnchor),
            Search::Nothing | Search::Standing(_) => {
                Err(Failure::NotFound(if index.may_explain() { nearest(pattern, index) } else { None }))
            }
            Search::Crowd | Search::TooMuchWork => Err(Failure::TooMuchWork),
        }
    }

    /// The place that is meant, and what chose it among several.
    fn chosen<'c>(
        &self,
        candidates: &'c [Candidate],
        regions: &[Range<usize>],
    ) -> Result<(&'c Candidate, Option<Tie>), Failure> {
        match candidates {
            [only] => {
                contradiction(self.pattern, self.index, only)?;
                stray(self.patterns, self.pattern, self.index, only, regions)?;
                Ok((only, None))
            }
            several => {
                let places = || several.iter().map(|place| place.start()..place.end()).collect();
                let chosen = choose(self.pattern, self.index, several, &self.neighbours, regions);
                chosen.map(|(place, tie)| (place, Some(tie))).ok_or_else(|| Failure::Ambiguous(places()))
            }
        }
    }

    /// Refuses the only place where another one is like the hunk in another way. `-old`, `+new` where another block has
    /// `new` already.
    fn check_alone(&self, only: &Candidate, regions: &[Range<usize>], tier: Tier) -> Result<(), Failure> {
        if let Some(done) = standing::elsewhere(self.pattern, self.index, only, regions, tier) {
            return Err(Failure::Applied { found: only.start(), done });
        }
        match rival::place(self.pattern, self.index, only, tier) {
            Some(other) => Err(Failure::Rivalled { found: only.start(), other }),
            None => Ok(()),
        }
    }

    /// Refuses new lines that are copies of those around them, end up in the wrong block, or have escapes that the file has not.
    /// `+def f():` right below `def f():`.
    fn check_text(&self, candidate: &Candidate, tier: Tier) -> Result<(), Failure> {
        let Self { pattern, index, .. } = *self;
        if self.strictness == Strictness::Exact {
            return Ok(());
        }
        if let Some(repeats) = marked::repeats(self.patterns, pattern, index, candidate, tier) {
            return Err(Failure::Repeated(repeats));
        }
        if let Some(end) = enclosed::ending(pattern, index, candidate) {
            return Err(Failure::Enclosed(end));
        }
        if candidate.reindent == Reindent::Keep
            && let Some(text) = sign::apart(pattern, index)
        {
            return Err(Failure::Indentation(text.to_owned()));
        }
        match page::doubtful(pattern, index).or_else(|| escaped::doubtful(pattern, index)) {
            Some(text) => Err(Failure::Escaped(text.to_owned())),
            None => Ok(()),
        }
    }

    /// How deep the new lines belong, and which lines of the file the hunk's lines are.
    fn depth(&self, candidate: &Candidate, tier: Tier) -> Result<(Vec<Option<usize>>, Reindent), Failure> {
        let Self { pattern, index, .. } = *self;
        let doubtful = || {
            let mut added = pattern.hunk.added_lines();
            Failure::Indentation(added.next().unwrap_or_default().to_owned())
        };
        let map = candidate.spread(pattern);
        let reindent = sign::settled(pattern, index, &candidate.reindent).ok_or_else(doubtful)?;
        let misfit = nested::doubtful(pattern, index, &map, &reindent)
            .or_else(|| shape::misfit(pattern, index, &map, &reindent))
            .or_else(|| spelled::doubtful(pattern, index, &map, &reindent))
            .or_else(|| oddly_spaced(pattern, index));
        if let Some(text) = misfit {
            return Err(Failure::Indentation(text.to_owned()));
        }
        check_indentation(pattern, &reindent)?;
        match alike::doubtful(pattern, index, &map, tier) {
            Some(exchanged) => Err(Failure::LookAlikes(exchanged)),
            None => Ok((map, reindent)),
        }
    }
}

/// New lines without any old ones belong into an empty file, or at the end if the author said so.
fn without_old_lines(at: usize, pattern: &Pattern<'_>, index: &FileIndex<'_>) -> Result<Located, Failure> {
    let end = index.lines.len();
    let said_so = pattern.hunk.end != EndOfFile::Unsaid;
    if end > 0 && !said_so {
        return Err(Failure::NoAnchor);
    }
    if let Some(line) = standing::already(pattern, index, &[], &[], &[]) {
        return Ok(Located::AlreadyApplied(line));
    }
    Ok(Located::Placed(Placement {
        hunk: at,
        tier: Tier::Exact,
        map: pattern.spread(std::iter::empty()),
        insert_at: end,
        readings: Vec::new(),
        reindent: Reindent::Keep,
        candidates: 1,
        tie: (end > 0).then_some(Tie::EndOfFile),
    }))
}

/// Something looser is exactly where the line number says, or what the hunk changes does: the better match may be the wrong
/// one. `@@ -90 +90 @@` where line 90 is `Return x`, and `return x` in line 4 is the only exact match.
fn contradiction(pattern: &Pattern<'_>, index: &FileIndex<'_>, only: &Candidate) -> Result<(), Failure> {
    let Some(hinted) = pattern.hunk.line_hint.and_then(|hint| hint.checked_sub(1)) else { return Ok(()) };
    if hinted == only.start() {
        return Ok(());
    }
    if index.stands_at(Key::Folded, &pattern.old, hinted) || rival::changes_at(pattern, index, only, hinted) {
        return Err(Failure::HintContradicts { found: only.start(), hinted });
    }
    Ok(())
}

/// The only place is not in the block the author named, or that block is unknown, or nothing but brackets says that it is the
/// right one. `@@ class B:` above `return 1`, which is only in `class A:`.
fn stray(
    patterns: &[Pattern<'_>],
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    only: &Candidate,
    regions: &[Range<usize>],
) -> Result<(), Failure> {
    let hinted = pattern.hunk.line_hint.and_then(|hint| hint.checked_sub(1));
    // With a line number the header is a tool's, and names whatever block is above.
    if hinted.is_none() && regions.iter().any(scope::opens_block) && !scope::touches(regions, only) {
        return Err(Failure::OutOfScope(only.start()));
    }
    // `pass` and `return 1` may be lines of any block.
    let is_common = || {
        let mut told = pattern.old.iter().filter(|line| is_telling(line));
        told.next().is_some_and(|line| scope::words(line).nth(2).is_none()) && told.next().is_none()
    };
    if hinted.is_none() && regions.is_empty() && !pattern.hunk.scope.is_empty() && is_common() {
        index.spend(index.lines.len()).ok_or(Failure::TooMuchWork)?;
        if pattern.hunk.scope.iter().any(|scope| scope::is_unknown(patterns, index, scope)) {
            return Err(Failure::OutOfScope(only.start()));
        }
    }
    let alike = || index.find_some(Key::Trim, &pattern.old, 1).is_none_or(|places| places.len() > 1);
    // Of blank lines even the only ones tell nothing where the number is another one.
    let is_blank = || hinted.is_some() && pattern.old.iter().all(|line| line.trim().is_empty());
    if !has_identity(&pattern.old) && hinted != Some(only.start()) && (is_blank() || alike()) {
        return Err(Failure::NoIdentity(only.start()));
    }
    Ok(())
}
