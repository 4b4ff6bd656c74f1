//! Decides, before anything starts, whether Relay must watch the workspace while backends answer.

use std::path::Path;

use super::AskError;
use crate::backend::{Backends, Sandbox};

/// Whether the workspace must be watched, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watch {
    /// The system keeps every backend from writing.
    NotNeeded,
    /// The backend may write.
    MayWrite,
    /// These backends must not write, but only their own rules prevent it.
    CouldWrite(Vec<String>),
}

impl Watch {
    /// Decides for the backends that will be asked.
    ///
    /// # Errors
    /// Several backends may write: Relay could not attribute their changes.
    pub fn decide(
        backends: &Backends,
        names: &[String],
        repo: &Path,
        sandbox: Sandbox,
    ) -> Result<Self, AskError> {
        if sandbox != Sandbox::ReadOnly {
            return if names.len() > 1 { Err(AskError::SeveralWriters) } else { Ok(Self::MayWrite) };
        }
        let could_write =
            |name: &&String| backends.get(name).is_ok_and(|backend| !backend.keeps_read_only(repo));
        let unkept: Vec<String> = names.iter().filter(could_write).cloned().collect();
        Ok(if unkept.is_empty() { Self::NotNeeded } else { Self::CouldWrite(unkept) })
    }

    /// Whether the workspace must be watched.
    #[must_use]
    pub fn is_needed(&self) -> bool {
        *self != Self::NotNeeded
    }

    /// What the user should know before the backends start.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let Self::CouldWrite(names) = self else { return None };
        let names = names.join(", ");
        Some(format!("only their own rules keep {names} from writing here; Relay reports any changes"))
    }
}
