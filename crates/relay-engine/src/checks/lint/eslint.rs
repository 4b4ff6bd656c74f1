//! ESLint: stylish (`  1:5  error  …` under a path, with a summary), unix (`… [Error/rule]`) and compact
//! (`path: line 1, col 5, Error - …`). Its JSON is read by `document`.

use super::location::{indented_place, places, skip_digits};
use super::tally::Worth;
use super::{Line, count};

pub(super) fn read(line: Line<'_>) -> Option<Worth> {
    summary(line.text)
        .or_else(|| stylish(line.text))
        .or_else(|| compact(line.text))
        .or_else(|| unix(line.text))
}

/// `✖ 5 problems (4 errors, 1 warning)`; without the brackets, as unix and compact end, it counts warnings too and
/// says nothing.
fn summary(text: &str) -> Option<Worth> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let counts = count::counts(text)?;
    if counts.rest.trim_start().starts_with("potentially fixable") {
        return Some(Worth::Nothing);
    }
    if !counts.problems {
        return None;
    }
    match counts.rest.strip_prefix(" (") {
        Some(details) => count::counts(details)?.errors.map(Worth::Total),
        None => counts.rest.is_empty().then_some(Worth::Nothing),
    }
}

fn stylish(text: &str) -> Option<Worth> {
    let rest = indented_place(text)?;
    if rest.starts_with("error ") {
        Some(Worth::Listed(1))
    } else if rest.starts_with("warning ") {
        Some(Worth::Nothing)
    } else {
        None
    }
}

fn compact(text: &str) -> Option<Worth> {
    text.match_indices(": line ").find_map(|(at, marker)| {
        let rest = skip_digits(text.get(at + marker.len()..)?)?;
        let rest = skip_digits(rest.strip_prefix(", col ")?)?;
        worth(rest.strip_prefix(", ")?, " - ")
    })
}

fn unix(text: &str) -> Option<Worth> {
    let tag = text.strip_suffix(']')?.rsplit_once('[')?.1;
    places(text).next()?.message()?;
    worth(tag, "/").or_else(|| (tag == "Error").then_some(Worth::Error))
}

/// What a severity word means with this text after it. Neither format has a summary that counts errors alone.
fn worth(text: &str, ending: &str) -> Option<Worth> {
    if text.strip_prefix("Error").is_some_and(|rest| rest.starts_with(ending)) {
        Some(Worth::Error)
    } else if text.strip_prefix("Warning").is_some_and(|rest| rest.starts_with(ending)) {
        Some(Worth::Nothing)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check_line;
    use super::{Worth, read};

    #[test]
    fn stylish() {
        check_line(read, "  1:5   error    'tax' is never reassigned  prefer-const", Some(Worth::Listed(1)));
        check_line(read, "  1:14  error  Parsing error: Unexpected token =", Some(Worth::Listed(1)));
        check_line(read, "  3:9   warning  'unused' is assigned  no-unused-vars", Some(Worth::Nothing));
        check_line(read, "✖ 5 problems (4 errors, 1 warning)", Some(Worth::Total(4)));
        check_line(read, "✖ 1 problem (0 errors, 1 warning)", Some(Worth::Total(0)));
        check_line(
            read,
            "  1 error and 0 warnings potentially fixable with the `--fix` option.",
            Some(Worth::Nothing),
        );
        check_line(read, "  1:5  errors", None);
    }

    #[test]
    fn unix() {
        check_line(read, "/a/b.js:1:5: 'x' is not defined. [Error/no-undef]", Some(Worth::Error));
        check_line(read, r"C:\a b\c.js:1:14: Parsing error: Unexpected token = [Error]", Some(Worth::Error));
        check_line(read, "/a/b.js:1:5: 'x' is unused. [Warning/no-unused-vars]", Some(Worth::Nothing));
        check_line(read, "5 problems", Some(Worth::Nothing));
        check_line(read, "prose about an [Error]", None);
    }

    #[test]
    fn compact() {
        check_line(read, "/a/b: c.js: line 1, col 5, Error - no (no-undef)", Some(Worth::Error));
        check_line(read, "/a/b.js: line 1, col 5, Warning - no (no-undef)", Some(Worth::Nothing));
        check_line(read, "/a/b.js: line 1, col 5, Erroneous", None);
    }
}
