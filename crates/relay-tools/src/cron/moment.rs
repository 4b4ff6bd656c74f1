//! When a task really fires: near its match, but not to the second, so that many sessions do not fire at once.
//!
//! How far off is a function of the task's id and the match, so the same task fires at the same moment however often it
//! is worked out.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::expression::Expression;

/// The latest a recurring task may be.
const LATE_MS: u64 = 30 * 60_000;
/// The earliest a task may be that fires once.
const EARLY_MS: u64 = 90_000;
/// The interval of a task that has no further match.
const LONE_INTERVAL_MS: u64 = 60 * 60_000;
const MINUTE_MS: u64 = 60_000;

/// When a task fires next: its match, and the moment. None if it never matches again.
pub fn next(
    expression: &Expression,
    id: &str,
    recurring: bool,
    after: Timestamp,
    zone: &TimeZone,
) -> Option<(Timestamp, Timestamp)> {
    let matched = expression.next(after, zone)?;
    let offset = if recurring {
        let following = expression.next(matched, zone);
        i64::try_from(late(id, matched, following)).ok()?
    } else {
        -i64::try_from(early(id, matched, zone)).ok()?
    };
    let moment = Timestamp::from_millisecond(matched.as_millisecond() + offset).ok()?;
    Some((matched, moment.max(after)))
}

/// How late a recurring task is: at most half an hour, and at most half its interval.
fn late(id: &str, matched: Timestamp, following: Option<Timestamp>) -> u64 {
    let interval = following.map_or(LONE_INTERVAL_MS, |following| {
        let distance = following.as_millisecond() - matched.as_millisecond();
        u64::try_from(distance).unwrap_or_default().max(MINUTE_MS)
    });
    spread(id, matched, "late", LATE_MS.min(interval / 2))
}

/// How early a task is that fires once: only on the hour and half hour, where everybody schedules.
fn early(id: &str, matched: Timestamp, zone: &TimeZone) -> u64 {
    match zone.to_datetime(matched).minute() {
        0 | 30 => spread(id, matched, "early", EARLY_MS),
        _ => 0,
    }
}

fn spread(id: &str, matched: Timestamp, side: &str, max: u64) -> u64 {
    u64::from(fnv1a(&format!("{id}:{}:{side}", matched.as_millisecond()))) % (max + 1)
}

/// The 32-bit FNV-1a hash.
fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn the_hash_is_fnv1a() {
        assert_eq!([fnv1a(""), fnv1a("a"), fnv1a("foobar")], [0x811c_9dc5, 0xe40c_292c, 0xbf9c_f968]);
    }

    #[test]
    fn recurring_tasks_are_late_by_half_their_interval_at_most() {
        let every = |text: &str, limit: i64| {
            let expression = Expression::parse(text).unwrap();
            for id in 0..200 {
                let id = format!("id{id:06}");
                let (matched, moment) =
                    next(&expression, &id, true, at("2026-03-01T10:00:30Z"), &TimeZone::UTC).unwrap();
                let late = moment.as_millisecond() - matched.as_millisecond();
                assert!((0..=limit).contains(&late), "{text} {late}");
                let again = next(&expression, &id, true, at("2026-03-01T10:00:30Z"), &TimeZone::UTC).unwrap();
                assert_eq!(again.1, moment);
            }
        };
        every("* * * * *", 30_000);
        every("*/10 * * * *", 300_000);
        every("0 * * * *", 30 * 60_000);
        every("0 0 * * *", 30 * 60_000);
    }

    #[test]
    fn tasks_that_fire_once_are_early_on_the_half_hour_only() {
        for (text, limit) in [("0 11 * * *", 90_000), ("30 11 * * *", 90_000), ("7 11 * * *", 0)] {
            let expression = Expression::parse(text).unwrap();
            for id in 0..200 {
                let (matched, moment) =
                    next(&expression, &format!("{id}"), false, at("2026-03-01T10:00:00Z"), &TimeZone::UTC)
                        .unwrap();
                let early = matched.as_millisecond() - moment.as_millisecond();
                assert!((0..=limit).contains(&early), "{text} {early}");
            }
        }
        // Never before now.
        let expression = Expression::parse("0 11 * * *").unwrap();
        let now = at("2026-03-01T10:59:59Z");
        assert!(
            (0..200)
                .all(|id| next(&expression, &format!("{id}"), false, now, &TimeZone::UTC).unwrap().1 >= now)
        );
    }
}
