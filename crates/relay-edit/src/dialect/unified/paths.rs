//! Paths in the headers of a file's diff: `+++ b/src/x.rs\t2024-01-01`, `"a/gr\303\274n.txt"`.

use std::borrow::Cow;

use crate::dialect::path_line::{slashed, unquoted};

/// A path of a header without time stamp and quotes. Prefixes stay: only the caller knows what they mean.
pub(crate) fn header_path(text: &str) -> Cow<'_, str> {
    let end = memchr::memchr(b'\t', text.as_bytes()).unwrap_or(text.len());
    let path = text.get(..end).unwrap_or(text).trim();
    match path.strip_prefix('"').and_then(|path| path.strip_suffix('"')) {
        Some(quoted) => quoted_path(quoted).into(),
        None => slashed(unquoted(path)),
    }
}

/// A path as git writes it between quotes: with `\303\274` for bytes that are not ASCII, and a backslash before its own
/// quotes. What is no such text stays as it is.
pub(crate) fn quoted_path(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    loop {
        match rest {
            [] => break,
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', tail @ ..] => {
                bytes.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                rest = tail;
            }
            [b'\\', quoted @ (b'"' | b'\\'), tail @ ..] => {
                bytes.push(*quoted);
                rest = tail;
            }
            [byte, tail @ ..] => {
                bytes.push(*byte);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Whether a path of a header means the given path, with or without `a/` and `b/`.
pub(crate) fn means(header: &str, path: &str) -> bool {
    let bare = header.strip_prefix("a/").or_else(|| header.strip_prefix("b/")).unwrap_or(header);
    let tidy = |path: &str| path.trim_start_matches("./").replace('\\', "/");
    tidy(header) == tidy(path) || tidy(bare) == tidy(path)
}
