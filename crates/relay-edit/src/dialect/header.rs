//! The header of a fenced block: `[language] // {path} [strategy]` after the opening fence.
//!
//! Nothing here decides what happens to a path; it only reads what was written.

use super::citation;
use super::path_line::unquoted;
use crate::lead::is_technology;
use crate::suggest::nearest;

/// How the content of a block is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// The whole, final text of the file.
    Replace,
    /// A unified diff.
    Unified,
    /// SEARCH/REPLACE sections.
    SearchReplace,
}

/// The strategies by every name they go by; the first of each is the documented one.
const STRATEGIES: &[(&str, Strategy)] = &[
    ("replace", Strategy::Replace),
    ("new-unified", Strategy::Unified),
    ("multi-search-replace", Strategy::SearchReplace),
    ("standard-diff", Strategy::Unified),
    ("unified", Strategy::Unified),
    ("search-replace", Strategy::SearchReplace),
];

/// What is in the place of the path where a file is renamed.
const RENAME: &str = "rename-file";

/// What the info string of a fence says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Header {
    /// A file operation.
    Block {
        /// The language, if one was named.
        language: String,
        /// The path as written, without braces and quotes.
        path: String,
        /// The strategy; `None` when it was left out.
        strategy: Option<Strategy>,
    },
    /// A rename block.
    Rename,
    /// Meant as a file operation, with a strategy that does not exist.
    UnknownStrategy {
        /// The path as written.
        path: String,
        /// What is where the strategy should be.
        found: String,
    },
    /// Meant as a file operation, and not readable as one.
    Broken(&'static str),
    /// Has the separator of a file operation, followed by what is hardly a path.
    Doubtful,
    /// Plain code.
    Prose {
        /// The language, if one was named.
        language: String,
        /// A path somewhere in the info string, such as `title="src/a.ts"`.
        path: Option<String>,
    },
}

/// Reads an info string.
pub(crate) fn parse(info: &str) -> Header {
    let Some((language, rest)) = split_at_separator(info) else {
        return prose(info);
    };
    if rest == RENAME {
        return Header::Rename;
    }
    if RENAME.starts_with(rest) {
        return Header::Broken("it ends too early");
    }
    let (path, explicit, rest) = match read_path(rest) {
        Ok(found) => found,
        Err(why) => return Header::Broken(why),
    };
    if citation::path(&path).is_some() {
        return Header::Broken("it names lines of a file, and a block is about the whole of one");
    }
    if !explicit && !looks_like_path(&path) {
        return Header::Doubtful;
    }
    let strategy = match rest.trim() {
        "" => None,
        word => match STRATEGIES.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)) {
            Some((_, strategy)) => Some(*strategy),
            None => return Header::UnknownStrategy { path, found: word.to_owned() },
        },
    };
    Header::Block { language: language.to_owned(), path, strategy }
}

/// Reads an info string without a separator: ```` ```ts src/a.ts ````, `src/a.ts`, `ts:src/a.ts`, `ts title="src/a.ts"`.
fn prose(info: &str) -> Header {
    let mut words = info.split_whitespace();
    let first = words.next().unwrap_or_default();
    let plain = |language: &str| Header::Prose { language: language.to_owned(), path: None };
    let found = |language: &str, path: &str| Header::Prose {
        language: language.to_owned(),
        path: Some(path.to_owned()),
    };
    if let Some((language, path)) = first.split_once(':')
        && looks_like_path(path)
    {
        return found(language, path);
    }
    if let Some(attributes) = info.get(first.len()..).filter(|rest| rest.contains('=')) {
        for name in ["title", "file", "filename", "path", "name"] {
            if let Some(path) = attribute(attributes, name).filter(|path| looks_like_path(path)) {
                return found(first, path);
            }
        }
        return plain(first);
    }
    match (words.next(), words.next()) {
        (None, _)
            if first.contains(['/', '\\', '.']) && looks_like_path(first) && !first.contains([',', '{']) =>
        {
            let language = first.rsplit('.').next().unwrap_or_default();
            if language.starts_with(|c: char| c.is_ascii_alphabetic()) {
                found(language, first)
            } else {
                plain(first)
            }
        }
        (Some(path), None) if looks_like_path(path) && !path.starts_with(['{', '[']) => found(first, path),
        _ => plain(first),
    }
}

/// The value of `name="value"` or `name=value`.
fn attribute<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("{name}="))?;
    match rest.chars().next().filter(|quote| matches!(quote, '"' | '\'')) {
        Some(quote) => rest.strip_prefix(quote)?.split(quote).next(),
        None => rest.split([' ', '}', ',']).next(),
    }
}

/// The hint for an unknown strategy.
pub(crate) fn strategy_hint(found: &str) -> String {
    let list = "use `replace` (or nothing), `new-unified` or `multi-search-replace`";
    if found.contains(char::is_whitespace) || found.contains('.') {
        return format!("{list}; a path with spaces needs quotes or braces: {{path with spaces.ts}}");
    }
    match nearest(found, STRATEGIES.iter().map(|(name, _)| *name)) {
        Some(name) => format!("did you mean `{name}`? Otherwise {list}"),
        None => list.to_owned(),
    }
}

/// Splits `ts // rest` and `py # rest`; the separator is a word of its own or is directly before the path.
fn split_at_separator(info: &str) -> Option<(&str, &str)> {
    let starts =
        std::iter::once(0).chain(info.match_indices(char::is_whitespace).map(|(at, space)| at + space.len()));
    for start in starts {
        let tail = info.get(start..)?;
        let after = tail.strip_prefix("//").or_else(|| tail.strip_prefix('#'));
        if let Some(rest) = after.filter(|rest| !rest.starts_with(['#', '!'])) {
            return Some((info.get(..start)?.trim(), rest.trim()));
        }
    }
    None
}

/// Takes the path off the front: the path, whether braces or quotes mark it as one, and what follows.
fn read_path(text: &str) -> Result<(String, bool, &str), &'static str> {
    if let Some(inner) = text.strip_prefix('{') {
        let (path, rest) = inner.split_once('}').ok_or("the brace before the path is never closed")?;
        let path = unquoted(path.trim());
        // The square brackets of the format's own description are sometimes copied with it.
        let path = path.strip_prefix('[').and_then(|path| path.strip_suffix(']')).unwrap_or(path);
        return if path.is_empty() {
            Err("the braces hold no path")
        } else {
            Ok((path.to_owned(), true, rest))
        };
    }
    for quote in ['"', '\'', '`'] {
        if let Some(inner) = text.strip_prefix(quote) {
            let (path, rest) = inner.split_once(quote).ok_or("the quote before the path is never closed")?;
            return if path.is_empty() {
                Err("the quotes hold no path")
            } else {
                Ok((path.to_owned(), true, rest))
            };
        }
    }
    let (path, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    Ok((unquoted(path).to_owned(), false, rest))
}

/// Names of files that have no dot.
const BARE_NAMES: &[&str] = &[
    "Makefile", "Dockerfile", "Containerfile", "Justfile", "justfile", "Rakefile", "Gemfile", "Procfile",
    "Vagrantfile", "Jenkinsfile", "Brewfile", "Caddyfile", "Tiltfile", "Pipfile", "LICENSE", "LICENCE",
    "README", "CHANGELOG", "CODEOWNERS", "AUTHORS", "NOTICE", "VERSION", "COPYING", "WORKSPACE", "BUILD",
    "makefile", "GNUmakefile",
];

/// Whether a word is one of the file names that have no ending. `Makefile`.
pub(crate) fn is_bare_name(name: &str) -> bool {
    BARE_NAMES.contains(&name)
}

/// Whether what looks like the path of a new file may as well be a title: `Input/Output`, `v1.2`, `Node.js`.
pub(crate) fn may_be_title(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    if BARE_NAMES.contains(&name) || name.starts_with('.') {
        return false;
    }
    name.rsplit_once('.').is_none_or(|(_, extension)| {
        extension.bytes().all(|byte| byte.is_ascii_digit())
            || ["com", "org", "net", "x", "y"].iter().any(|end| end.eq_ignore_ascii_case(extension))
            || is_technology(path)
    })
}

/// Whether a word without braces or quotes is more likely a path than an English word. `src/a.ts`, `a.ts`, `Makefile`;
/// not `e.g.`, `https://x.org`.
pub(crate) fn looks_like_path(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    if word.is_empty()
        || word.contains("://")
        || word.ends_with(['.', ',', ':', ';', '!', '?'])
        || word.contains(['<', '>', '|', '*', '`', '"'])
        || citation::path(word).is_some()
    {
        return false;
    }
    if BARE_NAMES.contains(&name) {
        return true;
    }
    if word.contains(['/', '\\']) && !name.is_empty() {
        return true;
    }
    match name.rsplit_once('.') {
        Some((_, extension)) => {
            !extension.is_empty()
                && extension.len() <= 12
                && extension.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(info: &str, path: &str, strategy: Option<Strategy>) {
        match parse(info) {
            Header::Block { path: found, strategy: found_strategy, .. } => {
                assert_eq!((found.as_str(), found_strategy), (path, strategy), "{info}");
            }
            other => panic!("{info}: {other:?}"),
        }
    }

    #[test]
    fn reads_every_way_to_write_a_path() {
        check("typescript // {src/a.ts}", "src/a.ts", None);
        check("typescript // {src/a.ts} replace", "src/a.ts", Some(Strategy::Replace));
        check("// {src/a.ts} new-unified", "src/a.ts", Some(Strategy::Unified));
        check("diff // src/a.ts standard-diff", "src/a.ts", Some(Strategy::Unified));
        check("py # src/a.py multi-search-replace", "src/a.py", Some(Strategy::SearchReplace));
        check("ts // \"my dir/a b.ts\" unified", "my dir/a b.ts", Some(Strategy::Unified));
        check("ts // 'my dir/a b.ts'", "my dir/a b.ts", None);
        check("ts // {\"my dir/a b.ts\"} search-replace", "my dir/a b.ts", Some(Strategy::SearchReplace));
        check("ts // {my dir/a b.ts}", "my dir/a b.ts", None);
        check("ts //{src/a.ts}", "src/a.ts", None);
        check("// {[src/a.ts]}", "src/a.ts", None);
        check("make // Makefile", "Makefile", None);
        check("// {LICENCE2}", "LICENCE2", None);
        check("ts // {src/a.ts} REPLACE", "src/a.ts", Some(Strategy::Replace));
    }

    #[test]
    fn tells_blocks_from_plain_code() {
        let prose = |language: &str, path: Option<&str>| Header::Prose {
            language: language.into(),
            path: path.map(Into::into),
        };
        assert_eq!(parse("bash"), prose("bash", None));
        assert_eq!(parse("ts {1,3}"), prose("ts", None));
        assert_eq!(parse("rust,ignore"), prose("rust,ignore", None));
        assert_eq!(parse("ts src/a.ts"), prose("ts", Some("src/a.ts")));
        assert_eq!(parse("src/a.ts"), prose("ts", Some("src/a.ts")));
        assert_eq!(parse("ts:src/a.ts"), prose("ts", Some("src/a.ts")));
        assert_eq!(parse("ts title=\"src/a.ts\" {1}"), prose("ts", Some("src/a.ts")));
        assert_eq!(parse("js // example"), Header::Doubtful);
        assert_eq!(parse("c#"), prose("c#", None));
        assert_eq!(parse("json // rename-file"), Header::Rename);
        assert!(matches!(parse("ts // {src/a.ts"), Header::Broken(_)));
        assert!(matches!(parse("ts // {}"), Header::Broken(_)));
    }

    #[test]
    fn an_unknown_strategy_is_reported_with_a_suggestion() {
        assert_eq!(
            parse("ts // {a.ts} new-unifed"),
            Header::UnknownStrategy { path: "a.ts".into(), found: "new-unifed".into() }
        );
        assert!(strategy_hint("new-unifed").contains("did you mean `new-unified`"));
        assert!(strategy_hint("file.ts").contains("spaces"));
    }
}
