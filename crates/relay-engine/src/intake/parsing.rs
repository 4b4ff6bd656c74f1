//! Parsing a submission: whatever is wrong with the reply itself is found here.

use relay_diagnostics::Diagnostic;
use relay_edit::{Block, Class, Dialect, Reply, parse};

use crate::codes;
use crate::context::pack::is_pack;
use crate::engine::Engine;
use crate::intake::address;
use crate::intake::submission::{LandOptions, REPLY_LIMIT_BYTES, Submission};
use crate::outcome::Outcome;
use crate::outcome::stop::Stop;
use crate::plan::accounting;
use crate::repair::message;

/// Parses the reply. Errors end here, unless the model should repair them: then they stay with the reply, so that one
/// message can ask for all repairs.
pub(crate) fn read(
    engine: &Engine,
    submission: &Submission,
    options: &LandOptions,
    outcome: &mut Outcome,
) -> Result<Reply, Stop> {
    if submission.text.len() > REPLY_LIMIT_BYTES {
        return Err(Stop::refused(
            Diagnostic::error(
                codes::REPLY_TOO_LARGE,
                format!("the reply has {} bytes, {REPLY_LIMIT_BYTES} are allowed", submission.text.len()),
            )
            .hinted("Ask the model for the change in several smaller replies."),
        ));
    }
    if is_pack(&submission.text) {
        return Err(Stop::refused(
            Diagnostic::error(codes::IS_A_PACK, "this is a pack, which is input for a model, not a reply")
                .hinted("Paste it into your chat, then apply the model's reply."),
        ));
    }
    let mut reply = parse(&submission.text, submission.dialect);
    accounting::ignore(&mut reply, &options.ignore).map_err(Stop::refused)?;
    address::resolve(engine.workspace(), submission.dialect, &mut reply);
    let (errors, warnings): (Vec<_>, Vec<_>) = reply.diagnostics.drain(..).partition(Diagnostic::is_error);
    outcome.diagnostics.extend(warnings);
    if options.repair && !options.partial {
        reply.diagnostics = errors;
    } else {
        outcome.lose(errors, options.partial)?;
    }
    if reply.edits.is_empty() && reply.diagnostics.is_empty() {
        outcome.repair_prompt = options.repair.then(|| {
            let dialect = submission.dialect.unwrap_or(Dialect::Fenced);
            message::ask_anew(&submission.text, dialect, engine.config().project_id.as_deref())
        });
        outcome.blocks = accounting::blocks(engine.workspace(), &reply, &[], None);
        let unclear = outcome.blocks.iter().filter(|block| block.class == Class::Unclear).map(Block::finding);
        let unclear: Vec<Diagnostic> = unclear.collect();
        return Err(Stop::Refused(if unclear.is_empty() {
            vec![no_edits(&submission.text)]
        } else {
            unclear
        }));
    }
    Ok(reply)
}

/// The reply has no edit. Points to the first fence, the likeliest place of an intended one.
fn no_edits(text: &str) -> Diagnostic {
    if text.trim().is_empty() {
        return Diagnostic::error(codes::NO_EDITS, "the reply is empty")
            .hinted("Pass the model's whole answer: a file, standard input, or the clipboard.");
    }
    let finding = Diagnostic::error(codes::NO_EDITS, "the reply contains no change that Relay understands")
        .hinted(
            "Code blocks need a path: ```ts // {src/file.ts}. `relay prompt` prints the instructions for the model.",
        );
    Diagnostic {
        line: text.lines().position(|line| line.trim_start().starts_with("```")).map(|at| at + 1),
        ..finding
    }
}
