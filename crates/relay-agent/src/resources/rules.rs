//! `rule://NAME`: the text of a rule that the system prompt only lists.

use relay_diagnostics::Cancel;

use super::{Resource, Scheme};
use crate::rules::Rule;
use crate::tool::ToolError;

/// The rules of a session, by name.
#[derive(Clone, Debug, Default)]
pub struct RuleTexts {
    rules: Vec<Rule>,
}

impl RuleTexts {
    /// These rules.
    #[must_use]
    pub fn new(rules: Vec<Rule>) -> Self {
        Self { rules }
    }
}

impl Scheme for RuleTexts {
    fn name(&self) -> &str {
        "rule"
    }

    fn read(&self, rest: &str, _: &Cancel) -> Result<Resource, ToolError> {
        let name = rest.trim_matches('/');
        let found = self.rules.iter().find(|rule| rule.name == name);
        let rule = found.ok_or_else(|| {
            ToolError::Failed(format!("There is no rule `{name}`. There are: {}.", self.list().join(", ")))
        })?;
        Ok(Resource { text: rule.framed(), media_type: "text/markdown".to_owned(), ..Resource::default() })
    }

    fn list(&self) -> Vec<String> {
        self.rules.iter().map(|rule| rule.name.clone()).collect()
    }
}
