//! Which lines of something are wanted: `:50`, `:50-80`, `:50+30`, `:L50-L80`, `:raw`, and both together.

use relay_agent::tool::ToolError;

/// The most lines that are shown at once.
pub const MAX_LINES: usize = 3_000;
/// Lines of context before a range, and after it.
const LEADING: usize = 1;
const TRAILING: usize = 3;

/// What of something is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The lines.
    pub range: Option<Range>,
    /// As it is: not summarised, not converted, without anchors.
    pub raw: bool,
}

/// Lines, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first one.
    pub first: usize,
    /// The last one; none means as many as are shown at once.
    pub last: Option<usize>,
}

impl Selection {
    /// Splits what follows the last colons from a path. What is not a selector belongs to the path.
    ///
    /// # Errors
    /// It is a selector with numbers that cannot be.
    pub fn split(path: &str) -> Result<(&str, Self), ToolError> {
        let mut selection = Self::default();
        let mut rest = path;
        // At most two: lines and `raw`, in any order.
        for _ in 0..2 {
            let Some((before, last)) = rest.rsplit_once(':') else { break };
            if last == "raw" && !selection.raw {
                selection.raw = true;
            } else if let Some(range) = range(last)?.filter(|_| selection.range.is_none()) {
                selection.range = Some(range);
            } else {
                break;
            }
            rest = before;
        }
        Ok((rest, selection))
    }

    /// The first line to show and how many. Ranges get context on the sides that they bound.
    #[must_use]
    pub fn window(&self, limit: usize) -> (usize, usize) {
        let leading = if self.raw { 0 } else { LEADING };
        let trailing = if self.raw { 0 } else { TRAILING };
        match self.range {
            None if self.raw => (1, MAX_LINES),
            None => (1, limit),
            Some(Range { first, last }) => {
                let begin = first.saturating_sub(leading).max(1);
                let end = match last {
                    Some(last) => last.saturating_add(trailing),
                    None => first.saturating_add(limit).saturating_sub(1),
                };
                (begin, (end.saturating_sub(begin) + 1).min(MAX_LINES))
            }
        }
    }
}

/// A number with or without `L`; nothing if it is not one.
fn number(text: &str) -> Option<usize> {
    let digits = text.strip_prefix(['L', 'l']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // More digits than a file has lines still is a number.
    is_number.then(|| digits.parse().unwrap_or(usize::MAX))
}

fn range(text: &str) -> Result<Option<Range>, ToolError> {
    let refuse = |message: String| Err(ToolError::Failed(message));
    let one_indexed = "Line selector 0 is invalid; lines are 1-indexed. Use :1.";
    if let Some(first) = number(text) {
        return match first {
            0 => refuse(one_indexed.to_owned()),
            first => Ok(Some(Range { first, last: None })),
        };
    }
    let two = |mark| text.split_once(mark).and_then(|(a, b)| Some((number(a)?, number(b)?)));
    match (two('-'), two('+')) {
        (Some((0, _)), _) | (_, Some((0, _))) => refuse(one_indexed.to_owned()),
        (Some((first, last)), _) if last < first => refuse(format!(
            "Line range {text} is invalid; its end must be at or after its start. Use :{first}-{first}."
        )),
        (Some((first, last)), _) => Ok(Some(Range { first, last: Some(last) })),
        (_, Some((first, 0))) => refuse(format!(
            "Line range {text} is invalid; the count after + must be at least 1. Use :{first}+1."
        )),
        (_, Some((first, count))) => Ok(Some(Range { first, last: Some(first.saturating_add(count - 1)) })),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, rest: &str, first: Option<(usize, Option<usize>)>, raw: bool) {
        let range = first.map(|(first, last)| Range { first, last });
        assert_eq!(Selection::split(path), Ok((rest, Selection { range, raw })), "{path}");
    }

    #[test]
    fn selectors_are_read_and_everything_else_is_the_path() {
        check("a.rs", "a.rs", None, false);
        check("a.rs:5", "a.rs", Some((5, None)), false);
        check("a.rs:L5", "a.rs", Some((5, None)), false);
        check("a.rs:5-9", "a.rs", Some((5, Some(9))), false);
        check("a.rs:L5-L9", "a.rs", Some((5, Some(9))), false);
        check("a.rs:5-5", "a.rs", Some((5, Some(5))), false);
        check("a.rs:5+3", "a.rs", Some((5, Some(7))), false);
        check("a.rs:L5+L3", "a.rs", Some((5, Some(7))), false);
        check("a.rs:raw", "a.rs", None, true);
        check("a.rs:5-9:raw", "a.rs", Some((5, Some(9))), true);
        check("a.rs:raw:5", "a.rs", Some((5, None)), true);
        check("a:b", "a:b", None, false);
        check("a.zip:x/y", "a.zip:x/y", None, false);
        check("a:5:6", "a:5", Some((6, None)), false);
        check("a:raw:raw", "a:raw", None, true);
        check("a:5-", "a:5-", None, false);
        check("a:RAW", "a:RAW", None, false);
    }

    #[test]
    fn numbers_that_cannot_be_are_refused_with_a_way_out() {
        for (path, says) in [
            ("a:0", "Line selector 0 is invalid; lines are 1-indexed. Use :1."),
            ("a:0-4", "1-indexed"),
            ("a:0+4", "1-indexed"),
            ("a:9-5", "Use :9-9."),
            ("a:9+0", "Use :9+1."),
        ] {
            let error = Selection::split(path).unwrap_err().to_string();
            assert!(error.contains(says), "{path}: {error}");
        }
    }

    #[test]
    fn windows_have_context_on_bounded_sides() {
        let window = |path: &str| Selection::split(path).unwrap().1.window(300);
        assert_eq!(window("a"), (1, 300));
        assert_eq!(window("a:50"), (49, 301));
        assert_eq!(window("a:1-10"), (1, 13));
        assert_eq!(window("a:50-60"), (49, 15));
        assert_eq!(window("a:50-60:raw"), (50, 11));
        assert_eq!(window("a:raw"), (1, MAX_LINES));
        assert_eq!(window("a:1-99999"), (1, MAX_LINES));
        assert_eq!(window("a:99999999999999999999999").0, usize::MAX - 1);
    }
}
