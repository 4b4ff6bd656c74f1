//! Files in UTF-16 are read as UTF-8 for placing edits, and written back in their own encoding.
//!
//! Only files that say what they are by their byte order mark are decoded, and only when every unit of them is
//! valid: then decoding and encoding are inverse to each other, so whatever is verified on the text holds for the
//! bytes as well. Everything else stays the bytes it is. The mark becomes the one of UTF-8, which the table of
//! lines already keeps out of the first line.

use std::borrow::Cow;

use crate::lines::BOM;

/// How the text of a file is written as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Two bytes for a unit, the low one first.
    Utf16Le,
    /// Two bytes for a unit, the high one first.
    Utf16Be,
}

impl Encoding {
    /// The encoding a file says it is in; `None` for UTF-8 and for files that say nothing.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            // The mark of UTF-32 begins in the same way.
            [0xff, 0xfe, 0, 0, ..] => None,
            [0xff, 0xfe, ..] => Some(Self::Utf16Le),
            [0xfe, 0xff, ..] => Some(Self::Utf16Be),
            _ => None,
        }
    }

    /// The text of a file as UTF-8, with its mark; `None` unless every byte of it is accounted for.
    pub fn decode(self, bytes: &[u8]) -> Option<Vec<u8>> {
        let (pairs, rest) = bytes.as_chunks::<2>();
        if !rest.is_empty() {
            return None;
        }
        let units = pairs.iter().map(|pair| match self {
            Self::Utf16Le => u16::from_le_bytes(*pair),
            Self::Utf16Be => u16::from_be_bytes(*pair),
        });
        let text: String = char::decode_utf16(units).collect::<Result<_, _>>().ok()?;
        // A NUL is as telling here as elsewhere: this is not text.
        (!text.contains('\0')).then(|| text.into_bytes())
    }

    /// The bytes of a text, with the mark that says what they are; `None` when the text is not UTF-8.
    pub fn encode(self, text: &[u8]) -> Option<Vec<u8>> {
        if text.is_empty() {
            return Some(Vec::new());
        }
        let text = std::str::from_utf8(text.strip_prefix(BOM).unwrap_or(text)).ok()?;
        let mut bytes = Vec::with_capacity(2 * text.len() + 2);
        for unit in std::iter::once(0xfeff).chain(text.encode_utf16()) {
            bytes.extend(match self {
                Self::Utf16Le => unit.to_le_bytes(),
                Self::Utf16Be => unit.to_be_bytes(),
            });
        }
        Some(bytes)
    }
}

/// A file that was decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// What it is written in.
    pub encoding: Encoding,
    /// Its text as UTF-8.
    pub text: Vec<u8>,
}

impl Decoded {
    /// Decodes a file in another encoding than UTF-8 that can be written back byte for byte.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let encoding = Encoding::of(bytes)?;
        let text = encoding.decode(bytes)?;
        Some(Self { encoding, text })
    }
}

/// The bytes of a file as lines are looked for in them: decoded if they are UTF-16, else as they are.
///
/// ```
/// assert_eq!(relay_edit::text_of(b"\xff\xfea\0\n\0").as_ref(), "\u{feff}a\n".as_bytes());
/// assert_eq!(relay_edit::text_of(b"a\n").as_ref(), b"a\n");
/// ```
#[must_use]
pub fn text_of(bytes: &[u8]) -> Cow<'_, [u8]> {
    Decoded::of(bytes).map_or(Cow::Borrowed(bytes), |decoded| Cow::Owned(decoded.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: Option<(&str, Encoding)>) {
        let decoded = Decoded::of(bytes);
        let found = decoded
            .as_ref()
            .map(|decoded| (std::str::from_utf8(&decoded.text).expect("text"), decoded.encoding));
        assert_eq!(found, expected);
        if let Some(Decoded { encoding, text }) = decoded {
            assert_eq!(encoding.encode(&text).as_deref(), Some(bytes));
        }
    }

    #[test]
    fn decoded_text_can_be_written_back_byte_for_byte() {
        check(b"\xff\xfea\0\n\0", Some(("\u{feff}a\n", Encoding::Utf16Le)));
        check(b"\xfe\xff\0a\0\n", Some(("\u{feff}a\n", Encoding::Utf16Be)));
        check(b"\xfe\xff\xd8\x3d\xde\x00", Some(("\u{feff}😀", Encoding::Utf16Be)));
        check(b"\xff\xfe", Some(("\u{feff}", Encoding::Utf16Le)));
        // A second mark belongs to the text.
        check(b"\xff\xfe\xff\xfea\0", Some(("\u{feff}\u{feff}a", Encoding::Utf16Le)));
    }

    #[test]
    fn text_that_could_not_be_written_back_stays_bytes() {
        check(b"a\0b\0", None);
        check(b"\xff\xfea", None);
        check(b"\xff\xfe\0\xd8", None);
        check(b"\xff\xfe\0\0a\0\0\0", None);
        check(b"\xff\xfea\0\0\0", None);
        check(b"\xef\xbb\xbfa", None);
    }
}
