//! How a reply writes levels of indentation, for hunks that show nothing of it.
//!
//! Old lines without any indentation say nothing about how their author indents. The other hunks do, or the other sections
//! of the same file, or the file as a whole; where they contradict each other, nothing is changed.

use crate::HunkLine;
use crate::matcher::candidate::{Candidate, Covered};
use crate::matcher::indent::Pairs;
use crate::matcher::index::FileIndex;
use crate::matcher::key::indent;
use crate::matcher::manner::{self, Manner};
use crate::matcher::movable::check_indentation;
use crate::matcher::nested::{closes, opens};
use crate::matcher::pattern::Pattern;
use crate::matcher::present::added_stands_around;
use crate::matcher::spelled;
use crate::matcher::{Failure, Located, Placement, Reindent};

/// A hunk whose old lines have no indentation cannot show how the reply indents; the other hunks of the edit can,
/// or the file as a whole.
pub(crate) fn share(
    patterns: &[Pattern<'_>],
    index: &FileIndex<'_>,
    settled: &mut [Result<Located, Failure>],
) {
    let placed = patterns.iter().zip(settled.iter()).filter_map(|(pattern, located)| match located {
        Ok(Located::Placed(placement)) => Some((pattern, placement)),
        _ => None,
    });
    let moved = placed.filter(|(_, placement)| placement.reindent != Reindent::Keep);
    let found = moved.map(|(pattern, placement)| levels(pattern, index, placement));
    let rules: Vec<Reindent> = index.levels().cloned().into_iter().chain(found).collect();
    let shared = rules
        .first()
        .filter(|rule| matches!(rule, Reindent::Units { .. }) && rules.iter().all(|other| other == *rule));
    if shared.is_none() && !rules.is_empty() {
        return;
    }
    let of_levels = |located: &Result<Located, Failure>| matches!(located, Ok(Located::Placed(placement)) if placement.reindent.levels().is_some());
    let is_proven = index.levels().is_some() || settled.iter().any(of_levels);
    for (pattern, located) in patterns.iter().zip(settled) {
        let Ok(Located::Placed(placement)) = located else { continue };
        if placement.reindent != Reindent::Keep || !pattern.hunk.adds() {
            continue;
        }
        let added = pattern.hunk.added_lines();
        // Mostly there is nothing to change, which is told faster than how the whole file is indented.
        let found = manner::adapt(index, added.clone());
        if shared.is_none() && found == Manner::Fits
            || pattern.hunk.lines.iter().any(|line| manner::is_directive(line.text()))
        {
            continue;
        }
        // Less than a level is alignment, and no sign of how the reply writes levels.
        let says_nothing = (placement.map.iter().flatten())
            .all(|line| indent(index.lines.text(*line)).len() < index.habit().level());
        if !says_nothing {
            // The old lines are as the file has them, and only the new ones are in another manner.
            if let Manner::Rule(rule) = found
                && shared.is_none_or(|shared| *shared == rule)
                && is_as_deep(pattern, index, placement, &rule)
                && check_indentation(pattern, &rule).is_ok()
            {
                *located = indented(pattern, index, placement, rule);
            } else if let Some(first) = first_tab(index, added) {
                *located = Err(Failure::Indentation(first.to_owned()));
            }
            continue;
        }
        if !is_proven && shared.is_some_and(|rule| !begins_with(rule, index, added.clone())) {
            continue;
        }
        let rule = shared.map_or_else(|| found.clone(), |rule| Manner::Rule(rule.clone()));
        match rule {
            Manner::Rule(rule) if check_indentation(pattern, &rule).is_ok() => {
                *located = indented(pattern, index, placement, rule);
            }
            // Nothing says how to write them, and as they are they would be the first of their kind.
            rule if rule == Manner::Foreign || found != Manner::Fits => {
                let first = added.clone().find(|line| line.starts_with([' ', '\t']));
                *located = Err(Failure::Indentation(first.unwrap_or_default().to_owned()));
            }
            _ => {}
        }
    }
}

/// A placement whose new lines are indented by a rule. As the file writes them, they may be there already.
fn indented(
    pattern: &Pattern<'_>,
    index: &FileIndex<'_>,
    placement: &Placement,
    rule: Reindent,
) -> Result<Located, Failure> {
    let reindent = spelled::settled(pattern, index, &placement.map, rule);
    if let Some(text) = spelled::doubtful(pattern, index, &placement.map, &reindent) {
        return Err(Failure::Indentation(text.to_owned()));
    }
    let place = |at: &usize| placement.map.get(*at).copied().flatten();
    let lines = Covered::Map(pattern.positions.iter().map(place).collect());
    let candidate = Candidate { lines, reindent };
    if added_stands_around(pattern, index, &candidate) {
        return Ok(Located::AlreadyApplied(candidate.start()));
    }
    Ok(Located::Placed(Placement { reindent: candidate.reindent, ..placement.clone() }))
}

/// A new line that is indented by tabs, which would be the first ones of the file. `+\tx` in a file of spaces.
fn first_tab<'a>(index: &FileIndex<'_>, mut added: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    added.find(|line| indent(line.as_bytes()).contains(&b'\t')).filter(|_| !index.has_tabs())
}

/// Whether a rule makes the first new line of each change as deep as an old line beside it, or one level deeper than one above
/// it that opens a block. `+\tb` below `    a` that becomes `    b`, or `        b` below `    if a:`.
fn is_as_deep(pattern: &Pattern<'_>, index: &FileIndex<'_>, placement: &Placement, rule: &Reindent) -> bool {
    let Reindent::Units { file: level, .. } = rule else { return false };
    let lines = pattern.hunk.lines.iter().zip(&placement.map);
    let written: Vec<(&HunkLine, Option<usize>)> = lines
        .filter(|(line, _)| !line.text().trim().is_empty())
        .map(|(line, place)| (line, *place))
        .collect();
    let groups: Vec<_> = written.chunk_by(|(one, _), (other, _)| one.is_old() == other.is_old()).collect();
    let found = |(_, place): &(&HunkLine, Option<usize>)| place.map(|place| index.lines.text(place));
    let fits = |(at, group): (usize, &&[(&HunkLine, Option<usize>)])| {
        let Some((first, _)) = group.first().filter(|(first, _)| !first.is_old()) else { return true };
        let Some(moved) = rule.apply(first.text().as_bytes()) else { return false };
        let above = at.checked_sub(1).and_then(|at| groups.get(at)?.last()).and_then(found);
        let below = groups.get(at + 1).and_then(|group| group.first()).and_then(found);
        // What is before the end of a block is deeper than that.
        let is_inside_too = |below: &&[u8]| !closes(&String::from_utf8_lossy(below)) || closes(first.text());
        let below = below.filter(is_inside_too);
        let depth = indent(&moved);
        let is_inside = |above: &[u8]| {
            opens(&String::from_utf8_lossy(above)) && depth == [indent(above), level.as_slice()].concat()
        };
        above.into_iter().chain(below).any(|line| indent(line) == depth) || above.is_some_and(is_inside)
    };
    groups.iter().enumerate().all(fits)
}

/// How a hunk is indented, as a rule about levels where all its lines were moved by what may well be one of those.
fn levels(pattern: &Pattern<'_>, index: &FileIndex<'_>, placement: &Placement) -> Reindent {
    let pairs = pattern.hunk.lines.iter().zip(&placement.map);
    let pairs = pairs.filter_map(|(line, place)| Some((line.text().as_bytes(), index.lines.text((*place)?))));
    let units = matches!(placement.reindent, Reindent::Add(_)).then(|| Pairs::new(pairs).units());
    let rule = units.flatten().or_else(|| placement.reindent.levels());
    rule.unwrap_or_else(|| placement.reindent.clone())
}

/// Whether new lines begin with one level as the reply writes it, in a file that has another one. `+  a` of a reply
/// with two spaces a level, for a file of four.
fn begins_with<'a>(rule: &Reindent, index: &FileIndex<'_>, added: impl Iterator<Item = &'a str>) -> bool {
    let Reindent::Units { reply, file } = rule else { return false };
    let depths = added.filter(|line| !line.trim().is_empty()).map(|line| indent(line.as_bytes()).len());
    let first = depths.filter(|depth| *depth > 0).min();
    let spaces = [reply, file].into_iter().flatten().all(|byte| *byte == b' ');
    !spaces || first == Some(reply.len()) && index.habit().spaces() == Some(file.len())
}
