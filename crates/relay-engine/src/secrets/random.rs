//! Strings that look random: long literals in which letters and digits change places as no name or sentence does.
//!
//! Much that looks random is public: hashes, uuids, images, public keys, identifiers. So only strings of both cases and
//! digits count (hashes and uuids are hexadecimal), of a length that keys have (images are longer), and without a name
//! that says it is public.

use std::collections::BTreeMap;

use super::literals::{FileKind, Literal, literals};
use super::{Span, is_dummy};

/// Longer lines are minified code or data; keys are not kept there.
const LINE_LIMIT_BYTES: usize = 2_000;

/// How many bits a character has to carry.
const ENTROPY_BITS: f64 = 3.9;

/// Which part of the neighbouring characters has to be of different classes. Where characters are drawn at random it is
/// about two thirds, in names in camel case below a third.
const CHANGES: f64 = 0.42;

pub(super) fn find(file: FileKind, text: &str) -> Vec<Span> {
    if file == FileKind::Hashes {
        return Vec::new();
    }
    let random = |literal: &&Literal<'_>| {
        literal.line_bytes <= LINE_LIMIT_BYTES && !is_public(literal.name) && looks_random(literal.value)
    };
    let literals = literals(file, text);
    literals
        .iter()
        .filter(random)
        .map(|literal| Span { range: literal.range.clone(), kind: "random-string" })
        .collect()
}

/// Names of things that look random and are not secret.
fn is_public(name: &str) -> bool {
    #[rustfmt::skip]
    const PUBLIC: &[&str] = &[
        "integrity", "hash", "checksum", "digest", "sha", "md5", "etag", "fingerprint", "public", "ssh-",
        "base64", "font", "image", "icon", "src", "href", "url", "commit", "revision", "blob", "uuid",
        "guid", "expected", "assert", "nonce", "alphabet", "charset", "fixture", "signature",
        "certificate", "d=", "path",
    ];
    let name = name.to_ascii_lowercase();
    PUBLIC.iter().any(|word| name.contains(word))
}

fn looks_random(value: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-');
    if !(24..=128).contains(&value.len()) || !value.bytes().all(is_part) || is_dummy(value) {
        return false;
    }
    let class = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let classes: Vec<u8> = value.bytes().map(class).collect();
    let of_each = (0..3).all(|wanted| classes.iter().filter(|class| **class == wanted).count() >= 2);
    let changes = classes.windows(2).filter(|pair| matches!(pair, [a, b] if a != b)).count();
    #[expect(clippy::cast_precision_loss, reason = "both are below 129")]
    let share = changes as f64 / (classes.len() - 1) as f64;
    // Hashes in base 64 say so themselves.
    let is_hash = value.starts_with("sha") && value.contains('-') || value.starts_with("AAAA");
    // `Win32_Storage_FileSystem` is a name: its digits are together.
    let digit_groups = value.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).count();
    let is_name = value.contains(['_', '-']) && digit_groups < 2;
    of_each && !is_name && share >= CHANGES && !is_hash && entropy(value) >= ENTROPY_BITS
}

/// Shannon's measure, in bits for each character.
fn entropy(value: &str) -> f64 {
    let mut counts: BTreeMap<u8, u32> = BTreeMap::new();
    for byte in value.bytes() {
        *counts.entry(byte).or_default() += 1;
    }
    let total = f64::from(counts.values().sum::<u32>());
    counts.values().map(|count| f64::from(*count) / total).map(|share| -share * share.log2()).sum()
}
