//! `relay log`: what landed, newest first.

use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relay_engine::history::{Edge, Next, moment, short};
use relay_engine::{Engine, Entry, EntryStatus, Filter, History, report};
use relay_txn::Record;
use serde_json::Value;

use crate::cli::LogArgs;
use crate::failure::Failure;
use crate::open;
use crate::terminal::report::{line, lines};
use crate::terminal::style::{BAD, FAINT, GOOD, NOTE, PLACE, STRONG, count, paint};
use crate::terminal::{self, visible};

pub fn run(root: Option<&Path>, args: &LogArgs) -> Result<u8, Failure> {
    let engine = open::engine_told(root)?;
    let filter = filter(root, &engine, args)?;
    let history = engine.history()?;
    let fitting = filter.choose(&history);
    let number = if args.number == 0 { usize::MAX } else { args.number };
    let entries = fitting.iter().take(number);
    if args.json {
        let turns = report::Turns::new(&history);
        let listed = entries.map(|entry| report::entry(entry, &turns));
        let unverified = history.unverified_records().map(report::unverified);
        let document = Value::Array(listed.chain(unverified).collect());
        return Ok(terminal::print_document(&document));
    }
    terminal::tell(&foreign(&history.foreign));
    if history.entries.is_empty() {
        terminal::tell("nothing has landed here yet; `relay apply reply.md` lands a reply\n");
        return Ok(0);
    }
    if fitting.is_empty() {
        terminal::tell(&format!("none of the {} match\n", count(history.entries.len(), "transaction")));
        return Ok(0);
    }
    let mut text = String::new();
    for entry in entries {
        match args.stat {
            true => {
                headline(&mut text, entry);
                text.push_str(&stat(&entry.record));
            }
            false => one(&mut text, entry),
        }
    }
    if fitting.len() > number {
        let more = fitting.len() - number;
        line(
            &mut text,
            format_args!("{}", paint(FAINT, format_args!("… {more} older; `relay log -n 0` shows all"))),
        );
    }
    text.push_str(&next(&history));
    Ok(terminal::pager::show(&text, "", args.no_pager))
}

/// What a plain `relay undo` and a plain `relay redo` would do.
fn next(history: &History) -> String {
    let mut text = String::new();
    let mut say = |command: &str, what: &str| {
        line(&mut text, format_args!("{} {what}", paint(FAINT, format_args!("next {command}:"))));
    };
    match history.next_undo() {
        Some(next) => say("undo", &steps(&next)),
        None => say("undo", "nothing is in effect"),
    }
    match history.next_redo() {
        Some(next) if next.landed_since.is_some() => say("redo", &blocked(&next)),
        Some(next) => say("redo", &steps(&next)),
        None => say("redo", "nothing is undone"),
    }
    text
}

/// The transactions of the next step, by number, and a summary of the first one.
fn steps(next: &Next<'_>) -> String {
    let first = next.changes.first().map(|(entry, _)| about(entry)).unwrap_or_default();
    format!("{}  {}", numbers(next), paint(FAINT, first))
}

/// Why a plain redo is not possible.
fn blocked(next: &Next<'_>) -> String {
    let landed = next.landed_since.map_or(0, |entry| entry.record.sequence);
    let name = next.redo_name();
    format!("name it, because #{landed} landed after {} was undone: `relay redo {name}`", numbers(next))
}

fn numbers(next: &Next<'_>) -> String {
    let shown = next.changes.iter().take(4).map(|(entry, _)| format!("#{}", entry.record.sequence));
    let more = next.changes.len().saturating_sub(4);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.collect::<Vec<_>>().join(", "))
}

/// The newest transactions, as the list shows them.
pub fn newest(engine: &Engine, number: usize) -> Result<String, Failure> {
    let history = engine.history()?;
    let mut text = String::new();
    for entry in Filter::default().choose(&history).iter().take(number) {
        one(&mut text, entry);
    }
    Ok(if text.is_empty() { "nothing has landed here yet\n".to_owned() } else { text })
}

fn filter(root: Option<&Path>, engine: &Engine, args: &LogArgs) -> Result<Filter, Failure> {
    let path = match args.path.as_deref() {
        Some(path) if open::is_root(root, engine, path)? => None,
        Some(path) => Some(open::path(root, engine, path)?.as_str().to_owned()),
        None => None,
    };
    let (now, zone) = (Timestamp::now(), TimeZone::system());
    let time = |text: &Option<String>, edge| {
        text.as_deref().map(|text| moment(text, now, &zone, edge).map_err(Failure::usage)).transpose()
    };
    let (since, until) = (time(&args.since, Edge::Start)?, time(&args.until, Edge::End)?);
    let group = super::agent_group(engine, false, args.session.as_deref())?.or_else(|| args.group.clone());
    let channel = args.channel.clone();
    Ok(Filter { path, channel, group, status: args.status, since, until })
}

/// One transaction in a list: a headline, what it was about, and its files.
pub fn one(text: &mut String, entry: &Entry) {
    headline(text, entry);
    line(text, format_args!("     {}", paint(FAINT, files(entry))));
}

/// A transaction's headline, and what it was about.
pub fn headline(text: &mut String, entry: &Entry) {
    let record = &entry.record;
    let (added, removed) = record.files().fold((0, 0), |(a, r), c| (a + c.added, r + c.removed));
    line(
        text,
        format_args!(
            "{} {}  {}  {}  {}  {}  {}{}",
            paint(PLACE, format_args!("{:>4}", record.sequence)),
            paint(STRONG, short(record.uuid)),
            when(record.created_at),
            source(&record.header.channel, record.header.model.as_deref()),
            state(entry),
            count(record.files().count(), "file"),
            lines(added, removed),
            checks(entry),
        ),
    );
    line(text, format_args!("     {}", about(entry)));
    if let Some(group) = &record.header.group {
        line(text, format_args!("     {}", paint(FAINT, format_args!("group {}", visible(group)))));
    }
}

/// Where a transaction came from: the channel, and the model if known.
pub fn source(channel: &str, model: Option<&str>) -> String {
    match model {
        Some(model) => format!("{} ({})", visible(channel), visible(model)),
        None => visible(channel).into_owned(),
    }
}

/// The moment in the reader's own time, and how long ago that was.
fn when(moment: Timestamp) -> String {
    let local = moment.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string();
    let seconds = Timestamp::now().duration_since(moment).as_secs();
    if seconds < 0 {
        return local;
    }
    format!("{local} {}", paint(FAINT, format_args!("({})", ago(moment))))
}

/// How long ago a moment was.
pub fn ago(moment: Timestamp) -> String {
    let seconds = Timestamp::now().duration_since(moment).as_secs();
    match seconds {
        ..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// The maximum width of the bar that shows a file's changed lines.
const BAR_COLUMNS: usize = 30;

/// Every file with its changed lines, as `git log --stat` shows them.
pub fn stat(record: &Record) -> String {
    let files: Vec<_> = record.files().map(|change| (visible(&change.path).into_owned(), change)).collect();
    let widest = files.iter().map(|(name, _)| terminal::columns(name)).max().unwrap_or_default();
    let most = files.iter().map(|(_, change)| change.added + change.removed).max().unwrap_or_default();
    let room = BAR_COLUMNS.min(terminal::width().saturating_sub(widest + 16)).max(1);
    // A bar is scaled down only if it would not fit, and every change keeps at least one mark.
    let scaled = |lines: usize| if most > room { (lines * room).div_ceil(most) } else { lines };
    let mut text = String::new();
    for (name, change) in &files {
        let padding = " ".repeat(widest.saturating_sub(terminal::columns(name)));
        line(
            &mut text,
            format_args!(
                "     {name}{padding} | {:>4} {}{}",
                change.added + change.removed,
                paint(GOOD, "+".repeat(scaled(change.added))),
                paint(BAD, "-".repeat(scaled(change.removed)))
            ),
        );
    }
    text
}

fn state(entry: &Entry) -> String {
    match entry.status {
        EntryStatus::Committed => paint(GOOD, "committed").to_string(),
        EntryStatus::Undone => paint(NOTE, "undone").to_string(),
        EntryStatus::Damaged => paint(BAD, "damaged").to_string(),
        EntryStatus::PartlyUndone => {
            let of = format!("undone in {} of {} files", entry.undone.len(), entry.record.changes.len());
            paint(NOTE, of).to_string()
        }
    }
}

fn checks(entry: &Entry) -> String {
    let all = entry.record.checks.len();
    let failed = entry.record.checks.iter().filter(|check| check.status != "passed").count();
    match (all, failed) {
        (0, _) => String::new(),
        (passed, 0) => format!("  {}", paint(FAINT, format_args!("{} passed", count(passed, "check")))),
        (_, failed) => format!("  {}", paint(BAD, format_args!("{} failed", count(failed, "check")))),
    }
}

/// The names of the files, as many as fit into a line.
fn files(entry: &Entry) -> String {
    let width = terminal::width().saturating_sub(6);
    let count = entry.record.files().count();
    let mut text = String::new();
    for (at, change) in entry.record.files().enumerate() {
        let name = visible(&change.path);
        let left = count - at;
        if at > 0 && text.chars().count() + name.chars().count() + 12 > width {
            text.push_str(&format!(", … {left} more"));
            break;
        }
        text.push_str(if at > 0 { ", " } else { "" });
        text.push_str(&name);
    }
    text
}

/// What a transaction was about: what it undid, the model's summary, else the first line of its reasoning.
pub fn about(entry: &Entry) -> String {
    let record = &entry.record;
    let first_line =
        |text: &str| text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
    let words = taken_back(entry)
        .or_else(|| record.header.prompt_summary.as_deref().and_then(first_line))
        .or_else(|| record.header.git_commit_msg.as_deref().and_then(first_line))
        .or_else(|| first_line(&record.header.reasoning))
        .unwrap_or_else(|| "no reason given".to_owned());
    let cut: String = words.chars().take(terminal::width().saturating_sub(6)).collect();
    visible(&cut).into_owned()
}

/// For an undo or a redo: what it undid.
fn taken_back(entry: &Entry) -> Option<String> {
    let record = &entry.record;
    let first = record.header.undoes.first()?;
    let names: Vec<String> = record.header.undoes.iter().take(4).map(|target| short(target.uuid)).collect();
    let more = record.header.undoes.len().saturating_sub(4);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let only = match record.header.undoes.len() {
        1 if !first.files.is_empty() => format!(", only {}", first.files.join(", ")),
        _ => String::new(),
    };
    Some(format!("{} of {}{more}{only}", record.header.channel, names.join(", ")))
}

/// A line about state files that cannot be verified.
pub fn foreign(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    format!(
        "{} ignoring {} in .relaycode/ (damaged, or not written by you on this machine): {}\n",
        paint(NOTE.bold(), "warning:"),
        count(names.len(), "state file"),
        visible(&names.iter().take(3).cloned().collect::<Vec<_>>().join(", "))
    )
}
