//! Old text that is part of a line: turned into whole lines, so that everything else stays the same.
//!
//! Some authors search for `port: 3000` inside a longer line. The text must stand in the file exactly once, and
//! must not begin or end in the middle of a word.

use crate::Hunk;
use crate::lines::Lines;

/// The hunk in whole lines, if its old text stands once inside the lines of a file.
pub(crate) fn widen(hunk: &Hunk, lines: &Lines<'_>) -> Option<Hunk> {
    let ending = lines.ending_near(0);
    let join = |side: Vec<&str>| side.into_iter().map(str::as_bytes).collect::<Vec<_>>().join(ending);
    let (old, new) = (join(hunk.old_lines().collect()), join(hunk.new_lines().collect()));
    let telling = old.iter().filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()).count() >= 3;
    if !telling || old == new {
        return None;
    }
    let bytes = lines.bytes();
    let mut places = memchr::memmem::find_iter(bytes, &old);
    let start = places.next()?;
    let end = start + old.len();
    if places.next().is_some() || !is_boundary(bytes, start) || !is_boundary(bytes, end) {
        return None;
    }
    let first = (0..lines.len()).find(|line| lines.span(*line).is_some_and(|span| start <= span.end))?;
    let last =
        (first..lines.len()).find(|line| lines.span(*line).is_some_and(|span| end <= span.text_end))?;
    let (head, tail) = (bytes.get(lines.offset(first)..start)?, bytes.get(end..lines.span(last)?.text_end)?);
    let whole: Vec<u8> = [head, new.as_slice(), tail].concat();
    let whole = String::from_utf8(whole).ok()?;
    let old_lines: Option<Vec<&str>> =
        (first..=last).map(|line| std::str::from_utf8(lines.text(line)).ok()).collect();
    let new_lines: Vec<&str> = whole.split(std::str::from_utf8(ending).ok()?).collect();
    let mut widened = Hunk::from_sides(&old_lines?, &new_lines, hunk.line);
    widened.line_hint = Some(first + 1);
    Some(widened)
}

/// Whether a text may begin or end here without cutting a word.
fn is_boundary(bytes: &[u8], at: usize) -> bool {
    let is_word = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii())
    };
    !(is_word(at.checked_sub(1)) && is_word(Some(at)))
}
