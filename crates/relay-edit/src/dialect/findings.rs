//! What is said about a reply while it is read, of which only the first findings are listed.
//!
//! Otherwise a reply that is wrong in every line would cost many times its size, and thousands of reasons help no one.

use crate::{Diagnostic, codes};

/// How many errors, and how many warnings, about the reading of one reply are listed.
const LISTED: usize = 200;

/// How much of a path is kept with each finding.
const LONGEST_PATH: usize = 8_192;

/// Findings in the order in which they were made.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    listed: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Findings {
    /// Adds a finding, or counts it.
    pub fn push(&mut self, finding: Diagnostic) {
        let count = if finding.is_error() { &mut self.errors } else { &mut self.warnings };
        *count += 1;
        if *count <= LISTED {
            self.listed.push(finding);
        }
    }

    /// Adds findings that were collected elsewhere.
    pub fn extend(&mut self, others: Self) {
        let listed_errors = others.listed.iter().filter(|finding| finding.is_error()).count();
        let listed_warnings = others.listed.len() - listed_errors;
        others.listed.into_iter().for_each(|finding| self.push(finding));
        self.errors += others.errors - listed_errors;
        self.warnings += others.warnings - listed_warnings;
    }

    /// Whether there is anything to say.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Whether any finding refuses the reply.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// The lines of the reply in which something is wrong, of those that are listed.
    pub fn error_lines(&self) -> impl Iterator<Item = usize> + '_ {
        self.listed.iter().filter(|finding| finding.is_error()).filter_map(|finding| finding.line)
    }

    /// Names the file that all findings without one concern. No path may be as long as one that is cut here.
    pub fn concern(&mut self, path: &str) {
        let path = path.get(..path.floor_char_boundary(LONGEST_PATH)).unwrap_or(path);
        for finding in &mut self.listed {
            finding.path.get_or_insert_with(|| path.to_owned());
        }
    }

    /// The findings by their line in the reply; the last one says how many are not listed.
    pub fn into_list(self) -> Vec<Diagnostic> {
        let mut list = self.listed;
        list.sort_by_key(|finding| finding.line);
        let hint = "read the prompt for this format again and rewrite the reply";
        if let Some(more) = self.errors.checked_sub(LISTED + 1) {
            let message = format!("… and {} more errors in this reply", more + 1);
            list.push(Diagnostic::error(codes::NOT_LISTED, message).hinted(hint));
        }
        if let Some(more) = self.warnings.checked_sub(LISTED + 1) {
            let message = format!("… and {} more warnings about this reply", more + 1);
            list.push(Diagnostic::warning(codes::NOT_LISTED, message).hinted(hint));
        }
        list
    }
}

/// What a tag opens in a line of the reply goes on to its end.
pub(crate) fn never_closed(tag: &str, hint: String, line: usize) -> Diagnostic {
    let message = format!("`{tag}` is never closed: the reply seems cut off");
    Diagnostic::error(codes::UNCLOSED_BLOCK, message).hinted(hint).at(line)
}

/// The first characters of a line, for showing it.
pub(crate) fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_that_are_not_listed_are_counted() {
        let mut all = Findings::default();
        for _ in 0..3 {
            let mut some = Findings::default();
            for line in 0..LISTED {
                some.push(Diagnostic::error(codes::BAD_DIFF, "wrong").at(line));
                some.push(Diagnostic::warning(codes::NOT_RUN, "not run").at(line));
            }
            some.push(Diagnostic::error(codes::BAD_DIFF, "wrong"));
            all.extend(some);
        }
        assert!(all.has_errors());
        let list = all.into_list();
        assert_eq!(list.len(), 2 * LISTED + 2);
        let last: Vec<&str> = list.iter().skip(2 * LISTED).map(|finding| finding.message.as_str()).collect();
        assert_eq!(last, ["… and 403 more errors in this reply", "… and 400 more warnings about this reply"]);
    }
}
