//! Reading a submission: whatever is wrong with the reply itself ends here.

use relay_edit::{Diagnostic, Reply, parse};

use crate::codes;
use crate::outcome::Outcome;
use crate::pack::is_pack;
use crate::stop::Stop;
use crate::submission::{LandOptions, REPLY_LIMIT_BYTES, Submission};

/// Parses the reply; whatever is wrong with it ends here.
pub(crate) fn read(
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
    outcome.lose(errors, options.partial)?;
    if reply.edits.is_empty() {
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
