//! What front ends ask of an agent beside prompts: which model, which session, which tools, what was said.

use std::sync::{Arc, PoisonError};

use relay_llm::Thinking;

use super::{Agent, Asker};
use crate::event::{Event, SessionEvent};
use crate::jobs::Jobs;
use crate::policy::{Level, Policy};
use crate::session::body::{ModelChange, ThinkingLevelChange};
use crate::session::{Body, Message, SessionError, SessionLog, TitleSource};
use crate::tool::{Facts, Registry, Selection, UnknownTool};

impl Agent {
    /// Whether a run is under way.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.state.is_busy()
    }

    /// The session.
    #[must_use]
    pub fn log(&self) -> &SessionLog {
        &self.log
    }

    /// The session, to label and move about in while no run is under way.
    pub fn log_mut(&mut self) -> &mut SessionLog {
        &mut self.log
    }

    /// The model that is asked.
    #[must_use]
    pub fn asker(&self) -> &Arc<dyn Asker> {
        &self.asker
    }

    /// How hard the model shall think.
    #[must_use]
    pub fn thinking(&self) -> Option<Thinking> {
        self.thinking
    }

    /// What the conversation is like.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// What waits to be said: between two tools, after the answer.
    #[must_use]
    pub fn waiting(&self) -> (Vec<String>, Vec<String>) {
        self.state.queues.texts()
    }

    /// The names of the tools that are offered.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.spec().name.as_ref())
    }

    /// All tools there are.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The instructions the model reads.
    #[must_use]
    pub fn system(&self) -> &str {
        &self.system
    }

    /// Looks at the policy, or changes it.
    pub fn with_policy<T>(&self, change: impl FnOnce(&mut Policy) -> T) -> T {
        change(&mut self.policy.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Another level of policy from now on.
    pub fn set_policy(&self, level: Level) {
        self.with_policy(|policy| policy.level = level);
    }

    /// Asks another model from now on. The log remembers it.
    pub fn set_model(&mut self, asker: Arc<dyn Asker>) {
        let selector = asker.model().selector();
        let window = asker.model().limits.context;
        self.state.settings.compact_at =
            self.compaction.is_due(u64::MAX, window).then(|| self.compaction.threshold(window));
        self.asker = asker;
        self.append(Body::ModelChange(ModelChange { model: selector, ..ModelChange::default() }));
    }

    /// Has the model think this hard from now on. The log remembers it.
    pub fn set_thinking(&mut self, level: Thinking) {
        self.thinking = Some(level);
        let thinking_level = Some(level.name().to_owned());
        self.append(Body::ThinkingLevelChange(ThinkingLevelChange { thinking_level }));
    }

    /// Gives the session a name.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn set_name(&mut self, name: &str, source: TitleSource) -> Result<bool, SessionError> {
        let is_new = self.log.set_name(name, source)?;
        self.report(&Event::Session(SessionEvent::Named(name.to_owned())));
        Ok(is_new)
    }

    /// Goes on with another session. Only while no run is under way; says whether it was done.
    pub fn switch(&mut self, log: SessionLog) -> bool {
        if self.state.is_busy() {
            return false;
        }
        // What goes on in the background belongs to the session that is left.
        self.services.jobs.tear_down();
        self.under_way.delivery = None;
        let context = log.context().state;
        self.services.session = log.id().to_owned();
        self.services.artifacts = log.artifacts();
        self.facts = Facts {
            mode: context.mode.clone(),
            checkpoint: context.checkpoint.as_ref().map(|checkpoint| checkpoint.goal.clone()),
            ..Facts::default()
        };
        self.state.checkpoint = context.checkpoint.is_some();
        self.state.goal = context.mode == "goal";
        self.state.pending = false;
        self.log = log;
        true
    }

    /// Offers these tools from now on.
    ///
    /// # Errors
    /// A name is not that of a tool.
    pub fn select_tools(&mut self, selection: &Selection) -> Result<(), UnknownTool> {
        self.tools = self.registry.select(selection)?;
        Ok(())
    }

    /// Replaces tools of the registry, such as those a host brought, and offers them.
    pub fn replace_tools(
        &mut self,
        is_one_of_these: impl Fn(&str) -> bool,
        tools: Vec<Arc<dyn crate::tool::Tool>>,
    ) {
        self.tools.retain(|tool| !is_one_of_these(&tool.spec().name));
        self.tools.extend(tools.iter().cloned());
        self.registry.replace(is_one_of_these, tools);
    }

    /// Whether the conversation is made shorter by itself.
    pub fn set_auto_compaction(&mut self, enabled: bool) {
        self.compaction.enabled = enabled;
        let window = self.asker.model().limits.context;
        self.state.settings.compact_at =
            self.compaction.is_due(u64::MAX, window).then(|| self.compaction.threshold(window));
    }

    /// Whether steering waits until all calls of an answer have ended.
    pub fn set_steering_waits(&mut self, waits: bool) {
        self.state.settings.steering_waits = waits;
    }

    /// What goes on in the background.
    #[must_use]
    pub fn jobs(&self) -> &Jobs {
        &self.services.jobs
    }

    /// What the model said last.
    #[must_use]
    pub fn last_answer(&self) -> Option<String> {
        let context = self.log.context();
        let last = context.messages.iter().rev().find(|seen| matches!(&*seen.message, Message::Assistant(_)));
        last.map(|seen| seen.message.text())
    }

    /// Puts something into the log that is no part of a run, such as a command the user ran.
    pub fn note_entry(&mut self, body: Body) {
        self.append(body);
    }
}
