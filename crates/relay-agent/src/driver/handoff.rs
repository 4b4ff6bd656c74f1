//! Handoff: another session continues, from a document that this one's model writes.

use std::sync::Arc;
use std::thread;

use jiff::Timestamp;
use relay_diagnostics::Cancel;
use relay_llm::Error;

use super::{Agent, Mail, SideJob};
use crate::compact::handoff;
use crate::event::{CompactReason, Event, SessionEvent};
use crate::session::{Body, SessionLog};
use crate::turn::{Compacted, Happened};

/// Creates the session that continues this one.
pub type NewSession = Arc<dyn Fn(&SessionLog) -> Result<SessionLog, String> + Send + Sync>;

impl Agent {
    /// Has the document written, and continues in a new session.
    pub(super) fn hand_off(&mut self, reason: CompactReason, focus: Option<&str>) {
        let request = handoff::request(&self.request(None), focus);
        let request = match (request, &self.new_session) {
            (Ok(request), Some(_)) => request,
            (Ok(_), None) => return self.not_handed_off("this front end cannot create sessions".to_owned()),
            (Err(error), _) => return self.not_handed_off(error.to_string()),
        };
        let tokens_before = self.context_tokens();
        let cancel = Cancel::new();
        self.under_way.model = Some(cancel.clone());
        let aside = self.aside(SideJob::Summary, cancel);
        let sender = self.post.sender.clone();
        let started = thread::Builder::new().name("handoff".to_owned()).spawn(move || {
            let answer = aside.ask(&request);
            let document = handoff::document(answer.as_ref().map_err(|error: &Error| error));
            let errand = move |agent: &mut Agent| {
                let done = document.map_err(|error| error.to_string());
                let done = done.and_then(|document| agent.go_on_with(&document, reason));
                agent.queue(Happened::Compacted(done.map(|summary| Compacted {
                    bodies: Vec::new(),
                    summary,
                    tokens_before,
                })));
            };
            // If the agent is gone, the document is not needed.
            drop(sender.send(Mail::Errand(Box::new(errand))));
        });
        if started.is_err() {
            self.not_handed_off("too many threads".to_owned());
        }
    }

    fn not_handed_off(&mut self, why: String) {
        self.queue(Happened::Compacted(Err(why)));
    }

    /// Continues in a new session that begins with the document.
    fn go_on_with(&mut self, document: &str, reason: CompactReason) -> Result<String, String> {
        let make = self.new_session.clone().ok_or("this front end cannot create sessions")?;
        let log = make(&self.log)?;
        let is_automatic = reason != CompactReason::Handoff;
        if is_automatic
            && self.compaction.handoff_save_to_disk
            && let Some(artifacts) = log.artifacts()
            && let Err(error) = handoff::save(artifacts.path(), document, Timestamp::now())
        {
            let text = format!("the handoff document could not be kept as a file: {error}");
            self.report(&Event::Notice { warning: true, text });
        }
        self.adopt(log);
        self.append(Body::CustomMessage(Box::new(handoff::message(document))));
        let session = self.log.id().to_owned();
        self.report(&Event::Session(SessionEvent::Switched { session }));
        Ok(document.to_owned())
    }
}
