//! Pyright: `  /a/b.py:7:25 - error: …` and the summary `4 errors, 0 warnings, 1 information`.

use super::location::{Severity, places, severity};
use super::tally::Reading;
use super::{Line, count};

pub(super) fn read(line: Line<'_>) -> Option<Reading> {
    summary(line.text).or_else(|| diagnostic(line.text))
}

fn summary(text: &str) -> Option<Reading> {
    let counts = count::counts(text)?;
    let is_pyright =
        counts.rest.is_empty() && (text.ends_with("informations") || text.ends_with("information"));
    is_pyright.then(|| counts.errors.map(Reading::Total)).flatten()
}

fn diagnostic(text: &str) -> Option<Reading> {
    let message = places(text).find_map(|place| place.rest.strip_prefix(" - "))?;
    Some(match severity(message)? {
        Severity::Error => Reading::Listed(1),
        Severity::Lesser => Reading::Nothing,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::check_line;
    use super::{Reading, read};

    #[test]
    fn diagnostics() {
        check_line(read, "  /a/b.py:7:25 - error: \"x\" is not defined (reportX)", Some(Reading::Listed(1)));
        check_line(read, r"  c:\a b\c.py:7:25 - error: no", Some(Reading::Listed(1)));
        check_line(read, "  /a/b.py:1:8 - warning: Import is not accessed", Some(Reading::Nothing));
        check_line(read, "  /a/b.py:1:8 - information: Type of x is int", Some(Reading::Nothing));
        check_line(read, "    \"int\" is not assignable to \"str\" (reportReturnType)", None);
    }

    #[test]
    fn summaries() {
        check_line(read, "4 errors, 0 warnings, 1 information", Some(Reading::Total(4)));
        check_line(read, "1 error, 2 warnings, 0 informations", Some(Reading::Total(1)));
        check_line(read, "4 errors, 0 warnings", None);
    }
}
