//! SQLite databases, by what follows their name.

use std::io::Read;

use relay_agent::tool::{Call, Output, ToolError};
use relay_workspace::Place;
use serde_json::json;

use crate::sqlite::{Beside, Database, DatabaseError, Selector, is_database};

/// How much of a file says whether it is a database.
const HEAD_BYTES: u64 = 100;

/// The beginning of a database; nothing if the file is something else.
#[must_use]
pub fn head(place: &Place) -> Option<Vec<u8>> {
    let (file, _) = place.open_file().ok()??;
    let mut head = Vec::new();
    file.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    is_database(&head).then_some(head)
}

/// Answers what follows the database's name.
///
/// # Errors
/// The question cannot be understood, or the database says no.
pub fn read(call: &Call<'_>, place: &Place, head: &[u8], rest: &str) -> Result<Output, ToolError> {
    let failed = |error: DatabaseError| match error {
        DatabaseError::Cancelled => ToolError::aborted(),
        error => ToolError::failed(error.to_string()),
    };
    let selector = Selector::parse(rest).map_err(failed)?;
    let size_of = |ending: &str| place.facts_beside(ending).ok().flatten().map(|facts| facts.size);
    let beside = Beside { log: size_of("-wal"), index: size_of("-shm").is_some() };
    let before = place.facts().ok().flatten();
    let database = Database::open(place.absolute(), head, beside, call.cancel).map_err(failed)?;
    let answer = database.answer(&selector).map_err(failed)?;
    // SQLite opens by name. A name that meanwhile leads to another file was swapped.
    let after = place.facts().ok().flatten();
    if !before.zip(after).is_some_and(|(before, after)| before.is_same_file(&after)) {
        return Err(ToolError::failed(format!(
            "{} was replaced while it was read; read it again.",
            place.shown()
        )));
    }
    Ok(Output::text(answer).with_details(json!({ "meta": { "source": place.shown() } })))
}
