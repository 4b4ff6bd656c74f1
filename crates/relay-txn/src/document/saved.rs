//! How a content is written in a record.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::record::{Content, Stored};

/// A content under `snapshot` or `result`: the text itself, `{blob: hash}`, or null for "no file".
pub(super) enum Saved<'a> {
    /// The content itself.
    Text(Cow<'a, str>),
    /// The hash under which the content is kept.
    Blob(Cow<'a, str>),
    /// There is no file.
    Nothing,
}

impl<'a> Saved<'a> {
    /// How the content of a file is written.
    pub(super) fn of(stored: Option<&'a Stored>) -> Self {
        let Some(stored) = stored else { return Self::Nothing };
        match (&stored.content, std::str::from_utf8(stored.inline())) {
            (Content::Inline(_), Ok(text)) => Self::Text(text.into()),
            _ => Self::Blob(stored.hash.as_str().into()),
        }
    }
}

impl Serialize for Saved<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Blob(hash) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("blob", hash)?;
                map.end()
            }
            Self::Nothing => serializer.serialize_unit(),
        }
    }
}

impl<'de> Deserialize<'de> for Saved<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SavedVisitor;
        impl<'de> Visitor<'de> for SavedVisitor {
            type Value = Saved<'static>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text, a map with `blob`, or null")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Saved<'static>, E> {
                Ok(Saved::Text(text.to_owned().into()))
            }
            fn visit_string<E: de::Error>(self, text: String) -> Result<Saved<'static>, E> {
                Ok(Saved::Text(text.into()))
            }
            fn visit_unit<E: de::Error>(self) -> Result<Saved<'static>, E> {
                Ok(Saved::Nothing)
            }
            fn visit_none<E: de::Error>(self) -> Result<Saved<'static>, E> {
                Ok(Saved::Nothing)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Saved<'static>, A::Error> {
                match map.next_entry::<String, String>()? {
                    Some((key, hash)) if key == "blob" => Ok(Saved::Blob(hash.into())),
                    _ => Err(de::Error::missing_field("blob")),
                }
            }
        }
        deserializer.deserialize_any(SavedVisitor)
    }
}
