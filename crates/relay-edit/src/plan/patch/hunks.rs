//! The hunks of an edit, as they are written and as they are read.
//!
//! The verifier is given what the reply has; every step from there to what was placed is in the certificate.

use std::borrow::Cow;

use super::marks::without_marks;
use crate::Hunk;
use crate::matcher::{How, Reading};

/// The hunks of an edit.
#[derive(Debug)]
pub(super) struct Hunks<'h> {
    /// As the reply has them.
    pub written: &'h [Hunk],
    /// Without anchors that were copied into them.
    unanchored: &'h [Hunk],
    /// Without byte order marks, too.
    pub plain: Cow<'h, [Hunk]>,
}

impl<'h> Hunks<'h> {
    /// The hunks of an edit of a file; `written` as the reply has them, if it has them otherwise.
    pub fn of(written: &'h [Hunk], unanchored: &'h [Hunk], file: &[u8]) -> Self {
        Self { plain: without_marks(unanchored, file), ..Self::naming(written, unanchored) }
    }

    /// Hunks that name their lines, and do not quote them: no mark can be copied with those.
    pub const fn naming(written: &'h [Hunk], unanchored: &'h [Hunk]) -> Self {
        let written = if written.len() == unanchored.len() { written } else { unanchored };
        Self { written, unanchored, plain: Cow::Borrowed(unanchored) }
    }

    /// Hunks that are taken as they are.
    pub const fn as_written(written: &'h [Hunk]) -> Self {
        Self::naming(written, written)
    }

    /// Whether some were written with a byte order mark. `\u{feff}import os` as the first old line.
    pub const fn have_marks(&self) -> bool {
        matches!(self.plain, Cow::Owned(_))
    }

    /// Whether all of them are read as they are written. Not where `12 | a` was read as `a`.
    pub fn are_plain(&self) -> bool {
        !self.have_marks() && std::ptr::eq(self.written, self.unanchored)
    }

    /// The steps from a hunk as it is written to how it was read at last.
    pub fn readings(&self, number: usize, read: &[(How, &Hunk)]) -> Vec<Reading> {
        let step = |(how, hunk): (How, &Hunk)| Reading { how, lines: hunk.lines.clone() };
        if self.are_plain() {
            return read.iter().copied().map(step).collect();
        }
        let [written, unanchored] = [self.written, self.unanchored].map(|hunks| hunks.get(number));
        let anchors = changed(How::WithoutAnchors, written, unanchored);
        let marks = changed(How::WithoutMark, unanchored, self.plain.get(number));
        anchors.into_iter().chain(marks).chain(read.iter().copied()).map(step).collect()
    }
}

/// A step, where it changes something.
fn changed<'h>(how: How, before: Option<&'h Hunk>, after: Option<&'h Hunk>) -> Option<(How, &'h Hunk)> {
    let (_, after) = before.zip(after).filter(|(before, after)| before.lines != after.lines)?;
    Some((how, after))
}
