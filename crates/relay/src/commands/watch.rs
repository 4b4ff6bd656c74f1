//! `relay watch`: the arguments become a [`Setup`], and the watcher runs.

use std::path::Path;

use relay_engine::{Engine, LandOptions};
use relay_exec::Cancel;

use super::apply::trust_answer;
use crate::channel::Source;
use crate::cli::WatchArgs;
use crate::failure::Failure;
use crate::watch::{self, Manner, Setup, Site, Wishes};
use crate::{open, terminal};

pub fn run(root: Option<&Path>, args: WatchArgs) -> Result<u8, Failure> {
    // Opening it recovers what an earlier run left undone, and tells what is odd.
    let engine = Engine::open(open::workspace(root)?, open::store()?, Cancel::new())?;
    if !engine.is_configured() {
        return Err(Failure::usage(watch::no_config()));
    }
    terminal::tell(&terminal::report::diagnostics(engine.warnings()));
    let manner = match args.json {
        true => Manner::Json,
        false if watch::can_be_live() => Manner::Live,
        false => Manner::Plain,
    };
    let options = LandOptions {
        confirm: args.any,
        trust: trust_answer(args.trust),
        allow_sensitive: args.allow_sensitive,
        break_links: args.break_links,
        ..LandOptions::default()
    };
    let root = engine.workspace().root().to_owned();
    let site = Site { root: root.clone(), options, yes: args.yes, can_ask: false };
    let source = match (args.stdin, args.file) {
        (Some(_), _) => Source::Stdin,
        (None, Some(file)) => Source::File(file),
        (None, None) => Source::Clipboard,
    };
    watch::run(Setup {
        source,
        config: engine.config().clone(),
        workspace: open::workspace(Some(&root))?,
        wishes: Wishes { any: args.any, now: args.now },
        manner,
        site,
    })
}
