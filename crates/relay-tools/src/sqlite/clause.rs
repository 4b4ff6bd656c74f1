//! Conditions of a query: one expression, nothing that could end it and begin something else.
//!
//! The database refuses writes whatever is in here; this check gives a reason that names the word, and keeps the limits
//! of the query from being written around (`1 LIMIT 100000`).

use super::DatabaseError;

const REFUSED: [&str; 24] = [
    "ALTER",
    "ANALYZE",
    "ATTACH",
    "BEGIN",
    "COMMIT",
    "CREATE",
    "DELETE",
    "DETACH",
    "DROP",
    "EXCEPT",
    "GROUP",
    "HAVING",
    "INSERT",
    "INTERSECT",
    "LIMIT",
    "OFFSET",
    "ORDER",
    "PRAGMA",
    "REINDEX",
    "REPLACE",
    "UNION",
    "UPDATE",
    "VACUUM",
    "WINDOW",
];

/// Checks a condition.
///
/// # Errors
/// A comment, a semicolon, a word that does not belong into a condition, or a quote without its end.
pub fn check(condition: &str) -> Result<(), DatabaseError> {
    let refuse = |what: &str| {
        Err(DatabaseError::Selector(format!(
            "`where` may not contain {what}; write one condition, or use `?q=`"
        )))
    };
    if condition.trim().is_empty() {
        return Err(DatabaseError::Selector("`where` is empty".to_owned()));
    }
    let mut rest = condition;
    let mut depth = 0usize;
    while let Some(first) = rest.chars().next() {
        let tail = rest.get(first.len_utf8()..).unwrap_or_default();
        match first {
            ';' => return refuse("`;`"),
            '\0' => return refuse("a null character"),
            '-' if tail.starts_with('-') => return refuse("a comment"),
            '/' if tail.starts_with('*') => return refuse("a comment"),
            '(' => depth += 1,
            ')' if depth == 0 => return refuse("a `)` without its `(`"),
            ')' => depth -= 1,
            '\'' | '"' | '`' => {
                // A doubled quote is one inside the text, so the pieces between quotes are just passed over.
                let Some(end) = tail.find(first) else { return refuse("a quote without its end") };
                rest = tail.get(end + 1..).unwrap_or_default();
                continue;
            }
            '[' => {
                let Some(end) = tail.find(']') else { return refuse("a `[` without its `]`") };
                rest = tail.get(end + 1..).unwrap_or_default();
                continue;
            }
            letter if letter.is_alphabetic() || letter == '_' => {
                let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                let (word, after) = rest.split_at(length);
                // `replace(…)` is a function, too.
                let is_call = after.trim_start().starts_with('(') && word.eq_ignore_ascii_case("replace");
                if !is_call && REFUSED.iter().any(|refused| refused.eq_ignore_ascii_case(word)) {
                    return refuse(&format!("`{word}`"));
                }
                rest = after;
                continue;
            }
            _ => {}
        }
        rest = tail;
    }
    if depth > 0 { refuse("a `(` without its `)`") } else { Ok(()) }
}
