//! Applies the hunks of one edit to one file: place, splice, verify.

mod marks;
mod words;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

use super::again;
use super::copies;
use super::numbers::{self, Numbers};
use super::reading::{self, Read};
use super::targets::{self, TargetFailure};
use crate::content::Content;
use crate::lines::Lines;
use crate::matcher::{
    Certificate, Failure, FileIndex, Key, Located, Placement, Reindent, Strictness, Tier, locate, locate_all,
};
use crate::splice::{SpliceError, splice};
use crate::verify::{VerifyError, verify_pieces};
use crate::{Base, Hunk, HunkLine};
use marks::without_marks;
use words::Words;
pub(crate) use words::words;

/// A patched file.
#[derive(Debug)]
pub(crate) struct Patched {
    /// The new content; `None` when nothing changed.
    pub after: Option<Content>,
    /// How the hunks were placed.
    pub words: String,
    /// What was verified.
    pub certificates: Vec<Certificate>,
    /// Lines were named by number only.
    pub needs_review: bool,
    /// How many payload lines repeated their neighbours and were left out.
    pub absorbed: usize,
    /// What the author would see, when the result was merged with what changed since.
    pub view_after: Option<Vec<u8>>,
}

/// How literally hunks are taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner<'w> {
    /// How much may differ.
    pub strictness: Strictness,
    /// The lines both sides begin with must stand at one place all by themselves.
    pub literal_anchor: bool,
    /// Old text may be part of a line, or have blank lines around it.
    pub inline: bool,
    /// The author saw this very file, or the lines of it that are named by number.
    pub seen: bool,
    /// For a hunk that is not found, the nearest place is looked for.
    pub explain_failures: bool,
    /// How many lines were compared for the reply so far.
    pub work: &'w Rc<Cell<usize>>,
    /// How the reply writes one level of the file, where other sections of it show that.
    pub levels: Option<&'w Reindent>,
    /// The file before all edits of the reply, where one of them has changed it.
    pub original: Option<&'w [u8]>,
    /// What the edits before did to the file.
    pub numbers: Numbers<'w>,
}

impl Manner<'_> {
    pub(super) fn index<'a>(&self, bytes: &'a [u8]) -> FileIndex<'a> {
        let index = FileIndex::sharing(bytes, self.work).with_levels(self.levels);
        if !self.explain_failures {
            index.explain_nothing();
        }
        index
    }
}

impl Patched {
    const fn new(after: Content, words: String, certificates: Vec<Certificate>) -> Self {
        Self { after: Some(after), words, certificates, needs_review: false, absorbed: 0, view_after: None }
    }
}

/// Why a patch does not apply.
#[derive(Debug)]
pub(crate) enum PatchFailure {
    /// The file does not exist and the patch does not create it.
    NoFile,
    /// A hunk has no place.
    Hunk {
        /// Its position in the edit.
        hunk: usize,
        /// Why.
        failure: Failure,
    },
    /// A line named by number cannot be used.
    Target {
        /// Its position in the edit.
        hunk: usize,
        /// Why.
        failure: TargetFailure,
    },
    /// More hunks, or more text for each of them to be searched in, than is allowed.
    TooLarge,
    /// Ranges that lie over each other, with more lines than is allowed.
    NamedTwice,
    /// The placements cannot be applied together.
    Splice(SpliceError),
    /// The result did not pass the verifier.
    Unverified(VerifyError),
}

/// What a report says of a hunk whose new lines stand in the file.
pub(crate) const ALREADY: &str = "already applied";
/// The most hunks one edit may have.
const HUNKS: usize = 100_000;
/// The most bytes that hunks which depend on each other may search in, one after the other.
const SEQUENTIAL_BYTES: usize = 2_000_000_000;

/// The most bytes that such hunks may search in vain: that takes every tier.
const FAILED_BYTES: usize = 100_000_000;

/// How many bytes of a file that was searched in vain count as one comparison of lines.
const VAIN_BYTES: usize = 3;

/// The line numbers that authors give to the lines of a new file: `-0,0`, `-1` or `-1,0`.
const FIRST_LINES: usize = 2;

/// The most lines that ranges of one edit may name more than once.
const NAMED_TWICE: usize = 1_000_000;

/// Applies hunks to a file.
pub(crate) fn patch(
    before: Option<&[u8]>,
    hunks: &[Hunk],
    base: Base,
    manner: Manner<'_>,
) -> Result<Patched, Vec<PatchFailure>> {
    if hunks.len() > HUNKS {
        return Err(vec![PatchFailure::TooLarge]);
    }
    let Some(before) = before else { return create(hunks, manner) };
    if targets::any(hunks) {
        return patch_targets(before, hunks, manner.seen);
    }
    let plain = without_marks(hunks, before);
    let patched = match base {
        Base::Original => patch_original(before, &plain, manner),
        Base::Sequential => patch_sequential(before, &plain, manner, FAILED_BYTES),
    };
    let how = if matches!(plain, Cow::Owned(_)) { " without the byte order mark" } else { "" };
    patched.map(|patched| Patched { words: patched.words + how, ..patched })
}

/// New lines without any old ones make a new file.
fn create(hunks: &[Hunk], manner: Manner<'_>) -> Result<Patched, Vec<PatchFailure>> {
    if targets::any(hunks) {
        return if targets::may_create(hunks) {
            patch_targets(b"", hunks, manner.seen)
        } else {
            Err(vec![PatchFailure::NoFile])
        };
    }
    let [hunk] = hunks else { return Err(vec![PatchFailure::NoFile]) };
    // A line number behind the first lines is one of a file that is there.
    if hunk.old_lines().next().is_some() || hunk.line_hint.is_some_and(|line| line > FIRST_LINES) {
        return Err(vec![PatchFailure::NoFile]);
    }
    let mut patched = patch_original(b"", hunks, manner)?;
    "new file".clone_into(&mut patched.words);
    patched.after.get_or_insert(Content::Whole(Vec::new()));
    Ok(patched)
}

fn patch_original(before: &[u8], hunks: &[Hunk], manner: Manner<'_>) -> Result<Patched, Vec<PatchFailure>> {
    let index = manner.index(before);
    let locate_all = |hunks: &[Hunk]| manner.numbers.locate_all(hunks, &index, manner.strictness);
    let located = locate_all(hunks);
    if manner.strictness == Strictness::Fuzzy
        && let Some(read) = reading::diff(hunks, &located, &index, manner.strictness)
    {
        let (hunks, how): (Vec<Hunk>, Vec<&str>) = read.into_iter().unzip();
        let located = locate_all(&hunks);
        if located.iter().all(Result::is_ok) {
            return place(&index, &hunks, again::doubting(&hunks, located, manner), &how);
        }
    }
    place(&index, hunks, again::doubting(hunks, located, manner), &[])
}

/// Applies hunks where they were found; `how` they were read is said where that is not how they were written.
fn place(
    index: &FileIndex<'_>,
    hunks: &[Hunk],
    located: Vec<Result<Located, Failure>>,
    how: &[&str],
) -> Result<Patched, Vec<PatchFailure>> {
    let mut placements = Vec::with_capacity(hunks.len());
    let mut words = Words::default();
    let mut failures = Vec::new();
    for (number, (hunk, located)) in hunks.iter().zip(located).enumerate() {
        match located {
            Ok(Located::Placed(placement)) => {
                match how.get(number).filter(|how| !how.is_empty()) {
                    Some(how) => words.add(format!("{}{how}", placement.words(hunk)).into()),
                    None => words.add(placement.words(hunk)),
                }
                placements.push(placement);
            }
            Ok(Located::AlreadyApplied(_)) => words.add(ALREADY.into()),
            Err(failure) => failures.push(PatchFailure::Hunk { hunk: number, failure }),
        }
    }
    if !failures.is_empty() {
        return Err(failures);
    }
    // Hunks may come in any order; new lines that meet at one place follow the lines they were quoted with.
    placements.sort_by_key(Placement::first_line);
    // A hunk that is written twice means one change: the file has only one such place.
    let effect = |placement: &Placement| hunks.get(placement.hunk).map(|hunk| placement.effect(hunk));
    placements.dedup_by(|later, earlier| {
        later.first_line() < earlier.end_line() && effect(later) == effect(earlier)
    });
    let (after, certificate) = apply(&index.lines, hunks, placements).map_err(|failure| vec![failure])?;
    Ok(Patched::new(after, words.join(), vec![certificate]))
}

/// Lines named by number: all of them mean the file as it is.
fn patch_targets(before: &[u8], hunks: &[Hunk], seen: bool) -> Result<Patched, Vec<PatchFailure>> {
    let lines = Lines::new(before);
    let (mut quoted, mut placements, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    let mut words = Words::default();
    let (mut absorbed, mut unseen) = (0, 0);
    let mut named = 0;
    let section = targets::Section::of(hunks);
    for (number, hunk) in hunks.iter().enumerate() {
        // Each range is copied, and ranges may lie over each other.
        named += targets::lines_named(hunk).min(lines.len());
        if named > lines.len() + NAMED_TWICE {
            return Err(vec![PatchFailure::NamedTwice]);
        }
        match targets::resolve(number, hunk, &lines, &section, seen) {
            Ok(resolved) => {
                words.add(resolved.placement.words(&resolved.hunk));
                absorbed += resolved.absorbed;
                unseen += resolved.unseen;
                quoted.push(resolved.hunk);
                placements.push(resolved.placement);
            }
            Err(failure) => failures.push(PatchFailure::Target { hunk: number, failure }),
        }
    }
    if !failures.is_empty() {
        return Err(failures);
    }
    // What meets between two lines stands in the order of what it belongs to, however the author sorted it.
    placements.sort_by_key(|placement| hunks.get(placement.hunk).map(|hunk| targets::rank(&hunk.target)));
    if let Some((one, other)) = targets::inside_another(&placements) {
        return Err(vec![PatchFailure::Splice(SpliceError::Overlap(one, other))]);
    }
    let numbered = placements.iter().any(|placement| placement.tier == Tier::LinesUnverified);
    let needs_review = numbered || unseen > 0;
    let (after, certificate) = apply(&lines, &quoted, placements).map_err(|failure| vec![failure])?;
    Ok(Patched { needs_review, absorbed, ..Patched::new(after, words.join(), vec![certificate]) })
}

/// From this many hunks on it pays to place hunks that follow each other all at once.
pub(crate) const BATCH: usize = 8;

/// Places hunks that follow each other as if each stood alone, where that makes no difference.
///
/// It makes none when every hunk has a line that stands once in the file and in no new line before it, and when
/// no two hunks come near each other: then no hunk can see what the others did.
pub(crate) fn batch(
    before: &[u8],
    hunks: &[Hunk],
    strictness: Strictness,
    work: &Rc<Cell<usize>>,
) -> Option<(Patched, Vec<Placement>)> {
    let index = FileIndex::sharing(before, work);
    let stands_once = |line: &str| index.places(Key::Exact, line.as_bytes()).len() == 1;
    // Asked before anything is searched for: hunks that could stand anywhere would cost most and end here anyway.
    if !hunks.iter().all(|hunk| hunk.old_lines().any(stands_once)) {
        return None;
    }
    let mut placements: Vec<Placement> = Vec::with_capacity(hunks.len());
    let mut added: HashSet<&str> = HashSet::new();
    for (hunk, located) in hunks.iter().zip(locate_all(hunks, &index, strictness)) {
        let Ok(Located::Placed(placement)) = located else { return None };
        let telling = |line: &str| stands_once(line) && !added.contains(line);
        let exact = matches!(placement.tier, Tier::Exact | Tier::LineEndings) && placement.candidates == 1;
        if !exact || !hunk.old_lines().any(telling) {
            return None;
        }
        added.extend(hunk.added_lines());
        placements.push(placement);
    }
    let mut spans: Vec<(usize, usize, usize)> = placements
        .iter()
        .zip(hunks)
        .map(|(placement, hunk)| (placement.first_line(), placement.end_line(), hunk.new_lines().count()))
        .collect();
    spans.sort_unstable();
    let apart = |pair: &[(usize, usize, usize)]| match pair {
        [(_, end, margin), (start, _, other)] => end + margin.max(other) <= *start,
        _ => true,
    };
    if !spans.windows(2).all(apart) {
        return None;
    }
    let (after, certificate) = apply(&index.lines, hunks, placements.clone()).ok()?;
    Some((Patched::new(after, String::new(), vec![certificate]), placements))
}

/// Places hunks one after the other, each in the file as those before it leave it. `vain_bytes` may be searched for hunks
/// that stand nowhere.
fn patch_sequential(
    before: &[u8],
    hunks: &[Hunk],
    manner: Manner<'_>,
    vain_bytes: usize,
) -> Result<Patched, Vec<PatchFailure>> {
    let mut words = Words::default();
    if hunks.len() >= BATCH
        && !manner.literal_anchor
        && manner.levels.is_none()
        && let Some((patched, placements)) = batch(before, hunks, manner.strictness, manner.work)
    {
        return Ok(Patched { words: self::words(hunks, placements.iter()), ..patched });
    }
    let too_many = |hunks: usize| hunks.saturating_mul(before.len()) > SEQUENTIAL_BYTES;
    let done = if too_many(hunks.len()) { already_applied(before, hunks, manner) } else { 0 };
    if too_many(hunks.len() - done) {
        return Err(vec![PatchFailure::TooLarge]);
    }
    (0..done).for_each(|_| words.add(ALREADY.into()));
    let mut current = before.to_vec();
    let mut certificates = Vec::new();
    let mut failures = Vec::new();
    let mut failed_bytes = 0;
    // Those whose places were chosen by their line numbers.
    let mut chosen: Vec<&Hunk> = Vec::new();
    let mut original = manner.original;
    let is_repeated = |number: usize| {
        let [earlier @ .., hunk] = hunks.get(..=number).unwrap_or_default() else { return false };
        earlier.iter().any(|earlier| again::is_same(earlier, hunk))
    };
    let mut grown = manner.numbers.grown + numbers::growth(hunks.get(..done).unwrap_or_default());
    for (number, hunk) in hunks.iter().enumerate().skip(done) {
        if failed_bytes > vain_bytes {
            failures.push(PatchFailure::TooLarge);
            break;
        }
        if chosen.iter().any(|earlier| again::is_same(earlier, hunk)) {
            words.add(ALREADY.into());
            continue;
        }
        let index = manner.index(&current);
        let origin = manner.numbers.origin.unwrap_or(before);
        let numbers = Numbers { origin: (origin != current).then_some(origin), grown };
        let (located, read) = look_for(hunk, &index, Manner { numbers, ..manner });
        if let Ok(Located::Placed(placement)) = &located
            && again::is_chosen(placement)
        {
            chosen.push(hunk);
        }
        let (hunk, how) = read.as_ref().map_or((hunk, ""), |(hunk, how)| (hunk, *how));
        let (is_exact, is_gone) = match &located {
            Ok(Located::Placed(placement)) => (placement.tier <= Tier::TrailingWhitespace, false),
            Ok(Located::AlreadyApplied(_)) | Err(Failure::NotFound(_)) => (false, true),
            Err(_) => (false, false),
        };
        // What is written twice and no longer stands to the letter is done, whatever else is like it.
        if !is_exact && is_repeated(number) && (is_gone || !again::stands(hunk, &index)) {
            words.add(ALREADY.into());
            continue;
        }
        let placement = match located {
            Ok(Located::Placed(placement)) => placement,
            Ok(Located::AlreadyApplied(_)) => {
                if !original.is_none_or(|original| again::fits(hunk, original, manner)) {
                    failures.push(PatchFailure::Hunk { hunk: number, failure: Failure::NotFound(None) });
                }
                grown += numbers::growth(std::slice::from_ref(hunk));
                words.add(ALREADY.into());
                continue;
            }
            Err(failure) => {
                failures.push(PatchFailure::Hunk { hunk: number, failure });
                failed_bytes += current.len();
                continue;
            }
        };
        words.add(format!("{}{how}", placement.words(hunk)).into());
        // Alone in its step, a hunk is the first one of it.
        let placement = Placement { hunk: 0, ..placement };
        let anew = copies::written_anew(hunk, &placement, &index.lines);
        let (hunk, placement) = match &anew {
            Some((hunk, placement)) => (hunk, placement.clone()),
            None => (hunk, placement),
        };
        match apply(&index.lines, std::slice::from_ref(hunk), vec![placement]) {
            Ok((after, certificate)) => {
                certificates.push(certificate);
                current = after.into_bytes(&current);
                original = original.or(Some(before));
            }
            Err(failure) => failures.push(failure),
        }
    }
    if failures.is_empty() {
        Ok(Patched::new(Content::Whole(current), words.join(), certificates))
    } else {
        Err(failures)
    }
}

/// How many of the first hunks are applied already. They leave the file as it is, so that each of them is looked for in the
/// same one, which is prepared for searching only once.
pub(crate) fn already_applied(before: &[u8], hunks: &[Hunk], manner: Manner<'_>) -> usize {
    let index = Manner { explain_failures: false, ..manner }.index(before);
    let is_applied =
        |hunk: &&Hunk| matches!(look_for(hunk, &index, manner), (Ok(Located::AlreadyApplied(_)), _));
    hunks.iter().take_while(is_applied).count()
}

/// Looks for one hunk, whichever way its author counted the lines.
pub(super) fn look_for(
    hunk: &Hunk,
    index: &FileIndex<'_>,
    manner: Manner<'_>,
) -> (Result<Located, Failure>, Option<Read>) {
    manner.numbers.look_for(hunk, index, |hunk| look_for_as_numbered(hunk, index, manner))
}

/// Looks for one hunk, as it is written or as it can be read otherwise.
fn look_for_as_numbered(
    hunk: &Hunk,
    index: &FileIndex<'_>,
    manner: Manner<'_>,
) -> (Result<Located, Failure>, Option<Read>) {
    if manner.literal_anchor
        && let Some(failure) = anchor_failure(hunk, index)
    {
        return (Err(failure), None);
    }
    let mut located = locate(hunk, index, manner.strictness);
    let vain = index.lines.bytes().len() / VAIN_BYTES;
    if matches!(located, Err(Failure::NotFound(_))) && index.spend(vain).is_none() {
        located = Err(Failure::TooMuchWork);
    }
    reading::section(hunk, located, index, &manner)
}

/// The lines both sides begin with must stand at exactly one place, when the author's rules are taken literally.
fn anchor_failure(hunk: &Hunk, index: &FileIndex<'_>) -> Option<Failure> {
    let common = hunk.lines.iter().take_while(|line| matches!(line, HunkLine::Context(_)));
    let anchor: Vec<&str> = common.map(HunkLine::text).collect();
    if anchor.is_empty() {
        return None;
    }
    match index.find(Key::Exact, &anchor) {
        Some(places) if places.len() > 1 => Some(Failure::AnchorRepeated { places, len: anchor.len() }),
        Some(_) => None,
        None => Some(Failure::TooMuchWork),
    }
}

fn apply(
    lines: &Lines<'_>,
    hunks: &[Hunk],
    placements: Vec<Placement>,
) -> Result<(Content, Certificate), PatchFailure> {
    let after = splice(lines, hunks, &placements).map_err(PatchFailure::Splice)?;
    let certificate = Certificate { file: Certificate::fingerprint(lines.bytes()), placements };
    let pieces: Vec<&[u8]> = after.pieces(lines.bytes()).collect();
    verify_pieces(lines.bytes(), hunks, &certificate, &pieces).map_err(PatchFailure::Unverified)?;
    Ok((Content::Spliced(after), certificate))
}

#[cfg(test)]
mod tests;
