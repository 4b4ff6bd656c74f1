//! A review before a change lands: which backend does it, and what its answer means for the change.

use std::path::Path;

use relay_settings::Settings;

use super::{Diff, Review, Verdict, review};
use crate::ask::{AskError, Depth, Terms};
use crate::backend::{BackendError, Backends, Link};
use crate::configured::{ConfiguredError, Sources, Wanted};

/// Turns off a review that the settings ask for.
const NONE: &str = "none";

/// The backend that reviews every change before it lands.
pub struct BeforeLanding {
    name: String,
    model: Option<String>,
    terms: Terms,
    backends: Backends,
}

/// What a review means for the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The change may land; the findings, if there are any.
    Pass(String),
    /// The user has to decide.
    Doubt {
        /// Why.
        reason: String,
        /// What the reviewer said.
        said: String,
    },
    /// The user interrupted the review.
    Interrupted,
}

impl BeforeLanding {
    /// The reviewer that the command line names, else the one of the settings. `None` if neither names one, or the
    /// command line says `none`.
    ///
    /// # Errors
    /// The backend cannot be put together from the settings.
    pub fn chosen(
        named: Option<&str>,
        sources: &Sources<'_>,
        wanted: Wanted<'_>,
    ) -> Result<Option<Self>, ConfiguredError> {
        let settings: &Settings = sources.settings;
        let name = match named {
            Some(NONE) => None,
            Some(name) => Some(name.to_owned()),
            None => settings.text("review"),
        };
        let Some(name) = name else { return Ok(None) };
        let backends = sources.named(std::slice::from_ref(&name), wanted)?;
        let model = wanted.model_of(&name, settings);
        Ok(Some(Self { name, model, terms: wanted.terms(settings)?, backends }))
    }

    /// The backend's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The terms it reviews on.
    #[must_use]
    pub const fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Checks that the backend can be called, so that an error shows before the change is in the files.
    ///
    /// # Errors
    /// It cannot be called.
    pub fn check(&self, repo: &Path) -> Result<(), AskError> {
        self.terms.check(&self.name, repo, &self.backends).map(drop)
    }

    /// Has a diff reviewed.
    pub fn judge(&self, repo: &Path, diff: &str, depth: &Depth, link: &mut Link<'_>) -> Judgement {
        let wanted = Review {
            backend: &self.name,
            repo,
            diff: Diff::Text(diff),
            scope: None,
            prompt: None,
            model: self.model.as_deref(),
            terms: self.terms,
        };
        let reviewed = match review(&wanted, &self.backends, depth, link) {
            Ok(reviewed) => reviewed,
            Err(AskError::Backend(BackendError::Cancelled { .. })) => return Judgement::Interrupted,
            Err(error) => return Judgement::Doubt { reason: error.to_string(), said: String::new() },
        };
        let findings = &reviewed.reading.findings;
        let lines: Vec<String> = findings
            .iter()
            .map(|found| {
                format!("{}:{} {}: {}", found.file, found.line, found.severity.name(), found.message)
            })
            .collect();
        let said = lines.join("\n");
        match Verdict::of(findings, reviewed.reading.was_understood) {
            Verdict::Ship => Judgement::Pass(said),
            Verdict::Iterate => Judgement::Doubt { reason: format!("it says iterate:\n{said}"), said },
            Verdict::Abstain => {
                Judgement::Doubt { reason: "its answer cannot be understood".to_owned(), said: reviewed.text }
            }
        }
    }
}
