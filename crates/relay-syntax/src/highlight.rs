//! Syntax highlighting, as spans with a meaning; the caller chooses the colours.
//!
//! Spans come from each grammar's own highlighting rules. A text that cannot be parsed, is too long or is in an unknown language is
//! plain: showing code must never fail.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use tree_sitter::{Query, QueryCursor, StreamingIterator};

use crate::Language;

/// The longest text that is coloured.
pub const MAX_HIGHLIGHT_BYTES: usize = 1 << 20;

/// What a piece of code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Token {
    Attribute,
    Comment,
    Constant,
    Function,
    Heading,
    Keyword,
    Number,
    Operator,
    Property,
    Punctuation,
    String,
    Tag,
    Type,
    Variable,
}

/// A piece of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Its bytes.
    pub range: Range<usize>,
    /// What it is.
    pub token: Token,
}

/// The rules of a language, kept for the next text.
struct Rules {
    query: Query,
    /// What each capture means.
    tokens: Vec<Option<Token>>,
}

fn rules(language: Language) -> Option<&'static Rules> {
    static CACHE: OnceLock<Mutex<BTreeMap<Language, Option<&'static Rules>>>> = OnceLock::new();
    let mut kept = CACHE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    *kept.entry(language).or_insert_with(|| {
        let query = Query::new(&language.grammar(), &source(language)).ok()?;
        let tokens = query.capture_names().iter().map(|name| token(name)).collect();
        // One for each language, for as long as the program runs.
        Some(Box::leak(Box::new(Rules { query, tokens })))
    })
}

/// The highlighting rules of a grammar. Those of derived languages come after those they build on.
fn source(language: Language) -> String {
    let javascript = tree_sitter_javascript::HIGHLIGHT_QUERY;
    match language {
        Language::Bash => tree_sitter_bash::HIGHLIGHT_QUERY.to_owned(),
        Language::C => tree_sitter_c::HIGHLIGHT_QUERY.to_owned(),
        Language::CSharp => tree_sitter_c_sharp::HIGHLIGHTS_QUERY.to_owned(),
        Language::Cpp => format!("{}\n{}", tree_sitter_c::HIGHLIGHT_QUERY, tree_sitter_cpp::HIGHLIGHT_QUERY),
        Language::Css => tree_sitter_css::HIGHLIGHTS_QUERY.to_owned(),
        Language::Go => tree_sitter_go::HIGHLIGHTS_QUERY.to_owned(),
        Language::Html => tree_sitter_html::HIGHLIGHTS_QUERY.to_owned(),
        Language::Java => tree_sitter_java::HIGHLIGHTS_QUERY.to_owned(),
        Language::JavaScript => format!("{javascript}\n{}", tree_sitter_javascript::JSX_HIGHLIGHT_QUERY),
        Language::Json => tree_sitter_json::HIGHLIGHTS_QUERY.to_owned(),
        Language::Kotlin => KOTLIN.to_owned(),
        Language::Lua => tree_sitter_lua::HIGHLIGHTS_QUERY.to_owned(),
        Language::Markdown => tree_sitter_md::HIGHLIGHT_QUERY_BLOCK.to_owned(),
        Language::Php => tree_sitter_php::HIGHLIGHTS_QUERY.to_owned(),
        Language::Python => tree_sitter_python::HIGHLIGHTS_QUERY.to_owned(),
        Language::Ruby => tree_sitter_ruby::HIGHLIGHTS_QUERY.to_owned(),
        Language::Rust => tree_sitter_rust::HIGHLIGHTS_QUERY.to_owned(),
        Language::Toml => tree_sitter_toml_ng::HIGHLIGHTS_QUERY.to_owned(),
        Language::TypeScript => format!("{javascript}\n{}", tree_sitter_typescript::HIGHLIGHTS_QUERY),
        Language::Tsx => format!(
            "{javascript}\n{}\n{}",
            tree_sitter_javascript::JSX_HIGHLIGHT_QUERY,
            tree_sitter_typescript::HIGHLIGHTS_QUERY
        ),
        Language::Yaml => tree_sitter_yaml::HIGHLIGHTS_QUERY.to_owned(),
    }
}

/// The grammar of Kotlin comes without rules.
const KOTLIN: &str = r#"
(line_comment) @comment
(block_comment) @comment
(string_literal) @string
(multiline_string_literal) @string
(number_literal) @number
(function_declaration name: (identifier) @function)
(class_declaration name: (identifier) @type)
(user_type (identifier) @type)
["fun" "val" "var" "class" "interface" "object" "if" "else" "when" "for" "while" "return" "import" "package" "in" "is" "as" "try" "catch" "finally" "throw"] @keyword
"#;

/// What the name of a capture means: `keyword.control` is a keyword.
fn token(name: &str) -> Option<Token> {
    let token = match name.split('.').next().unwrap_or_default() {
        "attribute" | "annotation" | "decorator" => Token::Attribute,
        "comment" => Token::Comment,
        "constant" | "boolean" | "escape" => Token::Constant,
        "constructor" | "function" | "method" => Token::Function,
        "keyword" | "conditional" | "repeat" | "include" | "exception" | "storageclass" | "preproc"
        | "define" => Token::Keyword,
        "number" | "float" => Token::Number,
        "operator" => Token::Operator,
        "property" | "field" | "label" => Token::Property,
        "punctuation" | "delimiter" => Token::Punctuation,
        "string" | "character" => Token::String,
        "tag" => Token::Tag,
        "type" | "module" | "namespace" => Token::Type,
        "variable" | "parameter" => Token::Variable,
        "text" if name.starts_with("text.title") => Token::Heading,
        "text" if name.starts_with("text.literal") => Token::String,
        "markup" if name.starts_with("markup.heading") => Token::Heading,
        _ => return None,
    };
    Some(token)
}

/// The coloured pieces of a text, in order and without overlap. What is between them is plain.
#[must_use]
pub fn highlight(language: Language, text: &str) -> Vec<Span> {
    if text.len() > MAX_HIGHLIGHT_BYTES {
        return Vec::new();
    }
    let (Some(tree), Some(rules)) = (language.parse(text), rules(language)) else { return Vec::new() };
    let mut found: Vec<(Range<usize>, usize, Token)> = Vec::new();
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(256);
    let mut captures = cursor.captures(&rules.query, tree.root_node(), text.as_bytes());
    while let Some((matched, index)) = captures.next() {
        let Some(capture) = matched.captures.get(*index) else { continue };
        let meaning =
            usize::try_from(capture.index).ok().and_then(|index| rules.tokens.get(index).copied().flatten());
        if let Some(token) = meaning {
            found.push((capture.node.byte_range(), matched.pattern_index, token));
        }
    }
    flatten(found)
}

/// Outer pieces are cut around inner ones; of two for the same piece the later rule wins, as the grammars expect.
fn flatten(mut found: Vec<(Range<usize>, usize, Token)>) -> Vec<Span> {
    found.sort_by(|a, b| {
        (a.0.start, std::cmp::Reverse(a.0.end), a.1).cmp(&(b.0.start, std::cmp::Reverse(b.0.end), b.1))
    });
    let mut spans: Vec<Span> = Vec::new();
    let mut open: Vec<(usize, Token)> = Vec::new();
    let mut at = 0;
    let push = |spans: &mut Vec<Span>, range: Range<usize>, token: Token| {
        if range.start < range.end {
            spans.push(Span { range, token });
        }
    };
    for (range, _, token) in found {
        while let Some((end, outer)) = open.last().copied().filter(|(end, _)| *end <= range.start) {
            push(&mut spans, at.min(end)..end, outer);
            at = at.max(end);
            open.pop();
        }
        if let Some((end, outer)) = open.last().copied() {
            push(&mut spans, at..range.start.max(at), outer);
            at = at.max(range.start);
            // A piece that is the same as the one it is in replaces it.
            if end == range.end && at == range.start {
                open.pop();
            }
        } else {
            at = range.start;
        }
        open.push((range.end, token));
    }
    while let Some((end, outer)) = open.pop() {
        push(&mut spans, at.min(end)..end, outer);
        at = at.max(end);
    }
    spans
}
