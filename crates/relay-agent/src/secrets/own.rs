//! What the user says is secret: telling environment variables, and the entries of `secrets.yml`.
//!
//! An entry is `{ type: plain|regex, content: …, mode: obfuscate|replace, replacement: …, flags: … }`. `obfuscate` puts a
//! placeholder, which returns as the value in a tool's arguments; `replace` is one way. A regular expression may be
//! written `/pattern/flags`. A repository may have such a file too: it can only make Relay mask more.

use std::ops::Range;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;

/// Words at the end of a part of a variable's name that make its value a secret.
const TELLING: [&str; 9] =
    ["KEY", "SECRET", "TOKEN", "PASSWORD", "PASS", "AUTH", "CREDENTIAL", "PRIVATE", "OAUTH"];
/// Last parts of a name that say that the value is something about a secret.
const ABOUT: [&str; 8] = ["SOCK", "PATH", "FILE", "DIR", "URL", "HOME", "ID", "NAME"];
/// Shorter values of variables are ordinary words.
const VALUE_LIMIT_CHARS: usize = 8;
/// Shorter texts of an entry would be found everywhere.
const CONTENT_LIMIT_CHARS: usize = 4;
/// The most entries of a file.
const ENTRIES_LIMIT: usize = 500;
/// How large a compiled expression may be.
const REGEX_LIMIT_BYTES: usize = 1 << 20;

/// What is wrong with a file of entries.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OwnError {
    /// It is not a list of entries.
    #[error("it is not a list of secrets: {reason}")]
    Unreadable {
        /// Why.
        reason: String,
    },
    /// An entry cannot be used.
    #[error("entry {number} cannot be used: {reason}")]
    Entry {
        /// Its number, from one.
        number: usize,
        /// Why.
        reason: String,
    },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(rename = "type")]
    kind: Kind,
    content: String,
    #[serde(default)]
    mode: Mode,
    #[serde(default)]
    replacement: Option<String>,
    #[serde(default)]
    flags: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Plain,
    Regex,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Obfuscate,
    Replace,
}

/// What is looked for, and what becomes of it.
#[derive(Clone)]
struct Pattern {
    regex: Regex,
    /// As it was written, to compare entries.
    content: String,
    mode: Mode,
    replacement: Option<String>,
}

/// What the user says is secret. Its `Debug` shows no pattern: those are the secrets.
#[derive(Clone, Default)]
pub struct Own {
    patterns: Vec<Pattern>,
}

impl std::fmt::Debug for Own {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Own").field("patterns", &self.patterns.len()).finish()
    }
}

impl Own {
    /// Adds the values of variables whose names say that they are secret.
    pub fn add_environment(&mut self, variables: impl IntoIterator<Item = (String, String)>) {
        for (name, value) in variables {
            if is_telling(&name) && value.chars().count() >= VALUE_LIMIT_CHARS {
                self.add(Kind::Plain, &value, "").unwrap_or_default();
            }
        }
    }

    /// Adds the entries of a file. What can be used is used, whatever else is in it.
    pub fn add_file(&mut self, text: &str) -> Vec<OwnError> {
        let entries: Vec<serde_json::Value> = match serde_saphyr::from_str(text) {
            Ok(entries) => entries,
            Err(_) if text.trim().is_empty() => return Vec::new(),
            Err(error) => return vec![OwnError::Unreadable { reason: error.to_string() }],
        };
        let mut errors = Vec::new();
        for (at, value) in entries.into_iter().take(ENTRIES_LIMIT).enumerate() {
            let entry = serde_json::from_value::<Entry>(value).map_err(|error| error.to_string());
            if let Err(reason) = entry.and_then(|entry| self.add_entry(&entry)) {
                errors.push(OwnError::Entry { number: at + 1, reason });
            }
        }
        errors
    }

    fn add_entry(&mut self, entry: &Entry) -> Result<(), String> {
        // The first entry with a content counts, except that one way stays one way.
        if let Some(known) = self.patterns.iter_mut().find(|known| known.content == entry.content) {
            if entry.mode == Mode::Replace {
                known.mode = Mode::Replace;
                known.replacement.clone_from(&entry.replacement);
            }
            return Ok(());
        }
        self.add(entry.kind, &entry.content, &entry.flags)?;
        if let Some(added) = self.patterns.last_mut() {
            added.mode = entry.mode;
            added.replacement.clone_from(&entry.replacement);
        }
        Ok(())
    }

    fn add(&mut self, kind: Kind, content: &str, flags: &str) -> Result<(), String> {
        let (source, flags) = match (kind, literal(content)) {
            (Kind::Plain, _) => (regex::escape(content), String::new()),
            (Kind::Regex, Some((pattern, own))) => (pattern.to_owned(), format!("{own}{flags}")),
            (Kind::Regex, None) => (content.to_owned(), flags.to_owned()),
        };
        if content.chars().count() < CONTENT_LIMIT_CHARS {
            return Err(format!("`content` needs at least {CONTENT_LIMIT_CHARS} characters"));
        }
        if let Some(flag) = flags.chars().find(|flag| !"gimsuy".contains(*flag)) {
            return Err(format!("there is no flag `{flag}`; there are i, m and s"));
        }
        let regex = RegexBuilder::new(&source)
            .case_insensitive(flags.contains('i'))
            .multi_line(flags.contains('m'))
            .dot_matches_new_line(flags.contains('s'))
            .size_limit(REGEX_LIMIT_BYTES)
            .build()
            .map_err(|error| error.to_string())?;
        if regex.is_match("") {
            return Err("it matches everywhere".to_owned());
        }
        let pattern =
            Pattern { regex, content: content.to_owned(), mode: Mode::Obfuscate, replacement: None };
        self.patterns.push(pattern);
        Ok(())
    }

    /// The text with everything replaced that is never to return.
    pub(super) fn replaced(&self, text: &str) -> String {
        let one_way = self.patterns.iter().filter(|pattern| pattern.mode == Mode::Replace);
        one_way.fold(text.to_owned(), |text, pattern| {
            let replaced = pattern.regex.replace_all(&text, |found: &regex::Captures<'_>| {
                let found = found.get(0).map_or("", |found| found.as_str());
                pattern.replacement.clone().unwrap_or_else(|| "*".repeat(found.chars().count()))
            });
            replaced.into_owned()
        })
    }

    /// Where the text has what returns as a value.
    pub(super) fn find(&self, text: &str) -> Vec<Range<usize>> {
        let reversible = self.patterns.iter().filter(|pattern| pattern.mode == Mode::Obfuscate);
        reversible.flat_map(|pattern| pattern.regex.find_iter(text).map(|found| found.range())).collect()
    }
}

/// `/pattern/flags`.
fn literal(content: &str) -> Option<(&str, &str)> {
    let (pattern, flags) = content.strip_prefix('/')?.rsplit_once('/')?;
    (!pattern.is_empty() && flags.chars().all(|flag| flag.is_ascii_lowercase())).then_some((pattern, flags))
}

/// Whether a variable's name says that its value is a secret: a part of it ends with a telling word, and the last part
/// does not say that it is something else.
fn is_telling(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let parts: Vec<&str> = name.split(['_', '-', '.']).collect();
    let tells = |part: &&str| {
        let part = part.strip_suffix('S').filter(|part| !part.ends_with('S')).unwrap_or(part);
        TELLING.iter().any(|word| part.ends_with(word))
    };
    parts.iter().any(tells) && !parts.last().is_some_and(|last| ABOUT.contains(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variables_tell() {
        for name in [
            "GITHUB_TOKEN",
            "OPENAI_API_KEY",
            "db_password",
            "APIKEY",
            "AUTH_HEADER",
            "MY_SECRETS",
            "X_OAUTH",
        ] {
            assert!(is_telling(name), "{name}");
        }
        for name in
            ["PATH", "HOME", "KEYBOARD", "TOKENIZER", "SSH_AUTH_SOCK", "PASSENGER", "AWS_ACCESS_KEY_ID", ""]
        {
            assert!(!is_telling(name), "{name}");
        }
    }

    #[test]
    fn entries_that_cannot_be_used_are_named() {
        let mut own = Own::default();
        let errors = own.add_file(
            "- { type: plain, content: abcd1234 }\n- { type: regex, content: '(' }\n- { type: plain, content: x }\n\
             - { type: regex, content: '.*' }\n- { type: regex, content: '/ab+c/q' }\n- { type: fancy, content: abcd }\n- 7\n",
        );
        let numbers: Vec<usize> = errors
            .iter()
            .map(|error| match error {
                OwnError::Entry { number, .. } => *number,
                OwnError::Unreadable { .. } => 0,
            })
            .collect();
        assert_eq!(numbers, [2, 3, 4, 5, 6, 7], "{errors:#?}");
        assert_eq!(own.find("x abcd1234 y").first(), Some(&(2..10)));
        assert!(!format!("{own:?}").contains("abcd1234"));
        assert!(matches!(own.add_file("a: [")[..], [OwnError::Unreadable { .. }]));
        assert!(own.add_file("").is_empty());
    }
}
