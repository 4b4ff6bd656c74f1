//! Putting an agent together.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use relay_llm::{OutputSchema, Thinking};

use super::{Agent, Asker, NoRules, Observer, StreamRules, UnderWay};
use crate::compact;
use crate::event::Event;
use crate::policy::Policy;
use crate::secrets::Masker;
use crate::session::SessionLog;
use crate::tool::{Concurrency, Facts, Registry, Selection, Services, UnknownTool};
use crate::turn::{Settings, State};

/// How many events may wait for the agent's thread. Few, so that a slow front end slows the provider.
const INBOX: usize = 64;

/// What an agent is made of.
pub struct AgentBuilder {
    /// The session.
    pub log: SessionLog,
    /// The model.
    pub asker: Arc<dyn Asker>,
    /// All tools there are.
    pub registry: Registry,
    /// Which of them are offered.
    pub selection: Selection,
    /// What tools get of the world.
    pub services: Services,
    /// What may happen without asking.
    pub policy: Policy,
    /// The instructions.
    pub system: String,
    /// How hard to think.
    pub thinking: Option<Thinking>,
    /// A schema the answer must follow.
    pub output: Option<OutputSchema>,
    /// What the user set.
    pub settings: Settings,
    /// When and how the conversation is made shorter.
    pub compaction: compact::Settings,
    /// Finds stream rules that answers break.
    pub rules: Box<dyn StreamRules>,
    /// Keeps secrets on this machine.
    pub masker: Masker,
    /// Takes every event.
    pub observer: Observer,
    /// How long the agent may work in all.
    pub time: Option<Duration>,
}

impl AgentBuilder {
    /// The parts without which there is no agent; everything else has a default.
    #[must_use]
    pub fn new(log: SessionLog, asker: Arc<dyn Asker>, registry: Registry, services: Services) -> Self {
        Self {
            log,
            asker,
            registry,
            selection: Selection::All,
            services,
            policy: Policy::default(),
            system: String::new(),
            thinking: None,
            output: None,
            settings: Settings::default(),
            compaction: compact::Settings::default(),
            rules: Box::new(NoRules),
            masker: Masker::off(),
            observer: Box::new(|_: &Event| {}),
            time: None,
        }
    }

    /// Puts the agent together. What the session's log says about modes and checkpoints holds again.
    ///
    /// # Errors
    /// A tool was asked for that is not there.
    pub fn build(self) -> Result<Agent, UnknownTool> {
        let tools = self.registry.select(&self.selection)?;
        let (sender, inbox) = std::sync::mpsc::sync_channel(INBOX);
        let context = self.log.context().state;
        let mut settings = self.settings;
        let window = self.asker.model().limits.context;
        settings.compact_at =
            self.compaction.is_due(u64::MAX, window).then(|| self.compaction.threshold(window));
        settings.exclusive = self
            .registry
            .names()
            .filter_map(|name| self.registry.get(name))
            .filter(|tool| tool.spec().concurrency == Concurrency::Exclusive)
            .map(|tool| tool.spec().name.to_ascii_lowercase())
            .collect();
        let goal = (context.mode == "goal").then(|| context.mode_data.clone()).flatten();
        let facts = Facts {
            mode: context.mode,
            goal: goal.clone(),
            checkpoint: context.checkpoint.as_ref().map(|checkpoint| checkpoint.goal.clone()),
            ..Facts::default()
        };
        let state = State::resumed(settings, context.checkpoint.is_some(), goal.is_some());
        let mut rules = self.rules;
        rules.injected(&context.injected_rules);
        Ok(Agent {
            state,
            log: self.log,
            inbox,
            sender,
            asker: self.asker,
            registry: self.registry,
            tools,
            services: self.services,
            policy: Arc::new(Mutex::new(self.policy)),
            facts,
            system: self.system,
            thinking: self.thinking,
            observer: self.observer,
            under_way: UnderWay::default(),
            ended: None,
            deadline: self.time.map(|time| {
                (Instant::now() + time, format!("the time limit of {} s was reached", time.as_secs()))
            }),
            broken: None,
            quits: false,
            own: VecDeque::new(),
            output: self.output,
            compaction: self.compaction,
            masker: Arc::new(Mutex::new(self.masker)),
            watch: Arc::new(Mutex::new(rules)),
        })
    }
}
