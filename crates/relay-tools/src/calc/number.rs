//! Numbers as JavaScript writes them, which is what the documents of this tool promise.

/// The shortest text that reads back as this number: plain digits between 1e-6 and 1e21, an exponent otherwise.
pub fn shown(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-6..21).contains(&exponent) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn looks_like_in_javascript() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (42.0, "42"),
            (-1.5, "-1.5"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.25e25, "1.25e+25"),
            (1e-6, "0.000001"),
            (1.5e-7, "1.5e-7"),
            (123_456_789_012_345_680_000.0, "123456789012345680000"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(shown(value), text);
        }
    }
}
