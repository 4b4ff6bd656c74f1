//! How the hunks of an edit were placed, as a report says it.

use std::borrow::Cow;

use crate::Hunk;
use crate::matcher::Placement;

/// How hunks were placed, in words.
pub(crate) fn words<'p>(hunks: &[Hunk], placements: impl Iterator<Item = &'p Placement>) -> String {
    let mut words = Words::default();
    hunks.iter().zip(placements).for_each(|(hunk, placement)| words.add(placement.words(hunk)));
    words.join()
}

/// How hunks were placed, with equal words counted together.
#[derive(Debug, Default)]
pub(super) struct Words {
    counted: Vec<(Cow<'static, str>, usize)>,
}

impl Words {
    /// Counts one more.
    pub fn add(&mut self, words: Cow<'static, str>) {
        match self.counted.iter_mut().find(|(known, _)| *known == words) {
            Some((_, count)) => *count += 1,
            None => self.counted.push((words, 1)),
        }
    }

    /// All of them.
    pub fn join(&self) -> String {
        match self.counted.as_slice() {
            [(only, _)] => only.clone().into_owned(),
            several => {
                several.iter().map(|(words, count)| format!("{count} {words}")).collect::<Vec<_>>().join("; ")
            }
        }
    }
}
