//! `memory://root`: what is remembered from other sessions.

use relay_diagnostics::Cancel;

use super::{Resource, Scheme};
use crate::tool::ToolError;

/// A memory that has nothing yet. One that has takes its place.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoMemory;

impl Scheme for NoMemory {
    fn name(&self) -> &str {
        "memory"
    }

    fn read(&self, _: &str, _: &Cancel) -> Result<Resource, ToolError> {
        // Nothing there is not the same as nothing to remember: the model must claim neither.
        Err(ToolError::failed("No memory is confirmed. Do not claim that anything was saved or remembered."))
    }
}
