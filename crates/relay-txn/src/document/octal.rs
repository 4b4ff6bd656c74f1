//! File modes as git writes them: `"100644"`.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

/// Writes the mode in octal digits.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
pub(crate) fn serialize<S: Serializer>(mode: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("{mode:06o}"))
}

/// Reads octal digits.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let digits = String::deserialize(deserializer)?;
    u32::from_str_radix(&digits, 8).map_err(D::Error::custom)
}
