//! Moments and ages as people write them: `2026-11-15`, `2026-11-15T10:30`, `2h`, `3d`.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use relay_diagnostics::Diagnostic;

use crate::codes;

/// Which end of a day is meant where only the day is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Its beginning: for "from then on".
    Start,
    /// Its end: for "until then".
    End,
}

/// The moment a text means: a date, a date and time, both with or without a time zone, or an age before `now`.
///
/// # Errors
/// The text is none of these.
pub fn moment(text: &str, now: Timestamp, zone: &TimeZone, edge: Edge) -> Result<Timestamp, Diagnostic> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Ok(moment);
    }
    let local =
        text.parse::<Date>().ok().filter(|_| !text.contains([':', 'T', 't'])).map(|date| match edge {
            Edge::Start => date.to_datetime(Time::midnight()),
            Edge::End => date.to_datetime(Time::MAX),
        });
    if let Some(local) = local.or_else(|| text.parse::<DateTime>().ok()) {
        return local.to_zoned(zone.clone()).map(|zoned| zoned.timestamp()).map_err(|_| unknown(text));
    }
    let age = age(text).map_err(|_| unknown(text))?;
    now.checked_sub(age).map_err(|_| unknown(text))
}

/// The age a text means: a number and a unit, `s`, `m`, `h`, `d` or `w`.
///
/// # Errors
/// The text is none.
pub fn age(text: &str) -> Result<SignedDuration, Diagnostic> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.get(digits.len()..).unwrap_or_default();
    let seconds = match unit {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        _ => return Err(unknown_age(text)),
    };
    let number: u32 = digits.parse().map_err(|_| unknown_age(text))?;
    Ok(SignedDuration::from_secs(i64::from(number).saturating_mul(seconds)))
}

fn unknown_age(text: &str) -> Diagnostic {
    Diagnostic::error(codes::BAD_TIME, format!("invalid age `{text}`"))
        .hinted("Write a number and a unit, such as 90m, 2h, 3d or 2w.")
}

fn unknown(text: &str) -> Diagnostic {
    Diagnostic::error(codes::BAD_TIME, format!("invalid time `{text}`"))
        .hinted("Write a date (2026-11-15), a date and time (2026-11-15T10:30), or an age (90m, 2h, 3d, 2w).")
}
