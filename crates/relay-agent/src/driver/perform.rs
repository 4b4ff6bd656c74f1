//! Performs effects, one after another.

use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use relay_diagnostics::Cancel;
use relay_llm::{Request, ToolChoice};
use serde_json::Value;

use super::calls::Job;
use super::{Agent, Mail, StreamRules, model};
use crate::event::{Event, MessageEvent, RunEvent, SessionEvent};
use crate::session::body::ModeChange;
use crate::session::{Body, Message, Summary};
use crate::tool::{Asking, Output, Signal, ToolError, for_wire};
use crate::turn::{Effect, Happened, PendingCall, Prompt};

impl Agent {
    pub(super) fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Append(body) => self.append(body),
            Effect::Emit(event) => {
                if matches!(event, Event::Run(RunEvent::End { .. })) {
                    self.settle();
                    self.keep_goal_usage();
                }
                let event = self.with_messages(event);
                self.report(&event);
            }
            Effect::Ask { must_call } => self.ask(must_call),
            Effect::StopModel => {
                if let Some(cancel) = &self.under_way.model {
                    cancel.cancel();
                }
            }
            Effect::Run(pending) => {
                // After a power cut, a call's changes must not be ahead of the log.
                if pending.exclusive {
                    self.settle();
                }
                self.run_call(pending);
            }
            Effect::StopCalls => self.under_way.calls.values().for_each(Cancel::cancel),
            Effect::Signal(signal) => self.signal(signal),
            Effect::Compact { reason, focus } => self.shorten(reason, focus),
            Effect::Wait(ms) => self.under_way.pause = Some(Instant::now() + Duration::from_millis(ms)),
            Effect::LandText { text } => self.land_text(&text),
            Effect::Injected(rules) => self.rules().injected(&rules),
            Effect::Used(tokens) => self.goal_used(tokens),
            Effect::TurnEnded => self.rules().turn_ended(),
            Effect::RemindOfGoal { continues } => self.remind_of_goal(continues),
        }
    }

    /// Adds an entry to the log, and reports messages once they are in it.
    pub(super) fn append(&mut self, mut body: Body) {
        stamp(&mut body);
        let message = match &body {
            Body::Message(message) => Some((**message).clone()),
            Body::CustomMessage(message) => Some(Message::Custom((**message).clone())),
            _ => None,
        };
        match self.log.append_soon(body) {
            Ok(id) => {
                let entry = id.to_string();
                self.delivered(message.as_ref(), true);
                if matches!(message, Some(Message::User(_))) {
                    self.facts.turn.clone_from(&entry);
                }
                if let Some(message) = message {
                    if !matches!(message, Message::Assistant(_)) {
                        self.report(&Event::Message(MessageEvent::Said(Box::new(message.clone()))));
                    }
                    let finished = MessageEvent::Finished { entry, message: Box::new(message) };
                    self.report(&Event::Message(finished));
                }
            }
            Err(error) => {
                self.delivered(message.as_ref(), false);
                self.break_off(&error);
            }
        }
    }

    /// Waits until the log is durable.
    fn settle(&mut self) {
        if let Err(error) = self.log.settle() {
            self.break_off(&error);
        }
    }

    /// The request that the log asks for now.
    pub(super) fn request(&self, must_call: Option<String>) -> Request {
        let model = self.asking.asker.model();
        let (messages, _missing) = self.log.context().to_llm(self.log.blobs().as_ref());
        let tools = match model.capabilities.tools {
            true => {
                let selector = model.selector();
                let asking = Asking { model: &selector, services: &self.services };
                let wire = model.provider.wire;
                self.tools
                    .offered
                    .iter()
                    .map(|tool| for_wire(tool.spec_for(asking), tool.grammar_for(asking), wire))
                    .collect()
            }
            false => Vec::new(),
        };
        let tool_choice = match must_call {
            Some(name) if self.tools.offered.iter().any(|tool| tool.spec().name == *name) => {
                ToolChoice::Named(name)
            }
            _ => ToolChoice::Auto,
        };
        let mut request = Request {
            system: self.asking.system.clone(),
            messages,
            tools,
            tool_choice,
            thinking: self.asking.thinking,
            cache_key: self.asking.cache_key.clone().or_else(|| Some(self.log.id().to_owned())),
            output: self.asking.output.clone(),
            ..Request::default()
        };
        self.masker.lock().unwrap_or_else(PoisonError::into_inner).mask_request(&mut request);
        request
    }

    fn ask(&mut self, must_call: Option<String>) {
        let request = self.request(must_call);
        let cancel = Cancel::new();
        self.under_way.model = Some(cancel.clone());
        let (asker, sender, watch) =
            (Arc::clone(&self.asking.asker), self.post.sender.clone(), Arc::clone(&self.watch));
        self.rules().turn_began();
        let started = thread::Builder::new().name("model".to_owned()).spawn(move || {
            let send = |happened: Happened| {
                // An agent that is gone needs no answer.
                drop(sender.send(Mail::Happened(happened)));
            };
            model::run(&*asker, &request, &cancel, &watch, &send);
        });
        if started.is_err() {
            self.queue(self.asking.asker.gave_up());
        }
    }

    fn run_call(&mut self, pending: PendingCall) {
        let call = pending.call;
        let cancel = Cancel::new();
        self.under_way.calls.insert(call.id.clone(), cancel.clone());
        let tool =
            self.tools.registry.get(&call.name).filter(|tool| {
                self.tools.offered.iter().any(|offered| offered.spec().name == tool.spec().name)
            });
        let mut facts = self.facts.clone();
        facts.model = self.asking.asker.model().selector();
        facts.tools = self.tools.offered.iter().map(|tool| tool.spec().name.to_string()).collect();
        let id = call.id.clone();
        let job = Job {
            tool: tool.cloned(),
            known: self.tools.offered.iter().map(|tool| tool.spec().name.to_string()).collect(),
            call,
            services: self.services.clone(),
            facts,
            policy: Arc::clone(&self.policy),
            masker: Arc::clone(&self.masker),
            cancel,
        };
        let sender = self.post.sender.clone();
        let (call_id, updates) = (id.clone(), self.post.sender.clone());
        let started = thread::Builder::new().name(format!("call {id}")).spawn(move || {
            let update = |output: Output| {
                let id = call_id.clone();
                drop(updates.send(Mail::Happened(Happened::CallUpdated { id, output })));
            };
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job.run(&update)));
            let output = ended.unwrap_or_else(|_| {
                ToolError::failed("The tool failed inside Relay; this is a bug. Use another tool.")
                    .into_output()
            });
            drop(sender.send(Mail::Happened(Happened::CallEnded { id: call_id, output })));
        });
        if started.is_err() {
            let output = ToolError::failed("The call could not be started: too many threads.").into_output();
            self.queue(Happened::CallEnded { id, output });
        }
    }

    pub(super) fn rules(&self) -> MutexGuard<'_, Box<dyn StreamRules>> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes an event from this thread to the loop.
    pub(super) fn queue(&mut self, happened: Happened) {
        self.post.own.push_back(happened);
    }

    fn signal(&mut self, signal: Signal) {
        match signal {
            Signal::Checkpoint { goal, .. } => self.facts.checkpoint = Some(goal),
            Signal::Rewind { report, restore_files } => self.rewind(&report, restore_files),
            Signal::Goal(goal) => self.set_goal(goal),
            Signal::PlanApproved { .. } => self.plan_approved(&signal),
            Signal::Mode { mode, data } => self.set_mode(&mode, data),
            Signal::Pending { tool, label, data } => self.facts.pending = Some((tool, label, data)),
            Signal::Resolved { applied, reason, .. } => {
                if let Some((tool, label, data)) = self.facts.pending.take() {
                    let settled = SessionEvent::Settled { tool, label, applied, reason, data };
                    self.report(&Event::Session(settled));
                }
            }
            Signal::Stop => {}
            Signal::Select(names) => self.offer_more(&names),
            Signal::Keep { kind, data } => self.keep(kind, data),
        }
    }

    pub(super) fn set_mode(&mut self, mode: &str, data: Option<Value>) {
        mode.clone_into(&mut self.facts.mode);
        self.append(Body::ModeChange(ModeChange { mode: mode.to_owned(), data }));
        self.report(&Event::Session(SessionEvent::Mode(mode.to_owned())));
    }

    /// Offers tools that the model asked for, in addition to those it has.
    pub(super) fn offer_more(&mut self, names: &[String]) {
        for name in names {
            let tool = self.tools.registry.get(name).filter(|tool| {
                !self.tools.offered.iter().any(|offered| offered.spec().name == tool.spec().name)
            });
            if let Some(tool) = tool.cloned() {
                self.tools.offered.push(tool);
            }
        }
    }

    /// Returns the conversation to its checkpoint, with a report of what was found out.
    fn rewind(&mut self, report: &str, restore_files: bool) {
        let checkpoint = self.log.context().state.checkpoint;
        let to = checkpoint.as_ref().map(|checkpoint| checkpoint.entry_id.clone());
        let since = checkpoint.map(|checkpoint| checkpoint.started_at);
        let to = to.filter(|id| self.log.entry(id).is_some());
        self.facts.checkpoint = None;
        let summary = Summary { text: report.to_owned(), ..Summary::default() };
        if let Err(error) = self.log.branch_with_summary(to.as_deref(), summary) {
            return self.break_off(&error);
        }
        for body in Prompt::hidden("rewind-report", report).bodies {
            self.append(body);
        }
        self.report(&Event::Session(SessionEvent::Rewound { to }));
        if restore_files {
            self.restore_files(since.as_deref());
        }
    }
}

/// Stamps messages with the time at which they were logged.
fn stamp(body: &mut Body) {
    let now = Some(Timestamp::now().as_millisecond());
    match body {
        Body::Message(message) => match &mut **message {
            Message::User(message) | Message::Developer(message) => {
                message.timestamp = message.timestamp.or(now);
            }
            Message::ToolResult(message) => message.timestamp = message.timestamp.or(now),
            Message::Assistant(message) => message.timestamp = message.timestamp.or(now),
            _ => {}
        },
        Body::CustomMessage(message) => message.timestamp = message.timestamp.or(now),
        _ => {}
    }
}
