//! A row of a database: inserted, updated or deleted by SQLite itself, in one transaction, inside a capture.

use std::path::PathBuf;
use std::time::Duration;

use relay_agent::policy::Level;
use relay_agent::tool::{Call, Landing, Output, ToolError};
use relay_engine::{Attended, Engine, TrustAnswer, Unobserved, attend, group};
use relay_workspace::{Ignored, RelPath};
use rusqlite::config::DbConfig;
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use serde_json::{Map, Value, json};

use super::json5;
use crate::edit::{refused, worded};
use crate::sqlite::{candidates, is_database};

/// How long a database that another program writes to is waited for.
const BUSY: Duration = Duration::from_millis(3_000);

/// A database, a table, and the row that is meant.
#[derive(Debug)]
pub struct Place {
    database: RelPath,
    table: String,
    key: Option<String>,
}

/// The row that a path names; nothing if it names no database.
pub fn place(engine: &Engine, path: &str) -> Result<Option<Place>, ToolError> {
    for (name, rest) in candidates(path) {
        let Ok(database) = engine.workspace().path(name) else { continue };
        let found =
            engine.workspace().open_file(&database).map_err(|error| ToolError::failed(error.to_string()))?;
        let Some((file, _)) = found else { continue };
        if !is_database(&head(file)?) {
            return Ok(None);
        }
        return row(database, rest).map(Some);
    }
    // A path with a table can only mean a database, and this one is not there.
    match candidates(path).into_iter().find(|(_, rest)| !rest.is_empty()) {
        Some((name, _)) => Err(ToolError::failed(format!("SQLite database '{name}' not found"))),
        None => Ok(None),
    }
}

/// How a file begins.
fn head(file: impl std::io::Read) -> Result<Vec<u8>, ToolError> {
    use std::io::Read;
    let mut head = Vec::new();
    file.take(100).read_to_end(&mut head).map_err(|error| ToolError::failed(error.to_string()))?;
    Ok(head)
}

fn row(database: RelPath, rest: &str) -> Result<Place, ToolError> {
    if rest.contains('?') {
        return Err(ToolError::failed("SQLite write paths do not support query parameters"));
    }
    let names = rest.strip_prefix(':').unwrap_or(rest);
    let (table, key) = names.split_once(':').map_or((names, None), |(table, key)| (table, Some(key)));
    if table.is_empty() {
        return Err(ToolError::failed("SQLite write path must target a table"));
    }
    if key.is_some_and(|key| key.trim().is_empty()) {
        return Err(ToolError::failed("SQLite row writes require a non-empty row key"));
    }
    Ok(Place { database, table: table.to_owned(), key: key.map(str::to_owned) })
}

/// Writes the row.
pub fn write(call: &Call<'_>, place: &Place, content: &str) -> Result<Output, ToolError> {
    let engine = &call.services.engine;
    let wanted = Wanted::read(place, content).map_err(ToolError::failed)?;
    let file = engine.workspace().root().join(place.database.as_str());
    let reason = format!("write a row of {} in {}", place.table, place.database);
    let group = group::of_call(&call.services.session, &call.facts.turn, call.id);
    // Databases are often ignored by git; the row must be undone all the same.
    let ignored = Ignored::At(vec![place.database.clone()]);
    let attended = Attended {
        channel: "agent",
        reason: &reason,
        model: Some(&call.facts.model),
        trust: TrustAnswer::default(),
        allow_sensitive: false,
        group: Some(&group),
        may_write: true,
        ignored: &ignored,
    };
    let mut wrote = None;
    let mut work = || {
        wrote = Some(wanted.carry_out(&file, place));
        false
    };
    let mut approver = Landing::new(Level::Auto, call.services);
    let outcome = attend(engine, &attended, &mut work, &mut approver, &mut Unobserved);
    let Some(wrote) = wrote else {
        return Err(refused(outcome.diagnostics.iter().filter(|found| found.is_error()).map(worded)));
    };
    let text = wrote.map_err(ToolError::failed)?;
    if relay_agent::tool::is_failure(outcome.status) {
        return Err(refused(outcome.diagnostics.iter().filter(|found| found.is_error()).map(worded)));
    }
    let transactions = outcome.uuid.filter(|_| !outcome.changes.is_empty()).into_iter().collect();
    let details = json!({ "meta": { "sourcePath": file } });
    Ok(Output { transactions, ..Output::text(text).with_details(details) })
}

/// What shall happen to a table.
enum Wanted {
    Insert(Map<String, Value>),
    Update { key: String, columns: Map<String, Value> },
    Delete { key: String },
}

impl Wanted {
    fn read(place: &Place, content: &str) -> Result<Self, String> {
        if content.trim().is_empty() {
            let key = place.key.clone();
            let key = key.ok_or(
                "SQLite inserts need a JSON5 object; empty content deletes the row that a key names",
            )?;
            return Ok(Self::Delete { key });
        }
        let value =
            json5::parse(content).map_err(|why| format!("SQLite row content is not valid JSON5: {why}"))?;
        let Value::Object(columns) = value else {
            return Err("SQLite row content must be a JSON5 object of columns and values".to_owned());
        };
        for (column, value) in &columns {
            if value.is_array() || value.is_object() {
                return Err(format!(
                    "SQLite column '{column}' must be a text, a number, a boolean or null, not a list or an object"
                ));
            }
        }
        match &place.key {
            Some(_) if columns.is_empty() => Err("SQLite updates need at least one column".to_owned()),
            Some(key) => Ok(Self::Update { key: key.clone(), columns }),
            None => Ok(Self::Insert(columns)),
        }
    }

    /// Carries it out; what the model reads about it.
    fn carry_out(&self, file: &PathBuf, place: &Place) -> Result<String, String> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NOFOLLOW
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let words = |error: rusqlite::Error| error.to_string();
        let mut connection = Connection::open_with_flags(file, flags).map_err(words)?;
        connection.busy_timeout(BUSY).map_err(words)?;
        // What the schema of another program's database calls must not reach further than the database.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false).map_err(words)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map_err(words)?;
        let transaction =
            connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(words)?;
        let table = Table::of(&transaction, &place.table)?;
        let text = match self {
            Self::Insert(columns) => table.insert(&transaction, columns)?,
            Self::Update { key, columns } => table.update(&transaction, key, columns)?,
            Self::Delete { key } => table.delete(&transaction, key)?,
        };
        transaction.commit().map_err(words)?;
        connection.close().map_err(|(_, error)| error.to_string())?;
        Ok(text)
    }
}

/// A table, as its database describes it.
struct Table {
    name: String,
    columns: Vec<Column>,
    without_rowid: bool,
}

struct Column {
    name: String,
    declared: String,
    is_key: bool,
}

impl Table {
    fn of(connection: &Connection, name: &str) -> Result<Self, String> {
        let words = |error: rusqlite::Error| error.to_string();
        let sql = "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name = ?1 COLLATE NOCASE";
        let found =
            connection.query_row(sql, [name], |row| Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?)));
        let (name, without_rowid) = match found {
            Ok(found) => found,
            Err(rusqlite::Error::QueryReturnedNoRows) => {
                return Err(format!("SQLite table '{name}' not found"));
            }
            Err(error) => return Err(words(error)),
        };
        if name.to_ascii_lowercase().starts_with("sqlite_") {
            return Err(format!("SQLite table '{name}' belongs to the database itself and is not written"));
        }
        let mut statement =
            connection.prepare("SELECT name, type, pk FROM pragma_table_xinfo(?1)").map_err(words)?;
        let columns = statement.query_map([&name], |row| {
            Ok(Column { name: row.get(0)?, declared: row.get(1)?, is_key: row.get::<_, i64>(2)? > 0 })
        });
        let columns = columns.and_then(Iterator::collect).map_err(words)?;
        Ok(Self { name, columns, without_rowid })
    }

    /// The columns that values are for, in their own spelling.
    fn named<'t>(&'t self, columns: &'t Map<String, Value>) -> Result<Vec<(&'t str, Cell)>, String> {
        columns
            .iter()
            .map(|(name, value)| {
                let column = self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name));
                let column = column.ok_or_else(|| {
                    let known: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
                    format!(
                        "SQLite table '{}' has no column '{name}'; it has {}",
                        self.name,
                        known.join(", ")
                    )
                })?;
                Ok((column.name.as_str(), cell(value)))
            })
            .collect()
    }

    /// The column that names a row, and the key as that column holds it.
    fn key(&self, key: &str) -> Result<(String, Cell), String> {
        if self.without_rowid {
            return Err(format!(
                "SQLite table '{}' is WITHOUT ROWID; rows of such tables are not written by key",
                self.name
            ));
        }
        let keys: Vec<&Column> = self.columns.iter().filter(|column| column.is_key).collect();
        let number = key.parse::<i64>().ok().map(Cell::Integer);
        let text = || Cell::Text(key.to_owned());
        match keys.as_slice() {
            [] => Ok(("rowid".to_owned(), number.unwrap_or_else(text))),
            [column] => {
                let is_text = ["CHAR", "CLOB", "TEXT"]
                    .iter()
                    .any(|word| column.declared.to_ascii_uppercase().contains(word));
                let value = number.filter(|_| !is_text).unwrap_or_else(text);
                Ok((quoted(&column.name), value))
            }
            _ => Err(format!(
                "SQLite table '{}' has a composite primary key; its rows are not written by key",
                self.name
            )),
        }
    }

    fn insert(&self, connection: &Connection, columns: &Map<String, Value>) -> Result<String, String> {
        let named = self.named(columns)?;
        let names: Vec<String> = named.iter().map(|(name, _)| quoted(name)).collect();
        let sql = match names.is_empty() {
            true => format!("INSERT INTO {} DEFAULT VALUES", quoted(&self.name)),
            false => {
                let marks = vec!["?"; names.len()].join(", ");
                format!("INSERT INTO {} ({}) VALUES ({marks})", quoted(&self.name), names.join(", "))
            }
        };
        execute(connection, &sql, named.into_iter().map(|(_, value)| value).collect())?;
        Ok(format!("Inserted row into {}", self.name))
    }

    fn update(
        &self,
        connection: &Connection,
        key: &str,
        columns: &Map<String, Value>,
    ) -> Result<String, String> {
        let named = self.named(columns)?;
        let (column, value) = self.key(key)?;
        let sets: Vec<String> = named.iter().map(|(name, _)| format!("{} = ?", quoted(name))).collect();
        let sql = format!("UPDATE {} SET {} WHERE {column} = ?", quoted(&self.name), sets.join(", "));
        let values = named.into_iter().map(|(_, value)| value).chain([value]).collect();
        Ok(match execute(connection, &sql, values)? {
            0 => format!("No row updated in {}: no row has the key '{key}'", self.name),
            _ => format!("Updated row '{key}' in {}", self.name),
        })
    }

    fn delete(&self, connection: &Connection, key: &str) -> Result<String, String> {
        let (column, value) = self.key(key)?;
        let sql = format!("DELETE FROM {} WHERE {column} = ?", quoted(&self.name));
        Ok(match execute(connection, &sql, vec![value])? {
            0 => format!("No row deleted from {}: no row has the key '{key}'", self.name),
            _ => format!("Deleted row '{key}' from {}", self.name),
        })
    }
}

fn execute(connection: &Connection, sql: &str, values: Vec<Cell>) -> Result<usize, String> {
    connection.execute(sql, params_from_iter(values)).map_err(|error| error.to_string())
}

/// A name as SQL quotes it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn cell(value: &Value) -> Cell {
    match value {
        Value::Bool(flag) => Cell::Integer(i64::from(*flag)),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Cell::Integer(whole),
            None => Cell::Real(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Cell::Text(text.clone()),
        _ => Cell::Null,
    }
}
