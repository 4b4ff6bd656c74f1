//! The letters that earlier versions of Relay put into anchors. Transcripts of that time still hold them.
//!
//! They are believed for one release, and only where a view says that the author saw these very lines: the number alone
//! would do there, so they can never move an edit.

use super::{PAIRS, table};

/// Pairs that were left out then.
const LEFT_OUT: [[u8; 2]; 29] = [
    *b"jj", *b"jq", *b"jv", *b"jx", *b"jz", *b"kq", *b"qj", *b"qk", *b"qq", *b"qv", *b"qw", *b"qx", *b"qz",
    *b"vj", *b"vq", *b"vv", *b"vx", *b"vz", *b"wq", *b"xj", *b"xq", *b"xv", *b"xx", *b"xz", *b"zj", *b"zq",
    *b"zv", *b"zx", *b"zz",
];

const TABLE: [[u8; 2]; PAIRS] = table(&LEFT_OUT);

/// Whether a pair was in the table then.
pub(super) fn has(pair: [u8; 2]) -> bool {
    TABLE.binary_search(&pair).is_ok()
}

/// The letters of a line then: FNV-1a, 64 bits, with its upper half folded in, of the line after its number or zero.
pub(super) fn letters(number: usize, text: &[u8]) -> [u8; 2] {
    let text = text.trim_ascii_end();
    let is_telling = String::from_utf8_lossy(text).chars().any(char::is_alphanumeric);
    let seed = if is_telling { 0 } else { number as u64 };
    let hash = seed.to_le_bytes().iter().chain(text).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let slot = usize::try_from((hash ^ hash >> 32) % PAIRS as u64).unwrap_or_default();
    TABLE.get(slot).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `relay read --anchors` of that time shows them.
    #[test]
    fn are_those_of_then() {
        assert_eq!((letters(1, b"fn main() {"), letters(2, b"}")), (*b"am", *b"sb"));
        assert_ne!(letters(1, b"}"), letters(2, b"}"));
    }
}
