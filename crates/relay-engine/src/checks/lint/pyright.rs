//! Pyright: `  /a/b.py:7:25 - error: …` and the summary `4 errors, 0 warnings, 1 information`.

use super::location::{Severity, places, severity};
use super::tally::Worth;
use super::{Line, count};

pub(super) fn read(line: Line<'_>) -> Option<Worth> {
    summary(line.text).or_else(|| diagnostic(line.text))
}

fn summary(text: &str) -> Option<Worth> {
    let counts = count::counts(text)?;
    let is_pyright =
        counts.rest.is_empty() && (text.ends_with("informations") || text.ends_with("information"));
    is_pyright.then(|| counts.errors.map(Worth::Total)).flatten()
}

fn diagnostic(text: &str) -> Option<Worth> {
    let message = places(text).find_map(|place| place.rest.strip_prefix(" - "))?;
    severity(message).map(Severity::worth)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check_line;
    use super::{Worth, read};

    #[test]
    fn diagnostics() {
        check_line(read, "  /a/b.py:7:25 - error: \"x\" is not defined (reportX)", Some(Worth::Listed(1)));
        check_line(read, r"  c:\a b\c.py:7:25 - error: no", Some(Worth::Listed(1)));
        check_line(read, "  /a/b.py:1:8 - warning: Import is not accessed", Some(Worth::Nothing));
        check_line(read, "  /a/b.py:1:8 - information: Type of x is int", Some(Worth::Nothing));
        check_line(read, "    \"int\" is not assignable to \"str\" (reportReturnType)", None);
    }

    #[test]
    fn summaries() {
        check_line(read, "4 errors, 0 warnings, 1 information", Some(Worth::Total(4)));
        check_line(read, "1 error, 2 warnings, 0 informations", Some(Worth::Total(1)));
        check_line(read, "4 errors, 0 warnings", None);
    }
}
