//! The result of each command: for the model in the next outbox, for the thread's file, for the person.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// How one command ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandResult {
    /// The command's name, such as `CREATE_FILE`.
    pub command: String,
    /// Whether it succeeded.
    pub success: bool,
    /// What happened, in one line.
    pub summary: String,
    /// What a command or a check printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What the model wants the user to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The transaction it landed as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction: Option<Uuid>,
}

impl CommandResult {
    /// It succeeded.
    pub(crate) fn ok(command: &str, summary: impl Into<String>) -> Self {
        Self { command: command.to_owned(), success: true, summary: one_line(summary), ..Self::default() }
    }

    /// It failed.
    pub(crate) fn failed(command: &str, summary: impl Into<String>) -> Self {
        Self { success: false, ..Self::ok(command, summary) }
    }

    /// With what was printed, if anything was.
    pub(crate) fn with_output(self, output: &str) -> Self {
        let output = output.trim_end();
        Self { output: (!output.is_empty()).then(|| output.to_owned()), ..self }
    }
}

/// A summary is one line, whatever it quotes.
fn one_line(text: impl Into<String>) -> String {
    let text: String = text.into();
    if text.contains(['\n', '\r']) { text.split_whitespace().collect::<Vec<_>>().join(" ") } else { text }
}
