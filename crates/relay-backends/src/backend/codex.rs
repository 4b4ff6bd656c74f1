//! Codex: `codex exec`, its events as JSON lines, and a review of its own.

use std::path::PathBuf;

use serde_json::Value;

use super::cli::{Agent, Call, Reader, Said, Surroundings, event, text};
use super::{Capabilities, Containment, Question, Scope};

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    streaming: true,
    resume: true,
    structured: true,
    local_files: true,
    review: true,
    max_cost: false,
    max_turns: false,
    containment: Containment::System,
};

/// Codex builds its own sandbox with mounts, which a program confined by Landlock may not create: with its default
/// setting, none of the model's commands would run. These settings leave the files to Relay and keep the part that
/// Relay does not do: commands get no network.
const FILES_ARE_HELD: [&str; 3] = [
    "default_permissions=\"relay\"",
    "permissions.relay.filesystem={\":root\"=\"write\"}",
    "permissions.relay.network.enabled=false",
];

pub(super) struct Codex;

impl Agent for Codex {
    fn call(&self, question: &Question<'_>, confined: bool) -> Call {
        let mut args = vec!["exec".to_owned()];
        if let Some(session) = question.resume {
            args.extend(["resume".to_owned(), session.to_owned()]);
        }
        add_settings(&mut args, question, confined);
        args.push("-".to_owned());
        let file = question.schema.map(|schema| ("--output-schema", "schema.json", schema.to_string()));
        Call { args, env: Vec::new(), stdin: question.prompt.to_owned(), file }
    }

    fn review_call(&self, scope: Scope<'_>, question: &Question<'_>, confined: bool) -> Option<Call> {
        // It takes either instructions or changes, never both.
        if !question.prompt.is_empty() {
            return None;
        }
        let mut args = vec!["exec".to_owned(), "review".to_owned()];
        add_settings(&mut args, question, confined);
        let scope = match scope {
            Scope::Base(branch) => vec!["--base", branch],
            Scope::Uncommitted => vec!["--uncommitted"],
            Scope::Commit(id) => vec!["--commit", id],
        };
        args.extend(scope.into_iter().map(str::to_owned));
        Some(Call { args, ..Call::default() })
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Events::default())
    }

    fn own_folders(&self, surroundings: &Surroundings) -> Vec<PathBuf> {
        surroundings.folder("CODEX_HOME", ".codex").into_iter().collect()
    }

    fn is_logged_in(&self, surroundings: &Surroundings) -> Option<bool> {
        let has_file =
            surroundings.folder("CODEX_HOME", ".codex").is_some_and(|home| home.join("auth.json").is_file());
        Some(has_file || surroundings.has("OPENAI_API_KEY") || surroundings.has("CODEX_API_KEY"))
    }
}

/// The arguments of every call. `resume` and `review` have no flag for the sandbox, but all take settings.
fn add_settings(args: &mut Vec<String>, question: &Question<'_>, confined: bool) {
    args.extend(["--json", "--skip-git-repo-check"].map(str::to_owned));
    let own = [format!("sandbox_mode=\"{}\"", question.sandbox)];
    let settings = if confined { FILES_ARE_HELD.map(str::to_owned).to_vec() } else { own.to_vec() };
    args.extend(settings.into_iter().flat_map(|setting| ["-c".to_owned(), setting]));
    if let Some(model) = question.model {
        args.extend(["-m".to_owned(), model.to_owned()]);
    }
}

/// Messages arrive whole. The last one is the answer; those before it describe its progress.
#[derive(Default)]
struct Events(Said);

impl Reader for Events {
    fn line(&mut self, line: &str) -> Option<String> {
        let event = event(line)?;
        match event.get("type").and_then(Value::as_str)? {
            "thread.started" => self.0.answer.session = text(&event, "/thread_id"),
            "item.completed" if text(&event, "/item/type").as_deref() == Some("agent_message") => {
                let message = text(&event, "/item/text")?;
                self.0.answer.text.clone_from(&message);
                return Some(message + "\n");
            }
            "turn.failed" => self.0.error = text(&event, "/error/message"),
            "error" => self.0.error = text(&event, "/message"),
            // A later successful turn cancels an earlier failure that was retried.
            "turn.completed" => self.0.error = None,
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
    use crate::backend::Sandbox;
    use crate::backend::tests::question;

    #[test]
    fn the_last_message_is_the_answer() {
        let (pieces, said) = read(
            &Codex,
            &[
                r#"{"type":"thread.started","thread_id":"t-1"}"#,
                r#"{"type":"item.completed","item":{"type":"reasoning","text":"hm"}}"#,
                r#"{"type":"item.completed","item":{"type":"agent_message","text":"Looking."}}"#,
                "not an event",
                r#"{"type":"item.completed","item":{"type":"agent_message","text":"Fine."}}"#,
                r#"{"type":"turn.completed","usage":{}}"#,
            ],
        );
        assert_eq!(pieces, ["Looking.\n", "Fine.\n"]);
        assert_eq!((said.answer.text.as_str(), said.answer.session.as_deref()), ("Fine.", Some("t-1")));
        assert_eq!(said.error, None);
    }

    #[test]
    fn a_failed_turn_is_an_error() {
        let (_, said) = read(&Codex, &[r#"{"type":"turn.failed","error":{"message":"no credit"}}"#]);
        assert_eq!(said.error.as_deref(), Some("no credit"));
    }

    #[test]
    fn the_prompt_is_never_an_argument() {
        let question = Question { model: Some("m"), ..question("secret", Sandbox::ReadOnly) };
        let call = Codex.call(&question, false);
        assert_eq!(call.stdin, "secret");
        assert!(!call.args.iter().any(|arg| arg.contains("secret")));
        assert!(
            call.args.contains(&"sandbox_mode=\"read-only\"".to_owned())
                && call.args.ends_with(&["-".to_owned()])
        );
    }
    #[test]
    fn its_own_sandbox_is_not_nested_in_another() {
        let question = question("q", Sandbox::ReadOnly);
        let settings = |confined| Codex.call(&question, confined).args.join(" ");
        assert!(settings(false).contains("sandbox_mode") && !settings(false).contains("permissions"));
        assert!(!settings(true).contains("sandbox_mode") && settings(true).contains("network.enabled=false"));
    }

    #[test]
    fn instructions_are_not_dropped_to_use_its_own_review() {
        let review =
            |prompt| Codex.review_call(Scope::Uncommitted, &question(prompt, Sandbox::ReadOnly), true);
        assert!(review("").is_some() && review("Look at the locks.").is_none());
    }
}
