//! `relay review`: changes to one reviewer or several, and back as findings and a verdict.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use relay_agent::ask::{AskError, check_target, diff};
use relay_agent::backend::{BackendError, Backends, Link, Sandbox, Scope};
use relay_agent::review::{Finding, Review, Reviewed, Verdict, merge, review};
use relay_agent::settings::Settings;
use relay_edit::{Code, Diagnostic, Dialect};
use relay_engine::{Engine, LandOptions, Observer as _, Submission, land, translate};
use relay_store::Shelf;
use serde_json::{Value, json};

use super::apply::finish;
use crate::cli::{CallArgs, ReviewArgs};
use crate::failure::{BAD_USAGE, Failure};
use crate::terminal::findings::{self, Shown};
use crate::terminal::{self, ask::Person, progress::Progress, visible};
use crate::{agents, open};

/// A backend gave no answer.
pub const NO_ANSWER: Code = Code::new("no-answer");
/// There is no such finding, or it has no fix.
pub const NO_FIX: Code = Code::new("no-fix");

/// Where the findings of the last review are kept.
const LAST: &str = "last";

pub fn run(root: Option<&Path>, args: &ReviewArgs, offline: bool) -> Result<u8, Failure> {
    let engine = open::engine(args.call.repo.as_deref().or(root))?;
    if let Some(number) = args.apply {
        return apply_fix(&engine, number, args);
    }
    let settings = agents::settings(engine.store())?;
    let names = reviewers(&args.to, &settings);
    let backends =
        agents::backends_for(engine.store(), &settings, &names, args.call.model.as_deref(), offline)?;
    let (repo, sandbox) = (engine.workspace().root(), sandbox(&args.call, &settings));
    // Nobody is asked as long as anybody cannot be.
    for name in &names {
        check_target(name, repo, sandbox, timeout(&args.call, &settings), &backends)
            .map_err(|error| failure(&error))?;
    }
    let changes = Changes::collect(&engine, args, &settings).map_err(|error| failure(&error))?;
    if changes.diff.trim().is_empty() {
        return Err(Failure::usage(Diagnostic::error(BAD_USAGE, "there is nothing to review").hinted(
            "Say what: --uncommitted, --staged, --base BRANCH, --range A..B or --transaction UUID.",
        )));
    }
    let results = all(&engine, &names, &changes, args, &settings, &backends);
    if results.iter().any(|(_, result)| was_interrupted(result)) {
        return Ok(130);
    }
    let outcome = Outcome::of(results);
    remember(&engine, &outcome.findings)?;
    outcome.show(&engine, args);
    Ok(outcome.verdict.exit_code())
}

/// Who reviews: those named, else the setting.
fn reviewers(named: &[String], settings: &Settings) -> Vec<String> {
    if named.is_empty() { settings.text("ask.backend").into_iter().collect() } else { named.to_vec() }
}

/// What is reviewed.
struct Changes {
    diff: String,
    base: Option<String>,
    is_uncommitted: bool,
}

impl Changes {
    fn collect(engine: &Engine, args: &ReviewArgs, settings: &Settings) -> Result<Self, AskError> {
        let (repo, cancel) = (engine.workspace().root(), engine.cancel());
        let plain = |diff: String| Self { diff, base: None, is_uncommitted: false };
        if args.staged {
            return diff::staged(repo, cancel).map(plain);
        }
        if args.uncommitted {
            return diff::uncommitted(repo, cancel).map(|diff| Self { is_uncommitted: true, ..plain(diff) });
        }
        if let Some(range) = &args.range {
            return diff::between(repo, range, cancel).map(plain);
        }
        if let Some(transaction) = &args.transaction {
            return in_ledger(engine, transaction).map(plain);
        }
        let base = args
            .base
            .clone()
            .or_else(|| settings.text("ask.review_base"))
            .unwrap_or_else(|| diff::default_base(repo, cancel).to_owned());
        let diff = diff::since(repo, &base, cancel)?;
        Ok(Self { diff, base: Some(base), is_uncommitted: false })
    }

    /// The same changes in the words of a backend with a review of its own.
    fn scope(&self) -> Option<Scope<'_>> {
        match &self.base {
            Some(base) => Some(Scope::Base(base)),
            None => self.is_uncommitted.then_some(Scope::Uncommitted),
        }
    }
}

fn in_ledger(engine: &Engine, transaction: &str) -> Result<String, AskError> {
    let said = |diagnostics: Vec<Diagnostic>| AskError::Diff {
        said: diagnostics.into_iter().map(|found| found.message).collect::<Vec<_>>().join("; "),
    };
    let history = engine.history().map_err(|error| said(error.diagnostics()))?;
    let entry = history.find(transaction).map_err(|found| said(vec![found]))?;
    translate::entry(engine, &entry.record, Dialect::Unified).map_err(said)
}

type Results = Vec<(String, Result<Reviewed, AskError>)>;

/// Asks all reviewers, side by side.
fn all(
    engine: &Engine,
    names: &[String],
    changes: &Changes,
    args: &ReviewArgs,
    settings: &Settings,
    backends: &Backends,
) -> Results {
    let mut progress = Progress::default();
    progress.command_started("review by", &names.join(", "));
    let progress = Mutex::new(progress);
    let on_text = |piece: &str| {
        if let Ok(mut progress) = progress.lock() {
            progress.command_output(piece.as_bytes());
        }
    };
    let one = |name: &str| {
        let model = model(&args.call, name, settings);
        let wanted = Review {
            backend: name,
            repo: engine.workspace().root(),
            diff: &changes.diff,
            scope: changes.scope(),
            prompt: args.prompt.as_deref(),
            model: model.as_deref(),
            timeout: timeout(&args.call, settings),
            sandbox: sandbox(&args.call, settings),
        };
        let mut link = Link {
            cancel: engine.cancel(),
            on_text: &mut |piece| on_text(piece),
            on_note: &mut |text| terminal::note(text),
        };
        review(&wanted, backends, &agents::depth(), &mut link)
    };
    std::thread::scope(|scope| {
        let asked: Vec<_> = names.iter().map(|name| (name, scope.spawn(|| one(name)))).collect();
        asked
            .into_iter()
            .map(|(name, thread)| {
                let vanished = || {
                    let reason = "the thread that asked it failed".to_owned();
                    Err(BackendError::NotStarted { backend: name.clone(), reason }.into())
                };
                (name.clone(), thread.join().unwrap_or_else(|_| vanished()))
            })
            .collect()
    })
}

/// The model for a backend: the command line's, else the setting for that backend.
pub fn model(call: &CallArgs, backend: &str, settings: &Settings) -> Option<String> {
    call.model.clone().or_else(|| settings.text(&format!("backends.{backend}.model")))
}

/// What a backend may do.
pub fn sandbox(call: &CallArgs, settings: &Settings) -> Sandbox {
    call.sandbox.unwrap_or_else(|| settings.sandbox())
}

/// How long an answer may take.
pub fn timeout(call: &CallArgs, settings: &Settings) -> Duration {
    call.timeout.map_or_else(|| setting_timeout(settings), Duration::from_secs)
}

/// How long an answer may take by the settings.
pub fn setting_timeout(settings: &Settings) -> Duration {
    Duration::from_secs(settings.number("ask.timeout").unwrap_or_default())
}

fn was_interrupted(result: &Result<Reviewed, AskError>) -> bool {
    matches!(result, Err(AskError::Backend(BackendError::Cancelled { .. })))
}

/// What all reviewers together came to.
struct Outcome {
    findings: Vec<Finding>,
    verdict: Verdict,
    reviewed: Vec<Reviewed>,
    failed: Vec<(String, AskError)>,
}

impl Outcome {
    fn of(results: Results) -> Self {
        let (mut reviewed, mut failed) = (Vec::new(), Vec::new());
        for (name, result) in results {
            match result {
                Ok(one) => reviewed.push(one),
                Err(error) => failed.push((name, error)),
            }
        }
        let findings = merge(reviewed.iter().map(|one| (one.backend.clone(), one.reading.findings.clone())));
        let was_understood = failed.is_empty()
            && !reviewed.is_empty()
            && reviewed.iter().all(|one| one.reading.was_understood);
        let verdict = Verdict::of(&findings, was_understood);
        Self { findings, verdict, reviewed, failed }
    }

    fn show(&self, engine: &Engine, args: &ReviewArgs) {
        if args.verdict_json {
            terminal::print(&format!("{}\n", self.verdict_document()));
        } else if args.json {
            terminal::print(&format!("{:#}\n", self.document()));
        } else {
            let source = |file: &str| source(engine, file);
            let shown = Shown { findings: &self.findings, verdict: self.verdict, reviewed: &self.reviewed };
            terminal::print(&findings::text(&shown, &source));
        }
        for (name, error) in &self.failed {
            terminal::tell(&format!("{}: {}\n", visible(name), visible(&error.to_string())));
            if let Some(hint) = error.hint() {
                terminal::tell(&format!("  {}\n", visible(&hint)));
            }
        }
    }

    fn verdict_document(&self) -> Value {
        json!({ "verdict": self.verdict.name(), "findings": self.findings.len() })
    }

    fn document(&self) -> Value {
        let reviews: Vec<Value> = self
            .reviewed
            .iter()
            .map(|one| {
                json!({
                    "backend": one.backend,
                    "understood": one.reading.was_understood,
                    "dropped": one.reading.dropped,
                    "fallback": one.fallback,
                    "text": one.text,
                })
            })
            .collect();
        let failed: Vec<Value> = self
            .failed
            .iter()
            .map(|(name, error)| json!({ "backend": name, "error": error.to_string(), "hint": error.hint() }))
            .collect();
        json!({
            "verdict": self.verdict.name(),
            "exitCode": self.verdict.exit_code(),
            "findings": self.findings,
            "reviews": reviews,
            "failed": failed,
        })
    }
}

/// A file of the project as it is now, for showing findings beside the code.
fn source(engine: &Engine, file: &str) -> Option<String> {
    let path = engine.workspace().path(file).ok()?;
    let found = engine.workspace().read(&path).ok()??;
    Some(String::from_utf8_lossy(&found.bytes).into_owned())
}

fn remember(engine: &Engine, findings: &[Finding]) -> Result<(), Failure> {
    let text = serde_json::to_string(findings).map_err(|error| Failure::environment(&error))?;
    let root = engine.workspace().root();
    engine.store().put(Shelf::Reviews, root, LAST, vec![text]).map_err(|error| Failure::environment(&error))
}

/// Lands what a finding of the last review suggests, like any reply.
fn apply_fix(engine: &Engine, number: usize, args: &ReviewArgs) -> Result<u8, Failure> {
    let root = engine.workspace().root();
    let kept =
        engine.store().look_up(Shelf::Reviews, root, LAST).map_err(|error| Failure::environment(&error))?;
    let no_fix = |message: String| {
        Failure::general(Diagnostic::error(NO_FIX, message).hinted("`relay review` makes a new review."))
    };
    let Some(text) = kept.first() else {
        return Err(no_fix("there is no review to take a fix from".to_owned()));
    };
    let findings: Vec<Finding> = serde_json::from_str(text).map_err(|error| Failure::environment(&error))?;
    let finding = number.checked_sub(1).and_then(|index| findings.get(index)).ok_or_else(|| {
        no_fix(format!("the last review has no finding {number}; it has {}", findings.len()))
    })?;
    let fix = finding.fix.clone().ok_or_else(|| no_fix(format!("finding {number} suggests no fix")))?;
    let submission = Submission { channel: "review", text: fix, dialect: None };
    let options = LandOptions { model: finding.by.first().cloned(), ..LandOptions::default() };
    let mut person = Person::new(engine.cancel().clone(), args.yes, false);
    let outcome = land(engine, &submission, &options, &mut person, &mut Progress::default());
    Ok(finish(&outcome, args.json))
}

/// A question or review that could not be put.
pub fn failure(error: &AskError) -> Failure {
    let diagnostic = Diagnostic::error(NO_ANSWER, error.to_string());
    Failure::usage(match error.hint() {
        Some(hint) => diagnostic.hinted(hint),
        None => diagnostic,
    })
}
