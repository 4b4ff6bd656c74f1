//! What front ends can do with an agent besides prompting it: choose model, session and tools, and read what was
//! said.

use std::sync::{Arc, PoisonError};

use relay_llm::Thinking;
use serde_json::Value;

use super::{Agent, Asker};
use crate::compact;
use crate::event::{Event, SessionEvent};
use crate::jobs::Jobs;
use crate::policy::{Level, Policy};
use crate::session::body::{BranchSummary, Custom, ModelChange, ThinkingLevelChange};
use crate::session::{Body, Message, SessionError, SessionLog, Summary, TitleSource};
use crate::tool::{Facts, Registry, Selection, Services, UnknownTool};
use crate::turn::{EditedTodos, Happened, TODOS};

impl Agent {
    /// Whether a run is in progress.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.state.is_busy()
    }

    /// Whether the conversation is being compacted.
    #[must_use]
    pub fn is_compacting(&self) -> bool {
        self.state.is_compacting()
    }

    /// The session.
    #[must_use]
    pub fn log(&self) -> &SessionLog {
        &self.log
    }

    /// The session, for labelling and navigating while no run is in progress.
    pub fn log_mut(&mut self) -> &mut SessionLog {
        &mut self.log
    }

    /// The model that is asked.
    #[must_use]
    pub fn asker(&self) -> &Arc<dyn Asker> {
        &self.asking.asker
    }

    /// How hard the model should think.
    #[must_use]
    pub fn thinking(&self) -> Option<Thinking> {
        self.asking.thinking
    }

    /// What the conversation is like.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The queued messages: steering ones, and those for after the answer.
    #[must_use]
    pub fn waiting(&self) -> (Vec<String>, Vec<String>) {
        self.state.queues.texts()
    }

    /// The tools that are offered.
    pub fn offered(&self) -> impl Iterator<Item = &Arc<dyn crate::tool::Tool>> {
        self.tools.offered.iter()
    }

    /// The names of the tools that are offered.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.offered.iter().map(|tool| tool.spec().name.as_ref())
    }

    /// All tools there are.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.tools.registry
    }

    /// The instructions the model reads.
    #[must_use]
    pub fn system(&self) -> &str {
        &self.asking.system
    }

    /// Looks at the policy, or changes it.
    pub fn with_policy<T>(&self, change: impl FnOnce(&mut Policy) -> T) -> T {
        change(&mut self.policy.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the policy level.
    pub fn set_policy(&self, level: Level) {
        self.with_policy(|policy| policy.level = level);
    }

    /// Switches to another model, and logs it.
    pub fn set_model(&mut self, asker: Arc<dyn Asker>) {
        let selector = asker.model().selector();
        let window = asker.model().limits.context;
        self.state.settings.compact_at =
            self.compaction.is_due(u64::MAX, window).then(|| self.compaction.threshold(window));
        self.asking.asker = asker;
        self.append(Body::ModelChange(ModelChange { model: selector, ..ModelChange::default() }));
    }

    /// Changes how hard the model thinks, and logs it.
    pub fn set_thinking(&mut self, level: Thinking) {
        self.asking.thinking = Some(level);
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

    /// Switches to another session. Only possible while no run is in progress; returns whether it was done.
    pub fn switch(&mut self, log: SessionLog) -> bool {
        if self.state.is_busy() {
            return false;
        }
        self.adopt(log);
        true
    }

    /// Switches to another log, and restores its modes, goals and checkpoints.
    pub(super) fn adopt(&mut self, log: SessionLog) {
        // Background work belongs to the old session.
        self.services.jobs.tear_down();
        self.under_way.delivery = None;
        self.services.session = log.id().to_owned();
        self.services.artifacts = log.artifacts();
        self.services.jobs.enter_session(log.artifacts().map(|_| log.id()));
        self.services.resources.add_session(log.artifacts().as_ref());
        self.log = log;
        self.recall();
    }

    /// What the log says at its leaf about modes, goals, checkpoints and what tools keep.
    pub(super) fn recall(&mut self) {
        self.facts = facts(&self.log);
        self.state.checkpoint = self.facts.checkpoint.is_some();
        self.state.goal = self.facts.mode == "goal";
        self.state.pending = false;
        let injected = self.log.context().state.injected_rules;
        self.rules().restart(&injected);
        self.state.note_todos(&self.facts.kept);
    }

    /// Moves to another place in the session's tree, with or without a summary of the abandoned branch. Only possible
    /// while no run is in progress.
    ///
    /// # Errors
    /// There is no such entry, or the summary cannot be written.
    pub fn move_to(
        &mut self,
        leaf: Option<&str>,
        summary: Option<BranchSummary>,
    ) -> Result<Option<String>, SessionError> {
        let entry = match (summary, leaf) {
            (Some(summary), leaf) => {
                let BranchSummary { summary: text, details, from_extension, .. } = summary;
                let summary = Summary { text, details, from_extension };
                Some(self.log.branch_with_summary(leaf, summary)?.to_string())
            }
            (None, Some(leaf)) => {
                self.log.branch(leaf)?;
                None
            }
            (None, None) => {
                self.log.reset_leaf();
                None
            }
        };
        self.recall();
        let to = self.log.leaf().map(|leaf| leaf.as_str().to_owned());
        self.report(&Event::Session(SessionEvent::Moved { to, summary: entry.clone() }));
        Ok(entry)
    }

    /// How many tokens the conversation takes: as the provider counted them, with an estimate for what came since.
    #[must_use]
    pub fn context_tokens(&self) -> u64 {
        compact::context_tokens(&self.log.path_to_leaf())
    }

    /// What tools can access.
    #[must_use]
    pub fn services(&self) -> &Services {
        &self.services
    }

    /// Sets, pauses, resumes or drops the session's goal at a person's request.
    pub fn change_goal(&mut self, goal: Option<Value>) {
        self.set_goal(goal);
    }

    /// Offers these tools from now on.
    ///
    /// # Errors
    /// A name is not that of a tool.
    pub fn select_tools(&mut self, selection: &Selection) -> Result<(), UnknownTool> {
        self.tools.offered = self.tools.registry.select(selection)?;
        Ok(())
    }

    /// Replaces tools of the registry, such as those a host brought, and offers them.
    pub fn replace_tools(
        &mut self,
        is_one_of_these: impl Fn(&str) -> bool,
        tools: Vec<Arc<dyn crate::tool::Tool>>,
    ) {
        self.tools.offered.retain(|tool| !is_one_of_these(&tool.spec().name));
        self.tools.offered.extend(tools.iter().cloned());
        self.tools.registry.replace(is_one_of_these, tools);
    }

    /// Whether the conversation is compacted automatically.
    pub fn set_auto_compaction(&mut self, enabled: bool) {
        self.compaction.enabled = enabled;
        let window = self.asking.asker.model().limits.context;
        self.state.settings.compact_at =
            self.compaction.is_due(u64::MAX, window).then(|| self.compaction.threshold(window));
    }

    /// Whether steering waits until all calls of an answer have ended.
    pub fn set_steering_waits(&mut self, waits: bool) {
        self.state.settings.steering_waits = waits;
    }

    /// The background jobs.
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

    /// Keeps something in the session, as tools do.
    pub fn keep(&mut self, kind: String, data: Value) {
        self.append(Body::Custom(Custom { custom_type: kind.clone(), data: Some(data.clone()) }));
        self.facts.kept.insert(kind.clone(), data.clone());
        self.state.note_todos(&self.facts.kept);
        self.report(&Event::Session(SessionEvent::Kept { kind, data }));
    }

    /// Replaces the list of tasks by one that a person edited. The model reads it before it says anything more.
    pub fn set_todos(&mut self, todos: EditedTodos) {
        self.keep(TODOS.to_owned(), todos.data);
        if self.state.is_busy() {
            // Between a call and its result there is no room for anything else.
            self.queue(Happened::Steered(todos.prompt));
        } else {
            todos.prompt.bodies.into_iter().for_each(|body| self.append(body));
        }
    }

    /// Puts something into the log that is not part of a run, such as a command the user ran.
    pub fn note_entry(&mut self, body: Body) {
        self.append(body);
    }
}

/// What a session's log says about the conversation at its leaf.
pub(super) fn facts(log: &SessionLog) -> Facts {
    let context = log.context().state;
    let goal = context.mode.starts_with("goal").then(|| context.mode_data.clone()).flatten();
    let mut kept = std::collections::BTreeMap::new();
    for entry in log.path_to_leaf() {
        if let Body::Custom(Custom { custom_type, data: Some(data) }) = entry.body() {
            kept.insert(custom_type.clone(), data.clone());
        }
    }
    let last_prompt =
        log.path_to_leaf().into_iter().rev().find(|entry| matches!(entry.message(), Some(Message::User(_))));
    Facts {
        turn: last_prompt.map(|entry| entry.id().to_owned()).unwrap_or_default(),
        mode: context.mode,
        goal,
        checkpoint: context.checkpoint.as_ref().map(|checkpoint| checkpoint.goal.clone()),
        kept,
        ..Facts::default()
    }
}
