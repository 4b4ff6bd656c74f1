//! `ask_aside`: a side question. The model reads the conversation, but neither question nor answer enters the log.
//! `retry`: the last prompt again, replacing its answer.

use std::sync::{Arc, PoisonError};
use std::thread;

use relay_agent::driver::{Agent, SideJob};
use relay_agent::session::{Body, Message};
use relay_agent::turn::Prompt;
use relay_diagnostics::Cancel;
use serde_json::{Value, json};

use super::{Answer, Session, needed, respond};
use crate::rpc::with_agent;

impl Session {
    /// A model may be slow, so this runs on a separate thread; `abort_aside` ends it.
    pub(super) fn ask_aside(&self, command: &Value) {
        let question = match needed(command, "question") {
            Ok(question) if !question.trim().is_empty() => question.to_owned(),
            Ok(_) => return respond(&self.outlet, command, "ask_aside", Err("ask something".to_owned())),
            Err(error) => return respond(&self.outlet, command, "ask_aside", Err(error)),
        };
        let cancel = Cancel::new();
        let before = self.aside.lock().unwrap_or_else(PoisonError::into_inner).replace(cancel.clone());
        if let Some(before) = before {
            before.cancel();
        }
        let (remote, outlet, command) = (self.remote.clone(), self.outlet.clone(), command.clone());
        let slot = Arc::clone(&self.aside);
        let started = thread::Builder::new().name("aside".to_owned()).spawn(move || {
            let asked = question.clone();
            let prepared = with_agent(&remote, move |agent| {
                (agent.side_question(&asked), agent.aside(SideJob::Summary, cancel))
            });
            let answer = prepared.and_then(|(request, aside)| {
                let turn = aside.ask(&request).map_err(|error| error.to_string())?;
                Ok(Some(json!({ "question": question, "text": turn.message().plain_text() })))
            });
            slot.lock().unwrap_or_else(PoisonError::into_inner).take();
            respond(&outlet, &command, "ask_aside", answer);
        });
        if started.is_err() {
            self.not_understood("too many threads");
        }
    }

    /// Repeats the last prompt from its original place. The earlier answer stays in the tree.
    pub(super) fn retry(&self) -> Answer {
        self.is_idle()?;
        let prompt = with_agent(&self.remote, again)??;
        let text = prompt.text.clone();
        self.remote.prompt(prompt);
        Ok(Some(json!({ "text": text })))
    }
}

/// Goes back to before the branch's last prompt, and returns that prompt.
fn again(agent: &mut Agent) -> Result<Prompt, String> {
    let path = agent.log().path_to_leaf();
    let last = path.iter().rev().find_map(|entry| match entry.message() {
        Some(message @ Message::User(_)) => {
            Some((entry.parent_id().map(str::to_owned), message.clone(), message.text()))
        }
        _ => None,
    });
    let (parent, message, text) = last.ok_or("there is no prompt to retry yet")?;
    agent.move_to(parent.as_deref(), None).map_err(|error| error.to_string())?;
    Ok(Prompt { bodies: vec![Body::Message(Box::new(message))], text })
}
