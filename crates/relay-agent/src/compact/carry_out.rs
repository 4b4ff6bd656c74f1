//! Requests summaries: tries several models in order, retries temporary failures, and reports every step.

use relay_llm as llm;

use super::plan::Plan;
use super::request::Request;
use crate::session::body::Compaction;

/// A model that may summarise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its selector, `provider/model`.
    pub model: String,
    /// Its context window in tokens.
    pub window: u64,
}

/// Who asks models. The turn loop implements it with its own client, keys and budget.
pub trait Summariser {
    /// Asks one model for one answer, without tools.
    ///
    /// # Errors
    /// Why it failed. [`llm::ErrorKind::Aborted`] ends everything.
    fn ask(&mut self, candidate: &Candidate, request: &llm::Request) -> Result<String, llm::Error>;

    /// Waits before the same model is retried. Returns false if the wait was cancelled.
    fn pause(&mut self, delay_ms: u64) -> bool;

    /// A summary from the remote endpoint in the settings; `None` if there is none or it is off.
    ///
    /// # Errors
    /// Why it failed; the models are asked then.
    fn remote(&mut self, system: &str, prompt: &str) -> Option<Result<String, llm::Error>> {
        let _unused = (system, prompt);
        None
    }
}

/// Events while a summary is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It begins.
    Started,
    /// A model is asked.
    Asking {
        /// The model.
        model: String,
    },
    /// A model failed and is retried.
    Retrying {
        /// The model.
        model: String,
        /// Why it failed.
        error: String,
        /// After how long.
        delay_ms: u64,
    },
    /// A model failed for good.
    Failed {
        /// The model, or `remote`.
        model: String,
        /// Why.
        error: String,
    },
    /// There is a summary.
    Finished {
        /// The model that wrote it last, or `remote`.
        model: String,
    },
}

/// Why there is no summary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SummaryError {
    /// The user cancelled.
    #[error("compaction was cancelled")]
    Cancelled,
    /// There is no model to ask.
    #[error("there is no model that could write a summary")]
    NoModel,
    /// Every model failed.
    #[error("no model wrote a summary: {reason}")]
    Failed {
        /// The last one's error.
        reason: String,
    },
}

/// Writes the summaries of a plan. The caller does the pruning, which changes the log and needs no model. `None` if the
/// plan has nothing to summarise.
///
/// # Errors
/// No summary could be made; nothing has changed then.
pub fn carry_out(
    plan: &Plan,
    candidates: &[Candidate],
    retry: &llm::RetrySettings,
    summariser: &mut dyn Summariser,
    tell: &mut dyn FnMut(Progress),
) -> Result<Option<Compaction>, SummaryError> {
    let mut answers = Vec::new();
    for request in plan.requests() {
        answers.push(summarise(&request, candidates, retry, summariser, tell)?);
    }
    Ok(plan.finish(&answers))
}

/// Asks for one summary: the remote endpoint first, where there is one, then model after model.
///
/// # Errors
/// No summary could be made.
pub fn summarise(
    request: &Request,
    candidates: &[Candidate],
    retry: &llm::RetrySettings,
    summariser: &mut dyn Summariser,
    tell: &mut dyn FnMut(Progress),
) -> Result<String, SummaryError> {
    tell(Progress::Started);
    let mut reason = None;
    let widest = candidates.iter().map(|candidate| candidate.window).max().unwrap_or(128_000);
    match summariser.remote(super::request::SYSTEM.trim_end(), &request.prompt(widest * 9 / 10)) {
        Some(Ok(summary)) if !summary.trim().is_empty() => {
            tell(Progress::Finished { model: REMOTE.to_owned() });
            return Ok(summary);
        }
        Some(Err(error)) if error.kind == llm::ErrorKind::Aborted => return Err(SummaryError::Cancelled),
        Some(answer) => {
            let error = answer.err().map_or_else(|| EMPTY.to_owned(), |error| error.message);
            tell(Progress::Failed { model: REMOTE.to_owned(), error: error.clone() });
            reason = Some(error);
        }
        None => {}
    }
    for candidate in candidates {
        match one(request, candidate, retry, summariser, tell) {
            Ok(summary) => return Ok(summary),
            Err(Some(error)) => reason = Some(error),
            Err(None) => return Err(SummaryError::Cancelled),
        }
    }
    Err(reason.map_or(SummaryError::NoModel, |reason| SummaryError::Failed { reason }))
}

/// What the remote endpoint is called in reports.
const REMOTE: &str = "remote";
/// The error for an answer without text.
const EMPTY: &str = "the answer is empty";

/// Asks one model, several times if its failure may pass. No reason means that it was cancelled.
fn one(
    request: &Request,
    candidate: &Candidate,
    retry: &llm::RetrySettings,
    summariser: &mut dyn Summariser,
    tell: &mut dyn FnMut(Progress),
) -> Result<String, Option<String>> {
    let model = || candidate.model.clone();
    let mut window = candidate.window;
    let mut attempt = 0;
    loop {
        tell(Progress::Asking { model: model() });
        let error = match summariser.ask(candidate, &request.to_llm(window)) {
            Ok(summary) if !summary.trim().is_empty() => {
                tell(Progress::Finished { model: model() });
                return Ok(summary);
            }
            Ok(_) => llm::Error::new(llm::ErrorKind::Malformed, candidate.model.clone(), EMPTY),
            Err(error) if error.kind == llm::ErrorKind::Aborted => return Err(None),
            Err(error) => error,
        };
        let is_overflow = error.kind == llm::ErrorKind::ContextOverflow;
        let retries = if retry.enabled { retry.max_retries } else { 0 };
        if attempt >= retries || !(error.kind.is_transient() || is_overflow) {
            tell(Progress::Failed { model: model(), error: error.message.clone() });
            return Err(Some(error.message));
        }
        // If the request does not fit, it is retried with less; a temporary failure is retried after a doubling
        // pause.
        let delay_ms = if is_overflow { 0 } else { retry.base_delay_ms.saturating_mul(1 << attempt.min(16)) };
        let delay_ms = delay_ms.min(retry.max_delay_ms);
        window = if is_overflow { window * 2 / 3 } else { window };
        tell(Progress::Retrying { model: model(), error: error.message, delay_ms });
        attempt += 1;
        if !summariser.pause(delay_ms) {
            return Err(None);
        }
    }
}
