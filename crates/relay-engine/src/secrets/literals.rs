//! Values in a text, with what is before them: string literals anywhere, bare values in files made of settings.
//!
//! No language is parsed. A literal begins and ends on one line, and its name is what is directly before it:
//! `apiKey: string = "…"`, `"password": "…"`, `get("API_KEY", "…")`.

use std::ops::Range;

/// Longer lines are made by machines, and names say little there.
const LINE_LIMIT_BYTES: usize = 20_000;

/// How far before a value its name may begin.
const NAME_LIMIT_BYTES: usize = 80;

/// What kind of file a text is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    /// Every value is private unless it is plainly not.
    Env,
    /// Names and values, without quotes around them.
    Settings,
    /// Programs and prose.
    Code,
    /// Full of hashes and other strings that look random.
    Hashes,
}

impl FileKind {
    pub(super) fn of(name: &str) -> Self {
        let file = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
        let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_sample = ["example", "sample", "template", "dist", "defaults"].contains(&extension);
        if (file.starts_with(".env") || extension == "env" || file == ".dev.vars") && !is_sample {
            return FileKind::Env;
        }
        let locks =
            ["package-lock.json", "pnpm-lock.yaml", "go.sum", "npm-shrinkwrap.json", "packages.lock.json"];
        let noise = [
            "lock", "lockb", "svg", "map", "snap", "sum", "sha256", "sha512", "ipynb", "csv", "patch", "diff",
        ];
        if locks.contains(&file.as_str())
            || noise.contains(&extension)
            || file.ends_with(".min.js")
            || file.ends_with(".min.css")
            || file.starts_with("requirements") && extension == "txt"
        {
            return FileKind::Hashes;
        }
        #[rustfmt::skip]
        const SETTINGS: &[&str] = &[
            "yaml", "yml", "ini", "cfg", "conf", "config", "properties", "toml", "tfvars", "sh", "bash",
            "zsh", "fish", "netrc", "npmrc", "pypirc", "pgpass", "service", "xml", "plist", "credentials",
            "env", "sample",
        ];
        let is_settings = SETTINGS.contains(&extension)
            || is_sample
            || matches!(
                file.as_str(),
                ".npmrc" | ".pypirc" | ".netrc" | "credentials" | "dockerfile" | "makefile"
            );
        if is_settings { FileKind::Settings } else { FileKind::Code }
    }

    const fn has_bare_values(self) -> bool {
        matches!(self, FileKind::Env | FileKind::Settings)
    }
}

/// A value, and what is before it.
#[derive(Debug)]
pub(super) struct Literal<'t> {
    /// What names it: at most one literal and some identifiers, with the signs between them.
    pub name: &'t str,
    /// The value, without its quotes.
    pub value: &'t str,
    /// Where the value is in the text.
    pub range: Range<usize>,
    /// How long its line is.
    pub line_bytes: usize,
}

/// Every value of the text.
pub(super) fn literals(kind: FileKind, text: &str) -> Vec<Literal<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.len() <= LINE_LIMIT_BYTES {
            let quoted = quoted(line);
            if quoted.is_empty() && kind.has_bare_values() {
                found.extend(bare(line).map(|(name, value)| literal(line, start, name, value)));
            }
            let mut previous: Option<Range<usize>> = None;
            for value in quoted {
                let name = name_before(line, previous.as_ref(), value.start);
                found.push(literal(line, start, name, value.clone()));
                previous = Some(value);
            }
        }
        start += line.len();
    }
    found
}

fn literal(line: &str, start: usize, name: Range<usize>, value: Range<usize>) -> Literal<'_> {
    Literal {
        name: line.get(name).unwrap_or_default(),
        value: line.get(value.clone()).unwrap_or_default(),
        range: start + value.start..start + value.end,
        line_bytes: line.len(),
    }
}

/// The insides of the string literals of a line. A quote without a second one is an apostrophe.
fn quoted(line: &str) -> Vec<Range<usize>> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(quote) = bytes.get(at) {
        at += 1;
        if !matches!(quote, b'"' | b'\'' | b'`') {
            continue;
        }
        let mut end = at;
        while bytes.get(end).is_some_and(|byte| byte != quote) {
            end += if bytes.get(end) == Some(&b'\\') { 2 } else { 1 };
        }
        if end < bytes.len() {
            found.push(at..end);
            at = end + 1;
        }
    }
    found
}

/// What names a literal: the identifiers before it, or the literal before it where nothing but signs lies between.
fn name_before(line: &str, previous: Option<&Range<usize>>, value: usize) -> Range<usize> {
    let from = previous.map_or(0, |previous| previous.end + 1);
    let gap = line.get(from..value).unwrap_or_default();
    let says_nothing = |word: &str| word.is_empty() || matches!(word, "value" | "default" | "content");
    let is_signs = gap.split(|c: char| !c.is_alphanumeric()).all(says_nothing) && !gap.contains(';');
    let start = match previous {
        Some(previous) if is_signs => previous.start,
        _ => from,
    };
    // What is in another statement names something else.
    let statement = line.get(..value).and_then(|before| before.rfind(['{', '}', ';'])).map_or(0, |at| at + 1);
    let mut start = start.max(statement.max(value.saturating_sub(NAME_LIMIT_BYTES)));
    while !line.is_char_boundary(start) {
        start += 1;
    }
    start..value
}

/// `name = value`, `name: value` or `<name>value</name>` on a line without quotes.
fn bare(line: &str) -> Option<(Range<usize>, Range<usize>)> {
    let text = line.trim_end();
    if text.trim_start().starts_with(['#', ';']) || text.trim_start().starts_with("//") {
        return None;
    }
    let (name, mut value) = text.split_once(['=', '>']).or_else(|| text.split_once(": "))?;
    value = value.split_once(" #").map_or(value, |(value, _)| value);
    value = value.split_once("</").map_or(value, |(value, _)| value);
    let start =
        name.len() + text.get(name.len()..).map_or(0, |rest| if rest.starts_with(": ") { 2 } else { 1 });
    let lead = value.len() - value.trim_start().len();
    let value = value.trim();
    (!value.is_empty()).then_some((0..name.len(), start + lead..start + lead + value.len()))
}
