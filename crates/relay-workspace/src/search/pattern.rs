//! Patterns as people and models write them.
//!
//! Models copy pieces of code into patterns: `${name}`, `foo(`. Braces that cannot be a repetition are taken as they are, and a
//! pattern with an unbalanced parenthesis is tried once more with its parentheses taken as they are.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::SearchError;

/// Whether capital letters matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Case {
    /// They do.
    #[default]
    Sensitive,
    /// They do not.
    Insensitive,
    /// They do when the pattern has one.
    Smart,
}

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// The pattern: a regular expression, unless `literal`.
    pub pattern: String,
    /// Whether the pattern means itself.
    pub literal: bool,
    /// Whether capital letters matter.
    pub case: Case,
    /// Whether only whole words match.
    pub word: bool,
    /// Whether lines without a match are wanted.
    pub invert: bool,
    /// Whether a match may span lines; nothing means: if the pattern asks for it with a line end or `\n`.
    pub multiline: Option<bool>,
}

impl Query {
    /// A regular expression.
    #[must_use]
    pub fn regex(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), ..Self::default() }
    }

    /// Whether a match may span lines.
    pub(super) fn is_multiline(&self) -> bool {
        let asks = self.pattern.contains('\n') || (!self.literal && self.pattern.contains("\\n"));
        self.multiline.unwrap_or(asks)
    }

    pub(super) fn matcher(&self) -> Result<RegexMatcher, SearchError> {
        if self.literal {
            return self.build(&self.pattern);
        }
        let repaired = escape_braces(&self.pattern);
        match self.build(&repaired) {
            Err(_) if has_unbalanced_parentheses(&repaired) => self.build(&escape_parentheses(&repaired)),
            result => result,
        }
    }

    fn build(&self, pattern: &str) -> Result<RegexMatcher, SearchError> {
        let is_multiline = self.is_multiline();
        let mut builder = RegexMatcherBuilder::new();
        builder
            .fixed_strings(self.literal)
            .case_insensitive(self.case == Case::Insensitive)
            .case_smart(self.case == Case::Smart)
            .word(self.word)
            .multi_line(true)
            .dot_matches_new_line(false)
            .size_limit(32 << 20)
            .dfa_size_limit(64 << 20);
        if !is_multiline {
            builder.line_terminator(Some(b'\n'));
        }
        builder.build(pattern).map_err(|error| SearchError::Pattern(error.to_string()))
    }
}

/// Escapes `{` and `}` where they cannot be `{N}`, `{N,}` or `{N,M}`, nor the name after `\p` or `\x`.
fn escape_braces(pattern: &str) -> String {
    let mut repaired = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern;
    while let Some(next) = rest.chars().next() {
        if next == '\\' {
            let length = 1 + rest.get(1..).and_then(|tail| tail.chars().next()).map_or(0, char::len_utf8);
            let (escape, tail) = rest.split_at(length);
            repaired.push_str(escape);
            rest = tail;
            let takes_name = matches!(escape, "\\p" | "\\P" | "\\x" | "\\u" | "\\U") && rest.starts_with('{');
            if let Some(end) = rest.find('}').filter(|_| takes_name) {
                repaired.push_str(rest.get(..=end).unwrap_or_default());
                rest = rest.get(end + 1..).unwrap_or_default();
            }
        } else if next == '{'
            && let Some(length) = repetition(rest).filter(|_| !repaired.is_empty())
        {
            repaired.push_str(rest.get(..length).unwrap_or_default());
            rest = rest.get(length..).unwrap_or_default();
        } else {
            if matches!(next, '{' | '}') {
                // `${name}`: an end of line before a brace matches nothing, so the dollar is meant as it is, too.
                if next == '{' && repaired.ends_with('$') && !repaired.ends_with("\\$") {
                    repaired.insert(repaired.len() - 1, '\\');
                }
                repaired.push('\\');
            }
            repaired.push(next);
            rest = rest.get(next.len_utf8()..).unwrap_or_default();
        }
    }
    repaired
}

/// The length of a repetition at the beginning of `text`.
fn repetition(text: &str) -> Option<usize> {
    let (inner, _) = text.strip_prefix('{')?.split_once('}')?;
    let (least, most) = inner.split_once(',').unwrap_or((inner, ""));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(least) && (most.is_empty() || is_number(most))).then_some(inner.len() + 2)
}

fn has_unbalanced_parentheses(pattern: &str) -> bool {
    let mut level = 0i64;
    let mut characters = pattern.chars();
    while let Some(next) = characters.next() {
        match next {
            '\\' => {
                characters.next();
            }
            '(' => level += 1,
            ')' => level -= 1,
            _ => {}
        }
        if level < 0 {
            return true;
        }
    }
    level != 0
}

fn escape_parentheses(pattern: &str) -> String {
    let mut escaped = String::with_capacity(pattern.len() + 8);
    let mut characters = pattern.chars();
    while let Some(next) = characters.next() {
        match next {
            '\\' => {
                escaped.push('\\');
                escaped.extend(characters.next());
            }
            '(' | ')' => escaped.extend(['\\', next]),
            _ => escaped.push(next),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_that_are_not_repetitions_are_taken_as_they_are() {
        for (pattern, expect) in [
            ("${platform}", "\\$\\{platform\\}"),
            ("a{2}", "a{2}"),
            ("a{2,}b{1,3}", "a{2,}b{1,3}"),
            ("fn main() {", "fn main() \\{"),
            ("\\p{Greek}\\{x\\}", "\\p{Greek}\\{x\\}"),
            ("{2}", "\\{2\\}"),
            ("\\x{41}", "\\x{41}"),
        ] {
            assert_eq!(escape_braces(pattern), expect);
        }
    }

    #[test]
    fn a_pattern_with_an_open_parenthesis_is_tried_as_text() {
        for pattern in ["foo(", "bar)", "f(x", "a(b)c)"] {
            assert!(Query::regex(pattern).matcher().is_ok(), "{pattern}");
        }
        for pattern in ["[a", "*a", "a**"] {
            let result = Query::regex(pattern).matcher();
            assert!(pattern == "a**" || matches!(result, Err(SearchError::Pattern(_))), "{pattern}");
        }
    }
}
