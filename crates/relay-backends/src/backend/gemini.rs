//! Gemini CLI: headless, its events as JSON lines.

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

pub(super) struct Gemini;

impl Agent for Gemini {
    fn call(&self, question: &Question<'_>, _confined: bool) -> Call {
        let mode = match question.sandbox {
            Sandbox::ReadOnly => "plan",
            Sandbox::WorkspaceWrite => "auto_edit",
            Sandbox::DangerFullAccess => "yolo",
        };
        let mut args: Vec<String> =
            ["--output-format", "stream-json", "--skip-trust", "--approval-mode", mode]
                .map(str::to_owned)
                .into();
        for (flag, value) in [("--model", question.model), ("--resume", question.resume)] {
            args.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value.to_owned()]));
        }
        Call { args, stdin: question.prompt.to_owned(), ..Call::default() }
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Events::default())
    }

    fn own_folders(&self, surroundings: &Surroundings) -> Vec<PathBuf> {
        surroundings.folder("", ".gemini").into_iter().collect()
    }

    fn is_logged_in(&self, surroundings: &Surroundings) -> Option<bool> {
        let has_file =
            surroundings.folder("", ".gemini").is_some_and(|own| own.join("oauth_creds.json").is_file());
        Some(has_file || surroundings.has("GEMINI_API_KEY") || surroundings.has("GOOGLE_API_KEY"))
    }
}

/// Messages come in pieces; together they are the answer.
#[derive(Default)]
struct Events(Said);

impl Reader for Events {
    fn line(&mut self, line: &str) -> Option<String> {
        let event = event(line)?;
        match event.get("type").and_then(Value::as_str)? {
            "init" => {
                self.0.answer.session = text(&event, "/session_id");
                self.0.answer.model = text(&event, "/model");
            }
            "message" if text(&event, "/role").as_deref() == Some("assistant") => {
                let piece = text(&event, "/content")?;
                self.0.answer.text.push_str(&piece);
                return Some(piece);
            }
            "error" => self.0.error = text(&event, "/message"),
            "result" => match text(&event, "/status").as_deref() {
                Some("success") => self.0.error = None,
                _ => self.0.error = text(&event, "/error/message").or_else(|| self.0.error.take()),
            },
            _ => {}
        }
        None
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
    fn pieces_make_the_answer() {
        let (pieces, said) = read(
            &Gemini,
            &[
                r#"{"type":"init","session_id":"g-1","model":"m"}"#,
                r#"{"type":"message","role":"user","content":"question"}"#,
                r#"{"type":"message","role":"assistant","content":"Hel","delta":true}"#,
                r#"{"type":"message","role":"assistant","content":"lo","delta":true}"#,
                r#"{"type":"result","status":"success"}"#,
            ],
        );
        assert_eq!((pieces.join("|").as_str(), said.answer.text.as_str()), ("Hel|lo", "Hello"));
        assert_eq!(said.error, None);
    }
}
