//! The terms of a question or review: what a backend may do, and how long and how much it may take.

use std::path::Path;
use std::time::Duration;

use relay_llm::Limit;

use super::{AskError, check_place};
use crate::backend::{Backend, Backends, Sandbox};

/// What a backend may do, and how long and how much it may take.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// What the backend may do.
    pub sandbox: Sandbox,
    /// How long one answer may take.
    pub timeout: Duration,
    /// The limits on all its answers together.
    pub limit: Limit,
}

impl Terms {
    /// The backend with this name, if it accepts these terms for this repository. Checks in the documented order:
    /// timeout, repository, backend, sandbox, limits.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn check<'a>(
        &self,
        name: &str,
        repo: &Path,
        backends: &'a Backends,
    ) -> Result<&'a dyn Backend, AskError> {
        check_place(self.timeout, repo)?;
        let backend = backends.get(name)?;
        if !backend.sandboxes().contains(&self.sandbox) {
            let allowed = backend.sandboxes().iter().map(|sandbox| sandbox.name()).collect();
            return Err(AskError::Sandbox { backend: name.to_owned(), sandbox: self.sandbox, allowed });
        }
        backend.check_limit(&self.limit)?;
        backend.check_sandbox(self.sandbox)?;
        Ok(backend)
    }
}
