//! `ask_aside`: a question beside the conversation. The model reads the conversation, and nothing of it enters the log.
//! `retry`: the last prompt once more, in place of the answer it got.

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
    /// A model takes its time, so this runs on a thread of its own; `abort_aside` ends it.
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

    /// Says the last prompt again, from where it was said first. What came of it stays in the tree.
    pub(super) fn retry(&self) -> Answer {
        self.is_idle()?;
        let prompt = with_agent(&self.remote, again)??;
        let text = prompt.text.clone();
        self.remote.prompt(prompt);
        Ok(Some(json!({ "text": text })))
    }
}

/// Goes back to before the last prompt of the branch, and gives the prompt.
fn again(agent: &mut Agent) -> Result<Prompt, String> {
    let path = agent.log().path_to_leaf();
    let last = path.iter().rev().find_map(|entry| match entry.message() {
        Some(message @ Message::User(_)) => {
            Some((entry.parent_id().map(str::to_owned), message.clone(), message.text()))
        }
        _ => None,
    });
    let (parent, message, text) = last.ok_or("nothing was said yet")?;
    agent.move_to(parent.as_deref(), None).map_err(|error| error.to_string())?;
    Ok(Prompt { bodies: vec![Body::Message(Box::new(message))], text })
}
