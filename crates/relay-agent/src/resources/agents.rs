//! `agent://ID`: what a subagent answered. A path or `?q=` takes a part out of an answer that is JSON.

use relay_diagnostics::Cancel;
use relay_store::Artifacts;

use super::{Resource, Scheme, extract};
use crate::tool::ToolError;

/// How much of an answer is read.
const LIMIT_BYTES: u64 = 16 << 20;

/// The answers of a session's subagents.
pub struct AgentTexts {
    artifacts: Option<Artifacts>,
}

impl AgentTexts {
    /// Those that are kept here; none for a session that keeps nothing.
    #[must_use]
    pub fn new(artifacts: Option<Artifacts>) -> Self {
        Self { artifacts }
    }
}

impl Scheme for AgentTexts {
    fn name(&self) -> &str {
        "agent"
    }

    fn read(&self, rest: &str, _: &Cancel) -> Result<Resource, ToolError> {
        let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
        let (id, path) = rest.split_once('/').unwrap_or((rest, ""));
        let kept = self.artifacts.as_ref();
        let kept = kept.ok_or_else(|| ToolError::failed("This session keeps no answers of agents."))?;
        // A name that is not one has no file.
        let find = |ending: &str| kept.read_named(&format!("{id}{ending}"), LIMIT_BYTES).ok().flatten();
        let bytes = find(".md").or_else(|| find(".json")).ok_or_else(|| {
            ToolError::Failed(format!("There is no answer of an agent `{id}` in this session."))
        })?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if path.is_empty() && query.is_none() {
            return Ok(Resource::text(text));
        }
        let way = match query {
            Some(query) => query.strip_prefix("q=").unwrap_or(query).to_owned(),
            None => path.replace('/', "."),
        };
        let text = extract::from_json(&text, &way).map_err(|reason| {
            ToolError::Failed(format!("{reason} Read agent://{id} to see the whole answer."))
        })?;
        Ok(Resource { is_part: true, ..Resource::text(text) })
    }
}
