//! Checks a result against its certificate, independently of how it was made.
//!
//! The matcher claims where hunks belong, the splicer writes; this module trusts neither. It is given the file and the hunks
//! as the reply has them, and works out from these alone:
//!
//! - that each hunk is accounted for, and was read in a way that hunks may be read (`reading`),
//! - that every old line is a line of the file, and by which tolerance (`tolerance`, `key`),
//! - that the old lines fit nowhere else as well, or that the author says which place is meant (`places`, `choice`),
//! - that new lines are indented as old lines and file show, by white space alone (`indent`),
//! - that what is called applied is there, and what it replaces is not (`applied`),
//! - and that each line of the result is a line of the file that no hunk removes, byte for byte, or a new line at the place
//!   it belongs to (`result`).
//!
//! It must not share code with the matcher or the splicer beyond the types of the certificate, and it takes as long as reading
//! the file.

mod applied;
mod choice;
mod claims;
mod error;
mod file;
mod indent;
mod key;
mod places;
mod reading;
mod rest;
mod result;
mod tolerance;

use crate::matcher::{Certificate, How, Placement, Proof, Reindent, Tier};
use crate::{Hunk, HunkLine};
use choice::Choice;
use claims::Claims;
pub use error::VerifyError;
use file::File;
use indent::{Depths, depths, explained, explains, is_proven};
use places::{Fit, Seeker, key_tier, look_elsewhere};
use reading::Read;
use rest::Rest;

/// Checks that `after` is `before` with exactly the certified placements of `hunks` applied, and that these are the right
/// ones. `hunks` are those of the edit, as the reply has them.
///
/// # Errors
/// The first thing that does not add up.
pub fn verify(
    before: &[u8],
    hunks: &[Hunk],
    certificate: &Certificate,
    after: &[u8],
) -> Result<(), VerifyError> {
    if Certificate::fingerprint(before) != certificate.file {
        return Err(VerifyError::WrongFile);
    }
    verify_pieces(before, hunks, certificate, &[after])
}

/// As [`verify`], for a result that is not put together and a certificate that was made for these very bytes.
pub(crate) fn verify_pieces(
    before: &[u8],
    hunks: &[Hunk],
    certificate: &Certificate,
    after: &[&[u8]],
) -> Result<(), VerifyError> {
    check_account(hunks, certificate)?;
    let mut seekers = seekers(hunks, certificate);
    let numbers = numbers(hunks, certificate);
    let file = look_elsewhere(before, numbers, &mut seekers).ok_or(VerifyError::TooMuchWork)?;
    let mut claims = Claims::with_room(&certificate.placements);
    let (mut read, mut needed) = (Vec::with_capacity(certificate.placements.len()), Vec::new());
    for placement in &certificate.placements {
        let hunk = placement.hunk;
        let written = hunks.get(hunk).ok_or(VerifyError::NotOnce { hunk })?;
        let as_read = reading::read(written, &placement.readings, &file, placement.first_line());
        let claim = Claim { placement, read: as_read.ok_or(VerifyError::WrongReading { hunk })? };
        needed.push(claims::check_lines(&file, &claim)?);
        claims.collect(&file, &claim)?;
        read.push(claim);
    }
    let choice = Choice { certificate, claims: &read, file: &file, hunks };
    for ((claim, seeker), needed) in read.iter().zip(&seekers).zip(needed) {
        let fit = check_indentation(claim, needed, &read, &file)?;
        choice.check(claim, fit, &seeker.others)?;
    }
    let old_lines = seekers.get(read.len()..).unwrap_or_default();
    for (applied, seeker) in certificate.applied.iter().zip(old_lines) {
        let hunk = applied.hunk;
        let written = hunks.get(hunk).ok_or(VerifyError::NotOnce { hunk })?;
        let as_read = reading::read(written, &applied.readings, &file, first_line(&applied.proof));
        let as_read = as_read.ok_or(VerifyError::WrongReading { hunk })?;
        applied::check(applied, &as_read, &choice, &seeker.others)?;
    }
    claims.settle()?;
    result::read_result(&file, &claims, Rest::new(after))
}

/// A placement, and the hunk as it was read.
#[derive(Debug)]
struct Claim<'c> {
    placement: &'c Placement,
    read: Read<'c>,
}

impl<'c> Claim<'c> {
    /// The first line of the file it touches.
    fn start(&self) -> usize {
        self.placement.first_line()
    }

    /// The indentation of each old line, and of the line of the file that it claims.
    fn depths(&self, file: &File<'c>) -> Vec<Depths<'c>> {
        let lines = self.read.lines.iter().zip(&self.placement.map);
        lines.filter_map(|(line, place)| depths(line.text(), file.claimed((*place)?)?)).collect()
    }
}

/// Each hunk that the certificate covers is placed or applied, once.
fn check_account(hunks: &[Hunk], certificate: &Certificate) -> Result<(), VerifyError> {
    let speaks_for = &certificate.hunks;
    let in_order = certificate.placements.iter().map(|placement| placement.hunk).eq(speaks_for.clone());
    // Mostly each hunk has its place, in the order of the file.
    if in_order && certificate.applied.is_empty() && !speaks_for.is_empty() && speaks_for.end <= hunks.len() {
        return Ok(());
    }
    let missing = || VerifyError::NotOnce { hunk: speaks_for.start };
    let mut accounted = vec![false; hunks.get(speaks_for.clone()).ok_or_else(missing)?.len()];
    let placed = certificate.placements.iter().map(|placement| placement.hunk);
    for hunk in placed.chain(certificate.applied.iter().map(|applied| applied.hunk)) {
        let slot = hunk.checked_sub(speaks_for.start).and_then(|at| accounted.get_mut(at));
        match slot {
            Some(slot) if !*slot => *slot = true,
            _ => return Err(VerifyError::NotOnce { hunk }),
        }
    }
    if accounted.is_empty() && !hunks.is_empty() {
        return Err(missing());
    }
    match accounted.iter().position(|accounted| !accounted) {
        Some(hunk) => Err(VerifyError::NotOnce { hunk: speaks_for.start + hunk }),
        None => Ok(()),
    }
}

/// Checks that the certificates of an edit cover all of its hunks, in order.
pub(crate) fn verify_account(hunks: &[Hunk], certificates: &[Certificate]) -> Result<(), VerifyError> {
    let mut next = 0;
    for certificate in certificates {
        if certificate.hunks.start != next {
            return Err(VerifyError::NotOnce { hunk: next });
        }
        next = certificate.hunks.end;
    }
    if next == hunks.len() { Ok(()) } else { Err(VerifyError::NotOnce { hunk: next }) }
}

/// The lines of the file that a certificate speaks of.
fn numbers(hunks: &[Hunk], certificate: &Certificate) -> Vec<usize> {
    let room = certificate.placements.iter().map(|placement| placement.map.len().max(1)).sum();
    let mut numbers: Vec<usize> = Vec::with_capacity(room);
    for placement in &certificate.placements {
        let others = numbers.len();
        numbers.extend(placement.map.iter().flatten());
        if numbers.len() == others {
            numbers.push(placement.insert_at);
        }
        if let Some(reading) = placement.readings.last()
            && let How::Quoted { above, below } = reading.how
        {
            let written = hunks.get(placement.hunk).map_or(0, |hunk| hunk.lines.len());
            let (first, last) = (placement.first_line(), placement.end_line());
            numbers.extend(first.saturating_sub(above.min(written))..first);
            numbers.extend(last..last + below.min(written));
        }
    }
    numbers
}

/// The old lines of all placements, and of all hunks that are said to be applied, in this order.
fn seekers<'h>(hunks: &'h [Hunk], certificate: &'h Certificate) -> Vec<Seeker<'h>> {
    let placed = certificate.placements.iter().map(|placement| {
        let read = hunks.get(placement.hunk).map(|hunk| Read::unchecked(hunk, &placement.readings));
        let tier = placement.tier;
        let is_sought = matches!(
            key_tier(tier),
            Tier::Exact | Tier::TrailingWhitespace | Tier::Indentation | Tier::Spacing | Tier::LookAlikes
        );
        let lines = read.filter(|_| is_sought).map_or(&[][..], |read| read.lines);
        let is_skipped = |line: &HunkLine| tier == Tier::BlankLines && line.text().trim().is_empty();
        let mut places = lines.iter().zip(&placement.map).filter(|(line, _)| !is_skipped(line));
        let claimed = places.find_map(|(_, place)| *place);
        Seeker { tier, lines, claimed, others: Vec::new() }
    });
    let applied = certificate.applied.iter().map(|applied| {
        let read = hunks.get(applied.hunk).map(|hunk| Read::unchecked(hunk, &applied.readings));
        let lines = read.map_or(&[][..], |read| read.lines);
        Seeker { tier: Tier::Exact, lines, claimed: None, others: Vec::new() }
    });
    placed.chain(applied).collect()
}

/// Checks how new lines are indented, and says how well the old lines fit.
fn check_indentation(
    claim: &Claim<'_>,
    cost: Tier,
    all: &[Claim<'_>],
    file: &File<'_>,
) -> Result<Fit, VerifyError> {
    let placement = claim.placement;
    if cost <= Tier::TrailingWhitespace && placement.reindent == Reindent::Keep {
        return Ok((cost, indent::Explained::Shifted));
    }
    let pairs = claim.depths(file);
    let shown_by_others = |rule: &Reindent| {
        all.iter().filter(|other| other.placement.hunk != placement.hunk).any(|other| {
            let pairs = other.depths(file);
            !explains(&Reindent::Keep, &pairs) && explains(rule, &pairs)
        })
    };
    if is_proven(&placement.reindent, &claim.read, &pairs, shown_by_others, file) {
        Ok((cost, explained(&pairs)))
    } else {
        Err(VerifyError::WrongIndentation { hunk: placement.hunk })
    }
}

/// The first line of the file that shows that a hunk is applied.
fn first_line(proof: &Proof) -> usize {
    match proof {
        Proof::Lines { map } | Proof::Repeats { map, .. } => {
            map.iter().flatten().next().copied().unwrap_or_default()
        }
        Proof::ChangesNothing => 0,
    }
}
