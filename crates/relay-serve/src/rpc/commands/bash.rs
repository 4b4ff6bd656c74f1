//! `bash`: a command that the user typed. Its output goes into the conversation, unless the client says otherwise.

use std::sync::{Arc, PoisonError};
use std::thread;

use relay_agent::session::Body;
use relay_agent::session::message::Message;
use relay_diagnostics::Cancel;
use serde_json::{Value, json};

use super::{Session, flag, needed, respond};
use crate::rpc::with_agent;

impl Session {
    /// Runs it on a separate thread, so that the client can send `abort_bash`.
    pub(super) fn bash(&self, command: &Value) {
        let line = match needed(command, "command") {
            Ok(line) => line.to_owned(),
            Err(error) => return respond(&self.outlet, command, "bash", Err(error)),
        };
        let cancel = Cancel::new();
        *self.bash.lock().unwrap_or_else(PoisonError::into_inner) = Some(cancel.clone());
        let (host, remote, outlet) = (Arc::clone(&self.host), self.remote.clone(), self.outlet.clone());
        let command = command.clone();
        let started = thread::Builder::new().name("bash".to_owned()).spawn(move || {
            let shown = outlet.clone();
            let id = command.get("id").cloned().unwrap_or_default();
            let mut run = host.bash(&line, &cancel, &mut |chunk| {
                let chunk = String::from_utf8_lossy(chunk);
                shown.send(&json!({ "type": "bash_output", "commandId": id, "chunk": chunk }));
            });
            run.exclude_from_context = flag(&command, "excludeFromContext").filter(|excluded| *excluded);
            let data = json!({
                "output": run.output, "exitCode": run.exit_code, "cancelled": run.cancelled,
                "truncated": run.truncated,
            });
            let noted = with_agent(&remote, move |agent| {
                agent.note_entry(Body::Message(Box::new(Message::BashExecution(run))));
            });
            respond(&outlet, &command, "bash", noted.map(|()| Some(data)));
        });
        if started.is_err() {
            self.not_understood("too many threads");
        }
    }
}
