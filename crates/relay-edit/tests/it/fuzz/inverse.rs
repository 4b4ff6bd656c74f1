//! What must hold for every change that a plan makes of a file: it touches nothing else and can be taken back.

use std::fmt::Write;

use relay_edit::{
    Certificate, DiffKind, Edit, EditOutcome, EditStatus, FileDiff, Hunk, Options, Strictness, diff, parse,
    plan_with,
};

use super::{after, snapshot};

/// Lines with their endings, as such a file has them.
fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let end = if bytes.contains(&b'\n') || !bytes.contains(&b'\r') { b'\n' } else { b'\r' };
    bytes.split_inclusive(|byte| *byte == end).collect()
}

/// Every line that no placement covers stands in the result with the same bytes, in the same order.
pub fn check_outside(before: &[u8], certificate: &Certificate, changed: &[u8]) {
    let covered: Vec<usize> =
        certificate.placements.iter().flat_map(|placement| placement.map.iter().flatten().copied()).collect();
    let mut rest = changed;
    for (at, line) in lines(before).into_iter().enumerate() {
        if covered.contains(&at) {
            continue;
        }
        // A last line without an ending gets one when something comes behind it.
        let found = rest.windows(line.len()).position(|window| window == line);
        let found = found.unwrap_or_else(|| {
            panic!(
                "line {at} {:?} is lost in {:?}",
                line.escape_ascii().to_string(),
                changed.escape_ascii().to_string()
            )
        });
        rest = &rest[found + line.len()..];
    }
}

/// The change written as a diff and turned around brings the old bytes back, or nothing at all.
pub fn check(before: &[u8], changed: &[u8]) {
    // A diff cannot say which ending a line had.
    if before.contains(&b'\r') || before.starts_with(b"\xef\xbb\xbf") {
        return;
    }
    let FileDiff::Text(hunks) = diff(changed, before) else { return };
    let mut reply = "--- a/a\n+++ b/a\n".to_owned();
    for hunk in hunks {
        let count = |other: DiffKind| hunk.lines.iter().filter(|line| line.kind != other).count();
        let (old, new) = (count(DiffKind::Added), count(DiffKind::Removed));
        writeln!(reply, "@@ -{},{old} +{},{new} @@", hunk.old_start, hunk.new_start).expect("text");
        for line in &hunk.lines {
            let sign = match line.kind {
                DiffKind::Context => ' ',
                DiffKind::Added => '+',
                DiffKind::Removed => '-',
            };
            writeln!(reply, "{sign}{}", line.text).expect("text");
            if line.lacks_newline {
                writeln!(reply, "\\ No newline at end of file").expect("text");
            }
        }
    }
    let options = Options { strictness: Strictness::Exact, ..Options::default() };
    let parsed = parse(&reply, Some(relay_edit::Dialect::Unified));
    let restored = plan_with(&parsed.edits, &snapshot(changed), &options);
    if let Some(restored) = after(&restored) {
        assert_eq!(String::from_utf8_lossy(&restored), String::from_utf8_lossy(before), "by {reply}");
    }
}

/// Whether all that is written afterwards stood there before, in this order: a deletion, also when a line is written as
/// exchanged for itself or a blank line comes with it. Nothing is left of one that could be recognised.
fn only_deletes(hunk: &Hunk) -> bool {
    let is_written = |line: &&str| !line.trim().is_empty();
    let mut old = hunk.old_lines().filter(is_written);
    hunk.removes() && hunk.new_lines().filter(is_written).all(|new| old.any(|old| old == new))
}

/// The same edit again changes nothing, or is refused; where it only adds, it is recognised.
pub fn check_twice(edits: &[Edit], outcome: &EditOutcome, changed: &[u8], options: &Options) {
    let again = plan_with(edits, &snapshot(changed), options);
    let placements = outcome.certificates.iter().flat_map(|certificate| &certificate.placements);
    // Of several equal places one was chosen, and the next one may be the next choice.
    let unique = placements.clone().all(|placement| placement.tie.is_none() && placement.candidates == 1);
    let relay_edit::Operation::Patch { hunks, .. } = &edits[0].operation else { return };
    let alone = hunks.len() == 1 && !only_deletes(&hunks[0]);
    let telling =
        hunks.iter().all(|hunk| hunk.new_lines().any(|line| line.chars().any(char::is_alphanumeric)));
    if unique && alone && telling && outcome.status == EditStatus::Applied {
        assert_eq!(after(&again), None, "applied twice: {edits:?} on {:?}", String::from_utf8_lossy(changed));
    }
}
