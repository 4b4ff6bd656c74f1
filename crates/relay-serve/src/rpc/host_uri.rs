//! Addresses that the client brings: reads and writes go out as lines, contents come back as lines.

use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use relay_agent::resources::{Resource, Scheme};
use relay_agent::tool::ToolError;
use relay_diagnostics::Cancel;
use serde_json::{Value, json};

use super::outlet::Outlet;

const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Schemes that mean something already, whether Relay handles them or not.
const RESERVED: [&str; 8] = ["file", "http", "https", "artifact", "agent", "rule", "skill", "local"];

/// A kind of address of the client.
pub struct HostUri {
    scheme: String,
    is_writable: bool,
    outlet: Outlet,
}

impl HostUri {
    /// Reads a definition: `scheme`, `description`, `writable`, or the scheme's name alone.
    pub fn parse(definition: &Value, outlet: &Outlet, taken: &[String]) -> Result<Self, String> {
        let scheme = definition.as_str().or_else(|| definition.get("scheme")?.as_str()).unwrap_or_default();
        let scheme = scheme.trim_end_matches("://").to_ascii_lowercase();
        let is_name = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        if !is_name {
            return Err(format!("`{scheme}` is not the name of a scheme"));
        }
        if RESERVED.contains(&scheme.as_str()) || taken.contains(&scheme) {
            return Err(format!("{scheme}:// already has a meaning"));
        }
        let is_writable = definition.get("writable").and_then(Value::as_bool).unwrap_or_default();
        Ok(Self { scheme, is_writable, outlet: outlet.clone() })
    }

    /// Asks the client, and waits for its answer or the cancel.
    fn request(&self, mut request: Value, cancel: &Cancel) -> Result<Value, ToolError> {
        let (id, answers) = self.outlet.expect("uri");
        if let Some(fields) = request.as_object_mut() {
            fields.insert("type".to_owned(), "host_uri_request".into());
            fields.insert("id".to_owned(), id.clone().into());
        }
        self.outlet.send(&request);
        let answer = loop {
            if cancel.is_cancelled() {
                let cancel_id = format!("{id}-cancel");
                self.outlet.send(&json!({ "type": "host_uri_cancel", "id": cancel_id, "targetId": id }));
                break Err(ToolError::aborted());
            }
            match answers.recv_timeout(LOOK_EVERY) {
                Ok(answer) => break Ok(answer),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break Err(ToolError::failed("The host is gone.")),
            }
        };
        self.outlet.forget(&id);
        let answer = answer?;
        let text = |name: &str| answer.get(name).and_then(Value::as_str);
        let is_error = answer.get("isError").and_then(Value::as_bool).unwrap_or_default();
        match text("error").or_else(|| text("content").filter(|_| is_error)) {
            Some(error) => Err(ToolError::failed(error)),
            None if is_error => Err(ToolError::failed("The host could not do that.")),
            None => Ok(answer),
        }
    }
}

impl Scheme for HostUri {
    fn name(&self) -> &str {
        &self.scheme
    }

    fn read(&self, rest: &str, cancel: &Cancel) -> Result<Resource, ToolError> {
        let url = format!("{}://{rest}", self.scheme);
        let answer = self.request(json!({ "operation": "read", "url": url }), cancel)?;
        let text = |name: &str| answer.get(name).and_then(Value::as_str).map(str::to_owned);
        let notes = answer.get("notes").and_then(Value::as_array).into_iter().flatten();
        Ok(Resource {
            text: text("content").ok_or_else(|| ToolError::failed("The host sent no content."))?,
            media_type: text("contentType").unwrap_or_default(),
            notes: notes.filter_map(Value::as_str).map(str::to_owned).collect(),
            is_writable: self.is_writable,
            ..Resource::default()
        })
    }

    fn write(&self, rest: &str, text: &str, cancel: &Cancel) -> Result<(), ToolError> {
        if !self.is_writable {
            return Err(ToolError::Failed(format!("{}:// can only be read.", self.scheme)));
        }
        let url = format!("{}://{rest}", self.scheme);
        self.request(json!({ "operation": "write", "url": url, "content": text }), cancel).map(|_| ())
    }
}
