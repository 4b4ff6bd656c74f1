//! `relay context`: the files that go into the next pack.

use std::collections::BTreeSet;
use std::path::Path;

use relay_diagnostics::Diagnostic;
use relay_engine::pack::select::fitting;
use relay_engine::{Engine, codes, report, selection};
use relay_store::StoreError;

use super::pack::named;
use crate::cli::{ContextAction, ContextArgs};
use crate::failure::Failure;
use crate::open;
use crate::terminal::style::{BAD, FAINT, GOOD, count, paint};
use crate::terminal::{self, report::line, visible};

pub fn run(root: Option<&Path>, args: &ContextArgs) -> Result<u8, Failure> {
    let engine = open::engine_told(root)?;
    let environment = |error: StoreError| Failure::environment(&error);
    let (mut added, mut removed) = (Vec::new(), Vec::new());
    match &args.action {
        ContextAction::Add { paths, exclude } => {
            let wanted = named(root, &engine, paths, exclude)?;
            let paths = wanted.into_iter().map(|wanted| wanted.path.to_string());
            added = selection::add(&engine, paths).map_err(environment)?;
        }
        ContextAction::Rm { paths } => {
            let meant = meant(root, &engine, paths)?;
            removed = selection::remove(&engine, &meant).map_err(environment)?;
        }
        ContextAction::List => {}
        ContextAction::Clear => {
            removed = selection::list(&engine).map_err(environment)?;
            selection::clear(&engine).map_err(environment)?;
        }
    }
    let files = selection::list(&engine).map_err(environment)?;
    if args.json {
        return Ok(terminal::print_document(&report::selection(&files, &added, &removed)));
    }
    Ok(terminal::print(&told(&engine, &args.action, &files, &added, &removed)))
}

/// The selected files that match the patterns; they need not exist any more.
fn meant(root: Option<&Path>, engine: &Engine, patterns: &[String]) -> Result<BTreeSet<String>, Failure> {
    let selected = selection::list(engine).map_err(|error| Failure::environment(&error))?;
    let mut all = BTreeSet::new();
    let mut problems = Vec::new();
    for given in patterns {
        let here = open::pattern(root, engine, given)?.unwrap_or_else(|| given.clone());
        let mut found = fitting(&selected, &here).map_err(|problem| Failure::refused(vec![problem]))?;
        if found.is_empty() {
            found = fitting(&selected, given).map_err(|problem| Failure::refused(vec![problem]))?;
        }
        if found.is_empty() {
            problems.push(
                Diagnostic::error(
                    codes::NO_SUCH_FILE,
                    format!("`{given}` is not selected and matches nothing that is"),
                )
                .on(given)
                .hinted("`relay context list` shows what is selected."),
            );
        }
        all.extend(found);
    }
    if problems.is_empty() { Ok(all) } else { Err(Failure::refused(problems)) }
}

fn told(
    engine: &Engine,
    action: &ContextAction,
    files: &[String],
    added: &[String],
    removed: &[String],
) -> String {
    let mut text = String::new();
    match action {
        ContextAction::List if files.is_empty() => {
            line(&mut text, format_args!("nothing is selected; `relay context add PATH` selects files"));
        }
        ContextAction::List => {
            for path in files {
                let is_there = engine
                    .workspace()
                    .path(path)
                    .is_ok_and(|path| engine.workspace().facts(&path).is_ok_and(|facts| facts.is_some()));
                let gone =
                    if is_there { String::new() } else { format!("  {}", paint(BAD, "does not exist")) };
                line(&mut text, format_args!("{}{gone}", visible(path)));
            }
        }
        _ => {
            for path in added {
                line(&mut text, format_args!("  {} {}", paint(GOOD, "+"), visible(path)));
            }
            for path in removed {
                line(&mut text, format_args!("  {} {}", paint(BAD, "−"), visible(path)));
            }
            let total = format!("{} selected", count(files.len(), "file"));
            line(&mut text, format_args!("{}", paint(FAINT, total)));
        }
    }
    text
}
