//! Commands that say something to the agent. `/NAME arguments` starts a template or a skill of that name.

use relay_agent::session::Block;
use relay_agent::turn::Prompt;
use serde_json::Value;

use super::{Answer, Session, needed, text};
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
            _ => {
                if with_agent(&self.remote, |agent| agent.is_busy())? {
                    let why = "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";
                    return Err(why.to_owned());
                }
                self.remote.prompt(prompt);
            }
        }
        Ok(None)
    }
}
