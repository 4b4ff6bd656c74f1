//! Sessions of this project and of others: lists, search, previews, names, exports.

use std::path::{Path, PathBuf};

use relay_agent::export::{Format, Transcript, render};
use relay_agent::session::{self, Leaf, SessionError, SessionLog, TitleSource, context};
use serde_json::{Value, json};

use super::{Binary, flag, limit, needed, text};
use crate::commands::sessions::document;

/// How many sessions a list has by default.
const LISTED: usize = 200;
/// How many messages a preview has.
const PREVIEWED: usize = 10;
/// How much of each message a preview shows.
const PREVIEW_CHARS: usize = 500;

impl Binary {
    pub(super) fn about_sessions(&self, command: &str, arguments: &Value) -> Option<Result<Value, String>> {
        Some(match command {
            "list_sessions" => self.list_sessions(arguments),
            "search_sessions" => self.search_sessions(arguments),
            "preview_session" => self.preview(arguments),
            "rename_session" => self.rename(arguments),
            "export" => self.export_as(arguments),
            _ => return None,
        })
    }

    /// A session by its file, its id or the beginning of it; one of another project by its file.
    pub(super) fn open_named(&self, name: &str) -> Result<SessionLog, String> {
        SessionLog::open(&self.reach.store, &self.path_of(name)?).map_err(|error| error.to_string())
    }

    pub(super) fn path_of(&self, name: &str) -> Result<PathBuf, String> {
        if Path::new(name).is_absolute() {
            return Ok(PathBuf::from(name));
        }
        match SessionLog::find(&self.reach.store, name, self.cwd()) {
            Err(SessionError::OtherProject { path, .. }) => Ok(path),
            found => found.map_err(|error| error.to_string()),
        }
    }

    fn list_sessions(&self, arguments: &Value) -> Result<Value, String> {
        let project = (!flag(arguments, "all")).then(|| self.cwd());
        let listing = session::list(&self.reach.store, project).map_err(|error| error.to_string())?;
        let total = listing.sessions.len();
        let sessions: Vec<Value> =
            listing.sessions.iter().take(limit(arguments, LISTED)).map(|found| self.listed(found)).collect();
        let unreadable: Vec<Value> =
            listing.unreadable.iter().map(|(path, why)| json!({ "path": path, "reason": why })).collect();
        Ok(json!({ "sessions": sessions, "total": total, "unreadable": unreadable }))
    }

    /// A session of a list, with whether it belongs to this project.
    fn listed(&self, found: &session::SessionInfo) -> Value {
        let mut shown = document(found);
        if let Some(fields) = shown.as_object_mut() {
            fields.insert("isHere".to_owned(), (Path::new(&found.cwd) == self.cwd()).into());
        }
        shown
    }

    fn search_sessions(&self, arguments: &Value) -> Result<Value, String> {
        let project = (!flag(arguments, "all")).then(|| self.cwd());
        let query = needed(arguments, "query")?;
        let hits = session::search(&self.reach.store, project, query, limit(arguments, LISTED));
        let hits: Vec<Value> = hits
            .map_err(|error| error.to_string())?
            .iter()
            .map(|hit| {
                json!({
                    "session": document(&hit.session), "entryId": hit.entry_id, "role": hit.role,
                    "timestamp": hit.timestamp, "excerpt": hit.excerpt,
                })
            })
            .collect();
        Ok(json!({ "hits": hits }))
    }

    /// The last messages of a session, open or not.
    fn preview(&self, arguments: &Value) -> Result<Value, String> {
        let path = self.path_of(needed(arguments, "session")?)?;
        let document = SessionLog::load(&self.reach.store, &path).map_err(|error| error.to_string())?;
        let seen = context(&document.entries, Leaf::Last).messages;
        let skip = seen.len().saturating_sub(limit(arguments, PREVIEWED));
        let messages: Vec<Value> = seen
            .iter()
            .skip(skip)
            .map(|seen| {
                let text: String = seen.message.text().chars().take(PREVIEW_CHARS).collect();
                json!({ "entryId": seen.entry.id(), "role": seen.message.role(), "text": text })
            })
            .collect();
        Ok(json!({
            "sessionId": document.header.id(), "name": document.name(), "cwd": document.header.cwd(),
            "path": path, "messages": messages, "earlier": skip,
        }))
    }

    fn rename(&self, arguments: &Value) -> Result<Value, String> {
        let mut log = self.open_named(needed(arguments, "session")?)?;
        let is_named = log.set_name(needed(arguments, "name")?, TitleSource::User);
        match is_named.map_err(|error| error.to_string())? {
            true => Ok(json!({ "name": log.name() })),
            false => Err("a name needs at least one visible character".to_owned()),
        }
    }

    pub(super) fn delete(&self, session: &str) -> Result<(), String> {
        let path = self.path_of(session)?;
        let removed = self.reach.store.sessions().remove(&path).map_err(|error| error.to_string())?;
        if removed { Ok(()) } else { Err(format!("there is no session {}", path.display())) }
    }

    /// A copy of a session that belongs to another folder.
    pub(super) fn copied(&self, session: &str, folder: &Path) -> Result<SessionLog, String> {
        let folder = std::fs::canonicalize(folder)
            .map_err(|error| format!("{} cannot be used: {error}", folder.display()))?;
        let path = self.path_of(session)?;
        SessionLog::fork_from(&self.reach.store, &path, &folder).map_err(|error| error.to_string())
    }

    fn export_as(&self, arguments: &Value) -> Result<Value, String> {
        let format = match text(arguments, "format") {
            None | Some("html") => Format::Html,
            Some("markdown" | "md") => Format::Markdown,
            Some("json") => Format::Json,
            Some(other) => return Err(format!("unknown format `{other}`; use html, markdown or json")),
        };
        let path = self.export(needed(arguments, "session")?, format, text(arguments, "outputPath"))?;
        Ok(json!({ "path": path }))
    }

    pub(super) fn export(&self, session: &str, format: Format, to: Option<&str>) -> Result<String, String> {
        let path = self.path_of(session)?;
        let document = SessionLog::load(&self.reach.store, &path).map_err(|error| error.to_string())?;
        let blobs = self.reach.store.sessions().blobs();
        let find = |digest: &str| blobs.get(digest).ok().flatten();
        let mut transcript = Transcript::new(&document.header, &document.entries);
        transcript.blobs = &find;
        let style = crate::commands::themes::page_style(&self.reach.store, &self.current_settings());
        transcript.style = &style;
        let (ending, begins): (_, &[u8]) = match format {
            Format::Html => ("html", b"<!doctype html>"),
            Format::Markdown => ("md", b"#"),
            Format::Json => ("json", b"{"),
        };
        let place = to.map_or_else(|| PathBuf::from(format!("session-{session}.{ending}")), PathBuf::from);
        let is_ours = |head: &[u8]| head.starts_with(begins);
        relay_store::export(&place, render(&transcript, format).as_bytes(), is_ours)
            .map_err(|error| error.to_string())?;
        Ok(place.display().to_string())
    }
}
