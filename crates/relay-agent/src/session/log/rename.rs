//! The name of a session.

use serde_json::Value;

use super::super::body::{Body, Kind};
use super::super::document::Document;
use super::super::entry::Entry;
use super::super::error::SessionError;
use super::super::header::TitleSource;
use super::SessionLog;

/// The longest name.
const NAME_CHARS: usize = 200;

impl SessionLog {
    /// The session's name, whichever program gave it: pi adds an entry, oh-my-pi keeps a line before the header, others
    /// write it into the header.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        name_of(&self.document)
    }

    /// Names the session; whether it did. An automatic name never replaces one that the user chose, and a name without a
    /// visible character is none.
    ///
    /// # Errors
    /// The session cannot be written; then it has its old name.
    pub fn set_name(&mut self, name: &str, source: TitleSource) -> Result<bool, SessionError> {
        let name = clean(name);
        let is_users = self.document.header.title_source() == Some(TitleSource::User);
        if name.is_empty() || (source == TitleSource::Auto && is_users) {
            return Ok(false);
        }
        let mut document = self.document.clone();
        document.header.set_title(&name, source);
        rename_elsewhere(&mut document, &name);
        self.replace_document(document)?;
        Ok(true)
    }
}

/// The name of a session.
pub(crate) fn name_of(document: &Document) -> Option<String> {
    let last = document.entries.iter().rev().find(|entry| entry.kind() == Kind::SessionInfo);
    if let Some(Body::SessionInfo(info)) = last.map(Entry::body) {
        return info.name.as_deref().map(clean).filter(|name| !name.is_empty());
    }
    let title = document.title_line().and_then(|line| line.get("title").and_then(Value::as_str).map(clean));
    title
        .filter(|title| !title.is_empty())
        .or_else(|| document.header.title().map(clean).filter(|title| !title.is_empty()))
}

/// Names the session also where the program that wrote it looks first.
fn rename_elsewhere(document: &mut Document, name: &str) {
    document.set_title_line(name);
    let last = document.entries.iter_mut().rev().find(|entry| entry.kind() == Kind::SessionInfo);
    if let Some(entry) = last {
        // A line that cannot be read as a whole keeps its name; the header has the new one.
        if let Ok(renamed) = entry.patched(|object| drop(object.insert("name".to_owned(), name.into()))) {
            *entry = renamed;
        }
    }
}

/// A name on one line, without control characters.
fn clean(name: &str) -> String {
    let visible: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(NAME_CHARS).collect()
}

/// A session's name from a plan's title: runs of `-` and `_` become one blank, the first letter upper case.
#[must_use]
pub fn humanize_plan_title(title: &str) -> String {
    let spaced: String = title.chars().map(|c| if matches!(c, '-' | '_') { ' ' } else { c }).collect();
    let words = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = words.chars();
    match rest.next() {
        Some(first) => first.to_uppercase().chain(rest).collect(),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plans_title_becomes_a_name() {
        for (title, name) in [
            ("migrate-mcp-loader", "Migrate mcp loader"),
            ("fix_session_naming", "Fix session naming"),
            ("foo--bar__baz", "Foo bar baz"),
            ("RefactorRouter", "RefactorRouter"),
            ("", ""),
            ("---", ""),
        ] {
            assert_eq!(humanize_plan_title(title), name);
        }
    }

    #[test]
    fn an_automatic_name_never_replaces_the_users() {
        let mut log = SessionLog::in_memory(std::path::Path::new("/p"));
        assert!(log.set_name("auto\nname", TitleSource::Auto).unwrap());
        assert_eq!(log.name().as_deref(), Some("auto name"));
        assert!(log.set_name("mine", TitleSource::User).unwrap());
        assert!(!log.set_name("auto", TitleSource::Auto).unwrap());
        assert!(!log.set_name("\u{1b} ", TitleSource::User).unwrap());
        assert_eq!(log.name().as_deref(), Some("mine"));
        assert!(log.header().to_line().contains(r#""title":"mine","titleSource":"user""#));
    }
}
