//! Attending another program's work: whatever it does to the workspace becomes one transaction, checked like any other.
//!
//! ```text
//! trust ─▶ scan ─▶ the work ─▶ scan ─▶ transaction ─▶ checks ─▶ approval ─▶ commit | rollback
//! ```
//! This is [`wrap`](crate::wrap()) for work that is not a command with the user's terminal: another agent that was asked
//! to write.

use relay_txn::{Draft, Header};
use relay_workspace::Ignored;
use uuid::Uuid;

use crate::approval::trust::TrustAnswer;
use crate::approval::{Approver, Observer};
use crate::effects::adopt::{Ran, interrupted, land_effects, record_effects};
use crate::engine::Engine;
use crate::land::landing::Landing;
use crate::outcome::stop::Stop;
use crate::outcome::{Outcome, Status};

/// Work to attend.
#[derive(Clone, Copy, Debug)]
pub struct Attended<'a> {
    /// The channel, for the ledger.
    pub channel: &'static str,
    /// What it is about, in a sentence.
    pub reason: &'a str,
    /// The author.
    pub model: Option<&'a str>,
    /// The answer to the trust question, if given in advance.
    pub trust: TrustAnswer,
    /// Files that make other tools execute something may be changed.
    pub allow_sensitive: bool,
    /// The group that it belongs to.
    pub group: Option<&'a str>,
    /// Whether it was asked to change files. If not, changes are recorded so that they can be undone, but they stay:
    /// another program may have made them.
    pub may_write: bool,
    /// Ignored files that it is about to destroy; they are saved as well.
    pub ignored: &'a Ignored,
}

/// Does the work and lands its changes. The work returns whether it was interrupted; the user then decides about the
/// changes so far. Work that may write does not start if the project's checks may not run, or if there is no one to
/// approve it.
pub fn attend(
    engine: &Engine,
    attended: &Attended<'_>,
    work: &mut dyn FnMut() -> bool,
    approver: &mut dyn Approver,
    observer: &mut dyn Observer,
) -> Outcome {
    Landing::new(engine, approver, observer).run(|landing| run(landing, attended, work))
}

fn run(
    landing: &mut Landing<'_>,
    attended: &Attended<'_>,
    work: &mut dyn FnMut() -> bool,
) -> Result<Status, Stop> {
    if attended.may_write {
        landing.require_trust(attended.trust)?;
        landing.require_approver(&[])?;
    }
    let engine = landing.engine;
    let (before, running) = engine.watch(attended.channel, attended.reason, attended.ignored)?;
    let was_interrupted = work();
    let header = Header {
        model: attended.model.map(str::to_owned),
        group: attended.group.map(str::to_owned),
        ..engine.header(attended.channel, attended.reason)
    };
    let ran = Ran {
        draft: Draft { uuid: Uuid::new_v4(), header, ..Draft::default() },
        by: attended.channel,
        running,
        allow_sensitive: attended.allow_sensitive,
        questions: was_interrupted.then(|| interrupted("it")).into_iter().collect(),
    };
    if attended.may_write {
        land_effects(landing, &before, ran)
    } else {
        record_effects(engine, &before, ran, &mut landing.outcome)
    }
}
