//! Hunks that follow each other, each of them in the file as those before it leave it.

use super::super::numbers::{self, Numbers};
use super::super::{again, copies};
use super::certify::{Claims, apply, moved, proof};
use super::hunks::Hunks;
use super::words::Words;
use super::{ALREADY, BATCH, PatchFailure, Patched, Terms, batch, look_for};
use crate::Hunk;
use crate::content::Content;
use crate::lines::Lines;
use crate::matcher::{
    Applied, Certificate, Failure, FileIndex, How, Located, Placement, Proof, Strictness, Tier,
};
use crate::splice::SpliceError;

/// The most bytes that hunks which depend on each other may search in, one after the other.
const SEQUENTIAL_BYTES: usize = 2_000_000_000;

/// Places hunks one after the other, each in the file as those before it leave it. `vain_bytes` may be searched for hunks
/// that are not found.
pub(super) fn patch_sequential(
    before: &[u8],
    hunks: &Hunks<'_>,
    terms: Terms<'_>,
    vain_bytes: usize,
) -> Result<Patched, Vec<PatchFailure>> {
    let plain: &[Hunk] = &hunks.plain;
    if let Some((one, other)) = again::first_alike(plain, before, terms) {
        return Err(vec![PatchFailure::Splice(SpliceError::Overlap(one, other))]);
    }
    if plain.len() >= BATCH
        && hunks.are_plain()
        && !terms.literal_anchor
        && terms.levels.is_none()
        && let Some((patched, placements)) = batch(before, plain, terms.strictness, terms.work)
    {
        return Ok(Patched { words: super::words(plain, placements.iter()), ..patched });
    }
    let too_many = |hunks: usize| hunks.saturating_mul(before.len()) > SEQUENTIAL_BYTES;
    let (done, certificate) = if too_many(plain.len()) && hunks.are_plain() {
        already_applied(before, plain, terms).map_err(|failure| vec![failure])?
    } else {
        (0, None)
    };
    if too_many(plain.len() - done) {
        return Err(vec![PatchFailure::TooLarge]);
    }
    let mut words = Words::default();
    (0..done).for_each(|_| words.add(ALREADY.into()));
    let mut sequence = Sequence {
        hunks,
        terms,
        before,
        current: before.to_vec(),
        words,
        certificates: certificate.into_iter().collect(),
        failures: Vec::new(),
        failed_bytes: 0,
        chosen: Vec::new(),
        original: terms.original,
        grown: terms.numbers.grown + numbers::growth(plain.get(..done).unwrap_or_default()),
    };
    for (number, hunk) in plain.iter().enumerate().skip(done) {
        if sequence.failed_bytes > vain_bytes {
            sequence.failures.push(PatchFailure::TooLarge);
            break;
        }
        if let Err(failure) = sequence.step(number, hunk) {
            sequence.failures.push(failure);
        }
    }
    let Sequence { current, words, certificates, failures, .. } = sequence;
    if failures.is_empty() {
        Ok(Patched::new(Content::Whole(current), words.join(), certificates))
    } else {
        Err(failures)
    }
}

/// How many of the first hunks are applied already, and the certificate for that. They leave the file as it is, so that each
/// of them is looked for in the same one, which is prepared for searching only once.
pub(crate) fn already_applied(
    before: &[u8],
    hunks: &[Hunk],
    terms: Terms<'_>,
) -> Result<(usize, Option<Certificate>), PatchFailure> {
    let index = Terms { explain_failures: false, ..terms }.index(before);
    let written = Hunks::as_written(hunks);
    let applied: Vec<Applied> = hunks
        .iter()
        .enumerate()
        .map_while(|(number, hunk)| match look_for(hunk, &index, terms) {
            (Ok(Located::AlreadyApplied(line)), read) => {
                Some(applied(&written, (number, hunk), read.as_ref(), &index, line))
            }
            _ => None,
        })
        .collect();
    let done = applied.len();
    if done == 0 {
        return Ok((0, None));
    }
    let claims = Claims { hunks: 0..done, placements: Vec::new(), applied, moved: 0 };
    let (_, certificate) = apply(&index.lines, hunks, |_| None, claims)?;
    Ok((done, Some(certificate)))
}

/// The claim that a hunk is applied at a line, as it was read.
fn applied(
    hunks: &Hunks<'_>,
    (number, hunk): (usize, &Hunk),
    read: Option<&(Hunk, Option<How>)>,
    index: &FileIndex<'_>,
    line: usize,
) -> Applied {
    let read = read.and_then(|(hunk, how)| Some(((*how)?, hunk)));
    let proof = proof(read.map_or(hunk, |(_, hunk)| hunk), index, line);
    Applied { hunk: number, readings: hunks.readings(number, read.as_slice()), proof }
}

/// Hunks on their way into a file.
struct Sequence<'s> {
    hunks: &'s Hunks<'s>,
    terms: Terms<'s>,
    before: &'s [u8],
    current: Vec<u8>,
    words: Words,
    certificates: Vec<Certificate>,
    failures: Vec<PatchFailure>,
    failed_bytes: usize,
    /// Those whose places were chosen by their line numbers.
    chosen: Vec<usize>,
    original: Option<&'s [u8]>,
    /// By how many lines the hunks that were applied already made the file longer.
    grown: isize,
}

impl Sequence<'_> {
    fn step(&mut self, number: usize, hunk: &Hunk) -> Result<(), PatchFailure> {
        let plain: &[Hunk] = &self.hunks.plain;
        let is_same =
            |earlier: &usize| plain.get(*earlier).is_some_and(|earlier| again::is_same(earlier, hunk));
        if let Some(earlier) = self.chosen.iter().copied().find(is_same) {
            return self.repeats(number, earlier);
        }
        let current = std::mem::take(&mut self.current);
        let index = self.terms.index(&current);
        let origin = self.terms.numbers.origin.unwrap_or(self.before);
        let numbers = Numbers { origin: (origin != current).then_some(origin), grown: self.grown };
        let strictness = self.terms.strictness;
        let found = look_for(hunk, &index, Terms { numbers, ..self.terms });
        let (located, read) = again::unless_written(hunk, self.original, &index, strictness, found);
        if let Ok(Located::Placed(placement)) = &located
            && again::is_chosen(placement)
        {
            self.chosen.push(number);
        }
        let (is_exact, is_gone) = match &located {
            Ok(Located::Placed(placement)) => (placement.tier <= Tier::TrailingWhitespace, false),
            Ok(Located::AlreadyApplied(_)) | Err(Failure::NotFound(_)) => (false, true),
            Err(_) => (false, false),
        };
        let as_read = read.as_ref().map_or(hunk, |(hunk, _)| hunk);
        // What is written twice and no longer in the file to the letter is done, whatever else is like it.
        // Taken to the letter, old lines that are gone are missing, also where this reply took them away.
        let earlier = (0..number).find(is_same).filter(|_| !is_exact && strictness > Strictness::Exact);
        if let Some(earlier) = earlier.filter(|_| is_gone || !again::stands(as_read, &index)) {
            self.current = current;
            return self.repeats(number, earlier);
        }
        let after = match located {
            Ok(Located::Placed(placement)) => {
                self.placed(&index, (number, hunk), read.as_ref(), placement, numbers)
            }
            Ok(Located::AlreadyApplied(line)) => self.already(&index, (number, hunk), read.as_ref(), line),
            Err(failure) => {
                self.failed_bytes += current.len();
                Err(PatchFailure::Hunk { hunk: number, failure })
            }
        };
        let after = after.map(|after| after.map(|after| after.into_bytes(&current)));
        self.current = after.as_ref().ok().and_then(Option::as_ref).cloned().unwrap_or(current);
        after.map(drop)
    }

    /// A hunk that says the same as an earlier one, and has nothing left to do. The section `a` ⇒ `b` twice in a block.
    fn repeats(&mut self, number: usize, earlier: usize) -> Result<(), PatchFailure> {
        let proof = Proof::Repeats { hunk: earlier, map: Vec::new() };
        let claims = Claims::applied(Applied { hunk: number, readings: Vec::new(), proof });
        let (_, certificate) = apply(&Lines::new(&self.current), self.hunks.written, |_| None, claims)?;
        self.certificates.push(certificate);
        self.words.add(ALREADY.into());
        Ok(())
    }

    fn already(
        &mut self,
        index: &FileIndex<'_>,
        (number, hunk): (usize, &Hunk),
        read: Option<&(Hunk, Option<How>)>,
        line: usize,
    ) -> Result<Option<Content>, PatchFailure> {
        let as_read = read.map_or(hunk, |(hunk, _)| hunk);
        self.grown += numbers::growth(std::slice::from_ref(as_read));
        self.words.add(ALREADY.into());
        if !self.original.is_none_or(|original| again::fits(as_read, original, self.terms)) {
            return Err(PatchFailure::Hunk { hunk: number, failure: Failure::NotFound(None) });
        }
        let claims = Claims::applied(applied(self.hunks, (number, hunk), read, index, line));
        let (_, certificate) = apply(&index.lines, self.hunks.written, |_| None, claims)?;
        self.certificates.push(certificate);
        Ok(None)
    }

    fn placed(
        &mut self,
        index: &FileIndex<'_>,
        (number, hunk): (usize, &Hunk),
        read: Option<&(Hunk, Option<How>)>,
        placement: Placement,
        numbers: Numbers<'_>,
    ) -> Result<Option<Content>, PatchFailure> {
        let read = read.and_then(|(hunk, how)| Some(((*how)?, hunk)));
        let as_read = read.map_or(hunk, |(_, hunk)| hunk);
        let how = read.map_or("", |(how, _)| how.words());
        self.words.add(format!("{}{how}", placement.words(as_read)).into());
        let placement = Placement { hunk: number, ..placement };
        let anew = copies::written_anew(as_read, &placement, &index.lines);
        let steps: Vec<(How, &Hunk)> =
            read.into_iter().chain(anew.as_ref().map(|(hunk, _)| (How::Rewritten, hunk))).collect();
        let readings = self.hunks.readings(number, &steps);
        let (hunk, placement) =
            anew.as_ref().map_or((as_read, &placement), |(hunk, placement)| (hunk, placement));
        let placements = vec![Placement { readings, ..placement.clone() }];
        let moved = moved(&index.lines, &placements, &self.hunks.plain, numbers);
        let claims = Claims { hunks: number..number + 1, placements, applied: Vec::new(), moved };
        let (after, certificate) = apply(&index.lines, self.hunks.written, |_| Some(hunk), claims)?;
        self.certificates.push(certificate);
        self.original = self.original.or(Some(self.before));
        Ok(Some(after))
    }
}
