//! Writes whole content over a file that exists, in the file's own manner.
//!
//! Replies are written with `\n` and without a byte order mark. A file that has other line endings, a mark, or no
//! final newline keeps them: lines that stay the same keep their bytes, new ones take their neighbour's ending.

use crate::lines::{BOM, Lines, is_binary};
use crate::matcher::{Placement, Reindent, Tier};
use crate::splice::splice;
use crate::{Hunk, HunkLine, align};

/// The bytes of the file once it holds `content`.
pub(crate) fn write_over(before: &[u8], content: &str) -> Vec<u8> {
    let plain = || content.as_bytes().to_vec();
    let lines = Lines::new(before);
    let has_manner = before.starts_with(BOM)
        || lines.lacks_final_newline()
        || (0..lines.len()).any(|line| lines.ending(line) != b"\n");
    if !has_manner
        || is_binary(before)
        || content.is_empty()
        || lines.len() == 0
        || before == content.as_bytes()
    {
        return plain();
    }
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    let Ok(text) = std::str::from_utf8(before) else { return plain() };
    let old: Vec<&str> =
        (0..lines.len()).filter_map(|line| std::str::from_utf8(lines.text(line)).ok()).collect();
    let new: Vec<&str> =
        content.split_terminator('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    debug_assert!(old.len() == lines.len() && !text.is_empty(), "every line of valid text is valid text");
    let hunk = Hunk::new(align::align(&old, &new), 0);
    let mut next = 0..;
    let map = hunk
        .lines
        .iter()
        .map(|line| if matches!(line, HunkLine::Added(_)) { None } else { next.next() })
        .collect();
    let placement = Placement {
        hunk: 0,
        tier: Tier::Exact,
        map,
        insert_at: 0,
        reindent: Reindent::Keep,
        candidates: 1,
        tie: None,
    };
    splice(&lines, &[hunk], &[placement]).unwrap_or_else(|_| plain())
}

#[cfg(test)]
mod tests {
    use super::write_over;

    #[track_caller]
    fn check(before: &str, content: &str, expected: &str) {
        assert_eq!(String::from_utf8(write_over(before.as_bytes(), content)).expect("text"), expected);
    }

    #[test]
    fn the_manner_of_a_file_survives() {
        check("a\nb\n", "a\nc\n", "a\nc\n");
        check("a\r\nb\r\n", "a\nc\nd\n", "a\r\nc\r\nd\r\n");
        check("\u{feff}a\n", "b\n", "\u{feff}b\n");
        check("a\r\nb\nc\r\n", "a\nb\nx\nc\n", "a\r\nb\nx\nc\r\n");
        check("a\nb", "a\nc\n", "a\nc");
        check("", "a\n", "a\n");
        check("a\r\n", "", "");
    }
}
