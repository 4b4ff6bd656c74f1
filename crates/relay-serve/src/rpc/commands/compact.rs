//! `compact`: shortens the conversation. The response contains the summary.

use relay_agent::driver::Agent;
use serde_json::Value;

use super::{Session, respond, text};

impl Session {
    pub(super) fn compact(&self, command: &Value) {
        let (outlet, asked) = (self.outlet.clone(), command.clone());
        let focus = text(command, "customInstructions").map(str::to_owned);
        let errand = move |agent: &mut Agent| {
            if agent.is_busy() {
                let why = "the agent is working; abort it first".to_owned();
                return respond(&outlet, &asked, "compact", Err(why));
            }
            let then = move |result: Result<Value, String>| {
                respond(&outlet, &asked, "compact", result.map(Some));
            };
            agent.compact_then(focus, Box::new(then));
        };
        if !self.remote.run(Box::new(errand)) {
            respond(&self.outlet, command, "compact", Err("the agent is gone".to_owned()));
        }
    }
}
