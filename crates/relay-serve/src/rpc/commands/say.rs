//! Commands that send a prompt to the agent. `/NAME arguments` starts a template or a skill of that name.

use relay_agent::event::Ended;
use relay_agent::session::Block;
use relay_agent::turn::Prompt;
use serde_json::Value;

use super::{Answer, Session, needed, respond, text};
use crate::rpc::with_agent;

impl Session {
    pub(super) fn say(&self, kind: &str, command: &Value) -> Answer {
        let message = needed(command, "message")?;
        let images = command.get("images").and_then(Value::as_array).into_iter().flatten();
        let images: Vec<Block> =
            images.filter_map(|image| serde_json::from_value(image.clone()).ok()).collect();
        let prompt = match self.host.expand(message) {
            Some(prompt) => prompt?,
            None => Prompt::with_images(message, images),
        };
        match (kind, text(command, "streamingBehavior")) {
            ("steer", _) | ("prompt", Some("steer")) => self.remote.steer(prompt),
            ("follow_up", _) | ("prompt", Some("followUp")) => self.remote.follow_up(prompt),
            ("abort_and_prompt", _) => {
                self.remote.abort();
                self.remote.follow_up(prompt);
            }
            _ => self.begin(prompt, command)?,
        }
        Ok(None)
    }

    /// Starts a run. A failure after the acknowledgement is answered again, with the same id.
    fn begin(&self, prompt: Prompt, command: &Value) -> Result<(), String> {
        let (outlet, asked) = (self.outlet.clone(), command.clone());
        let is_begun = with_agent(&self.remote, move |agent| {
            if agent.is_busy() {
                return false;
            }
            let then = move |ended: &Ended| {
                if let Ended::Failed(why) = ended {
                    respond(&outlet, &asked, "prompt", Err(why.clone()));
                }
            };
            agent.prompt_then(prompt, Box::new(then));
            true
        })?;
        let why = "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";
        if is_begun { Ok(()) } else { Err(why.to_owned()) }
    }
}
