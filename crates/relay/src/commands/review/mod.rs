//! `relay review`: changes to one reviewer or several, and back as findings and a verdict.

mod changes;
mod fix;
mod outcome;

use std::path::Path;

use relay_backends::ask::{AskError, check_target};
use relay_backends::backend::{BackendError, Link};
use relay_backends::review::{Review, Reviewed, review};
use relay_diagnostics::Diagnostic;
use relay_llm::Budget;
use relay_settings::Settings;

use crate::asking::{
    Results, Watched, failure, limit, model, must_be_watched, sandbox, side_by_side, spent, timeout, wanted,
};
use crate::cli::ReviewArgs;
use crate::failure::{BAD_USAGE, Failure};
use crate::{agents, open, terminal};

use changes::Changes;
use outcome::Outcome;

/// The channel of what a reviewer writes.
const CHANNEL: &str = "review";

pub fn run(root: Option<&Path>, args: &ReviewArgs, offline: bool) -> Result<u8, Failure> {
    let root = args.call.repo.as_deref().or(root);
    if let Some(number) = args.apply {
        return fix::land_fix(&open::engine(root)?, number, args);
    }
    // Of several faults the first in the order of the contract is reported: time, repository, backend, sandbox, depth, diff.
    let settings = agents::settings(&open::store()?)?;
    let timeout = timeout(&args.call, &settings);
    if timeout.is_zero() {
        return Err(failure(&AskError::NoTime));
    }
    if let Some(repo) = root.filter(|repo| !repo.is_dir()) {
        return Err(failure(&AskError::NoRepo { repo: repo.to_path_buf() }));
    }
    let engine = open::engine_told(root)?;
    let names = reviewers(&args.to, &settings);
    let backends = agents::backends_for(engine.store(), &settings, &names, wanted(&args.call, offline))?;
    let (repo, sandbox) = (engine.workspace().root(), sandbox(&args.call, &settings)?);
    let budget = Budget::new(limit(&args.call, &settings));
    // Nobody is asked as long as anybody cannot be.
    for name in &names {
        check_target(name, repo, sandbox, timeout, &budget.limit(), &backends)
            .map_err(|error| failure(&error))?;
    }
    for name in &names {
        agents::depth().next(name).map_err(|error| failure(&error))?;
    }
    let is_watched = must_be_watched(&backends, &names, repo, sandbox)?;
    let changes = Changes::collect(&engine, args, &settings).map_err(|error| failure(&error))?;
    let not_run = relay_engine::git::not_run(changes.ignored());
    terminal::tell(&terminal::report::diagnostics(not_run.as_slice()));
    if changes.is_empty() {
        return Err(Failure::usage(Diagnostic::error(BAD_USAGE, "nothing to review").hinted(
            "Choose what: --uncommitted, --staged, --base BRANCH, --range A..B or --transaction UUID.",
        )));
    }
    let one = |at: usize, link: &mut Link<'_>| {
        let name = names.get(at).map(String::as_str).unwrap_or_default();
        let model = model(&args.call, name, &settings);
        let wanted = Review {
            backend: name,
            repo,
            diff: changes.diff(),
            scope: changes.scope(),
            prompt: args.prompt.as_deref(),
            model: model.as_deref(),
            timeout,
            sandbox,
        };
        review(&wanted, &backends, &agents::depth(), link)
    };
    let mut results = Vec::new();
    let mut work = || results = side_by_side("review by", &names, engine.cancel(), &budget, one);
    let effect = if is_watched {
        let reason = args.prompt.as_deref().unwrap_or("a review");
        let call = &args.call;
        let watched = Watched { channel: CHANNEL, reason, names: &names, call, sandbox, stdin_taken: false };
        Some(watched.attend(&engine, work))
    } else {
        work();
        None
    };
    if was_interrupted(&results) {
        return Ok(130);
    }
    let outcome = Outcome::of(&names, results, effect, spent(&budget));
    fix::remember(&engine, &outcome.findings)?;
    outcome.show(&engine, args);
    Ok(outcome.exit_code(args.verdict_json))
}

/// Who reviews: those named, else the setting.
fn reviewers(named: &[String], settings: &Settings) -> Vec<String> {
    if named.is_empty() { settings.text("backends.default").into_iter().collect() } else { named.to_vec() }
}

fn was_interrupted(results: &Results<Reviewed>) -> bool {
    let interrupted = |result: &Result<Reviewed, AskError>| {
        matches!(result, Err(AskError::Backend(BackendError::Cancelled { .. })))
    };
    results.iter().any(interrupted)
}
