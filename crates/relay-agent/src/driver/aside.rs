//! Side requests to models: for summaries, handoffs and names. They do not enter the log by themselves.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use relay_diagnostics::Cancel;
use relay_llm::{Error, ErrorKind, Event, Message, Request, RetrySettings, ToolChoice, Turn};

use super::{Agent, Asker};
use crate::compact::branch::BranchPlan;
use crate::compact::{self, Candidate, Summariser, SummaryError};
use crate::frame;
use crate::secrets::Masker;
use crate::session::body::BranchSummary;

/// How often a pause checks for a cancel.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The longest name of a session.
const TITLE_CHARS: usize = 60;
/// How much of a prompt a model reads to name it.
const PROMPT_CHARS: usize = 4_000;
/// The longest answer to the question for a name. Models that think before they answer need some room.
const TITLE_TOKENS: u64 = 1_000;

/// The purpose of a side request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideJob {
    /// A name for the session, by a small model.
    Title,
    /// A summary, by any model that can hold what is summarised.
    Summary,
}

/// The models for side requests that the user configured.
pub trait OtherModels: Send + Sync {
    /// Those for a job, best first.
    fn for_job(&self, job: SideJob) -> Vec<Arc<dyn Asker>>;

    /// A summary by the service of `compaction.remoteEndpoint`, or `None` without such a service.
    ///
    /// # Errors
    /// Why it wrote none.
    fn remote_summary(&self, system: &str, prompt: &str, cancel: &Cancel) -> Option<Result<String, Error>> {
        let _unused = (system, prompt, cancel);
        None
    }
}

/// No other models.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOthers;

impl OtherModels for NoOthers {
    fn for_job(&self, _: SideJob) -> Vec<Arc<dyn Asker>> {
        Vec::new()
    }
}

/// Side requests, made on the caller's thread.
pub struct Aside {
    askers: Vec<Arc<dyn Asker>>,
    others: Arc<dyn OtherModels>,
    masker: Arc<Mutex<Masker>>,
    cancel: Cancel,
}

impl Agent {
    /// The models for a side request. Summaries may always be written by the session's own model.
    #[must_use]
    pub fn aside(&self, job: SideJob, cancel: Cancel) -> Aside {
        let own = (job == SideJob::Summary).then(|| Arc::clone(&self.asking.asker));
        let mut askers: Vec<Arc<dyn Asker>> = Vec::new();
        for asker in own.into_iter().chain(self.asking.others.for_job(job)) {
            if !askers.iter().any(|known| known.model().selector() == asker.model().selector()) {
                askers.push(asker);
            }
        }
        let others = Arc::clone(&self.asking.others);
        Aside { askers, others, masker: Arc::clone(&self.masker), cancel }
    }

    /// The conversation so far with a question after it that is answered in words. Nothing of it enters the log.
    #[must_use]
    pub fn side_question(&self, question: &str) -> Request {
        let mut request = self.request(None);
        // Providers want to know the tools that the conversation used, even where none may be called.
        request.tool_choice = ToolChoice::None;
        request.output = None;
        let text = format!("{}\n\n{question}", include_str!("texts/side_question.md").trim());
        request.messages.push(Message::text(text));
        request
    }
}

impl Aside {
    /// The models, in the order in which they are tried.
    #[must_use]
    pub fn candidates(&self) -> Vec<Candidate> {
        let candidate = |asker: &Arc<dyn Asker>| {
            let model = asker.model();
            Candidate { model: model.selector(), window: model.limits.context }
        };
        self.askers.iter().map(candidate).collect()
    }

    /// Asks the first model.
    ///
    /// # Errors
    /// There is none, it failed, or it was cancelled.
    pub fn ask(&self, request: &Request) -> Result<Turn, Error> {
        let asker = self.askers.first();
        let asker = asker.ok_or_else(|| Error::new(ErrorKind::NotFound, "", "no model is available"))?;
        self.ask_one(&**asker, request)
    }

    /// A name for a session that begins with this prompt; none if no model gives one.
    #[must_use]
    pub fn title(&self, prompt: &str) -> Option<String> {
        let start: String = prompt.chars().take(PROMPT_CHARS).collect();
        let request = Request {
            system: include_str!("texts/title.md").trim().to_owned(),
            messages: vec![Message::text(frame::framed("task", &[], &start))],
            max_output: Some(TITLE_TOKENS),
            ..Request::default()
        };
        let answer = self.ask(&request).ok()?.message().plain_text();
        tidy_title(&answer)
    }

    /// The summary of a branch that is left for `target`.
    ///
    /// # Errors
    /// No model wrote one, or it was cancelled.
    pub fn branch_summary(
        &mut self,
        plan: &BranchPlan,
        target: Option<&str>,
    ) -> Result<BranchSummary, SummaryError> {
        let candidates = self.candidates();
        let retry = RetrySettings::default();
        let answer = compact::summarise(&plan.request, &candidates, &retry, self, &mut |_| {})?;
        Ok(plan.finish(&answer, target))
    }

    fn ask_one(&self, asker: &dyn Asker, request: &Request) -> Result<Turn, Error> {
        let mut request = request.clone();
        self.masker.lock().unwrap_or_else(PoisonError::into_inner).mask_request(&mut request);
        let mut answer = None;
        asker.ask(&request, &self.cancel, &mut |event| match event {
            Event::Done { turn } => answer = Some(Ok(turn)),
            Event::Error { error, .. } => answer = Some(Err(error)),
            _ => {}
        });
        answer.unwrap_or_else(|| Err(Error::new(ErrorKind::Network, "", "the answer has no end")))
    }
}

impl Summariser for Aside {
    fn ask(&mut self, candidate: &Candidate, request: &Request) -> Result<String, Error> {
        let asker = self.askers.iter().find(|asker| asker.model().selector() == candidate.model);
        let asker = asker.ok_or_else(|| Error::new(ErrorKind::NotFound, "", "there is no such model"))?;
        self.ask_one(&**asker, request).map(|turn| turn.message().plain_text())
    }

    fn remote(&mut self, system: &str, prompt: &str) -> Option<Result<String, Error>> {
        let prompt = self.masker.lock().unwrap_or_else(PoisonError::into_inner).mask("prompt", prompt);
        self.others.remote_summary(system, &prompt, &self.cancel)
    }

    fn pause(&mut self, delay_ms: u64) -> bool {
        let mut left = Duration::from_millis(delay_ms);
        while !left.is_zero() && !self.cancel.is_cancelled() {
            let step = left.min(LOOK_EVERY);
            thread::sleep(step);
            left -= step;
        }
        !self.cancel.is_cancelled()
    }
}

/// A name from the first line of a prompt, where no model gives one.
#[must_use]
pub fn title_from(prompt: &str) -> Option<String> {
    tidy_title(prompt)
}

/// The first line with words, without the decoration that models put around names.
fn tidy_title(text: &str) -> Option<String> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let is_around = |c: char| matches!(c, '"' | '\'' | '`' | '“' | '”' | '*' | '#') || c.is_whitespace();
    let words = first.trim_matches(is_around).trim_end_matches('.');
    let title: String = words.chars().take(TITLE_CHARS).collect();
    (!title.trim().is_empty()).then(|| title.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_the_decoration_of_models() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(tidy_title(text).as_deref(), expected);
        check("\n \"Fix the parser.\"\nBecause…", Some("Fix the parser"));
        check("## Fix `it`", Some("Fix `it"));
        check("  \n", None);
        check(&"long ".repeat(40), Some("long long long long long long long long long long long long"));
    }
}
