//! Plan mode: the agent reads and plans; an approved plan is carried out as the person chose.

use serde_json::json;

use super::Agent;
use crate::event::{Event, SessionEvent};
use crate::session::body::ModelChange;
use crate::session::{Body, TitleSource, humanize_plan_title};
use crate::tool::{PlanChoice, Signal};
use crate::turn::Prompt;

/// The name of the mode.
pub const MODE: &str = "plan";
/// Where the plan is written.
pub const FILE: &str = "local://PLAN.md";

impl Agent {
    /// Turns plan mode on or off, and tells the model.
    pub fn set_plan_mode(&mut self, enabled: bool) {
        if (self.facts.mode == MODE) == enabled {
            return;
        }
        let (mode, data, text) = match enabled {
            true => (MODE, Some(json!({ "planFile": FILE })), include_str!("texts/plan.md")),
            false => ("none", None, include_str!("texts/plan_over.md")),
        };
        self.set_mode(mode, data);
        for body in Prompt::hidden("plan-mode", text.trim_end()).bodies {
            self.append(body);
        }
    }

    /// A plan was approved: its name, the end of plan mode, and the conversation it goes on in.
    pub(super) fn plan_approved(&mut self, signal: &Signal) {
        let Signal::PlanApproved { choice, title, path, plan } = signal else { return };
        let name = humanize_plan_title(title);
        match self.log.set_name(&name, TitleSource::Auto) {
            Ok(true) => self.report(&Event::Session(SessionEvent::Named(name))),
            Ok(false) => {}
            Err(error) => self.break_off(&error),
        }
        if *choice == PlanChoice::Fresh {
            // The history stays in the log; the next entry begins a branch that knows nothing of it.
            self.log.reset_leaf();
            let model = self.asking.asker.model().selector();
            self.append(Body::ModelChange(ModelChange { model, ..ModelChange::default() }));
            self.report(&Event::Session(SessionEvent::Rewound { to: None }));
        }
        self.set_mode("none", None);
        let introduction = include_str!("texts/plan_approved.md").trim_end().replace("{path}", path);
        let text = format!("{introduction}\n\n{}", crate::frame::framed("plan", &[("title", title)], plan));
        for body in Prompt::hidden("plan-approved", text).bodies {
            self.append(body);
        }
    }
}
