//! Mail sessions as JSON.

use std::path::Path;

use relay_diagnostics::Diagnostic;
use serde_json::{Value, json};

use super::{add, diagnostic, value};
use crate::mail::{Listed, Session, Turn};

/// The document of `relay mail start`, `run`, `step`, `show`, `resume` and `close`: the thread, where its newest
/// message is, and the results of the replies that were taken.
#[must_use]
pub fn session(
    session: &Session,
    outbox: Option<&Path>,
    turns: &[Turn],
    diagnostics: &[Diagnostic],
) -> Value {
    let found = turns.iter().flat_map(|turn| &turn.diagnostics).chain(diagnostics);
    json!({
        "session": session,
        "outbox": outbox.map(|path| path.display().to_string()),
        "replies": turns.iter().map(reply).collect::<Vec<_>>(),
        "diagnostics": found.map(diagnostic).collect::<Vec<_>>(),
    })
}

/// The document of `relay mail list`.
#[must_use]
pub fn sessions(listed: &[Listed]) -> Value {
    let one = |listed: &Listed| {
        let mut document = value(&listed.session);
        add(&mut document, "ours", Some(listed.is_ours));
        add(&mut document, "interrupted", Some(listed.is_interrupted));
        document
    };
    listed.iter().map(one).collect()
}

fn reply(turn: &Turn) -> Value {
    json!({
        "sequence": turn.sequence,
        "group": turn.session.group(turn.sequence),
        "repeated": turn.is_repeated,
        "results": turn.results,
    })
}
