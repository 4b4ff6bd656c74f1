//! A file's owner, group and extended attributes.
//!
//! The ledger keeps these if a new file could not take them over from the one it replaces, because the file is gone or a
//! command changed its owner. The disk module reads and applies them.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A user and a group, by their numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Owner {
    /// The user.
    pub user: u32,
    /// The group.
    pub group: u32,
}

impl fmt::Display for Owner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.user, self.group)
    }
}

impl FromStr for Owner {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (user, group) = text.split_once(':').unwrap_or((text, ""));
        Ok(Self { user: user.parse()?, group: group.parse()? })
    }
}

impl Serialize for Owner {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Owner {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// What a file has besides its content and its mode.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Belongings {
    /// Its owner and group.
    pub owner: Owner,
    /// Its extended attributes, among them access lists and capabilities.
    pub extended: Extended,
}

/// Extended attributes by name.
///
/// Written as text where a person can read the value, otherwise as `0x` and hexadecimal digits, like `getfattr` does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extended(pub BTreeMap<String, Vec<u8>>);

impl Extended {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Extended {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, written(value))))
    }
}

impl<'de> Deserialize<'de> for Extended {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let texts = BTreeMap::<String, String>::deserialize(deserializer)?;
        let values = texts.into_iter().map(|(name, text)| Some((name, read(&text)?)));
        let values: Option<BTreeMap<String, Vec<u8>>> = values.collect();
        values.map(Self).ok_or_else(|| D::Error::custom("an attribute is not in hexadecimal digits"))
    }
}

const HEXADECIMAL: &str = "0x";

fn written(value: &[u8]) -> String {
    match std::str::from_utf8(value) {
        Ok(text) if !text.starts_with(HEXADECIMAL) && !text.chars().any(char::is_control) => text.to_owned(),
        _ => value.iter().fold(HEXADECIMAL.to_owned(), |text, byte| format!("{text}{byte:02x}")),
    }
}

fn read(text: &str) -> Option<Vec<u8>> {
    let Some(digits) = text.strip_prefix(HEXADECIMAL) else { return Some(text.as_bytes().to_vec()) };
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_read_as_it_was_written() {
        for value in [&b"text"[..], b"", b"0x41", b"0xzz", &[0, 255, 10], "\u{e9} \u{1}".as_bytes()] {
            assert_eq!(read(&written(value)).as_deref(), Some(value));
        }
        assert_eq!(written(b"text"), "text");
        assert_eq!(written(&[0, 255]), "0x00ff");
        assert_eq!((read("0x0"), read("0xgg")), (None, None));
    }

    #[test]
    fn owners_are_two_numbers() {
        assert_eq!("7:8".parse(), Ok(Owner { user: 7, group: 8 }));
        assert!("7".parse::<Owner>().is_err() && "a:b".parse::<Owner>().is_err());
    }
}
