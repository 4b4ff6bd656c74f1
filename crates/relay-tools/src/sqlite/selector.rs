//! What follows a database's name in a path: `:table`, `:table:key`, `:table?limit=5`, `?q=SELECT …`.

use super::clause;
use super::{DEFAULT_ROWS, DatabaseError, MAX_ROWS};

const ENDINGS: [&str; 4] = [".sqlite", ".sqlite3", ".db", ".db3"];

/// What a query wants from a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// Its tables.
    List,
    /// How a table is made, and its first rows.
    Schema {
        /// The table.
        table: String,
    },
    /// One row.
    Row {
        /// The table.
        table: String,
        /// Its primary key, or its row id.
        key: String,
    },
    /// Rows of a table.
    Query {
        /// The table.
        table: String,
        /// How many.
        limit: usize,
        /// How many are passed over first.
        offset: usize,
        /// A column, and whether the largest comes first.
        order: Option<(String, bool)>,
        /// A condition in SQL; checked.
        condition: Option<String>,
    },
    /// A query in SQL.
    Raw {
        /// The query.
        sql: String,
    },
}

/// The ways in which a path may name a database and what is wanted from it, the longest file name first.
#[must_use]
pub fn candidates(path: &str) -> Vec<(&str, &str)> {
    let lower = path.to_ascii_lowercase();
    let mut ends: Vec<usize> = ENDINGS
        .iter()
        .flat_map(|ending| lower.match_indices(ending).map(|(at, found)| at + found.len()))
        .filter(|end| path.get(*end..).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '?'])))
        .collect();
    ends.sort_unstable_by_key(|end| std::cmp::Reverse(*end));
    ends.dedup();
    ends.into_iter().filter_map(|end| path.split_at_checked(end)).collect()
}

impl Selector {
    /// Reads what follows the file's name.
    ///
    /// # Errors
    /// A parameter is unknown, has a value it cannot have, or does not go with the rest.
    pub fn parse(rest: &str) -> Result<Self, DatabaseError> {
        let wrong = |message: String| Err(DatabaseError::Selector(message));
        let (names, parameters) = rest.split_once('?').map_or((rest, None), |(names, p)| (names, Some(p)));
        let names = names.strip_prefix(':').unwrap_or(names);
        if let Some(sql) = parameters.and_then(|parameters| parameters.strip_prefix("q=")) {
            return raw(names, sql);
        }
        let (table, key) = names.split_once(':').map_or((names, None), |(table, key)| (table, Some(key)));
        let pairs = parameters.map(pairs).unwrap_or_default();
        if table.is_empty() {
            return match parameters {
                None | Some("") => Ok(Self::List),
                Some(_) => wrong("name a table before the parameters: `file.db:table?limit=5`".to_owned()),
            };
        }
        let table = decoded(table);
        match key.filter(|key| !key.is_empty()) {
            Some(_) if !pairs.is_empty() => {
                wrong("a row takes no parameters; write `file.db:table:key` alone".to_owned())
            }
            Some(key) => Ok(Self::Row { table, key: decoded(key) }),
            None if pairs.is_empty() => Ok(Self::Schema { table }),
            None => rows(table, &pairs),
        }
    }
}

fn raw(names: &str, sql: &str) -> Result<Selector, DatabaseError> {
    let wrong = |message: &str| Err(DatabaseError::Selector(message.to_owned()));
    if !names.is_empty() {
        return wrong("`q` cannot be combined with a table; name the table in the query");
    }
    let others = ["limit", "offset", "order", "where"];
    if others.iter().any(|other| sql.contains(&format!("&{other}="))) {
        return wrong("`q` cannot be combined with other parameters; write them into the query");
    }
    let sql = decoded(sql);
    if sql.trim().is_empty() {
        return wrong("`q` is empty; write `file.db?q=SELECT …`");
    }
    Ok(Selector::Raw { sql })
}

fn pairs(parameters: &str) -> Vec<(&str, String)> {
    let parts = parameters.split('&').filter(|part| !part.is_empty());
    parts.map(|part| part.split_once('=').unwrap_or((part, ""))).map(|(k, v)| (k, decoded(v))).collect()
}

fn rows(table: String, pairs: &[(&str, String)]) -> Result<Selector, DatabaseError> {
    let (mut limit, mut offset, mut order, mut condition) = (DEFAULT_ROWS, 0, None, None);
    let number = |name: &str, value: &str| {
        let number = value.parse::<usize>();
        number.map_err(|_| DatabaseError::Selector(format!("`{name}` must be a whole number, not `{value}`")))
    };
    for (name, value) in pairs {
        match *name {
            "limit" => limit = number(name, value)?.clamp(1, MAX_ROWS),
            "offset" => offset = number(name, value)?,
            "order" => order = Some(sorted_by(value)?),
            "where" => {
                clause::check(value)?;
                condition = Some(value.clone());
            }
            unknown => {
                return Err(DatabaseError::Selector(format!(
                    "unknown parameter `{unknown}`; use limit, offset, order, where, or q alone"
                )));
            }
        }
    }
    Ok(Selector::Query { table, limit, offset, order, condition })
}

/// `column`, `column:asc` or `column:desc`.
fn sorted_by(value: &str) -> Result<(String, bool), DatabaseError> {
    match value.rsplit_once(':') {
        Some((column, way)) if way.eq_ignore_ascii_case("desc") => Ok((column.to_owned(), true)),
        Some((column, way)) if way.eq_ignore_ascii_case("asc") => Ok((column.to_owned(), false)),
        Some((_, way)) => Err(DatabaseError::Selector(format!(
            "order by `asc` or `desc`, not `{way}`: `order=column:desc`"
        ))),
        None if value.is_empty() => Err(DatabaseError::Selector("`order` needs a column".to_owned())),
        None => Ok((value.to_owned(), false)),
    }
}

/// The text with `%20` and the like decoded. A `+` is a space only in a text that has no space of its own: models write
/// both `SELECT+a` and `SELECT a+1`.
fn decoded(text: &str) -> String {
    let plus_is_space = !text.contains(' ');
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (b'%', [high, low, more @ ..]) => {
                let digit =
                    |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                match (digit(high), digit(low)) {
                    (Some(high), Some(low)) => {
                        bytes.push(high << 4 | low);
                        rest = more;
                    }
                    _ => bytes.push(b'%'),
                }
            }
            (b'+', _) if plus_is_space => bytes.push(b' '),
            (byte, _) => bytes.push(*byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
