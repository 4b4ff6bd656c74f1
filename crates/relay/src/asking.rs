//! Putting questions: to several backends side by side, and under Relay's eyes where one of them could write.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use relay_backends::ask::AskError;
use relay_backends::backend::{BackendError, Backends, Link, Sandbox};
use relay_backends::configured::{self, Wanted};
use relay_diagnostics::{Cancel, Code, Diagnostic};
use relay_engine::{Attended, Engine, Observer as _, Outcome, Status, attend};
use relay_llm::{Budget, Limit, Spending};
use relay_settings::Settings;
use serde_json::{Value, json};

use crate::cli::CallArgs;
use crate::commands::trust_answer;
use crate::failure::{BAD_USAGE, Failure};
use crate::terminal::{self, ask::Person, progress::Progress};

/// A backend gave no answer.
pub const NO_ANSWER: Code = Code::new("no-answer");

/// What came of asking, in the order of the names.
pub type Results<T> = Vec<Result<T, AskError>>;

/// Asks all of them at the same time, with one line of progress; `one` asks the backend at a place in the list.
pub fn side_by_side<T: Send>(
    title: &str,
    names: &[String],
    cancel: &Cancel,
    budget: &Budget,
    one: impl Fn(usize, &mut Link<'_>) -> Result<T, AskError> + Sync,
) -> Results<T> {
    let mut progress = Progress::default();
    progress.command_started(title, &names.join(", "));
    let progress = Mutex::new(progress);
    let ask = |at: usize| {
        let mut on_text = |piece: &str| {
            if let Ok(mut progress) = progress.lock() {
                progress.command_output(piece.as_bytes());
            }
        };
        let mut link = Link {
            cancel,
            budget: &budget.share(),
            is_final: false,
            on_text: &mut on_text,
            on_note: &mut |text| terminal::note(text),
        };
        one(at, &mut link)
    };
    let ask = &ask;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..names.len()).map(|at| scope.spawn(move || ask(at))).collect();
        let vanished = |name: &String| {
            let reason = "the thread that asked it failed".to_owned();
            Err(BackendError::NotStarted { backend: name.clone(), reason }.into())
        };
        names
            .iter()
            .zip(threads)
            .map(|(name, thread)| thread.join().unwrap_or_else(|_| vanished(name)))
            .collect()
    })
}

/// Who is watched, and how they came to be asked.
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
    /// Does the work under Relay's eyes; what it does to the files becomes one transaction.
    pub fn attend(&self, engine: &Engine, mut work: impl FnMut()) -> Outcome {
        let attended = Attended {
            channel: self.channel,
            reason: self.reason,
            model: self.names.first().map(String::as_str),
            trust: trust_answer(self.call.trust),
            allow_sensitive: self.call.allow_sensitive,
            group: None,
            may_write: self.sandbox != Sandbox::ReadOnly,
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

/// Tells what became of the files, if anything did.
pub fn tell_effect(effect: Option<&Outcome>) {
    if let Some(effect) = effect.filter(|effect| effect.status != Status::Unchanged) {
        terminal::tell(&terminal::report::outcome(effect));
    }
}

/// Whether what the backends do to the files has to be watched. Who is told to be read-only and could write all the
/// same is named before anything runs.
///
/// # Errors
/// Several would write at once, and nobody could tell whose change is whose.
pub fn must_be_watched(
    backends: &Backends,
    names: &[String],
    repo: &Path,
    sandbox: Sandbox,
) -> Result<bool, Failure> {
    if sandbox != Sandbox::ReadOnly {
        if names.len() > 1 {
            let message = "only one backend at a time may write";
            return Err(Failure::usage(
                Diagnostic::error(BAD_USAGE, message).hinted("Ask several with --sandbox read-only."),
            ));
        }
        return Ok(true);
    }
    let could_write = |name: &&String| backends.get(name).is_ok_and(|backend| !backend.keeps_read_only(repo));
    let free: Vec<&str> = names.iter().filter(could_write).map(String::as_str).collect();
    if !free.is_empty() {
        let names = free.join(", ");
        terminal::note(&format!(
            "only their own rules keep {names} from writing here; Relay reports what changes meanwhile"
        ));
    }
    Ok(!free.is_empty())
}

/// The model for a backend: the command line's, else the setting for that backend.
pub fn model(call: &CallArgs, backend: &str, settings: &Settings) -> Option<String> {
    call.model.clone().or_else(|| configured::model(settings, backend))
}

/// What a backend may do.
///
/// # Errors
/// There is no sandbox of the name that was given.
pub fn sandbox(call: &CallArgs, settings: &Settings) -> Result<Sandbox, Failure> {
    let Some(name) = &call.sandbox else { return Ok(configured::sandbox(settings)) };
    name.parse().map_err(|()| {
        let names = Sandbox::ALL.map(Sandbox::name).join(", ");
        let message = format!("invalid sandbox `{name}`");
        Failure::usage(Diagnostic::error(BAD_USAGE, message).hinted(format!("Choose one of {names}.")))
    })
}

/// How long an answer may take.
pub fn timeout(call: &CallArgs, settings: &Settings) -> Duration {
    call.timeout.map_or_else(|| configured::timeout(settings), Duration::from_secs)
}

/// What may be used up: what the command line says, else the settings.
pub fn limit(call: &CallArgs, settings: &Settings) -> Limit {
    let by_setting = settings.limit();
    Limit {
        cost: call.max_cost.map_or(by_setting.cost, |bound| bound.0),
        turns: call.max_turns.map_or(by_setting.turns, |bound| bound.0),
        time: call.max_time.map_or(by_setting.time, |bound| bound.0),
    }
}

/// What was used up, for JSON.
pub fn spent(budget: &Budget) -> Value {
    let Spending { turns, usage, cost, is_estimate } = budget.spent();
    json!({
        "turns": turns,
        "cost": cost,
        "estimated": is_estimate,
        "tokens": {
            "input": usage.input,
            "cacheRead": usage.cache_read,
            "cacheWrite": usage.cache_write,
            "output": usage.output,
            "reasoning": usage.reasoning,
        },
    })
}

/// What the command line says about models.
pub fn wanted(call: &CallArgs, offline: bool) -> Wanted<'_> {
    Wanted { model: call.model.as_deref(), service_tier: call.service_tier.as_deref(), offline }
}

/// A question or review that could not be put.
pub fn failure(error: &AskError) -> Failure {
    let diagnostic = Diagnostic::error(NO_ANSWER, error.to_string());
    Failure::usage(match error.hint() {
        Some(hint) => diagnostic.hinted(hint),
        None => diagnostic,
    })
}
