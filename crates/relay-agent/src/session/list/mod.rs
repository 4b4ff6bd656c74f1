//! Which sessions there are.
//!
//! A list needs sums over whole files (messages, cost), so what was summed up is remembered in the cache, and only files
//! that changed are read, from where they had been read to. [`recent`] needs no sums: it reads the beginnings of the
//! newest files.

mod search;
mod tally;

use std::path::{Path, PathBuf};

use relay_store::{Facts, FoundSession, IndexedSession, Sessions, Store};

pub use search::{Hit, search};

use super::document::Document;
use super::error::SessionError;
use super::header::Header;
use tally::Tally;

/// How much of a file [`recent`] reads.
const PREFIX_BYTES: u64 = 4 << 10;
/// The longest name in lists that are to be short.
const SHORT_NAME_CHARS: usize = 40;
/// What replaces the first message of a session without any.
const NO_MESSAGES: &str = "(no messages)";

/// What a list says about a session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionInfo {
    /// Its file.
    pub path: PathBuf,
    /// Its id.
    pub id: String,
    /// The folder the conversation is about.
    pub cwd: String,
    /// Its name, or the short summary of its latest compaction.
    pub name: Option<String>,
    /// The beginning of the user's first message.
    pub first_message: String,
    /// How many messages it has, on all branches.
    pub messages: u64,
    /// The model that was used last, as `provider/model`.
    pub model: Option<String>,
    /// What it cost, in US dollars.
    pub cost: f64,
    /// When it began, as its header says.
    pub created: String,
    /// When it was last written, in milliseconds since 1970.
    pub modified_ms: i64,
    /// How long its file is.
    pub bytes: u64,
    /// The session it came from.
    pub parent: Option<String>,
}

/// Sessions, newest first, and the files that are not sessions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// The sessions.
    pub sessions: Vec<SessionInfo>,
    /// Files that cannot be read as sessions, and why.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// A session in a list that is to appear at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentSession {
    /// Its file.
    pub path: PathBuf,
    /// Its name, else the first prompt, else its id; on one line and short.
    pub name: String,
    /// When it was last written, in milliseconds since 1970.
    pub modified_ms: i64,
}

/// The sessions of a project, or of all projects, newest first. Sessions without messages are left out.
///
/// # Errors
/// The folders cannot be read.
pub fn list(store: &Store, project: Option<&Path>) -> Result<Listing, SessionError> {
    let sessions = store.sessions();
    let index = sessions.index();
    let folder = project.map(|project| sessions.folder_of(project));
    let found = found(&sessions, folder.as_deref())?;
    let mut known = index.load(folder.as_deref());
    let mut fresh: Vec<(FoundSession, IndexedSession)> = Vec::with_capacity(found.len());
    let mut changed: Vec<(FoundSession, Option<IndexedSession>)> = Vec::new();
    for session in found {
        match known.remove(&session.path) {
            Some(row) if row.facts == session.facts => fresh.push((session, row)),
            row => changed.push((session, row)),
        }
    }
    let read = read_changed(&sessions, changed);
    let gone: Vec<PathBuf> = known.into_keys().collect();
    if !read.is_empty() || !gone.is_empty() {
        let rows: Vec<_> = read.iter().map(|(found, row)| (found.path.clone(), row.clone())).collect();
        // A list without the table is as good, only slower.
        index.save(&rows, &gone).ok();
    }
    fresh.extend(read);
    Ok(listing(fresh, project))
}

/// The newest sessions of a project, by the beginnings of their files.
///
/// # Errors
/// The folder cannot be read.
pub fn recent(store: &Store, project: &Path, limit: usize) -> Result<Vec<RecentSession>, SessionError> {
    let sessions = store.sessions();
    let mut found = found(&sessions, Some(&sessions.folder_of(project)))?;
    found.sort_by_key(|session| std::cmp::Reverse(session.facts.modified_ns));
    let named = found.into_iter().filter_map(|session| {
        let bytes = sessions.read(&session.path, PREFIX_BYTES).ok()??;
        let header = header_of(&bytes);
        if header.as_ref().is_some_and(|header| !is_about(header, project)) {
            return None;
        }
        Some(RecentSession {
            name: short_name(&session.path, header.as_ref(), bytes),
            modified_ms: session.facts.modified_ns / 1_000_000,
            path: session.path,
        })
    });
    Ok(named.take(limit).collect())
}

/// Title, first prompt, id, file name: the first that is there.
fn short_name(path: &Path, header: Option<&Header>, bytes: Vec<u8>) -> String {
    let mut tally = Tally::default();
    let title = title_of(&bytes, header);
    tally.count(&bytes);
    let id = header.map(|header| header.id().to_owned());
    let file = || path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = tally.name.or(title).or(tally.prompt).or(id).unwrap_or_else(file);
    let plain: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SHORT_NAME_CHARS).collect()
}

fn found(sessions: &Sessions, folder: Option<&Path>) -> Result<Vec<FoundSession>, SessionError> {
    match folder {
        Some(folder) => Ok(sessions.files_in(folder)?),
        None => {
            let mut all = Vec::new();
            for folder in sessions.folders()? {
                // One folder that is not sound does not hide the others.
                all.extend(sessions.files_in(&folder).unwrap_or_default());
            }
            Ok(all)
        }
    }
}

/// Reads sessions that are new or have changed, on all processors.
fn read_changed(
    sessions: &Sessions,
    changed: Vec<(FoundSession, Option<IndexedSession>)>,
) -> Vec<(FoundSession, IndexedSession)> {
    let read = |(found, known): (FoundSession, Option<IndexedSession>)| {
        let row = read_session(sessions, &found, known);
        (found, row)
    };
    in_parallel(changed, read)
}

/// Does the same to many things, on all processors, in order.
pub(super) fn in_parallel<T: Send, R: Send>(things: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let share = things.len().div_ceil(threads).max(1);
    if things.len() < 2 * threads {
        return things.into_iter().map(work).collect();
    }
    let mut shares: Vec<Vec<T>> = Vec::with_capacity(threads);
    let mut things = things.into_iter();
    loop {
        let next: Vec<T> = things.by_ref().take(share).collect();
        if next.is_empty() {
            break;
        }
        shares.push(next);
    }
    std::thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> = shares
            .into_iter()
            .map(|share| scope.spawn(move || share.into_iter().map(work).collect::<Vec<R>>()))
            .collect();
        running.into_iter().filter_map(|thread| thread.join().ok()).flatten().collect()
    })
}

/// Sums up a session. One that only grew is read on from where it had been read to.
fn read_session(sessions: &Sessions, found: &FoundSession, known: Option<IndexedSession>) -> IndexedSession {
    let grown = known.filter(|row| is_grown(&row.facts, &found.facts) && !row.header.is_empty());
    let (mut tally, from) = match grown {
        Some(row) => {
            let details: Tally = serde_json::from_str(&row.details).unwrap_or_default();
            (Tally { messages: row.messages, cost: row.cost, ..details }, row.counted_bytes)
        }
        None => (Tally::default(), 0),
    };
    let added = sessions.read_from(&found.path, from).ok().flatten().unwrap_or_default();
    let counted_bytes = from + tally.count(&added);
    let prefix = if from == 0 { None } else { sessions.read(&found.path, PREFIX_BYTES).ok().flatten() };
    let header = header_line(prefix.as_deref().unwrap_or(&added));
    IndexedSession {
        facts: found.facts,
        counted_bytes,
        messages: tally.messages,
        cost: tally.cost,
        header,
        details: serde_json::to_string(&tally).unwrap_or_default(),
    }
}

fn is_grown(before: &Facts, now: &Facts) -> bool {
    before.inode == now.inode && before.inode != 0 && before.bytes < now.bytes
}

/// The header of a file as one line, with the name that oh-my-pi keeps before it; empty if there is none.
fn header_line(bytes: &[u8]) -> String {
    let Some(mut header) = header_of(bytes) else { return String::new() };
    if let Some(title) = title_of(bytes, Some(&header)) {
        header.set_text("title", &title);
    }
    header.to_line()
}

/// The header at the beginning of a file.
fn header_of(bytes: &[u8]) -> Option<Header> {
    Document::parse_header_of(beginning(bytes)).ok()
}

/// The name in the line before the header, or in the header.
fn title_of(bytes: &[u8], header: Option<&Header>) -> Option<String> {
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let slot = serde_json::from_slice::<serde_json::Value>(first).ok();
    let slot = slot.filter(|slot| slot.get("type").is_some_and(|kind| kind == "title"));
    let title = slot.as_ref().and_then(|slot| slot.get("title")).and_then(serde_json::Value::as_str);
    title
        .filter(|title| !title.trim().is_empty())
        .or_else(|| header.and_then(Header::title))
        .map(str::to_owned)
}

/// The first two lines, of which one is the header if there is one.
fn beginning(bytes: &[u8]) -> Vec<u8> {
    let end = memchr::memchr_iter(b'\n', bytes).nth(1).unwrap_or(bytes.len());
    bytes.get(..end).unwrap_or_default().to_vec()
}

fn listing(rows: Vec<(FoundSession, IndexedSession)>, project: Option<&Path>) -> Listing {
    let mut listing = Listing::default();
    for (found, row) in rows {
        let object = serde_json::from_str(&row.header).ok();
        let Some(header) = object.and_then(Header::from_object) else {
            listing.unreadable.push((found.path, "it does not begin with a session header".to_owned()));
            continue;
        };
        let is_wanted = row.messages > 0 && project.is_none_or(|project| is_about(&header, project));
        if is_wanted {
            listing.sessions.push(info(found, &row, &header));
        }
    }
    listing.sessions.sort_by(|one, other| {
        other.modified_ms.cmp(&one.modified_ms).then_with(|| other.path.cmp(&one.path))
    });
    listing
}

fn info(found: FoundSession, row: &IndexedSession, header: &Header) -> SessionInfo {
    let tally: Tally = serde_json::from_str(&row.details).unwrap_or_default();
    let own = tally.name.filter(|name| !name.trim().is_empty()).or(header.title().map(str::to_owned));
    SessionInfo {
        id: header.id().to_owned(),
        cwd: header.cwd().to_owned(),
        name: own.or(tally.short_summary),
        first_message: tally.prompt.unwrap_or_else(|| NO_MESSAGES.to_owned()),
        messages: row.messages,
        model: tally.model,
        cost: row.cost,
        created: header.timestamp().to_owned(),
        modified_ms: found.facts.modified_ns / 1_000_000,
        bytes: found.facts.bytes,
        parent: header.parent_session().map(str::to_owned),
        path: found.path,
    }
}

/// Whether a session belongs to a project: two projects may share a folder of sessions.
fn is_about(header: &Header, project: &Path) -> bool {
    header.cwd().is_empty() || Path::new(header.cwd()) == project
}
