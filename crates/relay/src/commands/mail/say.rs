//! What `relay mail` prints for people. Control characters in what a model wrote are escaped first.

use std::collections::HashSet;
use std::path::Path;

use relay_engine::mail::{CommandResult, Listed, Session, SessionStatus, Turn};
use relay_engine::secrets::placeholders;
use relay_store::Tray;

use super::Desk;
use crate::failure::Failure;
use crate::terminal::report::{diagnostics, line};
use crate::terminal::style::{BAD, FAINT, GOOD, NOTE, PLACE, STRONG, count, paint};
use crate::terminal::visible;

/// How many lines of an output are shown.
const OUTPUT_LINES: usize = 12;

/// What to do next.
pub fn next(desk: &Desk<'_>, session: &Session, copied: bool) -> Result<String, Failure> {
    let mut text = String::new();
    let id = &session.session_id;
    match session.status {
        SessionStatus::Closed => {
            line(&mut text, format_args!("{} thread {} is closed", paint(GOOD, "✓"), paint(STRONG, id)));
        }
        SessionStatus::Done => text.push_str(&done(session)),
        SessionStatus::Open => {
            let message = desk.mail.outbox(id)?;
            let send = if copied {
                "paste the clipboard into your chat; it is also in".to_owned()
            } else {
                "paste this file into your chat:".to_owned()
            };
            let boxes = desk.mail.mailbox();
            line(
                &mut text,
                format_args!(
                    "{} waiting for the answer to message {} of thread {}",
                    paint(NOTE.bold(), "…"),
                    session.sequence_number,
                    paint(STRONG, id)
                ),
            );
            let outbox = boxes.place(Tray::Outbox).join(session.outbox_name());
            line(
                &mut text,
                format_args!(
                    "  1. {send}\n     {}  {}",
                    paint(PLACE, place(&outbox)),
                    paint(
                        FAINT,
                        format_args!("about {} tokens{}", message.len().div_ceil(4), masked(&message))
                    )
                ),
            );
            line(
                &mut text,
                format_args!(
                    "  2. save the whole answer as any .txt file in\n     {}",
                    paint(PLACE, place(&boxes.place(Tray::Inbox)))
                ),
            );
        }
    }
    Ok(text)
}

/// A path in the shortest form that works from the current folder.
fn place(path: &Path) -> String {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    let short = here.ok().and_then(|here| path.strip_prefix(here).ok().map(Path::to_path_buf));
    visible(&short.as_deref().unwrap_or(path).display().to_string()).into_owned()
}

/// How many secrets were masked in a message.
fn masked(message: &str) -> String {
    let found: HashSet<&str> =
        placeholders(message.as_bytes()).filter_map(|range| message.get(range)).collect();
    if found.is_empty() { String::new() } else { format!(", {} masked", count(found.len(), "secret")) }
}

fn done(session: &Session) -> String {
    let mut text = String::new();
    line(
        &mut text,
        format_args!("{} thread {} is done", paint(GOOD.bold(), "✓"), paint(STRONG, &session.session_id)),
    );
    let summary = session.summary.as_deref().unwrap_or_default();
    summary.lines().for_each(|words| line(&mut text, format_args!("  {}", visible(words))));
    let failed = session.last_results.iter().filter(|result| !result.success).count();
    if failed > 0 {
        line(
            &mut text,
            format_args!(
                "{} {} of its last answer failed; `relay mail resume {}` reports that to the model",
                paint(NOTE.bold(), "!"),
                count(failed, "command"),
                session.session_id
            ),
        );
    }
    text
}

/// One result, printed as soon as it is known.
pub fn result(result: &CommandResult) -> String {
    let mut text = String::new();
    if let Some(message) = &result.message {
        // The summary of a thread is printed when it ends.
        if result.command == "MESSAGE" {
            message.lines().for_each(|words| {
                line(&mut text, format_args!("  {} {}", paint(PLACE, "│"), visible(words)));
            });
        }
        return text;
    }
    let mark = if result.success { paint(GOOD, "✓") } else { paint(BAD, "✗") };
    line(
        &mut text,
        format_args!("  {mark} {} {}", paint(STRONG, visible(&result.command)), visible(&result.summary)),
    );
    let output: Vec<&str> = result.output.iter().flat_map(|output| output.lines()).collect();
    if output.len() > OUTPUT_LINES {
        line(&mut text, format_args!("    {}", paint(FAINT, format_args!("│ … {} lines", output.len()))));
    }
    for shown in output.iter().skip(output.len().saturating_sub(OUTPUT_LINES)) {
        line(&mut text, format_args!("    {} {}", paint(FAINT, "│"), visible(shown)));
    }
    text
}

/// Notes about an answer, besides its results.
pub fn turn(turn: &Turn) -> String {
    let mut text = diagnostics(&turn.diagnostics);
    if turn.is_repeated {
        line(
            &mut text,
            format_args!(
                "{} nothing to do  this answer was already carried out, as number {}; `relay mail step FILE --again` repeats it",
                paint(GOOD.bold(), "✓"),
                turn.sequence
            ),
        );
        return text;
    }
    let landed = turn.results.iter().filter(|result| result.transaction.is_some()).count();
    if landed > 0 {
        let command = format!("relay undo --group {}", turn.session.group(turn.sequence));
        line(
            &mut text,
            format_args!(
                "  {} {}",
                paint(FAINT, format_args!("{} landed; undo all of it with", count(landed, "transaction"))),
                paint(PLACE, command)
            ),
        );
    }
    text
}

/// One line of a list.
pub fn listed(listed: &Listed) -> String {
    let session = &listed.session;
    let state = match session.status {
        _ if !listed.is_ours => paint(FAINT, "elsewhere "),
        _ if listed.is_interrupted => paint(NOTE, "unfinished"),
        SessionStatus::Open => paint(NOTE, "open      "),
        SessionStatus::Done => paint(GOOD, "done      "),
        SessionStatus::Closed => paint(FAINT, "closed    "),
    };
    let task: String = session.task.lines().next().unwrap_or_default().chars().take(70).collect();
    let mut text = String::new();
    line(
        &mut text,
        format_args!(
            "{}  {state}  {:>4}  {}  {}",
            paint(STRONG, &session.session_id),
            session.sequence_number,
            paint(FAINT, session.updated_at.strftime("%Y-%m-%d %H:%M")),
            visible(&task)
        ),
    );
    text
}

/// A session in full.
pub fn whole(desk: &Desk<'_>, listed: &Listed) -> Result<String, Failure> {
    let session = &listed.session;
    let mut text = self::listed(listed);
    line(&mut text, format_args!("  task: {}", visible(&session.task).replace('\n', "\n    ")));
    if !session.last_results.is_empty() {
        line(&mut text, format_args!("  the last answer:"));
        session.last_results.iter().for_each(|found| text.push_str(&result(found)));
    }
    if listed.is_interrupted {
        line(&mut text, format_args!("  an answer was interrupted; `relay mail run` finishes it"));
    }
    if listed.is_ours {
        text.push_str(&next(desk, session, false)?);
    } else {
        line(
            &mut text,
            format_args!("  it was started elsewhere; `relay mail resume {}` adopts it", session.session_id),
        );
    }
    Ok(text)
}
