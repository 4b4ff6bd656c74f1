//! How bytes that are known exactly land: through the engine, as one transaction of the channel `agent`.

use relay_agent::policy::Level;
use relay_agent::tool::{Call, Landing, ToolError};
use relay_engine::{Exact, Status, Unobserved, group, land_exact};
use relay_workspace::RelPath;
use uuid::Uuid;

use crate::edit::{refused, worded};

/// Gives a file these bytes, which were worked out from `before`. Hands back the transaction, if something changed.
///
/// # Errors
/// The file changed meanwhile, the change was not allowed, or the call was told to end.
pub fn land_bytes(
    call: &Call<'_>,
    path: &RelPath,
    before: Option<&[u8]>,
    after: Vec<u8>,
    reason: &str,
) -> Result<Vec<Uuid>, ToolError> {
    ToolError::check(call.cancel)?;
    let group = group::of_call(&call.services.session, &call.facts.turn, call.id);
    let model = Some(call.facts.model.as_str());
    let exact = Exact { channel: "agent", reason, model, group: Some(&group), path, before, after };
    let mut approver = Landing::new(Level::Auto, call.services);
    let outcome = land_exact(&call.services.engine, exact, &mut approver, &mut Unobserved);
    match outcome.status {
        Status::Committed | Status::Unchanged => {}
        Status::Interrupted => return Err(ToolError::aborted()),
        _ => return Err(refused(outcome.diagnostics.iter().filter(|found| found.is_error()).map(worded))),
    }
    Ok(outcome.uuid.filter(|_| !outcome.changes.is_empty()).into_iter().collect())
}
