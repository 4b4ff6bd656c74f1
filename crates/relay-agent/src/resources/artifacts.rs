//! `artifact://3`: output that was too long for the conversation.

use relay_diagnostics::Cancel;
use relay_store::Artifacts;

use super::{Resource, Scheme};
use crate::tool::ToolError;

/// How much of an artifact is read.
const LIMIT_BYTES: u64 = 16 << 20;

/// The artifacts of a session.
pub struct ArtifactTexts {
    artifacts: Option<Artifacts>,
}

impl ArtifactTexts {
    /// Those that are kept here; none for a session that keeps nothing.
    #[must_use]
    pub fn new(artifacts: Option<Artifacts>) -> Self {
        Self { artifacts }
    }
}

impl Scheme for ArtifactTexts {
    fn name(&self) -> &str {
        "artifact"
    }

    fn read(&self, rest: &str, _: &Cancel) -> Result<Resource, ToolError> {
        let failed = |error: relay_store::StoreError| ToolError::Failed(error.to_string());
        let kept = self.artifacts.as_ref();
        let kept = kept.ok_or_else(|| ToolError::failed("This session keeps no artifacts."))?;
        let found = match rest.trim_matches('/').parse() {
            Ok(id) => kept.read(id, LIMIT_BYTES).map_err(failed)?,
            Err(_) => None,
        };
        let bytes = found.ok_or_else(|| match self.list().join(", ") {
            there if there.is_empty() => ToolError::failed("This session has no artifacts yet."),
            there => ToolError::Failed(format!("There is no artifact `{rest}`. There are: {there}.")),
        })?;
        Ok(Resource::text(String::from_utf8_lossy(&bytes)))
    }

    fn list(&self) -> Vec<String> {
        let known = self.artifacts.as_ref().and_then(|artifacts| artifacts.list().ok()).unwrap_or_default();
        known.iter().map(|artifact| artifact.id.to_string()).collect()
    }
}
