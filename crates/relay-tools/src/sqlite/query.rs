//! Answers a selector with text.

use rusqlite::types::ValueRef;
use rusqlite::{Row, ToSql};

use super::{Database, DatabaseError, MAX_ROWS, SAMPLE_ROWS, Selector, TABLES, table};

/// The most bytes of one answer.
const ANSWER_BYTES: usize = 256 << 10;

/// Rows as they are shown.
struct Rows {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    is_cut: bool,
}

/// A name as SQL has it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Database {
    /// Answers a selector.
    ///
    /// # Errors
    /// There is no such table, column or row, the query is wrong, or it goes beyond a limit.
    pub fn answer(&self, selector: &Selector) -> Result<String, DatabaseError> {
        let mut answer = match selector {
            Selector::List => self.list(),
            Selector::Schema { table } => self.schema(table),
            Selector::Row { table, key } => self.row(table, key),
            Selector::Query { table, limit, offset, order, condition } => {
                self.rows(table, (*limit, *offset), order.as_ref(), condition.as_deref())
            }
            Selector::Raw { sql } => self.raw(sql),
        }?;
        if let Some(note) = &self.note {
            answer.push_str(&format!("[{note}]\n"));
        }
        Ok(answer)
    }

    fn names(&self) -> Result<Vec<(String, String)>, DatabaseError> {
        let sql = "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') \
                   AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
        let mut statement = self.connection.prepare(sql).map_err(|error| self.failed(error))?;
        let pair = |row: &Row<'_>| Ok((text_at(row, 0), text_at(row, 1)));
        let names = statement.query_map([], pair).map_err(|error| self.failed(error))?;
        names.collect::<Result<_, _>>().map_err(|error| self.failed(error))
    }

    fn list(&self) -> Result<String, DatabaseError> {
        let names = self.names()?;
        if names.is_empty() {
            return Ok("(no tables)\n".to_owned());
        }
        let mut text = String::new();
        for (name, kind) in names.iter().take(TABLES) {
            // Counting a view may take as long as its query does, and a hostile one for ever.
            let count = match kind.as_str() {
                "view" => "view".to_owned(),
                _ => {
                    let sql = format!("SELECT count(*) FROM {}", quoted(name));
                    match self.connection.query_row(&sql, [], |row| row.get::<_, i64>(0)) {
                        Ok(1) => "1 row".to_owned(),
                        Ok(count) => format!("{count} rows"),
                        Err(_) if self.cancel.is_cancelled() => return Err(DatabaseError::Cancelled),
                        Err(_) => "rows could not be counted".to_owned(),
                    }
                }
            };
            text.push_str(&format!("{name} ({count})\n"));
        }
        if names.len() > TABLES {
            text.push_str(&format!("[showing {TABLES} of {} tables]\n", names.len()));
        }
        Ok(text)
    }

    /// The table as the database spells it, with the SQL that made it.
    fn made_by(&self, name: &str) -> Result<(String, String), DatabaseError> {
        let sql = "SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE";
        let found = self.connection.query_row(sql, [name], |row| Ok((text_at(row, 0), text_at(row, 1))));
        match found {
            Ok(found) => Ok(found),
            Err(rusqlite::Error::QueryReturnedNoRows) => {
                let known: Vec<String> = self.names()?.into_iter().map(|(name, _)| name).take(20).collect();
                let known = if known.is_empty() { "there are none".to_owned() } else { known.join(", ") };
                Err(DatabaseError::Query(format!("no table `{name}`; tables: {known}")))
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    fn schema(&self, name: &str) -> Result<String, DatabaseError> {
        let (name, sql) = self.made_by(name)?;
        let query = format!("SELECT * FROM {} LIMIT {SAMPLE_ROWS}", quoted(&name));
        let rows = self.collect(&query, &[], SAMPLE_ROWS)?;
        Ok(format!("{};\n\n{}", sql.trim_end_matches(';'), shown(&rows)))
    }

    /// Columns with whether they are part of the primary key.
    fn columns(&self, table: &str) -> Result<Vec<(String, bool)>, DatabaseError> {
        let sql = format!("PRAGMA table_info({})", quoted(table));
        let mut statement = self.connection.prepare(&sql).map_err(|error| self.failed(error))?;
        let column = |row: &Row<'_>| Ok((text_at(row, 1), row.get::<_, i64>(5).unwrap_or_default() > 0));
        let columns = statement.query_map([], column).map_err(|error| self.failed(error))?;
        columns.collect::<Result<_, _>>().map_err(|error| self.failed(error))
    }

    fn row(&self, table: &str, key: &str) -> Result<String, DatabaseError> {
        let (table, _) = self.made_by(table)?;
        let columns = self.columns(&table)?;
        let keys: Vec<&str> =
            columns.iter().filter(|(_, is_key)| *is_key).map(|(name, _)| name.as_str()).collect();
        let by = match keys.as_slice() {
            [only] => quoted(only),
            _ => "rowid".to_owned(),
        };
        let query = format!("SELECT * FROM {} WHERE {by} = ?1", quoted(&table));
        let rows = self.collect(&query, &[&key], 1)?;
        let Some(row) = rows.rows.first() else {
            return Err(DatabaseError::Query(format!("no row of `{table}` has the key `{key}`")));
        };
        Ok(rows.columns.iter().zip(row).map(|(name, value)| format!("{name}: {value}\n")).collect())
    }

    fn rows(
        &self,
        table: &str,
        (limit, offset): (usize, usize),
        order: Option<&(String, bool)>,
        condition: Option<&str>,
    ) -> Result<String, DatabaseError> {
        let (table, _) = self.made_by(table)?;
        let mut sql = format!("SELECT * FROM {}", quoted(&table));
        if let Some(condition) = condition {
            sql.push_str(&format!(" WHERE ({condition})"));
        }
        if let Some((column, is_descending)) = order {
            let columns = self.columns(&table)?;
            let Some((column, _)) = columns.iter().find(|(name, _)| name.eq_ignore_ascii_case(column)) else {
                let known: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
                return Err(DatabaseError::Query(format!(
                    "`{table}` has no column `{column}`; columns: {}",
                    known.join(", ")
                )));
            };
            let way = if *is_descending { "DESC" } else { "ASC" };
            sql.push_str(&format!(" ORDER BY {} {way}", quoted(column)));
        }
        // One more than is shown, to know whether there are more.
        sql.push_str(&format!(" LIMIT {} OFFSET {offset}", limit + 1));
        let rows = self.collect(&sql, &[], limit)?;
        let mut text = shown(&rows);
        if rows.is_cut {
            let next = offset + rows.rows.len();
            text.push_str(&format!(
                "[{} rows shown from row {}; use offset={next} for more]\n",
                rows.rows.len(),
                offset + 1
            ));
        }
        Ok(text)
    }

    fn raw(&self, sql: &str) -> Result<String, DatabaseError> {
        let rows = self.collect(sql, &[], MAX_ROWS)?;
        let mut text = shown(&rows);
        if rows.is_cut {
            text.push_str(&format!(
                "[the first {} rows are shown; use LIMIT and OFFSET in the query for others]\n",
                rows.rows.len()
            ));
        }
        Ok(text)
    }

    fn collect(&self, sql: &str, values: &[&dyn ToSql], limit: usize) -> Result<Rows, DatabaseError> {
        let mut statement = self.connection.prepare(sql).map_err(|error| self.failed(error))?;
        if statement.parameter_count() != values.len() {
            return Err(DatabaseError::Query(
                "the query has parameters (`?`); write their values".to_owned(),
            ));
        }
        if !statement.readonly() {
            return Err(DatabaseError::Query("the database is open for reading only; use SELECT".to_owned()));
        }
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut found = Rows { columns, rows: Vec::new(), is_cut: false };
        let mut bytes = 0;
        let mut rows = statement.query(values).map_err(|error| self.failed(error))?;
        while let Some(row) = rows.next().map_err(|error| self.failed(error))? {
            if found.rows.len() >= limit || bytes > ANSWER_BYTES {
                found.is_cut = true;
                break;
            }
            let cells: Vec<String> = (0..found.columns.len())
                .map(|at| row.get_ref(at).map_or_else(|_| String::new(), table::text))
                .collect();
            bytes += cells.iter().map(String::len).sum::<usize>();
            found.rows.push(cells);
        }
        Ok(found)
    }
}

fn text_at(row: &Row<'_>, at: usize) -> String {
    match row.get_ref(at) {
        Ok(ValueRef::Text(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    }
}

fn shown(rows: &Rows) -> String {
    if rows.rows.is_empty() {
        return format!("(no rows; columns: {})\n", rows.columns.join(", "));
    }
    table::draw(&rows.columns, &rows.rows)
}
