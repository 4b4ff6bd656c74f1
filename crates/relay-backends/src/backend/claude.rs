//! Claude Code: `claude --print`, its events as JSON lines, its text as it is written.

use std::path::PathBuf;

use relay_llm::{Limit, Spending, Usage};
use serde_json::Value;

use super::cli::{Agent, Call, Reader, Said, Surroundings, event, text};
use super::{Capabilities, Containment, Question, Sandbox};

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    streaming: true,
    resume: true,
    structured: true,
    local_files: true,
    review: false,
    max_cost: true,
    max_turns: true,
    containment: Containment::ToolPolicy,
};

/// Read-only tools.
const READING_TOOLS: &str = "Read,Grep,Glob";

pub(super) struct Claude;

impl Agent for Claude {
    fn call(&self, question: &Question<'_>, _confined: bool) -> Call {
        let mut args: Vec<String> =
            ["--print", "--output-format", "stream-json", "--verbose", "--include-partial-messages"]
                .map(str::to_owned)
                .into();
        args.extend(
            match question.sandbox {
                Sandbox::ReadOnly => ["--tools", READING_TOOLS],
                Sandbox::WorkspaceWrite => ["--permission-mode", "acceptEdits"],
                Sandbox::DangerFullAccess => ["--permission-mode", "bypassPermissions"],
            }
            .map(str::to_owned),
        );
        for (flag, value) in [("--model", question.model), ("--resume", question.resume)] {
            args.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value.to_owned()]));
        }
        if let Some(schema) = question.schema {
            args.extend(["--json-schema".to_owned(), schema.to_string()]);
        }
        let Limit { cost, turns, .. } = question.limit;
        for (flag, value) in [
            // If less is left than the smallest amount it accepts, it gets that amount.
            ("--max-budget-usd", cost.map(|cost| format!("{:.4}", cost.max(0.0001)))),
            ("--max-turns", turns.map(|turns| turns.to_string())),
        ] {
            args.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value]));
        }
        Call { args, stdin: question.prompt.to_owned(), ..Call::default() }
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Events::default())
    }

    fn own_folders(&self, surroundings: &Surroundings) -> Vec<PathBuf> {
        surroundings.folder("CLAUDE_CONFIG_DIR", ".claude").into_iter().collect()
    }

    fn own_files(&self, surroundings: &Surroundings) -> Vec<PathBuf> {
        surroundings.folder("", ".claude.json").into_iter().collect()
    }

    fn is_logged_in(&self, surroundings: &Surroundings) -> Option<bool> {
        let own = surroundings.folder("CLAUDE_CONFIG_DIR", ".claude");
        let has_file = own.is_some_and(|own| own.join(".credentials.json").is_file());
        let has_key = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"]
            .iter()
            .any(|name| surroundings.has(name));
        // On a Mac the login is in the keychain, which Relay cannot see.
        if has_file || has_key {
            Some(true)
        } else if cfg!(target_os = "macos") {
            None
        } else {
            Some(false)
        }
    }
}

/// Text arrives in small pieces, and again as a whole in the result.
#[derive(Default)]
struct Events(Said);

impl Reader for Events {
    fn line(&mut self, line: &str) -> Option<String> {
        let event = event(line)?;
        match event.get("type").and_then(Value::as_str)? {
            "system" => {
                self.0.answer.session = text(&event, "/session_id").or_else(|| self.0.answer.session.take());
                self.0.answer.model = text(&event, "/model").or_else(|| self.0.answer.model.take());
                None
            }
            // Text from a subagent's conversation is not part of the answer.
            "stream_event" if event.get("parent_tool_use_id").is_none_or(Value::is_null) => {
                text(&event, "/event/delta/text")
            }
            "result" => {
                let result = text(&event, "/result").unwrap_or_default();
                let kind = text(&event, "/subtype").unwrap_or_default();
                self.0.spending = Some(spending(&event));
                let has_failed = event.get("is_error").and_then(Value::as_bool) == Some(true);
                if has_failed || kind.starts_with("error") {
                    self.0.error = Some(if result.is_empty() { reason(&kind).to_owned() } else { result });
                } else {
                    let structured = event.get("structured_output").filter(|value| !value.is_null());
                    self.0.answer.text = structured.map_or(result, Value::to_string);
                }
                None
            }
            _ => None,
        }
    }

    fn finish(self: Box<Self>) -> Said {
        self.0
    }
}

/// Why it ended, in words for people.
fn reason(kind: &str) -> &str {
    match kind {
        "error_max_turns" => "it used all its turns (--max-turns)",
        "error_max_budget_usd" => "it spent all its money (--max-cost)",
        kind => kind,
    }
}

/// The usage that a result reports.
fn spending(event: &Value) -> Spending {
    let number = |pointer: &str| event.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
    Spending {
        turns: u32::try_from(number("/num_turns")).unwrap_or(u32::MAX),
        usage: Usage {
            input: number("/usage/input_tokens"),
            cache_read: number("/usage/cache_read_input_tokens"),
            cache_write: number("/usage/cache_creation_input_tokens"),
            output: number("/usage/output_tokens"),
            reasoning: 0,
        },
        cost: event.get("total_cost_usd").and_then(Value::as_f64),
        is_estimate: false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::cli::read;
    use super::*;
    use crate::backend::tests::question;

    #[test]
    fn pieces_arrive_as_they_are_written() {
        let (pieces, said) = read(
            &Claude,
            &[
                r#"{"type":"system","subtype":"init","session_id":"s-1","model":"m"}"#,
                r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"Hel"}},"parent_tool_use_id":null}"#,
                r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"inner"}},"parent_tool_use_id":"t"}"#,
                r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"lo"}},"parent_tool_use_id":null}"#,
                r#"{"type":"result","subtype":"success","is_error":false,"result":"Hello"}"#,
            ],
        );
        assert_eq!(pieces, ["Hel", "lo"]);
        assert_eq!((said.answer.text.as_str(), said.answer.session.as_deref()), ("Hello", Some("s-1")));
    }

    #[test]
    fn an_error_result_is_an_error() {
        let (_, said) = read(&Claude, &[r#"{"type":"result","is_error":true,"result":"Invalid API key"}"#]);
        assert_eq!(said.error.as_deref(), Some("Invalid API key"));
    }

    #[test]
    fn usage_is_reported_even_when_a_limit_ended_it() {
        let line = r#"{"type":"result","subtype":"error_max_turns","is_error":false,"num_turns":3,"total_cost_usd":0.25,"usage":{"input_tokens":7,"output_tokens":5}}"#;
        let (_, said) = read(&Claude, &[line]);
        assert_eq!(said.error.as_deref(), Some("it used all its turns (--max-turns)"));
        let spending = said.spending.unwrap();
        assert_eq!((spending.turns, spending.cost, spending.usage.total()), (3, Some(0.25), 12));
    }

    #[test]
    fn limits_are_passed_on() {
        let limit = Limit { cost: Some(0.5), turns: Some(2), time: None };
        let args = Claude.call(&Question { limit, ..question("p", Sandbox::ReadOnly) }, true).args.join(" ");
        assert!(args.ends_with("--max-budget-usd 0.5000 --max-turns 2"), "{args}");
    }

    #[test]
    fn read_only_removes_writing_tools() {
        let args = Claude.call(&question("p", Sandbox::ReadOnly), true).args;
        assert!(args.windows(2).any(|pair| pair == ["--tools", READING_TOOLS]));
    }
}
