//! Colours for code: which parts are comments, strings, numbers, keywords, types and calls.
//!
//! This is a lexer for the look of code, not for its meaning: one pass, one table per family of languages, and what it
//! does not know stays plain. [`spans`] is the only entry, so that a grammar can take its place for languages that have
//! one.

use std::ops::Range;

/// What a part of the code is; its letter is the name of the style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Comment,
    Text,
    Number,
    Keyword,
    Type,
    Call,
}

impl Class {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Comment => "hc",
            Self::Text => "hs",
            Self::Number => "hn",
            Self::Keyword => "hk",
            Self::Type => "ht",
            Self::Call => "hf",
        }
    }
}

/// How a family of languages looks.
struct Family {
    names: &'static [&'static str],
    line_comments: &'static [&'static str],
    block_comment: Option<(&'static str, &'static str)>,
    quotes: &'static str,
    keywords: &'static str,
}

const FAMILIES: [Family; 9] = [
    Family {
        names: &["rust", "rs"],
        line_comments: &["//"],
        block_comment: Some(("/*", "*/")),
        quotes: "\"",
        keywords: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while",
    },
    Family {
        names: &["python", "py"],
        line_comments: &["#"],
        block_comment: None,
        quotes: "\"'",
        keywords: "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return self True try while with yield match case",
    },
    Family {
        names: &["javascript", "js", "jsx", "typescript", "ts", "tsx", "mjs", "cjs", "vue", "svelte"],
        line_comments: &["//"],
        block_comment: Some(("/*", "*/")),
        quotes: "\"'`",
        keywords: "abstract any as async await boolean break case catch class const continue debugger default delete do else enum export extends false finally for from function get if implements import in instanceof interface keyof let new null number of private protected public readonly return set static string super switch this throw true try type typeof undefined var void while yield",
    },
    Family {
        names: &[
            "c", "h", "cpp", "cc", "hpp", "c++", "java", "go", "csharp", "cs", "kotlin", "kt", "swift",
            "scala", "php", "dart", "zig", "proto",
        ],
        line_comments: &["//"],
        block_comment: Some(("/*", "*/")),
        quotes: "\"'`",
        keywords: "abstract auto bool boolean break byte case catch chan char class const constexpr continue data default defer delete do double else enum extends extern false final float for fun func function go goto guard if implements import in inline int interface internal is let long map match mut namespace new nil null nullptr object operator override package private protected public range return select short signed sizeof static string struct super switch template this throw throws true try type typedef typename union unsigned using val var virtual void volatile when while",
    },
    Family {
        names: &["bash", "sh", "shell", "zsh", "fish", "console", "dockerfile", "makefile", "make"],
        line_comments: &["#"],
        block_comment: None,
        quotes: "\"'",
        keywords: "case cd do done echo elif else esac exit export fi for function if in local return set shift source then until while FROM RUN COPY CMD ENTRYPOINT ENV WORKDIR ARG",
    },
    Family {
        names: &["json", "jsonc", "json5", "jsonl"],
        line_comments: &["//"],
        block_comment: Some(("/*", "*/")),
        quotes: "\"",
        keywords: "true false null",
    },
    Family {
        names: &["yaml", "yml", "toml", "ini", "conf", "cfg", "env", "properties"],
        line_comments: &["#", ";"],
        block_comment: None,
        quotes: "\"'",
        keywords: "true false null yes no on off",
    },
    Family {
        names: &["sql"],
        line_comments: &["--"],
        block_comment: Some(("/*", "*/")),
        quotes: "\"'`",
        keywords: "ADD ALL ALTER AND AS ASC BEGIN BETWEEN BY CASE COMMIT CREATE DELETE DESC DISTINCT DROP ELSE END EXISTS FROM GROUP HAVING IN INDEX INNER INSERT INTO IS JOIN KEY LEFT LIKE LIMIT NOT NULL ON OR ORDER OUTER PRIMARY RIGHT SELECT SET TABLE THEN UNION UNIQUE UPDATE VALUES VIEW WHEN WHERE WITH add all alter and as asc begin between by case commit create delete desc distinct drop else end exists from group having in index inner insert into is join key left like limit not null on or order outer primary right select set table then union unique update values view when where with",
    },
    Family {
        names: &[
            "css", "scss", "less", "ruby", "rb", "lua", "elixir", "ex", "haskell", "hs", "perl", "pl", "r",
            "html", "xml", "svg",
        ],
        line_comments: &["# ", "-- "],
        block_comment: Some(("/*", "*/")),
        quotes: "\"",
        keywords: "and begin class def do else elsif end false for function if in let local module nil not null or require return self then true unless until when where while yield",
    },
];

/// The longest code that is coloured; more would make a page slow without making it clearer.
const LIMIT_BYTES: usize = 200_000;

/// The coloured parts of the code, in order and without overlap.
pub(super) fn spans(language: &str, code: &str) -> Vec<(Range<usize>, Class)> {
    let name = language.trim().to_ascii_lowercase();
    let family = FAMILIES.iter().find(|family| family.names.contains(&name.as_str()));
    match family.filter(|_| code.len() <= LIMIT_BYTES) {
        Some(family) => Lexer { code, at: 0, spans: Vec::new(), family }.run(),
        None => Vec::new(),
    }
}

/// The language of a file, from its name.
pub(super) fn language_of(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((_, extension)) => extension,
        None => name,
    }
}

struct Lexer<'a> {
    code: &'a str,
    at: usize,
    spans: Vec<(Range<usize>, Class)>,
    family: &'static Family,
}

impl Lexer<'_> {
    fn run(mut self) -> Vec<(Range<usize>, Class)> {
        while let Some(next) = self.rest().chars().next() {
            let start = self.at;
            let class = self.token(next);
            // Whatever a token is, reading goes on after it.
            self.at = self.at.max(start + next.len_utf8());
            if let Some(class) = class {
                self.spans.push((start..self.at, class));
            }
        }
        self.spans
    }

    fn rest(&self) -> &str {
        self.code.get(self.at..).unwrap_or_default()
    }

    /// Moves past a token and says what it is.
    fn token(&mut self, next: char) -> Option<Class> {
        let rest = self.rest();
        if self.family.line_comments.iter().any(|mark| rest.starts_with(mark)) {
            self.at += rest.find('\n').unwrap_or(rest.len());
            return Some(Class::Comment);
        }
        if let Some((open, close)) = self.family.block_comment.filter(|(open, _)| rest.starts_with(open)) {
            let inside = rest.get(open.len()..).unwrap_or_default();
            self.at += open.len() + inside.find(close).map_or(inside.len(), |end| end + close.len());
            return Some(Class::Comment);
        }
        if self.family.quotes.contains(next) {
            self.at += quoted_bytes(rest, next);
            return Some(Class::Text);
        }
        if next.is_ascii_digit() {
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '.' || letter == '_';
            self.at += rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
            return Some(Class::Number);
        }
        if next.is_alphabetic() || next == '_' {
            return self.word();
        }
        None
    }

    fn word(&mut self) -> Option<Class> {
        let rest = self.rest();
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(end)?;
        let is_call = after.starts_with('(') || after.starts_with("!(");
        let is_capital =
            word.chars().next().is_some_and(char::is_uppercase) && word.chars().any(char::is_lowercase);
        let class = if self.family.keywords.split(' ').any(|keyword| keyword == word) {
            Some(Class::Keyword)
        } else if is_call {
            Some(Class::Call)
        } else if is_capital && self.family.names.first() != Some(&"bash") {
            Some(Class::Type)
        } else {
            None
        };
        self.at += end;
        class
    }
}

/// How long a quoted text is. One in single or double quotes ends with its line, so that an apostrophe in prose does not
/// swallow the rest; three quotes end with three.
fn quoted_bytes(text: &str, quote: char) -> usize {
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    if quote != '`' && text.starts_with(&triple) {
        let inside = text.get(3..).unwrap_or_default();
        return 3 + inside.find(&triple).map_or(inside.len(), |end| end + 3);
    }
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if letter == quote => return at + letter.len_utf8(),
            '\n' if quote != '`' => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: &str, code: &str, expected: &[(&str, Class)]) {
        let found: Vec<(&str, Class)> =
            spans(language, code).into_iter().map(|(range, class)| (&code[range], class)).collect();
        assert_eq!(found, expected, "{code}");
    }

    #[test]
    fn code_is_coloured_by_its_look() {
        use Class::{Call, Comment, Keyword, Number, Text, Type};
        check(
            "rust",
            "fn a(x: Vec<u8>) { b!(\"é\\\"\", 0x1f) } // é",
            &[
                ("fn", Keyword),
                ("a", Call),
                ("Vec", Type),
                ("b", Call),
                ("\"é\\\"\"", Text),
                ("0x1f", Number),
                ("// é", Comment),
            ],
        );
        check("PYTHON", "x = '''a\nb''' # it's", &[("'''a\nb'''", Text), ("# it's", Comment)]);
        check("js", "/* a", &[("/* a", Comment)]);
        check("bash", "echo 'open\nls", &[("echo", Keyword), ("'open", Text)]);
        check("unknown", "fn main", &[]);
        check("json", "{\"a\": null}", &[("\"a\"", Text), ("null", Keyword)]);
    }

    #[test]
    fn every_text_is_lexed_to_its_end() {
        for text in ["'", "\"\"\"", "'''", "`\\", "é'é", "/*", "#", "🦀(", "1é"] {
            for family in &FAMILIES {
                let found = spans(family.names[0], text);
                assert!(found.iter().all(|(range, _)| text.get(range.clone()).is_some()), "{text}");
            }
        }
    }

    #[test]
    fn a_file_has_the_language_of_its_name() {
        assert_eq!(["src/a.rs", "Makefile", "C:\\b.py", ""].map(language_of), ["rs", "Makefile", "py", ""]);
    }
}
