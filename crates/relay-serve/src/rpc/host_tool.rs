//! Tools that the client brings: calls go out as lines, results come back as lines.

use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use relay_agent::session::Content;
use relay_agent::tool::{Access, Call, Concurrency, Output, Signal, Spec, Tool, ToolError};
use serde_json::{Map, Value, json};

use super::outlet::Outlet;

const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A tool of the client.
pub struct HostTool {
    spec: Spec,
    outlet: Outlet,
}

impl HostTool {
    /// Reads a tool's definition: `name`, `description`, `parameters`.
    pub fn parse(definition: &Value, outlet: &Outlet) -> Result<Self, String> {
        let text = |name: &str| definition.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let name = text("name");
        if name.is_empty() {
            return Err("a host tool needs a name".to_owned());
        }
        let parameters = definition.get("parameters").cloned().unwrap_or_else(|| json!({ "type": "object" }));
        let spec = Spec {
            name: name.into(),
            description: text("description").into(),
            parameters,
            concurrency: Concurrency::Shared,
            hidden: false,
        };
        Ok(Self { spec, outlet: outlet.clone() })
    }

    /// What the client proposes and the model must apply or discard: `pending` with a `label` and `data`.
    fn proposal(&self, answer: &Value) -> Option<Signal> {
        let pending = answer.get("pending")?;
        Some(Signal::Pending {
            tool: self.spec.name.to_string(),
            label: pending.get("label")?.as_str()?.to_owned(),
            data: pending.get("data").cloned().unwrap_or_default(),
        })
    }

    fn wait(
        &self,
        id: &str,
        answers: &std::sync::mpsc::Receiver<Value>,
        call: &Call<'_>,
    ) -> Result<Output, ToolError> {
        loop {
            if call.cancel.is_cancelled() {
                self.outlet.send(&json!({ "type": "host_tool_cancel", "id": id, "targetId": id }));
                return Err(ToolError::aborted());
            }
            match answers.recv_timeout(LOOK_EVERY) {
                Ok(answer) if answer.get("type").and_then(Value::as_str) == Some("host_tool_update") => {
                    (call.update)(output(answer.get("partialResult")));
                }
                Ok(answer) => {
                    let is_error = answer.get("isError").and_then(Value::as_bool).unwrap_or_default();
                    let result = Output { is_error, ..output(answer.get("result")) };
                    return Ok(match self.proposal(&answer) {
                        Some(proposal) if !is_error => result.signalling(proposal),
                        _ => result,
                    });
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(ToolError::failed("The host is gone.")),
            }
        }
    }
}

impl Tool for HostTool {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    /// What a host does with a call is up to the host, which started the agent.
    fn access(&self, _: &Map<String, Value>) -> Vec<Access> {
        vec![Access::Conversation]
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let (id, answers) = self.outlet.expect("host");
        self.outlet.send(&json!({
            "type": "host_tool_call", "id": id, "toolCallId": call.id, "toolName": self.spec.name,
            "arguments": call.arguments,
        }));
        let result = self.wait(&id, &answers, call);
        self.outlet.forget(&id);
        result
    }
}

/// A host's result as an output: `content` as a text or blocks, `details`.
fn output(result: Option<&Value>) -> Output {
    let Some(result) = result else { return Output::default() };
    let content = result.get("content").cloned().unwrap_or_else(|| result.clone());
    let content = match serde_json::from_value::<Content>(content) {
        Ok(Content::Text(text)) => return Output::text(text),
        Ok(content) => content.blocks().to_vec(),
        Err(_) => return Output::text(result.to_string()),
    };
    Output { content, details: result.get("details").cloned(), ..Output::default() }
}
