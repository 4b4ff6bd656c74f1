//! The output of a call: bounded text for the model, details for front ends, requests to the conversation.

use relay_diagnostics::Cancel;
use serde_json::{Value, json};
use thiserror::Error;
use uuid::Uuid;

use crate::session::{Block, Content};

/// The output of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Output {
    /// Text and pictures for the model.
    pub content: Vec<Block>,
    /// What front ends show of it.
    pub details: Option<Value>,
    /// Whether it failed in a way the model must know, although there is output.
    pub is_error: bool,
    /// Requests to the conversation.
    pub signals: Vec<Signal>,
    /// The transactions it put on the ledger.
    pub transactions: Vec<Uuid>,
}

impl Output {
    /// An output that is nothing but text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Block::text(text)], ..Self::default() }
    }

    /// The output with details for front ends.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// The output with a wish for the conversation.
    #[must_use]
    pub fn signalling(mut self, signal: Signal) -> Self {
        self.signals.push(signal);
        self
    }

    /// The text in it.
    #[must_use]
    pub fn plain_text(&self) -> String {
        Content::Blocks(self.content.clone()).text("\n")
    }
}

/// A tool's request to the conversation. The turn loop carries it out and logs it.
#[derive(Clone, Debug, PartialEq)]
pub enum Signal {
    /// Remember this point, to return to it with a report.
    Checkpoint {
        /// What is to be found out.
        goal: String,
        /// When, as an ISO timestamp.
        started_at: String,
    },
    /// Return to the checkpoint at the end of this turn.
    Rewind {
        /// What was found out.
        report: String,
        /// Whether files return to how they were at the checkpoint as well.
        restore_files: bool,
    },
    /// The goal has another state; none leaves it out of the conversation.
    Goal(Option<Value>),
    /// The mode of the session changes: `plan`, `none`, ….
    Mode {
        /// Its name.
        mode: String,
        /// What belongs to it.
        data: Option<Value>,
    },
    /// An action was shown and waits for `resolve`.
    Pending {
        /// The tool that proposes it.
        tool: String,
        /// What it is, in a few words.
        label: String,
        /// What its tool needs to carry it out.
        data: Value,
    },
    /// The action that waited was applied or discarded.
    Resolved {
        /// Whether it was applied.
        applied: bool,
        /// Why.
        reason: String,
        /// For a plan: the title it shall have.
        title: Option<String>,
    },
    /// A plan was approved: plan mode ends, and the plan is carried out.
    PlanApproved {
        /// In which conversation.
        choice: PlanChoice,
        /// Its title.
        title: String,
        /// Where it is kept.
        path: String,
        /// The plan.
        plan: String,
    },
    /// These tools are offered from the next turn on.
    Select(Vec<String>),
    /// The run ends after this turn, as if a person had stopped it, because the tool needed an answer and got none.
    Stop,
    /// Something that belongs to the session and to no message, kept in its log.
    Keep {
        /// What it is.
        kind: String,
        /// Its content.
        data: Value,
    },
}

/// In which conversation an approved plan is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanChoice {
    /// In a fresh one that knows the plan and nothing else.
    Fresh,
    /// In this one, after it was made shorter.
    Compact,
    /// In this one, as it is.
    Keep,
}

/// Why a call has no output.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ToolError {
    /// It failed. The model reads why.
    #[error("{0}")]
    Failed(String),
    /// It was asked to end.
    #[error("{0}")]
    Aborted(String),
    /// It may not do that.
    #[error("{0}")]
    Denied(String),
}

impl ToolError {
    /// A failure with a message for the model.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    /// The end of a call that was cancelled.
    #[must_use]
    pub fn aborted() -> Self {
        Self::Aborted("The call was aborted.".to_owned())
    }

    /// Fails once the cancel is set.
    ///
    /// # Errors
    /// It is set.
    pub fn check(cancel: &Cancel) -> Result<(), Self> {
        if cancel.is_cancelled() { Err(Self::aborted()) } else { Ok(()) }
    }

    /// The error as an output, for the log and the model.
    #[must_use]
    pub fn into_output(self) -> Output {
        let kind = match &self {
            Self::Failed(_) => "failed",
            Self::Aborted(_) => "aborted",
            Self::Denied(_) => "denied",
        };
        let details = json!({ "error": kind });
        Output { is_error: true, ..Output::text(self.to_string()).with_details(details) }
    }
}

/// How much of an output reaches the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Lines.
    pub lines: usize,
    /// Bytes.
    pub bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { lines: 3_000, bytes: 50 << 10 }
    }
}

impl Bounds {
    /// Cuts a text that exceeds the bounds, in the middle and at line ends, and says how much is missing. Tools that
    /// keep the whole as an artifact cut for themselves; this is the last line of defence.
    #[must_use]
    pub fn cut(self, text: &str) -> Option<String> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        if text.len() <= self.bytes && lines.len() <= self.lines {
            return None;
        }
        let half = |mut lines: Box<dyn Iterator<Item = &&str> + '_>| {
            let (mut taken, mut bytes) = (0, 0);
            for line in lines.by_ref() {
                if taken + 1 > self.lines / 2 || bytes + line.len() > self.bytes / 2 {
                    break;
                }
                taken += 1;
                bytes += line.len();
            }
            taken
        };
        let head = half(Box::new(lines.iter()));
        let tail = half(Box::new(lines.iter().rev())).min(lines.len() - head);
        let kept = |range: std::ops::Range<usize>| lines.get(range).unwrap_or_default().concat();
        let missing = lines.len() - head - tail;
        let mut cut = kept(0..head);
        if head == 0 {
            // The first line alone is too long: its beginning is shown.
            let end = (0..=self.bytes / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            cut = text.get(..end).unwrap_or_default().to_owned();
        }
        cut.push_str(&format!("\n[… {missing} lines left out; the output has {} bytes …]\n", text.len()));
        cut.push_str(&kept(lines.len() - tail..lines.len()));
        Some(cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_not_cut() {
        assert_eq!(Bounds::default().cut("a\nb\n"), None);
    }

    #[test]
    fn a_long_text_keeps_head_and_tail() {
        let text: String = (0..10_000).map(|n| format!("line {n}\n")).collect();
        let cut = Bounds::default().cut(&text).unwrap();
        assert!(cut.len() < 60 << 10);
        assert!(cut.starts_with("line 0\n") && cut.ends_with("line 9999\n"), "{cut}");
        assert!(cut.contains("lines left out"));
    }

    #[test]
    fn one_endless_line_is_cut_too() {
        let cut = Bounds::default().cut(&"é".repeat(1 << 20)).unwrap();
        assert!(cut.len() < 60 << 10 && cut.contains("left out"));
    }

    #[test]
    fn of_a_long_line_with_remarks_below_the_beginning_is_shown() {
        let cut = Bounds::default().cut(&format!("{}\n[a remark]\n", "x".repeat(60 << 10))).unwrap();
        assert!(cut.starts_with("xxxx") && cut.ends_with("[a remark]\n"), "{cut:.50}");
        assert!(cut.len() < 30 << 10, "{}", cut.len());
    }

    #[test]
    fn an_error_says_what_kind_it_is() {
        let output = ToolError::aborted().into_output();
        assert!(output.is_error);
        assert_eq!(output.details.unwrap()["error"], "aborted");
    }
}
