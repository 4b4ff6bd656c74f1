//! Reading a submission: whatever is wrong with the reply itself is found here.

use relay_edit::{Diagnostic, Dialect, Reply, parse};

use crate::codes;
use crate::engine::Engine;
use crate::outcome::Outcome;
use crate::pack::is_pack;
use crate::report::repair;
use crate::stop::Stop;
use crate::submission::{LandOptions, REPLY_LIMIT_BYTES, Submission};

/// Parses the reply. What is wrong with it ends here, unless the model is to mend it: then the errors stay with the
/// reply, so that one message can ask for all that has to be mended.
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
            Diagnostic::error(codes::IS_A_PACK, "this is a pack, which was made for a model, not by one")
                .hinted("Paste it into your chat, and hand over the model's reply alone."),
        ));
    }
    let mut reply = parse(&submission.text, submission.dialect);
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
            repair::ask_anew(dialect, engine.config().project_id.as_deref())
        });
        return Err(Stop::refused(no_edits(&submission.text)));
    }
    Ok(reply)
}

/// Nothing in the reply is an edit. The first fence is the likeliest place of one that was meant to be.
fn no_edits(text: &str) -> Diagnostic {
    let finding = Diagnostic::error(codes::NO_EDITS, "the reply holds no change that Relay understands")
        .hinted(
            "Code blocks need a path: ```ts // {src/file.ts}. `relay prompt` prints what to tell the model.",
        );
    Diagnostic {
        line: text.lines().position(|line| line.trim_start().starts_with("```")).map(|at| at + 1),
        ..finding
    }
}
