//! `relay review`: sends changes to one or several reviewers, and returns findings and a verdict.

mod changes;
mod fix;
mod outcome;

use std::path::Path;

use relay_backends::ask::{AskError, Results, Watch};
use relay_backends::backend::{BackendError, Link};
use relay_backends::configured;
use relay_backends::review::{Review, Reviewed, review};
use relay_diagnostics::Diagnostic;
use relay_engine::Engine;
use relay_llm::Budget;
use relay_settings::Settings;

use crate::asking::{Watched, is_watched, side_by_side, wanted};
use crate::cli::ReviewArgs;
use crate::failure::{BAD_USAGE, Failure};
use crate::{open, terminal, user};

use changes::Changes;
use outcome::Outcome;

/// The channel of what a reviewer writes.
const CHANNEL: &str = "review";

pub fn run(root: Option<&Path>, args: &ReviewArgs, offline: bool) -> Result<u8, Failure> {
    let root = args.call.repo.as_deref().or(root);
    if let Some(number) = args.apply {
        return fix::land_fix(&open::engine(root)?, number, args);
    }
    // The first of several errors in this order is reported: time, repository, backend, sandbox, depth, diff.
    let settings = user::settings(&open::store()?)?;
    let wanted = wanted(&args.call, offline);
    if wanted.timeout(&settings).is_zero() {
        return Err(AskError::NoTime.into());
    }
    if let Some(repo) = root.filter(|repo| !repo.is_dir()) {
        return Err(AskError::NoRepo { repo: repo.to_path_buf() }.into());
    }
    let engine = open::engine_told(root)?;
    let names = configured::asked(&args.to, &settings);
    let backends = user::sources(engine.store(), &settings).named(&names, wanted)?;
    let unknown = names.iter().find_map(|name| backends.get(name).err());
    unknown.map_or(Ok(()), |unknown| Err(AskError::from(unknown)))?;
    let (repo, terms) = (engine.workspace().root(), wanted.terms(&settings)?);
    let budget = Budget::new(terms.limit);
    // If one backend cannot be asked, none is.
    for name in &names {
        terms.check(name, repo, &backends)?;
    }
    for name in &names {
        user::depth().next(name)?;
    }
    let is_watched = is_watched(&Watch::decide(&backends, &names, repo, terms.sandbox)?);
    let changes = changes(&engine, args, &settings)?;
    let one = |at: usize, link: &mut Link<'_>| {
        let name = names.get(at).map(String::as_str).unwrap_or_default();
        let model = wanted.model_of(name, &settings);
        let request = Review {
            backend: name,
            repo,
            diff: changes.diff(),
            scope: changes.scope(),
            prompt: args.prompt.as_deref(),
            model: model.as_deref(),
            terms,
        };
        review(&request, &backends, &user::depth(), link)
    };
    let mut results = Vec::new();
    let mut work = || results = side_by_side("review by", &names, engine.cancel(), &budget, one);
    let effect = if is_watched {
        let reason = args.prompt.as_deref().unwrap_or("a review");
        let call = &args.call;
        let watched = Watched {
            channel: CHANNEL,
            reason,
            names: &names,
            call,
            sandbox: terms.sandbox,
            stdin_taken: false,
        };
        Some(watched.attend(&engine, work))
    } else {
        work();
        None
    };
    if was_interrupted(&results) {
        return Ok(130);
    }
    let outcome = Outcome::of(&names, results, effect, budget.spent().document());
    fix::remember(&engine, &outcome.findings)?;
    outcome.show(&engine, args);
    Ok(outcome.exit_code(args.verdict_json))
}

/// The changes to review, with a note about what git did not run to show them.
fn changes(engine: &Engine, args: &ReviewArgs, settings: &Settings) -> Result<Changes, Failure> {
    let changes = Changes::collect(engine, args, settings)?;
    let not_run = relay_engine::git::not_run(changes.ignored());
    terminal::tell(&terminal::report::diagnostics(not_run.as_slice()));
    if changes.is_empty() {
        return Err(Failure::usage(Diagnostic::error(BAD_USAGE, "nothing to review").hinted(
            "Choose what: --uncommitted, --staged, --base BRANCH, --range A..B or --transaction UUID.",
        )));
    }
    Ok(changes)
}

fn was_interrupted(results: &Results<Reviewed>) -> bool {
    let interrupted = |result: &Result<Reviewed, AskError>| {
        matches!(result, Err(AskError::Backend(BackendError::Cancelled { .. })))
    };
    results.iter().any(interrupted)
}
