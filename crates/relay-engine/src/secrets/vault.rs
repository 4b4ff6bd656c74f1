//! The vault: which placeholder replaces which value, and in which files the value was.
//!
//! A placeholder is a word such as `RELAY_MASKED_GITHUB_TOKEN_3F2A9C1D`: it is valid inside any string literal, in
//! YAML, in a shell and in a URL, and a model has no reason to complete or correct it. Its end is a keyed hash of the
//! value: the same value always gets the same placeholder, and checking a guess takes the key.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use serde::{Deserialize, Serialize};

use super::Span;

/// What every placeholder begins with.
const PREFIX: &str = "RELAY_MASKED_";

/// The rarest letter of that and its position: text is searched for placeholders by it.
const RARE: u8 = b'k';
const RARE_AT: usize = 9;

/// How many digits of the hash end a placeholder.
const DIGITS: usize = 8;

/// Shorter values are masked where a rule finds them, but not wherever they occur: they may be ordinary words.
const TELLING_BYTES: usize = 12;

/// Placeholders and the values they replace. To be kept where only the user can read it.
#[derive(Clone, PartialEq, Eq)]
pub struct Vault {
    key: [u8; 32],
    entries: BTreeMap<String, Entry>,
    /// The placeholder of each value: files full of secrets must not take for ever.
    placeholders: HashMap<String, String>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    value: String,
    /// The files where the value was masked, and so may be written again.
    files: BTreeSet<String>,
}

/// A placeholder that cannot be turned into its value in this place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unrestored {
    /// The placeholder as it appears in the text.
    pub placeholder: String,
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// The files its value belongs to; none when the vault does not know it.
    pub files: Vec<String>,
}

impl Vault {
    /// An empty vault. The key makes placeholders that others cannot check guesses against; the same key makes the same
    /// placeholders again.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        Self {
            key: blake3::derive_key("relay 2026 placeholders of masked values", key),
            entries: BTreeMap::new(),
            placeholders: HashMap::new(),
        }
    }

    /// The vault as text. It holds the values: keep it for the user alone.
    ///
    /// # Errors
    /// None that is known; serialisation says so itself.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(&self.entries)
    }

    /// A vault from its text, with the key it was made with.
    ///
    /// # Errors
    /// The text is not a vault.
    pub fn from_json(key: &[u8; 32], text: &str) -> serde_json::Result<Self> {
        let entries: BTreeMap<String, Entry> = serde_json::from_str(text)?;
        let placeholders = entries.iter().map(|(name, entry)| (entry.value.clone(), name.clone())).collect();
        Ok(Self { entries, placeholders, ..Self::new(key) })
    }

    /// The placeholder for a value that was found in a file; the one it has already, if it was found before.
    pub(super) fn placeholder(&mut self, file: &str, kind: &str, value: &str) -> String {
        if let Some(placeholder) = self.placeholders.get(value) {
            if let Some(entry) = self.entries.get_mut(placeholder) {
                entry.files.insert(file.to_owned());
            }
            return placeholder.clone();
        }
        let hash = blake3::keyed_hash(&self.key, value.as_bytes()).to_hex().to_ascii_uppercase();
        let kind = kind.to_ascii_uppercase().replace('-', "_");
        // Two values with the same eight digits get more of them.
        let placeholder = (DIGITS..=hash.len())
            .filter_map(|digits| Some(format!("{PREFIX}{kind}_{}", hash.get(..digits)?)))
            .find(|placeholder| !self.entries.contains_key(placeholder))
            .unwrap_or_else(|| format!("{PREFIX}{kind}_{hash}"));
        let entry = Entry { value: value.to_owned(), files: BTreeSet::from([file.to_owned()]) };
        self.entries.insert(placeholder.clone(), entry);
        self.placeholders.insert(value.to_owned(), placeholder.clone());
        placeholder
    }

    /// Where values that are already masked occur in another text.
    pub(super) fn known_in(&self, text: &str) -> Vec<Span> {
        let telling = |entry: &&Entry| entry.value.len() >= TELLING_BYTES && !entry.value.starts_with(PREFIX);
        let values: Vec<&str> =
            self.entries.values().filter(telling).map(|entry| entry.value.as_str()).collect();
        match AhoCorasick::new(&values) {
            Ok(all) => all
                .find_overlapping_iter(text)
                .map(|found| Span { range: found.range(), kind: "known" })
                .collect(),
            // More values than one search can hold are looked for one by one: slow, but none is missed.
            Err(_) => values
                .iter()
                .flat_map(|value| text.match_indices(value))
                .map(|(at, value)| Span { range: at..at + value.len(), kind: "known" })
                .collect(),
        }
    }

    /// Restores the values in the text of a file.
    ///
    /// # Errors
    /// Placeholders that are not known, or that replace a value from another file: a secret must not move from one file
    /// into another.
    pub fn restore(&self, file: &str, text: &str) -> Result<String, Vec<Unrestored>> {
        let mut restored = String::with_capacity(text.len());
        let mut refused = Vec::new();
        let mut copied = 0;
        for range in placeholders(text.as_bytes()) {
            let word = text.get(range.clone()).unwrap_or_default();
            let (known, entry) = self.longest_in(word).unzip();
            match entry {
                Some(entry) if entry.files.contains(file) => {
                    restored.push_str(text.get(copied..range.start).unwrap_or_default());
                    restored.push_str(&entry.value);
                    copied = range.start + known.map_or(0, str::len);
                }
                _ => refused.push(Unrestored {
                    placeholder: known.unwrap_or(word).to_owned(),
                    range,
                    files: entry.map(|entry| entry.files.iter().cloned().collect()).unwrap_or_default(),
                }),
            }
        }
        restored.push_str(text.get(copied..).unwrap_or_default());
        if refused.is_empty() { Ok(restored) } else { Err(refused) }
    }

    /// How many bytes at the beginning of a word are a placeholder: a known one, or one of the right form that another
    /// part of the conversation knows.
    pub(super) fn placeholder_bytes(&self, word: &str) -> usize {
        if !word.starts_with(PREFIX) {
            return 0;
        }
        self.longest_in(word).map_or_else(|| well_formed(word), |(known, _)| known.len())
    }

    /// The known placeholder a word begins with; letters may follow it directly.
    fn longest_in(&self, word: &str) -> Option<(&str, &Entry)> {
        let fitting = self.entries.iter().filter(|(placeholder, _)| word.starts_with(placeholder.as_str()));
        fitting
            .max_by_key(|(placeholder, _)| placeholder.len())
            .map(|(placeholder, entry)| (placeholder.as_str(), entry))
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.entries.keys()).finish()
    }
}

/// How long the placeholder is that a word begins with, by its form alone: the prefix, a kind in capitals, and digits.
fn well_formed(word: &str) -> usize {
    let rest = word.as_bytes().get(PREFIX.len()..).unwrap_or_default();
    let kind = rest.iter().take_while(|byte| byte.is_ascii_uppercase() || **byte == b'_').count();
    // A kind ends with an underscore; letters after its last one are digits of the hash.
    let kind =
        rest.get(..kind).and_then(|kind| kind.iter().rposition(|byte| *byte == b'_')).map_or(0, |at| at + 1);
    let is_digit = |byte: &&u8| byte.is_ascii_digit() || (b'A'..=b'F').contains(*byte);
    let digits = rest.iter().skip(kind).take_while(is_digit).count();
    if kind > 1 && (DIGITS..=64).contains(&digits) { PREFIX.len() + kind + digits } else { 0 }
}

/// Where placeholders occur in a text, known or not, and in any case of letters. No byte of the prefix occurs inside a
/// multi-byte character, so the ranges are valid for text.
pub fn placeholders(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut end = 0;
    memchr::memchr2_iter(RARE, RARE.to_ascii_uppercase(), text).filter_map(move |rare| {
        let start = rare.checked_sub(RARE_AT).filter(|start| *start >= end)?;
        let (prefix, rest) = text.get(start..)?.split_at_checked(PREFIX.len())?;
        let word = rest.iter().take_while(|byte| is_word(byte)).count();
        // Two secrets that touch each other make one word of two placeholders.
        let begins = |part: &[u8]| part.eq_ignore_ascii_case(PREFIX.as_bytes());
        let next = rest.get(..word).and_then(|word| word.windows(PREFIX.len()).position(begins));
        let word = next.unwrap_or(word);
        if !prefix.eq_ignore_ascii_case(PREFIX.as_bytes()) || word == 0 {
            return None;
        }
        end = start + PREFIX.len() + word;
        Some(start..end)
    })
}
