//! Asks a person whether a call may run.

use std::sync::{Mutex, PoisonError};

use relay_diagnostics::Cancel;
use relay_llm::ToolCall;
use serde_json::json;

use crate::policy::{Class, Policy, Reason};
use crate::tool::{Choice, Form, Question, Services, ToolError, UiAnswer};

const ONCE: &str = "once";
const SESSION: &str = "session";
const ALWAYS: &str = "always";
const NO: &str = "no";

/// The question for a person.
pub struct Asked<'a> {
    pub call: &'a ToolCall,
    pub reasons: &'a [Reason],
    /// What the call would change, as a unified diff.
    pub preview: Option<String>,
}

/// Asks about everything a call needs at once.
///
/// # Errors
/// The person said no, or there is no one to ask. The model reads why.
pub fn approve(
    asked: &Asked<'_>,
    services: &Services,
    policy: &Mutex<Policy>,
    cancel: &Cancel,
) -> Result<(), ToolError> {
    let reasons = asked.reasons;
    let answer = services.ui.ask(&question(asked), cancel);
    let mut policy = policy.lock().unwrap_or_else(PoisonError::into_inner);
    match answer {
        UiAnswer::Chosen { ids, words } => match ids.first().map(String::as_str) {
            Some(ONCE) => Ok(()),
            Some(SESSION) => {
                remember(&mut policy, reasons);
                Ok(())
            }
            Some(ALWAYS) => {
                remember(&mut policy, reasons);
                for rule in reasons.iter().filter_map(|reason| reason.rule.as_ref()) {
                    (services.keep_rule)(rule);
                }
                Ok(())
            }
            _ => Err(declined(words.as_deref())),
        },
        UiAnswer::Confirmed(true) => Ok(()),
        UiAnswer::Text(words) => Err(declined(Some(&words))),
        UiAnswer::Confirmed(false) | UiAnswer::Cancelled => Err(declined(None)),
        UiAnswer::TimedOut | UiAnswer::Unattended => {
            let list: Vec<String> = reasons.iter().map(ToString::to_string).collect();
            Err(ToolError::Denied(format!(
                "Denied, because no one is there to ask: {}. Find another way, or say what you would need.",
                list.join("; ")
            )))
        }
    }
}

fn question(asked: &Asked<'_>) -> Question {
    let Asked { call, reasons, preview } = asked;
    let message: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    let choice =
        |id: &str, label: &str| Choice { id: id.to_owned(), label: label.to_owned(), description: None };
    let mut options = vec![choice(ONCE, "Allow once"), choice(SESSION, "Allow for this session")];
    if reasons.iter().all(|reason| reason.rule.is_some()) {
        options.push(choice(ALWAYS, "Always allow, by this rule"));
    }
    options.push(choice(NO, "No"));
    let list: Vec<_> = reasons
        .iter()
        .map(|reason| json!({ "class": reason.class.name(), "what": reason.what, "why": reason.why, "rule": reason.rule }))
        .collect();
    Question {
        title: "Approval".to_owned(),
        message: message.join("\n"),
        form: Form::Select { options, several: false, other: true },
        timeout_ms: None,
        details: Some(json!({
            "approval": true, "tool": call.name, "toolCallId": call.id,
            "arguments": call.arguments.object(), "reasons": list, "diff": preview,
        })),
    }
}

/// Keeps an answer for the session: the same thing by its rule, otherwise the whole class.
fn remember(policy: &mut Policy, reasons: &[Reason]) {
    for reason in reasons {
        match &reason.rule {
            Some(rule) if reason.class != Class::Web => policy.rules.add(rule.clone()),
            _ => {
                policy.granted.insert(reason.class);
            }
        }
    }
}

fn declined(words: Option<&str>) -> ToolError {
    match words.map(str::trim).filter(|words| !words.is_empty()) {
        Some(words) => ToolError::Denied(format!("The user declined this call and says: {words}")),
        None => ToolError::Denied(
            "The user declined this call. Ask what to do instead, or find another way.".to_owned(),
        ),
    }
}
