//! mypy: `a.py:7: error: …  [code]`, notes, and `Found 6 errors in 2 files (checked 3 source files)`.

use super::location::{places, severity};
use super::tally::Worth;
use super::{Line, count};

pub(super) fn read(line: Line<'_>) -> Option<Worth> {
    if line.text.starts_with("Success: no issues found in ") {
        return Some(Worth::Nothing);
    }
    summary(line.text).or_else(|| diagnostic(line.text)).or_else(|| whole_file(line.text))
}

/// tsc's summary has no brackets after the number of files.
fn summary(text: &str) -> Option<Worth> {
    let found = count::found(text)?;
    let files = found.rest.strip_prefix(" in ")?.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_mypy = files.starts_with(" files (") || files.starts_with(" file (");
    is_mypy.then(|| found.errors.map(Worth::Total)).flatten()
}

fn diagnostic(text: &str) -> Option<Worth> {
    places(text).find_map(|place| {
        let found = severity(place.message()?)?;
        let is_mypy = is_python(place.path) || (text.ends_with(']') && text.contains("  ["));
        is_mypy.then_some(found.worth())
    })
}

/// `nowhere.py: error: Cannot read file`
fn whole_file(text: &str) -> Option<Worth> {
    let (path, _) = text.split_once(": error: ")?;
    is_python(path).then_some(Worth::Listed(1))
}

fn is_python(path: &str) -> bool {
    path.ends_with(".py") || path.ends_with(".pyi")
}

#[cfg(test)]
mod tests {
    use super::super::tests::check_line;
    use super::{Worth, read};

    #[test]
    fn diagnostics() {
        check_line(read, "a.py:7: error: Name \"x\" is not defined  [name-defined]", Some(Worth::Listed(1)));
        check_line(read, "a.py:7:5:7:38: error: no  [x]", Some(Worth::Listed(1)));
        check_line(read, r"C:\a b\c.pyi:7: error: no", Some(Worth::Listed(1)));
        check_line(read, "<string>:1: error: no  [x]", Some(Worth::Listed(1)));
        check_line(read, "a.py:4: note: Use \"-> None\"", Some(Worth::Nothing));
        check_line(read, "nowhere.py: error: Cannot read file", Some(Worth::Listed(1)));
        check_line(read, "a.c:7: error: no", None);
    }

    #[test]
    fn summaries() {
        check_line(read, "Found 6 errors in 2 files (checked 3 source files)", Some(Worth::Total(6)));
        check_line(
            read,
            "Found 1 error in 1 file (errors prevented further checking)",
            Some(Worth::Total(1)),
        );
        check_line(read, "Success: no issues found in 1 source file", Some(Worth::Nothing));
        check_line(read, "Found 6 errors in 2 files.", None);
    }
}
