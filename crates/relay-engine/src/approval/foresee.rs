//! Questions that a dry run does not ask, but the real run will.

use relay_diagnostics::Diagnostic;

use crate::approval::trust::{self, TrustAnswer};
use crate::codes;
use crate::engine::Engine;
use crate::intake::submission::LandOptions;
use crate::plan::contain::{Contained, sensitive_warning};

/// One warning for each question to expect.
pub(crate) fn questions(engine: &Engine, options: &LandOptions, contained: &Contained) -> Vec<Diagnostic> {
    let mut questions = Vec::new();
    if !options.allow_sensitive {
        questions.extend(contained.sensitive().iter().map(|(path, reason)| {
            sensitive_warning(path, *reason)
                .hinted("To land it, answer yes when asked, or pass --allow-sensitive.")
        }));
    }
    let trusted = trust::is_trusted(engine.store(), engine.workspace(), engine.config()).unwrap_or(false);
    if !trusted && options.trust == TrustAnswer::Ask {
        questions.push(
            Diagnostic::warning(codes::UNTRUSTED_COMMANDS, "the project's commands are not trusted here yet")
                .hinted("To land it, run `relay trust` first, or pass --trust."),
        );
    }
    questions
}
