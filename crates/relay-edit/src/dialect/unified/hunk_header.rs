//! The header of a hunk: `@@ -1,2 +3,4 @@ fn main() {`, whole, wrong or cut short.

/// What is between and after the `@@` of a hunk's header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Header<'t> {
    old_start: Option<usize>,
    old_count: Option<usize>,
    new_count: Option<usize>,
    /// What is after the closing `@@`: `fn main() {`.
    pub section: &'t str,
}

impl Header<'_> {
    /// The line of the file it names, counted from 1.
    pub fn line_hint(&self) -> Option<usize> {
        self.old_start.map(|start| start.max(1))
    }

    /// The first and the last line of the file it names, if it does.
    pub fn old_lines(&self) -> Option<(usize, usize)> {
        let first = self.line_hint()?;
        Some((first, first.saturating_add(self.old_count?.saturating_sub(1))))
    }

    /// How many old and new lines it announces, if it does.
    pub fn counts(&self) -> Option<(usize, usize)> {
        self.old_count.zip(self.new_count)
    }
}

/// Whether a line is the header of a hunk: every line of a diff is asked, and few are.
pub(crate) fn is_hunk_header(text: &str) -> bool {
    inside_header(text).is_some()
}

/// Reads `@@`, `@@ ... @@`, `@@ -1,2 +3,4 @@ section` and `@@ section`.
pub(crate) fn hunk_header(text: &str) -> Option<Header<'_>> {
    let inner = inside_header(text)?;
    let closing = inner.as_bytes().windows(2).position(|pair| pair == b"@@");
    Some(match closing.and_then(|at| inner.get(..at).zip(inner.get(at + 2..))) {
        Some((numbers, section)) => Header { section: section.trim(), ..read_numbers(numbers) },
        // The closing `@@` was forgotten.
        None if inner.trim_start().starts_with('-') => read_numbers(inner),
        None => Header { section: inner.trim(), ..Header::default() },
    })
}

/// What follows the `@@` that begins the header of a hunk.
fn inside_header(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("@@")?.trim_start_matches('@');
    (inner.is_empty() || inner.starts_with([' ', '.', '-'])).then_some(inner)
}

fn read_numbers(numbers: &str) -> Header<'static> {
    let mut header = Header::default();
    for word in numbers.as_bytes().split(u8::is_ascii_whitespace) {
        let Some((sign @ (b'-' | b'+'), range)) = word.split_first() else { continue };
        let comma = range.iter().position(|byte| *byte == b',');
        let (start, count) = comma.and_then(|at| range.split_at_checked(at)).unwrap_or((range, b",1"));
        let Some((start, count)) = read_number(start).zip(count.get(1..).and_then(read_number)) else {
            continue;
        };
        if *sign == b'-' {
            // `-5,0` means "after line 5".
            header.old_start = Some(if count == 0 { start.saturating_add(1) } else { start });
            header.old_count = Some(count);
        } else {
            header.new_count = Some(count);
        }
    }
    header
}

/// A number of a header; `None` when it is none, or too large to be the number of a line.
fn read_number(digits: &[u8]) -> Option<usize> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| usize::from(byte - b'0'));
    let number = |sum: usize, byte: &u8| sum.checked_mul(10)?.checked_add(digit(byte)?);
    digits.iter().try_fold(0, number).filter(|_| !digits.is_empty())
}
