//! opencode: `opencode run`, its events as JSON lines.

use std::path::PathBuf;

use serde_json::Value;

use super::cli::{Agent, Call, Reader, Said, Surroundings, event, text};
use super::{Capabilities, Containment, Question, Sandbox};

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    streaming: true,
    resume: true,
    structured: false,
    local_files: true,
    review: false,
    max_cost: false,
    max_turns: false,
    containment: Containment::ToolPolicy,
};

/// Passes opencode its permissions; it reads this besides its own settings.
const PERMISSION_VARIABLE: &str = "OPENCODE_PERMISSION";

pub(super) struct Opencode;

impl Agent for Opencode {
    fn call(&self, question: &Question<'_>, _confined: bool) -> Call {
        let mut args: Vec<String> = ["run", "--format", "json"].map(str::to_owned).into();
        for (flag, value) in [("--model", question.model), ("--session", question.resume)] {
            args.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value.to_owned()]));
        }
        let permission = match question.sandbox {
            Sandbox::ReadOnly => r#"{"edit":"deny","bash":"deny"}"#,
            Sandbox::WorkspaceWrite => r#"{"edit":"allow","bash":"deny"}"#,
            Sandbox::DangerFullAccess => r#"{"edit":"allow","bash":"allow"}"#,
        };
        let env = vec![(PERMISSION_VARIABLE.to_owned(), permission.to_owned())];
        Call { args, env, stdin: question.prompt.to_owned(), file: None }
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Events::default())
    }

    fn own_folders(&self, surroundings: &Surroundings) -> Vec<PathBuf> {
        [
            ("XDG_DATA_HOME", ".local/share"),
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_CACHE_HOME", ".cache"),
            ("XDG_STATE_HOME", ".local/state"),
        ]
        .into_iter()
        .filter_map(|(variable, below)| Some(surroundings.folder(variable, below)?.join("opencode")))
        .collect()
    }

    fn is_logged_in(&self, surroundings: &Surroundings) -> Option<bool> {
        let data = surroundings.folder("XDG_DATA_HOME", ".local/share")?;
        // A key of any provider is enough, and so is a local model server: Relay can only see a login.
        data.join("opencode").join("auth.json").is_file().then_some(true)
    }
}

/// Texts arrive whole, one per step.
#[derive(Default)]
struct Events(Said);

impl Reader for Events {
    fn line(&mut self, line: &str) -> Option<String> {
        let event = event(line)?;
        if let Some(session) = text(&event, "/sessionID") {
            self.0.answer.session = Some(session);
        }
        match event.get("type").and_then(Value::as_str)? {
            "text" => {
                let piece = text(&event, "/part/text")?;
                self.0.answer.text.clone_from(&piece);
                Some(piece + "\n")
            }
            "error" => {
                let error = event.get("error")?;
                self.0.error = text(error, "/data/message").or_else(|| text(error, "/name"));
                None
            }
            _ => None,
        }
    }

    fn finish(self: Box<Self>) -> Said {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::cli::read;
    use super::*;

    #[test]
    fn the_last_text_is_the_answer() {
        let (pieces, said) = read(
            &Opencode,
            &[
                r#"{"type":"step_start","sessionID":"ses_1","part":{}}"#,
                r#"{"type":"text","sessionID":"ses_1","part":{"type":"text","text":"Hello"}}"#,
            ],
        );
        assert_eq!(pieces, ["Hello\n"]);
        assert_eq!((said.answer.text.as_str(), said.answer.session.as_deref()), ("Hello", Some("ses_1")));
    }

    #[test]
    fn an_error_is_reported_in_its_own_words() {
        let line = r#"{"type":"error","error":{"name":"APIError","data":{"message":"no key"}}}"#;
        assert_eq!(read(&Opencode, &[line]).1.error.as_deref(), Some("no key"));
    }
}
