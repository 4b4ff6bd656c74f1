//! Applies the hunks of one edit to one file: place, splice, verify.

mod certify;
mod hunks;
mod marks;
mod sequential;
mod words;

use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

use super::Repeats;
use super::again;
use super::numbers::Numbers;
use super::reading::{self, Read};
use super::targets::{self, TargetFailure};
use crate::content::Content;
use crate::lines::Lines;
use crate::matcher::{
    Applied, Certificate, Failure, FileIndex, How, Key, Located, Placement, Proof, Reindent, Strictness,
    Tier, locate, locate_all,
};
use crate::splice::SpliceError;
use crate::verify::{VerifyError, verify_account};
use crate::{Base, Hunk, HunkLine};
use certify::{Claims, apply, moved, proof};
use hunks::Hunks;
pub(crate) use sequential::already_applied;
use sequential::patch_sequential;
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
pub(crate) struct Terms<'w> {
    /// How much may differ.
    pub strictness: Strictness,
    /// The lines both sides begin with must be at one place all by themselves.
    pub literal_anchor: bool,
    /// Old text may be part of a line, or have blank lines around it.
    pub inline: bool,
    /// The author saw this very file, or the lines of it that are named by number.
    pub seen: bool,
    /// What becomes of new lines that repeat those beside a named one.
    pub repeats: Repeats,
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
    /// The hunks of the edit as the reply has them; empty where they are patched as they are.
    pub written: &'w [Hunk],
}

impl Terms<'_> {
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

/// What a report says of a hunk whose new lines are in the file.
pub(crate) const ALREADY: &str = "already applied";
/// The most hunks one edit may have.
const HUNKS: usize = 100_000;
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
    terms: Terms<'_>,
) -> Result<Patched, Vec<PatchFailure>> {
    if hunks.len() > HUNKS {
        return Err(vec![PatchFailure::TooLarge]);
    }
    let Some(before) = before else { return create(hunks, terms) };
    if targets::any(hunks) {
        return patch_targets(before, &Hunks::naming(terms.written, hunks), terms);
    }
    let hunks = Hunks::of(terms.written, hunks, before);
    let patched = match base {
        Base::Original => patch_original(before, &hunks, terms),
        Base::Sequential => patch_sequential(before, &hunks, terms, FAILED_BYTES),
    };
    let patched = patched?;
    verify_account(hunks.written, &patched.certificates)
        .map_err(|error| vec![PatchFailure::Unverified(error)])?;
    let how = if hunks.have_marks() { How::WithoutMark.words() } else { "" };
    Ok(Patched { words: patched.words + how, ..patched })
}

/// New lines without any old ones make a new file.
fn create(hunks: &[Hunk], terms: Terms<'_>) -> Result<Patched, Vec<PatchFailure>> {
    if targets::any(hunks) {
        return if targets::may_create(hunks) {
            patch_targets(b"", &Hunks::naming(terms.written, hunks), terms)
        } else {
            Err(vec![PatchFailure::NoFile])
        };
    }
    let [hunk] = hunks else { return Err(vec![PatchFailure::NoFile]) };
    // A line number after the first lines is one of a file that is there.
    if hunk.old_lines().next().is_some() || hunk.line_hint.is_some_and(|line| line > FIRST_LINES) {
        return Err(vec![PatchFailure::NoFile]);
    }
    let mut patched = patch_original(b"", &Hunks::of(terms.written, hunks, b""), terms)?;
    "new file".clone_into(&mut patched.words);
    patched.after.get_or_insert(Content::Whole(Vec::new()));
    Ok(patched)
}

fn patch_original(before: &[u8], hunks: &Hunks<'_>, terms: Terms<'_>) -> Result<Patched, Vec<PatchFailure>> {
    let index = terms.index(before);
    let locate_all = |hunks: &[Hunk]| terms.numbers.locate_all(hunks, &index, terms.strictness);
    let located = locate_all(&hunks.plain);
    if terms.strictness == Strictness::Fuzzy
        && let Some(read) = reading::diff(&hunks.plain, &located, &index, terms.strictness)
    {
        let (read, how): (Vec<Hunk>, Vec<Option<How>>) = read.into_iter().unzip();
        let located = locate_all(&read);
        if located.iter().all(Result::is_ok) {
            let located = again::doubting(&read, located, &index, terms);
            return place(&index, hunks, (&read, &how), located, terms.numbers);
        }
    }
    let located = again::doubting(&hunks.plain, located, &index, terms);
    place(&index, hunks, (&hunks.plain, &[]), located, terms.numbers)
}

/// Applies hunks where they were found; `how` they were `read` is said where that is not how they were written.
fn place(
    index: &FileIndex<'_>,
    written: &Hunks<'_>,
    (hunks, how): (&[Hunk], &[Option<How>]),
    located: Vec<Result<Located, Failure>>,
    numbers: Numbers<'_>,
) -> Result<Patched, Vec<PatchFailure>> {
    let (mut placements, mut applied) = (Vec::with_capacity(hunks.len()), Vec::new());
    let mut words = Words::default();
    let mut failures = Vec::new();
    for (number, (hunk, located)) in hunks.iter().zip(located).enumerate() {
        let how = how.get(number).copied().flatten();
        let readings = || written.readings(number, how.map(|how| (how, hunk)).as_slice());
        match located {
            Ok(Located::Placed(placement)) => {
                match how {
                    Some(how) => words.add(format!("{}{}", placement.words(hunk), how.words()).into()),
                    None => words.add(placement.words(hunk)),
                }
                placements.push(Placement { readings: readings(), ..placement });
            }
            Ok(Located::AlreadyApplied(line)) => {
                words.add(ALREADY.into());
                applied.push(Applied { hunk: number, readings: readings(), proof: proof(hunk, index, line) });
            }
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
        let is_same = later.first_line() < earlier.end_line() && effect(later) == effect(earlier);
        if is_same {
            let proof = Proof::Repeats { hunk: earlier.hunk, map: std::mem::take(&mut later.map) };
            applied.push(Applied { hunk: later.hunk, readings: std::mem::take(&mut later.readings), proof });
        }
        is_same
    });
    if let Some((one, other)) = again::both_land(hunks, &placements) {
        return Err(vec![PatchFailure::Splice(SpliceError::Overlap(one, other))]);
    }
    let moved = moved(&index.lines, &placements, hunks, numbers);
    let claims = Claims { hunks: 0..hunks.len(), placements, applied, moved };
    let (after, certificate) = apply(&index.lines, written.written, |number| hunks.get(number), claims)
        .map_err(|failure| vec![failure])?;
    Ok(Patched::new(after, words.join(), vec![certificate]))
}

/// Lines named by number: all of them mean the file as it is.
fn patch_targets(before: &[u8], named: &Hunks<'_>, terms: Terms<'_>) -> Result<Patched, Vec<PatchFailure>> {
    let hunks: &[Hunk] = &named.plain;
    let lines = Lines::new(before);
    let (mut quoted, mut placements, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    let mut words = Words::default();
    let (mut absorbed, mut unseen) = (0, 0);
    let mut count = 0;
    let section = targets::Section::of(hunks, terms.repeats);
    for (number, hunk) in hunks.iter().enumerate() {
        // Each range is copied, and ranges may lie over each other.
        count += targets::lines_named(hunk).min(lines.len());
        if count > lines.len() + NAMED_TWICE {
            return Err(vec![PatchFailure::NamedTwice]);
        }
        match targets::resolve(number, hunk, &lines, &section, terms.seen) {
            Ok(resolved) => {
                words.add(resolved.placement.words(&resolved.hunk));
                absorbed += resolved.absorbed;
                unseen += resolved.unseen;
                quoted.push(resolved.hunk);
                let mut readings = named.readings(number, &[]);
                readings.extend(resolved.placement.readings);
                placements.push(Placement { readings, ..resolved.placement });
            }
            Err(failure) => failures.push(PatchFailure::Target { hunk: number, failure }),
        }
    }
    if !failures.is_empty() {
        return Err(failures);
    }
    // What meets between two lines is in the order of what it belongs to, however the author sorted it.
    placements.sort_by_key(|placement| hunks.get(placement.hunk).map(|hunk| targets::rank(&hunk.target)));
    let clash = targets::inside_another(&placements).or_else(|| again::both_land(&quoted, &placements));
    if let Some((one, other)) = clash {
        return Err(vec![PatchFailure::Splice(SpliceError::Overlap(one, other))]);
    }
    let numbered = placements.iter().any(|placement| placement.tier == Tier::LinesUnverified);
    let needs_review = numbered || unseen > 0;
    let claims = Claims { hunks: 0..hunks.len(), placements, applied: Vec::new(), moved: 0 };
    let (after, certificate) =
        apply(&lines, named.written, |number| quoted.get(number), claims).map_err(|failure| vec![failure])?;
    Ok(Patched { needs_review, absorbed, ..Patched::new(after, words.join(), vec![certificate]) })
}

/// From this many hunks on it pays to place hunks that follow each other all at once.
pub(crate) const BATCH: usize = 8;

/// Places hunks that follow each other as if each was alone, where that makes no difference.
///
/// It makes none when every hunk has a line that is once in the file and in no new line before it, and when
/// no two hunks come near each other: then no hunk can see what the others did. Forty sections, each with a line that
/// the file has once, like `fn a37() {`.
pub(crate) fn batch(
    before: &[u8],
    hunks: &[Hunk],
    strictness: Strictness,
    work: &Rc<Cell<usize>>,
) -> Option<(Patched, Vec<Placement>)> {
    let index = FileIndex::sharing(before, work);
    let stands_once = |line: &str| index.places(Key::Exact, line.as_bytes()).len() == 1;
    // Asked before anything is searched for: hunks that could be anywhere would cost most and end here anyway.
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
    let claims =
        Claims { hunks: 0..hunks.len(), placements: placements.clone(), applied: Vec::new(), moved: 0 };
    let (after, certificate) = apply(&index.lines, hunks, |number| hunks.get(number), claims).ok()?;
    Some((Patched::new(after, String::new(), vec![certificate]), placements))
}

/// Looks for one hunk, whichever way its author counted the lines.
pub(super) fn look_for(
    hunk: &Hunk,
    index: &FileIndex<'_>,
    terms: Terms<'_>,
) -> (Result<Located, Failure>, Option<Read>) {
    terms.numbers.look_for(hunk, index, |hunk| look_for_as_numbered(hunk, index, terms))
}

/// Looks for one hunk, as it is written or as it can be read otherwise.
fn look_for_as_numbered(
    hunk: &Hunk,
    index: &FileIndex<'_>,
    terms: Terms<'_>,
) -> (Result<Located, Failure>, Option<Read>) {
    if terms.literal_anchor
        && let Some(failure) = anchor_failure(hunk, index)
    {
        return (Err(failure), None);
    }
    let mut located = locate(hunk, index, terms.strictness);
    let vain = index.lines.bytes().len() / VAIN_BYTES;
    if matches!(located, Err(Failure::NotFound(_))) && index.spend(vain).is_none() {
        located = Err(Failure::TooMuchWork);
    }
    reading::section(hunk, located, index, &terms)
}

/// The lines both sides begin with must be at exactly one place, when the author's rules are taken literally. `same` at
/// lines 3 and 9, for `--match exact` and an EDIT/REPL block that begins with it.
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

#[cfg(test)]
mod tests;
