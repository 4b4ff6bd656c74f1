//! Other ways to read a hunk that has no place as it is written.
//!
//! Each one undoes a single thing authors do to their own text, and counts only where the old lines then have a place and
//! did not have one before. Nothing is guessed here: the matcher judges what was read like any other hunk.

use super::patch::Terms;
use crate::Hunk;
use crate::matcher::{
    Failure, FileIndex, How, Located, Strictness, locate, widen, with_context_at_ends, with_context_between,
    without_all_margins, without_escapes, without_last_blank, without_look_alikes, without_margins,
    without_numbers, without_page, without_prose, without_rule,
};

/// A hunk as it was read, and how that was, where it is not how it is written.
pub(super) type Read = (Hunk, Option<How>);

/// One other way to read a hunk.
struct OtherReading {
    how: How,
    read: fn(&Hunk, &FileIndex<'_>, &Failure) -> Option<Hunk>,
    applies: Applies,
}

/// To what a reading applies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Applies {
    /// To text in sections, which may be a part of a line or have something around it.
    Sections,
    /// To such text also where only the new one is somewhere: what is around the old lines hides that they are there.
    Hidden,
    /// To the hunks of diffs.
    Diffs,
    /// To sections and diffs alike.
    Both,
}

impl OtherReading {
    const fn new(
        how: How,
        applies: Applies,
        read: fn(&Hunk, &FileIndex<'_>, &Failure) -> Option<Hunk>,
    ) -> Self {
        Self { how, read, applies }
    }

    /// Whether it may help where a hunk has no place for this reason. `12 | let a = 1;`, which is nowhere, is read
    /// without its number; one that is at two places is not.
    fn suits(&self, failure: &Failure) -> bool {
        match failure {
            Failure::NotFound(_) => true,
            Failure::Repeated(_) | Failure::LookAlikes(_) => self.applies == Applies::Both,
            _ => false,
        }
    }
}

const READINGS: &[OtherReading] = &[
    OtherReading::new(How::WithinLine, Applies::Sections, |hunk, index, _| widen(hunk, &index.lines)),
    OtherReading::new(How::WithoutMargins, Applies::Sections, |hunk, index, _| without_margins(hunk, index)),
    OtherReading::new(How::WithoutMargins, Applies::Sections, |hunk, index, _| {
        without_all_margins(hunk, index)
    }),
    OtherReading::new(How::WithoutRule, Applies::Hidden, |hunk, _, _| without_rule(hunk)),
    OtherReading::new(How::WithoutNumbers, Applies::Hidden, |hunk, _, _| without_numbers(hunk)),
    OtherReading::new(How::WithoutEscapes, Applies::Both, |hunk, _, _| without_escapes(hunk)),
    OtherReading::new(How::WithoutEntities, Applies::Both, |hunk, _, _| without_page(hunk)),
    OtherReading::new(How::Plain, Applies::Both, |hunk, _, failure| match failure {
        Failure::LookAlikes(exchanged) => without_look_alikes(hunk, exchanged),
        _ => None,
    }),
    OtherReading::new(How::WithContext, Applies::Both, |hunk, index, failure| match failure {
        Failure::Repeated(repeats) => with_context_at_ends(hunk, repeats),
        _ => with_context_between(hunk, index),
    }),
    OtherReading::new(How::WithoutProse, Applies::Diffs, |hunk, index, _| without_prose(hunk, index)),
    OtherReading::new(How::WithoutLastBlank, Applies::Diffs, |hunk, index, _| {
        without_last_blank(hunk, index)
    }),
];

/// Looks for a section as it can be read otherwise, where it is nowhere as it is written.
pub(super) fn section(
    hunk: &Hunk,
    mut located: Result<Located, Failure>,
    index: &FileIndex<'_>,
    terms: &Terms<'_>,
) -> (Result<Located, Failure>, Option<Read>) {
    let mut read = None;
    let allowed = |reading: &&OtherReading| match reading.applies {
        Applies::Sections | Applies::Hidden => terms.inline,
        Applies::Both => terms.strictness == Strictness::Fuzzy,
        Applies::Diffs => false,
    };
    for reading in READINGS.iter().filter(allowed) {
        let other = match &located {
            Err(failure) if reading.suits(failure) => (reading.read)(hunk, index, failure),
            Ok(Located::AlreadyApplied(_)) if reading.applies == Applies::Hidden => {
                (reading.read)(hunk, index, &Failure::NotFound(None))
            }
            _ => None,
        };
        if let Some(other) = other
            && let Ok(found) = locate(&other, index, terms.strictness)
        {
            (located, read) = (Ok(found), Some((other, Some(reading.how))));
        }
    }
    (located, read)
}

/// The hunks of a diff, each that has no place read in another way; `None` when there is no such way for one of them.
pub(super) fn diff(
    hunks: &[Hunk],
    located: &[Result<Located, Failure>],
    index: &FileIndex<'_>,
    strictness: Strictness,
) -> Option<Vec<Read>> {
    located.iter().find(|located| located.is_err())?;
    let applies = |reading: &&OtherReading| matches!(reading.applies, Applies::Diffs | Applies::Both);
    let read = |hunk: &Hunk, failure: &Failure| {
        READINGS.iter().filter(applies).filter(|reading| reading.suits(failure)).find_map(|reading| {
            let other = (reading.read)(hunk, index, failure)?;
            locate(&other, index, strictness).is_ok().then_some((other, Some(reading.how)))
        })
    };
    let hunks = hunks.iter().zip(located).map(|(hunk, located)| match located {
        Ok(_) => Some((hunk.clone(), None)),
        Err(failure) => read(hunk, failure),
    });
    let hunks: Vec<Read> = hunks.collect::<Option<_>>()?;
    // What was escaped in one hunk was escaped in all of them; where no old line shows it, new ones would land with it.
    let is_escaped = |(hunk, how): &Read| {
        *how != Some(How::WithoutEscapes) && hunk.added_lines().any(|line| line.contains("\\\""))
    };
    let unescaped = hunks.iter().any(|(_, how)| *how == Some(How::WithoutEscapes));
    (!unescaped || !hunks.iter().any(is_escaped)).then_some(hunks)
}
