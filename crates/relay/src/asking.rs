//! Asks backends from the command line: shows progress, and watches the files if a backend could write.

use std::sync::Mutex;
use std::time::Duration;

use relay_backends::ask::{AskError, Listener, Results, Watch, together};
use relay_backends::backend::{Link, Sandbox};
use relay_backends::configured::Wanted;
use relay_diagnostics::Cancel;
use relay_engine::{Attended, Engine, Observer as _, Outcome, Status, attend};
use relay_llm::Budget;

use crate::cli::CallArgs;
use crate::commands::trust_answer;
use crate::terminal::{self, ask::Person, progress::Progress};

/// What the command line says about a question.
pub fn wanted(call: &CallArgs, offline: bool) -> Wanted<'_> {
    Wanted {
        model: call.model.as_deref(),
        service_tier: call.service_tier.as_deref(),
        offline,
        sandbox: call.sandbox.as_deref(),
        timeout: call.timeout.map(Duration::from_secs),
        max_cost: call.max_cost.map(|bound| bound.0),
        max_turns: call.max_turns.map(|bound| bound.0),
        max_time: call.max_time.map(|bound| bound.0),
    }
}

/// One line of progress for everyone who is asked.
struct Line(Mutex<Progress>);

impl Listener for Line {
    fn text(&self, piece: &str) {
        if let Ok(mut progress) = self.0.lock() {
            progress.command_output(piece.as_bytes());
        }
    }

    fn note(&self, note: &str) {
        terminal::note(note);
    }
}

/// Asks all of them at the same time, with one line of progress; `one` asks the backend at an index of `names`.
pub fn side_by_side<T: Send>(
    title: &str,
    names: &[String],
    cancel: &Cancel,
    budget: &Budget,
    one: impl Fn(usize, &mut Link<'_>) -> Result<T, AskError> + Sync,
) -> Results<T> {
    let mut progress = Progress::default();
    progress.command_started(title, &names.join(", "));
    together(names, cancel, budget, &Line(Mutex::new(progress)), one)
}

/// Which backends are watched, and why they were asked.
pub struct Watched<'a> {
    pub channel: &'static str,
    pub reason: &'a str,
    pub names: &'a [String],
    pub call: &'a CallArgs,
    pub sandbox: Sandbox,
    /// Standard input carries the question.
    pub stdin_taken: bool,
}

impl Watched<'_> {
    /// Runs the work while Relay watches the files; its changes become one transaction.
    pub fn attend(&self, engine: &Engine, mut work: impl FnMut()) -> Outcome {
        let attended = Attended {
            channel: self.channel,
            reason: self.reason,
            model: self.names.first().map(String::as_str),
            trust: trust_answer(self.call.trust),
            allow_sensitive: self.call.allow_sensitive,
            group: None,
            may_write: self.sandbox != Sandbox::ReadOnly,
            ignored: &relay_workspace::Ignored::Not,
        };
        let cancel = engine.cancel();
        let mut person = Person::new(cancel.clone(), self.call.yes, self.stdin_taken);
        let mut interruptible = || {
            work();
            cancel.is_cancelled()
        };
        attend(engine, &attended, &mut interruptible, &mut person, &mut Progress::default())
    }
}

/// Shows the note about watching; returns whether the files are watched.
pub fn is_watched(watch: &Watch) -> bool {
    if let Some(note) = watch.note() {
        terminal::note(&note);
    }
    watch.is_needed()
}

/// Reports how the files changed, if they did.
pub fn tell_effect(effect: Option<&Outcome>) {
    if let Some(effect) = effect.filter(|effect| effect.status != Status::Unchanged) {
        terminal::tell(&terminal::report::outcome(effect));
    }
}
