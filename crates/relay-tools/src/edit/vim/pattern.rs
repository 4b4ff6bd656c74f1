//! Vim's patterns, as the regular expressions they mean.
//!
//! What is special is as with `magic`: `.`, `*`, `[…]`, `^`, `$` by themselves, everything else after a backslash; `\v` makes
//! most signs special. Patterns stay within a line.

use regex::{Regex, RegexBuilder};

/// The longest program a pattern may become.
const SIZE_BYTES: usize = 1 << 20;

/// Reads a pattern; why it cannot be read, otherwise.
pub fn pattern(text: &str, ignore_case: bool) -> Result<Regex, String> {
    let translated = Translated::of(text)?;
    RegexBuilder::new(&translated.expression)
        .case_insensitive(translated.ignore_case.unwrap_or(ignore_case))
        .size_limit(SIZE_BYTES)
        .build()
        .map_err(|error| format!("cannot read the pattern `{text}`: {error}"))
}

#[derive(Debug, Default)]
struct Translated {
    expression: String,
    ignore_case: Option<bool>,
}

impl Translated {
    fn of(text: &str) -> Result<Self, String> {
        let mut done = Self::default();
        let mut very = false;
        let mut rest = text.chars().peekable();
        // At the beginning of a pattern or a branch `^` and `*` mean something else than after an atom.
        let mut at_start = true;
        while let Some(c) = rest.next() {
            let started = std::mem::replace(&mut at_start, false);
            let escaped = c == '\\';
            let c = if escaped { rest.next().unwrap_or('\\') } else { c };
            match (escaped, c) {
                (true, 'v') => (very, at_start) = (true, started),
                (true, 'm') => (very, at_start) = (false, started),
                (true, 'c') => (done.ignore_case, at_start) = (Some(true), started),
                (true, 'C') => (done.ignore_case, at_start) = (Some(false), started),
                (false, '*') if started => done.literal('*'),
                (false, '*' | '.') => done.expression.push(c),
                (false, '[') => done.set(&mut rest),
                (false, '^') if started => {
                    done.expression.push('^');
                    at_start = true;
                }
                (false, '$') if ends_branch(&rest) => done.expression.push('$'),
                (_, '(') if escaped != very => {
                    done.expression.push('(');
                    at_start = true;
                }
                (_, ')') if escaped != very => done.expression.push(')'),
                (_, '|') if escaped != very => {
                    done.expression.push('|');
                    at_start = true;
                }
                (_, '+' | '?') if escaped != very => done.expression.push(c),
                (_, '=') if escaped != very => done.expression.push('?'),
                (_, '{') if escaped != very => done.repeats(&mut rest)?,
                (_, '<') if escaped != very => done.expression.push_str(r"\b{start}"),
                (_, '>') if escaped != very => done.expression.push_str(r"\b{end}"),
                (true, c) => done.escape(c)?,
                (false, c) => done.literal(c),
            }
        }
        Ok(done)
    }

    fn literal(&mut self, c: char) {
        self.expression.push_str(&regex::escape(&c.to_string()));
    }

    fn escape(&mut self, c: char) -> Result<(), String> {
        let class = match c {
            's' => "[ \\t]",
            'S' => "[^ \\t]",
            'd' => "[0-9]",
            'D' => "[^0-9]",
            'w' => "[0-9A-Za-z_]",
            'W' => "[^0-9A-Za-z_]",
            'a' => "[A-Za-z]",
            'l' => "[a-z]",
            'u' => "[A-Z]",
            'x' => "[0-9A-Fa-f]",
            'h' => "[A-Za-z_]",
            't' => "\\t",
            'e' => "\\x1b",
            'n' | '_' | 'z' | '@' | '%' | '&' | '1'..='9' => {
                return Err(format!("`\\{c}` is not understood in patterns"));
            }
            c => {
                self.literal(c);
                return Ok(());
            }
        };
        self.expression.push_str(class);
        Ok(())
    }

    /// `[a-z]`; a bracket that is not closed means itself.
    fn set(&mut self, rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
        let ahead: String = rest.clone().collect();
        let body = ahead.strip_prefix('^').unwrap_or(&ahead);
        let offset = ahead.len() - body.len();
        let first = body.chars().next().map_or(0, char::len_utf8);
        let Some(end) = body.get(first..).and_then(|body| body.find(']')).map(|end| end + first + offset)
        else {
            self.literal('[');
            return;
        };
        self.expression.push('[');
        let inside = ahead.get(..end).unwrap_or_default();
        for (at, c) in inside.char_indices() {
            match c {
                '^' if at == 0 => self.expression.push('^'),
                '\\' | '-' => self.expression.push(c),
                c => self.expression.push_str(&regex::escape(&c.to_string())),
            }
        }
        self.expression.push(']');
        for _ in 0..=inside.chars().count() {
            rest.next();
        }
    }

    /// `\{2,3}`, with `-` for as few as possible.
    fn repeats(&mut self, rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<(), String> {
        let mut inside = String::new();
        loop {
            match rest.next() {
                Some('}') => break,
                Some('\\') if rest.peek() == Some(&'}') => {}
                Some(c) if c.is_ascii_digit() || c == ',' || c == '-' => inside.push(c),
                _ => return Err("`\\{` has no `}`".to_owned()),
            }
        }
        let (counts, lazy) = match inside.strip_prefix('-') {
            Some(counts) => (counts, "?"),
            None => (inside.as_str(), ""),
        };
        let counts = match counts {
            "" | "," => "*".to_owned(),
            counts if counts.starts_with(',') => format!("{{0{counts}}}"),
            counts => format!("{{{counts}}}"),
        };
        self.expression.push_str(&counts);
        self.expression.push_str(lazy);
        Ok(())
    }
}

/// Whether a pattern or one of its branches ends here.
fn ends_branch(rest: &std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    let ahead: String = rest.clone().take(2).collect();
    ahead.is_empty() || matches!(ahead.as_str(), "\\|" | "\\)") || ahead.starts_with(['|', ')'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: &str, text: &str, found: &str) {
        let regex = pattern(written, false).unwrap();
        assert_eq!(regex.find(text).map_or("", |found| found.as_str()), found, "{written}");
    }

    #[test]
    fn patterns_mean_what_they_mean_in_vim() {
        check("a+", "aa+", "a+");
        check(r"a\+", "baa", "aa");
        check(r"\(ab\)\{2}", "xababab", "abab");
        check(r"\<in\>", "begin in", "in");
        check(r"[a-c]x", "bx", "bx");
        check("^*a", "*a", "*a");
        check("a$b", "a$b", "a$b");
        check("b$", "ab", "b");
        check(r"\vfoo|ba(r|z)+", "barz", "barz");
        check(r"\cABC", "xabc", "abc");
        check("a.c(", "abc(", "abc(");
        check(r"x\=y", "y", "y");
        check("[", "a[b", "[");
        assert!(pattern(r"\(a", false).is_err() && pattern(r"\1", false).is_err());
    }
}
