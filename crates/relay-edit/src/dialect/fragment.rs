//! The last line of a reply, where it may be only the beginning of one.
//!
//! A reply without a newline at its end is mostly whole: the newline was lost on the way. It is cut off where the last line
//! opens a bracket or a string that nothing in the same edit closes, as `x = call(1, "a` does.

use super::findings::shorten;
use crate::matcher::{Balance, balance, sum};
use crate::{Diagnostic, codes};

/// Whether the last new line of an edit is only the beginning of one, by what is removed and what is added. `x =
/// call(1, "a`.
pub(super) fn is_one(last: &str, removed: &[&str], added: &[&str]) -> bool {
    let opened = |texts: &[&str]| texts.iter().map(|text| balance(text.as_bytes())).fold([0; 3], sum);
    let more: Balance = sum(opened(added), opened(removed).map(|count| -count));
    let opens = balance(last.as_bytes()).into_iter().zip(more).any(|(last, more)| last > 0 && more > 0);
    opens || has_odd_quotes(&[last]) && has_odd_quotes(added) != has_odd_quotes(removed)
}

/// `x = "a`.
fn has_odd_quotes(texts: &[&str]) -> bool {
    texts.iter().flat_map(|text| text.bytes()).filter(|byte| *byte == b'"').count() % 2 == 1
}

/// What to say of the line.
pub(super) fn finding(text: &str, line: usize) -> Diagnostic {
    let message = format!(
        "`{}` opens what nothing closes, and the text ends there: the reply seems cut off",
        shorten(text)
    );
    let hint =
        "send this hunk again to its end, and what was still to come; if it is whole, end its last line";
    Diagnostic::error(codes::UNCLOSED_BLOCK, message).hinted(hint).at(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(diff: &str, expected: bool) {
        let signed = |sign: char| diff.lines().filter_map(|line| line.strip_prefix(sign)).collect::<Vec<_>>();
        let added = signed('+');
        let last = added.last().expect("a new line");
        assert_eq!(is_one(last, &signed('-'), &added), expected, "{diff}");
    }

    #[test]
    fn a_line_that_leaves_something_open_is_one() {
        check("-a = f(1)\n+a = g(1, \"he", true);
        check("-a = f(1)\n+a = g(1", true);
        check("-say(\"a\")\n+say \"b", true);
        check("+fn a() {\n+    b();\n+fn c() {", true);
    }

    #[test]
    fn what_the_old_lines_leave_open_too_is_whole() {
        check("-if a {\n+if b {", false);
        check("-a = f(1)\n+a = g", false);
        check("-x = \"\"\"\n+y = \"\"\"", false);
        check("+}\n+if b {", false);
    }
}
