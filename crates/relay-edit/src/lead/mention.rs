//! Files that a line of prose names.

use crate::dialect::{is_bare_name, path_of_citation};

/// Endings by which a word is a file's name and not code: `this.ring` is none.
const ENDINGS: &[&str] = &[
    "astro", "bash", "bat", "c", "cc", "cfg", "cjs", "clj", "cmake", "conf", "cpp", "cs", "css", "csv",
    "cts", "cxx", "dart", "diff", "ex", "exs", "env", "erl", "fish", "fs", "go", "gradle", "graphql",
    "groovy", "h", "hbs", "hh", "hpp", "hs", "htm", "html", "hxx", "ini", "ipynb", "java", "jl", "js",
    "json", "json5", "jsonc", "jsx", "kt", "kts", "less", "lock", "lua", "m", "md", "mdx", "mjs", "ml",
    "mli", "mm", "mod", "mts", "nim", "nix", "patch", "php", "pl", "pm", "po", "prisma", "properties",
    "proto", "ps1", "pug", "py", "pyi", "pyx", "r", "rake", "rb", "rs", "rst", "sass", "scala", "scss", "sh",
    "sol", "sql", "styl", "sum", "svelte", "svg", "swift", "tf", "tex", "toml", "ts", "tsv", "tsx", "txt",
    "v", "vb", "vim", "vue", "xml", "xsd", "yaml", "yml", "zig", "zsh", "adoc", "rules", "service", "tmpl",
    "tpl",
];

/// The files a line names, in order: in backticks, emphasised, as a link, or as a plain word that can be nothing else.
pub(crate) fn mentions(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some((before, quoted)) = rest.split_once('`') {
        plain_mentions(before, &mut found);
        let Some((code, after)) = quoted.split_once('`') else {
            rest = "";
            break;
        };
        let code = code.trim();
        let path = path_of_citation(code).unwrap_or(code);
        if is_file_name(path) || is_spaced_file(path) {
            found.push(path.to_owned());
        }
        rest = after;
    }
    plain_mentions(rest, &mut found);
    found.dedup();
    found
}

/// The files that words outside of backticks name. A link is named by its text where that is a path, else by its target.
fn plain_mentions(text: &str, found: &mut Vec<String>) {
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        word_mentions(before, found);
        let parts = link.split_once("](").and_then(|(label, tail)| Some((label, tail.split_once(')')?)));
        match parts {
            Some((label, (target, after))) => {
                let label = label.trim_matches(['*', '_']);
                let path = if is_file_name(label) { label } else { target };
                if is_file_name(path) {
                    found.push(path.to_owned());
                }
                rest = after;
            }
            None => rest = link,
        }
    }
    word_mentions(rest, found);
}

fn word_mentions(text: &str, found: &mut Vec<String>) {
    let is_edge = |c: char| {
        matches!(
            c,
            '*' | '_' | '"' | '\'' | '(' | ')' | '<' | '>' | ',' | ';' | ':' | '!' | '?' | '|' | '“' | '”'
        )
    };
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>')) {
        // A leading `_` or `__` may belong to the name, as in `__init__.py`.
        let word = word.trim_matches(|c: char| is_edge(c) && c != '_').trim_end_matches('.');
        let path = path_of_citation(word).unwrap_or(word);
        let is_plain = path.contains('/') || path.rsplit_once('.').is_some_and(|(stem, _)| !stem.is_empty());
        if is_plain && is_file_name(path) && !is_technology(path) {
            found.push(path.to_owned());
        }
    }
}

/// Whether a word names a file, by its ending or as one of the names that have none. `src/a.ts`, `Makefile`, `.env`;
/// not `e.g.`.
pub(crate) fn is_file_name(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    if word.is_empty()
        || word.contains("://")
        || word.contains(|c: char| {
            c.is_whitespace()
                || matches!(c, '<' | '>' | '|' | '*' | '`' | '"' | '\'' | '(' | ')' | '=' | ';' | ',')
        })
    {
        return false;
    }
    let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        let is_known = ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending));
        is_known && (!stem.is_empty() || word.contains('/')) && !stem.ends_with('.')
    });
    let is_hidden = name.starts_with('.')
        && name.len() > 2
        && name.bytes().skip(1).all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_' || b == b'.');
    has_ending || is_bare_name(name) || is_hidden && !name.starts_with("..")
}

/// A file's name with spaces, which only quotes hold together: `docs/Getting started.md`.
fn is_spaced_file(text: &str) -> bool {
    let ends = text.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending));
    ends && text.contains('/') && text.contains(' ') && !text.contains(['(', '=', ';', '"'])
}

/// Names of programs and libraries that look like files. `Node.js`.
pub(crate) fn is_technology(word: &str) -> bool {
    const NAMES: &[&str] = &[
        "node.js", "vue.js", "next.js", "nuxt.js", "express.js", "react.js", "three.js", "d3.js",
        "socket.io", "p5.js",
    ];
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(word))
}
