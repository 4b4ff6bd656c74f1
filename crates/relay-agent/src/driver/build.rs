//! Assembles an agent.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::control::facts;
use super::goal::GoalClock;
use super::{
    Agent, Asker, Asking, NewSession, NoOthers, NoRules, Observer, Post, StreamRules, Toolbox, UnderWay,
};
use crate::compact;
use crate::event::Event;
use crate::policy::Policy;
use crate::secrets::Masker;
use crate::session::SessionLog;
use crate::tool::{Concurrency, Registry, Selection, Services, UnknownTool};
use crate::turn::{Settings, State};

/// How many events may wait for the agent's thread. Few, so that a slow front end slows the provider.
const INBOX: usize = 64;

/// The parts of an agent.
pub struct AgentBuilder {
    /// The session.
    pub log: SessionLog,
    /// The model, and what every request carries.
    pub asking: Asking,
    /// All tools there are.
    pub registry: Registry,
    /// Which of them are offered.
    pub selection: Selection,
    /// What tools can access.
    pub services: Services,
    /// What may happen without asking.
    pub policy: Policy,
    /// The user's settings.
    pub settings: Settings,
    /// When and how the conversation is compacted.
    pub compaction: compact::Settings,
    /// Creates the session that continues after a handoff; without it, handoffs are not possible.
    pub new_session: Option<NewSession>,
    /// Finds stream rules that answers break.
    pub rules: Box<dyn StreamRules>,
    /// Keeps secrets on this machine.
    pub masker: Masker,
    /// Receives every event.
    pub observer: Observer,
    /// How long the agent may work in all.
    pub time: Option<Duration>,
}

impl AgentBuilder {
    /// The parts without which there is no agent; everything else has a default.
    #[must_use]
    pub fn new(log: SessionLog, asker: Arc<dyn Asker>, registry: Registry, services: Services) -> Self {
        let asking = Asking {
            asker,
            others: Arc::new(NoOthers),
            system: String::new(),
            thinking: None,
            output: None,
            cache_key: None,
        };
        Self {
            log,
            asking,
            registry,
            selection: Selection::All,
            services,
            policy: Policy::default(),
            settings: Settings::default(),
            compaction: compact::Settings::default(),
            new_session: None,
            rules: Box::new(NoRules),
            masker: Masker::off(),
            observer: Box::new(|_: &Event| {}),
            time: None,
        }
    }

    /// Assembles the agent, and restores modes and checkpoints from the session's log.
    ///
    /// # Errors
    /// A tool was asked for that is not there.
    pub fn build(self) -> Result<Agent, UnknownTool> {
        let offered = self.registry.select(&self.selection)?;
        let (sender, inbox) = std::sync::mpsc::sync_channel(INBOX);
        let mut settings = self.settings;
        let window = self.asking.asker.model().limits.context;
        settings.compact_at =
            self.compaction.is_due(u64::MAX, window).then(|| self.compaction.threshold(window));
        settings.schema = self.asking.output.as_ref().map(|output| output.schema.clone());
        settings.exclusive = self
            .registry
            .names()
            .filter_map(|name| self.registry.get(name))
            .filter(|tool| tool.spec().concurrency == Concurrency::Exclusive)
            .map(|tool| tool.spec().name.to_ascii_lowercase())
            .collect();
        let facts = facts(&self.log);
        let is_goal_open = facts.mode == "goal";
        let mut state = State::resumed(settings, facts.checkpoint.is_some(), is_goal_open);
        state.note_todos(&facts.kept);
        let mut rules = self.rules;
        rules.injected(&self.log.context().state.injected_rules);
        self.services.resources.add_session(self.log.artifacts().as_ref());
        let deadline = self.time.map(|time| {
            (Instant::now() + time, format!("the time limit of {} s was reached", time.as_secs()))
        });
        let mut agent = Agent {
            state,
            log: self.log,
            facts,
            asking: self.asking,
            tools: Toolbox { registry: self.registry, offered },
            services: self.services,
            policy: Arc::new(Mutex::new(self.policy)),
            masker: Arc::new(Mutex::new(self.masker)),
            watch: Arc::new(Mutex::new(rules)),
            compaction: self.compaction,
            goal: GoalClock::default(),
            new_session: self.new_session,
            observer: self.observer,
            post: Post { inbox, sender, own: VecDeque::new(), quits: false },
            under_way: UnderWay { deadline, ..UnderWay::default() },
        };
        if is_goal_open {
            agent.reopen_goal();
        }
        Ok(agent)
    }
}
