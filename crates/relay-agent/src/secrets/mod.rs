//! Secrets: masked before they leave the machine, restored in the arguments of tools.
//!
//! A [`Masker`] belongs to one session. What goes to a model passes through it: every credential is replaced by a
//! placeholder such as `RELAY_MASKED_GITHUB_TOKEN_3F2A9C1D`. What the model wants a tool to do passes through it in the
//! other direction, so that a tool gets the value. Sessions and logs keep the placeholders: a value is never written
//! there. What is found are the credentials that `relay pack` finds, values of telling environment variables, and what
//! the user's `secrets.yml` names ([`Own`]).
//!
//! A placeholder that is not known is refused, never passed on: it would end up in a file.

mod own;
mod restore;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use relay_engine::secrets::{Vault, mask_in};
use relay_llm as llm;
use serde_json::{Map, Value};

pub use own::{Own, OwnError};
pub use restore::{Restorer, Unrestored};

/// Within a session, a value may return wherever a tool needs it.
const SCOPE: &str = "session";
/// The name of the user's file of patterns, in their config folder.
pub const FILE: &str = "secrets.yml";
/// The name of a repository's file of patterns.
pub const PROJECT_FILE: &str = ".relay/secrets.yml";

/// Masks and restores the secrets of one session.
#[derive(Clone, Debug)]
pub struct Masker {
    vault: Vault,
    own: Own,
    is_on: bool,
}

impl Masker {
    /// A masker that knows what the user named. The same key makes the same placeholders again.
    #[must_use]
    pub fn new(key: &[u8; 32], own: Own) -> Self {
        Self { vault: Vault::new(key), own, is_on: true }
    }

    /// A masker that changes nothing, for `secrets.enabled = false`.
    #[must_use]
    pub fn off() -> Self {
        Self { vault: Vault::new(&[0; 32]), own: Own::default(), is_on: false }
    }

    /// Goes on with the values of an earlier part of the session, from [`Masker::to_json`].
    ///
    /// # Errors
    /// The text is not what was kept.
    pub fn with_values(mut self, key: &[u8; 32], kept: &str) -> serde_json::Result<Self> {
        self.vault = Vault::from_json(key, kept)?;
        Ok(self)
    }

    /// The values it knows. They are secrets: keep them where only the user can read them.
    ///
    /// # Errors
    /// None that is known; serialisation says so itself.
    pub fn to_json(&self) -> serde_json::Result<String> {
        self.vault.to_json()
    }

    /// A text as it may leave the machine. `name` is that of the file it comes from, or empty. Masking twice is masking
    /// once.
    pub fn mask(&mut self, name: &str, text: &str) -> String {
        if !self.is_on || text.is_empty() {
            return text.to_owned();
        }
        let text = self.own.replaced(text);
        let own = self.own.find(&text);
        mask_in(SCOPE, name, &text, &own, &mut self.vault).text
    }

    /// Masks a whole request: instructions, messages, results and arguments.
    pub fn mask_request(&mut self, request: &mut llm::Request) {
        if !self.is_on {
            return;
        }
        request.system = self.mask("", &request.system);
        let mut paths = HashMap::new();
        for message in &mut request.messages {
            self.mask_message_with(message, &mut paths);
        }
    }

    /// Masks one message.
    pub fn mask_message(&mut self, message: &mut llm::Message) {
        self.mask_message_with(message, &mut HashMap::new());
    }

    /// Masks a message. The files that calls name say what their results are: a value in an `.env` file is a secret.
    fn mask_message_with(&mut self, message: &mut llm::Message, paths: &mut HashMap<String, String>) {
        for block in &mut message.content {
            match block {
                // What a provider sealed must come back as it was. A model writes no value that it was not shown.
                llm::Block::Text { text, seal: None } | llm::Block::Thinking { text, seal: None } => {
                    *text = self.mask("", text);
                }
                llm::Block::ToolCall(call) => {
                    if let llm::Arguments::Object(arguments) = &mut call.arguments {
                        let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
                        paths.insert(call.id.clone(), path.to_owned());
                        self.mask_values(arguments);
                    }
                }
                llm::Block::ToolResult(result) => {
                    let name = paths.get(&result.call_id).map_or("", String::as_str).to_owned();
                    for block in &mut result.content {
                        if let llm::Block::Text { text, .. } = block {
                            *text = self.mask(&name, text);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn mask_values(&mut self, object: &mut Map<String, Value>) {
        object
            .values_mut()
            .for_each(|value| each_text(value, &mut |text| Ok(self.mask("", text))).unwrap_or(()));
    }

    /// A text with its values, for a tool.
    ///
    /// # Errors
    /// It has placeholders that are not known.
    pub fn restore(&self, text: &str) -> Result<String, Unrestored> {
        if !self.is_on {
            return Ok(text.to_owned());
        }
        self.vault.restore(SCOPE, text).map_err(|unknown| Unrestored {
            placeholders: unknown.into_iter().map(|unknown| unknown.placeholder).collect(),
        })
    }

    /// The arguments of a call with their values, for its tool. The log keeps the arguments as they were.
    ///
    /// # Errors
    /// They have placeholders that are not known; the tool must not run.
    pub fn restore_arguments(
        &self,
        arguments: &Map<String, Value>,
    ) -> Result<Map<String, Value>, Unrestored> {
        let mut restored = arguments.clone();
        for value in restored.values_mut() {
            each_text(value, &mut |text| self.restore(text))?;
        }
        Ok(restored)
    }
}

/// Changes every text in a JSON value. The names of fields are not values, and nesting is bounded by whoever parsed it.
fn each_text(
    value: &mut Value,
    change: &mut dyn FnMut(&str) -> Result<String, Unrestored>,
) -> Result<(), Unrestored> {
    match value {
        Value::String(text) => *text = change(text)?,
        Value::Array(values) => values.iter_mut().try_for_each(|value| each_text(value, change))?,
        Value::Object(fields) => fields.values_mut().try_for_each(|value| each_text(value, change))?,
        _ => {}
    }
    Ok(())
}
