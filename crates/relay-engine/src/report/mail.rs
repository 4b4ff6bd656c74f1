//! Mail sessions as JSON.

use std::path::Path;

use relay_diagnostics::Diagnostic;
use serde::Serialize;
use serde_json::Value;

use super::{DiagnosticJson, value};
use crate::mail::{CommandResult, Listed, Session, Turn};

/// The document of `relay mail start`, `run`, `step`, `show`, `resume` and `close`: the thread, where its newest
/// message is, and the results of the replies that were taken.
#[must_use]
pub fn session(
    session: &Session,
    outbox: Option<&Path>,
    turns: &[Turn],
    diagnostics: &[Diagnostic],
) -> Value {
    let told = turns.iter().flat_map(|turn| &turn.diagnostics).chain(diagnostics);
    value(&SessionJson {
        session,
        outbox: outbox.map(|path| path.display().to_string()),
        replies: turns.iter().map(ReplyJson::from).collect(),
        diagnostics: told.map(DiagnosticJson::from).collect(),
    })
}

/// The document of `relay mail list`.
#[must_use]
pub fn sessions(listed: &[Listed]) -> Value {
    value(&listed.iter().map(ListedJson::from).collect::<Vec<_>>())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionJson<'a> {
    session: &'a Session,
    outbox: Option<String>,
    replies: Vec<ReplyJson<'a>>,
    diagnostics: Vec<DiagnosticJson<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReplyJson<'a> {
    sequence: u64,
    group: String,
    repeated: bool,
    results: &'a [CommandResult],
}

impl<'a> From<&'a Turn> for ReplyJson<'a> {
    fn from(turn: &'a Turn) -> Self {
        Self {
            sequence: turn.sequence,
            group: turn.session.group(turn.sequence),
            repeated: turn.is_repeated,
            results: &turn.results,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedJson<'a> {
    #[serde(flatten)]
    session: &'a Session,
    ours: bool,
    interrupted: bool,
}

impl<'a> From<&'a Listed> for ListedJson<'a> {
    fn from(listed: &'a Listed) -> Self {
        Self { session: &listed.session, ours: listed.is_ours, interrupted: listed.is_interrupted }
    }
}
