//! `relay wrap`: runs any command, and lands its changes to the files as one transaction.

use std::path::Path;

use relay_diagnostics::{Cancel, Diagnostic};
use relay_engine::{Engine, Status, WrapOutcome, Wrapped, codes, report};

use super::apply::trust_answer;
use crate::cli::WrapArgs;
use crate::failure::{BAD_USAGE, Failure};
use crate::terminal::report::{diagnostics, line};
use crate::terminal::style::{BAD, GOOD, paint};
use crate::terminal::{self, ask::Person, progress::Progress};
use crate::{open, signals};

pub fn run(root: Option<&Path>, args: &WrapArgs) -> Result<u8, Failure> {
    if args.dry_run {
        return Err(Failure::usage(
            Diagnostic::error(BAD_USAGE, "a command cannot be tried without running it")
                .hinted("Run it without --dry-run: Relay shows what it does, and `relay undo` undoes it."),
        ));
    }
    let environment = |error: &std::io::Error| Failure::environment(error);
    let cwd = std::env::current_dir().map_err(|error| environment(&error))?;
    // While the command runs, signals are for the command; afterwards they interrupt Relay.
    let stop = signals::stop_command().map_err(|error| environment(&error))?;
    let cancel = Cancel::new();
    let engine = Engine::open(open::workspace(root)?, open::store()?, cancel.clone())?;
    open::tell_waits(&engine);
    let wrapped = Wrapped {
        command: &args.command,
        cwd: &cwd,
        output_to_errors: args.json,
        trust: trust_answer(args.trust),
        allow_sensitive: args.allow_sensitive,
        model: args.model.as_deref(),
        stop: &stop,
    };
    let mut person = Person::new(cancel.clone(), args.yes, true);
    let mut unheard = None;
    let mut ended = || unheard = signals::cancel_from_now_on(&cancel).err();
    let result = relay_engine::wrap(&engine, &wrapped, &mut ended, &mut person, &mut Progress::default());
    if let Some(error) = unheard {
        terminal::tell(&format!("Ctrl-C cannot be handled: {error}\n"));
    }
    if args.json {
        terminal::print_document(&report::wrapped(&result));
    } else {
        // Standard output belongs to the command, and may feed another program.
        terminal::tell(&text(&result));
    }
    Ok(result.exit_code())
}

fn text(result: &WrapOutcome) -> String {
    let outcome = &result.outcome;
    let headline = match outcome.status {
        Status::Unchanged => paint(GOOD, "✓ the command changed no files that Relay watches").to_string(),
        Status::Rejected if outcome.diagnostics.iter().any(|found| found.code == codes::NOT_CAPTURED) => {
            paint(BAD, "✗ not recorded").to_string()
        }
        _ => return terminal::report::outcome(outcome),
    };
    let mut text = String::new();
    line(&mut text, format_args!("{headline}"));
    text.push_str(&diagnostics(&outcome.diagnostics));
    text
}
