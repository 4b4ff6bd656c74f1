//! A reply that may go on: read, admitted, and with what its edits are placed on.

use relay_diagnostics::Diagnostic;
use relay_edit::Reply;

use super::admit::{self, Admitted, admit};
use super::parsing::read;
use super::prepared::Prepared;
use super::submission::{LandOptions, Submission};
use crate::context::receipt;
use crate::engine::Engine;
use crate::land::landing::Landing;
use crate::outcome::stop::Stop;
use crate::plan::contain::Contained;
use crate::plan::planning::Basis;
use crate::repair;

/// A reply that was read and admitted, with what its edits are placed on.
pub(crate) struct Ready<'a> {
    pub submission: &'a Submission,
    /// Where a channel has read the edits itself.
    pub prepared: Option<&'a Prepared>,
    pub options: &'a LandOptions,
    pub reply: Reply,
    pub admitted: Admitted<'a>,
    pub basis: Basis,
    /// Its edits, once their paths are checked.
    pub contained: Contained,
    /// What is wrong with the reply itself, where the model is to repair it together with what does not fit.
    pub flaws: Vec<Diagnostic>,
}

impl<'a> Ready<'a> {
    /// Reads a reply, joins it with the refused ones it repairs, and checks project and uuid.
    pub fn read(
        landing: &mut Landing<'_>,
        submission: &'a Submission,
        options: &'a LandOptions,
    ) -> Result<Self, Stop> {
        let engine = landing.engine;
        let reply = read(engine, submission, options, &mut landing.outcome)?;
        let answers = repair::answers(engine, submission, reply);
        let receipt = receipt::of_replies(engine, options, &answers, &mut landing.outcome.diagnostics)?;
        let basis = Basis::new(engine, options, receipt);
        let reply = repair::join(engine, answers, &basis)?;
        landing.say(repair::unanswered(engine, &reply));
        let admitted = admit(engine, &reply, &submission.text)?;
        let (contained, flaws) = (Contained::default(), Vec::new());
        Ok(Self { submission, prepared: None, options, reply, admitted, basis, contained, flaws })
    }

    /// Takes over edits that a channel has read itself.
    pub fn prepared(engine: &Engine, prepared: &'a Prepared, options: &'a LandOptions) -> Result<Self, Stop> {
        let submission = &prepared.submission;
        let admitted = admit::under(engine, prepared.uuid, &submission.text)?;
        let basis = Basis::new(engine, options, None).by_anchor(prepared.by_anchor);
        let (reply, prepared) = (prepared.reply(), Some(prepared));
        let (contained, flaws) = (Contained::default(), Vec::new());
        Ok(Self { submission, prepared, options, reply, admitted, basis, contained, flaws })
    }
}
