//! `relay watch`: the arguments become a [`Setup`], and the watcher runs.

use std::path::Path;

use relay_diagnostics::{Cancel, Code, Diagnostic};
use relay_engine::{Engine, LandOptions};
use relay_store::Watching;

use super::apply::trust_answer;
use crate::channel::Source;
use crate::cli::WatchArgs;
use crate::failure::Failure;
use crate::watch::{self, Manner, Setup, Site, Wishes};
use crate::{open, reviewed, terminal};

/// Another process already watches the same clipboard for the same project.
const ALREADY_WATCHED: Code = Code::new("already-watched");

pub fn run(root: Option<&Path>, args: WatchArgs, offline: bool) -> Result<u8, Failure> {
    let json = args.json;
    match watch(root, args, offline) {
        // A caller that expects one document per line gets one even if there is nothing to watch.
        Err(failure) if json => Ok(failure.report_line()),
        ended => ended,
    }
}

fn watch(root: Option<&Path>, args: WatchArgs, offline: bool) -> Result<u8, Failure> {
    // Opening it finishes what an earlier run left undone, and reports anything unusual.
    let mut engine = Engine::open(open::workspace(root)?, open::store()?, Cancel::new())?;
    if !engine.is_configured() {
        return Err(Failure::usage(watch::no_config()));
    }
    terminal::tell(&terminal::report::diagnostics(engine.warnings()));
    // Each reply opens it again later; a reviewer that cannot be called is reported now.
    reviewed::add(&mut engine, args.review.as_deref(), offline)?;
    let manner = match args.json {
        true => Manner::Json,
        false if watch::can_be_live() => Manner::Live,
        false => Manner::Plain,
    };
    let options = LandOptions {
        partial: args.partial,
        context: args.context,
        confirm: args.any,
        trust: trust_answer(args.trust),
        allow_sensitive: args.allow_sensitive,
        break_links: args.break_links,
        ..LandOptions::default()
    };
    let root = engine.workspace().root().to_owned();
    let site =
        Site { root: root.clone(), options, review: args.review, offline, yes: args.yes, can_ask: false };
    let source = match (args.stdin, args.file) {
        (Some(_), _) => Source::Stdin,
        (None, Some(file)) => Source::File(file),
        (None, None) => Source::Clipboard,
    };
    // Held until the end. Files and pipes have one reader each; only the clipboard is shared.
    let _watching = if source == Source::Clipboard { become_watcher(&engine)? } else { None };
    let wishes = Wishes { any: args.any, now: args.now, addressed: source.can_wait() };
    watch::run(Setup {
        source,
        config: engine.config().clone(),
        workspace: open::workspace(Some(&root))?,
        wishes,
        manner,
        site,
    })
}

/// Becomes the project's watcher of the clipboard, and warns if another process is: both would show every reply.
fn become_watcher(engine: &Engine) -> Result<Option<Watching>, Failure> {
    let watching =
        engine.store().watch(engine.workspace().root()).map_err(|error| Failure::environment(&error))?;
    if watching.is_none() {
        let message = "another `relay watch` is already watching the clipboard for this project";
        let found = Diagnostic::warning(ALREADY_WATCHED, message)
            .hinted("Each reply lands once, through whichever sees it first; quit one of them.");
        terminal::tell(&terminal::report::diagnostics(&[found]));
    }
    Ok(watching)
}
