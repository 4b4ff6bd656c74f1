//! Amounts of money and lengths of time, as people write them.

use std::time::Duration;

/// What an amount of money looks like.
pub const COST: &str = "US dollars above zero, such as 0.50 or $2";

/// What a length of time looks like.
pub const TIME: &str = "a time above zero, such as 90s, 5m or 1h30m";

/// The longest time; a limit beyond a year would not be one.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// US dollars: `0.50` or `$0.50`.
#[must_use]
pub fn cost(text: &str) -> Option<f64> {
    let text = text.trim();
    let text = text.strip_prefix('$').unwrap_or(text).trim_start();
    // Rust also accepts `inf`, `1e3` and signs, which make no sense here.
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let amount: f64 = text.parse().ok().filter(|_| is_plain)?;
    (amount > 0.0 && amount.is_finite()).then_some(amount)
}

/// A time: seconds, or numbers followed by `ms`, `s`, `m` and `h`.
#[must_use]
pub fn time(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    if let Ok(seconds) = rest.parse::<u32>() {
        return Some(Duration::from_secs(seconds.into())).filter(|time| !time.is_zero());
    }
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = rest.split_at_checked(digits)?;
        let number: u32 = number.parse().ok()?;
        let letters = after.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, after) = after.split_at_checked(letters)?;
        let one = match unit {
            "ms" => Duration::from_millis(1),
            "s" => Duration::from_secs(1),
            "m" | "min" => Duration::from_secs(60),
            "h" => Duration::from_secs(3_600),
            _ => return None,
        };
        total = total.checked_add(one.checked_mul(number)?)?;
        rest = after.trim_start();
    }
    (total > Duration::ZERO && total <= LONGEST).then_some(total)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{cost, time};

    #[test]
    fn money() {
        for (text, expected) in [("0.50", 0.5), ("$0.50", 0.5), (" $ 2 ", 2.0), (".25", 0.25), ("10", 10.0)] {
            assert_eq!(cost(text), Some(expected), "{text}");
        }
        for text in ["", "0", "$", "-1", "1e3", "inf", "NaN", "1,50", "0.5 EUR", "$$1", "1.2.3"] {
            assert_eq!(cost(text), None, "{text}");
        }
    }

    #[test]
    fn times() {
        for (text, expected) in
            [("90", 90), ("90s", 90), ("5m", 300), ("1h30m", 5_400), ("1h 5s", 3_605), ("2min", 120)]
        {
            assert_eq!(time(text), Some(Duration::from_secs(expected)), "{text}");
        }
        assert_eq!(time("250ms"), Some(Duration::from_millis(250)));
        for text in ["", "0", "0s", "s", "5 minutes", "-5s", "5d", "1.5h", "9999999999", "99999999h"] {
            assert_eq!(time(text), None, "{text}");
        }
    }
}
