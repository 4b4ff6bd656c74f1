//! Following lines from one version of a file to the next.
//!
//! Lines are compared by their text: a file whose line endings were converted still has the same lines.

use crate::align::differences;
use crate::encoding::text_of;
use crate::lines::{Lines, is_binary};

/// For each line of `after`, counted from 0, the line of `before` it continues; `None` for a new one.
///
/// ```
/// assert_eq!(relay_edit::carried(b"a\nb\n", b"a\nnew\nb\n"), [Some(0), None, Some(1)]);
/// ```
#[must_use]
pub fn carried(before: &[u8], after: &[u8]) -> Vec<Option<usize>> {
    let (before, after) = (text_of(before), text_of(after));
    let (old, new) = (Lines::new(&before), Lines::new(&after));
    let old_texts: Vec<&[u8]> = old.texts().collect();
    let new_texts: Vec<&[u8]> = new.texts().collect();
    let mut carried = Vec::with_capacity(new_texts.len());
    let mut at = 0;
    for difference in differences(&old_texts, &new_texts) {
        carried.extend((at..difference.before.start).map(Some));
        carried.extend(difference.after.map(|_| None));
        at = difference.before.end;
    }
    carried.extend((at..old_texts.len()).map(Some));
    carried
}

/// The text of a file in UTF-8 or UTF-16, its byte order mark included; `None` if it is not such text.
#[must_use]
pub fn text(bytes: &[u8]) -> Option<String> {
    let bytes = text_of(bytes);
    if is_binary(&bytes) {
        return None;
    }
    String::from_utf8(bytes.into_owned()).ok()
}

/// The texts of a file's lines, without their endings; `None` if it is not text. Bytes that are not text become
/// U+FFFD.
#[must_use]
pub fn line_texts(bytes: &[u8]) -> Option<Vec<String>> {
    let bytes = text_of(bytes);
    if is_binary(&bytes) {
        return None;
    }
    Some(Lines::new(&bytes).texts().map(|text| String::from_utf8_lossy(text).into_owned()).collect())
}

/// The lines of a file as their bytes, without their endings; `None` if it is not text.
#[must_use]
pub fn line_bytes(bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let bytes = text_of(bytes);
    if is_binary(&bytes) {
        return None;
    }
    Some(Lines::new(&bytes).texts().map(<[u8]>::to_vec).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, expected: &[Option<usize>]) {
        assert_eq!(carried(before.as_bytes(), after.as_bytes()), expected);
    }

    #[test]
    fn lines_that_stay_are_followed() {
        check("a\nb\nc\n", "a\nX\nc\n", &[Some(0), None, Some(2)]);
        check("a\nb\n", "b\n", &[Some(1)]);
        check("", "a\nb\n", &[None, None]);
        check("a\n", "", &[]);
        check("a\nb", "a\nb\n", &[Some(0), Some(1)]);
    }

    #[test]
    fn converting_line_endings_makes_no_new_lines() {
        check("a\nb\n", "a\r\nb\r\n", &[Some(0), Some(1)]);
    }

    #[test]
    fn binary_files_have_no_lines() {
        assert_eq!(line_texts(b"a\0b"), None);
        assert_eq!(line_texts(b"a\r\nb"), Some(vec!["a".to_owned(), "b".to_owned()]));
    }
}
