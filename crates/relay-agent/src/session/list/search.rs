//! Full-text search over sessions.
//!
//! Every session is read: there is no index that could be stale, and a gigabyte takes about a second. A line is decoded only
//! if it may have the words, which a search for bytes decides.

use std::path::Path;

use memchr::memmem;
use relay_store::{LOG_LIMIT_BYTES, Sessions, Store};

use super::super::entry::Entry;
use super::super::error::SessionError;
use super::super::shown::{role, searchable};
use super::{SessionInfo, in_parallel, list};

/// How many characters around a hit are shown.
const AROUND_CHARS: usize = 60;

/// An entry that has all the words.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The session.
    pub session: SessionInfo,
    /// The entry.
    pub entry_id: String,
    /// `user`, `assistant` and so on, or the entry's type.
    pub role: String,
    /// When the entry was made.
    pub timestamp: String,
    /// The text around the first word, on one line.
    pub excerpt: String,
}

/// Entries of a project, or of all projects, that have all words of a text, whatever their case: newest sessions first, and
/// in each the newest entries first.
///
/// # Errors
/// The folders cannot be read.
pub fn search(
    store: &Store,
    project: Option<&Path>,
    text: &str,
    limit: usize,
) -> Result<Vec<Hit>, SessionError> {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let sessions = store.sessions();
    let infos = list(store, project)?.sessions;
    let hits = in_parallel(infos, |info| search_one(&sessions, info, &words, limit));
    Ok(hits.into_iter().flatten().take(limit).collect())
}

fn search_one(sessions: &Sessions, info: SessionInfo, words: &[String], limit: usize) -> Vec<Hit> {
    // A session that cannot be read now was deleted, or is about to be reported by whoever opens it.
    let Ok(Some(bytes)) = sessions.read(&info.path, LOG_LIMIT_BYTES) else { return Vec::new() };
    let filter = Filter::new(words);
    let mut hits = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n').rev() {
        if hits.len() >= limit {
            break;
        }
        let Some(line) = std::str::from_utf8(line).ok().filter(|line| filter.may_match(line)) else {
            continue;
        };
        let Ok(entry) = Entry::parse(line) else { continue };
        let text = searchable(&entry);
        if let Some(at) = position(&text, words) {
            hits.push(Hit {
                session: info.clone(),
                entry_id: entry.id().to_owned(),
                role: role(&entry).to_owned(),
                timestamp: entry.timestamp().to_owned(),
                excerpt: excerpt(&text, at),
            });
        }
    }
    hits
}

/// Rules out most lines without decoding them: the longest word that JSON writes as it is, in the two cases of its
/// letters.
struct Filter {
    first: Option<(u8, u8)>,
    rest: Vec<u8>,
}

impl Filter {
    fn new(words: &[String]) -> Self {
        let is_plain = |word: &&String| {
            word.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\' | b'/'))
        };
        let longest = words.iter().filter(is_plain).max_by_key(|word| word.len());
        let Some((first, rest)) = longest.and_then(|word| word.as_bytes().split_first()) else {
            return Self { first: None, rest: Vec::new() };
        };
        Self { first: Some((*first, first.to_ascii_uppercase())), rest: rest.to_vec() }
    }

    fn may_match(&self, line: &str) -> bool {
        let Some((lower, upper)) = self.first else { return true };
        let bytes = line.as_bytes();
        memchr::memchr2_iter(lower, upper, bytes).any(|at| {
            let end = at + 1 + self.rest.len();
            bytes.get(at + 1..end).is_some_and(|found| found.eq_ignore_ascii_case(&self.rest))
        })
    }
}

/// Where the first word is, in characters, if all words are there.
fn position(text: &str, words: &[String]) -> Option<usize> {
    let lower = text.to_lowercase();
    let mut found = words.iter().map(|word| memmem::find(lower.as_bytes(), word.as_bytes()));
    let first = found.next()??;
    found.all(|found| found.is_some()).then(|| lower.get(..first).map_or(0, |before| before.chars().count()))
}

/// The text around a place, on one line.
fn excerpt(text: &str, at: usize) -> String {
    let start = at.saturating_sub(AROUND_CHARS / 2);
    let part: String = text.chars().skip(start).take(AROUND_CHARS * 2).collect();
    let line = part.split_whitespace().collect::<Vec<_>>().join(" ");
    let before = if start > 0 { "…" } else { "" };
    let after = if text.chars().nth(start + AROUND_CHARS * 2).is_some() { "…" } else { "" };
    format!("{before}{line}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_must_be_there_in_any_case() {
        let words = |text: &str| text.split(' ').map(str::to_lowercase).collect::<Vec<_>>();
        let check = |text: &str, query: &str| {
            let words = words(query);
            let line = serde_json::Value::from(text).to_string();
            let found = position(text, &words);
            assert!(found.is_none() || Filter::new(&words).may_match(&line), "the filter lost {query}");
            found
        };
        assert_eq!(check("Fix the Parser", "parser FIX"), Some(8));
        assert_eq!(check("Fix the Parser", "parser tree"), None);
        assert_eq!(check("say \"hi\"\tthere", "\"hi\""), Some(4));
        assert_eq!(check("ÜBER alles", "über"), Some(0));
        assert_eq!(check("C:\\path", "c:\\path"), Some(0));
    }

    #[test]
    fn an_excerpt_is_one_short_line() {
        let text = format!("{}needle\n\nend{}", "a ".repeat(100), " b".repeat(100));
        let shown = excerpt(&text, 200);
        assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains("needle end"), "{shown}");
        assert_eq!(excerpt("short", 0), "short");
    }
}
