//! mypy: `a.py:7: error: …  [code]`, notes, and `Found 6 errors in 2 files (checked 3 source files)`.

use super::location::{Severity, places, severity};
use super::tally::Reading;
use super::{Line, count};

pub(super) fn read(line: Line<'_>) -> Option<Reading> {
    if line.text.starts_with("Success: no issues found in ") {
        return Some(Reading::Nothing);
    }
    summary(line.text).or_else(|| diagnostic(line.text)).or_else(|| whole_file(line.text))
}

/// tsc's summary has no brackets after the number of files.
fn summary(text: &str) -> Option<Reading> {
    let found = count::found(text)?;
    let files = found.rest.strip_prefix(" in ")?.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_mypy = files.starts_with(" files (") || files.starts_with(" file (");
    is_mypy.then(|| found.errors.map(Reading::Total)).flatten()
}

fn diagnostic(text: &str) -> Option<Reading> {
    places(text).find_map(|place| {
        let found = severity(place.message()?)?;
        let is_mypy = is_python(place.path) || (text.ends_with(']') && text.contains("  ["));
        is_mypy.then_some(match found {
            Severity::Error => Reading::Listed(1),
            Severity::Lesser => Reading::Nothing,
        })
    })
}

/// `nowhere.py: error: Cannot read file`
fn whole_file(text: &str) -> Option<Reading> {
    let (path, _) = text.split_once(": error: ")?;
    is_python(path).then_some(Reading::Listed(1))
}

fn is_python(path: &str) -> bool {
    path.ends_with(".py") || path.ends_with(".pyi")
}

#[cfg(test)]
mod tests {
    use super::super::tests::check_line;
    use super::{Reading, read};

    #[test]
    fn diagnostics() {
        check_line(
            read,
            "a.py:7: error: Name \"x\" is not defined  [name-defined]",
            Some(Reading::Listed(1)),
        );
        check_line(read, "a.py:7:5:7:38: error: no  [x]", Some(Reading::Listed(1)));
        check_line(read, r"C:\a b\c.pyi:7: error: no", Some(Reading::Listed(1)));
        check_line(read, "<string>:1: error: no  [x]", Some(Reading::Listed(1)));
        check_line(read, "a.py:4: note: Use \"-> None\"", Some(Reading::Nothing));
        check_line(read, "nowhere.py: error: Cannot read file", Some(Reading::Listed(1)));
        check_line(read, "a.c:7: error: no", None);
    }

    #[test]
    fn summaries() {
        check_line(read, "Found 6 errors in 2 files (checked 3 source files)", Some(Reading::Total(6)));
        check_line(
            read,
            "Found 1 error in 1 file (errors prevented further checking)",
            Some(Reading::Total(1)),
        );
        check_line(read, "Success: no issues found in 1 source file", Some(Reading::Nothing));
        check_line(read, "Found 6 errors in 2 files.", None);
    }
}
