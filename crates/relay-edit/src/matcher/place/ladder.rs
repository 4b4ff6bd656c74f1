//! Tries the tiers one after the other for a single hunk.

use crate::HunkLine;
use crate::matcher::candidate::{Candidate, Covered, opposite};
use crate::matcher::indent::{Pairs, Reindent};
use crate::matcher::index::FileIndex;
use crate::matcher::key::Key;
use crate::matcher::pattern::{Pattern, has_identity};
use crate::matcher::present::{goes_beside, is_mostly_there, may_be_applied, new_stands_at};
use crate::matcher::tier::Tier;
use crate::matcher::{Strictness, blank, elided, fuzzy, literal, proof, sign};

/// How many places are kept. More than that are ambiguous unless a line number decides.
pub(crate) const KEPT: usize = 64;

/// What the ladder found for one hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// Places at the first tier that has any.
    Found(Tier, Vec<Candidate>),
    /// The new lines are in the file already, once, and the old ones nowhere else.
    AlreadyApplied(usize),
    /// The new lines are there, and nothing proves that this hunk put them there, unless its line number does.
    Standing(usize),
    /// More places than are kept; they are searched for again when it is the hunk's turn.
    Crowd,
    /// The old lines are here, and the new ones there, with lines in common.
    Doubtful(Vec<usize>),
    /// The new lines are there, and lines to be removed are beside them.
    HalfDone {
        /// Where those are.
        found: usize,
        /// Where the new lines are.
        done: usize,
    },
    /// The hunk has no old lines.
    NoOldLines,
    /// No tier found anything.
    Nothing,
    /// The search was given up.
    TooMuchWork,
}

impl Search {
    /// What was found, unless that is very many places.
    pub fn without_crowd(self) -> Self {
        match self {
            Self::Found(_, candidates) if candidates.len() > KEPT => Self::Crowd,
            found => found,
        }
    }
}

/// Tries the tiers in order.
pub(crate) fn search(pattern: &Pattern<'_>, index: &FileIndex<'_>, strictness: Strictness) -> Search {
    match climb(pattern, index, strictness) {
        Search::Found(tier, mut candidates) if tier >= Tier::Spacing => {
            candidates.retain(|candidate| !literal::changes_a_string(pattern, index, candidate));
            if candidates.is_empty() { Search::Nothing } else { Search::Found(tier, candidates) }
        }
        // Whoever asks for old lines to the letter does not want them to be missing, whatever else is there.
        Search::AlreadyApplied(_) | Search::Standing(_)
            if strictness == Strictness::Exact && is_gone(pattern, index) =>
        {
            Search::Nothing
        }
        found => found,
    }
}

/// Whether a hunk has old lines, and the file does not. `-a` in a file without `a`.
fn is_gone(pattern: &Pattern<'_>, index: &FileIndex<'_>) -> bool {
    !pattern.old.is_empty()
        && index.find_some(Key::Exact, &pattern.old, 1).is_none_or(|places| places.is_empty())
}

fn climb(pattern: &Pattern<'_>, index: &FileIndex<'_>, strictness: Strictness) -> Search {
    if pattern.old.is_empty() {
        return already(pattern, index).unwrap_or(Search::TooMuchWork);
    }
    let mut applied: Option<(Tier, usize)> = None;
    let mut standing = None;
    for tier in Tier::BY_KEY.iter().copied().filter(|tier| tier.strictness() <= strictness) {
        match (try_tier(pattern, index, tier), applied) {
            (None, _) => return Search::TooMuchWork,
            (Some(Search::AlreadyApplied(line)), _) if pattern.hunk.line_hint == Some(line + 1) => {
                return Search::AlreadyApplied(line);
            }
            // New lines that are somewhere say little as long as a looser tier may find the old ones elsewhere.
            (Some(Search::AlreadyApplied(line)), None) => applied = Some((tier, line)),
            (Some(Search::Nothing | Search::AlreadyApplied(_)), _) => {}
            (Some(Search::Standing(line)), _) => {
                standing.get_or_insert(line);
            }
            (Some(found), Some((Tier::Exact | Tier::TrailingWhitespace, done))) => {
                return either(pattern, done, found);
            }
            (Some(Search::Found(tier, places)), _)
                if strictness > Strictness::Exact && is_told_by_blanks(pattern, index, tier, &places) => {}
            (Some(found), _) => return found,
        }
    }
    if let Some((_, line)) = applied {
        return Search::AlreadyApplied(line);
    }
    if strictness == Strictness::Fuzzy {
        match elided::search(pattern, index) {
            None => return Search::TooMuchWork,
            Some(Search::Nothing) => {}
            Some(found) => return found,
        }
    }
    let found = match strictness {
        Strictness::Exact => Search::Nothing,
        Strictness::Whitespace => blank::search(pattern, index, Key::Spaced),
        Strictness::Fuzzy => blank::search(pattern, index, Key::Folded),
    };
    let found = if found == Search::Nothing && strictness == Strictness::Fuzzy {
        fuzzy::search(pattern, index)
    } else {
        found
    };
    match (found, standing) {
        (Search::Nothing, Some(line)) => Search::Standing(line),
        (found, _) => found,
    }
}

/// Whether the place of old lines differs from others by nothing but that those have blanks at the ends of lines, which many
/// authors leave out: then they are all as good, unless the line number names one of them. `a` where one line is `a`
/// and another `a  `.
fn is_told_by_blanks(pattern: &Pattern<'_>, index: &FileIndex<'_>, tier: Tier, places: &[Candidate]) -> bool {
    let ([only], Tier::Exact | Tier::LineEndings) = (places, tier) else { return false };
    if index.found_alone(only.start()) {
        return false;
    }
    let hinted = pattern.hunk.line_hint.and_then(|hint| hint.checked_sub(1));
    let is_named = || hinted.is_some_and(|line| index.stands_at(Key::TrimEnd, &pattern.old, line));
    index.has_blanks_at_ends()
        && pattern.old.iter().all(|line| line.trim_end().len() == line.len())
        && !is_named()
        && index.find_some(Key::TrimEnd, &pattern.old, 1).is_some_and(|places| places.len() > 1)
}

/// What the old lines come to that were found by a looser tier than the new ones: those of another place, which is meant
/// if its line number says so, or nothing but what the new lines are alike to.
fn either(pattern: &Pattern<'_>, done: usize, found: Search) -> Search {
    let is_context = |line: &HunkLine| matches!(line, HunkLine::Context(text) if !text.trim().is_empty());
    let Search::Found(tier, mut candidates) = found else { return Search::AlreadyApplied(done) };
    // Lines with none around them that stay may well be elsewhere.
    if !pattern.hunk.lines.iter().any(is_context) {
        return Search::AlreadyApplied(done);
    }
    candidates.retain(|place| place.end() <= done || done + pattern.new.len() <= place.start());
    // Had the new lines been put in above, the number would be that of another line by now.
    let hinted =
        |place: &Candidate| pattern.hunk.line_hint == Some(place.start() + 1) && place.start() < done;
    match candidates.first().map(Candidate::start) {
        None => Search::AlreadyApplied(done),
        Some(_) if candidates.iter().any(hinted) => Search::Found(tier, candidates),
        Some(found) => Search::HalfDone { found, done },
    }
}

/// What the new lines say, where there are no old ones. `+a` alone, in a file that has `a`.
fn already(pattern: &Pattern<'_>, index: &FileIndex<'_>) -> Option<Search> {
    match new_stands_at(pattern, index, Key::TrimEnd) {
        Some(place) => standing(pattern, index, Key::TrimEnd, place),
        None => Some(Search::NoOldLines),
    }
}

/// New lines that are at one place, while the old ones are nowhere. `-a`, `+b` in a file with `b` and no `a`.
fn standing(pattern: &Pattern<'_>, index: &FileIndex<'_>, key: Key, place: usize) -> Option<Search> {
    let is_applied = proof::is_applied(pattern, index, key, place)?;
    Some(if is_applied { Search::AlreadyApplied(place) } else { Search::Standing(place) })
}

fn try_tier(pattern: &Pattern<'_>, index: &FileIndex<'_>, tier: Tier) -> Option<Search> {
    let key = tier.key();
    let needs_identity = tier > Tier::TrailingWhitespace;
    let is_blind = pattern.is_blind(key) && tier != Tier::Exact && !is_told_by_depth(pattern, tier);
    if needs_identity && !has_identity(&pattern.old) {
        return Some(Search::Nothing);
    }
    let mut starts = index.find_some(key, &pattern.old, KEPT)?;
    add_near_hint(pattern, index, key, &mut starts);
    index.spend(starts.len() * pattern.old.len())?;
    let mut candidates: Vec<Candidate> =
        starts.iter().filter_map(|start| candidate(pattern, index, *start, tier)).collect();
    candidates.retain(|candidate| !is_blind || is_told_by_ends(pattern, index, candidate));
    // Tested before placing: an insertion's anchor still is there after the insertion.
    if !pattern.is_undone
        && may_be_applied(pattern, index, key, &candidates)
        && let Some(place) = new_stands_at(pattern, index, key)
    {
        let covered = place..place + pattern.new.len();
        if candidates
            .iter()
            .all(|candidate| covered.start <= candidate.start() && candidate.end() <= covered.end)
        {
            // Whether that is the edit with its old lines written twice, or not done yet, nobody can say.
            let beside = || goes_beside(pattern, index, &covered);
            if let Some(found) = candidates.is_empty().then(beside).flatten() {
                return Some(Search::HalfDone { found, done: covered.start });
            }
            if !candidates.is_empty() {
                return Some(Search::AlreadyApplied(place));
            }
            let there = is_mostly_there(pattern, index, tier);
            return if there { Some(Search::Nothing) } else { standing(pattern, index, key, place) };
        }
        // Old and new text share lines: this may be the edit half undone, or text that repeats itself.
        let holds = |candidate: &Candidate| {
            candidate.start() <= covered.start
                && covered.end <= candidate.end()
                && pattern.new.len() < pattern.old.len()
        };
        // New lines that are some of the old ones, at another depth, are there because the old ones are.
        let shares = |candidate: &&Candidate| {
            candidate.start() < covered.end && covered.start < candidate.end() && !holds(candidate)
        };
        if let Some(candidate) = candidates.iter().find(shares).filter(|candidate| candidate.start() != place)
        {
            return Some(Search::Doubtful(vec![candidate.start(), place]));
        }
    }
    if candidates.is_empty() {
        return Some(Search::Nothing);
    }
    let tier = if tier == Tier::Exact { exact_or_endings(index, &candidates) } else { tier };
    Some(Search::Found(tier, candidates))
}

/// Whether a change of nothing but depth can be seen where all lines are moved alike: lines that stay tell by how much, and
/// moved as far as those, the old lines are as deep as the file has them and the new ones are not. ` if x:`, `-  a`, `+
///    a` for the file's `  if x:`, `    a`.
fn is_told_by_depth(pattern: &Pattern<'_>, tier: Tier) -> bool {
    let stays = |line: &HunkLine| matches!(line, HunkLine::Context(text) if has_identity(&[text]));
    tier == Tier::Indentation
        && !pattern.is_blind(Key::TrimEnd)
        && pattern.is_blind(Key::Trim)
        && pattern.hunk.lines.iter().any(stays)
}

/// Whether a change of nothing but white space at the ends of lines can be seen at a place, because the lines that change are
/// there to the letter as they are before: what else is written otherwise stays. `-a  `, `+a` where the file has `a  `.
fn is_told_by_ends(pattern: &Pattern<'_>, index: &FileIndex<'_>, candidate: &Candidate) -> bool {
    let mut changed = pattern.old.iter().zip(&pattern.new).enumerate().filter(|(_, (old, new))| old != new);
    let stands = |(at, (old, _)): (usize, (&&str, &&str))| {
        let moved = candidate.reindent.apply(old.as_bytes());
        moved.is_some_and(|moved| *moved == *index.lines.text(candidate.start() + at))
    };
    pattern.is_blind(Key::TrimEnd) && changed.all(stands)
}

/// Of very many places only the first ones were found; those near the line number matter too.
fn add_near_hint(pattern: &Pattern<'_>, index: &FileIndex<'_>, key: Key, starts: &mut Vec<usize>) {
    let Some(hint) = pattern.hunk.line_hint.filter(|_| starts.len() > KEPT) else { return };
    let near = hint.saturating_sub(KEPT)..hint + KEPT;
    starts.extend(near.filter(|start| index.stands_at(key, &pattern.old, *start)));
    starts.sort_unstable();
    starts.dedup();
}

fn candidate(pattern: &Pattern<'_>, index: &FileIndex<'_>, start: usize, tier: Tier) -> Option<Candidate> {
    let span = Covered::Span(start..start + pattern.old.len());
    let reindent = if tier > Tier::TrailingWhitespace {
        let pairs = Pairs::new(opposite(&pattern.old, index, start));
        let shift = pairs.shift();
        if is_told_by_depth(pattern, tier) {
            return shift.map(|reindent| Candidate { lines: span, reindent });
        }
        shift
            .or_else(|| sign::lost_somewhere(pattern, index, start))
            .or_else(|| sign::lost_in_places(pattern, &pattern.old, index, start))
            .or_else(|| pairs.units())
            .or_else(|| sign::lost_where_it_goes(pattern, index, start))?
    } else {
        Reindent::Keep
    };
    Some(Candidate { lines: span, reindent })
}

/// An exact match in a file with other line endings than the reply's is named as such.
pub(crate) fn exact_or_endings(index: &FileIndex<'_>, candidates: &[Candidate]) -> Tier {
    let plain = |line: usize| matches!(index.lines.ending(line), b"\n" | b"");
    let all_plain = candidates.iter().all(|candidate| match &candidate.lines {
        Covered::Span(span) => span.clone().all(plain),
        Covered::Map(map) => map.iter().flatten().copied().all(plain),
    });
    if all_plain { Tier::Exact } else { Tier::LineEndings }
}
