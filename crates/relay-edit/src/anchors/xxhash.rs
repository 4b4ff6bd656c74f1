//! xxHash32, the published 32-bit hash: what line anchors are made of.
//!
//! Forty lines beat a dependency here. The test values come from the reference implementation.

const PRIME_1: u32 = 0x9E37_79B1;
const PRIME_2: u32 = 0x85EB_CA77;
const PRIME_3: u32 = 0xC2B2_AE3D;
const PRIME_4: u32 = 0x27D4_EB2F;
const PRIME_5: u32 = 0x1656_67B1;

/// The hash of some bytes.
pub(super) fn xxhash32(bytes: &[u8], seed: u32) -> u32 {
    let (stripes, rest) = bytes.as_chunks::<16>();
    let mut hash = if stripes.is_empty() { seed.wrapping_add(PRIME_5) } else { accumulate(stripes, seed) };
    // The length counts modulo 2^32.
    hash = hash.wrapping_add(bytes.len() as u32);
    let (words, rest) = rest.as_chunks::<4>();
    for word in words {
        hash = hash.wrapping_add(u32::from_le_bytes(*word).wrapping_mul(PRIME_3));
        hash = hash.rotate_left(17).wrapping_mul(PRIME_4);
    }
    for byte in rest {
        hash = hash.wrapping_add(u32::from(*byte).wrapping_mul(PRIME_5));
        hash = hash.rotate_left(11).wrapping_mul(PRIME_1);
    }
    hash = (hash ^ hash >> 15).wrapping_mul(PRIME_2);
    hash = (hash ^ hash >> 13).wrapping_mul(PRIME_3);
    hash ^ hash >> 16
}

/// Four lanes over stripes of 16 bytes, folded into one.
fn accumulate(stripes: &[[u8; 16]], seed: u32) -> u32 {
    let mut lanes = [
        seed.wrapping_add(PRIME_1).wrapping_add(PRIME_2),
        seed.wrapping_add(PRIME_2),
        seed,
        seed.wrapping_sub(PRIME_1),
    ];
    for stripe in stripes {
        let (words, _) = stripe.as_chunks::<4>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            let mixed = lane.wrapping_add(u32::from_le_bytes(*word).wrapping_mul(PRIME_2));
            *lane = mixed.rotate_left(13).wrapping_mul(PRIME_1);
        }
    }
    let [first, second, third, fourth] = lanes;
    first
        .rotate_left(1)
        .wrapping_add(second.rotate_left(7))
        .wrapping_add(third.rotate_left(12))
        .wrapping_add(fourth.rotate_left(18))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_published_hash() {
        for (text, seed, hash) in [
            ("", 0, 0x02CC_5D05),
            ("", 0x9E37_79B1, 0x36B7_8AE7),
            ("a", 0, 0x550D_7456),
            ("abc", 0, 0x32D1_53FF),
            ("Nobody inspects the spammish repetition", 0, 0xE229_3B2F),
        ] {
            assert_eq!(xxhash32(text.as_bytes(), seed), hash, "{text:?}");
        }
    }
}
