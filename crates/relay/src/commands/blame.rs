//! `relay blame`: which transaction wrote each line, and why.

use std::path::Path;

use relay_diagnostics::Diagnostic;
use relay_engine::history::short;
use relay_engine::{Blame, BlamedLine, Engine, Entry, codes, report};
use relay_workspace::RelPath;

use super::log::{about, source};
use crate::cli::BlameArgs;
use crate::failure::Failure;
use crate::open;
use crate::terminal::report::line;
use crate::terminal::style::{FAINT, PLACE, STRONG, paint};
use crate::terminal::{self, visible};

/// How much of a reason is shown in front of a line.
const REASON_WIDTH: usize = 34;

/// The width of the channel's column; a model's name takes space from the reason.
const CHANNEL_WIDTH: usize = 7;

pub fn run(root: Option<&Path>, args: &BlameArgs) -> Result<u8, Failure> {
    let engine = open::engine_told(root)?;
    let (path, lines) = place(root, &engine, &args.place)?;
    let history = engine.history()?;
    let blame = relay_engine::blame(&engine, &history, &path, lines).map_err(Failure::general)?;
    if args.json {
        return Ok(terminal::print_document(&report::blame(&blame)));
    }
    Ok(terminal::print_as_is(&text(&blame)))
}

/// Splits `PATH:LINE` and `PATH:FROM-TO`. If a file has exactly this name, that file is meant.
fn place(
    root: Option<&Path>,
    engine: &Engine,
    given: &str,
) -> Result<(RelPath, Option<(usize, usize)>), Failure> {
    let whole = open::path(root, engine, given);
    if let Ok(path) = &whole
        && engine.workspace().facts(path).is_ok_and(|facts| facts.is_some())
    {
        return Ok((path.clone(), None));
    }
    let Some((path, lines)) = given.rsplit_once(':') else { return Ok((whole?, None)) };
    let bad = || {
        Failure::usage(
            Diagnostic::error(codes::NO_SUCH_LINE, format!("`{lines}` does not name lines"))
                .hinted("Write PATH, PATH:LINE or PATH:FROM-TO; lines are counted from 1."),
        )
    };
    let number = |text: &str| text.parse::<usize>().map_err(|_| bad());
    let lines = match lines.split_once('-') {
        Some((from, to)) => (number(from)?, number(to)?),
        None => (number(lines)?, number(lines)?),
    };
    Ok((open::path(root, engine, path)?, Some(lines)))
}

fn text(blame: &Blame<'_>) -> String {
    let mut text = String::new();
    let digits = blame.lines.last().map_or(1, |line| line.number.to_string().len());
    let mut previous: Option<Option<u64>> = None;
    for blamed in &blame.lines {
        let owner = blamed.entry.map(|entry| entry.record.sequence);
        // A run of lines from one transaction names it once.
        let who = if previous == Some(owner) { String::new() } else { who(blamed) };
        previous = Some(owner);
        let padding = " ".repeat(COLUMN.saturating_sub(terminal::columns(&who)));
        line(
            &mut text,
            format_args!(
                "{}{padding} {} {}",
                styled(blamed.entry, &who),
                paint(FAINT, format_args!("{:>digits$} │", blamed.number)),
                visible(&blamed.text)
            ),
        );
    }
    text
}

/// Number, name, day, channel and reason.
const COLUMN: usize = 5 + 9 + 11 + 8 + REASON_WIDTH;

fn who(blamed: &BlamedLine<'_>) -> String {
    let Some(entry) = blamed.entry else { return "not from the ledger".to_owned() };
    let record = &entry.record;
    let day = record.created_at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d");
    let source = source(&record.header.channel, record.header.model.as_deref());
    let about = about(entry);
    let width = REASON_WIDTH.saturating_sub(source.chars().count().saturating_sub(CHANNEL_WIDTH));
    let mut reason: String = about.chars().take(width).collect();
    if about.chars().count() > width {
        reason.pop();
        reason.push('…');
    }
    format!("{:>4} {} {day} {source:<CHANNEL_WIDTH$} {reason}", record.sequence, short(record.uuid))
}

fn styled(entry: Option<&Entry>, who: &str) -> String {
    match (entry, who.split_at_checked(4)) {
        (Some(_), Some((number, rest))) => format!("{}{}", paint(PLACE, number), paint(STRONG, rest)),
        _ => paint(FAINT, who).to_string(),
    }
}
