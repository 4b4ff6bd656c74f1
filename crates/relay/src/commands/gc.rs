//! `relay gc`: deletes old transactions after asking, and unneeded contents without asking.

use std::path::Path;

use jiff::Timestamp;
use relay_engine::history::age;
use relay_engine::report;
use relay_engine::retention::{Collected, CollectedStatus, Farewell, Retention, collect};

use crate::cli::GcArgs;
use crate::failure::Failure;
use crate::open;
use crate::terminal;
use crate::terminal::ask::Person;
use crate::terminal::report::{diagnostics, line};
use crate::terminal::style::{BAD, FAINT, GOOD, NOTE, count, paint};

pub fn run(root: Option<&Path>, args: &GcArgs) -> Result<u8, Failure> {
    let retention =
        Retention { younger_than: age(&args.older_than).map_err(Failure::usage)?, newest: args.keep };
    let engine = open::engine_told(root)?;
    let mut person = Person::new(engine.cancel().clone(), args.yes, false);
    let mut ask = |farewell: &Farewell| person.confirm(&question(farewell));
    let collected = collect(&engine, &retention, Timestamp::now(), args.dry_run, &mut ask)?;
    if args.json {
        terminal::print_document(&report::collected(&collected));
    } else {
        terminal::print(&text(&collected));
        terminal::tell(&diagnostics(&collected.diagnostics));
    }
    Ok(u8::from(collected.status == CollectedStatus::Kept))
}

fn question(farewell: &Farewell) -> String {
    format!(
        "{} delete {}? They can no longer be shown or undone; {} of them still in effect.",
        paint(NOTE.bold(), "?"),
        count(farewell.transactions, "transaction"),
        if farewell.in_effect == farewell.transactions {
            "all".to_owned()
        } else {
            farewell.in_effect.to_string()
        }
    )
}

fn text(collected: &Collected) -> String {
    let mut text = String::new();
    let gone = &collected.forgotten;
    let sessions = match collected.mail_sessions {
        0 => String::new(),
        some => format!(", and {}", count(some, "mail thread")),
    };
    let what = format!(
        "{} and {}, {}{sessions}",
        count(gone.records, "transaction"),
        count(gone.blobs, "content"),
        size(gone.bytes)
    );
    let word = match collected.status {
        CollectedStatus::Validated => "would delete",
        CollectedStatus::Collected | CollectedStatus::Kept => "deleted",
    };
    let is_nothing = gone.records + gone.blobs + collected.mail_sessions == 0;
    if is_nothing && collected.status == CollectedStatus::Kept {
        line(&mut text, format_args!("{} nothing was deleted", paint(BAD, "✗")));
    } else if is_nothing {
        line(&mut text, format_args!("{} nothing to delete", paint(GOOD, "✓")));
    } else {
        line(&mut text, format_args!("{} {word} {what}", paint(GOOD, "✓")));
    }
    let kept = format!("{} kept", count(collected.kept, "transaction"));
    line(&mut text, format_args!("  {}", paint(FAINT, kept)));
    text
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}
