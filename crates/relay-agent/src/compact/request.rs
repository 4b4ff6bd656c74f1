//! What a summarising model is asked.

use relay_llm as llm;

use crate::frame::{escape, framed};
use crate::tokens;

/// How the summarising model is introduced to its work.
pub(crate) const SYSTEM: &str = include_str!("prompts/system.md");
const SUMMARY: &str = include_str!("prompts/summary.md");
const UPDATE: &str = include_str!("prompts/update.md");
const TURN: &str = include_str!("prompts/turn.md");
const BRANCH: &str = include_str!("prompts/branch.md");

/// What is summarised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Everything before the part that is kept.
    History,
    /// The beginning of a turn whose end is kept.
    Turn,
    /// A branch that was left.
    Branch,
}

/// What a summarising model is asked. Several models may be tried, so it is made to fit each of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is summarised.
    pub subject: Subject,
    /// The conversation, message by message.
    pub conversation: Vec<String>,
    /// The summary of what came before.
    pub previous: Option<String>,
    /// What hooks want to have considered.
    pub context: Vec<String>,
    /// What the user wants the summary to be about.
    pub focus: Option<String>,
    /// What a hook wants to ask instead.
    pub instructions: Option<String>,
    /// The longest answer, in tokens.
    pub max_output: u64,
}

impl Request {
    /// What is asked, in at most about this many tokens. The oldest messages but the first give way.
    #[must_use]
    pub fn prompt(&self, limit_tokens: u64) -> String {
        let rest = self.rest();
        let room = limit_tokens.saturating_sub(tokens::of_text(&rest) + 50);
        let conversation = fitted(&self.conversation, room).join("\n\n");
        format!("<conversation>\n{conversation}\n</conversation>{rest}")
    }

    /// Everything after the conversation.
    fn rest(&self) -> String {
        let mut text = String::new();
        let mut add = |part: &str| {
            text.push_str("\n\n");
            text.push_str(part.trim_end());
        };
        if let Some(previous) = &self.previous {
            add(&framed("previous-summary", &[], previous));
        }
        if !self.context.is_empty() {
            add(&framed("additional-context", &[], &self.context.join("\n")));
        }
        add(self.instructions.as_deref().unwrap_or(match (self.subject, &self.previous) {
            (Subject::History, None) => SUMMARY,
            (Subject::History, Some(_)) => UPDATE,
            (Subject::Turn, _) => TURN,
            (Subject::Branch, _) => BRANCH,
        }));
        if let Some(focus) = self.focus.as_deref().filter(|focus| !focus.trim().is_empty()) {
            add(&format!("The user asks to pay particular attention to this:\n{}", escape(focus)));
        }
        text
    }

    /// The request for a model with this window.
    #[must_use]
    pub fn to_llm(&self, window: u64) -> llm::Request {
        // A tenth stays free: the estimate is not exact, and other tokenizers count more.
        let room = window.saturating_sub(self.max_output).saturating_sub(tokens::of_text(SYSTEM)) * 9 / 10;
        llm::Request {
            system: SYSTEM.trim_end().to_owned(),
            messages: vec![llm::Message::text(self.prompt(room))],
            thinking: Some(llm::Thinking::High),
            cache: llm::Cache::None,
            max_output: Some(self.max_output),
            ..llm::Request::default()
        }
    }
}

/// The first message and as many of the newest as fit, with a note about those between.
fn fitted(parts: &[String], room: u64) -> Vec<String> {
    let sizes: Vec<u64> = parts.iter().map(|part| tokens::of_text(part) + 2).collect();
    if sizes.iter().sum::<u64>() <= room {
        return parts.to_vec();
    }
    let Some((first, rest)) = parts.split_first() else { return Vec::new() };
    let first = super::transcript::shortened(first, usize::try_from(room).unwrap_or(usize::MAX));
    let mut left = room.saturating_sub(tokens::of_text(&first) + 20);
    let newest = rest.iter().zip(sizes.iter().skip(1)).rev().take_while(|(_, size)| {
        let fits = **size <= left;
        left = left.saturating_sub(**size);
        fits
    });
    let count = newest.count();
    let note = format!("[{} messages left out: they do not fit]", rest.len() - count);
    let newest = rest.iter().skip(rest.len() - count).cloned();
    [first, note].into_iter().chain(newest).collect()
}

/// A summary as the model wrote it: its short form, if it has one, and the rest.
pub(crate) fn parted(answer: &str) -> (Option<String>, String) {
    let answer = answer.trim();
    let (first, rest) = answer.split_once('\n').unwrap_or((answer, ""));
    let short = first.trim_start_matches(['*', '#', ' ']).strip_prefix("Short:");
    match short {
        Some(short) => {
            let short = short.trim_matches(['*', ' ', '`']).trim();
            let short: String = short.chars().take(200).collect();
            ((!short.is_empty()).then_some(short), rest.trim().to_owned())
        }
        None => (None, answer.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(parts: &[&str]) -> Request {
        Request {
            subject: Subject::History,
            conversation: parts.iter().map(|part| (*part).to_owned()).collect(),
            previous: None,
            context: Vec::new(),
            focus: None,
            instructions: None,
            max_output: 4_096,
        }
    }

    #[test]
    fn everything_is_in_its_frame() {
        let request = Request {
            previous: Some("</previous-summary> earlier".to_owned()),
            context: vec!["hook".to_owned()],
            focus: Some("the parser".to_owned()),
            ..request(&["[User]\nhi"])
        };
        let prompt = request.prompt(10_000);
        assert!(prompt.starts_with(
            "<conversation>\n[User]\nhi\n</conversation>\n\n<previous-summary>\n&lt;/previous-summary> earlier\n\
             </previous-summary>\n\n<additional-context>\nhook\n</additional-context>\n\nThe conversation above continues"
        ));
        assert!(prompt.ends_with("pay particular attention to this:\nthe parser"));
        for heading in [
            "## Goal",
            "## Constraints & Preferences",
            "## Progress",
            "### Done",
            "### In Progress",
            "### Blocked",
            "## Key Decisions",
            "## Next Steps",
            "## Critical Context",
            "## Additional Notes",
        ] {
            assert!(SUMMARY.contains(heading) && UPDATE.contains(heading), "{heading}");
        }
    }

    #[test]
    fn the_oldest_messages_but_the_first_are_dropped_to_fit() {
        let parts: Vec<String> =
            (0..50).map(|n| format!("[User]\nmessage {n} {}", "word ".repeat(100))).collect();
        let request = Request { conversation: parts, ..request(&[]) };
        let all = request.prompt(1_000_000);
        assert!(all.contains("message 25") && !all.contains("left out"));
        let short = request.prompt(3_000);
        assert!(
            short.contains("message 0 ") && short.contains("message 49 ") && !short.contains("message 25 ")
        );
        assert!(short.contains("messages left out: they do not fit"));
        assert!(tokens::of_text(&short) <= 3_000);
    }

    #[test]
    fn the_short_form_is_the_first_line() {
        assert_eq!(parted("Short: a b\n\n## Goal\nx\n"), (Some("a b".to_owned()), "## Goal\nx".to_owned()));
        assert_eq!(parted("**Short:** a\n## Goal"), (Some("a".to_owned()), "## Goal".to_owned()));
        assert_eq!(parted("## Goal\nx"), (None, "## Goal\nx".to_owned()));
        assert_eq!(parted(""), (None, String::new()));
    }
}
