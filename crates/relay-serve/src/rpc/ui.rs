//! Passes the agent's questions to the client.

use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use relay_agent::tool::{Console, Form, Question, Shown, Ui, UiAnswer};
use relay_diagnostics::Cancel;
use serde_json::{Value, json};

use super::console::Remote;
use super::outlet::Outlet;

/// How often a question checks whether it is still needed.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Asks the client.
#[derive(Clone)]
pub struct RpcUi {
    outlet: Outlet,
    /// Whether the client accepts questions.
    attended: bool,
}

impl RpcUi {
    /// Asks through `outlet`.
    #[must_use]
    pub fn new(outlet: Outlet, attended: bool) -> Self {
        Self { outlet, attended }
    }
}

impl Ui for RpcUi {
    fn open_console(&self, command: &str, console: Arc<dyn Console>) -> Option<Box<dyn Shown>> {
        self.attended.then(|| Box::new(Remote::open(&self.outlet, command, console)) as Box<dyn Shown>)
    }

    fn is_attended(&self) -> bool {
        self.attended
    }

    fn ask(&self, question: &Question, cancel: &Cancel) -> UiAnswer {
        if !self.attended {
            return UiAnswer::Unattended;
        }
        let (id, answers) = self.outlet.expect("ui");
        self.outlet.send(&request(&id, question));
        let mut deadline = question.timeout_ms.map(|ms| Instant::now() + Duration::from_millis(ms));
        let answer = loop {
            if cancel.is_cancelled() {
                break UiAnswer::Cancelled;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break UiAnswer::TimedOut;
            }
            match answers.recv_timeout(LOOK_EVERY) {
                // Someone has begun to answer, and takes their time.
                Ok(answer) if is(&answer, "attended") => deadline = None,
                Ok(answer) => break read(question, &answer),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break UiAnswer::Unattended,
            }
        };
        self.outlet.forget(&id);
        if matches!(answer, UiAnswer::Cancelled | UiAnswer::TimedOut) {
            self.outlet.send(
                &json!({ "type": "extension_ui_request", "id": id, "method": "cancel", "targetId": id }),
            );
        }
        answer
    }
}

fn request(id: &str, question: &Question) -> Value {
    let mut value = json!({
        "type": "extension_ui_request", "id": id, "title": question.title, "message": question.message,
        "timeout": question.timeout_ms, "details": question.details,
    });
    let (method, more) = match &question.form {
        Form::Select { options, several, other } => {
            let labels: Vec<&str> = options.iter().map(|option| option.label.as_str()).collect();
            let ids: Vec<&str> = options.iter().map(|option| option.id.as_str()).collect();
            (
                "select",
                json!({ "options": labels, "optionIds": ids, "multiple": several, "allowOther": other }),
            )
        }
        Form::Confirm => ("confirm", json!({})),
        Form::Line { preset } => ("input", json!({ "prefill": preset })),
        Form::Text { preset } => ("editor", json!({ "prefill": preset })),
    };
    if let (Some(value), Value::Object(more)) = (value.as_object_mut(), more) {
        value.insert("method".to_owned(), method.into());
        value.extend(more);
    }
    value
}

fn is(answer: &Value, name: &str) -> bool {
    answer.get(name).and_then(Value::as_bool).unwrap_or_default()
}

fn read(question: &Question, answer: &Value) -> UiAnswer {
    if is(answer, "timedOut") {
        return UiAnswer::TimedOut;
    }
    if is(answer, "cancelled") {
        return UiAnswer::Cancelled;
    }
    if let Some(confirmed) = answer.get("confirmed").and_then(Value::as_bool) {
        return UiAnswer::Confirmed(confirmed);
    }
    let values: Vec<String> = match answer.get("value") {
        Some(Value::String(value)) => vec![value.clone()],
        Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => return UiAnswer::Cancelled,
    };
    match &question.form {
        Form::Select { options, .. } => {
            // Clients answer with the label they showed, or with its id.
            let id = |value: &String| {
                let option = options.iter().find(|option| option.id == *value || option.label == *value);
                option.map(|option| option.id.clone())
            };
            // One of several questions names the words that lead to the others.
            let asked = question.details.as_ref().and_then(|details| details.get("ask"));
            let leads = |value: &String| {
                let is = |name: &str| {
                    asked.and_then(|asked| asked.get(name)).and_then(Value::as_str) == Some(value)
                };
                (is("back") || is("forward")).then(|| value.clone())
            };
            let id = |value: &String| id(value).or_else(|| leads(value));
            let ids: Vec<String> = values.iter().filter_map(id).collect();
            let words = values.iter().find(|value| id(value).is_none()).cloned();
            UiAnswer::Chosen { ids, words }
        }
        Form::Confirm => UiAnswer::Confirmed(values.iter().any(|value| value == "true" || value == "yes")),
        Form::Line { .. } | Form::Text { .. } => {
            UiAnswer::Text(values.into_iter().next().unwrap_or_default())
        }
    }
}
