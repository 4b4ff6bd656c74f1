//! The prompts that the user typed, to be found again.
//!
//! They are kept in a database beside the sessions, with an index of their words. It never delays a turn: a separate
//! thread opens the database when the first prompt arrives and writes from then on.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use rusqlite::{Connection, params};

use crate::database::{Database, broken};
use crate::error::StoreError;
use crate::store::Store;

/// The longest prompt that is kept; a longer one is a pasted file.
const PROMPT_LIMIT_BYTES: usize = 100_000;

/// The shortest part of a word that the index knows.
const PART_CHARS: usize = 3;

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS history(
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        prompt TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        cwd TEXT
    );
    CREATE VIRTUAL TABLE IF NOT EXISTS history_fts USING fts5(
        prompt, content='history', content_rowid='id', prefix='2 3', tokenize='unicode61 remove_diacritics 2'
    );
    CREATE VIRTUAL TABLE IF NOT EXISTS history_parts USING fts5(
        prompt, content='history', content_rowid='id', tokenize='trigram'
    );
    CREATE TRIGGER IF NOT EXISTS history_added AFTER INSERT ON history BEGIN
        INSERT INTO history_fts(rowid, prompt) VALUES (new.id, new.prompt);
        INSERT INTO history_parts(rowid, prompt) VALUES (new.id, new.prompt);
    END;
    CREATE TRIGGER IF NOT EXISTS history_removed AFTER DELETE ON history BEGIN
        INSERT INTO history_fts(history_fts, rowid, prompt) VALUES ('delete', old.id, old.prompt);
        INSERT INTO history_parts(history_parts, rowid, prompt) VALUES ('delete', old.id, old.prompt);
    END;
";

/// A prompt of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// Its number; later ones are higher.
    pub id: i64,
    /// What was typed.
    pub text: String,
    /// When, in seconds since 1970.
    pub created_at: i64,
    /// The folder it was typed in.
    pub cwd: Option<String>,
}

/// The prompts that were typed so far.
#[derive(Debug)]
pub struct History {
    database: Database,
}

/// Records prompts in the background. Dropping it waits until all are written.
#[derive(Debug)]
pub struct HistoryWriter {
    sender: Option<Sender<NewPrompt>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct NewPrompt {
    text: String,
    created_at: i64,
    cwd: PathBuf,
}

impl Store {
    /// The prompts that were typed so far. Nothing is opened yet.
    #[must_use]
    pub fn history(&self) -> History {
        let folder = self.data_dir().to_path_buf();
        History { database: Database { folder, name: "history.db", version: 1, schema: SCHEMA } }
    }
}

impl History {
    /// Begins to write prompts down. The database is opened by a thread, when the first prompt comes.
    #[must_use]
    pub fn writer(&self) -> HistoryWriter {
        let (sender, prompts) = channel::<NewPrompt>();
        let database = self.database.clone();
        let work = move || {
            let mut recorder = None;
            for prompt in prompts {
                // Failing to store a prompt is not worth interrupting the user; `relay doctor` checks the database.
                record(&database, &mut recorder, &prompt).ok();
            }
        };
        let thread = std::thread::Builder::new().name("history".to_owned()).spawn(work).ok();
        HistoryWriter { sender: Some(sender), thread }
    }

    /// The newest prompts, newest first.
    ///
    /// # Errors
    /// The database is damaged, or the system refuses.
    pub fn recent(&self, limit: usize) -> Result<Vec<Prompt>, StoreError> {
        let sql = "SELECT id, prompt, created_at, cwd FROM history ORDER BY id DESC LIMIT ?1";
        self.query(sql, params![as_limit(limit)])
    }

    /// The prompts that have all words of a text, or words that begin like them, newest first. If none has, those that
    /// have the text anywhere.
    ///
    /// # Errors
    /// The database is damaged, or the system refuses.
    pub fn search(&self, text: &str, limit: usize) -> Result<Vec<Prompt>, StoreError> {
        let words = words(text);
        if !words.is_empty() {
            let sql = "SELECT h.id, h.prompt, h.created_at, h.cwd FROM history_fts f JOIN history h ON h.id = f.rowid \
                 WHERE history_fts MATCH ?1 ORDER BY f.rowid DESC LIMIT ?2";
            let found = self.query(sql, params![words, as_limit(limit)])?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        if text.chars().count() >= PART_CHARS {
            let sql = "SELECT h.id, h.prompt, h.created_at, h.cwd FROM history_parts f JOIN history h ON h.id = f.rowid \
                 WHERE history_parts MATCH ?1 ORDER BY f.rowid DESC LIMIT ?2";
            return self.query(sql, params![quoted(text), as_limit(limit)]);
        }
        let sql = "SELECT id, prompt, created_at, cwd FROM history WHERE instr(prompt, ?1) > 0 \
             ORDER BY id DESC LIMIT ?2";
        self.query(sql, params![text, as_limit(limit)])
    }

    fn query(&self, sql: &str, values: impl rusqlite::Params) -> Result<Vec<Prompt>, StoreError> {
        let Some(connection) = self.database.open()? else { return Ok(Vec::new()) };
        let place = self.database.path();
        let failed = |error: rusqlite::Error| broken(&place, &error);
        let mut statement = connection.prepare(sql).map_err(failed)?;
        let rows = statement.query_map(values, |row| {
            Ok(Prompt { id: row.get(0)?, text: row.get(1)?, created_at: row.get(2)?, cwd: row.get(3)? })
        });
        rows.map_err(failed)?.collect::<Result<_, _>>().map_err(failed)
    }
}

impl HistoryWriter {
    /// Queues a prompt for writing. The same prompt twice in a row counts once.
    pub fn add(&self, prompt: &str, cwd: &Path, created_at: i64) {
        if prompt.trim().is_empty() || prompt.len() > PROMPT_LIMIT_BYTES {
            return;
        }
        if let Some(sender) = &self.sender {
            let new = NewPrompt { text: prompt.to_owned(), created_at, cwd: cwd.to_path_buf() };
            // The thread ends before this only if it could not be started.
            sender.send(new).ok();
        }
    }
}

impl Drop for HistoryWriter {
    fn drop(&mut self) {
        drop(self.sender.take());
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// An open database, and the prompt that was written last.
#[derive(Debug)]
struct Recorder {
    connection: Connection,
    last: Option<String>,
}

fn record(
    database: &Database,
    recorder: &mut Option<Recorder>,
    prompt: &NewPrompt,
) -> Result<(), StoreError> {
    let place = database.path();
    let failed = |error: rusqlite::Error| broken(&place, &error);
    if recorder.is_none() {
        let connection = database.create()?;
        let newest = "SELECT prompt FROM history ORDER BY id DESC LIMIT 1";
        let last = connection.query_row(newest, [], |row| row.get(0)).ok();
        *recorder = Some(Recorder { connection, last });
    }
    let Some(recorder) = recorder.as_mut() else { return Ok(()) };
    if recorder.last.as_deref() == Some(&prompt.text) {
        return Ok(());
    }
    let sql = "INSERT INTO history(prompt, created_at, cwd) VALUES (?1, ?2, ?3)";
    let values = params![prompt.text, prompt.created_at, prompt.cwd.to_str()];
    recorder.connection.execute(sql, values).map_err(failed)?;
    recorder.last = Some(prompt.text.clone());
    Ok(())
}

fn as_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// The words of a text as a query: all of them, each as the beginning of a word. Quotes keep SQLite from reading anything
/// in them as its own language.
fn words(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| format!("\"{word}\"*")).collect::<Vec<_>>().join(" ")
}

/// A text that SQLite searches for as it is.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(prompts: &[&str]) -> (tempfile::TempDir, History) {
        let home = tempfile::tempdir().unwrap();
        let history = Store::at(home.path()).history();
        let writer = history.writer();
        for (at, prompt) in prompts.iter().enumerate() {
            writer.add(prompt, Path::new("/p"), i64::try_from(at).unwrap());
        }
        drop(writer);
        (home, history)
    }

    fn texts(found: Vec<Prompt>) -> Vec<String> {
        found.into_iter().map(|prompt| prompt.text).collect()
    }

    #[test]
    fn looking_makes_nothing() {
        let (home, history) = history(&[]);
        assert!(history.recent(5).unwrap().is_empty() && history.search("x", 5).unwrap().is_empty());
        assert!(!home.path().join("data").exists());
    }

    #[test]
    fn the_same_prompt_in_a_row_is_one() {
        let (home, kept) = history(&["a", "a", "b", "a", " ", ""]);
        assert_eq!(texts(kept.recent(9).unwrap()), ["a", "b", "a"]);
        let again = Store::at(home.path()).history();
        again.writer().add("a", Path::new("/p"), 9);
        assert_eq!(again.recent(9).unwrap().len(), 3, "also after a restart");
        assert_eq!(again.recent(1).unwrap()[0].cwd.as_deref(), Some("/p"));
    }

    #[test]
    fn words_are_found_by_their_beginnings() {
        let (_home, history) = history(&[
            "fix the session tree",
            "Fix Café parser",
            "list files",
            "日本語のテスト",
            "a\"b OR c*",
        ]);
        let found = |text: &str| texts(history.search(text, 10).unwrap());
        assert_eq!(found("fix"), ["Fix Café parser", "fix the session tree"]);
        assert_eq!(found("tre FI"), ["fix the session tree"]);
        assert_eq!(found("cafe"), ["Fix Café parser"]);
        assert_eq!(found("本語"), ["日本語のテスト"], "anywhere, if no word begins like it");
        assert_eq!(found("ession t"), ["fix the session tree"]);
        assert_eq!(found("a\"b OR"), ["a\"b OR c*"]);
        assert!(found("\"' OR 1=1 --").is_empty());
        assert_eq!(history.search("fix", 1).unwrap().len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn the_database_is_the_users_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let (home, _) = history(&["a"]);
        let file = home.path().join("data/history.db");
        assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
