//! What a merge decides once for the whole file: byte order mark, line ending, final newline.
//!
//! As long as each version has one kind of line ending, lines are compared without it; a version that converted the
//! file then differs in one fact instead of in every line. Files with mixed endings are compared byte by byte.

use crate::lines::{BOM, Lines};

/// The whole-file facts of a merged version.
pub(super) struct Endings<'a> {
    /// The one ending of all lines, or `None` if each line keeps its own.
    common: Option<&'a [u8]>,
    byte_order_mark: bool,
    final_newline: bool,
}

/// How the lines of one version end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind<'a> {
    /// No line has an ending.
    Unsaid,
    One(&'a [u8]),
    Mixed,
}

impl<'a> Endings<'a> {
    /// Merges the facts of the base and the two sides.
    pub(super) fn of(versions: &[Lines<'a>; 3]) -> Self {
        let kinds = versions.each_ref().map(kind);
        let marks = versions.each_ref().map(|lines| Some(lines.bytes().starts_with(BOM)));
        let finals = versions.each_ref().map(|lines| (lines.len() > 0).then(|| !lines.lacks_final_newline()));
        Self {
            common: common(kinds),
            byte_order_mark: pick(marks).unwrap_or(false),
            final_newline: pick(finals).unwrap_or(false),
        }
    }

    /// The lines of a version, as they are compared.
    pub(super) fn keys(&self, lines: &Lines<'a>) -> Vec<&'a [u8]> {
        match self.common {
            Some(_) => lines.texts().collect(),
            None => (0..lines.len()).map(|line| whole(lines, line)).collect(),
        }
    }

    /// The merged file.
    pub(super) fn write(&self, base: &Lines<'_>, merged: &[&[u8]]) -> Vec<u8> {
        let size: usize = merged.iter().map(|line| line.len() + 2).sum();
        let mut out = Vec::with_capacity(size + BOM.len());
        if self.byte_order_mark {
            out.extend_from_slice(BOM);
        }
        for (at, line) in merged.iter().enumerate() {
            out.extend_from_slice(line);
            let is_last = at + 1 == merged.len();
            match self.common {
                Some(ending) if !is_last || self.final_newline => out.extend_from_slice(ending),
                Some(_) => {}
                // What was a last line without an ending on one side may have got lines after it from the other.
                None if !is_last && !is_terminated(line) => {
                    out.extend_from_slice(base.ending_near(at));
                }
                None => {}
            }
        }
        out
    }
}

/// The ending all lines of the merged file get; `None` if they have to keep their own.
fn common(kinds: [Kind<'_>; 3]) -> Option<&[u8]> {
    let said = |kind: Kind<'_>| !matches!(kind, Kind::Unsaid);
    if kinds.contains(&Kind::Mixed) {
        return None;
    }
    // A `\r` ends a line only where there is no `\n`, so lines of the two families must not be mixed.
    let family = |kind: &Kind<'_>| *kind == Kind::One(b"\r");
    if kinds.iter().any(family) && !kinds.iter().filter(|kind| said(**kind)).all(family) {
        return None;
    }
    let picked = pick(kinds.map(|kind| match kind {
        Kind::One(ending) => Some(ending),
        Kind::Unsaid | Kind::Mixed => None,
    }));
    Some(picked.unwrap_or(b"\n"))
}

fn kind<'a>(lines: &Lines<'a>) -> Kind<'a> {
    (0..lines.len()).map(|line| lines.ending(line)).filter(|ending| !ending.is_empty()).fold(
        Kind::Unsaid,
        |kind, ending| match kind {
            Kind::Unsaid => Kind::One(ending),
            Kind::One(other) if other == ending => kind,
            Kind::One(_) | Kind::Mixed => Kind::Mixed,
        },
    )
}

/// The side that changed a fact wins; a side without an opinion never does.
fn pick<T: PartialEq + Ord + Copy>([base, ours, theirs]: [Option<T>; 3]) -> Option<T> {
    match (ours, theirs) {
        (None, other) | (other, None) => other.or(base),
        (ours, theirs) if ours == base => theirs,
        (ours, theirs) if theirs == base => ours,
        // Only a base without an opinion, or two kinds of conversion, get here; the choice must not depend on sides.
        (ours, theirs) => ours.max(theirs),
    }
}

fn whole<'a>(lines: &Lines<'a>, line: usize) -> &'a [u8] {
    let range = lines.span(line).map_or(0..0, |span| span.start..span.end);
    lines.bytes().get(range).unwrap_or_default()
}

fn is_terminated(line: &[u8]) -> bool {
    line.ends_with(b"\n") || line.ends_with(b"\r")
}
