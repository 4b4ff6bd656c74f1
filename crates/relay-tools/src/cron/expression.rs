//! Cron expressions of five fields, and the next moment that one matches.
//!
//! Local time is what a clock on the wall shows: a time that a change to summer time skips never comes, one that a
//! change back repeats comes twice.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

/// How far ahead a match is looked for.
const HORIZON_DAYS: i64 = 366;
const MINUTE_MS: i64 = 60_000;

/// A field: its name and bounds.
#[derive(Clone, Copy)]
struct Field {
    name: &'static str,
    min: u8,
    max: u8,
}

const FIELDS: [Field; 5] = [
    Field { name: "minute", min: 0, max: 59 },
    Field { name: "hour", min: 0, max: 23 },
    Field { name: "day-of-month", min: 1, max: 31 },
    Field { name: "month", min: 1, max: 12 },
    Field { name: "day-of-week", min: 0, max: 7 },
];

/// An expression, as sets of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    text: String,
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    any_day: bool,
    any_weekday: bool,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// What is wrong with it, naming the field.
    pub fn parse(text: &str) -> Result<Self, String> {
        let invalid = |why: String| format!("Invalid cron expression: {why}");
        if text.trim().is_empty() {
            return Err(invalid("expression must not be empty.".to_owned()));
        }
        let parts: Vec<&str> = text.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = parts.as_slice() else {
            return Err(invalid(
                "expected 5 space-separated fields (minute hour day month weekday).".to_owned(),
            ));
        };
        let [minutes, hours, days, months, weekdays] = FIELDS;
        let read = |text: &str, field: Field| set(text, field).map_err(invalid);
        let weekdays = read(weekday, weekdays)?;
        Ok(Self {
            text: parts.join(" "),
            minutes: read(minute, minutes)?,
            hours: read(hour, hours)?,
            days: read(day, days)?,
            months: read(month, months)?,
            // Sunday is 0 and 7.
            weekdays: weekdays | (weekdays >> 7 & 1),
            any_day: *day == "*",
            any_weekday: *weekday == "*",
        })
    }

    /// The expression as it was written, with single blanks.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The first whole minute after `after` that matches, in this time zone; none within 366 days.
    pub fn next(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let first = (after.as_millisecond().div_euclid(MINUTE_MS) + 1) * MINUTE_MS;
        let end = first + HORIZON_DAYS * 24 * 60 * MINUTE_MS;
        let mut at = first;
        while at <= end {
            let moment = Timestamp::from_millisecond(at).ok()?;
            let local = moment.to_zoned(zone.clone());
            // A whole day that does not match is skipped at once.
            let tomorrow = next_midnight(local.date(), zone)?;
            if !self.is_day(local.date()) {
                at = tomorrow.max(at + MINUTE_MS);
                continue;
            }
            while at < tomorrow && at <= end {
                let moment = Timestamp::from_millisecond(at).ok()?;
                let time = zone.to_datetime(moment).time();
                if has(self.minutes, time.minute()) && has(self.hours, time.hour()) {
                    return Some(moment);
                }
                at += MINUTE_MS;
            }
        }
        None
    }

    fn is_day(&self, date: Date) -> bool {
        let day = has(self.days, date.day());
        let weekday = has(self.weekdays, date.weekday().to_sunday_zero_offset());
        let is_day = if self.any_day || self.any_weekday { day && weekday } else { day || weekday };
        is_day && has(self.months, date.month())
    }

    /// The expression in words, where there are short ones.
    pub fn in_words(&self) -> String {
        let parts: Vec<&str> = self.text.split(' ').collect();
        let number =
            |text: &str| text.parse::<u8>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
        match parts.as_slice() {
            ["*", "*", "*", "*", "*"] => "every minute".to_owned(),
            [minute, "*", "*", "*", "*"] => match minute.strip_prefix("*/").and_then(number) {
                Some(1) => "every 1 minute".to_owned(),
                Some(step) => format!("every {step} minutes"),
                None => self.text.clone(),
            },
            [minute, hour, "*", "*", weekday] => match (number(minute), number(hour)) {
                (Some(minute), Some(hour)) if *weekday == "*" => {
                    format!("at {hour:02}:{minute:02} every day")
                }
                (Some(minute), Some(hour)) => format!("at {hour:02}:{minute:02} on day-of-week {weekday}"),
                _ => self.text.clone(),
            },
            _ => self.text.clone(),
        }
    }
}

/// The first moment of the day after, which need not be midnight where clocks change then.
fn next_midnight(date: Date, zone: &TimeZone) -> Option<i64> {
    let tomorrow = date.checked_add(Span::new().days(1)).ok()?;
    Some(zone.to_zoned(tomorrow.at(0, 0, 0, 0)).ok()?.start_of_day().ok()?.timestamp().as_millisecond())
}

fn has(set: u64, number: i8) -> bool {
    u32::try_from(number).is_ok_and(|number| set >> number & 1 == 1)
}

/// The numbers of a field.
fn set(text: &str, field: Field) -> Result<u64, String> {
    let mut numbers = 0;
    for part in text.split(',') {
        numbers |= segment(part, field)?;
    }
    Ok(numbers)
}

fn segment(part: &str, field: Field) -> Result<u64, String> {
    let Field { name, min, max } = field;
    if part.is_empty() {
        return Err(format!("empty {name} field segment."));
    }
    let mut pieces = part.split('/');
    let (range, step, more) = (pieces.next().unwrap_or_default(), pieces.next(), pieces.next());
    if more.is_some() {
        return Err(format!("bad step in {name} field '{part}'."));
    }
    if range.is_empty() {
        return Err(format!("empty {name} field segment."));
    }
    let step = match step {
        None => 1,
        Some(step) => digits(step)
            .filter(|step| *step > 0)
            .ok_or_else(|| format!("step value must be a positive integer in {name} field."))?,
    };
    let (from, to) = match range.split_once('-') {
        _ if range == "*" => (min, max),
        Some((_, to)) if to.contains('-') => return Err(format!("bad range in {name} field '{range}'.")),
        Some((from, to)) => (value(from, field)?, value(to, field)?),
        None => {
            let only = value(range, field)?;
            // `5/10` begins at 5, as vixie's cron reads it; without a step it is 5 alone.
            (only, if part.contains('/') { max } else { only })
        }
    };
    if from > to {
        return Err(format!("range must be ascending in {name} field '{range}'."));
    }
    Ok((from..=to)
        .step_by(usize::try_from(step).unwrap_or(usize::MAX))
        .fold(0, |set, number| set | 1 << number))
}

fn value(raw: &str, field: Field) -> Result<u8, String> {
    let Field { name, min, max } = field;
    let number = digits(raw).and_then(|number| u8::try_from(number).ok());
    number
        .filter(|number| (min..=max).contains(number))
        .ok_or_else(|| format!("value '{raw}' out of range for {name} ({min}-{max})."))
}

/// A number without a sign.
fn digits(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(expression: &str, after: &str, zone: &str) -> Option<String> {
        let zone = TimeZone::get(zone).unwrap();
        let after = after.parse::<jiff::civil::DateTime>().unwrap();
        let after = zone.to_zoned(after).unwrap().timestamp();
        let next = Expression::parse(expression).unwrap().next(after, &zone)?;
        Some(next.to_zoned(zone).strftime("%Y-%m-%dT%H:%M%:z").to_string())
    }

    #[track_caller]
    fn check(expression: &str, after: &str, zone: &str, expected: &str) {
        assert_eq!(next(expression, after, zone).as_deref(), Some(expected), "{expression} after {after}");
    }

    #[test]
    fn the_next_match() {
        check("* * * * *", "2026-03-01T10:00", "UTC", "2026-03-01T10:01+00:00");
        check("*/15 * * * *", "2026-03-01T10:46", "UTC", "2026-03-01T11:00+00:00");
        check("0 9 * * 1-5", "2026-03-06T09:00", "UTC", "2026-03-09T09:00+00:00");
        check("0 0 29 2 *", "2027-06-01T00:00", "UTC", "2028-02-29T00:00+00:00");
        check("5,10 3 1 1,7 *", "2026-02-01T00:00", "UTC", "2026-07-01T03:05+00:00");
        assert_eq!(next("0 0 30 2 *", "2026-01-01T00:00", "UTC"), None);
        assert_eq!(next("0 0 29 2 *", "2026-06-01T00:00", "UTC"), None, "more than 366 days ahead");
    }

    #[test]
    fn either_day_matches_when_both_are_restricted() {
        check("0 0 13 * 5", "2026-03-01T00:00", "UTC", "2026-03-06T00:00+00:00");
        check("0 0 13 * *", "2026-03-01T00:00", "UTC", "2026-03-13T00:00+00:00");
        check("0 0 * * 7", "2026-03-01T12:00", "UTC", "2026-03-08T00:00+00:00");
        check("0 0 * * 0", "2026-03-01T12:00", "UTC", "2026-03-08T00:00+00:00");
    }

    #[test]
    fn clocks_that_change() {
        // In Berlin 02:00 becomes 03:00 on 29 March 2026, and 03:00 becomes 02:00 on 25 October 2026.
        check("30 2 * * *", "2026-03-28T12:00", "Europe/Berlin", "2026-03-30T02:30+02:00");
        check("30 2 * * *", "2026-10-24T12:00", "Europe/Berlin", "2026-10-25T02:30+02:00");
        check("0 3 * * *", "2026-03-28T12:00", "Europe/Berlin", "2026-03-29T03:00+02:00");
        // There is no midnight in Beirut on 29 March 2026.
        check("15 0 * * *", "2026-03-28T12:00", "Asia/Beirut", "2026-03-30T00:15+03:00");
        check("0 * * * *", "2026-03-28T23:00", "Asia/Beirut", "2026-03-29T01:00+03:00");
    }

    /// What croniter says about random expressions around changes of the clock; `record.py` wrote it down.
    #[test]
    fn croniter_agrees() {
        // The long run brings new ones.
        let more = std::env::var_os("RELAY_CRONITER").map(|path| std::fs::read_to_string(path).unwrap());
        let more = more.unwrap_or_default();
        let mut count = 0;
        for line in include_str!("croniter.tsv").lines().chain(more.lines()) {
            let [text, zone, after, expected] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            let next =
                Expression::parse(text).unwrap().next(after.parse().unwrap(), &TimeZone::get(zone).unwrap());
            assert_eq!(next.map_or("never".to_owned(), |next| next.to_string()), expected, "{line}");
            count += 1;
        }
        assert!(count >= 1_000, "{count} expressions");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, why) in [
            ("", "expression must not be empty."),
            ("* * * *", "expected 5 space-separated fields (minute hour day month weekday)."),
            ("* * * * * *", "expected 5 space-separated fields (minute hour day month weekday)."),
            ("1/2/3 * * * *", "bad step in minute field '1/2/3'."),
            ("1,,2 * * * *", "empty minute field segment."),
            ("/5 * * * *", "empty minute field segment."),
            ("*/0 * * * *", "step value must be a positive integer in minute field."),
            ("*/x * * * *", "step value must be a positive integer in minute field."),
            ("* 1-2-3 * * *", "bad range in hour field '1-2-3'."),
            ("60 * * * *", "value '60' out of range for minute (0-59)."),
            ("* 24 * * *", "value '24' out of range for hour (0-23)."),
            ("* * 0 * *", "value '0' out of range for day-of-month (1-31)."),
            ("* * * 13 *", "value '13' out of range for month (1-12)."),
            ("* * * * 8", "value '8' out of range for day-of-week (0-7)."),
            ("* * * * MON", "value 'MON' out of range for day-of-week (0-7)."),
            ("* * L * *", "value 'L' out of range for day-of-month (1-31)."),
            ("* * 15W * *", "value '15W' out of range for day-of-month (1-31)."),
            ("* * ? * *", "value '?' out of range for day-of-month (1-31)."),
            ("* * * JAN *", "value 'JAN' out of range for month (1-12)."),
            ("-1 * * * *", "value '' out of range for minute (0-59)."),
            ("+1 * * * *", "value '+1' out of range for minute (0-59)."),
            ("9-5 * * * *", "range must be ascending in minute field '9-5'."),
            ("99999999999999999999 * * * *", "value '99999999999999999999' out of range for minute (0-59)."),
        ] {
            assert_eq!(
                Expression::parse(text).unwrap_err(),
                format!("Invalid cron expression: {why}"),
                "{text}"
            );
        }
    }

    #[test]
    fn short_words_for_simple_schedules() {
        for (text, words) in [
            ("* * * * *", "every minute"),
            ("*/1 * * * *", "every 1 minute"),
            ("*/5 * * * *", "every 5 minutes"),
            ("5 9 * * *", "at 09:05 every day"),
            ("0 18 * * 1-5", "at 18:00 on day-of-week 1-5"),
            ("0 9 1 * *", "0 9 1 * *"),
            ("1-5  *   * * *", "1-5 * * * *"),
        ] {
            assert_eq!(Expression::parse(text).unwrap().in_words(), words);
        }
    }
}
