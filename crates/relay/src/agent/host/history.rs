//! The prompts that the user typed earlier.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Binary, limit, needed, text};

/// How many prompts are listed unless more are asked for.
const LISTED: usize = 100;

impl Binary {
    pub(super) fn about_history(&self, command: &str, arguments: &Value) -> Option<Result<Value, String>> {
        Some(match command {
            "get_prompt_history" => self.prompts(arguments),
            "add_prompt_history" => needed(arguments, "text").map(|prompt| {
                let now = Timestamp::now().as_millisecond();
                self.reach.store.history().writer().add(prompt, self.cwd(), now);
                Value::Null
            }),
            _ => return None,
        })
    }

    /// The newest prompts, or those that match a query.
    fn prompts(&self, arguments: &Value) -> Result<Value, String> {
        let history = self.reach.store.history();
        let limit = limit(arguments, LISTED);
        let found = match text(arguments, "query").filter(|query| !query.trim().is_empty()) {
            Some(query) => history.search(query, limit),
            None => history.recent(limit),
        };
        let prompts: Vec<Value> = found
            .map_err(|error| error.to_string())?
            .iter()
            .map(|prompt| json!({ "text": prompt.text, "createdAt": prompt.created_at, "cwd": prompt.cwd }))
            .collect();
        Ok(json!({ "prompts": prompts }))
    }
}
