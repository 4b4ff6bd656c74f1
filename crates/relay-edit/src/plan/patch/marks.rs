//! Byte order marks that were copied into hunks.

use std::borrow::Cow;

use crate::Hunk;
use crate::lines::BOM;

/// Hunks without the byte order mark that their author copied from the beginning of a file, where they begin with it before
/// and after: the file keeps its own.
pub(super) fn without_marks<'h>(hunks: &'h [Hunk], file: &[u8]) -> Cow<'h, [Hunk]> {
    const MARK: char = '\u{feff}';
    let marks = |hunk: &Hunk| {
        let [old, new] = [hunk.old_lines().next(), hunk.new_lines().next()];
        [old, new].into_iter().all(|line| line.is_some_and(|line| line.starts_with(MARK)))
    };
    if !file.starts_with(BOM) || !hunks.iter().any(marks) {
        return Cow::Borrowed(hunks);
    }
    let plain = |hunk: &Hunk| {
        let lines =
            hunk.lines.iter().map(|line| line.saying(line.text().trim_start_matches(MARK).to_owned()));
        Hunk { lines: lines.collect(), ..hunk.clone() }
    };
    Cow::Owned(hunks.iter().map(|hunk| if marks(hunk) { plain(hunk) } else { hunk.clone() }).collect())
}
