//! Differences as a model and a front end read them.

use relay_edit::anchors::LineHash;
use relay_edit::{DiffKind, DiffLine, FileDiff, diff};

/// Longer stretches of new or removed lines are cut in the middle.
const STRETCH: usize = 16;
/// How many lines of a stretch stay at each end when it is cut.
const EDGE: usize = 6;
/// How many lines are shown of a file.
const LINES: usize = 120;

/// A short difference with the anchors of the file as it is now: ` 4fb|text`, `+5dm|text`, and `-5|text` for lines that are
/// gone. Nothing where the file is not a text.
pub fn compact(before: &[u8], after: &[u8]) -> Option<String> {
    let FileDiff::Text(hunks) = diff(before, after) else { return None };
    let mut shown: Vec<String> = Vec::new();
    for (at, hunk) in hunks.iter().enumerate() {
        if at > 0 {
            shown.push("…".to_owned());
        }
        for stretch in hunk.lines.chunk_by(|one, next| one.kind == next.kind) {
            if stretch.len() <= STRETCH {
                shown.extend(stretch.iter().map(anchored));
                continue;
            }
            shown.extend(stretch.iter().take(EDGE).map(anchored));
            shown.push(format!("… {} more lines", stretch.len() - 2 * EDGE));
            shown.extend(stretch.iter().skip(stretch.len() - EDGE).map(anchored));
        }
    }
    let left_out = shown.len().saturating_sub(LINES);
    shown.truncate(LINES);
    if left_out > 0 {
        shown.push(format!("… {left_out} more lines of the difference"));
    }
    (!shown.is_empty()).then(|| shown.join("\n"))
}

fn anchored(line: &DiffLine) -> String {
    let hash = LineHash::of(line.text.as_bytes());
    match (line.kind, line.new, line.old) {
        (DiffKind::Removed, _, Some(old)) => format!("-{old}|{}", line.text),
        (DiffKind::Added, Some(new), _) => format!("+{new}{hash}|{}", line.text),
        (_, new, old) => format!(" {}{hash}|{}", new.or(old).unwrap_or_default(), line.text),
    }
}

/// A unified difference, for front ends.
pub fn unified(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let name =
        |side: &str, there: bool| if there { format!("{side}/{path}") } else { "/dev/null".to_owned() };
    let mut text = format!("--- {}\n+++ {}\n", name("a", before.is_some()), name("b", after.is_some()));
    let FileDiff::Text(hunks) = diff(before.unwrap_or_default(), after.unwrap_or_default()) else {
        return format!("{text}Binary files differ\n");
    };
    for hunk in hunks {
        let count = |is: fn(&DiffLine) -> bool| hunk.lines.iter().filter(|line| is(line)).count();
        let (old, new) = (count(|line| line.old.is_some()), count(|line| line.new.is_some()));
        text.push_str(&format!("@@ -{},{old} +{},{new} @@\n", hunk.old_start, hunk.new_start));
        for line in &hunk.lines {
            let sign = match line.kind {
                DiffKind::Context => ' ',
                DiffKind::Added => '+',
                DiffKind::Removed => '-',
            };
            text.push(sign);
            text.push_str(&line.text);
            text.push('\n');
            if line.lacks_newline {
                text.push_str("\\ No newline at end of file\n");
            }
        }
    }
    text
}

/// The first line of the file as it is now that differs, counted from 1.
pub fn first_changed_line(before: &[u8], after: &[u8]) -> Option<usize> {
    let FileDiff::Text(hunks) = diff(before, after) else { return None };
    let hunk = hunks.first()?;
    let mut line = hunk.new_start;
    for shown in &hunk.lines {
        match (shown.kind, shown.new) {
            (DiffKind::Context, Some(new)) => line = new + 1,
            (_, Some(new)) => return Some(new),
            _ => return Some(line),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_difference_has_the_anchors_of_now() {
        let before = b"a\nb\nc\ndef alpha():\ne\nf\ng\n";
        let after = b"a\nb\nc\ndef alpha():\n\nE\nf\ng\n";
        assert_eq!(
            compact(before, after).as_deref(),
            Some(" 2XX|b\n 3AA|c\n 4th|def alpha():\n-5|e\n+5yy|\n+6BB|E\n 7CC|f\n 8DD|g")
                .map(|text| text.replace("XX", &LineHash::of(b"b").to_string()))
                .map(|text| text.replace("AA", &LineHash::of(b"c").to_string()))
                .map(|text| text.replace("BB", &LineHash::of(b"E").to_string()))
                .map(|text| text.replace("CC", &LineHash::of(b"f").to_string()))
                .map(|text| text.replace("DD", &LineHash::of(b"g").to_string()))
                .as_deref()
        );
        assert_eq!(first_changed_line(before, after), Some(5));
    }

    #[test]
    fn long_stretches_are_cut() {
        let after: String = (0..100).map(|n| format!("line {n}\n")).collect();
        let text = compact(b"", after.as_bytes()).unwrap();
        assert!(text.contains("… 88 more lines"), "{text}");
        assert_eq!(compact(b"same\n", b"same\n"), None);
        assert_eq!(compact(b"\0\x01", b"\0\x02"), None);
    }

    #[test]
    fn a_unified_difference_is_one_that_patch_reads() {
        assert_eq!(
            unified("a", Some(b"x\n"), Some(b"y")),
            "--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-x\n+y\n\\ No newline at end of file\n"
        );
        assert!(unified("a", None, Some(b"y\n")).starts_with("--- /dev/null\n+++ b/a\n"));
    }
}
