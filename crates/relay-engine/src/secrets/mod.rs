//! Secrets: found in text before it leaves the machine, masked, and restored when they return.
//!
//! [`mask`] looks for known key formats, for values with names such as `password`, and for strings that look random,
//! and replaces each with a placeholder. The [`Vault`] remembers which value a placeholder replaces, so that a reply
//! that quotes it can be [restored](Vault::restore). The caller refuses a placeholder that cannot be restored; it is
//! never written into a file.
//!
//! This module reads and writes nothing. It never logs a value: what is [`Found`] is a kind and a line. It cannot find
//! everything: `docs/limits.md` has the measurements.

mod formats;
mod literals;
mod named;
mod random;
mod shapes;
#[cfg(test)]
mod tests;
mod vault;

use std::collections::BTreeMap;
use std::ops::Range;

pub use vault::{Unrestored, Vault, placeholders};

/// Text that may leave the machine, and what was taken out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked {
    /// The text with a placeholder for each secret.
    pub text: String,
    /// What was masked, in the order of the text.
    pub found: Vec<Found>,
}

/// One secret that was found. The value is not part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it seems to be, such as `github-token`.
    pub kind: &'static str,
    /// The line it begins in, counted from 1.
    pub line: usize,
    /// What replaces it.
    pub placeholder: String,
}

/// A stretch of text that seems to be a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Span {
    range: Range<usize>,
    kind: &'static str,
}

/// The kind of text that looks like a placeholder before anything was masked.
const LOOKS_MASKED: &str = "text";

/// The kind of a placeholder that is one.
const IS_MASKED: &str = "masked";

/// Masks the secrets in the text of a file. The file's name decides which rules apply: the values of an `.env` file are
/// secrets, the hashes of a lock file are not.
///
/// ```
/// use relay_engine::secrets::{Vault, mask};
///
/// let mut vault = Vault::new(&[7; 32]);
/// let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
/// let masked = mask("notes.md", &format!("push with {token}\n"), &mut vault);
/// assert!(!masked.text.contains(&token));
/// assert_eq!((masked.found[0].kind, masked.found[0].line), ("github-token", 1));
/// assert_eq!(vault.restore("notes.md", &masked.text).unwrap(), format!("push with {token}\n"));
/// ```
pub fn mask(name: &str, text: &str, vault: &mut Vault) -> Masked {
    let looks_masked = placeholders(text.as_bytes()).map(|range| Span { range, kind: LOOKS_MASKED });
    let looks_masked = looks_masked.collect();
    let spans = find(name, text, vault, looks_masked, &[]);
    replace(name, text, spans, vault)
}

/// Masks the secrets in a text of a conversation, together with the stretches that the user's own rules found. `name` is
/// that of the file the text comes from, if it comes from one. Values return anywhere in the conversation that `scope`
/// names, and placeholders that are in the text stay what they are: masking twice is masking once.
pub fn mask_in(scope: &str, name: &str, text: &str, own: &[Range<usize>], vault: &mut Vault) -> Masked {
    let looks_masked = placeholders(text.as_bytes()).map(|range| {
        let kept = text.get(range.clone()).map_or(0, |word| vault.placeholder_bytes(word));
        match kept {
            // It only begins like one. As everywhere, it must be distinguishable from a real one.
            0 => Span { range, kind: LOOKS_MASKED },
            kept => Span { range: range.start..range.start + kept, kind: IS_MASKED },
        }
    });
    let looks_masked = looks_masked.collect();
    let mut spans = find(name, text, vault, looks_masked, own);
    spans.retain(|span| span.kind != IS_MASKED);
    replace(scope, text, spans, vault)
}

/// Puts a placeholder in the place of every span.
fn replace(scope: &str, text: &str, spans: Vec<Span>, vault: &mut Vault) -> Masked {
    let mut masked = Masked { text: String::with_capacity(text.len()), found: Vec::new() };
    let (mut copied, mut line) = (0, 1);
    for Span { range, kind } in spans {
        let (Some(between), Some(value)) = (text.get(copied..range.start), text.get(range.clone())) else {
            continue;
        };
        line += between.matches('\n').count();
        let placeholder = vault.placeholder(scope, kind, value);
        masked.text.push_str(between);
        masked.text.push_str(&placeholder);
        // What merely looks masked is not a secret, but must be distinguishable from one that is.
        if kind != LOOKS_MASKED {
            masked.found.push(Found { kind, line, placeholder });
        }
        line += value.matches('\n').count();
        copied = range.end;
    }
    masked.text.push_str(text.get(copied..).unwrap_or_default());
    masked
}

/// Every secret, in order and without overlaps. Where two rules find the same place, the surer one names it.
fn find(name: &str, text: &str, vault: &Vault, looks_masked: Vec<Span>, own: &[Range<usize>]) -> Vec<Span> {
    let file = literals::FileKind::of(name);
    let own = own.iter().map(|range| Span { range: range.clone(), kind: "own" });
    let rules: [Vec<Span>; 7] = [
        looks_masked,
        own.collect(),
        shapes::find(text),
        formats::find(text),
        named::find(file, text),
        random::find(file, text),
        vault.known_in(text),
    ];
    let mut kept: BTreeMap<usize, Span> = BTreeMap::new();
    for span in rules.into_iter().flatten().filter(|span| !span.range.is_empty()) {
        let before = kept.range(..span.range.end).next_back();
        if before.is_none_or(|(_, other)| other.range.end <= span.range.start) {
            kept.insert(span.range.start, span);
        }
    }
    kept.into_values().collect()
}

/// Text that takes the place of a value in documentation: not a secret.
fn is_dummy(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let distinct = value.bytes().collect::<std::collections::BTreeSet<u8>>().len();
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "example", "xxxx", "your", "change-me", "changeme", "change_me", "placeholder", "redacted",
        "dummy", "sample", "foobar", "insert", "abcdefghij", "....", "****", "todo", "replace",
        "1234567890abc", "0123456789",
    ];
    distinct < 4 || WORDS.iter().any(|word| lower.contains(word))
}
