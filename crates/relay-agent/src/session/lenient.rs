//! Reading numbers and switches of session files written by other programs.
//!
//! Counters and timestamps are facts beside the conversation. One that has an odd form, such as a fraction or `null`,
//! must not cost the message it belongs to.

use serde::{Deserialize as _, Deserializer};
use serde_json::Value;

/// A whole number in any form; nothing if it is something else.
pub(crate) fn integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float that is too large becomes the largest integer"
    )]
    Ok(value
        .as_i64()
        .or_else(|| value.as_f64().filter(|number| number.is_finite()).map(|number| number as i64)))
}

/// A count in any form; zero if it is something else.
pub(crate) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let number = integer(deserializer)?;
    Ok(number.and_then(|number| u64::try_from(number).ok()).unwrap_or_default())
}

/// An amount in any form; zero if it is something else.
pub(crate) fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Value::deserialize(deserializer)?.as_f64().filter(|number| number.is_finite()).unwrap_or_default())
}

/// A switch; off if it is something else.
pub(crate) fn switch<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Value::deserialize(deserializer)?.as_bool().unwrap_or_default())
}
