//! A reviewer's findings, and their verdict.

use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Could be nicer.
    Nit,
    /// Should be fixed.
    Important,
    /// Must be fixed.
    Blocker,
}

impl Severity {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Nit => "nit",
            Severity::Important => "important",
            Severity::Blocker => "blocker",
        }
    }
}

/// One thing a reviewer found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The file, from the repository's root.
    pub file: String,
    /// The line in the new file.
    pub line: u32,
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// A change that fixes it, in any dialect that Relay can land.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// Who found it: one backend, or several that agree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<String>,
}

/// The verdict of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No reviewer found anything that matters.
    Ship,
    /// Something should be fixed first.
    Iterate,
    /// The review could not be read in full.
    Abstain,
}

impl Verdict {
    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Ship => "ship",
            Verdict::Iterate => "iterate",
            Verdict::Abstain => "abstain",
        }
    }

    /// The exit code: programs that act on it must never take silence for consent.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Verdict::Ship => 0,
            Verdict::Iterate => 1,
            Verdict::Abstain => 2,
        }
    }

    /// The verdict of findings. A review that could not be read in full never gets better than no verdict, but its
    /// findings count.
    #[must_use]
    pub fn of(findings: &[Finding], was_understood: bool) -> Self {
        if findings.iter().any(|finding| finding.severity >= Severity::Important) {
            Verdict::Iterate
        } else if was_understood {
            Verdict::Ship
        } else {
            Verdict::Abstain
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(severity: Severity) -> Finding {
        let (file, message) = ("a".to_owned(), "m".to_owned());
        Finding { file, line: 1, severity, message, fix: None, by: Vec::new() }
    }

    #[test]
    fn the_most_severe_finding_decides() {
        assert_eq!(Verdict::of(&[], true), Verdict::Ship);
        assert_eq!(Verdict::of(&[found(Severity::Nit)], true), Verdict::Ship);
        assert_eq!(Verdict::of(&[found(Severity::Nit), found(Severity::Important)], true), Verdict::Iterate);
        assert_eq!(Verdict::of(&[found(Severity::Blocker)], true), Verdict::Iterate);
    }

    #[test]
    fn an_answer_that_was_not_understood_never_ships() {
        assert_eq!(Verdict::of(&[], false), Verdict::Abstain);
        assert_eq!(Verdict::of(&[found(Severity::Nit)], false), Verdict::Abstain);
        assert_eq!(Verdict::of(&[found(Severity::Blocker)], false), Verdict::Iterate);
    }
}
