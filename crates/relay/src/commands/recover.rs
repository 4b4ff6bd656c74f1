//! `relay recover`: finishes interrupted work, reports what it found, and restores saved contents.

use std::path::Path;

use relay_diagnostics::Diagnostic;
use relay_engine::{Unobserved, recover, report};
use relay_txn::{Kept, Origin};
use serde_json::{Value, json};

use super::apply::finish;
use crate::cli::RecoverArgs;
use crate::failure::Failure;
use crate::open;
use crate::terminal::ask::Person;
use crate::terminal::report::{diagnostics, line};
use crate::terminal::style::{FAINT, STRONG, paint};
use crate::terminal::{self, visible};

pub fn run(root: Option<&Path>, args: &RecoverArgs) -> Result<u8, Failure> {
    if let Some(id) = &args.restore {
        return restore(root, args, id);
    }
    if args.list {
        return list(root, args);
    }
    let found = recover(&open::workspace(root)?, &open::store()?)?;
    if args.json {
        let document = json!({ "status": status(&found), "diagnostics": report::diagnostics(&found) });
        terminal::print_document(&document);
    } else if found.is_empty() {
        terminal::print("nothing to recover: no transaction was interrupted\n");
    } else {
        terminal::print(&diagnostics(&found));
    }
    Ok(u8::from(is_stuck(&found)))
}

fn is_stuck(found: &[Diagnostic]) -> bool {
    found.iter().any(Diagnostic::is_error)
}

fn status(found: &[Diagnostic]) -> &'static str {
    if is_stuck(found) { "recovery_needed" } else { "recovered" }
}

fn restore(root: Option<&Path>, args: &RecoverArgs, id: &str) -> Result<u8, Failure> {
    let engine = open::engine(root)?;
    let to = args.to.as_deref().map(|to| open::path(root, &engine, to)).transpose()?;
    let mut person = Person::new(engine.cancel().clone(), args.yes, false);
    let outcome = relay_engine::restore(&engine, id, to.as_ref(), &mut person, &mut Unobserved);
    Ok(finish(&outcome, args.json))
}

fn list(root: Option<&Path>, args: &RecoverArgs) -> Result<u8, Failure> {
    let (kept, found) = relay_engine::kept(&open::workspace(root)?, &open::store()?)?;
    if args.json {
        let contents: Vec<Value> = kept.iter().map(document).collect();
        let diagnostics = report::diagnostics(&found);
        let document = json!({ "status": status(&found), "contents": contents, "diagnostics": diagnostics });
        terminal::print_document(&document);
        return Ok(u8::from(is_stuck(&found)));
    }
    terminal::tell(&diagnostics(&found));
    let mut text = String::new();
    for kept in &kept {
        let path = kept.path.as_deref().map_or_else(|| "path unknown".into(), visible);
        line(&mut text, format_args!("{}  {path}  {} bytes", paint(STRONG, &kept.id), kept.size));
        let why = format!("{}, in {}", words(kept.origin), visible(&kept.kept_in));
        line(&mut text, format_args!("  {}", paint(FAINT, why)));
    }
    if kept.is_empty() {
        text.push_str("nothing to restore\n");
    }
    terminal::print(&text);
    Ok(u8::from(is_stuck(&found)))
}

fn words(origin: Origin) -> &'static str {
    match origin {
        Origin::Rescued => "moved aside by a rollback",
        Origin::TakenBack => "written by a command, and rolled back",
        Origin::Staged => "left by an interrupted transaction: an original file or its replacement",
    }
}

fn document(kept: &Kept) -> Value {
    let origin = match kept.origin {
        Origin::Rescued => "rescued",
        Origin::TakenBack => "rolled_back",
        Origin::Staged => "staged",
    };
    json!({
        "id": kept.id,
        "transaction": kept.uuid.to_string(),
        "path": kept.path,
        "keptIn": kept.kept_in,
        "size": kept.size,
        "origin": origin,
    })
}
