//! Reads counts as tools write them in summaries: `3 errors, 1 warning`, `Found 2 errors`, `5 problems (4 errors, 1
//! warning)`.

/// The counts of one phrase and what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts<'a> {
    /// The number of errors, when the phrase names errors.
    pub(super) errors: Option<u64>,
    /// Whether the first noun was `problems`.
    pub(super) problems: bool,
    /// The text after the phrase.
    pub(super) rest: &'a str,
}

/// What a summary may count besides errors.
const NOUNS: [&str; 10] =
    ["error", "warning", "problem", "issue", "information", "info", "note", "notice", "hint", "suggestion"];

/// Reads `N noun`, and more of them joined by commas or `and`, at the start of the text.
pub(super) fn counts(text: &str) -> Option<Counts<'_>> {
    let (number, noun, mut rest) = item(text)?;
    let mut errors = (noun == "error").then_some(number);
    while let Some((number, noun, after)) = joined(rest).and_then(item) {
        if noun == "error" {
            errors = errors.or(Some(number));
        }
        rest = after;
    }
    Some(Counts { errors, problems: noun == "problem", rest })
}

/// Reads the counts after `Found ` at the start of a line.
pub(super) fn found(line: &str) -> Option<Counts<'_>> {
    counts(line.trim_start().strip_prefix("Found ")?)
}

/// One number with its noun (`error` for `errors`, `Error(s)`), and the text after them.
fn item(text: &str) -> Option<(u64, &'static str, &str)> {
    let rest = super::location::skip_digits(text)?;
    let digits = text.strip_suffix(rest)?;
    let number = digits.parse().ok()?;
    let rest = rest.strip_prefix(' ')?;
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (word, rest) = rest.split_at_checked(end)?;
    let noun = NOUNS.into_iter().find(|noun| is_form_of(word, noun))?;
    Some((number, noun, rest.strip_prefix("(s)").unwrap_or(rest)))
}

/// Whether the word is the noun or its plural.
fn is_form_of(word: &str, noun: &str) -> bool {
    word.eq_ignore_ascii_case(noun)
        || word
            .split_at_checked(noun.len())
            .is_some_and(|(stem, ending)| stem.eq_ignore_ascii_case(noun) && ending.eq_ignore_ascii_case("s"))
}

/// The text after what joins two counts.
fn joined(rest: &str) -> Option<&str> {
    [", and ", ", ", " and ", " & ", "; "].into_iter().find_map(|joint| rest.strip_prefix(joint))
}

#[cfg(test)]
mod tests {
    fn check(text: &str, expected: Option<(Option<u64>, &str)>) {
        assert_eq!(super::counts(text).map(|c| (c.errors, c.rest)), expected, "{text}");
    }

    #[test]
    fn counts_and_nouns() {
        check("3 errors", Some((Some(3), "")));
        check("1 error", Some((Some(1), "")));
        check("2 Error(s)", Some((Some(2), "")));
        check("1 warning and 3 errors generated.", Some((Some(3), " generated.")));
        check("4 errors, 0 warnings, 1 information", Some((Some(4), "")));
        check("2 warnings", Some((None, "")));
        check("5 problems (4 errors, 1 warning)", Some((None, " (4 errors, 1 warning)")));
    }

    #[test]
    fn texts_without_a_count() {
        check("3 errorful days", None);
        check("3 previous errors", None);
        check("errors", None);
        check("99999999999999999999999 errors", None);
        check("3errors", None);
    }
}
