//! `relay apply`: a reply from a file, the clipboard or standard input, landed.

use std::fs::File;
use std::io::{IsTerminal, Read};
use std::path::Path;

use relay_diagnostics::Diagnostic;
use relay_edit::control::receipt_id;
use relay_engine::{
    LandOptions, Outcome, REPLY_LIMIT_BYTES, ReceiptUse, Status, Submission, TrustAnswer, explain, land,
    report,
};

use crate::cli::{ApplyArgs, TrustFlag};
use crate::failure::{Failure, UNREADABLE_INPUT};
use crate::terminal::{self, ask::Person, progress::Progress};
use crate::{clipboard, open, reviewed};

pub fn run(root: Option<&Path>, args: &ApplyArgs, offline: bool) -> Result<u8, Failure> {
    let file = args.file.as_deref().filter(|file| *file != Path::new("-"));
    let text = if args.clipboard { clipboard::paste()? } else { read_reply(file)? };
    let mut engine = open::engine(root)?;
    if !args.dry_run {
        reviewed::add(&mut engine, args.review.as_deref(), offline)?;
    }
    let submission = Submission { channel: "apply", text, dialect: args.reading.dialect };
    let options = LandOptions {
        dry_run: args.dry_run,
        strictness: args.reading.strictness,
        allow_shrink: args.allowed.allow_shrink,
        ignore: args.ignore.clone(),
        partial: args.partial,
        context: args.reading.context.clone(),
        receipt: receipt(args),
        repair: args.repair.repair_prompt,
        confirm: false,
        stage: args.stage.then_some(true),
        trust: trust_answer(args.trust),
        allow_sensitive: args.allowed.allow_sensitive,
        break_links: args.allowed.break_links,
        model: args.origin.model.clone(),
        group: args.origin.group.clone(),
    };
    if args.explain {
        let outcome = explain(&engine, &submission, &options);
        return Ok(finish(&outcome, args.json));
    }
    let mut person = Person::new(engine.cancel().clone(), args.yes, file.is_none() && !args.clipboard);
    let mut outcome = land(&engine, &submission, &options, &mut person, &mut Progress::default());
    if args.repair.copy {
        copy_prompt(&mut outcome, args.json);
    }
    let code = finish(&outcome, args.json);
    // The process exits now, so freeing the memory of a thousand files first would be wasted work.
    std::mem::forget((submission, outcome));
    Ok(code)
}

/// Puts the repair prompt on the clipboard instead of printing it. If that fails, it is printed after all.
fn copy_prompt(outcome: &mut Outcome, json: bool) {
    let Some(prompt) = &outcome.repair_prompt else { return };
    match clipboard::copy(prompt) {
        Ok(()) => {
            if !json {
                outcome.repair_prompt = None;
            }
            terminal::tell(
                "the repair prompt is on the clipboard: paste it into the chat, then copy the answer\n",
            );
        }
        Err(failure) => terminal::tell(&terminal::report::diagnostics(&failure.into_diagnostics())),
    }
}

/// Which receipt the reply is resolved against. Ids are case-insensitive.
fn receipt(args: &ApplyArgs) -> ReceiptUse {
    match &args.reading.receipt {
        _ if args.reading.ignore_receipt => ReceiptUse::Ignored,
        Some(id) => ReceiptUse::Named(receipt_id(id).unwrap_or_else(|| id.clone())),
        None => ReceiptUse::FromReply,
    }
}

/// Prints an outcome and returns its exit code.
pub fn finish(outcome: &Outcome, json: bool) -> u8 {
    if json {
        terminal::print_document(&report::outcome(outcome));
    } else if let Some(prompt) = &outcome.repair_prompt {
        terminal::tell(&terminal::report::outcome(outcome));
        terminal::print_exactly(prompt);
    } else {
        if matches!(outcome.status, Status::Validated | Status::Partial) && outcome.dry_run {
            terminal::print_as_is(&terminal::diff::changes(&outcome.changes));
            terminal::print_as_is(&terminal::diff::changes(&outcome.preview));
        }
        terminal::print(&terminal::report::outcome(outcome));
    }
    outcome.status.exit_code()
}

/// Whether `--trust` or `RELAY_TRUST` applies to this run.
pub fn trust_answer(flag: TrustFlag) -> TrustAnswer {
    let by_environment = std::env::var_os("RELAY_TRUST").is_some_and(|value| value == "1");
    if flag.trust || by_environment { TrustAnswer::ThisRun } else { TrustAnswer::Ask }
}

/// The reply in a file, or on standard input.
pub fn read_reply(file: Option<&Path>) -> Result<String, Failure> {
    let (name, bytes) = match file {
        Some(path) => (path.display().to_string(), File::open(path).and_then(read_capped)),
        None => {
            if std::io::stdin().is_terminal() && terminal::is_watched() {
                terminal::tell("paste the reply, then press Ctrl-D on a line of its own\n");
            }
            ("standard input".to_owned(), read_capped(std::io::stdin()))
        }
    };
    let bytes = bytes.map_err(|error| {
        let hint = "Pass the name of a readable file, or pipe the text in.";
        unreadable(format!("{name} cannot be read: {error}"), hint)
    })?;
    if memchr::memchr(0, &bytes).is_some() {
        return Err(unreadable(format!("{name} is not text"), "A reply is the text a model wrote."));
    }
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        unreadable(format!("{name} is not UTF-8 (at byte {place})"), "Save the reply as UTF-8.")
    })
}

/// One byte beyond the limit is enough to detect an oversized reply; the engine reports it.
fn read_capped(source: impl Read) -> std::io::Result<Vec<u8>> {
    // Most replies are shorter. A growing buffer would be copied again and again, and unused capacity serves the files that
    // are read.
    const ROOM_BYTES: usize = 1 << 19;
    let mut bytes = Vec::with_capacity(ROOM_BYTES);
    source.take(REPLY_LIMIT_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    bytes.shrink_to_fit();
    Ok(bytes)
}

fn unreadable(message: String, hint: &str) -> Failure {
    Failure::usage(Diagnostic::error(UNREADABLE_INPUT, message).hinted(hint))
}
