//! The combined result of all reviewers, for people and as JSON.

use relay_backends::ask::{AskError, Results};
use relay_backends::review::{Finding, Reviewed, Verdict, merge};
use relay_engine::{Engine, report};
use serde_json::{Value, json};

use crate::asking::tell_effect;
use crate::cli::ReviewArgs;
use crate::terminal::findings::{self, Shown};
use crate::terminal::{self, visible};

/// The combined result of all reviewers.
pub struct Outcome {
    pub findings: Vec<Finding>,
    pub verdict: Verdict,
    reviewed: Vec<Reviewed>,
    failed: Vec<(String, AskError)>,
    /// How the files changed, if a reviewer could write.
    effect: Option<relay_engine::Outcome>,
    /// The usage, as `--json` prints it.
    spent: Value,
}

impl Outcome {
    pub fn of(
        names: &[String],
        results: Results<Reviewed>,
        effect: Option<relay_engine::Outcome>,
        spent: Value,
    ) -> Self {
        let (mut reviewed, mut failed) = (Vec::new(), Vec::new());
        for (name, result) in names.iter().zip(results) {
            match result {
                Ok(one) => reviewed.push(one),
                Err(error) => failed.push((name.clone(), error)),
            }
        }
        let findings = merge(reviewed.iter().map(|one| (one.backend.clone(), one.reading.findings.clone())));
        let was_understood = failed.is_empty()
            && !reviewed.is_empty()
            && reviewed.iter().all(|one| one.reading.was_understood);
        let verdict = Verdict::of(&findings, was_understood);
        Self { findings, verdict, reviewed, failed, effect, spent }
    }

    /// The verdict's exit code; a failure if a reviewer's own changes were rolled back. A review in prose is feedback, which
    /// is a success unless a verdict was requested.
    pub fn exit_code(&self, wants_verdict: bool) -> u8 {
        let has_failed = self.effect.as_ref().is_some_and(|effect| effect.status.exit_code() != 0);
        let is_feedback =
            self.verdict == Verdict::Abstain && self.failed.is_empty() && !self.reviewed.is_empty();
        match has_failed {
            true => Verdict::Abstain.exit_code(),
            false if is_feedback && !wants_verdict => 0,
            false => self.verdict.exit_code(),
        }
    }

    pub fn show(&self, engine: &Engine, args: &ReviewArgs) {
        if args.verdict_json {
            terminal::print_as_is(&format!("{}\n", self.verdict_document()));
        } else if args.json {
            terminal::print_document(&self.document());
        } else {
            let source = |file: &str| source(engine, file);
            let shown = Shown { findings: &self.findings, verdict: self.verdict, reviewed: &self.reviewed };
            terminal::print(&findings::text(&shown, &source));
        }
        for (name, error) in &self.failed {
            terminal::tell(&format!("{}: {}\n", visible(name), visible(&error.to_string())));
            if let Some(hint) = error.hint() {
                terminal::tell(&format!("  {}\n", visible(&hint)));
            }
        }
        if !args.json {
            tell_effect(self.effect.as_ref());
        }
    }

    fn verdict_document(&self) -> Value {
        json!({ "verdict": self.verdict.name(), "findings": self.findings.len() })
    }

    fn document(&self) -> Value {
        let reviews: Vec<Value> = self
            .reviewed
            .iter()
            .map(|one| {
                json!({
                    "backend": one.backend,
                    "understood": one.reading.was_understood,
                    "dropped": one.reading.dropped,
                    "fallback": one.fallback,
                    "text": one.text,
                })
            })
            .collect();
        let failed: Vec<Value> = self
            .failed
            .iter()
            .map(|(name, error)| json!({ "backend": name, "error": error.to_string(), "hint": error.hint() }))
            .collect();
        json!({
            "verdict": self.verdict.name(),
            "exitCode": self.exit_code(false),
            "findings": self.findings,
            "reviews": reviews,
            "failed": failed,
            "effect": self.effect.as_ref().map(report::outcome),
            "spent": self.spent,
        })
    }
}

/// A file of the project as it is now, for showing findings beside the code.
fn source(engine: &Engine, file: &str) -> Option<String> {
    let path = engine.workspace().path(file).ok()?;
    let found = engine.workspace().read(&path).ok()??;
    Some(String::from_utf8_lossy(&found.bytes).into_owned())
}
