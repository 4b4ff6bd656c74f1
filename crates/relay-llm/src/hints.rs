//! How long a provider asks to wait, from headers and bodies.

use jiff::Timestamp;
use serde_json::Value;

/// The pause the headers ask for, in milliseconds.
pub(crate) fn wait_ms(header: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
    let now = Timestamp::now();
    if let Some(ms) = header("retry-after-ms").and_then(|text| number(&text)) {
        return Some(whole(ms));
    }
    if let Some(text) = header("retry-after") {
        return number(&text).map(|seconds| whole(seconds * 1000.0)).or_else(|| until(&text, now));
    }
    if let Some(ms) = header("x-ratelimit-reset-ms").and_then(|text| number(&text)) {
        return Some(since_epoch_or_now(ms, now));
    }
    let text = header("x-ratelimit-reset")?;
    number(&text).map(|seconds| since_epoch_or_now(seconds * 1000.0, now)).or_else(|| duration(&text))
}

/// The pause an error's body asks for: Google's `retryDelay`.
pub(crate) fn in_body(json: &Value) -> Option<u64> {
    let json = json.get(0).unwrap_or(json);
    let details = json.pointer("/error/details")?.as_array()?;
    details.iter().find_map(|detail| duration(detail.get("retryDelay")?.as_str()?))
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "never negative, and casts saturate"
)]
fn whole(ms: f64) -> u64 {
    ms.ceil() as u64
}

/// A reset is given as a moment (milliseconds since 1970) or as a pause; a pause of thirty years is a moment.
fn since_epoch_or_now(ms: f64, now: Timestamp) -> u64 {
    let ms = whole(ms);
    if ms < 1_000_000_000_000 {
        return ms;
    }
    ms.saturating_sub(u64::try_from(now.as_millisecond()).unwrap_or(0))
}

/// The pause until a date in HTTP's format or in ISO 8601.
fn until(text: &str, now: Timestamp) -> Option<u64> {
    let date = jiff::fmt::rfc2822::parse(text).map(|date| date.timestamp()).or_else(|_| text.parse());
    let ms = date.ok()?.as_millisecond().saturating_sub(now.as_millisecond());
    Some(u64::try_from(ms).unwrap_or(0))
}

/// Durations as OpenAI and Google write them: `6m0s`, `1.5s`, `20ms`.
fn duration(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (amount, tail) = rest.split_at_checked(digits)?;
        let unit = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at_checked(unit)?;
        let factor = match unit {
            "ms" => 1.0,
            "s" => 1000.0,
            "m" => 60_000.0,
            "h" => 3_600_000.0,
            "d" => 86_400_000.0,
            _ => return None,
        };
        total += number(amount)? * factor;
        rest = tail;
    }
    Some(whole(total))
}

#[cfg(test)]
mod tests {
    use super::{duration, in_body, wait_ms};

    fn check(headers: &[(&str, &str)], expected: Option<u64>) {
        let header = |name: &str| {
            headers.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(wait_ms(&header), expected, "{headers:?}");
    }

    #[test]
    fn headers() {
        check(&[], None);
        check(&[("retry-after", "7")], Some(7000));
        check(&[("retry-after", "0.5")], Some(500));
        check(&[("retry-after", "7"), ("retry-after-ms", "120")], Some(120));
        check(&[("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")], Some(0));
        check(&[("retry-after", "soon")], None);
        check(&[("x-ratelimit-reset-ms", "900")], Some(900));
        check(&[("x-ratelimit-reset", "3")], Some(3000));
        check(&[("x-ratelimit-reset", "1445412480")], Some(0));
        check(&[("x-ratelimit-reset", "1m30s")], Some(90_000));
        check(&[("retry-after", "-1")], None);
    }

    #[test]
    fn a_date_in_the_future_is_a_pause() {
        let later = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(3600);
        let header = |name: &str| (name == "retry-after").then(|| later.to_string());
        let ms = wait_ms(&header).unwrap();
        assert!((3_590_000..=3_600_000).contains(&ms), "{ms}");
    }

    #[test]
    fn durations() {
        for (text, expected) in [
            ("1s", Some(1000)),
            ("6m0s", Some(360_000)),
            ("20ms", Some(20)),
            ("34.07s", Some(34_070)),
            ("x", None),
        ] {
            assert_eq!(duration(text), expected, "{text}");
        }
    }

    #[test]
    fn bodies() {
        let body = serde_json::json!({ "error": { "details": [{ "@type": "x" }, { "retryDelay": "2s" }] } });
        assert_eq!(in_body(&body), Some(2000));
    }
}
